// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Koordinator: how it decides, what of it is a profile, and what a function.
// Derived from kube-scheduler and its cycles (lib/peer/kube_scheduler).
//
//   std::vector<Preset> presets = {KoordinatorPreset()};   // "koordinator" in spec strings
//
// Koordinator extends kube-scheduler: pods go one by one through filter, score, reserve, permit and
// bind. The profile runs the cycles of kube-scheduler 1.37, and asks plug-ins behind the default
// ones (profile/plugins.cc). They call the functions of this folder. A spec string adds action
// rebalance, the descheduler's round, and action colocate, rooms for batch and mid work.
//
// What a cycle asks:
//
//   the queue      coscheduling: one pod stands in it for a group of gangs, once all gangs of the
//                  group have pods enough (profile/gang_plugin.h)
//   the next pod   coscheduling: pods of the group that has its turn come before the queue
//   before all     the elastic quota: groups above their runtime for long lose pods, on demand
//   before nodes   coscheduling, which ends the cycle of a group that failed; then the elastic
//                  quota (profile/quota_plugin.h): preemption may answer its refusal
//   filter, score  measured loads (load_books.h); reservations, which also change what a pod sees
//                  of a node (profile/reservation_plugin.h); CPUs and zones of nodes
//                  (profile/numa_plugin.h); devices (profile/device_plugin.h); scores by kinds of
//                  resources (profile/kind_scores.h)
//   permit         CPUs and zones, where the node turned out to have too few; coscheduling: the pod
//                  waits with its node until its group is complete
//   no node fits   the elastic quota's preemption, within the pod's quota; or, for a pod of a gang
//                  with gang_preemption, room for all pending pods of its group at once
//                  (gangs/gang_preemption.h); then coscheduling, which rejects what waits of a
//                  strict group, whether or not victims were found
//
// A turn ends when the group is complete and bound, or when all its pods were tried: what waits is
// then rejected. So a plan binds a group or leaves nothing of it behind, unless it was cut short.
//
// What a runtime is. Each group has a minimum that is its own, a maximum, and a request. Requests
// rise from the leaves, each cut at its group's maximum. On the way down, each level first hands
// out the minimums, or, where a group lends and requests less, its request. The rest is divided by
// weight among the groups that request more. Where there is less than all minimums, they shrink
// together. Units that a division leaves go to the first names.
//
// Where Koordinator surprises, kept in the functions of this folder:
// - Refreshing is lazy. Only the groups on the refreshed path get their minimum scaled and their
//   runtime renewed, by whatever the siblings' numbers are then. The profile refreshes all of them
//   when a plan begins, and paths within it; policy elastic-quota refreshes all, once.
// - The pod that stands in the queue for a group is the one that came first, not the most important
//   one. A pod of it that fails makes all that follow fail at once, also in a gang that is not
//   strict: such a gang only rejects what waits later.
// - Pods of no quota are never victims of preemption (spare_default=off mends this).
// - A new minimum of a group that does not lend becomes visible to its level only when the group's
//   requests next change.
// - A group of quotas never preempts another one, but for gangs with gang_preemption, which look at
//   no quota. Only less important tasks of the task's own group go (quota/elastic_preemption.h). If
//   the group exceeds its runtime even without them, all of them go, and the node still counts as a
//   success.
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
// - Room for a group is looked for as if each of its pods requested what the one that failed does
//   (profile/gang_room.h).
// - What owners hold of a zone beyond their reservation counts as free for tasks that it does not
//   match (numa/numa_reuse.h). A task that no reservation serves takes devices that reservations
//   which match it keep (device/device_loans.h).
//
// What the folder holds:
// - profile/: the action, and the plug-ins of its cycles.
// - elastic_quota.cc and load_aware.cc: two policies, for profiles that ask policies.
// - quota/: trees, forests, rules of the webhook, preemption within a group, revocation.
//   docs/quota.md describes them.
// - gangs/: gangs and their groups from the queue to permit, and their places in a topology.
// - measured_load.h: the arithmetic of load-aware. scores/: scores by kinds of resources.
// - device/: GPUs, RDMA cards and FPGAs, with what reservations and victims lend; CPU sets, and
//   NUMA hints with scores. device_fleet.h, which filters many machines, is for callers alone.
//   docs/fit.md describes them.
// - numa/, cpu/: amounts and CPUs of a machine's zones, with what reservations and victims lend.
// - reservation/: matches, books, fit and choice of reservations; take-over of tasks. Its cycle,
//   with events and promises, is for tests alone. nomination/: promises of other schedulers. No
//   profile uses it.
// - colocation/: bands of priority; room for batch and mid work, and suppression of best-effort
//   work, action `colocate` (colocate.cc); ratios of CPUs and totals of devices, for tests alone.
// - rebalance/: the descheduler, action `rebalance` (rebalance.cc). low_node_load.h moves tasks off
//   busy nodes, arbitration.h rules on migrations, eviction_rates.h limits them, migration_steps.h
//   carries one out, fragmentation.h and level_drain.h pack nodes. bin_pack.h is for tests alone.
//
// Where the profile differs from the peer:
// - The default plug-ins are those of Kubernetes 1.37, but for their scores: the peer is built on
//   1.35, and so are these (option `kubernetes` of schedule).
// - Times are ticks. Pods that were rejected, and groups that had their turn in vain, are not
//   tried again in the same plan, as time stands still. An event of a pod wakes the pods of its own
//   group of gangs; the peer's wakes those of all.
// - Filters and scores by load leave out resources beside cpu and memory; pods warm up from the
//   time they got their node on, not from when they were initialized. Hooks of quotas and
//   sub-priorities are not known.
// - A reservation without a node is placed by a task that stands for it (profile/stand_ins.h). It
//   serves its owners at once; the peer's does after it was bound. It is no member of a quota or a
//   gang, and evicts nothing, as by the peer's default. An owner that is a controller is
//   known by its kind and name. Devices of pods that are taken over do not become the
//   reservation's.
// - A node without HAMi refuses a task that requests it for its part of a GPU; the peer ends the
//   task's attempt with an error as soon as it looks at such a node.
// - Of devices, templates of shares and virtual functions are not known. With device_zones=off
//   nodes are filtered by devices under policies of zones, too.
// - CPUs and zones are looked at once a node lists some. No task takes CPUs that were chosen
//   beforehand, and a CPU has one holder. Nodes have one ratio for what they show beyond what they
//   have, and 8 zones with amounts at most.
// - Revocation of overuse (`revoke`, off as in the peer) looks when a plan begins, not every
//   second. It keeps disruption budgets, as the peer's eviction API does.
// - Not in the profile: the placement of gangs in topologies. Migrations are moves of action
//   rebalance alone.
// - With gang_preemption a pod of a gang makes room with its group alone, not within its quota too.
//   Pods that got a node count there for those that follow; in the peer they do not. Any less
//   important pod that terminates on a nominated node stops it; in the peer only one that the
//   scheduler preempted does.
//
// Ties. As for kube-scheduler. Where the peer goes through a map, pods of a gang and groups go by
// name and GPUs before other kinds.
//
// Cost. That of kube-scheduler. A plan also begins with O(tasks + queues x dimensions) and one
// division for each level of the tree of quotas. A pod costs a division for each level of its path
// where something changed, and O(log) for its gang. Where nodes are measured, each is looked at.
//
// Proof. lib/reference/peer/koordinator restates trees, preemption, CPU sets, hints and loads
// slowly, and tests/peer/koordinator compares them. The profile as a whole has no slow twin: its
// plug-ins are held to the recorded decisions of Koordinator by
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
