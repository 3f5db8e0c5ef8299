// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Koordinator: elastic quotas of queues with gangs; what of it is a profile and what a function.
// Derived from Volcano and its actions (lib/peer/volcano).
//
//   std::vector<Preset> presets = {KoordinatorPreset()};   // "koordinator" in spec strings
//
// Koordinator extends kube-scheduler, so its own loop goes pod by pod: filter, score, reserve, wait
// at permit until the gang is complete. The profile keeps what these steps compute, and not the
// loop. A cycle runs Volcano's allocate. A spec string adds its backfill and preempt, action
// rebalance, the descheduler's round, and action colocate, rooms for batch and mid work.
//
// The loop of the profile:
// 1. When the cycle opens, policy elastic-quota refreshes the runtime of every queue
//    (quota/elastic_tree.h).
// 2. Queues take turns, and in a turn a job is placed as in lib/peer/volcano/volcano.h.
// 3. Before a task is placed, its queue must stay within its runtime with it. If the task cannot be
//    preempted, all such tasks of the queue must also stay within its minimum.
// 4. Policy load-aware refuses nodes if their measured load, with estimates, would exceed a
//    threshold. It prefers nodes with more room.
// 5. All policies that answer must agree on a victim (VictimRule::kStrict).
//
// What a runtime is. Each group has a minimum that is its own, a maximum, and a request. Requests
// rise from the leaves, each cut at its group's maximum. On the way down, each level first hands
// out the minimums, or, where a group lends and requests less, its request. The rest is divided by
// weight among the groups that request more. Where there is less than all minimums, they shrink
// together. Units that a division leaves go to the first names.
//
// Where Koordinator surprises, kept in the functions of this folder:
// - Refreshing is lazy. Only the groups on the refreshed path get their minimum scaled and their
//   runtime renewed, by whatever the siblings' numbers are then. The policy refreshes all of them
//   in one order when the cycle opens.
// - A new minimum of a group that does not lend becomes visible to its level only when the group's
//   requests next change.
// - A group never preempts another group. Only less important tasks of the task's own group go
//   (quota/elastic_preemption.h). If the group exceeds its runtime even without them, all of them
//   go, and the node still counts as a success.
// - A victim that fits neither the node nor the runtime is removed twice, which gives the node up.
// - While tasks leave during a revocation, resources that the latest of them does not name are
//   forgotten (quota/elastic_revoke.h).
// - Whole cores gathered from three or more sockets may be more CPUs than requested
//   (device/cpu_accumulator.h).
// - A partition's score counts the wrong way round when groups are tried, and a part of a GPU is
//   scored with free and total exchanged (device/device_allocator.h).
// - The least score of load-aware looks at resources without weight, too, and begins at 100.
// - A descheduler's check whether a task fits a node adds the task's usage to that node, whether or
//   not the task leaves later (rebalance/low_node_load.h).
// - Room for batch work by the larger of usage and requests leaves out tasks without a measurement
//   on a node and counts them in its zones (colocation/batch_room.h).
// - A group of gangs of which a task was ever bound is never held up again (gangs/gang_book.h).
//
// What the folder holds:
// - elastic_quota.cc and load_aware.cc: the two policies.
// - quota/: trees, forests, rules of the webhook, preemption within a group, revocation.
//   docs/quota.md describes them.
// - device/: CPU sets, GPUs, RDMA cards and FPGAs, NUMA hints with scores; device_loans.h has what
//   reservations and victims lend, device_fleet.h filters many machines. docs/fit.md describes
//   them. No profile uses them.
// - numa/: amounts and CPUs of a machine's zones, with what reservations and victims lend. No
//   profile uses it.
// - measured_load.h: the arithmetic of load-aware. scores/: scores by kinds of resources.
// - colocation/: bands of priority; room for batch and mid work, and suppression of best-effort
//   work, action `colocate` (colocate.cc); ratios of CPUs and totals of devices, for tests alone.
// - rebalance/: the descheduler, action `rebalance` (rebalance.cc). low_node_load.h moves tasks off
//   busy nodes, arbitration.h rules on migrations, eviction_rates.h limits them, migration_steps.h
//   carries one out, fragmentation.h and level_drain.h pack nodes. bin_pack.h is for tests alone.
// - gangs/: gangs and their groups from the queue to permit, and their places in a topology.
//
// Not kept in the functions: gangs that displace others, and isolation of shared GPUs by HAMi.
//
// Not kept in the profile: the loop pod by pod, gangs that wait at permit, reservations,
// Koordinator's own choice of devices and CPUs, gang preemption, the production view of loads. Of
// what is being released, a queue's use no longer counts; the peer counts it until it is gone. A
// dimension that the limit does not name is unlimited, as the peer's default group is.
//
// Ties. As for Volcano. Where the peer goes through a map, groups go by name and GPUs before other
// kinds.
//
// Cost. O(queues x dimensions) to look for changes when a cycle opens, one division among the
// children of each queue below which something changed, and O(depth x dimensions) a question. One
// look at every candidate node where nodes are measured.
//
// Proof. lib/reference/peer/koordinator restates trees, preemption, CPU sets, hints and loads
// slowly, and tests/peer/koordinator compares them. The profile as a whole has no slow twin: the
// recorded decisions of Koordinator are its twin, compared by
//
//   python3 tests/conformance/run.py ../shared/conformance/koordinator
#ifndef MUSTER_PEER_KOORDINATOR_KOORDINATOR_H_
#define MUSTER_PEER_KOORDINATOR_KOORDINATOR_H_

#include <vector>

#include "lib/session/preset.h"

namespace muster {

Preset KoordinatorPreset();
std::vector<PolicyDecl> KoordinatorPolicies();

}  // namespace muster

#endif  // MUSTER_PEER_KOORDINATOR_KOORDINATOR_H_
