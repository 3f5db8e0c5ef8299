// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// A framework that takes what its waiting tasks need, for hosts without one of their own.
//
//   const Taken taken = TakeTasks(offer, waiting);
//   Launch(taken.tasks);
//   allocator.Recover(taken.rest, 5.0);     // declined, for a while
//
// Tasks take their turn in the order given; one that does not fit is passed over. A task takes from
// reserved items first, then from unreserved ones, and from ones that may be taken back only if it
// says so. Disks that cannot be divided and shared volumes are never taken.
#ifndef MUSTER_PEER_MESOS_TASKS_H_
#define MUSTER_PEER_MESOS_TASKS_H_

#include <cstddef>
#include <span>
#include <vector>

#include "lib/peer/mesos/allocator.h"

namespace muster::mesos {

struct WaitingTask {
  Amounts needs;
  bool revocable = false;  // may run on what may be taken back
};

struct Taken {
  std::vector<size_t> tasks;  // their places in the list of waiting ones, ascending
  Bundle used;
  Offer rest;  // what no task took
};

Taken TakeTasks(const Offer& offer, std::span<const WaitingTask> waiting);

}  // namespace muster::mesos

#endif  // MUSTER_PEER_MESOS_TASKS_H_
