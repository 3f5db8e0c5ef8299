// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// How busy a node is: what was measured, and a guess for every task that the measurement cannot
// have seen. Guesses are made one task after the other, since a busy node raises them: first for
// tasks that were there when the cycle began, then for those placed in it.
#include <algorithm>

#include "lib/reference/peer/volcano/volcano.h"
#include "muster/quantity.h"

namespace muster::reference {

namespace {

constexpr int64_t kStale = 5 * 60;

struct Pair {
  double cpu = 0, memory = 0;
};

double Number(const Quantity& quantity) {
  return static_cast<double>(ParseQuantity(quantity.text, Unit::kMilli).value_or(0)) / 1000;
}

bool Unseen(const Cycle& cycle, const ReferencePolicy& policy, TaskIndex task) {
  const TaskTable& tasks = cycle.tables().tasks;
  if (tasks.status[task] == TaskStatus::kBound || tasks.status[task] == TaskStatus::kBinding) {
    return true;
  }
  if (tasks.status[task] != TaskStatus::kRunning) return false;
  if (tasks.started[task] == kAbsent) return true;
  return cycle.now - tasks.started[task] <
         static_cast<int64_t>(NumberOption(policy, "interval", 30));
}

double Part(double percent, double guess, int64_t capacity) {
  if (capacity <= 0) return 0;
  const double whole = static_cast<double>(capacity);
  const double part = (percent / 100.0 * whole + guess) / whole;
  return part > 1 ? 1 : part;
}

Pair Parts(const Cycle& cycle, const NodeUsage& usage, const Pair& guess, NodeIndex node) {
  const auto capacity = cycle.tables().nodes.capacity.row(node);
  return {Part(Number(usage.cpu), guess.cpu, OrZero(capacity[kCpu])),
          Part(Number(usage.memory), guess.memory, OrZero(capacity[kMemory]))};
}

double Guess(const Cycle& cycle, const ReferencePolicy& policy, TaskIndex task, DimensionIndex d,
             double risk) {
  if (cycle.world.best_effort(task)) {
    return risk * (d == kCpu ? NumberOption(policy, "best_effort_cpu", 250)
                             : NumberOption(policy, "best_effort_memory", 209715200));
  }
  const double asked = static_cast<double>(OrZero(cycle.world.request(task)[d]));
  return std::min(asked, asked * NumberOption(policy, "request_ratio", 0.7) * risk);
}

const NodeUsage* FreshUsage(const Cycle& cycle, NodeIndex node) {
  const auto& usage = cycle.tables().nodes.spec[node].usage;
  return usage && cycle.now - usage->measured <= kStale ? &*usage : nullptr;
}

bool TooBusy(const Cycle& cycle, const ReferencePolicy& policy, NodeIndex node) {
  const NodeUsage* usage = FreshUsage(cycle, node);
  return usage != nullptr && (Number(usage->cpu) > NumberOption(policy, "cpu_threshold", 80) ||
                              Number(usage->memory) > NumberOption(policy, "memory_threshold", 80));
}

std::optional<Refusal> BusyRefusal(const Cycle& cycle, const ReferencePolicy& policy, TaskIndex,
                                   NodeIndex node) {
  if (!TooBusy(cycle, policy, node)) return std::nullopt;
  return Refusal{.code = RefusalCode::kPolicy, .detail = {}};
}

double UsageScore(const Cycle& cycle, const ReferencePolicy& policy, TaskIndex, NodeIndex node) {
  const NodeUsage* usage = FreshUsage(cycle, node);
  const double of_cpu = NumberOption(policy, "cpu", 1);
  const double of_memory = NumberOption(policy, "memory", 1);
  if (usage == nullptr || of_cpu + of_memory == 0) return 0;

  std::vector<TaskIndex> unseen, placed;
  for (TaskIndex t : cycle.world.present[node]) {
    if (cycle.tables().tasks.status[t] == TaskStatus::kPending) {
      placed.push_back(t);
    } else if (Unseen(cycle, policy, t)) {
      unseen.push_back(t);
    }
  }
  unseen.insert(unseen.end(), placed.begin(), placed.end());
  Pair guess;
  for (TaskIndex t : unseen) {
    const Pair parts = Parts(cycle, *usage, guess, node);
    const double load = (parts.cpu * of_cpu + parts.memory * of_memory) / (of_cpu + of_memory);
    const bool risky = load >= NumberOption(policy, "risk_threshold", 0.6);
    const double risk = risky ? NumberOption(policy, "risk_factor", 1.2) : 1;
    guess.cpu += Guess(cycle, policy, t, kCpu, risk);
    guess.memory += Guess(cycle, policy, t, kMemory, risk);
  }
  const Pair parts = Parts(cycle, *usage, guess, node);
  const double left = (1 - parts.cpu) * of_cpu + (1 - parts.memory) * of_memory;
  return left / (of_cpu + of_memory) * 100 * NumberOption(policy, "weight", 5);
}

}  // namespace

PolicyTwin UsagePolicy() {
  PolicyTwin twin;
  twin.name = "usage";
  twin.refuse = BusyRefusal;
  twin.score = UsageScore;
  return twin;
}

}  // namespace muster::reference
