// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Numbers that come back from a memory: they may be any, and are counted on.
//
//   number = AsCount(slot.Integer("number")) + 1;  // no overflow
//   age = SatSub(now, slot.Integer("began"));
#ifndef MUSTER_BASE_COUNTS_H_
#define MUSTER_BASE_COUNTS_H_

#include <algorithm>
#include <cstdint>

#include "lib/base/math.h"

namespace muster {

// Difference, clamped to [kMinQuantity, kMaxQuantity].
constexpr int64_t SatSub(int64_t a, int64_t b) {
  if (b < 0) return a > kMaxQuantity + b ? kMaxQuantity : a - b;
  return a < kMinQuantity + b ? kMinQuantity : a - b;
}

// Returns `count`, held within 0 to 2^53: for a number that grows by one.
constexpr int64_t AsCount(int64_t count) { return std::clamp<int64_t>(count, 0, int64_t{1} << 53); }

}  // namespace muster

#endif  // MUSTER_BASE_COUNTS_H_
