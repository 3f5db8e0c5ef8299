// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The cluster's tables as the state of one pool, at the start of a round.
//
//   const World world = ReadWorld(context.tables, context.ledger, config, runs);
//   absl::StatusOr<std::unique_ptr<Round>> round = Round::Make(world.state);
//   const TaskIndex task = world.task_of[job];    // jobs of a round are tasks of the cluster
//
// What rows are to the peer.
// - A task is a job. It runs if it holds its node, or the promise of a node that an earlier round
//   made (RunMemory); it is queued if it is pending and not gated. Leaving and ended tasks are
//   gone: what they still hold counts as free.
// - A job with a minimum above 1 is a gang: as many of its tasks as the minimum requests, in their
//   order. Those that hold places are one gang, which is evicted as a whole; those that it lacks
//   are another. Tasks beyond the minimum are jobs of their own, offered once the minimum holds
//   places.
// - `priority` of a task is the peer's job priority with the sign turned: larger goes first inside
//   its queue. The priority class is the task's `priority_class` where the options have it, else
//   setting armada/class of its job. A task or job with `preemptable` false has a class of its own
//   with the same priority, which nothing preempts.
// - A queue is a queue, whatever is above it: `weight` or setting armada/priority_factor, `limit`
//   for each class, kClosed: cordoned. A queue without jobs of the pool takes no part.
// - A node that is marked unschedulable, or is not ready, has Armada's own taint: evicted jobs may
//   return to it, and new ones need a toleration.
// - Tasks without a job, and tasks of unknown state, are pods of others, which take from the
//   allocatable amounts.
// - Amounts have the units of the tables. `pods` counts where some node limits it.
//
// Order. Nodes go by index, and by name across types; jobs that tie in all else by uid_rank of job
// and task, then by index.
// Cost. O(rows + nodes x priorities x dimensions) for each call.
#ifndef MUSTER_PEER_ARMADA_READ_WORLD_H_
#define MUSTER_PEER_ARMADA_READ_WORLD_H_

#include <vector>

#include "lib/ledger/ledger.h"
#include "lib/model/tables.h"
#include "lib/peer/armada/cluster.h"
#include "lib/peer/armada/config.h"
#include "lib/peer/armada/memory.h"

namespace muster::armada {

struct World {
  State state;                             // but for limiters
  std::vector<DimensionIndex> dimensions;  // by resource
  std::vector<TaskIndex> task_of;          // by job
  std::vector<muster::NodeIndex> node_of;  // by node
  std::vector<QueueIndex> queue_of;        // by queue name
  std::vector<TaskIndex> incomplete;       // tasks of gangs that have too few tasks
  // Jobs, ascending: those that are queued, and those that wait for the node that an earlier round
  // leased to them.
  std::vector<int> queued, leases;
};

// REQUIRES: CheckRows(tables, config) is OK.
World ReadWorld(const muster::Tables& tables, const Ledger& ledger, const Config& config,
                const RunMemory& runs);

}  // namespace muster::armada

#endif  // MUSTER_PEER_ARMADA_READ_WORLD_H_
