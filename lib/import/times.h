// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Times and durations as Kubernetes and Go write them.
//
//   ParseTime("2026-01-01T00:00:05.5+01:00")   // 1767222005
//   ParseDuration("1h30m")                     // 5400
//   WindowMinutes("9:00-17:30")                // {540, 1050}
//
// No call fails; what is not understood has no value. Each costs O(length).
#ifndef MUSTER_IMPORT_TIMES_H_
#define MUSTER_IMPORT_TIMES_H_

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

namespace muster {

// Returns the whole seconds since 1970 of a time stamp (RFC 3339), fractions dropped. A stamp
// without an offset is UTC.
std::optional<int64_t> ParseTime(std::string_view text);

// Returns the whole seconds of a duration, rounded down: numbers with the units ns, us, ms, s, m, h
// one after another, or "0"; "-" or "+" may go before them.
std::optional<int64_t> ParseDuration(std::string_view text);

// Returns the begin and end of a window within a day, in minutes since midnight.
std::optional<std::pair<int, int>> WindowMinutes(std::string_view text);

}  // namespace muster

#endif  // MUSTER_IMPORT_TIMES_H_
