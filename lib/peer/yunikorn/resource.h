// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Resource: amounts by type, as YuniKorn computes with them.
//
//   TypeNames names;
//   Resource ask;
//   ask.Set(*names.Intern("memory"), 8'000);
//   if (FitsIn(free, ask)) free = Sub(free, ask);
//
// A type may be missing, which is not the same as zero, and a whole resource may be nil, which is
// not the same as empty. Each function below states how it reads a missing type. Sums saturate at
// the ends of int64_t.
//
// Types are small numbers, handed out by TypeNames, so no function here looks at a text. A
// partition has at most kMostTypes of them. Amounts of the first kFewTypes lie in the resource, so
// that most resources are one line of the processor's cache; those of others lie on the heap.
#ifndef MUSTER_PEER_YUNIKORN_RESOURCE_H_
#define MUSTER_PEER_YUNIKORN_RESOURCE_H_

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"

namespace muster::yunikorn {

using Quantity = int64_t;

inline constexpr int kMostTypes = 31;

// The names of types, in the order in which they were first seen.
class TypeNames {
 public:
  // Returns the number of `name`. Fails with ResourceExhausted at the type after kMostTypes.
  absl::StatusOr<int> Intern(std::string_view name);
  // Returns the number of `name`, or -1.
  int Find(std::string_view name) const;
  const std::string& name(int type) const { return names_[static_cast<size_t>(type)]; }
  int size() const { return static_cast<int>(names_.size()); }

 private:
  std::vector<std::string> names_;
};

// The types of a set of bits: for (int type : Types(bits)).
class Types {
 public:
  class iterator {
   public:
    explicit iterator(uint32_t bits) : bits_(bits) {}
    int operator*() const { return std::countr_zero(bits_); }
    iterator& operator++() {
      bits_ &= bits_ - 1;
      return *this;
    }
    bool operator!=(const iterator& other) const { return bits_ != other.bits_; }

   private:
    uint32_t bits_;
  };
  explicit Types(uint32_t bits) : bits_(bits) {}
  uint32_t bits() const { return bits_; }
  iterator begin() const { return iterator(bits_); }
  iterator end() const { return iterator(0); }

 private:
  uint32_t bits_;
};

class Resource {
 public:
  // Empty, and not nil.
  Resource() = default;
  Resource(const Resource& other) { Take(other); }
  Resource(Resource&& other) noexcept { Take(std::move(other)); }
  Resource& operator=(const Resource& other) {
    if (this != &other) Take(other);
    return *this;
  }
  Resource& operator=(Resource&& other) noexcept {
    if (this != &other) Take(std::move(other));
    return *this;
  }
  ~Resource() = default;
  static Resource Nil() {
    Resource resource;
    resource.nil_ = true;
    return resource;
  }

  bool nil() const { return nil_; }
  // Returns whether there is no type at all, be it nil or not.
  bool empty() const { return bits_ == 0; }
  uint32_t bits() const { return bits_; }
  Types types() const { return Types(bits_); }
  int count() const { return std::popcount(bits_); }
  bool Has(int type) const { return (bits_ >> type & 1) != 0; }
  // Returns zero for a missing type.
  Quantity Get(int type) const {
    return type < kFewTypes ? few_[type] : Has(type) ? more_[MoreOf(type)] : 0;
  }

  // Writes to a resource end its being nil.
  void Set(int type, Quantity value) {
    if (type >= kFewTypes && more_ == nullptr) MakeMore();
    nil_ = false;
    bits_ |= 1u << type;
    (type < kFewTypes ? few_[type] : more_[MoreOf(type)]) = value;
  }
  void Erase(int type) {
    bits_ &= ~(1u << type);
    if (type < kFewTypes) few_[type] = 0;
  }
  // Erases the types with an amount of zero.
  void Prune() {
    uint32_t zero = 0;
    for (int type = 0; type < kFewTypes; ++type) zero |= uint32_t{few_[type] == 0} << type;
    bits_ &= ~zero;
    for (int type : MoreTypes()) {
      if (more_[MoreOf(type)] == 0) Erase(type);
    }
  }

  // Nil stays nil; a nil argument changes nothing.
  void AddTo(const Resource& other);
  void SubFrom(const Resource& other);
  // As SubFrom, but what would become negative of the other's types becomes zero. Ends being nil.
  // Returns whether something would.
  bool SubToZero(const Resource& other);
  // Raises amounts to those of the other where these are larger; missing ones count as zero.
  void RaiseTo(const Resource& other);

 private:
  static constexpr int kFewTypes = 6;

  static size_t MoreOf(int type) { return static_cast<size_t>(type - kFewTypes); }
  // Those of the types that lie on the heap.
  Types MoreTypes() const { return Types(bits_ >> kFewTypes << kFewTypes); }
  // Of the types that lie in the resource. Return false, and change nothing, if a sum saturates.
  bool AddFew(const Resource& other);
  bool SubFew(const Resource& other, bool below_zero);
  void MakeMore();
  void Take(const Resource& other) {
    if (other.more_ != nullptr) {
      TakeMore(other);
    } else {
      more_.reset();
    }
    bits_ = other.bits_;
    nil_ = other.nil_;
    std::memcpy(few_, other.few_, sizeof(few_));
  }
  void TakeMore(const Resource& other);
  // The other is empty afterwards.
  void Take(Resource&& other) noexcept {
    bits_ = std::exchange(other.bits_, 0);
    nil_ = other.nil_;
    std::memcpy(few_, other.few_, sizeof(few_));
    std::memset(other.few_, 0, sizeof(few_));
    more_ = std::move(other.more_);
  }

  friend bool AboveZero(const Resource& resource);
  friend bool FitsIn(const Resource& larger, const Resource& smaller);

  uint32_t bits_ = 0;
  bool nil_ = false;
  Quantity few_[kFewTypes] = {};      // of missing types zero
  std::unique_ptr<Quantity[]> more_;  // from type kFewTypes on; null: none was ever set
};

inline Quantity AddSaturating(Quantity a, Quantity b) {
  Quantity sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return a < 0 ? std::numeric_limits<Quantity>::min() : std::numeric_limits<Quantity>::max();
}
// The peer negates and adds, so taking away the least number wraps to adding it.
inline Quantity SubSaturating(Quantity a, Quantity b) {
  return AddSaturating(a, b == std::numeric_limits<Quantity>::min() ? b : -b);
}
inline bool Resource::AddFew(const Resource& other) {
  Quantity sums[kFewTypes];
  for (int type = 0; type < kFewTypes; ++type) {
    if (__builtin_add_overflow(few_[type], other.few_[type], &sums[type])) return false;
  }
  std::memcpy(few_, sums, sizeof(few_));
  bits_ |= other.bits_ & ((1u << kFewTypes) - 1);
  return true;
}
// The least number has a sum of its own. Without `below_zero`, a sum below zero counts as one that
// saturates.
inline bool Resource::SubFew(const Resource& other, bool below_zero) {
  Quantity sums[kFewTypes], all = 0;
  for (int type = 0; type < kFewTypes; ++type) {
    if (__builtin_sub_overflow(few_[type], other.few_[type], &sums[type])) return false;
    if (other.few_[type] == std::numeric_limits<Quantity>::min()) return false;
    all |= sums[type];
  }
  if (!below_zero && all < 0) return false;
  std::memcpy(few_, sums, sizeof(few_));
  bits_ |= other.bits_ & ((1u << kFewTypes) - 1);
  return true;
}
inline void Resource::AddTo(const Resource& other) {
  if (nil_) return;
  const Types left = AddFew(other) ? other.MoreTypes() : other.types();
  for (int type : left) Set(type, AddSaturating(Get(type), other.Get(type)));
}
inline void Resource::SubFrom(const Resource& other) {
  if (nil_) return;
  const Types left = SubFew(other, /*below_zero=*/true) ? other.MoreTypes() : other.types();
  for (int type : left) Set(type, SubSaturating(Get(type), other.Get(type)));
}
inline bool Resource::SubToZero(const Resource& other) {
  nil_ = nil_ && other.empty();
  bool negative = false;
  const Types left = SubFew(other, /*below_zero=*/false) ? other.MoreTypes() : other.types();
  for (int type : left) {
    const Quantity rest = SubSaturating(Get(type), other.Get(type));
    negative |= rest < 0;
    Set(type, std::max<Quantity>(0, rest));
  }
  return negative;
}

inline void Resource::RaiseTo(const Resource& other) {
  bits_ |= other.bits_ & ((1u << kFewTypes) - 1);
  for (int type = 0; type < kFewTypes; ++type) {
    few_[type] = std::max(few_[type], other.few_[type]);
  }
  for (int type : Types(MoreTypes().bits() | other.MoreTypes().bits())) {
    Set(type, std::max(Get(type), other.Get(type)));
  }
}

Quantity MulSaturating(Quantity a, Quantity b);
// Truncates toward zero.
Quantity MulRatio(Quantity value, double ratio);

// --- sums: the result has the types of both sides and is never nil; nil counts as empty

Resource Add(const Resource& left, const Resource& right);
Resource Sub(const Resource& left, const Resource& right);
// As Sub, but what would be negative of `right`'s types is zero. `*negative` (may be null) is set
// to whether something was.
Resource SubNonNegative(const Resource& left, const Resource& right, bool* negative = nullptr);
Resource Multiply(const Resource& base, Quantity ratio);
Resource MultiplyBy(const Resource& base, double ratio);

// --- sums over the types of `base` alone; a nil base stays nil, a nil delta is nothing

Resource AddOnlyExisting(const Resource& base, const Resource& delta);
Resource SubOnlyExisting(const Resource& base, const Resource& delta);

// --- fits: whether `larger` holds `smaller`; a nil smaller always fits

// A missing type is zero; negative amounts of `larger` count as zero.
inline bool FitsIn(const Resource& larger, const Resource& smaller) {
  bool fits = true;
  for (int type = 0; type < Resource::kFewTypes; ++type) {
    fits &= smaller.few_[type] <= std::max<Quantity>(0, larger.few_[type]);
  }
  for (int type : smaller.MoreTypes()) {
    fits &= smaller.Get(type) <= std::max<Quantity>(0, larger.Get(type));
  }
  return fits;
}
// A missing type is no limit; negative amounts of `larger` count as zero.
bool FitsInLimits(const Resource& larger, const Resource& smaller);
// A missing type is no limit; a negative amount holds not even zero.
bool FitsInActual(const Resource& larger, const Resource& smaller);

// --- bounds

// Of types that one side lacks the result has the other side's amount. A nil side is no bound.
Resource Min(const Resource& left, const Resource& right);
// The same over the types of `left` alone; a nil left stays nil.
Resource MinOnlyExisting(const Resource& left, const Resource& right);
// Missing types are zero; the result is empty if one side is nil.
Resource Max(const Resource& left, const Resource& right);
// `left`, and of `right` the types that `left` lacks.
Resource MergeIfNotPresent(const Resource& left, const Resource& right);

// --- comparisons: missing types are zero

// A nil resource equals only nil.
bool Equals(const Resource& left, const Resource& right);
bool EqualsOrEmpty(const Resource& left, const Resource& right);
// Equal amounts of the same types.
bool DeepEquals(const Resource& left, const Resource& right);
bool IsZero(const Resource& resource);
bool HasNegative(const Resource& resource);
// At least one amount is positive and none negative.
inline bool AboveZero(const Resource& resource) {
  Quantity all = 0;  // negative if one is, zero if all are
  for (int type = 0; type < Resource::kFewTypes; ++type) all |= resource.few_[type];
  for (int type : resource.MoreTypes()) all |= resource.Get(type);
  return all > 0;
}
// No amount of `larger` is smaller, and one at least differs.
bool Above(const Resource& larger, const Resource& smaller);
bool AtLeast(const Resource& larger, const Resource& smaller);
// The same over the types that both have. Without a common type the answer is: all of `larger` is
// positive, if `smaller` is empty; otherwise true unless `larger` is empty.
bool AboveOnlyExisting(const Resource& larger, const Resource& smaller);
bool AtLeastOnlyExisting(const Resource& larger, const Resource& smaller);
// A type that both have, whatever the amounts.
bool MatchAny(const Resource& left, const Resource& right);
// The percentage of `resource`'s types that `other` has too, in whole percent.
uint64_t TypeMatching(const Resource& resource, const Resource& other);

}  // namespace muster::yunikorn

#endif  // MUSTER_PEER_YUNIKORN_RESOURCE_H_
