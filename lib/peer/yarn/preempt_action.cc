// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// preempt: one round of the capacity scheduler's preemption monitor (preempt/monitor.h) over the
// cluster's rows (rows.h).
//
// A round chooses tasks of queues that hold more than they should while others wait. A task that is
// chosen for the first time is marked. It is evicted when a later cycle chooses it again, max_wait
// seconds after the mark or later. Marks of tasks that are chosen no more stay for two waits.
//
// Marks are memory: slot yarn-marks has a row for each task, with its node and the time in
// milliseconds. A mark counts while the task is on that node.
//
// Tasks that may not be preempted, and those that are not bound or do not run yet, are never
// chosen; masters come last, while those of a queue hold more than its part for them.
//
// Reservations of earlier cycles (kept.h) count as held. Those of applications that give some are
// dropped first. With `reserved`, the round also chooses tasks on nodes where that makes room for
// the reservation. With `priorities`, the round first makes room for reservations of queues below
// their guarantee, the oldest first, from queues of lower priority, whatever these hold or are
// exempt from. Priorities of siblings count below parents of ordering policy priority-utilization.
// A reservation is as old as the cycle that made it.
//
// Ties. Of an application, the task of the lowest priority goes first, and of equal ones that which
// started last; applications in the reverse of their leaf's order.
// Cost. O(rows) for the world, and the round: it sorts the containers of the applications that give
// some. A cut falls before the round, or between evictions.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/base/hash_map.h"
#include "lib/part/context.h"
#include "lib/peer/yarn/capacity/scheduler.h"
#include "lib/peer/yarn/capacity_settings.h"
#include "lib/peer/yarn/capacity_world.h"
#include "lib/peer/yarn/preempt/monitor.h"
#include "lib/peer/yarn/profile.h"

namespace muster {
namespace yarn {
namespace {

constexpr std::string_view kMarkSlot = "yarn-marks";
constexpr double kMostSeconds = 1e9;
constexpr OptionDecl kPreemptOptions[] = {
    {"calculator", OptionKind::kChoice, "dominant", 0, 0, "dominant|memory: as of heartbeat"},
    {"min_memory", OptionKind::kWhole, "1024", 1, 1e9, "as of heartbeat"},
    {"min_vcores", OptionKind::kWhole, "1", 1, 1e9, "as of heartbeat"},
    {"max_memory", OptionKind::kWhole, "0", 0, 1e9, "as of heartbeat"},
    {"max_vcores", OptionKind::kWhole, "0", 0, 1e9, "as of heartbeat"},
    {"shared_labels", OptionKind::kText, "", 0, 0, "as of heartbeat"},
    {"max_wait", OptionKind::kNumber, "15", 0, kMostSeconds,
     "seconds from the mark of a task to its eviction"},
    {"per_round", OptionKind::kNumber, "0.1", 0, 1, "part of the cluster that a round chooses"},
    {"max_ignored", OptionKind::kNumber, "0.1", 0, 1e6,
     "part of its guarantee that a queue may hold beyond it"},
    {"natural_termination", OptionKind::kNumber, "0.2", 0, 1,
     "part of what is wanted that a round chooses; the rest may end by itself"},
    {"conservative", OptionKind::kFlag, "off", 0, 0,
     "a task is chosen only while every resource is wanted"},
    {"reserved", OptionKind::kFlag, "off", 0, 0,
     "tasks are chosen on nodes with a reservation, to make room for it; what is reserved then "
     "does not count as wanted"},
    {"priorities", OptionKind::kFlag, "off", 0, 0,
     "tasks of queues of lower priority are chosen on nodes with a reservation of a queue below "
     "its guarantee, to make room for it"},
    {"priorities_delay", OptionKind::kNumber, "60", 0, kMostSeconds,
     "seconds that a reservation waits before priorities make room for it"},
    {"move_reservations", OptionKind::kFlag, "off", 0, 0,
     "such a reservation moves to another node where there is none on its own"},
    {"balance", OptionKind::kFlag, "off", 0, 0,
     "queues above their guarantee give to each other, too"},
    {"balance_max_wait", OptionKind::kNumber, "300", 0, kMostSeconds,
     "the same as max_wait for balance; 0: max_wait"},
    {"intra_queue", OptionKind::kFlag, "off", 0, 0,
     "applications of one queue give to each other, too"},
    {"intra_order", OptionKind::kChoice, "userlimit_first", 0, 0,
     "userlimit_first|priority_first: who gives within a queue"},
    {"intra_conservative", OptionKind::kFlag, "on", 0, 0, "conservative within queues"},
    {"intra_threshold", OptionKind::kNumber, "0.5", 0, 1e6,
     "part of its guarantee that a queue holds at least, for a choice within it"},
    {"intra_limit", OptionKind::kNumber, "0.2", 0, 1,
     "part of its guarantee that a round chooses within a queue"},
};

PreemptionSettings SettingsOf(const Options& options) {
  const auto milliseconds = [&](std::string_view name) {
    return static_cast<int64_t>(std::llround(options.number(name) * 1000));
  };
  const auto part = [&](std::string_view name) { return static_cast<float>(options.number(name)); };
  return {.max_wait = milliseconds("max_wait"),
          .balance_max_wait = milliseconds("balance_max_wait"),
          .per_round = part("per_round"),
          .max_ignored = options.number("max_ignored"),
          .natural_termination = options.number("natural_termination"),
          .conservative = options.flag("conservative"),
          .reserved_containers = options.flag("reserved"),
          .balances_satisfied = options.flag("balance"),
          .intra_queue = options.flag("intra_queue"),
          .user_limit_first = options.text("intra_order") == "userlimit_first",
          .intra_conservative = options.flag("intra_conservative"),
          .intra_threshold = part("intra_threshold"),
          .intra_limit = part("intra_limit"),
          .priorities = options.flag("priorities"),
          .moves_reservations = options.flag("move_reservations"),
          .reservation_delay = milliseconds("priorities_delay")};
}

class Round {
 public:
  Round(ActionContext& context, const PreemptionSettings& settings, CapacityWorld* world)
      : context_(context), world_(*world), scheduler_(*world->scheduler()), monitor_(settings) {}

  void Run() {
    LoadMarks();
    const PreemptionRound round = monitor_.Run(&scheduler_, MillisecondsOf(context_.facts.now));
    StoreMarks();
    HashMap<ContainerIndex, TaskIndex> task_of;
    for (const CapacityWorld::Held& held : world_.held()) task_of[held.container] = held.task;
    for (const ContainerIndex c : round.killed) {
      const auto task = task_of.find(c);
      if (task == task_of.end()) continue;  // a reservation, which is among those dropped
      if (context_.meter.Cut()) return;
      context_.meter.Spend();
      Evict(task->second);
    }
    for (const ContainerIndex c : round.dropped) {  // one may be listed twice
      if (scheduler_.containers()[c].is_reserved) scheduler_.DropReservation(c);
    }
    world_.Keep(*context_.facts.cycle);
  }

 private:
  ContainerId IdOf(ContainerIndex c) const { return scheduler_.containers()[c].id; }
  std::string_view NameOf(TaskIndex task) const { return context_.tables.tasks.names.name(task); }
  std::string_view NodeOf(TaskIndex task) const {
    return context_.tables.nodes.names.name(context_.ledger.node_of(task));
  }

  void LoadMarks() {
    const MemorySlot& slot = context_.facts.cycle->Recall(kMarkSlot);
    if (slot.empty()) return;
    for (const CapacityWorld::Held& held : world_.held()) {
      const std::string_view key = NameOf(held.task);
      if (slot.Find(key) == nullptr || slot.Text(key, 0) != NodeOf(held.task)) continue;
      constexpr int64_t kSeconds = std::numeric_limits<int64_t>::max();
      monitor_.Mark(
          IdOf(held.container),
          std::clamp(slot.Integer(key, 1), MillisecondsOf(-kSeconds), MillisecondsOf(kSeconds)));
    }
  }

  void StoreMarks() {
    MemorySlot slot;
    for (const CapacityWorld::Held& held : world_.held()) {
      const std::optional<int64_t> mark = monitor_.MarkOf(IdOf(held.container));
      if (mark) slot.Set(NameOf(held.task), {std::string(NodeOf(held.task)), *mark});
    }
    if (slot == context_.facts.cycle->Recall(kMarkSlot)) return;
    context_.facts.cycle->Remember(kMarkSlot) = std::move(slot);
  }

  void Evict(TaskIndex task) {
    const Ledger::Savepoint before = context_.ledger.Save();
    context_.ledger.Move(task, TaskStatus::kReleasing, context_.ledger.node_of(task));
    context_.decisions.Commit(before);
  }

  ActionContext& context_;
  CapacityWorld& world_;
  CapacityScheduler& scheduler_;
  PreemptionMonitor monitor_;
};

}  // namespace
}  // namespace yarn

ActionDecl CapacityPreemptAction() {
  ActionDecl action;
  action.name = "preempt";
  action.summary = "evicts tasks of queues that hold more than they should while others wait";
  action.options = yarn::kPreemptOptions;
  action.evicts = true;
  action.memory = yarn::DeclarationOf(yarn::kCapacitySlots);
  action.memory.push_back({yarn::kLeafSlot, 1});
  action.memory.push_back({yarn::kMarkSlot, 1});
  action.turns = {TurnKind::kCycle, TurnKind::kDecisions};
  action.check = [](const Tables& tables, const Options& options) {
    absl::StatusOr<yarn::CapacityTree> tree =
        yarn::ReadCapacitySettings(tables, options, "preempt");
    if (!tree.ok()) return tree.status();
    return yarn::CapacityScheduler::Make(std::move(tree->settings)).status();
  };
  action.run = [](ActionContext& context, const Options& options) {
    absl::StatusOr<yarn::CapacityTree> tree =
        yarn::ReadCapacitySettings(context.tables, options, "preempt");
    if (!tree.ok() || context.meter.Cut()) return;
    context.meter.Spend();
    yarn::CapacityWorld world(context.tables, context.ledger, *std::move(tree),
                              *context.facts.cycle);
    if (world.scheduler() == nullptr) return;
    yarn::Round(context, yarn::SettingsOf(options), &world).Run();
  };
  action.points = PointSet{};
  return action;
}

}  // namespace muster
