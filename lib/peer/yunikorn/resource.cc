// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/yunikorn/resource.h"

#include <algorithm>
#include <limits>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"

namespace muster::yunikorn {
namespace {

constexpr Quantity kLeast = std::numeric_limits<Quantity>::min();
constexpr Quantity kMost = std::numeric_limits<Quantity>::max();

template <class Combine>
Resource Union(const Resource& left, const Resource& right, Combine combine) {
  Resource out;
  for (int type : Types(left.bits() | right.bits())) {
    out.Set(type, combine(left.Get(type), right.Get(type)));
  }
  return out;
}

bool OnlyExisting(const Resource& larger, const Resource& smaller, bool or_equal) {
  bool differs = false, all_positive = true;
  for (int type : larger.types()) {
    const Quantity value = larger.Get(type);
    if (value <= 0) all_positive = false;
    if (!smaller.Has(type)) continue;
    if (smaller.Get(type) > value) return false;
    if (smaller.Get(type) != value) differs = true;
  }
  if (smaller.empty() && !larger.empty()) return all_positive;
  if ((larger.bits() & smaller.bits()) != 0) return or_equal || differs;
  return !larger.empty() && !smaller.empty();
}

}  // namespace

absl::StatusOr<int> TypeNames::Intern(std::string_view name) {
  if (const int known = Find(name); known >= 0) return known;
  if (size() == kMostTypes) {
    return absl::ResourceExhaustedError(
        absl::StrCat("resource type \"", ToAbsl(name), "\": more than ", kMostTypes, " types"));
  }
  names_.emplace_back(name);
  return size() - 1;
}

int TypeNames::Find(std::string_view name) const {
  const auto found = std::ranges::find(names_, name);
  return found == names_.end() ? -1 : static_cast<int>(found - names_.begin());
}

void Resource::MakeMore() {
  more_ = std::make_unique<Quantity[]>(static_cast<size_t>(kMostTypes - kFewTypes));
}

void Resource::TakeMore(const Resource& other) {
  if (more_ == nullptr) MakeMore();
  std::copy_n(other.more_.get(), kMostTypes - kFewTypes, more_.get());
}

Quantity MulSaturating(Quantity a, Quantity b) {
  Quantity product = 0;
  if (!__builtin_mul_overflow(a, b, &product)) return product;
  return (a < 0) != (b < 0) ? kLeast : kMost;
}

Quantity MulRatio(Quantity value, double ratio) {
  if (value == 0 || ratio == 0) return 0;
  const double result = static_cast<double>(value) * ratio;
  if (result >= 9223372036854775807.0) return kMost;
  if (result <= -9223372036854775808.0) return kLeast;
  return static_cast<Quantity>(result);
}

Resource Add(const Resource& left, const Resource& right) {
  return Union(left, right, AddSaturating);
}

Resource Sub(const Resource& left, const Resource& right) {
  return Union(left, right, SubSaturating);
}

Resource SubNonNegative(const Resource& left, const Resource& right, bool* negative) {
  Resource out = Sub(left, right);
  bool any = false;
  for (int type : right.types()) {
    if (out.Get(type) >= 0) continue;
    any = true;
    out.Set(type, 0);
  }
  if (negative != nullptr) *negative = any;
  return out;
}

Resource Multiply(const Resource& base, Quantity ratio) {
  Resource out;
  if (ratio == 0) return out;
  for (int type : base.types()) out.Set(type, MulSaturating(base.Get(type), ratio));
  return out;
}

Resource MultiplyBy(const Resource& base, double ratio) {
  Resource out;
  if (ratio == 0) return out;
  for (int type : base.types()) out.Set(type, MulRatio(base.Get(type), ratio));
  return out;
}

Resource AddOnlyExisting(const Resource& base, const Resource& delta) {
  Resource out = base;
  for (int type : Types(base.bits() & delta.bits())) {
    out.Set(type, AddSaturating(base.Get(type), delta.Get(type)));
  }
  return out;
}

Resource SubOnlyExisting(const Resource& base, const Resource& delta) {
  Resource out = base;
  for (int type : Types(base.bits() & delta.bits())) {
    out.Set(type, SubSaturating(base.Get(type), delta.Get(type)));
  }
  return out;
}

bool FitsInLimits(const Resource& larger, const Resource& smaller) {
  for (int type : Types(larger.bits() & smaller.bits())) {
    if (smaller.Get(type) > std::max<Quantity>(0, larger.Get(type))) return false;
  }
  return true;
}

bool FitsInActual(const Resource& larger, const Resource& smaller) {
  for (int type : Types(larger.bits() & smaller.bits())) {
    if (smaller.Get(type) > larger.Get(type)) return false;
  }
  return true;
}

Resource Min(const Resource& left, const Resource& right) {
  if (left.nil()) return right;
  if (right.nil()) return left;
  Resource out = left;
  for (int type : right.types()) {
    const Quantity value = right.Get(type);
    out.Set(type, left.Has(type) ? std::min(left.Get(type), value) : value);
  }
  return out;
}

Resource MinOnlyExisting(const Resource& left, const Resource& right) {
  if (left.nil() || right.nil()) return left;
  Resource out = left;
  for (int type : Types(left.bits() & right.bits())) {
    out.Set(type, std::min(left.Get(type), right.Get(type)));
  }
  return out;
}

Resource Max(const Resource& left, const Resource& right) {
  if (left.nil() || right.nil()) return {};
  return Union(left, right, [](Quantity a, Quantity b) { return std::max(a, b); });
}

Resource MergeIfNotPresent(const Resource& left, const Resource& right) {
  if (left.nil()) return right;
  Resource out = left;
  for (int type : Types(right.bits() & ~left.bits())) out.Set(type, right.Get(type));
  return out;
}

bool Equals(const Resource& left, const Resource& right) {
  if (left.nil() || right.nil()) return left.nil() && right.nil();
  for (int type : Types(left.bits() | right.bits())) {
    if (left.Get(type) != right.Get(type)) return false;
  }
  return true;
}

bool EqualsOrEmpty(const Resource& left, const Resource& right) {
  return (IsZero(left) && IsZero(right)) || Equals(left, right);
}

bool DeepEquals(const Resource& left, const Resource& right) {
  return left.bits() == right.bits() && Equals(left, right);
}

bool IsZero(const Resource& resource) {
  for (int type : resource.types()) {
    if (resource.Get(type) != 0) return false;
  }
  return true;
}

bool HasNegative(const Resource& resource) {
  for (int type : resource.types()) {
    if (resource.Get(type) < 0) return true;
  }
  return false;
}

bool Above(const Resource& larger, const Resource& smaller) {
  bool differs = false;
  for (int type : Types(larger.bits() | smaller.bits())) {
    if (larger.Get(type) < smaller.Get(type)) return false;
    if (larger.Get(type) != smaller.Get(type)) differs = true;
  }
  return differs;
}

bool AtLeast(const Resource& larger, const Resource& smaller) {
  for (int type : Types(larger.bits() | smaller.bits())) {
    if (larger.Get(type) < smaller.Get(type)) return false;
  }
  return true;
}

bool AboveOnlyExisting(const Resource& larger, const Resource& smaller) {
  return OnlyExisting(larger, smaller, /*or_equal=*/false);
}

bool AtLeastOnlyExisting(const Resource& larger, const Resource& smaller) {
  return OnlyExisting(larger, smaller, /*or_equal=*/true);
}

bool MatchAny(const Resource& left, const Resource& right) {
  return (left.bits() & right.bits()) != 0;
}

uint64_t TypeMatching(const Resource& resource, const Resource& other) {
  if (resource.empty()) return 0;
  const int common = std::popcount(resource.bits() & other.bits());
  return static_cast<uint64_t>(common * 100 / resource.count());
}

}  // namespace muster::yunikorn
