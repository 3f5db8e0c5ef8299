// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What a plan makes of tasks by count (job_counts.h). They are no rows, so no pending task, bind or
// eviction of the plan is one of them: a job waits, is admitted or loses its admission as a whole.
//
//   for (const CountedWait& wait : CountedWaits(tables, plan)) waiting += wait.tasks;
//   for (const WaitingTasks& tasks : WaitingTasksIn(tables, plan, keeps)) tasks.AddTo(sum);
//
// Cost. None of the functions makes a row for a task: a group costs the same, whatever its count.
#ifndef MUSTER_ADVICE_COUNTED_TASKS_H_
#define MUSTER_ADVICE_COUNTED_TASKS_H_

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "lib/model/tables.h"
#include "muster/plan.h"

namespace muster {

// A job of which tasks by count wait.
struct CountedWait {
  JobIndex job;
  int64_t tasks = 0;
  uint32_t reason = 0;  // an index into Plan::reasons()
};

// REQUIRES of all: the plan is of a snapshot with these tables.

// Returns the jobs of which tasks by count wait, ascending.
std::vector<CountedWait> CountedWaits(const Tables& tables, const Plan& plan);
// Returns how many tasks by count wait: of all jobs, of one job.
int64_t CountedWaiting(const Tables& tables, const Plan& plan);
int64_t CountedWaiting(const Tables& tables, const Plan& plan, JobIndex job);
// Returns how many admitted tasks by count lose their admission by the plan.
int64_t CountedEvictions(const Tables& tables, const Plan& plan);

// Returns how many tasks the admission assigns quota to: those by count, or with `rows` all.
int64_t AdmittedTasks(const Tables& tables, const Admission& admission, bool rows);

// Waiting tasks that are alike.
struct WaitingTasks {
  std::vector<int64_t> request;      // of each, by dimension; absent amounts are 0
  const TaskShape* shape = nullptr;  // in the tables
  int64_t count = 0;

  // Adds what they request together. Sums stop at the largest int64.
  void AddTo(std::span<int64_t> sum) const;
};

// Returns the tasks that wait in the plan and that `keeps`: rows in the order of the plan, tasks of
// a class that follow each other as one, then those by count, for which the task is kNone.
std::vector<WaitingTasks> WaitingTasksIn(
    const Tables& tables, const Plan& plan,
    const std::function<bool(JobIndex job, TaskIndex task)>& keeps);

}  // namespace muster

#endif  // MUSTER_ADVICE_COUNTED_TASKS_H_
