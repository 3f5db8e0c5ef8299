// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// kube-batch 0.5, from which Volcano grew: how it decides, and what of it is kept.
//
//   std::vector<Preset> presets = {KubeBatchPreset()};   // "kube-batch" in spec strings
//
// kube-batch has gangs and queues as Volcano has, but no statements in allocate: a placement is
// never taken back. A cycle runs allocate and backfill. A spec string adds preempt and reclaim.
//
// The loop of allocate:
// 1. Every job pushes its queue into the heap of queues, so a queue is in the heap once for each
//    job.
// 2. The first queue by queue order is popped. If it is overused or has no job left, this entry is
//    dropped.
// 3. The first job of the queue by job order is popped. Its pending phase is ignored: there is no
//    admission.
// 4. Its tasks go in task order, each to the best node where the request fits what is idle, or what
//    is being released, each alone. The placement counts at once.
// 5. When the job is ready with a placement, everything placed of it is bound. If tasks are left,
//    the job returns to its heap and the turn ends.
// 6. The first task without a node ends the job's part in the action.
// 7. The queue returns to the heap, and step 2 follows.
//
// preempt serves each queue's jobs by job order and evicts running tasks of other jobs of the
// queue, on the nodes in order of score. As soon as the gang has a place, everything gathered so
// far is decided. A job that runs out of tasks before that is rolled back. After each queue, the
// jobs of all queues may take from their own tasks. reclaim tries one task for each job. It evicts
// at once, in the order in which the policies name the victims.
//
// Arithmetic. A request fits if it exceeds what is free by less than 10 milli-cores, 10 MiB, or 10
// thousandths of another unit (KubeBatch::kLeast). `pods` is not a resource: it limits the
// number of tasks of a node. Placement compares the request with init containers, and the books
// charge it without them.
//
// How answers combine. Ready and pipelined are joined by AND. Victims have one list for the whole
// scan: the first policy starts it, every later one intersects, and the first tier that leaves any
// decides. No policy can abstain: an abstention is an empty answer. So a first tier that leaves
// none makes all later tiers intersect with nothing.
//
// Where kube-batch surprises:
// - A gang that cannot complete keeps its places until the cycle ends. They are not bound, and
//   other jobs cannot use them.
// - A placement on resources being released is a decision at once, whether or not the gang is
//   ready.
// - A nominated task counts as used at once, out of what is being released
//   (Accounting::nominated_takes_releasing).
// - preempt ignores what is idle: it evicts on a node where the task would fit without victims.
// - A task that was tried in the first phase of preempt is never tried in the second.
// - preempt decides after each task of a job that is pipelined, even if that task found no node.
// - reclaim never takes an eviction back, whatever becomes of the gang. Every queue is reclaimable.
// - gang judges each victim by the unchanged count of its gang, so several victims together may
//   take it below its minimum.
// - A task of which only the init containers request something is placed by neither allocate nor
//   backfill.
// - A node that holds more than it has is left out of every search.
//
// Not kept. Conditions of nodes are those of Kubernetes 1.16 with its switches for memory, disk and
// PID pressure off. Where kube-batch takes goroutines' order, here the smallest index wins.
//
// Ties. As for Volcano, but tasks do not go by their ordinal: creation time, then uid. preempt goes
// through nodes of equal score by name, the last in byte order first.
//
// Cost. allocate: one query of a scoreboard a task, and a turn for every job where there is more
// than one queue. The turns of jobs that request nothing still move the heap of queues, so they are
// counted. preempt: O(nodes) a task. reclaim: O(nodes) a job.
//
// Proof. lib/reference/peer/kube_batch/actions.cc restates the actions slowly, and tests/worlds
// compares every decision, in order, on random worlds and on all worlds of a few rows. The recorded
// decisions of kube-batch are compared by
//
//   python3 tests/conformance/run.py ../shared/conformance/kube-batch
#ifndef MUSTER_PEER_KUBE_BATCH_KUBE_BATCH_H_
#define MUSTER_PEER_KUBE_BATCH_KUBE_BATCH_H_

#include "lib/session/preset.h"

namespace muster {

Preset KubeBatchPreset();

}  // namespace muster

#endif  // MUSTER_PEER_KUBE_BATCH_KUBE_BATCH_H_
