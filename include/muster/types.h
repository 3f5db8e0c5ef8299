// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The words every other header uses: row indices, task and job states.
//
// Rows are named by 32-bit indices. An index is the row's sequence number: it grows with insertion, is
// never reused while a Cluster lives between two compactions, and every tie in a plan is broken by it.
//
//   for (muster::NodeIndex n = 0; n < snapshot.node_count(); ++n) ...
//   if (decision.node == muster::kNone) ...                              // no row
//   std::cout << muster::TaskStatusName(muster::TaskStatus::kRunning);   // running
#ifndef MUSTER_TYPES_H_
#define MUSTER_TYPES_H_

#include <cstdint>
#include <limits>
#include <string_view>

#include "muster/export.h"

namespace muster {

using DimensionIndex = uint32_t;  // 0 is cpu, 1 memory, 2 pods; others in order of first appearance
using NodeIndex = uint32_t;
using QueueIndex = uint32_t;
using JobIndex = uint32_t;
using TaskIndex = uint32_t;
using ClassIndex = uint32_t;  // a task class: all tasks that no policy can tell apart on any node
using GroupIndex = uint32_t;  // a task group (role) inside its job

inline constexpr uint32_t kNone = std::numeric_limits<uint32_t>::max();

inline constexpr DimensionIndex kCpu = 0;     // milli-cores
inline constexpr DimensionIndex kMemory = 1;  // bytes
inline constexpr DimensionIndex kPods = 2;    // tasks; every task requests one

// A quantity that was not given. Absent is not zero: an absent limit does not limit, an absent guarantee
// guarantees nothing, an absent capacity of a requested dimension holds nothing (an absent `pods` capacity
// is the one exception: it sets no limit).
inline constexpr int64_t kAbsent = std::numeric_limits<int64_t>::min();

enum class TaskStatus : uint8_t {
  kPending,    // wants a node
  kPlaced,     // placed in the running cycle, not decided yet (never in a Cluster)
  kNominated,  // placed on resources that are still being released
  kBinding,    // bound by a plan, not yet reported
  kBound,
  kRunning,
  kReleasing,  // still holds its resources until its end is reported
  kSucceeded,
  kFailed,
  kUnknown,  // its node does not report: it counts for no job, and keeps what it holds there
};
inline constexpr int kTaskStatusCount = 10;

// kAdmitted: may ask for nodes (volcano says Inqueue). kDegraded: some of its tasks run, fewer than it needs.
enum class JobPhase : uint8_t { kPending, kAdmitted, kRunning, kDegraded, kCompleted };

enum class QueueState : uint8_t { kOpen, kClosed };

// Lower-case words as scenarios and the command line write them: "pending", "nominated", ...
MUSTER_EXPORT std::string_view TaskStatusName(TaskStatus status);
MUSTER_EXPORT std::string_view JobPhaseName(JobPhase phase);
MUSTER_EXPORT std::string_view QueueStateName(QueueState state);

}  // namespace muster

#endif  // MUSTER_TYPES_H_
