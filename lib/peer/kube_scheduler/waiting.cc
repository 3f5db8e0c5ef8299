// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Pods that have a node and may not be bound yet, because a plug-in lets them wait.
//
// A waiting pod holds its node in the scheduler's view and in the books. It leaves this state in
// one of three ways:
// - Another pod's permission allows it: it is bound.
// - It is rejected, or its time is up. If this plan reserved its node, it is a pod that failed. If
//   an earlier plan did, it is evicted, and comes back once its end is reported.
// - The plan ends: a reservation is decided.
// Pods that were rejected in a plan, and the one that caused that, are not tried again in it: the
// clock stands still, and they would take the same nodes for ever.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/peer/kube_scheduler/scheduler.h"

namespace muster::kube {

void Scheduler::FindWaiting() {
  Rejection late;
  const TaskTable& tasks = tables_.tasks;
  for (TaskIndex t = 0; t < tasks.alive.size(); ++t) {
    if (!tasks.alive[t] || tasks.status[t] != TaskStatus::kWaiting) continue;
    if (world_.node_of(t) == kNone) continue;
    Waiting& waiting = waiting_[t];
    waiting.node = tasks.node[t];
    waiting.until = tasks.waits_until[t];
    const bool is_late = waiting.until != kAbsent && waiting.until <= now_;
    if (is_late || extra_->HasLostPlace(t)) late.rejected.push_back(t);
  }
  RejectWaiting(late);
  for (const auto& [t, waiting] : waiting_) {
    queue_.Happen({.kind = Happened::kPodStillWaits, .task = t});
  }
}

std::unique_ptr<Entity> Scheduler::NextOfTurn() {
  for (;;) {
    const PodTurn turn = extra_->NextOfTurn();
    if (turn.has_ended) {
      RejectWaiting(turn.rejection);
      for (const TaskIndex t : turn.parked) queue_.Park(tables_.tasks.names.name(t));
    }
    if (turn.next == kNone) return nullptr;
    std::unique_ptr<Entity> entity = queue_.Take(tables_.tasks.names.name(turn.next));
    if (entity != nullptr) return entity;
  }
}

// Gates of the pods themselves have a reason of their own.
void Scheduler::ExplainGates() {
  constexpr std::string_view kLacksPods =
      "waiting for minCount pods from a gang to appear in scheduling queue";
  for (const auto& entity : queue_.entities()) {
    if (entity->gate == Plugin::kNone) continue;
    const Members& members = entity->members;
    // Gates of those that came later are not known.
    const bool lacks_pods = std::any_of(members.begin(), members.end(), [](const Member& member) {
      return member.gate == Plugin::kGangScheduling;
    });
    for (const Member& member : members) {
      const TaskIndex t = member.task;
      if (t == kNone || unplaced_.contains(t)) continue;
      if (entity->gate >= Plugin::kExtra) {
        unplaced_[t] = {extra_->WhyGated(t), {}};
      } else if (lacks_pods && (tables_.tasks.flags[t] & kTaskGated) == 0) {
        unplaced_[t] = {std::string(kLacksPods), {}};
      }
    }
  }
}

void Scheduler::PlaceOrWait(std::unique_ptr<Entity> entity, NodeIndex n) {
  const TaskIndex t = entity->members[0].task;
  extra_->Reserve(t, n);
  Permission permission = extra_->Permit(t);
  if (permission.code == Permission::Code::kRefuse) {
    Refuse(std::move(entity), permission);
    return;
  }
  // A pod that this plan nominated has one place now.
  if (!entity->members[0].nominated.empty()) made_.push_back({Made::Kind::kWithdraw, t});
  if (permission.code == Permission::Code::kAllow) {
    Place(t, n);
    for (const TaskIndex allowed : permission.allowed) Allow(allowed);
    RerankAll();
    return;
  }
  world_.Add(t, n, now_);
  images_.Forget(tables_.nodes.names.name(n));
  nominations_.Clear(t);
  made_.push_back({Made::Kind::kWait, t, n});
  unplaced_.erase(t);
  waiting_[t] = {n, permission.until, std::move(permission.group), std::move(entity)};
  for (const TaskIndex sibling : permission.activated) {
    queue_.Activate(tables_.tasks.names.name(sibling));
  }
  RerankAll();
}

void Scheduler::Allow(TaskIndex t) {
  const auto it = waiting_.find(t);
  if (it == waiting_.end()) return;
  const NodeIndex n = it->second.node;
  if (it->second.entity != nullptr) told_now_.push_back(t);
  waiting_.erase(it);
  Bound(t, n);
}

void Scheduler::Refuse(std::unique_ptr<Entity> entity, const Permission& permission) {
  const TaskIndex t = entity->members[0].task;
  const Rejection rejection = extra_->Unreserve(t);
  DropNomination(entity.get());
  PluginSet rejectors;
  rejectors.Add(permission.plugin);
  unplaced_[t] = {absl::StrCat("0/1 nodes are available: 1 ", permission.message, "."), {}};
  queue_.Fail(std::move(entity), rejectors);
  RejectWaiting(rejection);
}

// A pod that had a node and lost it is nominated no more.
void Scheduler::DropNomination(Entity* entity) {
  Member& member = entity->members[0];
  nominations_.Clear(member.task);
  if (member.nominated.empty()) return;
  member.nominated.clear();
  made_.push_back({Made::Kind::kWithdraw, member.task});
}

void Scheduler::RejectWaiting(const Rejection& rejection) {
  std::vector<std::pair<TaskIndex, std::string>> list;
  HashSet<TaskIndex> listed;
  const auto add = [&](const Rejection& some) {
    for (const TaskIndex t : some.rejected) {
      if (waiting_.contains(t) && listed.insert(t).second) list.emplace_back(t, some.why);
    }
  };
  add(rejection);
  for (size_t i = 0; i < list.size(); ++i) {
    const auto it = waiting_.find(list[i].first);
    Waiting waiting = std::move(it->second);
    waiting_.erase(it);
    const auto [t, why] = list[i];
    const Rejection more = extra_->Unreserve(t);
    Withdraw(t, std::move(waiting), why);
    add(more);
  }
  RerankAll();
}

void Scheduler::Withdraw(TaskIndex t, Waiting waiting, const std::string& why) {
  images_.Forget(tables_.nodes.names.name(waiting.node));
  if (waiting.entity == nullptr) {
    made_.push_back({Made::Kind::kEvict, t, waiting.node});
    world_.SetLeaving(t, Leaving::kTerminating);
    return;
  }
  const std::string name = waiting.entity->name;
  made_.push_back({Made::Kind::kGiveUp, t, waiting.node});
  DropNomination(waiting.entity.get());
  world_.Remove(t);
  PluginSet rejectors;
  rejectors.Add(Plugin::kExtra);
  unplaced_[t] = {absl::StrCat("0/1 nodes are available: 1 ", why, "."), {}};
  queue_.Fail(std::move(waiting.entity), rejectors);
  queue_.Park(name);
  const TaskShape& shape = classes_.shape(tables_.tasks.task_class[t]);
  queue_.Happen({.kind = Happened::kPodDeleted, .old_pod = &shape});
}

void Scheduler::RerankAll() {
  for (const TaskIndex t : extra_->Reranked()) queue_.Rerank(tables_.tasks.names.name(t));
}

void Scheduler::ReserveWaiting() {
  ExplainGates();
  for (const auto& [t, waiting] : waiting_) {
    if (waiting.entity == nullptr) continue;
    told_now_.push_back(t);
    made_.push_back({.kind = Made::Kind::kReserve,
                     .task = t,
                     .node = waiting.node,
                     .until = waiting.until,
                     .group = waiting.group});
  }
}

}  // namespace muster::kube
