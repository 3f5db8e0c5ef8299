// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// How long a task runs, and what it loses when it is evicted.
//
//   muster::JobSpec job;
//   job.lifetime = muster::Lifetime{.max_runtime = 3600, .restart_cost = 120};
//   muster::TaskSpec task;
//   task.lifetime = muster::Lifetime{.expected_end = 5000, .checkpointed = 4400};
//
// Promise. The lifetime of a job holds for each of its tasks that has no lifetime of its own. The
// library ends no task: the caller does, and reports the end.
// Failure. Rows with a negative number of seconds are refused with InvalidArgument, as the fields
// below state.
// Ownership, threads. Plain values.
// Cost. A row without a lifetime has a null pointer.
#ifndef MUSTER_LIFETIME_H_
#define MUSTER_LIFETIME_H_

#include <cstdint>
#include <optional>

namespace muster {

// What is known about the run of a task. Times are seconds on the caller's clock, on which
// ScheduleOptions::now is given.
struct Lifetime {
  // The seconds after which a running task is ended: 0 or more. Absent: no such limit.
  std::optional<int64_t> max_runtime = {};
  // The time at which the task is expected to end. Absent: not known.
  std::optional<int64_t> expected_end = {};
  // The time at which the task last saved its work. Absent: never.
  std::optional<int64_t> checkpointed = {};
  // The seconds that a restart loses besides the work since `checkpointed`: 0 or more. Absent: not
  // known.
  std::optional<int64_t> restart_cost = {};
  friend bool operator==(const Lifetime&, const Lifetime&) = default;
};

}  // namespace muster

#endif  // MUSTER_LIFETIME_H_
