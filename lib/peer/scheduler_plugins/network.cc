// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/scheduler_plugins/network.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace muster::scheduler_plugins {
namespace {

constexpr int64_t kSameZoneCost = 1;
constexpr int64_t kUnknownCost = 100;

// Adds one placed pod that the node's pod would depend on.
void AddDependency(const NetworkNode& node, const NetworkNode& other, int64_t most_cost,
                   const NetworkCosts& costs, NetworkAnswer* answer) {
  if (node.name == other.name) {
    ++answer->satisfied;
    return;
  }
  if (other.region.empty() && other.zone.empty()) {
    ++answer->violated;
    answer->cost += kUnknownCost;
    return;
  }
  const bool same_region = node.region == other.region;
  if (same_region && node.zone == other.zone) {
    ++answer->satisfied;
    answer->cost += kSameZoneCost;
    return;
  }
  const std::optional<int64_t> cost = same_region ? costs.OfZones(node.zone, other.zone)
                                                  : costs.OfRegions(node.region, other.region);
  if (cost.has_value()) ++(*cost <= most_cost ? answer->satisfied : answer->violated);
  answer->cost += cost.value_or(kUnknownCost);
}

}  // namespace

void NetworkCosts::SetZones(std::string origin, std::string destination, int64_t cost) {
  zones_[{std::move(origin), std::move(destination)}] = cost;
}
void NetworkCosts::SetRegions(std::string origin, std::string destination, int64_t cost) {
  regions_[{std::move(origin), std::move(destination)}] = cost;
}
std::optional<int64_t> NetworkCosts::OfZones(const std::string& origin,
                                             const std::string& destination) const {
  const auto at = zones_.find({origin, destination});
  return at == zones_.end() ? std::nullopt : std::optional<int64_t>(at->second);
}
std::optional<int64_t> NetworkCosts::OfRegions(const std::string& origin,
                                               const std::string& destination) const {
  const auto at = regions_.find({origin, destination});
  return at == regions_.end() ? std::nullopt : std::optional<int64_t>(at->second);
}

NetworkAnswer NetworkCostOf(const NetworkNode& node, std::span<const Dependency> dependencies,
                            std::span<const PlacedPod> pods, const NetworkCosts& costs) {
  NetworkAnswer answer;
  for (const PlacedPod& pod : pods) {
    for (const Dependency& dependency : dependencies) {
      if (dependency.workload != pod.workload) continue;
      AddDependency(node, pod.node, dependency.most_cost, costs, &answer);
    }
  }
  return answer;
}

std::string NetworkReason(const NetworkNode& node, const NetworkAnswer& answer) {
  return absl::StrCat("Node ", node.name,
                      " does not meet several network requirements from Workload dependencies: ",
                      "Satisfied: ", answer.satisfied, " Violated: ", answer.violated);
}

int64_t PlaceOf(std::string_view workload, std::span<const WorkloadPlace> order) {
  const auto at = std::lower_bound(
      order.begin(), order.end(), workload,
      [](const WorkloadPlace& listed, std::string_view name) { return listed.workload < name; });
  return at == order.end() || at->workload != workload ? -1 : at->place;
}

bool IsBeforeByTopology(const AppPod& a, const AppPod& b, std::span<const WorkloadPlace> order) {
  if (a.application.empty() || a.application != b.application) {
    return a.priority != b.priority ? a.priority > b.priority : a.queued < b.queued;
  }
  return PlaceOf(a.workload, order) <= PlaceOf(b.workload, order);
}

}  // namespace muster::scheduler_plugins
