// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// kube-scheduler 1.37: how it decides, and what of it is kept.
//
//   std::vector<Preset> presets = {KubeSchedulerPreset()};   // "kube-scheduler" in spec strings
//
// The scheduler takes pods one by one, or pod groups whole. A profile has one action, schedule,
// which runs scheduling cycles until no pod is ready. Tasks without a job are pods; a job with
// JobSpec::pod_group is a pod group. Other jobs mean nothing here: their tasks are pods.
//
// A cycle (scheduler.cc, pod_cycle.cc, pod_scores.cc):
// 1. The first pod of the queue is popped (pod_queue.h).
// 2. A nominated node is tried first, alone. If the pod passes there, no other node is looked at.
// 3. Nodes are filtered in the snapshot's order, zone by zone in turn (node_tree.h), from a start
//    that moves on with each scan. From 100 nodes on the scan ends once enough are found.
// 4. The feasible nodes are scored, each plug-in's score is scaled and weighed, and the root of a
//    heap over the sums wins.
// 5. A pod without a node tries preemption (preemption.h), and waits for an event that one of the
//    plug-ins that rejected it takes for a reason to try again (wake.h).
// A pod group is tried member by member, and bound or undone as a whole (group_turn.cc).
//
// Where the peer surprises:
// - The winner of a tie is not the first best node: sums 1, 1, 5, 5 choose the fourth.
// - The score counts containers alone: a request of the pod as a whole is ignored for the incoming
//   pod, and counts for pods that are there.
// - Numbers of nodes with an image are those of the last change of each node (image_counts.h), so
//   two nodes with equal images may score differently.
// - A pod with contradicting node names gets the message "not found": another plug-in's step fails,
//   and preemption is not tried.
// - Hints take every namespace for one without labels, whatever labels it has.
// - A candidate with a broken budget is kept only as long as fewer than the wanted number are.
// - With an idle queue backoff delays nothing: the first pod that backs off is popped at once. Pod
//   groups and errors do wait.
// - A member of a group that is being tried knows the nominations of the others by name alone.
// - Default spread of kind System switches batching off for all pods.
//
// What differs from the peer. Of the versions in lib/kube only the balanced score is used: filters
// there answer for classes of nodes at once, in another order, and name one reason a node. The
// peer's answers need all reasons of NodeResourcesFit, the plug-in of each refusal, and counts that
// a dry run changes pod by pod, so its rules are restated here over labels, taints and selectors of
// lib/kube. Decisions are those of the synchronous preemption; the asynchronous one is a race. A
// plan cannot clear a nomination in the cluster: a cleared one is cleared in the memory, which the
// next cycle reads. TaskSpec::nominated_node keeps the old name until its next change.
//
// Left out: volumes, claims, extenders, several profiles, resizing of running pods, composite
// groups, topology-aware placement of groups. The importer reports what it meets of them.
//
// Memory. Slots kube-queue and kube-groups have the queue, kube-cycle the start, clock and
// counters, kube-nodes and kube-pods what events are compared with (packed_rows.h), kube-images and
// kube-batch what their files say. A cycle follows the events since the last plan, in their order.
// schedule(cycles=0) follows them and decides nothing. schedule(trace=on) writes the last cycle to
// kube-trace.
//
// Clock. `now`, `started` and `created` are ticks; schedule(ticks=1000) for milliseconds. Backoff
// and the longest wait are whole seconds.
//
// Ties. As the peer breaks them with one thread. With more threads any of the best is its answer,
// as is that of `node_ties`: of equal sums the first by that rule.
// Equal candidates of preemption go by name.
//
// Speed. What nodes and other pods mean to a class of pods is kept from one pod to the next
// (class_state.h), and so are scores of nodes (class_board.h) and dry runs (DryRuns). The twin of
// the latter two is the same action with trace=on (tests/worlds/kube_scheduler_test.cc).
//
// Cost. A plan reads the memory and all tasks: O(nodes + tasks). A cycle: O(log nodes) where the
// class has no rules about other pods or preferred nodes and all nodes are searched, else O(nodes)
// of those that are searched. Preemption: O(victims) filters on each node tried that changed.
//
// Proof. All recorded runs of the peer are replayed on a living cluster, and compared field by
// field (tests/conformance/adapters/kube_scheduler.py):
//
//   python3 tests/conformance/run.py ../shared/conformance/kube-scheduler
#ifndef MUSTER_PEER_KUBE_SCHEDULER_KUBE_SCHEDULER_H_
#define MUSTER_PEER_KUBE_SCHEDULER_KUBE_SCHEDULER_H_

#include "lib/session/preset.h"

namespace muster {

Preset KubeSchedulerPreset();

}  // namespace muster

#endif  // MUSTER_PEER_KUBE_SCHEDULER_KUBE_SCHEDULER_H_
