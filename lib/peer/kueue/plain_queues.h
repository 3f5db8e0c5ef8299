// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Quota for queues without rules.groups: what they are guaranteed, in one flavor.
//
//   SetPlainQueues(tables, &world);     // in place of World::SetQueue for each row
//
// A queue is plain if its rules have no groups. For each resource of the nodes, but pods, and for
// those that a plain queue is guaranteed:
// 1. Its share is what it is guaranteed. Those without a guarantee of the resource divide, by their
//    weights, what is left of their parent's share; without a parent of the cluster's total.
// 2. A queue with children has as nominal quota what its share is above the shares of those; other
//    queues have all of it.
// 3. A `limit` bounds what the queue borrows: to the limit less its share. Without one it borrows
//    without bounds.
// Queues without a parent are in one cohort. The flavor has no labels, and no name of another.
//
// Cost. O((nodes + queues) * dimensions).
#ifndef MUSTER_PEER_KUEUE_PLAIN_QUEUES_H_
#define MUSTER_PEER_KUEUE_PLAIN_QUEUES_H_

#include "lib/model/tables.h"
#include "lib/peer/kueue/world.h"

namespace muster::kueue {

// Sets all queues that are alive.
void SetPlainQueues(const Tables& tables, World* world);

}  // namespace muster::kueue

#endif  // MUSTER_PEER_KUEUE_PLAIN_QUEUES_H_
