// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// YARN's two schedulers; the configuration of a case names the one it is for.
#include "tests/conformance/probe/yarn.h"

#include <string>

#include "absl/status/status.h"
#include "tests/conformance/probe/probe.h"

namespace muster::testing {

absl::StatusOr<nlohmann::json> AskYarn(const nlohmann::json& request) {
  const nlohmann::json& asked = request["yarn"];
  if (asked["config"].value("scheduler", "") == "capacity") return AskYarnCapacity(asked);
  if (asked["config"].value("policy", "").ends_with("utilization")) return AskYarnQueueOrder(asked);
  return AskYarnFair(asked);
}

}  // namespace muster::testing
