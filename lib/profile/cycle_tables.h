// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The tables that a profile works on, and what of a cluster it does not take.
//
//   if (absl::Status s = CheckTables(config, tables); !s.ok()) return s;
//   if (TakesLoneTasks(config)) {
//     const auto with_jobs = WithJobsOfOne(tables, config.lone_task_queue);
//     PlanData plan = session.Run(**with_jobs, options);
//     ForgetJobsOfOne(tables, &plan);
//   }
//
// A profile that takes tasks without a job schedules each as a job of one. It sees a copy of the
// tables in which these jobs are rows behind all others, so no other row changes its number. The
// plan names tasks and nodes by the numbers of the cluster's own tables, and none of those jobs.
#ifndef MUSTER_PROFILE_CYCLE_TABLES_H_
#define MUSTER_PROFILE_CYCLE_TABLES_H_

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/model/tables.h"
#include "lib/plan/plan_data.h"
#include "lib/session/config.h"

namespace muster {

// Fails where an action cannot read the tables (ActionDecl::check), and with FailedPrecondition
// where a job has tasks that are counts and the profile places rows only. O(1) beside those checks
// where no job has. `changes`: all that has changed in the tables since they were taken; absent:
// unknown.
absl::Status CheckTables(const ProfileConfig& config, const Tables& tables,
                         std::optional<std::span<const Change>> changes = {});

// Returns the first group of tasks that are counts, for the beginning of an error: `job "j", group
// "w": 10000 tasks are counts`. Empty: all tasks are rows. O(jobs), or O(1) where all are rows.
std::string CountsText(const Tables& tables);

inline bool TakesLoneTasks(const ProfileConfig& config) { return !config.lone_task_queue.empty(); }
// Returns whether a cycle tries tasks without a job, as jobs of one or as they are. Elsewhere they
// only occupy their nodes.
inline bool TriesLoneTasks(const ProfileConfig& config) {
  return config.places_lone_tasks || TakesLoneTasks(config);
}

// Returns the copy. Tasks that have ended stay without a job. Fails with FailedPrecondition where
// the queue does not exist, or has rules about node groups (those are a part of a task's class).
// O(tables).
absl::StatusOr<std::shared_ptr<const Tables>> WithJobsOfOne(const Tables& tables,
                                                            std::string_view queue);

// Takes the jobs that `tables` does not have out of the plan. O(plan).
void ForgetJobsOfOne(const Tables& tables, PlanData* plan);

}  // namespace muster

#endif  // MUSTER_PROFILE_CYCLE_TABLES_H_
