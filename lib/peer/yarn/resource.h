// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Memory and vcores, and the two calculators by which every limit and order is computed.
//
//   const Resource a{4096, 2}, b{2048, 4}, total{8192, 8};
//   Compare(Calculator::kMemory, total, a, b);     // 1
//   Compare(Calculator::kDominant, total, a, b);   // 0: 1/2 and 1/4 of the total each
//
// The calculator of memory ignores vcores wherever it decides. It also makes them 1, or 0 without
// memory, wherever it rounds; such a result is good for memory only.
//
// Quotients and factors are 32-bit floats or doubles exactly where the peer's are. Roundings go
// through Java's rules: toward zero, NaN becomes 0, and what is too large becomes the largest.
#ifndef MUSTER_PEER_YARN_RESOURCE_H_
#define MUSTER_PEER_YARN_RESOURCE_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace muster::yarn {

struct Resource {
  int64_t memory = 0;  // MiB
  int64_t vcores = 0;

  int64_t at(size_t k) const { return k == 0 ? memory : vcores; }
  int64_t& at(size_t k) { return k == 0 ? memory : vcores; }
  bool IsZero() const { return memory == 0 && vcores == 0; }

  friend bool operator==(const Resource&, const Resource&) = default;
  friend Resource operator+(const Resource& a, const Resource& b) {
    return {a.memory + b.memory, a.vcores + b.vcores};
  }
  friend Resource operator-(const Resource& a, const Resource& b) {
    return {a.memory - b.memory, a.vcores - b.vcores};
  }
  friend Resource operator*(const Resource& a, int64_t times) {
    return {a.memory * times, a.vcores * times};
  }
  Resource& operator+=(const Resource& b) { return *this = *this + b; }
  Resource& operator-=(const Resource& b) { return *this = *this - b; }
};

inline constexpr size_t kResources = 2;

enum class Calculator : uint8_t { kMemory, kDominant };

// --- component by component, whatever the calculator

inline Resource LeastOf(const Resource& a, const Resource& b) {
  return {std::min(a.memory, b.memory), std::min(a.vcores, b.vcores)};
}
inline Resource MostOf(const Resource& a, const Resource& b) {
  return {std::max(a.memory, b.memory), std::max(a.vcores, b.vcores)};
}
// Returns a - b, and 0 where that is negative.
inline Resource SubtractToZero(const Resource& a, const Resource& b) {
  return MostOf(a - b, Resource{});
}
inline bool FitsInAll(const Resource& a, const Resource& b) {
  return a.memory <= b.memory && a.vcores <= b.vcores;
}
// Truncates toward zero.
Resource Multiply(const Resource& a, double by);

// Returns the double as Java casts it.
int64_t JavaLong(double value);
int32_t JavaInt(double value);

// --- by the calculator

// Returns -1, 0 or 1. The dominant calculator compares the larger shares of `total`, then the
// smaller ones. `is_single` ends it after the larger ones.
int Compare(Calculator by, const Resource& total, const Resource& a, const Resource& b,
            bool is_single = false);
inline bool Less(Calculator by, const Resource& total, const Resource& a, const Resource& b) {
  return Compare(by, total, a, b) < 0;
}
inline bool Greater(Calculator by, const Resource& total, const Resource& a, const Resource& b) {
  return Compare(by, total, a, b) > 0;
}
// Of equal ones, Min and Max return `a`.
inline Resource Min(Calculator by, const Resource& total, const Resource& a, const Resource& b) {
  return Compare(by, total, a, b) <= 0 ? a : b;
}
inline Resource Max(Calculator by, const Resource& total, const Resource& a, const Resource& b) {
  return Compare(by, total, a, b) >= 0 ? a : b;
}

bool FitsIn(Calculator by, const Resource& a, const Resource& b);
// Returns the largest share of `a` by that of `b`, both of `total`.
float Divide(Calculator by, const Resource& total, const Resource& a, const Resource& b);
// Returns the largest quotient of components.
float Ratio(Calculator by, const Resource& a, const Resource& b);
// Returns how many containers of `size` fit in `free`.
int64_t ContainersIn(Calculator by, const Resource& free, const Resource& size);

// To multiples of `step`.
Resource RoundUp(Calculator by, const Resource& a, const Resource& step);
Resource RoundDown(Calculator by, const Resource& a, const Resource& step);
// Returns what is allocated for a request: at least `least`, in multiples of it, and at most
// `most`, which may be no multiple.
Resource Normalize(Calculator by, const Resource& request, const Resource& least,
                   const Resource& most);
Resource MultiplyUp(Calculator by, const Resource& a, double factor, const Resource& step);
// Has a factor for each component; the product is not rounded to a float first.
Resource MultiplyUpEach(Calculator by, const Resource& a, const double factors[kResources],
                        const Resource& step);
Resource MultiplyDown(Calculator by, const Resource& a, double factor, const Resource& step);
// Returns 0 if `by_number` is 0.
Resource DivideUp(Calculator by, const Resource& a, float by_number);
Resource DivideUpWhole(Calculator by, const Resource& a, int64_t by_number);

// Whether a component that decides is above zero; is zero or below.
bool IsAnyPositive(Calculator by, const Resource& a);
bool IsAnyZeroOrBelow(Calculator by, const Resource& a);

}  // namespace muster::yarn

#endif  // MUSTER_PEER_YARN_RESOURCE_H_
