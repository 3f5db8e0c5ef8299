// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Amounts of some resources, where an unset amount differs from zero.
//
//   Sparse max;
//   max.Set(0, 4000);
//   max.at(1);        // 0: unset
//   max.has(1);       // false
//
// A resource is a small number that its tree assigns, 64 at most. Amounts saturate at the ends of
// int64. A sum of amounts (SparseSum) shows no more than these ends, but counts on exactly.
#ifndef MUSTER_SHARE_SPARSE_H_
#define MUSTER_SHARE_SPARSE_H_

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace muster {

inline int64_t SaturatingAdd(int64_t a, int64_t b) {
  int64_t sum;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return a > 0 ? std::numeric_limits<int64_t>::max() : std::numeric_limits<int64_t>::min();
}

inline int64_t SaturatingSubtract(int64_t a, int64_t b) {
  int64_t difference;
  if (!__builtin_sub_overflow(a, b, &difference)) return difference;
  return a >= 0 ? std::numeric_limits<int64_t>::max() : std::numeric_limits<int64_t>::min();
}

// Calls visit(resource) for each resource of a set, ascending.
template <typename Visit>
void ForEachResource(uint64_t set, Visit visit) {
  for (; set != 0; set &= set - 1) visit(static_cast<size_t>(std::countr_zero(set)));
}

class Sparse {
 public:
  static constexpr size_t kMostResources = 64;

  uint64_t keys() const { return keys_; }
  bool has(size_t r) const { return keys_ >> r & 1; }
  int64_t at(size_t r) const {
    if (r < kFirst) return first_[r];
    return r - kFirst < more_.size() ? more_[r - kFirst] : 0;
  }
  void Set(size_t r, int64_t value) {
    if (r >= kFirst && r - kFirst >= more_.size()) more_.resize(r - kFirst + 1, 0);
    (r < kFirst ? first_[r] : more_[r - kFirst]) = value;
    keys_ |= uint64_t{1} << r;
  }
  bool IsZero() const {
    const auto zero = [](int64_t value) { return value == 0; };
    return std::all_of(first_.begin(), first_.end(), zero) &&
           std::all_of(more_.begin(), more_.end(), zero);
  }

  void Add(const Sparse& more) {
    ForEachResource(more.keys_, [&](size_t r) { Set(r, SaturatingAdd(at(r), more.at(r))); });
  }
  void Subtract(const Sparse& less) {
    ForEachResource(less.keys_, [&](size_t r) { Set(r, SaturatingSubtract(at(r), less.at(r))); });
  }
  void RaiseTo(const Sparse& least) {
    ForEachResource(least.keys_, [&](size_t r) { Set(r, std::max(at(r), least.at(r))); });
  }
  void NotBelowZero() {
    for (int64_t& value : first_) value = std::max<int64_t>(value, 0);
    for (int64_t& value : more_) value = std::max<int64_t>(value, 0);
  }
  Sparse Only(uint64_t keys) const {
    Sparse part;
    ForEachResource(keys_ & keys, [&](size_t r) { part.Set(r, at(r)); });
    return part;
  }
  // Returns true for equal amounts of the same resources.
  friend bool operator==(const Sparse& a, const Sparse& b) {
    bool equal = a.keys_ == b.keys_;
    ForEachResource(a.keys_, [&](size_t r) { equal &= a.at(r) == b.at(r); });
    return equal;
  }

 private:
  static constexpr size_t kFirst = 8;  // most trees have no more: these take no memory of their own

  uint64_t keys_ = 0;
  std::array<int64_t, kFirst> first_ = {};  // 0 where unset
  std::vector<int64_t> more_;
};

inline Sparse Difference(Sparse a, const Sparse& b) {
  a.Subtract(b);
  return a;
}

// A sum of amounts. A value past an end of int64 reads as that end; subtraction restores the value
// before.
class SparseSum {
 public:
  SparseSum() = default;
  SparseSum(const Sparse& amounts) : shown_(amounts) {}  // NOLINT: amounts are a sum of themselves

  operator const Sparse&() const { return shown_; }  // NOLINT: how it is read
  const Sparse& shown() const { return shown_; }
  uint64_t keys() const { return shown_.keys(); }
  bool has(size_t r) const { return shown_.has(r); }
  int64_t at(size_t r) const { return shown_.at(r); }
  bool IsZero() const { return shown_.IsZero(); }  // what is past an end shows as the end
  __int128 exact(size_t r) const {
    for (const Past& past : past_) {
      if (past.resource == r) return past.exact;
    }
    return shown_.at(r);
  }

  void Show(size_t r, int64_t amount) { SetExactly(r, amount); }
  void Add(size_t r, __int128 more) {
    int64_t sum;
    if (past_.empty() && !__builtin_add_overflow(shown_.at(r), more, &sum)) {
      shown_.Set(r, sum);
    } else {
      SetExactly(r, exact(r) + more);
    }
  }
  void Add(const Sparse& more) {
    ForEachResource(more.keys(), [&](size_t r) { Add(r, more.at(r)); });
  }
  void Add(const SparseSum& more) {
    ForEachResource(more.keys(), [&](size_t r) { Add(r, more.exact(r)); });
  }
  void Subtract(const SparseSum& less) {
    ForEachResource(less.keys(), [&](size_t r) { Add(r, -less.exact(r)); });
  }
  void Subtract(const Sparse& less) {
    ForEachResource(less.keys(), [&](size_t r) { Add(r, -static_cast<__int128>(less.at(r))); });
  }
  void AddNotBelowZero(size_t r, int64_t more) {
    Add(r, more);
    if (at(r) < 0) SetExactly(r, 0);
  }
  void NotBelowZero() {
    std::erase_if(past_, [](const Past& past) { return past.exact < 0; });
    shown_.NotBelowZero();
  }

 private:
  struct Past {
    size_t resource;
    __int128 exact;
  };

  void SetExactly(size_t r, __int128 exact) {
    constexpr __int128 kLeast = std::numeric_limits<int64_t>::min();
    constexpr __int128 kMost = std::numeric_limits<int64_t>::max();
    const __int128 shown = std::clamp(exact, kLeast, kMost);
    shown_.Set(r, static_cast<int64_t>(shown));
    if (!past_.empty()) std::erase_if(past_, [r](const Past& past) { return past.resource == r; });
    if (shown != exact) past_.push_back({r, exact});
  }

  Sparse shown_;
  std::vector<Past> past_;  // the resources that are past an end
};

// Returns whether `amounts` exceeds `most` in a resource that both name.
inline bool Exceeds(const Sparse& amounts, const Sparse& most) {
  bool exceeds = false;
  ForEachResource(amounts.keys() & most.keys(),
                  [&](size_t r) { exceeds |= amounts.at(r) > most.at(r); });
  return exceeds;
}

}  // namespace muster

#endif  // MUSTER_SHARE_SPARSE_H_
