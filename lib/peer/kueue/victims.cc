// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/kueue/victims.h"

#include <algorithm>

namespace muster::kueue {

std::string_view WordOf(EvictReason reason) {
  switch (reason) {
    case EvictReason::kInClusterQueue:
      return "InClusterQueue";
    case EvictReason::kInCohortReclamation:
      return "InCohortReclamation";
    case EvictReason::kInCohortFairSharing:
      return "InCohortFairSharing";
    case EvictReason::kInCohortReclaimWhileBorrowing:
      return "InCohortReclaimWhileBorrowing";
  }
  return "";
}

bool Satisfies(Policy policy, int64_t priority, int64_t queue_time, const WorkloadRow& candidate) {
  switch (policy) {
    case Policy::kAny:
      return true;
    case Policy::kLowerPriority:
      return priority > candidate.priority;
    case Policy::kLowerOrNewerEqual:
      return priority > candidate.priority ||
             (priority == candidate.priority && queue_time < candidate.queue_time);
    case Policy::kUnset:
    case Policy::kNever:
      return false;
  }
  return false;
}

bool CandidateBefore(const World& world, Queue queue, WorkloadIndex a, WorkloadIndex b) {
  const WorkloadRow &x = world.workloads[a], &y = world.workloads[b];
  if (x.evicted != y.evicted) return x.evicted;
  const bool x_own = x.queue == queue, y_own = y.queue == queue;
  if (x_own != y_own) return y_own;
  return world.Precedes(a, b);
}

bool VictimSearch::Uses(WorkloadIndex candidate, const Need& need) const {
  const WorkloadRow& row = world_.workloads[candidate];
  if (row.away) return false;
  return std::any_of(row.usage.begin(), row.usage.end(), [&](const CellAmount& u) {
    return std::find(need.lacking.begin(), need.lacking.end(), u.cell) != need.lacking.end();
  });
}

size_t VictimSearch::UsagesIn(Queue queue) {
  usages_.resize(std::max(usages_.size(), world_.queues.size()));
  Usages& known = usages_[queue];
  const QueueRow& row = world_.queues[queue];
  if (known.stamp == row.holders_stamp) return known.count;
  std::vector<const CellAmounts*> different;
  for (const WorkloadIndex w : row.holders) {
    const CellAmounts& usage = world_.workloads[w].usage;
    const bool seen = std::any_of(different.begin(), different.end(),
                                  [&](const CellAmounts* other) { return *other == usage; });
    if (!seen) different.push_back(&usage);
    if (different.size() > kUsagesCompared) break;
  }
  known = {row.holders_stamp, different.size()};
  return known.count;
}

void VictimSearch::Remove(WorkloadIndex workload, const Need& need) {
  const WorkloadRow& row = world_.workloads[workload];
  world_.tree.Remove(row.queue, row.usage);
  if (need.topology != nullptr) need.topology->Remove(workload);
}

void VictimSearch::Restore(WorkloadIndex workload, const Need& need) {
  const WorkloadRow& row = world_.workloads[workload];
  world_.tree.Add(row.queue, row.usage);
  if (need.topology != nullptr) need.topology->Restore(workload);
}

bool VictimSearch::Fits(const Need& need, bool may_borrow) const {
  for (const CellAmount& u : need.usage) {
    if (!may_borrow && world_.tree.BorrowingWith(need.queue, u.cell, u.amount)) return false;
    if (u.amount > world_.tree.AvailableOf(need.queue, u.cell)) return false;
  }
  return need.topology == nullptr || need.topology->Fits();
}

void VictimSearch::FillBack(const Need& need, bool may_borrow, std::vector<Victim>* victims) {
  for (size_t i = victims->size() - 1; i-- > 0;) {
    const WorkloadIndex w = (*victims)[i].workload;
    Restore(w, need);
    if (Fits(need, may_borrow)) {
      (*victims)[i] = victims->back();
      victims->pop_back();
    } else {
      Remove(w, need);
    }
  }
}

std::vector<Victim> VictimSearch::Find(const Need& need) {
  const size_t mark = world_.tree.Mark();
  const size_t places = need.topology == nullptr ? 0 : need.topology->Mark();
  std::vector<Victim> victims = world_.config.fair_sharing ? Fair(need) : Classical(need);
  world_.tree.Rollback(mark);
  if (need.topology != nullptr) need.topology->Rollback(places);
  return victims;
}

}  // namespace muster::kueue
