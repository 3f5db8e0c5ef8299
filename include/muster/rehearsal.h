// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Asks what the scheduler would do if the cluster were different: two plans, and what differs.
//
//   std::vector<muster::WhatIfChange> changes = {
//       {.remove_nodes = muster::RemovedNodes{.labels = {{"pool", "b"}}}},
//       {.queue = muster::QueueEdit{.name = "vision", .weight = 3}}};
//   absl::StatusOr<muster::Rehearsal> rehearsal = muster::Rehearse(cluster, "volcano", changes);
//   if (!rehearsal.ok()) return Report(rehearsal.status());  // the first change that is refused
//   std::cout << rehearsal->difference.ToText();
//
// Promise. Each plan is the one that Cluster::Schedule would return: of the cluster as it is, and
// of a clone in which the changes were made in their order. The cluster itself does not change.
// Equal arguments give equal answers. The difference compares where each task ends, not the log of
// decisions: a task that is evicted and placed again on its node has not changed.
// Failure. A change that is refused fails the call, with its place and the rule:
// `changes[1]: queue "visoin" does not exist, did you mean "vision"?`. A profile that does not
// resolve fails as in Schedule. Nothing is changed.
// Ownership. Arguments are read during the call; the answer holds copies.
// Threads. As Cluster::Schedule: one thread at a time on one cluster.
// Cost. O(rows) to clone, what the changes name, and two cycles.
#ifndef MUSTER_REHEARSAL_H_
#define MUSTER_REHEARSAL_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "muster/cluster.h"
#include "muster/executor.h"
#include "muster/export.h"
#include "muster/plan.h"
#include "muster/schedule.h"
#include "muster/what_if.h"

namespace muster {

// Where one task ends, before and after.
struct TaskDifference {
  // Its name.
  std::string task = {};
  // Empty: the task has no job.
  std::string job = {};
  // The node that it runs on or starts on. Empty: it has none.
  std::string before = {}, after = {};
  // Why it has no node after the changes, in words. Empty: it has one, or is gone.
  std::string reason = {};
  // The node that holds it in the first cluster, before any decision. Empty: it waits there, or is
  // not there. A task that starts, with `now` set, is one that the first plan evicts.
  std::string now = {};
  friend bool operator==(const TaskDifference&, const TaskDifference&) = default;
};

// What one queue holds at the end of the two cycles, with its own jobs alone.
struct QueueDifference {
  // Its name.
  std::string queue = {};
  // One cell for each of PlanDifference::dimensions, in the units of types.h.
  std::vector<int64_t> allocated_before = {}, allocated_after = {};
  // Its share, as the profile computes it.
  double share_before = 0, share_after = 0;
  friend bool operator==(const QueueDifference&, const QueueDifference&) = default;
};

// A job that holds assigned quota (JobAdmission) at the end of one of the two cycles alone.
struct JobDifference {
  // Its name, and its queue's.
  std::string job = {}, queue = {};
  friend bool operator==(const JobDifference&, const JobDifference&) = default;
};

// The difference of two plans. Lists are in the order of the tables: rows of the first cluster,
// then those that only the second has.
struct MUSTER_EXPORT PlanDifference {
  // Tasks with a node after the changes and none before.
  std::vector<TaskDifference> starts = {};
  // Tasks with a node before and none after the changes, those that are gone among them.
  std::vector<TaskDifference> stops = {};
  // Tasks on another node.
  std::vector<TaskDifference> moves = {};
  // Jobs that hold assigned quota after the changes and none before; and the other way round, those
  // that are gone among them.
  std::vector<JobDifference> admits = {}, withdraws = {};
  // Names of dimensions.
  std::vector<std::string> dimensions = {};
  // Queues that differ in what they hold or in their share.
  std::vector<QueueDifference> queues = {};
  // Tasks that only the second cluster has and that wait there, with the reason. Tasks by count
  // have no names: a job of them is one entry with an empty `task`.
  std::vector<TaskDifference> waits = {};

  // Returns true if nothing differs.
  bool empty() const;
  // Returns the difference in words: a line for each task and each job, by what the task does
  // today, and a table of queues. The words may change in any release.
  std::string ToText() const;
  // Returns the same as one JSON object, with the names of these fields.
  std::string ToJson() const;
  friend bool operator==(const PlanDifference&, const PlanDifference&) = default;
};

// The answer: both plans, and what differs.
struct Rehearsal {
  // Of the cluster as it is, and of the clone.
  Plan before, after;
  // From `before` to `after`.
  PlanDifference difference;
};

// Returns what the profile decides now, and what it would decide after the changes. Both cycles
// have the same options. With an executor (executor.h) they run at once, unless the options have
// `extensions` or `metrics`, which are of one thread; ScheduleOptions::should_stop is then called
// on both threads. The answer does not depend on it.
MUSTER_EXPORT absl::StatusOr<Rehearsal> Rehearse(const Cluster& cluster, std::string_view profile,
                                                 std::span<const WhatIfChange> changes,
                                                 const ScheduleOptions& options = {},
                                                 Executor* executor = nullptr);

// Makes the changes in the cluster itself, in their order. Fails as Rehearse does, and then changes
// nothing. A failure names its place as `changes[1]`. The next cycle opens anew. O(rows + what the
// changes name).
MUSTER_EXPORT absl::Status MakeChanges(std::span<const WhatIfChange> changes, Cluster* cluster);

// Returns how the ends of two plans differ: of one snapshot under two profiles, or of two
// snapshots. Each plan is of the snapshot beside it. Rows are compared by name.
MUSTER_EXPORT PlanDifference Difference(const Snapshot& before, const Plan& plan_before,
                                        const Snapshot& after, const Plan& plan_after);

}  // namespace muster

#endif  // MUSTER_REHEARSAL_H_
