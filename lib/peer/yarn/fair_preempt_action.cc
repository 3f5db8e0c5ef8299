// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// preempt: one update of the fair scheduler with its preemption (fair/update.h, fair/preempt.h)
// over the cluster's rows (rows.h).
//
// An application is starved that was below a part of its fair share, or in a leaf below its minimum
// share, for as long as the timeouts of its queue. For what it misses tasks are marked that bring
// no other application below its own share. They are evicted by the first cycle that begins
// wait_before_kill seconds after the mark or later, and action heartbeat offers their node to the
// starved application first. A cluster of which utilization_threshold or less is used has room, and
// nothing is marked.
//
// Times, marks and promises are memory (fair_kept.h). A mark counts while the task is on its node.
// Cycles may be far apart, and tasks take time to leave. So the peer's wait before the next check
// of an application is counted from the cycle that evicts for it, and from the last one in which
// such a task still leaves. A job is starved from the first cycle that knows it; its creation does
// not count.
//
// Tasks that may not be preempted, and those that are not bound or do not run yet, are never
// chosen; masters come last.
//
// Ties. As the core breaks them (fair/fair.h): of a node, the task of the newest application, and
// of one application that which started last.
// Cost. O(rows) for the world. A starved application looks at the tasks of nodes until one makes
// room, for each container that it misses. A cut falls before the update, or between evictions.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/part/context.h"
#include "lib/peer/yarn/fair_kept.h"
#include "lib/peer/yarn/fair_settings.h"
#include "lib/peer/yarn/fair_world.h"
#include "lib/peer/yarn/profile.h"

namespace muster {
namespace yarn {
namespace {

constexpr double kMostWait = 1e9;
constexpr double kMostOfAllocation = 2147483648.0;
constexpr OptionDecl kFairPreemptOptions[] = {
    {"policy", OptionKind::kChoice, "fair", 0, 0, "fair|drf|fifo: as of heartbeat"},
    {"min_memory", OptionKind::kWhole, "1024", 0, kMostOfAllocation, "as of heartbeat"},
    {"min_vcores", OptionKind::kWhole, "1", 0, kMostOfAllocation, "as of heartbeat"},
    {"max_memory", OptionKind::kWhole, "0", 0, kMostOfAllocation, "as of heartbeat"},
    {"max_vcores", OptionKind::kWhole, "0", 0, kMostOfAllocation, "as of heartbeat"},
    {"increment_memory", OptionKind::kWhole, "1024", 1, kMostOfAllocation, "as of heartbeat"},
    {"increment_vcores", OptionKind::kWhole, "1", 1, kMostOfAllocation, "as of heartbeat"},
    {"size_based_weight", OptionKind::kFlag, "off", 0, 0, "as of heartbeat"},
    {"wait_before_kill", OptionKind::kNumber, "15", 0, kMostWait,
     "seconds from the mark of a task to its eviction"},
    {"wait_before_next_check", OptionKind::kNumber, "10", 0, kMostWait,
     "seconds from evictions for an application until it may count as starved again"},
    {"utilization_threshold", OptionKind::kNumber, "0.8", 0, 1,
     "part of the cluster's memory or vcores; nothing is marked until more is used"},
    {"am_preemption", OptionKind::kFlag, "on", 0, 0, "masters may be chosen"},
};

int64_t OptionInMilliseconds(const Options& options, std::string_view name) {
  return std::llround(options.number(name) * 1000);
}

absl::StatusOr<FairTree> ReadPreemptSettings(const Tables& tables, const Options& options) {
  absl::StatusOr<FairTree> tree = ReadFairSettings(tables, options, "preempt");
  if (!tree.ok()) return tree;
  fair::Options& core = tree->options;
  core.preemption = true;
  core.preemption_utilization_threshold =
      static_cast<float>(options.number("utilization_threshold"));
  core.wait_before_kill = OptionInMilliseconds(options, "wait_before_kill");
  core.wait_before_next_check = OptionInMilliseconds(options, "wait_before_next_check");
  core.am_preemption = options.flag("am_preemption");
  return tree;
}

void RunPreempt(ActionContext& context, const Options& options) {
  absl::StatusOr<FairTree> tree = ReadPreemptSettings(context.tables, options);
  if (!tree.ok() || context.meter.Cut()) return;  // it was checked before the cycle
  context.meter.Spend();
  const Cycle& cycle = *context.facts.cycle;
  FairWorld world(context.tables, context.ledger, *std::move(tree), cycle);
  for (const TaskIndex task : world.Preempt()) {
    if (context.meter.Cut()) return;
    context.meter.Spend();
    const Ledger::Savepoint before = context.ledger.Save();
    context.ledger.Move(task, TaskStatus::kReleasing, context.ledger.node_of(task));
    context.decisions.Commit(before);
  }
  world.Keep(cycle);
}

}  // namespace
}  // namespace yarn

ActionDecl YarnFairPreemptAction() {
  ActionDecl action;
  action.name = "preempt";
  action.summary = "evicts tasks for applications that are below their share for too long";
  action.options = yarn::kFairPreemptOptions;
  action.evicts = true;
  action.memory = yarn::FairMemory();
  action.turns = {TurnKind::kCycle, TurnKind::kDecisions};
  action.check = [](const Tables& tables, const Options& options) {
    return yarn::ReadPreemptSettings(tables, options).status();
  };
  action.run = yarn::RunPreempt;
  action.points = PointSet{};
  return action;
}

}  // namespace muster
