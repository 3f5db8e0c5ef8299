// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// heartbeat: nodes report, and each gives containers to applications, by the capacity scheduler or
// by the fair one.
//
// A whole cycle is rounds in which every node reports once, in the order of the table, until a
// round gives nothing; with shared labels, or with requests that prefer nodes, until no later one
// could give anything either. Turn Heartbeats: the named nodes report once each, in their order.
// Each container becomes a bind at once, so gangs are not kept together.
//
// What the peer gives is checked against the books, which know more than memory and vcores: limits
// of pods, and vcores where the peer compares memory alone. A container that the books refuse is
// taken back, and its node reports no more in this cycle. So a plan never overcommits a node.
//
// Memory (kept.h). The next cycle goes on with the reservations, the opportunities that were missed
// and the applications that were accepted and activated. A reservation ends with its job or node,
// or when its node admits the request no more; one of a request that is no more ends, as at the
// peer, when its node reports.
//
// Reasons. not_admitted with the peer's message where an application, or a request of it, is
// refused or not active; else no_node with the limit that stops it, or with the peer's words for
// nodes without room.
//
// Ties. As the cores break them (yarn.h, fair/fair.h).
// Cost. O(rows) for the world, and the heartbeats. Cuts fall between them.
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "lib/part/context.h"
#include "lib/peer/yarn/capacity/scheduler.h"
#include "lib/peer/yarn/capacity_settings.h"
#include "lib/peer/yarn/capacity_world.h"
#include "lib/peer/yarn/fair_kept.h"
#include "lib/peer/yarn/fair_settings.h"
#include "lib/peer/yarn/fair_world.h"
#include "lib/peer/yarn/profile.h"
#include "lib/peer/yarn/reporting.h"

namespace muster {
namespace yarn {
namespace {

class Reports {
 public:
  Reports(ActionContext& context, Reporting* scheduler)
      : context_(context), scheduler_(*scheduler), retired_(context.tables.nodes.alive.size()) {}

  void Run(const Options& options) {
    const Cycle& cycle = *context_.facts.cycle;
    if (KindOf(cycle.turn()) == TurnKind::kHeartbeats) {
      for (const muster::NodeIndex n : cycle.heartbeats()) Report(n);
    } else {
      RunRounds(static_cast<int64_t>(options.number("rounds")));
    }
    if (!context_.meter.ended()) Explain();
    scheduler_.Keep(cycle);
  }

 private:
  void RunRounds(int64_t rounds) {
    int64_t idle = 0;
    for (int64_t round = 0; round < rounds; ++round) {
      bool gave = false;
      for (muster::NodeIndex n = 0; n < retired_.size(); ++n) {
        gave |= Report(n);
        if (context_.meter.ended()) return;
      }
      idle = gave ? 0 : idle + 1;
      if (!gave && !scheduler_.MayGiveLater(idle)) return;
    }
  }

  // Returns whether the node gave a container.
  bool Report(muster::NodeIndex n) {
    if (!context_.tables.nodes.alive[n] || retired_[n] || context_.meter.Cut()) return false;
    context_.meter.Spend();
    bool gave = false;
    for (const Given& given : scheduler_.Report(n)) {
      if (Bind(given.task, n)) {
        gave = true;
        continue;
      }
      retired_[n] = true;
      Say(given.task, ReasonKind::kNoNode, "the node given by the scheduler has no room for it");
      scheduler_.TakeBack(given.container);
    }
    return gave;
  }

  bool Bind(TaskIndex task, muster::NodeIndex n) {
    const auto request = context_.ledger.request(task);
    const auto idle = context_.ledger.node(n, kIdle);
    for (DimensionIndex d = 0; d < request.size(); ++d) {
      const int64_t amount = OrZero(request[d]);
      if (amount == 0 || (d == kPods && context_.tables.nodes.allocatable.at(n, d) == kAbsent)) {
        continue;
      }
      if (amount > idle[d] || amount > context_.ledger.future_idle(n, d)) return false;
    }
    const Ledger::Savepoint before = context_.ledger.Save();
    context_.ledger.Move(task, TaskStatus::kPlaced, n);
    context_.decisions.Commit(before);
    context_.reasons.Forget(task);
    return true;
  }

  void Explain() {
    for (const Unserved& unserved : scheduler_.WhatWaits()) {
      for (const TaskIndex task : unserved.tasks) Say(task, unserved.kind, unserved.message);
    }
  }

  void Say(TaskIndex task, ReasonKind kind, const std::string& message) {
    Reason reason{kind};
    if (kind == ReasonKind::kNotAdmitted) reason.policy = "yarn";
    reason.queue = context_.QueueOf(task);
    reason.where = message;
    context_.reasons.Explain(task, std::move(reason));
  }

  ActionContext& context_;
  Reporting& scheduler_;
  std::vector<bool> retired_;  // by node: it reports no more
};

ActionDecl HeartbeatAction() {
  ActionDecl action;
  action.name = "heartbeat";
  action.summary = "nodes report, and each gives containers to applications";
  action.turns = {TurnKind::kCycle, TurnKind::kDecisions, TurnKind::kHeartbeats};
  return action;
}

}  // namespace
}  // namespace yarn

ActionDecl CapacityHeartbeatAction() {
  ActionDecl action = yarn::HeartbeatAction();
  action.options = yarn::CapacityOptionDecls();
  action.memory = yarn::DeclarationOf(yarn::kCapacitySlots);
  action.memory.push_back({yarn::kLeafSlot, 1});
  action.check = [](const Tables& tables, const Options& options) {
    absl::StatusOr<yarn::CapacityTree> tree =
        yarn::ReadCapacitySettings(tables, options, "heartbeat");
    if (!tree.ok()) return tree.status();
    return yarn::CapacityScheduler::Make(std::move(tree->settings)).status();
  };
  action.run = [](ActionContext& context, const Options& options) {
    absl::StatusOr<yarn::CapacityTree> tree =
        yarn::ReadCapacitySettings(context.tables, options, "heartbeat");
    if (!tree.ok()) return;  // it was checked before the cycle
    yarn::ReadHeartbeatOptions(options, &tree->settings);
    yarn::CapacityWorld world(context.tables, context.ledger, *std::move(tree),
                              *context.facts.cycle);
    yarn::Reports(context, &world).Run(options);
  };
  action.points = PointSet{};
  return action;
}

ActionDecl FairHeartbeatAction() {
  ActionDecl action = yarn::HeartbeatAction();
  action.options = yarn::FairOptionDecls();
  action.memory = yarn::FairMemory();
  action.check = [](const Tables& tables, const Options& options) {
    return yarn::ReadFairSettings(tables, options, "heartbeat").status();
  };
  action.run = [](ActionContext& context, const Options& options) {
    absl::StatusOr<yarn::FairTree> tree =
        yarn::ReadFairSettings(context.tables, options, "heartbeat");
    if (!tree.ok()) return;  // it was checked before the cycle
    yarn::ReadFairHeartbeatOptions(options, &tree->options);
    yarn::FairWorld world(context.tables, context.ledger, *std::move(tree), *context.facts.cycle);
    yarn::Reports(context, &world).Run(options);
  };
  action.points = PointSet{};
  return action;
}

}  // namespace muster
