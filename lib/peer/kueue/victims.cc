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

std::vector<WorkloadIndex> VictimSearch::Ordered(Queue queue, const Need& need,
                                                 Policy policy) const {
  std::vector<WorkloadIndex> list;
  const WorkloadRow& evictor = world_.workloads[need.workload];
  for (const WorkloadIndex w : world_.queues[queue].holders) {
    const WorkloadRow& row = world_.workloads[w];
    if (Satisfies(policy, evictor.priority, evictor.queue_time, row) && Uses(w, need)) {
      list.push_back(w);
    }
  }
  if (local_usage == nullptr || !world_.queues[queue].by_usage) return list;
  const auto usage = [&](WorkloadIndex w) {
    const uint32_t q = world_.workloads[w].local_queue;
    return q < local_usage->size() ? (*local_usage)[q] : -1;
  };
  std::stable_sort(list.begin(), list.end(), [&](WorkloadIndex a, WorkloadIndex b) {
    const WorkloadRow &x = world_.workloads[a], &y = world_.workloads[b];
    if (x.evicted != y.evicted) return x.evicted;
    if (x.local_queue != y.local_queue && usage(a) >= 0 && usage(b) >= 0 && usage(a) != usage(b)) {
      return usage(a) > usage(b);
    }
    return world_.Precedes(a, b);
  });
  return list;
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
