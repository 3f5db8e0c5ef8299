// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#ifndef MUSTER_TESTS_CONFORMANCE_PROBE_YARN_H_
#define MUSTER_TESTS_CONFORMANCE_PROBE_YARN_H_

#include "absl/status/statusor.h"
#include "nlohmann/json.hpp"

namespace muster::testing {

// The capacity scheduler and its preemption: a cluster event by event.
absl::StatusOr<nlohmann::json> AskYarnCapacity(const nlohmann::json& asked);
// The names of sibling queues in the capacity scheduler's order.
absl::StatusOr<nlohmann::json> AskYarnQueueOrder(const nlohmann::json& asked);
// The fair scheduler: a cluster event by event, or a single rule.
absl::StatusOr<nlohmann::json> AskYarnFair(const nlohmann::json& asked);

}  // namespace muster::testing

#endif  // MUSTER_TESTS_CONFORMANCE_PROBE_YARN_H_
