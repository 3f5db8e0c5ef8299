// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What gates of the library can tell about placements to come, so that a gang is not asked about
// task by task.
//
//   const int64_t most = dispatcher.UnreadyAfter(job) + 1;          // so many, then ask Ready
//   if (dispatcher.AllocatableAll(queue, tasks.first(most))) ...    // none of them will be refused
//
// A policy that answers at kReady or kAllocatable may implement this beside GatePolicy. One that
// does not is asked about each task. Answers are safe, not sharp: they never differ from what the
// gate itself would say placement by placement, and when in doubt they promise nothing.
#ifndef MUSTER_EXTENSION_GATE_AHEAD_H_
#define MUSTER_EXTENSION_GATE_AHEAD_H_

#include <cstdint>
#include <span>

#include "muster/types.h"

namespace muster {

class GateAhead {
 public:
  virtual ~GateAhead() = default;
  // Returns a number of the job's pending tasks that can be placed without its becoming ready.
  virtual int64_t UnreadyAfter(JobIndex) { return 0; }
  // Returns whether the gate surely says yes to each of these tasks, one after the other, if each
  // is placed before the next is asked about. REQUIRES: at most kMostAhead tasks.
  virtual bool AllocatableAll(QueueIndex, std::span<const TaskIndex>) { return false; }

  static constexpr int64_t kMostAhead = 256;  // sums of so many amounts stay far below 2^63
};

}  // namespace muster

#endif  // MUSTER_EXTENSION_GATE_AHEAD_H_
