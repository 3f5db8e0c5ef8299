// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Koordinator's names of CPU policies, as questions to the probe have them.
#ifndef MUSTER_TESTS_CONFORMANCE_PROBE_KOORDINATOR_CPU_H_
#define MUSTER_TESTS_CONFORMANCE_PROBE_KOORDINATOR_CPU_H_

#include <string>

#include "lib/peer/koordinator/cpu/cpu_binding.h"
#include "lib/peer/koordinator/device/cpu_accumulator.h"
#include "nlohmann/json.hpp"

namespace muster::testing {

inline BindPolicy BindPolicyOf(const std::string& name) {
  if (name.empty()) return BindPolicy::kUnset;
  if (name == "Default") return BindPolicy::kDefault;
  if (name == "FullPCPUs") return BindPolicy::kFullCores;
  return name == "SpreadByPCPUs" ? BindPolicy::kSpread : BindPolicy::kOther;
}

// {"label": ..., "kubelet": true: full cores}
inline NodeCpuBinding NodeCpuBindingOf(const nlohmann::json& asked) {
  const std::string label = asked.value("label", "");
  const NodeCpuBinding binding = label == "FullPCPUsOnly"   ? NodeCpuBinding::kFullCores
                                 : label == "SpreadByPCPUs" ? NodeCpuBinding::kSpread
                                                            : NodeCpuBinding::kNone;
  return BindingOfNode(binding, asked.value("kubelet", false));
}

inline CpuExclusive CpuExclusiveOf(const nlohmann::json& asked) {
  const std::string name = asked.value("exclusive", "");
  return name == "PCPULevel"       ? CpuExclusive::kCore
         : name == "NUMANodeLevel" ? CpuExclusive::kZone
                                   : CpuExclusive::kNone;
}

inline CpuNeed CpuNeedOf(const nlohmann::json& asked) {
  return NeedOfTask({.strict = asked["strict"],
                     .required = BindPolicyOf(asked["required"]),
                     .preferred = BindPolicyOf(asked["preferred"]),
                     .milli = asked["milli"]},
                    BindPolicyOf(asked["fallback"]));
}

}  // namespace muster::testing

#endif  // MUSTER_TESTS_CONFORMANCE_PROBE_KOORDINATOR_CPU_H_
