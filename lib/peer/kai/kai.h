// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// KAI Scheduler: queues with quota and fair share, gangs as trees of sub-groups, parts of GPUs, and
// a search for victims that are placed again where they can be.
//
//   Preset preset = KaiPreset();   // allocate, consolidation, reclaim, preempt, stalegangeviction
//
// Version 0.17.0 (commit d5bc503a) is what this decides, bug for bug.
//
// What it decides. One cycle runs five actions on one state; each sees what those before committed.
//
// allocate: jobs go in the order of the queue tree (job_queue.h, queue_order.h). The next tasks of
// a job (next_tasks.cc) pass the gates of its queues (capacity_gate.h) and are placed one by one
// (placing.h). If a gang would be left incomplete by tasks that wait for releasing resources, all
// of it waits. A job with tasks left goes back into the order.
//
// consolidation, reclaim, preempt: a job that still waits looks for victims (solver.h). They are
//   consolidation  preemptible jobs of any queue; each must find another place
//   reclaim        preemptible jobs of other queues, by the rules of fair shares (reclaim_rules.h)
//   preempt        less important preemptible jobs of the same queue
// A minimum run time protects victims of the latter two (min_runtime.h).
//
// stalegangeviction: a gang that has lost tasks for longer than a grace period is evicted.
//
// Memory. Slot kai-gangs has when gangs were started and evicted, and since when they have too few
// tasks (gang_memory.h). Slot kai-usage has what queues have used, where that counts
// (usage_memory.h).
//
// Own state. The actions work on a world (world.h) that is built from the tables when the first
// action begins, and not on the ledger. Three of the peer's notions have no counterpart there:
// releasing resources that a promise makes negative, shared devices that are no devices of the node
// yet, and copies of tasks that are alive at once. What is committed becomes moves of the ledger
// and decisions (report.h), one by one.
//
// Where it surprises:
// - A queue that has moved in the order stays where it is until it is at the top of its heap.
// - Consolidation with a limit of n looks at the first n + 1 jobs by UID alone, and the default of
//   16 therefore rarely finds anything on a large cluster.
// - What a simulation leaves behind. A job that needs only some of its sub-groups may be solved and
//   yet not count as complete. Then nothing is decided, but the cycle goes on with the victims
//   gone.
// - A task that moves between shared devices of one node and back charges the node twice.
// - A task that was evicted and promised another node is noted on both. If a later search takes the
//   promise away and finds a place on the node that the task is leaving, the task keeps its promise
//   instead, although others may have got that room: the node has then promised more than it will
//   have, of any resource.
// - A task without GPUs prefers nodes on which a device is shared.
// - The tasks that a job tries next are kept until one of its tasks changes. After an eviction that
//   is committed, a job that also has pending tasks may so try tasks that are leaving.
// - A queue with more GPUs than its fair share is not over it if it holds no cpu.
// - The one attempt of a job with a backoff fails even if no action came to the job, because of
//   `depth` or of what actions there are.
//
// Ties. Jobs, nodes, queues and tasks end in their UIDs or names. Where the peer goes over a map,
// rows go in ascending order: jobs by `uid_rank`, queues and nodes by name. Shared devices of equal
// scores: the older first.
//
// Not kept:
// - Wall-clock budgets of the search. ScheduleOptions::work_budget cuts between jobs instead.
// - Devices of resource claims (DRA), zones of nodes (the numa plugin), volumes and preferred
//   affinity between pods.
// - A nominated task is decided anew in each cycle, as pods without a node are at the peer.
//
// Cost. Opening costs O(rows + classes * nodes). A task costs O(nodes * dimensions). A simulation
// costs O(victims) evictions, the placement of their tasks and the job's, and the order of all jobs
// that wait.
//
// Proof. There is no slow twin: the recorded decisions of the peer are it. They are the cycles of
// its tests and of random clusters, task by task: status, node and which tasks share a device
// (tests/conformance, adapter kai).
#ifndef MUSTER_PEER_KAI_KAI_H_
#define MUSTER_PEER_KAI_KAI_H_

#include <vector>

#include "lib/session/preset.h"

namespace muster {

Preset KaiPreset();
std::vector<PolicyDecl> KaiPolicies();

}  // namespace muster

#endif  // MUSTER_PEER_KAI_KAI_H_
