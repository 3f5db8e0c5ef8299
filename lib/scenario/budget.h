// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The sums of one input, against its limits (muster/limits.h).
//
//   Budget budget(limits);
//   if (const std::string rule = budget.AddRows(count); !rule.empty()) return Refuse(place, rule);
//   nodes.reserve(count);
//
// Each call adds first, so a rule names the sum that would have been reached. Sums stay at the
// largest number instead of passing it.
#ifndef MUSTER_SCENARIO_BUDGET_H_
#define MUSTER_SCENARIO_BUDGET_H_

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>

#include "absl/strings/str_cat.h"
#include "muster/limits.h"

namespace muster {

// Arrays and objects inside each other that any reader takes: the readers of a row recurse.
inline constexpr int32_t kMostJsonDepth = 256;

class Budget {
 public:
  explicit Budget(const Limits& limits = {}) : limits_(limits) {}

  // Adds rows, or bytes. Returns the rule that the sum breaks, "" if it breaks none. REQUIRES:
  // `more` is 0 or above.
  std::string AddRows(int64_t more) { return Add(more, limits_.rows, " rows in all", &rows_); }
  std::string AddBytes(int64_t more) { return Add(more, limits_.bytes, " bytes in all", &bytes_); }

  int32_t depth() const { return std::min(limits_.depth, kMostJsonDepth); }
  const Limits& limits() const { return limits_; }

 private:
  static std::string Add(int64_t more, int64_t limit, const char* what, int64_t* sum) {
    constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
    *sum = more > kMost - *sum ? kMost : *sum + more;
    if (*sum <= limit) return "";
    return absl::StrCat(*sum, what, "; at most ", limit, " are read");
  }

  Limits limits_;
  int64_t rows_ = 0, bytes_ = 0;
};

}  // namespace muster

#endif  // MUSTER_SCENARIO_BUDGET_H_
