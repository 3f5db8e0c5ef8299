// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The order of jobs, queues, tasks and victims. Each policy may prefer one of two; the first that
// does decides. Where none does: creation time, rank of the uid, row index; for tasks first the
// number in their name, where Rules::task_ordinals says so.
#include "lib/reference/cycle.h"

namespace muster::reference {

namespace {

int Sign(bool left_first, bool right_first) { return left_first ? -1 : right_first ? 1 : 0; }

template <typename Index, typename Created, typename Rank>
bool FallbackLess(const Created& created, const Rank& rank, Index l, Index r) {
  if (created(l) != created(r)) return created(l) < created(r);
  if (rank(l) != rank(r)) return rank(l) < rank(r);
  return l < r;
}

}  // namespace

int CompareJobs(const Cycle& cycle, JobIndex l, JobIndex r) {
  for (const ReferencePolicy* policy : PoliciesAt(cycle, "job_order")) {
    int order = 0;
    if (policy->name == "priority") {
      const int32_t lp = cycle.tables().jobs.spec[l].priority;
      const int32_t rp = cycle.tables().jobs.spec[r].priority;
      order = Sign(lp > rp, rp > lp);
    } else if (policy->name == "gang") {
      const bool l_ready = GangReady(cycle, l), r_ready = GangReady(cycle, r);
      order = Sign(!l_ready && r_ready, l_ready && !r_ready);
    } else if (policy->name == "drf") {
      const double ls = DrfShare(cycle, cycle.world.job_allocated[l]);
      const double rs = DrfShare(cycle, cycle.world.job_allocated[r]);
      order = Sign(ls < rs, rs < ls);
    } else if (const PolicyTwin& twin = TwinOf(cycle, *policy); twin.job_order != nullptr) {
      order = twin.job_order(cycle, *policy, l, r);
    }
    if (order != 0) return order;
  }
  return 0;
}

bool JobLess(const Cycle& cycle, JobIndex l, JobIndex r) {
  if (const int order = CompareJobs(cycle, l, r); order != 0) return order < 0;
  const auto& jobs = cycle.tables().jobs.spec;
  return FallbackLess([&](JobIndex j) { return jobs[j].created; },
                      [&](JobIndex j) { return jobs[j].uid_rank; }, l, r);
}

bool QueueLess(const Cycle& cycle, QueueIndex l, QueueIndex r) {
  const auto& queues = cycle.tables().queues.spec;
  for (const ReferencePolicy* policy : PoliciesAt(cycle, "queue_order")) {
    if (const PolicyTwin& twin = TwinOf(cycle, *policy); twin.queue_order != nullptr) {
      if (const int order = twin.queue_order(cycle, *policy, l, r); order != 0) return order < 0;
    }
    if (policy->name == "drf" && SwitchOption(policy->options, "hierarchy", false)) {
      const double order = CompareOnShareTree(cycle, cycle.world.job_allocated, l, r);
      if (order != 0) return order < 0;
    }
    if (policy->name != "proportion") continue;
    if (cycle.rules.queue_priority && queues[l].priority != queues[r].priority) {
      return queues[l].priority > queues[r].priority;
    }
    const double ls = QueueShareNow(cycle, l), rs = QueueShareNow(cycle, r);
    if (ls != rs) return ls < rs;
  }
  return FallbackLess([&](QueueIndex q) { return queues[q].created; },
                      [&](QueueIndex q) { return queues[q].uid_rank; }, l, r);
}

bool TaskLess(const Cycle& cycle, TaskIndex l, TaskIndex r) {
  const TaskTable& tasks = cycle.tables().tasks;
  for (const ReferencePolicy* policy : PoliciesAt(cycle, "task_order")) {
    if (const PolicyTwin& twin = TwinOf(cycle, *policy); twin.task_order != nullptr) {
      if (const int order = twin.task_order(cycle, *policy, l, r); order != 0) return order < 0;
    }
    if (policy->name != "priority") continue;
    if (tasks.priority[l] != tasks.priority[r]) return tasks.priority[l] > tasks.priority[r];
  }
  if (cycle.rules.task_ordinals && tasks.ordinal[l] != kAbsent && tasks.ordinal[r] != kAbsent &&
      tasks.ordinal[l] != tasks.ordinal[r]) {
    return tasks.ordinal[l] < tasks.ordinal[r];
  }
  return FallbackLess([&](TaskIndex t) { return tasks.created[t]; },
                      [&](TaskIndex t) { return tasks.uid_rank[t]; }, l, r);
}

Heap<JobIndex> JobHeap(const Cycle& cycle) {
  return Heap<JobIndex>([&cycle](JobIndex l, JobIndex r) { return JobLess(cycle, l, r); });
}

Heap<QueueIndex> QueueHeap(const Cycle& cycle) {
  return Heap<QueueIndex>([&cycle](QueueIndex l, QueueIndex r) { return QueueLess(cycle, l, r); });
}

Heap<TaskIndex> TaskHeap(const Cycle& cycle) {
  return Heap<TaskIndex>([&cycle](TaskIndex l, TaskIndex r) { return TaskLess(cycle, l, r); });
}

std::vector<TaskIndex> TasksToPlace(const Cycle& cycle, JobIndex job) {
  const std::vector<TaskIndex> tasks = AllTasksToPlace(cycle, job);
  return HasAction(cycle, "grow") && IsElastic(cycle, job) ? OfTheGang(cycle, job, tasks) : tasks;
}

bool VictimQueueLess(const Cycle& cycle, QueueIndex l, QueueIndex r, QueueIndex evictor) {
  for (const ReferencePolicy* policy : PoliciesAt(cycle, "victim_queue_order")) {
    const PolicyTwin& twin = TwinOf(cycle, *policy);
    if (twin.victim_queue_order == nullptr) continue;
    const int order = twin.victim_queue_order(cycle, *policy, l, r, evictor);
    if (order != 0) return order < 0;
  }
  return !QueueLess(cycle, l, r);
}

// Not a strict order: of two equal victims each comes before the other, so that the heap's own
// steps decide.
Heap<TaskIndex> VictimHeap(const Cycle& cycle, TaskIndex evictor) {
  if (!cycle.rules.victims_by_owner) {
    return Heap<TaskIndex>([&cycle](TaskIndex l, TaskIndex r) { return !TaskLess(cycle, l, r); });
  }
  return Heap<TaskIndex>([&cycle, evictor](TaskIndex l, TaskIndex r) {
    const JobIndex lj = cycle.tables().tasks.job[l], rj = cycle.tables().tasks.job[r];
    if (lj == rj) return !TaskLess(cycle, l, r);
    const QueueIndex lq = cycle.world.queue_of(l), rq = cycle.world.queue_of(r);
    if (lq != rq) return VictimQueueLess(cycle, lq, rq, cycle.world.queue_of(evictor));
    const int order = CompareJobs(cycle, lj, rj);
    return order == 0 ? !TaskLess(cycle, l, r) : order > 0;
  });
}

}  // namespace muster::reference
