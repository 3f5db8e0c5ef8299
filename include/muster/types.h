// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The words that every other header uses: row indices, statuses of tasks, phases of jobs.
//
//   for (muster::NodeIndex n = 0; n < snapshot.node_count(); ++n) Visit(snapshot.node_name(n));
//   if (decision.node == muster::kNone) return;                           // no row
//   std::cout << muster::TaskStatusName(muster::TaskStatus::kRunning);    // running
//   std::cout << muster::JobPhaseName(muster::JobPhase::kDegraded);       // degraded
//
// Promise. Rows of a table are numbered from 0 in the order of their insertion. The number of a row
// that is removed is not given to another one before the cluster numbers its rows anew, which
// happens now and then. A Plan or a Snapshot keeps the numbers that it was made with. Every tie in
// a plan is broken by these numbers.
// Failure. None.
// Ownership. Names are static texts.
// Threads. All functions here may be called by any thread.
// Cost. O(1).
#ifndef MUSTER_TYPES_H_
#define MUSTER_TYPES_H_

#include <cstdint>
#include <limits>
#include <string_view>

#include "muster/export.h"
#include "muster/index.h"

namespace muster {

// An index of each table: 32-bit numbers of types that do not mix (index.h).
//
// A dimension is a kind of amount. 0 is cpu, 1 memory, 2 pods; others, such as "nvidia.com/gpu",
// follow in the order in which rows first name them.
using DimensionIndex = Index<struct DimensionTag>;
// Rows of the tables of a cluster.
using NodeIndex = Index<struct NodeTag>;
using QueueIndex = Index<struct QueueTag>;
using JobIndex = Index<struct JobTag>;
using TaskIndex = Index<struct TaskTag>;
// A domain of the topology tree.
using DomainIndex = Index<struct DomainTag>;
// A task class: all tasks that no policy can tell apart on any node. It is the unit of searching.
using ClassIndex = Index<struct ClassTag>;
// A task group (role), and a sub-group, inside its job: their places in JobSpec::groups and
// JobSpec::sub_groups.
using GroupIndex = Index<struct GroupTag>;
using SubGroupIndex = Index<struct SubGroupTag>;

// The dimensions that every cluster has, and their units. Ephemeral-storage and hugepages-* count
// bytes, all others thousandths: 1000 of "nvidia.com/gpu" is one device.
//
// Thousandths of a core.
inline constexpr DimensionIndex kCpu = 0;
// Bytes.
inline constexpr DimensionIndex kMemory = 1;
// Tasks: every task requests exactly one.
inline constexpr DimensionIndex kPods = 2;

// A quantity that was not given. Absent is not zero:
// - an absent limit does not limit;
// - an absent guarantee guarantees nothing;
// - an absent capacity of a requested dimension holds nothing. An absent capacity of `pods` is the
//   one exception: it sets no limit.
inline constexpr int64_t kAbsent = std::numeric_limits<int64_t>::min();

// Where a task is in its life.
//
// A task holds resources of a node from kBinding to kReleasing, and while kUnknown; kNominated ones
// are promised. Words: "pending", "placed", ... (TaskStatusName).
enum class TaskStatus : uint8_t {
  // The task waits for a node.
  kPending,
  // Placed in the running cycle and not decided yet. Never seen in a Cluster.
  kPlaced,
  // Promised resources of a node that leaving tasks still hold.
  kNominated,
  // Bound by a plan that was applied; the bind is not reported yet.
  kBinding,
  // Bound, and not running yet.
  kBound,
  // Running on its node.
  kRunning,
  // Leaving: it holds its resources until its end is reported.
  kReleasing,
  // Ended: it holds nothing.
  kSucceeded,
  kFailed,
  // Its node does not report. It counts for no job, and keeps what it holds there.
  kUnknown,
  // It holds its place, and is not bound before its waiting group is whole or its time is up.
  kWaiting,
};
// The number of statuses.
inline constexpr int kTaskStatusCount = 11;

// How far a job is. Words: "pending", "admitted", "running", "degraded", "completed".
enum class JobPhase : uint8_t {
  // Not admitted: profiles with an admitting action place none of its tasks.
  kPending,
  // Admitted: its tasks may be placed (Volcano calls it Inqueue). A job with a JobAdmission that
  // lost tasks is admitted again, not pending: only a plan takes the admission back.
  kAdmitted,
  // As many of its tasks as it needs are bound, run, are leaving or have ended.
  kRunning,
  // Some of its tasks run, but fewer hold a node than it needs (Volcano calls it Unknown).
  kDegraded,
  // As kRunning, and all these tasks have ended.
  kCompleted,
};

// Whether a queue takes new tasks. Words: "open", "closed".
enum class QueueState : uint8_t { kOpen, kClosed };

// Return the lower-case word of a value, as scenarios, C and Python write it: "nominated".
MUSTER_EXPORT std::string_view TaskStatusName(TaskStatus status);
MUSTER_EXPORT std::string_view JobPhaseName(JobPhase phase);
MUSTER_EXPORT std::string_view QueueStateName(QueueState state);

}  // namespace muster

#endif  // MUSTER_TYPES_H_
