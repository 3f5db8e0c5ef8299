// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// resource-strategy-fit: a strategy for each resource, and cpu and memory kept for scarce
// resources.
#include <set>
#include <string>
#include <utility>

#include "lib/reference/peer/volcano/volcano.h"

namespace muster::reference {

namespace {

// Whether a task that requests none of a resource takes the cpu or memory that the idle part of the
// resource needs.
bool BreaksReserve(const Cycle& cycle, const ReferencePolicy& policy, TaskIndex task,
                   NodeIndex node) {
  std::set<std::string> kept;
  for (const auto& [key, rate] : policy.options) {
    for (const std::string prefix : {"reserve_cpu.", "reserve_memory."}) {
      if (key.rfind(prefix, 0) == 0) kept.insert(key.substr(prefix.size()));
    }
  }
  const Row& idle = cycle.world.idle[node];
  const auto request = cycle.world.request(task);
  bool breaks = false;
  for (const std::string& name : kept) {
    const auto d = cycle.tables().dimensions.Find(name);
    if (!d) continue;
    if (OrZero(request[*d]) > 0) return false;
    if (cycle.world.capacity[node][*d] == 0) continue;
    const double unused = static_cast<double>(idle[*d]);
    const double cpu = static_cast<double>(idle[kCpu] - OrZero(request[kCpu]));
    const double memory = static_cast<double>(idle[kMemory] - OrZero(request[kMemory]));
    breaks = breaks || cpu < unused * NumberOption(policy, "reserve_cpu." + name, 1) ||
             memory < unused * NumberOption(policy, "reserve_memory." + name, 1) * 1000 * 1000;
  }
  return breaks;
}

// The option PREFIX.NAME that names the dimension most exactly, as (length, weight); length 0:
// none does.
std::pair<size_t, double> StrategyWeight(const ReferencePolicy& policy, const std::string& prefix,
                                         const std::string& dimension) {
  std::pair<size_t, double> best = {0, 0.0};
  for (const auto& [key, text] : policy.options) {
    if (key.rfind(prefix, 0) != 0) continue;
    const std::string pattern = key.substr(prefix.size());
    size_t length = 0;
    if (pattern == dimension) {
      length = dimension.size() + 1;
    } else if (pattern.back() == '*' &&
               dimension.rfind(pattern.substr(0, pattern.size() - 1), 0) == 0) {
      length = pattern.size() - 1;
    }
    const double weight = NumberOption(policy, key, 1);
    if (length > best.first) best = {length, weight > 0 ? weight : 1};
  }
  return best;
}

bool HasFamily(const ReferencePolicy& policy, const std::string& prefix) {
  const auto found = policy.options.lower_bound(prefix);
  return found != policy.options.end() && found->first.rfind(prefix, 0) == 0;
}

// One dimension that does not fit makes all of it zero.
double StrategyFit(const Cycle& cycle, const ReferencePolicy& policy, TaskIndex task,
                   NodeIndex node) {
  const bool named = HasFamily(policy, "least.") || HasFamily(policy, "most.");
  double score = 0, weights = 0;
  for (DimensionIndex d = 0; d < cycle.world.dimensions(); ++d) {
    const int64_t asked = OrZero(cycle.world.request(task)[d]);
    if (asked == 0) continue;
    const std::string name(cycle.tables().dimensions.name(d));
    auto least = StrategyWeight(policy, "least.", name);
    if (!named && !IsScalar(d)) least = {1, 1.0};
    const auto most = StrategyWeight(policy, "most.", name);
    if (least.first == 0 && most.first == 0) continue;
    const bool fill = most.first > least.first;
    const double weight = fill ? most.second : least.second;
    weights += weight;
    const int64_t capacity = cycle.world.capacity[node][d];
    if (capacity == 0) continue;
    const int64_t finally = cycle.world.used[node][d] + asked;
    if (finally > capacity) return 0;
    score += static_cast<double>(fill ? finally : capacity - finally) * weight /
             static_cast<double>(capacity);
  }
  if (weights > 0) score /= weights;
  return score * (100 * NumberOption(policy, "weight", 10));
}

double ScarceFit(const Cycle& cycle, const ReferencePolicy& policy, TaskIndex task,
                 NodeIndex node) {
  double all = 0, there = 0;
  for (DimensionIndex d = 0; d < cycle.world.dimensions(); ++d) {
    const bool asks = OrZero(cycle.world.request(task)[d]) > 0;
    if (asks && cycle.world.capacity[node][d] == 0) return 0;
  }
  for (const auto& [key, text] : policy.options) {
    if (key.rfind("scarce.", 0) != 0) continue;
    const double weight = NumberOption(policy, key, 1);
    all += weight;
    const auto d = cycle.tables().dimensions.Find(key.substr(7));
    if (d && cycle.world.capacity[node][*d] > 0) there += weight;
  }
  const double part = all > 0 ? 1 - there / all : 0;
  return part * (100 * NumberOption(policy, "scarce_weight", 0));
}

double ResourceStrategyFit(const Cycle& cycle, const ReferencePolicy& policy, TaskIndex task,
                           NodeIndex node) {
  double score = 0;
  if (NumberOption(policy, "weight", 10) > 0) score += StrategyFit(cycle, policy, task, node);
  if (NumberOption(policy, "scarce_weight", 0) > 0) score += ScarceFit(cycle, policy, task, node);
  return score;
}

std::optional<Refusal> ReserveRefusal(const Cycle& cycle, const ReferencePolicy& policy,
                                      TaskIndex task, NodeIndex node) {
  if (!BreaksReserve(cycle, policy, task, node)) return std::nullopt;
  return Refusal{.code = RefusalCode::kPolicy, .detail = {}};
}

}  // namespace

PolicyTwin ResourceStrategyFitPolicy() {
  PolicyTwin twin;
  twin.name = "resource-strategy-fit";
  twin.refuse = ReserveRefusal;
  twin.score = ResourceStrategyFit;
  return twin;
}

}  // namespace muster::reference
