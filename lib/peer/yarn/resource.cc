// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/yarn/resource.h"

#include <cmath>
#include <limits>

namespace muster::yarn {
namespace {

int64_t CeilTo(int64_t value, int64_t step) {
  return step == 0 ? 0 : (value + step - 1) / step * step;
}

int64_t FloorTo(int64_t value, int64_t step) { return step == 0 ? 0 : value / step * step; }

// A result of the calculator of memory after a rounding.
Resource OfMemory(int64_t memory) { return {memory, memory > 0 ? 1 : 0}; }

float Quotient(int64_t a, int64_t b) {
  return b == 0 ? 0.0F : static_cast<float>(a) / static_cast<float>(b);
}

struct Shares {
  double larger, smaller;
};

// A component that the total lacks is ignored; if it is the only one, both are its share.
Shares SharesOf(const Resource& total, const Resource& a) {
  double share[kResources];
  size_t count = 0;
  for (size_t k = 0; k < kResources; ++k) {
    if (total.at(k) == 0) continue;
    share[count++] = static_cast<double>(a.at(k)) / static_cast<double>(total.at(k));
  }
  if (count == 0) return {0, 0};
  if (count == 1) return {share[0], share[0]};
  return {std::max(share[0], share[1]), std::min(share[0], share[1])};
}

int Sign(double a, double b) { return a < b ? -1 : a > b ? 1 : 0; }

// Without a total: -1 if nothing is larger, 0 if the components disagree.
int CompareEach(const Resource& a, const Resource& b) {
  const bool less = a.memory < b.memory || a.vcores < b.vcores;
  const bool more = a.memory > b.memory || a.vcores > b.vcores;
  return less == more ? 0 : less ? -1 : 1;
}

// Whether quotients of the components by those of the total are equal only where they are.
bool IsExact(const Resource& total, const Resource& a) {
  constexpr uint64_t kExact = uint64_t{1} << 50;
  return total.memory > 0 && total.vcores > 0 && static_cast<uint64_t>(a.memory) < kExact &&
         static_cast<uint64_t>(a.vcores) < kExact;
}

// At least 0; what the total lacks does not count.
double LargestShare(const Resource& total, const Resource& a) {
  return std::max(SharesOf(total, a).larger, 0.0);
}

}  // namespace

int64_t JavaLong(double value) {
  if (std::isnan(value)) return 0;
  if (value >= 9223372036854775807.0) return std::numeric_limits<int64_t>::max();
  if (value <= -9223372036854775808.0) return std::numeric_limits<int64_t>::min();
  return static_cast<int64_t>(value);
}

int32_t JavaInt(double value) {
  if (std::isnan(value)) return 0;
  if (value >= 2147483647.0) return std::numeric_limits<int32_t>::max();
  if (value <= -2147483648.0) return std::numeric_limits<int32_t>::min();
  return static_cast<int32_t>(value);
}

Resource Multiply(const Resource& a, double by) {
  return {JavaLong(static_cast<double>(a.memory) * by),
          JavaLong(static_cast<double>(a.vcores) * by)};
}

int Compare(Calculator by, const Resource& total, const Resource& a, const Resource& b,
            bool is_single) {
  if (by == Calculator::kMemory) {
    return a.memory < b.memory ? -1 : a.memory > b.memory ? 1 : 0;
  }
  if (a == b) return 0;
  if (total.IsZero()) return CompareEach(a, b);
  if (is_single) return Sign(LargestShare(total, a), LargestShare(total, b));
  if (IsExact(total, a) && IsExact(total, b)) {
    // What is no smaller in any component is larger, as it is another one.
    if (FitsInAll(a, b)) return -1;
    if (FitsInAll(b, a)) return 1;
  }
  const Shares left = SharesOf(total, a), right = SharesOf(total, b);
  const int sign = Sign(left.larger, right.larger);
  return sign != 0 ? sign : Sign(left.smaller, right.smaller);
}

bool FitsIn(Calculator by, const Resource& a, const Resource& b) {
  return by == Calculator::kMemory ? a.memory <= b.memory : FitsInAll(a, b);
}

float Divide(Calculator by, const Resource& total, const Resource& a, const Resource& b) {
  if (by == Calculator::kMemory) return Quotient(a.memory, b.memory);
  return static_cast<float>(LargestShare(total, a) / LargestShare(total, b));
}

float Ratio(Calculator by, const Resource& a, const Resource& b) {
  const float memory = Quotient(a.memory, b.memory);
  return by == Calculator::kMemory ? memory : std::max(memory, Quotient(a.vcores, b.vcores));
}

int64_t ContainersIn(Calculator by, const Resource& free, const Resource& size) {
  int64_t least = std::numeric_limits<int64_t>::max();
  for (size_t k = 0; k < (by == Calculator::kMemory ? 1 : kResources); ++k) {
    if (size.at(k) > 0) least = std::min(least, free.at(k) / size.at(k));
  }
  return least;
}

Resource RoundUp(Calculator by, const Resource& a, const Resource& step) {
  if (by == Calculator::kMemory) return OfMemory(CeilTo(a.memory, step.memory));
  return {CeilTo(a.memory, step.memory), CeilTo(a.vcores, step.vcores)};
}

Resource RoundDown(Calculator by, const Resource& a, const Resource& step) {
  if (by == Calculator::kMemory) return OfMemory(FloorTo(a.memory, step.memory));
  return {FloorTo(a.memory, step.memory), FloorTo(a.vcores, step.vcores)};
}

Resource Normalize(Calculator by, const Resource& request, const Resource& least,
                   const Resource& most) {
  const Resource rounded = RoundUp(by, MostOf(request, least), least);
  return by == Calculator::kMemory ? OfMemory(std::min(rounded.memory, most.memory))
                                   : LeastOf(rounded, most);
}

Resource MultiplyUp(Calculator by, const Resource& a, double factor, const Resource& step) {
  if (by == Calculator::kMemory) {
    const double product = static_cast<double>(a.memory) * factor;
    return OfMemory(CeilTo(JavaLong(product + 0.5), step.memory));
  }
  Resource result;
  for (size_t k = 0; k < kResources; ++k) {
    const float product = static_cast<float>(static_cast<double>(a.at(k)) * factor);
    result.at(k) = CeilTo(JavaLong(std::ceil(product)), step.at(k));
  }
  return result;
}

Resource MultiplyUpEach(Calculator by, const Resource& a, const double factors[kResources],
                        const Resource& step) {
  if (by == Calculator::kMemory) return MultiplyUp(by, a, factors[0], step);
  Resource result;
  for (size_t k = 0; k < kResources; ++k) {
    const double product = static_cast<double>(a.at(k)) * factors[k];
    result.at(k) = CeilTo(JavaLong(std::ceil(product)), step.at(k));
  }
  return result;
}

Resource MultiplyDown(Calculator by, const Resource& a, double factor, const Resource& step) {
  return RoundDown(by, Multiply(a, factor), step);
}

Resource DivideUp(Calculator by, const Resource& a, float by_number) {
  const auto divide = [&](int64_t value) {
    if (by_number == 0) return int64_t{0};
    return JavaLong(std::ceil(static_cast<float>(value) / by_number));
  };
  if (by == Calculator::kMemory) return OfMemory(divide(a.memory));
  return {divide(a.memory), divide(a.vcores)};
}

Resource DivideUpWhole(Calculator by, const Resource& a, int64_t by_number) {
  const auto divide = [&](int64_t value) {
    if (by_number == 0) return int64_t{0};
    return (value + by_number - 1) / by_number;
  };
  if (by == Calculator::kMemory) return OfMemory(divide(a.memory));
  return {divide(a.memory), divide(a.vcores)};
}

bool IsAnyPositive(Calculator by, const Resource& a) {
  return a.memory > 0 || (by == Calculator::kDominant && a.vcores > 0);
}

bool IsAnyZeroOrBelow(Calculator by, const Resource& a) {
  return a.memory <= 0 || (by == Calculator::kDominant && a.vcores <= 0);
}

}  // namespace muster::yarn
