// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The amounts that a scenario's rows make.
//
//   if (absl::Status s = CheckAmounts(scenario.cluster, budget); !s.ok()) return s;
//
// The engine keeps an amount of each resource for each row. Where a cluster has few resources that
// is in proportion to its rows; but 5,000 nodes, each with a resource of its own, are a text of 200
// KB and 25 million amounts. So the product is limited by the budget's rows where there are many
// resources.
#ifndef MUSTER_SCENARIO_AMOUNTS_H_
#define MUSTER_SCENARIO_AMOUNTS_H_

#include "absl/status/status.h"
#include "lib/scenario/budget.h"
#include "muster/cluster.h"

namespace muster {

// With more resources than this, rows x resources must not pass kAmountsForRow x the most rows.
inline constexpr int64_t kFewResources = 64;
inline constexpr int64_t kAmountsForRow = 8;

// Returns ResourceExhausted, naming the sums and the limit, where the rows make more. Cost: linear
// in the rows.
absl::Status CheckAmounts(const ClusterSpec& cluster, const Budget& budget);

}  // namespace muster

#endif  // MUSTER_SCENARIO_AMOUNTS_H_
