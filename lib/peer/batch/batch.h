// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Batch systems on nodes of several resources: first come first served, EASY and conservative
// backfilling.
//
//   std::vector<Preset> presets = BatchPresets();   // fcfs, easy, conservative
//
// These are the policies of batch schedulers and of the papers about them, not one product. Jobs
// are gangs with an estimate of their run time. No task is evicted, and queues, shares and
// priorities are not read. Each profile has one action of its own name, over policies gang,
// predicates and binpack.
//
// What all three share (batch_queue.h). Jobs wait in job order, or in the `order` of an option.
// Running tasks are expected to end at `started` plus the job's estimate. A task that outlived its
// estimate may end at any moment, so its end counts as now. A task without an estimate never ends.
// A job starts when `min_available` of its tasks have places; running tasks count.
//
// fcfs: jobs start in order until one does not fit. No later job passes it.
//
// easy (Lifka, JSSPP 1995):
// 1. Jobs start in order until one does not fit. This one is the head.
// 2. Running tasks are taken off their nodes in the order of their estimated ends, all of one time
//    together, until the head finds nodes by the ordinary search. That time is the shadow, and the
//    nodes found are promised to the head.
// 3. What is left on the promised nodes beside the head at that time is the extra.
// 4. Each later job, in `order`, starts if its tasks find nodes now and it either ends by the
//    shadow, or takes no more of a promised node than the extra there, which then shrinks. A node
//    that would break this is passed over for the next best.
// 5. If no end would help the head, nothing is promised, and later jobs start as they fit.
//
// conservative (Mu'alem and Feitelson, TPDS 2001):
// 1. Jobs go in order. Each is promised the earliest time at which its tasks find nodes that they
//    can keep for the job's estimate, beside what runs and what was promised before.
// 2. The times tried are now, and those at which a task or a promise should end.
// 3. A job with the time now starts. A job that fits at no time is promised nothing.
//
// Guarantee. With estimates that are no shorter than run times, the head of easy starts no later
// than at its shadow, and under conservative no job delays a promise made before its own in the
// same cycle.
//
// Where they surprise:
// - Promises are made anew in every cycle. A plan follows from the cluster, and promises are no
//   part of it. On pools of processors this is `conservative:reservations=afresh`; the default
//   there keeps promises.
// - The size of a job, for `order`, is the sum of what its tasks request over what the cluster has,
//   in the dimension where that is largest.
// - Under easy the head is always the oldest waiting job. `order` sorts only the jobs that may go
//   ahead of it.
// - Tasks take the best node by the ordinary search, so binpack decides which nodes are promised.
//
// Not kept. Advance reservations, partitions, preemption and fair-share priorities of real batch
// systems.
//
// Ties. Job order (creation, uid rank, index), or `order` and then job order. Ends of one time are
// one time. Nodes of equal scores: the smallest index.
//
// Cost. One search a task. easy: for the shadow, one search of the head for each time at which
// tasks end. conservative: for each job the times up to its promise, and a search a task at those
// at which the whole cluster would have room.
//
// Proof. On one node with one resource they start the same jobs at the same times as the policies
// of these names on pools (lib/replay/pool_fcfs.cc, pool_easy.cc, pool_conservative.cc), and tests
// compare start by start. lib/reference/peer/batch restates them slowly on several nodes, and
// tests/worlds/batch_test.cc compares. Those of the pools repeat the published starts of recorded
// logs (tests/replay/pool_test.cc).
#ifndef MUSTER_PEER_BATCH_BATCH_H_
#define MUSTER_PEER_BATCH_BATCH_H_

#include <vector>

#include "lib/session/preset.h"

namespace muster {

std::vector<Preset> BatchPresets();

ActionDecl FcfsAction();
ActionDecl EasyAction();
ActionDecl ConservativeAction();

}  // namespace muster

#endif  // MUSTER_PEER_BATCH_BATCH_H_
