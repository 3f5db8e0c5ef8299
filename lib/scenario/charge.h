// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Charges what counts in a text stand for to the budget of the text.
//
//   absl::Status status = ChargeRows(reader, place, RowsOf(change), &budget);
#ifndef MUSTER_SCENARIO_CHARGE_H_
#define MUSTER_SCENARIO_CHARGE_H_

#include <algorithm>
#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "lib/scenario/budget.h"
#include "lib/scenario/member_reader.h"
#include "muster/what_if.h"

namespace muster {

// Charges `more` rows for the value at `place`.
inline absl::Status ChargeRows(const Reader& reader, const Place& place, int64_t more,
                               Budget* budget) {
  const std::string rule = budget->AddRows(more);
  if (rule.empty()) return absl::OkStatus();
  return absl::ResourceExhaustedError(reader.Refuse(place, rule).message());
}

// Returns how many rows the change adds. A count that no cluster could have stands for very many.
inline int64_t RowsOf(const WhatIfChange& change) {
  constexpr int64_t kVeryMany = int64_t{1} << 40;
  int64_t rows = 0;
  if (change.add_nodes) rows = std::clamp<int64_t>(change.add_nodes->count, 0, kVeryMany);
  if (change.add_job) {
    for (const GroupSpec& group : change.add_job->groups) {
      rows += std::clamp<int64_t>(group.count, 0, kVeryMany);
    }
  }
  return rows;
}

}  // namespace muster

#endif  // MUSTER_SCENARIO_CHARGE_H_
