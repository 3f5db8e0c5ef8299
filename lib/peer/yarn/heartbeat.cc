// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// heartbeat: nodes report, and each gets containers.
//
// A whole cycle is rounds in which every node reports once, in the order of the table, until a
// round gives nothing. Turn Heartbeats: the named nodes report once each, in their order. Each
// container becomes a bind at once, so gangs are not kept together.
//
// What the peer gives is checked against the books, which know more than memory and vcores: limits
// of pods, and vcores under the calculator of memory. A container that the books refuse is taken
// back, and its node reports no more in this cycle. So a plan never overcommits a node.
//
// Reservations hold room until the cycle ends; the next one makes them anew. Opportunities that
// were missed are counted within a cycle.
//
// Reasons. not_admitted with the peer's message where an application, or a request of it, is
// refused or not active; else no_node with the limit that stops it: of the queue or one above it,
// or of the user; else with the peer's words for nodes without room.
//
// Ties. As the core breaks them (yarn.h).
// Cost. O(rows) for the world, and the heartbeats (capacity/assigner.h). Cuts fall between them.
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/part/context.h"
#include "lib/peer/yarn/capacity_settings.h"
#include "lib/peer/yarn/capacity_world.h"
#include "lib/peer/yarn/profile.h"

namespace muster {
namespace yarn {
namespace {

std::string TextOf(const Resource& r) {
  return absl::StrCat("<memory:", r.memory, ", vCores:", r.vcores, ">");
}

class Reports {
 public:
  Reports(ActionContext& context, CapacityTree tree)
      : context_(context),
        world_(context.tables, context.ledger, std::move(tree)),
        retired_(context.tables.nodes.alive.size()) {}

  void RunRounds(int64_t rounds) {
    for (int64_t round = 0; round < rounds; ++round) {
      bool gave = false;
      for (muster::NodeIndex n = 0; n < retired_.size(); ++n) {
        if (context_.meter.ended()) return;
        gave |= Report(n);
      }
      if (!gave) break;
    }
    Explain();
  }

  void RunTurn(std::span<const muster::NodeIndex> nodes) {
    for (const muster::NodeIndex n : nodes) Report(n);
    Explain();
  }

 private:
  // Returns whether the node got a container.
  bool Report(muster::NodeIndex n) {
    const NodeIndex node = world_.node_of(n);
    if (node == kNone || retired_[n]) return false;
    if (context_.meter.Cut()) return false;
    context_.meter.Spend();
    bool gave = false;
    const std::vector<ContainerIndex> made = world_.scheduler().Heartbeat(node);
    for (const ContainerIndex c : made) {
      const TaskIndex task = world_.Take(c);
      if (Bind(task, n)) {
        gave = true;
        continue;
      }
      retired_[n] = true;
      Reason reason{ReasonKind::kNoNode};
      reason.where = "the node given by the scheduler has no room for it";
      context_.reasons.Explain(task, std::move(reason));
      world_.scheduler().EndContainer(c);
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
    for (const auto& [task, message] : world_.refused())
      Say(task, ReasonKind::kNotAdmitted, message);
    for (const CapacityWorld::Waiting& waiting : world_.LeftOver()) {
      const auto [kind, message] = WhyWaits(waiting);
      for (const TaskIndex task : waiting.tasks) Say(task, kind, message);
    }
  }

  void Say(TaskIndex task, ReasonKind kind, const std::string& message) {
    Reason reason{kind};
    if (kind == ReasonKind::kNotAdmitted) reason.policy = "yarn";
    reason.queue = context_.QueueOf(task);
    reason.where = message;
    context_.reasons.Explain(task, std::move(reason));
  }

  std::pair<ReasonKind, std::string> WhyWaits(const CapacityWorld::Waiting& waiting) {
    CapacityScheduler& s = world_.scheduler();
    const App& app = s.apps()[waiting.app];
    if (app.state != AppState::kActive) {
      return {ReasonKind::kNotAdmitted,
              app.state == AppState::kWaiting
                  ? "the queue, or one above it, has as many parallel applications as it may"
                  : "the application is added to the scheduler and is not yet activated"};
    }
    const Calculator by = s.settings().calculator;
    // What the root has is the cluster.
    for (QueueIndex q = app.queue; q != 0; q = s.queues()[q].parent) {
      const Queue& queue = s.queues()[q];
      const Resource with = queue.usage[kDefaultPartition].used + waiting.size;
      const Resource& most = queue.capacity[kDefaultPartition].most;
      if (FitsIn(by, with, most)) continue;
      return {ReasonKind::kNoNode,
              absl::StrCat("queue \"", queue.settings.path,
                           "\" would exceed its maximum: ", TextOf(with), " of ", TextOf(most))};
    }
    const Resource limit = s.UserLimit(app.queue, app.user, kDefaultPartition, true);
    const User* user = s.leaves()[app.queue].users.Find(app.user);
    if (user != nullptr && Greater(by, s.cluster(), user->used[kDefaultPartition], limit)) {
      return {ReasonKind::kNoNode,
              absl::StrCat("user \"", std::string(s.UserName(app.user)), "\" is above its limit: ",
                           TextOf(user->used[kDefaultPartition]), " of ", TextOf(limit))};
    }
    return {ReasonKind::kNoNode,
            absl::StrCat("no node that reported has room for ", TextOf(waiting.size))};
  }

  ActionContext& context_;
  CapacityWorld world_;
  std::vector<bool> retired_;  // by node: it reports no more
};

void RunHeartbeats(ActionContext& context, const Options& options) {
  absl::StatusOr<CapacityTree> tree = ReadCapacitySettings(context.tables, options);
  if (!tree.ok()) return;  // it was checked before the cycle
  Reports reports(context, *std::move(tree));
  if (KindOf(context.facts.cycle->turn()) == TurnKind::kHeartbeats) {
    reports.RunTurn(context.facts.cycle->heartbeats());
  } else {
    reports.RunRounds(static_cast<int64_t>(options.number("rounds")));
  }
}

}  // namespace
}  // namespace yarn

ActionDecl CapacityHeartbeatAction() {
  ActionDecl action;
  action.name = "heartbeat";
  action.summary = "nodes report, and each gives containers to applications";
  action.options = yarn::CapacityOptionDecls();
  action.run = yarn::RunHeartbeats;
  action.turns = {TurnKind::kCycle, TurnKind::kDecisions, TurnKind::kHeartbeats};
  action.check = [](const Tables& tables, const Options& options) {
    return yarn::ReadCapacitySettings(tables, options).status();
  };
  return action;
}

}  // namespace muster
