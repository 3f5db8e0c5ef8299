// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Amounts as Kubernetes writes them, to int64 and back.
//
//   ParseQuantity("1500m", muster::Unit::kMilli)  // 1500: cpu is counted in milli-cores
//   ParseQuantity("8Gi", muster::Unit::kWhole)    // 8589934592: memory is counted in bytes
//   ParseQuantity("100m", muster::Unit::kWhole)   // 1: what lies between two units rounds up
//   FormatQuantity(2000, muster::Unit::kMilli)    // "2"
//
// An amount is digits, at most one decimal point among them ("1", "1.5", ".5" and "5." are all
// numbers), and a suffix: a power of ten (n u m k M G T P E), a power of 1024 (Ki Mi Gi Ti Pi Ei)
// or an exponent (e3, E-3). "1E" is 10^18, "1E1" is ten. A sign may stand in front, but only zero
// may be negative.
//
// Two differences from Kubernetes: an amount that no int64 holds is refused, not clipped, and so is
// a text without any digit ("Ki", "."), which Kubernetes reads as zero. Amounts below 1n round up
// like all others.
//
// Promise. Both functions are pure: equal arguments give equal results on every machine.
// Failure. ParseQuantity fails with InvalidArgument or OutOfRange; FormatQuantity does not fail.
// Ownership. Arguments are read during the call; results are values.
// Threads. Any thread may call them.
// Cost. O(length of the text).
#ifndef MUSTER_QUANTITY_H_
#define MUSTER_QUANTITY_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "muster/export.h"

namespace muster {

// What one step of the int64 stands for: a thousandth (cpu, devices) or one (bytes, pods).
enum class Unit : uint8_t { kMilli, kWhole };

// Returns the smallest number of units that holds the amount. Fails with InvalidArgument for text
// that is no amount and for negative amounts, and with OutOfRange for an amount above INT64_MAX
// units; the message quotes the text and names the rule. Costs O(length), whatever the exponent.
MUSTER_EXPORT absl::StatusOr<int64_t> ParseQuantity(std::string_view text, Unit unit);

// Returns the shortest exact text without a decimal point. Among equally short ones, a text without
// a suffix comes before a power of ten, and that before a power of 1024. Powers of 1024 appear with
// Unit::kWhole only. ParseQuantity returns `value` again for every value >= 0. A negative value,
// which occurs in messages only, is its positive text after "-".
MUSTER_EXPORT std::string FormatQuantity(int64_t value, Unit unit);

}  // namespace muster

#endif  // MUSTER_QUANTITY_H_
