// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/reference/peer/koordinator/load_aware.h"

#include <cmath>

#include "lib/reference/cycle.h"
#include "lib/reference/peer/koordinator/measured_load.h"
#include "muster/quantity.h"

namespace muster::reference {

namespace {

int64_t WholeOption(const ReferencePolicy& policy, const std::string& name, double otherwise) {
  return static_cast<int64_t>(NumberOption(policy, name, otherwise));
}

int64_t Expected(const Cycle& cycle, const ReferencePolicy& policy, TaskIndex task,
                 DimensionIndex d) {
  const int64_t request = OrZero(cycle.world.request(task)[d]);
  if (request == 0) return d == kCpu ? 250 : 200 * 1024 * 1024;
  const int64_t percent =
      d == kCpu ? WholeOption(policy, "cpu_factor", 85) : WholeOption(policy, "memory_factor", 70);
  return std::llround(static_cast<double>(request) * static_cast<double>(percent) / 100);
}

// With the asking task on it.
int64_t LoadThere(const Cycle& cycle, const ReferencePolicy& policy, TaskIndex task, NodeIndex node,
                  DimensionIndex d) {
  const TaskTable& tasks = cycle.tables().tasks;
  const NodeUsage& usage = *cycle.tables().nodes.spec[node].usage;
  const Quantity& percent = d == kCpu ? usage.cpu : usage.memory;
  const __int128 thousandths = ParseQuantity(percent.text, Unit::kMilli).value_or(0);
  const __int128 measured = thousandths * OrZero(cycle.tables().nodes.capacity.row(node)[d]);
  const __int128 most = __int128{1} << 53;

  LoadWorld world;
  world.time = usage.measured;
  world.interval = WholeOption(policy, "interval", 60);
  world.whole = static_cast<int64_t>(std::min(most, measured / 100'000));
  for (TaskIndex t : cycle.world.present[node]) {
    const TaskStatus status = tasks.status[t];
    const bool waited = status == TaskStatus::kPending || status == TaskStatus::kBinding ||
                        status == TaskStatus::kBound;
    const bool runs = status == TaskStatus::kRunning;
    if (!waited && !runs) continue;
    LoadWorld::Task& other = world.tasks.emplace_back();
    other.expected = Expected(cycle, policy, t, d);
    other.warm_until = world.time;
    if (status != TaskStatus::kPending && tasks.started[t] != kAbsent) {
      other.assigned = tasks.started[t];
      other.measured = 0;  // what it uses is in the node's measurement alone
    }
  }
  return static_cast<int64_t>(
      std::min<__int128>(most, __int128{LoadOf(world)} + Expected(cycle, policy, task, d)));
}

bool Measured(const Cycle& cycle, NodeIndex node) {
  return cycle.tables().nodes.spec[node].usage.has_value();
}

bool Expired(const Cycle& cycle, const ReferencePolicy& policy, NodeIndex node) {
  return cycle.now - cycle.tables().nodes.spec[node].usage->measured >=
         WholeOption(policy, "expiration", 180);
}

std::optional<Refusal> LoadRefusal(const Cycle& cycle, const ReferencePolicy& policy,
                                   TaskIndex task, NodeIndex node) {
  if (!Measured(cycle, node)) return std::nullopt;
  if (WholeOption(policy, "cpu_threshold", 65) == 0 &&
      WholeOption(policy, "memory_threshold", 95) == 0) {
    return std::nullopt;
  }
  const std::string old = TextOption(policy, "expired", "refuse");
  if (Expired(cycle, policy, node) && old == "pass") return std::nullopt;
  if (Expired(cycle, policy, node) && old == "refuse") {
    return Refusal{.code = RefusalCode::kPolicy, .detail = "load measured too long ago"};
  }
  for (DimensionIndex d : {kCpu, kMemory}) {
    const std::string name = d == kCpu ? "cpu" : "memory";
    const int64_t threshold = WholeOption(policy, name + "_threshold", d == kCpu ? 65 : 95);
    const int64_t all = OrZero(cycle.tables().nodes.allocatable.row(node)[d]);
    if (threshold == 0 || all == 0) continue;
    const double load = static_cast<double>(LoadThere(cycle, policy, task, node, d));
    if (std::round(load / static_cast<double>(all) * 100) <= static_cast<double>(threshold)) {
      continue;
    }
    return Refusal{.code = RefusalCode::kPolicy,
                   .detail = name + " load above " + std::to_string(threshold) + " %"};
  }
  return std::nullopt;
}

double MeasuredLoadScore(const Cycle& cycle, const ReferencePolicy& policy, TaskIndex task,
                         NodeIndex node) {
  if (!Measured(cycle, node) || Expired(cycle, policy, node)) return 0;
  std::vector<int64_t> free, weights;
  for (DimensionIndex d : {kCpu, kMemory}) {
    const int64_t all = OrZero(cycle.tables().nodes.allocatable.row(node)[d]);
    const int64_t load = LoadThere(cycle, policy, task, node, d);
    free.push_back(all == 0 || load > all ? 0 : (all - load) * 100 / all);
    weights.push_back(WholeOption(policy, d == kCpu ? "cpu" : "memory", 1));
  }
  const int64_t dominant = WholeOption(policy, "dominant", 0);
  const int64_t divisor = weights[0] + weights[1] + dominant;
  if (divisor == 0) return 0;
  const int64_t sum =
      free[0] * weights[0] + free[1] * weights[1] + std::min(free[0], free[1]) * dominant;
  return static_cast<double>(sum / divisor) * NumberOption(policy, "weight", 1);
}

}  // namespace

PolicyTwins KoordinatorPolicies() {
  PolicyTwin twin;
  twin.name = "load-aware";
  twin.refuse = LoadRefusal;
  twin.score = MeasuredLoadScore;
  return {twin};
}

}  // namespace muster::reference
