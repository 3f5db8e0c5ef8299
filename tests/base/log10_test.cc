// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/base/log10.h"

#include <cmath>
#include <cstdint>
#include <limits>

#include "gtest/gtest.h"
#include "lib/base/math.h"
#include "lib/base/rng.h"

namespace muster {
namespace {

constexpr int64_t kLargest = std::numeric_limits<int64_t>::max();

// Counts how often the float next to the logarithm is missed. Misses are neighbors of it.
class Misses {
 public:
  void Look(int64_t x) {
    const float right = static_cast<float>(Log(static_cast<double>(x)) / Log(10));
    const float got = Log10Float(x);
    ++looks_;
    if (got == right) return;
    ++count_;
    ASSERT_EQ(got, std::nextafter(right, got)) << x;
  }
  int64_t count() const { return count_; }
  int64_t looks() const { return looks_; }

 private:
  int64_t count_ = 0, looks_ = 0;
};

TEST(Log10Float, PowersOfTenAreExact) {
  int64_t power = 1;
  for (int n = 0; n <= 18; ++n) {
    EXPECT_EQ(Log10Float(power), static_cast<float>(n));
    if (n < 18) power *= 10;
  }
}

TEST(Log10Float, PowersAndTheirNeighborsAreRoundedToNearest) {
  Misses misses;
  for (const int64_t base : {2, 10}) {
    for (int64_t power = 1;; power *= base) {
      for (int64_t x = power > 8 ? power - 8 : 1; x <= power + 8; ++x) misses.Look(x);
      if (power > kLargest / base / 2) break;
    }
  }
  for (int64_t x = kLargest - 8; x < kLargest; ++x) misses.Look(x);
  misses.Look(kLargest);
  EXPECT_EQ(misses.count(), 0);
}

TEST(Log10Float, AlmostAllNumbersAreRoundedToNearest) {
  Misses misses;
  for (int64_t x = 1; x <= 100000; ++x) misses.Look(x);
  Rng rng(1);
  for (int i = 0; i < 300000; ++i) {
    misses.Look(static_cast<int64_t>(rng.Below(uint64_t{1} << (i % 63))) + 1);
  }
  EXPECT_LE(misses.count(), misses.looks() / 30000);
}

}  // namespace
}  // namespace muster
