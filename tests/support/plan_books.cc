// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "tests/support/plan_books.h"

#include <algorithm>

#include "lib/ledger/status_table.h"

namespace muster::testing {

namespace {

// What a task counts for, from the table that the engine's ledger charges by.
bool HoldsNow(TaskStatus status) { return kStatusTable[status].used > 0; }
// Also once all that leaves is gone; a nominated task then has its room.
bool HoldsLater(TaskStatus status) {
  const StatusRow& row = kStatusTable[status];
  return row.used - row.releasing + row.pipelined > 0;
}
bool IsChargedToQueue(TaskStatus status) { return kStatusTable[status].allocated > 0; }

}  // namespace

bool PlanBooks::GivesPlace(DecisionKind kind) {
  return kind == DecisionKind::kBind || kind == DecisionKind::kNominate ||
         kind == DecisionKind::kReserve || kind == DecisionKind::kMove;
}

bool PlanBooks::Holds(const Tables& tables, const Decision& d) {
  return tables.tasks.status[d.task] == TaskStatus::kWaiting && tables.tasks.node[d.task] == d.node;
}

PlanBooks::PlanBooks(const Tables& tables, const Plan& plan)
    : tables_(tables), plan_(plan), dims_(tables.dimension_count()) {
  for (const Decision& d : plan.decisions()) {
    if (d.kind == DecisionKind::kEvict || d.kind == DecisionKind::kMove) Leave(d.task);
    if (!GivesPlace(d.kind) || Holds(tables, d)) continue;
    places_.insert_or_assign(d.task, d.node);
    const bool later = d.kind == DecisionKind::kMove ? plan.moves()[d.index].nominated
                                                     : d.kind == DecisionKind::kNominate;
    (later ? nominated_ : bound_).emplace_back(d.task, d.node);
  }
}

// A task that the plan bound is on its node until it is gone; one that it nominated never came.
void PlanBooks::Leave(TaskIndex task) {
  if (places_.erase(task) == 0) {
    evicted_.insert(task);
    return;
  }
  const auto of_task = [task](const auto& place) { return place.first == task; };
  const auto bound = std::find_if(bound_.begin(), bound_.end(), of_task);
  if (bound != bound_.end()) {
    passing_.insert(*bound);
    bound_.erase(bound);
  }
  std::erase_if(nominated_, of_task);
}

void PlanBooks::Add(Row& row, TaskIndex t, int sign) const {
  row.resize(dims_, 0);
  const auto request = tables_.classes.request.row(tables_.tasks.task_class[t]);
  for (DimensionIndex d = 0; d < dims_; ++d) row[d] += sign * absl::int128(request[d]);
}

bool PlanBooks::IsBelow(QueueIndex q, QueueIndex ancestor) const {
  while (q != kNone && q != ancestor) q = tables_.queues.parent[q];
  return q == ancestor;
}

int64_t PlanBooks::StandingTasks(JobIndex job) const {
  return std::count_if(
      tables_.jobs.tasks[job].begin(), tables_.jobs.tasks[job].end(),
      [&](TaskIndex t) { return IsAllocated(tables_.tasks.status[t]) && !is_evicted(t); });
}

std::map<QueueIndex, PlanBooks::Row> PlanBooks::HeldByQueues(bool after) const {
  std::map<QueueIndex, Row> held;
  for (const QueueShare& share : plan_.shares()) held[share.queue].resize(dims_, 0);
  const auto charge = [&](TaskIndex t, int sign) {
    const JobIndex job = tables_.tasks.job[t];
    if (job != kNone) Add(held[tables_.jobs.queue[job]], t, sign);
  };
  for (TaskIndex t = 0; t < tables_.tasks.alive.size(); ++t) {
    const TaskStatus status = tables_.tasks.status[t];
    if (tables_.tasks.alive[t] && IsChargedToQueue(status)) charge(t, 1);
  }
  if (!after) return held;
  for (const auto& [task, node] : places_) charge(task, 1);
  for (const Tentative& t : plan_.tentative()) charge(t.task, 1);
  for (TaskIndex t : evicted_) charge(t, -1);
  return held;
}

PlanBooks::Held PlanBooks::HeldWithAllBelow() const {
  Held held;
  const auto charge = [&](TaskIndex t) {
    if (tables_.tasks.job[t] == kNone) return;
    for (QueueIndex q = tables_.jobs.queue[tables_.tasks.job[t]]; q != kNone;
         q = tables_.queues.parent[q]) {
      Add(held.amounts[q], t, 1);
      if (gets_place(t)) held.grew.insert(q);
    }
  };
  for (TaskIndex t = 0; t < tables_.tasks.alive.size(); ++t) {
    const bool there = IsAllocated(tables_.tasks.status[t]) && !is_evicted(t);
    if (tables_.tasks.alive[t] && (there || gets_place(t))) charge(t);
  }
  return held;
}

PlanBooks::Left PlanBooks::LeftOnNodes() const {
  Left left;
  for (NodeIndex n = 0; n < tables_.nodes.alive.size(); ++n) {
    const auto has = tables_.nodes.allocatable.row(n);
    Row& row = left.now[n];
    for (DimensionIndex d = 0; d < dims_; ++d) row.push_back(has[d] == kAbsent ? 0 : has[d]);
  }
  left.later = left.now;
  for (TaskIndex t = 0; t < tables_.tasks.alive.size(); ++t) {
    const NodeIndex n = tables_.tasks.node[t];
    if (!tables_.tasks.alive[t] || n == kNone) continue;
    const TaskStatus status = tables_.tasks.status[t];
    if (HoldsNow(status)) Add(left.now[n], t, -1);
    if (HoldsLater(status) && !is_evicted(t)) Add(left.later[n], t, -1);
  }
  for (const auto& [task, node] : bound_) {
    Add(left.now[node], task, -1);
    Add(left.later[node], task, -1);
  }
  for (const auto& [task, node] : passing_) Add(left.now[node], task, -1);
  for (const auto& [task, node] : nominated_) Add(left.later[node], task, -1);
  return left;
}

bool PlanBooks::HasRoomBeside(size_t eviction) const {
  const Decision& kept = plan_.decisions()[eviction];
  const JobIndex winner = tables_.tasks.job[kept.beneficiary];
  std::set<TaskIndex> gone;
  for (size_t i = 0; i < plan_.decisions().size(); ++i) {
    const Decision& d = plan_.decisions()[i];
    if (d.kind != DecisionKind::kEvict || i == eviction) continue;
    const bool same = d.beneficiary != kNone && tables_.tasks.job[d.beneficiary] == winner;
    if (i < eviction || same) gone.insert(d.task);
  }
  Row room, to_start(dims_, 0);
  for (int64_t has : tables_.nodes.allocatable.row(kept.node)) room.push_back(OrZero(has));
  for (TaskIndex t = 0; t < tables_.tasks.alive.size(); ++t) {
    const TaskStatus status = tables_.tasks.status[t];
    if (!tables_.tasks.alive[t] || tables_.tasks.node[t] != kept.node) continue;
    const bool stays = HoldsNow(status) && HoldsLater(status);
    if (stays && gone.count(t) == 0) Add(room, t, -1);
  }
  for (const auto& [task, node] : places_) {
    if (node != kept.node) continue;
    Add(room, task, -1);
    const ClassIndex c = tables_.tasks.task_class[task];
    for (DimensionIndex d = 0; d < dims_; ++d) {
      to_start[d] = std::max(to_start[d], absl::int128(tables_.classes.initial_request.row(c)[d]) -
                                              tables_.classes.request.row(c)[d]);
    }
  }
  for (DimensionIndex d = 0; d < dims_; ++d) {
    const bool limited = d != kPods || tables_.nodes.allocatable.at(kept.node, d) != kAbsent;
    if (limited && room[d] < to_start[d]) return false;
  }
  return true;
}

std::map<QueueIndex, PlanBooks::Claim> PlanBooks::Claims() const {
  std::map<QueueIndex, Claim> claims;
  for (const QueueShare& share : plan_.shares()) claims[share.queue].own.assign(dims_, 0);
  for (TaskIndex t = 0; t < tables_.tasks.alive.size(); ++t) {
    const TaskStatus status = tables_.tasks.status[t];
    if (!tables_.tasks.alive[t] || tables_.tasks.job[t] == kNone || is_evicted(t)) continue;
    if (!IsAllocated(status) && status != TaskStatus::kPending) continue;
    Add(claims[tables_.jobs.queue[tables_.tasks.job[t]]].own, t, 1);
  }
  for (const QueueShare& share : plan_.shares()) {
    if (tables_.queues.parent[share.queue] == kNone) SumClaims(share.queue, claims);
  }
  return claims;
}

void PlanBooks::SumClaims(QueueIndex queue, std::map<QueueIndex, Claim>& claims) const {
  Claim& claim = claims[queue];
  claim.demand = claim.own;
  claim.promised.assign(dims_, 0);
  for (QueueIndex child : tables_.queues.children[queue]) {
    SumClaims(child, claims);
    for (DimensionIndex d = 0; d < dims_; ++d) {
      claim.demand[d] += claims[child].demand[d];
      claim.promised[d] += claims[child].promised[d];
    }
  }
  for (DimensionIndex d = 0; d < dims_; ++d) {
    const int64_t limit = tables_.queues.limit.at(queue, d);
    if (limit != kAbsent) claim.demand[d] = std::min<absl::int128>(claim.demand[d], limit);
    claim.promised[d] =
        std::max<absl::int128>(claim.promised[d], OrZero(tables_.queues.guaranteed.at(queue, d)));
    claim.promised[d] = std::min(claim.promised[d], claim.demand[d]);
  }
}

PlanBooks::Row PlanBooks::Total() const {
  Row total(dims_, 0);
  for (NodeIndex n = 0; n < tables_.nodes.alive.size(); ++n) {
    for (DimensionIndex d = 0; d < dims_ && tables_.nodes.alive[n]; ++d) {
      total[d] += OrZero(tables_.nodes.allocatable.at(n, d));
    }
  }
  return total;
}

}  // namespace muster::testing
