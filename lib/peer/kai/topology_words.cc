// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/kai/topology_words.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "lib/base/strings.h"
#include "lib/peer/kai/capacity_gate.h"
#include "lib/peer/kai/gpu_request.h"
#include "lib/peer/kai/node_fit.h"

namespace muster {
namespace {

constexpr absl::string_view kDefaultSubGroup = "default";
constexpr absl::string_view kNotEnough = "Not enough resources for the workload";

bool IsNamed(const KaiTopologyQuery& query) {
  return !query.sub_group.empty() && ToAbsl(query.sub_group) != kDefaultSubGroup;
}

KaiFitError DomainError(const KaiTopologyQuery& query, const KaiDomain& domain,
                        absl::string_view text) {
  const std::string prefix =
      IsNamed(query) ? absl::StrCat("subgroup ", ToAbsl(query.sub_group), ": ") : "";
  return {std::string(kNotEnough), absl::StrCat("<", domain.id, ">: ", prefix, text)};
}

// What is said of one resource that is short.
std::string Shortage(const KaiDomain& domain, std::string_view resource, size_t place,
                     double requested, double available) {
  if (place == kKaiGpuAt) {
    return absl::StrFormat("%s didn't have enough resource: GPUs, requested: %.3g, available: %.3g",
                           domain.id, requested, available);
  }
  if (place == kKaiCpuAt || place == kKaiMemoryAt) {
    const double unit = place == kKaiCpuAt ? 1e3 : 1e9;
    return absl::StrCat(
        domain.id, " didn't have enough resources: ", place == kKaiCpuAt ? "CPU cores" : "memory",
        ", requested: ", KaiHumanized(requested, unit),
        ", available: ", KaiHumanized(available, unit));
  }
  return absl::StrCat(domain.id, " didn't have enough resource: ", ToAbsl(resource),
                      ", requested: ", static_cast<int64_t>(requested),
                      ", available: ", static_cast<int64_t>(available));
}

}  // namespace

KaiFitError SchedulingError(std::string message) {
  return {"PodSchedulingErrors", std::move(message)};
}

KaiFitError TooFewPodsError(const KaiTopologyQuery& query, const KaiDomain& domain, int64_t tasks) {
  return DomainError(query, domain,
                     absl::StrCat("node-group ", domain.id, " can allocate only ",
                                  domain.allocatable_pods, " of ", tasks, " required pods"));
}

KaiFitError TooLittleFreeError(const KaiTopologyQuery& query, const KaiDomain& domain,
                               std::span<const double> requested) {
  std::vector<std::string> parts;
  for (size_t i = 0; i < requested.size(); ++i) {
    const double free = i < domain.free.size() ? domain.free[i] : 0;
    if (requested[i] <= free) continue;
    const std::string_view name =
        i < query.resources.size() ? std::string_view(query.resources[i]) : std::string_view();
    parts.push_back(Shortage(domain, i == kKaiPodsAt ? "pods" : name, i, requested[i], free));
  }
  return DomainError(query, domain, absl::StrJoin(parts, ", "));
}

std::string NoSuchLevel(const KaiTopologyQuery& query, std::string_view topology,
                        std::string_view kind, std::string_view level) {
  const std::string place = ToAbsl(query.sub_group) == kDefaultSubGroup
                                ? "workload"
                                : absl::StrCat("sub-group ", ToAbsl(query.sub_group));
  return absl::StrCat("topology constraint error: ", place, " specified '", ToAbsl(level),
                      "' as the ", ToAbsl(kind),
                      " topology constraint level, but the topology tree '", ToAbsl(topology),
                      "' does not contain a level with this name");
}

std::string NoTopologyMatch(const KaiTopologyQuery& query, std::string_view topology,
                            std::string_view suffix) {
  return absl::StrCat("topology ", ToAbsl(topology), ", requirement ", query.constraint->required,
                      " couldn't be satisfied for job <", ToAbsl(query.name_space), "/",
                      ToAbsl(query.job), ">",
                      IsNamed(query) ? absl::StrCat(", subgroup ", ToAbsl(query.sub_group)) : "",
                      suffix.empty() ? "" : absl::StrCat(": ", ToAbsl(suffix)));
}

}  // namespace muster
