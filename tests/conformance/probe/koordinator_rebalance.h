// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Parts of questions about Koordinator's descheduler, which two files answer.
#ifndef MUSTER_TESTS_CONFORMANCE_PROBE_KOORDINATOR_REBALANCE_H_
#define MUSTER_TESTS_CONFORMANCE_PROBE_KOORDINATOR_REBALANCE_H_

#include <optional>
#include <string>

#include "lib/peer/koordinator/rebalance/eviction_order.h"
#include "lib/share/resource_names.h"
#include "muster/shape.h"
#include "nlohmann/json.hpp"

namespace muster::testing {

NamedAmounts RebalanceAmounts(const nlohmann::json& amounts);  // by name, names ascending
Labels RebalanceLabels(const nlohmann::json& labels);
// {"matchLabels": {...}, "matchExpressions": [...]}; null is none.
std::optional<Selector> RebalanceSelector(const nlohmann::json& selector);
koordinator::EvictionRank RebalanceRank(const nlohmann::json& row);

// Questions about migrations, fragmentation, packing and levels of nodes; nothing for all others.
std::optional<nlohmann::json> AskMigrationOrPacking(const std::string& ask,
                                                    const nlohmann::json& in);

}  // namespace muster::testing

#endif  // MUSTER_TESTS_CONFORMANCE_PROBE_KOORDINATOR_REBALANCE_H_
