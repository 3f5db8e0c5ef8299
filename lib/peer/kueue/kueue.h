// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Kueue: quota admission without nodes; how it decides, what of it is kept, and where it surprises.
//
// Profile kueue (profile.h) has the action admit (admit.cc), which runs this core:
//
//   kueue::World world;                    // flavors, ClusterQueues, cohorts, workloads
//   kueue::Scheduler scheduler(&world);
//   scheduler.Push(w);                     // for each workload that waits
//   kueue::CycleResult result = scheduler.Run();
//
// A workload requests pods in pod sets. Its ClusterQueue has quota in flavors, and may borrow from
// the other queues of its cohort. Admission assigns a flavor to each resource of each pod set, and
// places in a topology where the flavor has one. No pod is placed on a node by it.
//
// The parts:
//
//   quota_tree       what each node of the tree of cohorts may use, borrows, and lends
//   flavor_scan      a flavor for each resource, and how well it fits
//   victims          which workloads are evicted: classical_victims, fair_victims
//   fair_share       dominant shares of queues and cohorts
//   entry_order      the order of turns within a cycle
//   pending          the queues: heaps, workloads that wait apart, the sticky preemptor
//   partial          fewer pods than requested
//   topology*        places; topology_world joins them with the rest, topology_hosts and
//                    job_settings read nodes and requests of the cluster
//   giving_order     with fair sharing, which queue gives a victim next
//   workload_rules   how a workload is read: its priority, since when it waits, what it requests
//   workload_status  its conditions, and which changes of it are worth another attempt
//   pod_limits       LimitRanges: defaults and bounds of what pods request
//   slices           which workloads of a job that grows stay
//   readiness        what keeps a ClusterQueue from admitting
//   cohort_path      ways up in a forest that may have cycles
//   local_usage      what LocalQueues have used, and how it decays
//   usage_memory     that from plan to plan, for the profile
//   queue_memory     sticky preemptors and searches from plan to plan
//   node_failures    which hosts of an admission have failed
//   task_places      where the tasks of an admitted job may go: places
//   flavor_nodes     the same: labels of flavors
//   admission_checks which checks a workload has to pass; closed_jobs keeps tasks from nodes
//                    while one is open
//   plain_queues     quota for queues without groups, as those of traces are
//   pod_tables       the cluster as the scheduler of the pods sees it, for action schedule
//   gates            feature gates by Kueue's names; admit_options has those that users set
//   cycle            all of it, once
//
// The cycle:
// 1. Each active ClusterQueue gives its first workload.
// 2. All are nominated against one state: flavors, victims, fewer pods, places.
// 3. They take turns: those that borrow from lower in the tree first, then by priority, then by
//    time; with fair sharing by a tournament of shares.
// 4. A turn checks again that the workload fits what is left, with all victims of this cycle gone.
//    If its victims are victims of another turn, or its places are taken, it is nominated once
//    more, in the flavors that it had.
// 5. What fits is admitted. What has victims evicts them and waits. What has none may keep others
//    from taking what it waits for.
// 6. The rest goes back to its queue: to the heap if trying again may help, else apart.
//
// Where Kueue surprises, kept on purpose:
// - Resources are looked at in the order of a hash of their names. The first of a group of
//   resources starts the scan, and its position is the one that the next attempt goes on from.
// - A workload that fitted and was skipped goes on with the next flavor in the next cycle.
// - A term of a required node affinity without a label of the flavor matches every flavor.
// - A queue that prefers preemption over borrowing can count a flavor as fitting although one of
//   its resources needs evictions. Such a workload is then skipped, as it does not fit.
// - Victims that are not needed are given back in the reverse of their order, but for the last.
//   Giving back does not ask about fair shares again.
// - Evicted workloads use quota until they release it, and are the first candidates until then.
// - Below a cycle of cohorts no ClusterQueue admits; the cohorts on it share nothing.
// - Queues that are stopped, or lack a flavor, use quota of their cohort and are no candidates.
// - Where the rest of a request turns negative on the way up, a cohort counts as not borrowing.
// - A workload keeps its place in front, once it evicted others, even if it is evicted itself later
//   and comes back. Usage of LocalQueues still comes before that place.
// - Two entries of one queue collide in a tournament; one of them gets no turn.
// - A share of 0 can belong to a queue that borrows: its parent has nothing to lend.
// - Whether the evictor is within its own quota is asked once, before any victim is taken.
//
// Ties. Kueue goes through queues in the order of a hash table: entries of different queues that
// are equal in all keys, and equal shares of cohorts, are drawn by chance. Here the order of queues
// decides. The record of the peer has no case in which that changed a decision, but one: heads of
// equal usage, of equal age and without uid.
//
// Not kept:
// - The clockwork around the cycle: batches of a second for returns, sleeps between cycles, second
//   passes that are repeated with growing delays. The caller decides when a cycle runs.
// - Waiting until pods are ready (blockAdmission), writes that fail, MultiKueue's dispatch.
//
// Obstacles have the numbers: which flavor and resource lacks how much. messages.h makes Kueue's
// messages of them, which the profile prints.
//
// The profile reads the cluster's tables (read_world.h). It makes the world anew in each plan. Its
// memory has the usage of LocalQueues, sticky preemptors that still wait, and how far the searches
// of the last cycle got (queue_memory.h). All that wait are tried again when a plan begins.
//
// Usage is settled at the beginning of a plan, if the interval of sampling is over, and when a
// workload is admitted. Kueue samples once an interval whatever it decides: usage that came and
// went between two plans is not seen here.
//
// The cluster's tables have no facts for, and so the profile has defaults of: variants. LocalQueues
// that are stopped are settings of their queue. States of admission checks are given, and what has
// quota has an admission: with an open check its tasks get no node (closed_jobs.h). Tasks that are
// rows have no least count: only jobs by count are admitted in part. Tasks of one group that differ
// are pod sets of their own: each finds its places alone. A victim is pending at once, and holds
// its quota while a task of it is on a node; one by count gives its quota back at once. Rows of
// tasks are the spec: a row that is removed is no pod of its job.
//
// Cost. A cycle costs its heads, not its queues' lengths: workloads of equal hash wait in one
// bucket, and all of them change sides by a swap. Simulations are undone by a log of the cells that
// they changed. Victims of one queue are kept in order, and those of several are merged only as far
// as the search goes. bench/kueue_bench.cc has the peer's workloads.
//
// Proof. There is no slow twin of the profile: the recorded decisions are it. Every
// recorded cycle, search and rule is put to this code by
//
//   python3 tests/conformance/run.py ../shared/conformance/kueue
#ifndef MUSTER_PEER_KUEUE_KUEUE_H_
#define MUSTER_PEER_KUEUE_KUEUE_H_

#include "lib/peer/kueue/cycle.h"
#include "lib/peer/kueue/world.h"

#endif  // MUSTER_PEER_KUEUE_KUEUE_H_
