// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Pods and node attributes as questions about scheduler-plugins write them.
#ifndef MUSTER_TESTS_CONFORMANCE_PROBE_PLUGIN_PODS_H_
#define MUSTER_TESTS_CONFORMANCE_PROBE_PLUGIN_PODS_H_

#include "lib/peer/scheduler_plugins/pod_view.h"
#include "lib/peer/scheduler_plugins/zone_config.h"
#include "nlohmann/json.hpp"

namespace muster::testing {

// {"containers": [{"name": NAME, "init": true, "restart": "Always", "requests": {...},
//                  "limits": {...}}], "overhead": {...}, "service": "Guaranteed"}
scheduler_plugins::PodView PluginPodOf(const nlohmann::json& row);

// {"policies": ["RestrictedPodLevel"], "attributes": [[NAME, VALUE]]}
scheduler_plugins::ZoneConfig ZoneConfigOf(const nlohmann::json& row);

// Answers a rule that reads metrics of nodes, or the pods on them; null for any other rule.
nlohmann::json AnswerPluginLoad(const nlohmann::json& op);

}  // namespace muster::testing

#endif  // MUSTER_TESTS_CONFORMANCE_PROBE_PLUGIN_PODS_H_
