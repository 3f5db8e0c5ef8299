// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// CPUs of their own for tasks: which tasks get some, by which policy, and whether a node has room.
#include "lib/peer/koordinator/cpu/cpu_binding.h"

#include <string>
#include <vector>

#include "tests/conformance/probe/koordinator_cpu.h"
#include "tests/conformance/probe/probe.h"

namespace muster::testing {
namespace {

using nlohmann::json;

std::string NameOfBindPolicy(BindPolicy policy) {
  if (policy == BindPolicy::kDefault) return "Default";
  if (policy == BindPolicy::kFullCores) return "FullPCPUs";
  return policy == BindPolicy::kSpread ? "SpreadByPCPUs" : "";
}

json AskZoneFree(const json& asked) {
  // Resource 0 is cpu.
  std::vector<std::string> names = {"cpu"};
  const auto amounts = [&names](const json& object) {
    Sparse sparse;
    for (const auto& [name, amount] : object.items()) {
      size_t r = 0;
      while (r < names.size() && names[r] != name) ++r;
      if (r == names.size()) names.push_back(name);
      sparse.Set(r, amount.get<int64_t>());
    }
    return sparse;
  };
  ZoneRoom zone{.total = amounts(asked["total"]),
                .reusable = amounts(asked["reusable"]),
                .bound = asked["bound"]};
  if (asked.contains("allocated")) zone.allocated = amounts(asked["allocated"]);
  const ZoneFree free = FreeOfZone(zone, 0, asked["ratio"]);
  const auto named = [&names](const Sparse& sparse) {
    json object = json::object();
    ForEachResource(sparse.keys(), [&](size_t r) { object[names[r]] = sparse.at(r); });
    return object;
  };
  return {{"available", named(free.available)},
          {"allocated", free.allocated.has_value() ? named(*free.allocated) : json()}};
}

json AskCpuNode(const json& asked) {
  const CpuNeed need = CpuNeedOf(asked);
  const NodeBinding binding =
      BindingOnNode(need, NodeCpuBindingOf(asked), asked.value("threads", int64_t{1}));
  return {{"binds", binding.binds},
          {"required", binding.required},
          {"refused", binding.refusal != BindRefusal::kNone},
          {"amplified", FitsAmplified(need.milli, binding.binds,
                                      {.capacity = asked["capacity"],
                                       .requested = asked["requested"],
                                       .bound = asked["bound"],
                                       .ratio = asked["ratio"]})}};
}

}  // namespace

absl::StatusOr<json> AskCpuBinding(const json& request) {
  const json& asked = request["cpu_binding"];
  const std::string ask = asked["ask"];
  if (ask == "need") {
    const CpuNeed need = CpuNeedOf(asked);
    return json{{"binds", need.binds},
                {"cpus", need.cpus},
                {"required", NameOfBindPolicy(need.required)},
                {"preferred", NameOfBindPolicy(need.preferred)},
                {"refused", need.refusal != BindRefusal::kNone}};
  }
  if (ask == "policy") {
    const NodeBinding binding = PolicyOnNode(
        BindPolicyOf(asked["required"]), BindPolicyOf(asked["preferred"]), NodeCpuBindingOf(asked));
    return json{{"policy", NameOfBindPolicy(binding.policy)}, {"required", binding.required}};
  }
  if (ask == "spec") {
    const NodeBinding binding = PolicyOnNode(
        BindPolicyOf(asked["required"]), BindPolicyOf(asked["preferred"]), NodeCpuBindingOf(asked));
    const SpecPolicies written =
        PoliciesToWrite({.required = BindPolicyOf(asked["spec_required"]),
                         .preferred = BindPolicyOf(asked["spec_preferred"])},
                        binding);
    return json{{"required", NameOfBindPolicy(written.required)},
                {"preferred", NameOfBindPolicy(written.preferred)}};
  }
  if (ask == "zones") {
    const std::optional<std::string> policy =
        ZonePolicyOf(asked["node"].get<std::string>(), asked["task"].get<std::string>());
    return policy.has_value() ? json(*policy) : json();
  }
  if (ask == "free") return AskZoneFree(asked);
  if (ask == "node") return AskCpuNode(asked);
  return absl::InvalidArgumentError("cpu_binding: no such question: " + ask);
}

}  // namespace muster::testing
