// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// scheduler-plugins: elastic quotas of namespaces, and preemption under them; how they decide.
//
//   CapacityCluster cluster;
//   cluster.quotas().Add("vision", {.min = {{{"cpu", 16000}}}, .max = {{{"cpu", 64000}}}});
//   absl::StatusOr<CapacityCluster::Demand> demand = cluster.DemandOf(task);
//   cluster.Admit(*demand);       // kFits, kAboveMax, kAboveMins
//   cluster.DryRun(*demand, 0);   // victims on node 0, or why there are none
//
// scheduler-plugins extends kube-scheduler: pods come one by one through filter, score, reserve,
// permit and bind, and a pod that fits nowhere may preempt. This folder holds its plug-ins as
// functions, and profile scheduler-plugins (profile.h), which runs the cycles of kube-scheduler
// 1.37, with the scores of 1.35, on which the peer is built, and asks the plug-ins that its options
// switch on, behind the default ones.
//
// What a cycle asks (plugins.cc):
//
//   the queue      coscheduling by the age of groups (gangs.h), or service (exemption.h), or time
//   before nodes   coscheduling, then capacity scheduling (quotas.h): a refusal of the first ends
//                  the cycle, one of the second may be answered by preemption
//   filter         zones, then the network of applications (node_plugins.h)
//   scores         allocatable amounts, pod state, zones, target load, load variation, low risk,
//                  network, power, marks
//   permit         coscheduling: the pod waits with its node, is bound with those that waited, or
//                  is refused because its group is missing
//   no node fits   capacity scheduling's preemption, or that with toleration (exemption.h), or the
//                  default one; then coscheduling, which may reject what waits of the group
//
// Where the profile differs from the peer:
// - A pod waits as status `waiting` of the cluster. If it is rejected in the plan that reserved its
//   node, the node is free at once. If an earlier plan did, the pod is evicted, and its room counts
//   until the caller reports its end.
// - What was rejected while it waited, and the pod that caused that, are not tried again in the
//   same plan: time stands still, and they would take and give up the same nodes for ever. What
//   woke them takes effect when the plan ends.
// - Times are ticks. The queue goes by names where the peer goes by fractions of a second.
// - Message and choice are the peer's where it has one: only a node that a dry run gives up
//   (kRemovedTwice, kNeedless) counts as one that preemption does not help, where the peer fails.
// - The order of an application's workloads and system calls are functions alone: the model has no
//   profiles of system calls, and that order is none among pods of several applications. Caches of
//   zones are functions, too: a plan reads the cluster anew.
// - Marks of nodes that are times are numbers here: their seconds, of which the highest is newest.
// - Tasks have no limits beside guaranteed ones, and cpu and memory of a node are measured together
//   or not at all. Load variation and low risk go by what is there.
//
// Admission (capacity_quotas.h):
// 1. A task of a namespace without a quota always passes.
// 2. Tasks nominated to nodes count as if they ran. Those of the same namespace count where they
//    are at least as important. Those of other namespaces count while these are within their
//    minimums.
// 3. The namespace's use with the task must stay within its maximum.
// 4. The use of all namespaces with the task must stay within the sum of all minimums. So what a
//    namespace borrows is always an unused minimum of another one.
//
// Preemption on one node (capacity_preemption.h):
// 1. The tasks of the node go least important first. If the namespace stays within its minimum with
//    the task, candidates are tasks of any other namespace above its minimum, whatever their
//    priority. If not, candidates are less important tasks of its own namespace. Tasks outside of
//    quotas preempt only one another.
// 2. All candidates leave. The task must then fit the node and its quotas.
// 3. Candidates come back one by one, the most important first, those that break a disruption
//    budget before all others. One that no longer fits is a victim.
//
// The best node: fewest broken budgets, least important first victim, smallest sum of priorities,
// fewest victims, latest start of the most important, first node.
//
// Where scheduler-plugins surprises:
// - A namespace within its minimum reclaims whatever the priorities, even from more important
//   tasks.
// - The recorded dry run does not see what leaving victims give back to the quotas, because the
//   plug-in was run without its step before filtering. A namespace above its minimum stays so, and
//   a task that its quotas refused nearly always ends with kOverQuota. With Options::quotas_follow
//   it does, as in the peer's own configuration; in the profile that is the default.
// - A victim that fits neither the node nor the quota is removed twice, which gives the node up
//   (kRemovedTwice).
// - A maximum that is given but does not name cpu, memory, ephemeral-storage or pods bounds these
//   by 0. Any other resource that it does not name is unbounded.
// - The sum over all namespaces is also checked in resources that the task does not request. One
//   namespace above the sum of minimums in such a resource holds up every task.
// - A broken budget is counted only for a victim that the node, and not the quota, refused.
//
// The rules as functions of data:
// - scores by measured load: load/metrics.h, load/load_scores.h, load/risk.h, load/recent_pods.h
// - scores by allocatable amounts and by marks of nodes: node_scores.h
// - coscheduling: the order of groups, whether a pod is tried, waits, or takes its group with it:
//   coscheduling.h
// - costs between nodes of an application, and the order of its workloads: network.h
// - scores by the system calls of pods: system_calls.h
// - tolerated preemption and the order by service: exemption.h
// - what plugins read from pods: pod_view.h; from the topology managers of nodes: zone_config.h
// - what is known of zones between the reports of nodes, and what victims would return to them:
//   zones/node_report.h, zones/zone_cache.h, zones/eviction.h
//
// Not kept by the functions. Filters other than resources are the caller's, and so are objects,
// clocks and queues.
// Sums of quotas saturate nowhere: they are exact past the end of 64 bits, where the peer's wrap.
//
// Ties. Equally important tasks: the order in which they are listed. Nodes that are equal in all of
// the above: the first.
//
// Cost. A question or an event of the quotas: O(resources), whatever the number of namespaces. A
// dry run: O(tasks of the node x resources), and a sort.
//
// Proof. lib/reference/peer/scheduler_plugins restates the quotas slowly, and
// tests/peer/scheduler_plugins compares them. The recorded decisions of scheduler-plugins are
// compared by
//
//   python3 tests/conformance/run.py ../shared/conformance/scheduler-plugins
#ifndef MUSTER_PEER_SCHEDULER_PLUGINS_SCHEDULER_PLUGINS_H_
#define MUSTER_PEER_SCHEDULER_PLUGINS_SCHEDULER_PLUGINS_H_

#endif  // MUSTER_PEER_SCHEDULER_PLUGINS_SCHEDULER_PLUGINS_H_
