// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Amounts of resources by name, in thousandths.
//
//   Amounts free = total;
//   free.Reduce(used);       // never below zero
//
// The peer's scalars have three decimals: sums and comparisons are those of whole thousandths. Each
// name has a column; an amount of zero is the same as none.
#ifndef MUSTER_PEER_MESOS_AMOUNTS_H_
#define MUSTER_PEER_MESOS_AMOUNTS_H_

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace muster::mesos {

// How many names of resources a cluster may have. A fixed number keeps amounts in the node that
// they belong to.
inline constexpr size_t kMostNames = 16;
// The largest amount: the sum over a million agents is an int64. The largest number in a range.
inline constexpr double kMostAmount = 1e10;
inline constexpr int64_t kMostNumber = 1'000'000'000;

// REQUIRES: at least 0, and less than 9e15.
inline int64_t Thousandths(double value) { return std::llround(value * 1000); }
inline double ValueOf(int64_t thousandths) { return static_cast<double>(thousandths) / 1000.0; }

struct Amounts {
  std::array<int64_t, kMostNames> of = {};

  int64_t& operator[](size_t column) { return of[column]; }
  int64_t operator[](size_t column) const { return of[column]; }
  bool operator==(const Amounts&) const = default;

  bool empty() const {
    return std::ranges::all_of(of, [](int64_t amount) { return amount == 0; });
  }
  void operator+=(const Amounts& more) {
    for (size_t i = 0; i < kMostNames; ++i) of[i] += more.of[i];
  }
  // Subtracts `less`, but no name falls below zero.
  void Reduce(const Amounts& less) {
    for (size_t i = 0; i < kMostNames; ++i) of[i] = std::max<int64_t>(of[i] - less.of[i], 0);
  }
  Amounts Without(const Amounts& less) const {
    Amounts rest = *this;
    rest.Reduce(less);
    return rest;
  }
};

// Upper bounds; a name without one is unlimited.
struct Limits {
  Amounts most;
  uint32_t named = 0;  // bit i: column i has a bound

  bool empty() const { return named == 0; }
  bool Names(size_t column) const { return (named >> column & 1) != 0; }
};

}  // namespace muster::mesos

#endif  // MUSTER_PEER_MESOS_AMOUNTS_H_
