// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Volcano 1.16: how it decides, and what of it is kept.
//
//   std::vector<Preset> presets = {VolcanoPreset()};   // "volcano" in spec strings
//
// Volcano schedules gangs of tasks in queues that share a cluster by weight. A cycle runs the
// actions of the profile in order: admit, allocate, backfill. A spec string adds preempt, reclaim,
// gangpreempt, gangreclaim and shuffle. Each action has a file in action/, each policy of Volcano
// alone a file in policy/, and cards/ holds the rules of shared cards.
//
// The loop of allocate, which the other actions resemble:
// 1. Every admitted, valid job with pending tasks that request something enters the heap of its
//    queue. The queue enters the heap of queues.
// 2. The first queue by queue order is popped. An overused queue is dropped for this action.
// 3. The first job of the queue by job order is popped, and takes a turn inside a savepoint.
// 4. In the turn, tasks go in task order. A task that its queue may not take is dropped. The others
//    go to the best node that fits what is idle, else to the best node that fits what will be idle
//    once releasing tasks have gone. The turn ends as soon as the job is ready.
// 5. A turn that ends ready is committed, and the job returns to its heap if tasks are left. A turn
//    that ends pipelined stays applied, but undecided. Any other turn is rolled back.
// 6. The queue returns to the heap of queues, and step 2 follows.
//
// So a gang is placed in one turn, and a job that is ready gets one task a turn. Queues and jobs
// are compared again between any two turns.
//
// How answers combine. Policies are listed in tiers. Orders take the first answer that is not zero.
// Votes stop at the end of the first tier that permits, so a later tier cannot reject. The victims
// are the intersection within a tier, and the first tier that names any decides. In the default
// tiers conformance comes before proportion, which therefore never judges victims.
//
// Where Volcano surprises:
// - A gang that waits for releasing resources keeps its places until the cycle ends, and binds
//   nothing. Other gangs do without these places.
// - An intersection that comes out empty counts as no answer: the next policy of the tier starts
//   again with its own list.
// - Once a task of a role found no node, no later turn of the cycle tries that role. Within a turn,
//   a node that refused one task of a role is not asked again for another one (role_memory.h).
// - A heap compares when it is touched. Shares that moved meanwhile do not sort it again. Victim
//   orders are not strict: for equal tasks both comparisons return true.
// - An eviction that is undone leaves the task running, even if it had only been bound. The view
//   that Kubernetes' filters use goes on without it.
// - preempt takes a node where the task fits without victims. Its second phase keeps each exchange
//   within a job by itself, so a part of a gang may be nominated.
// - reclaim takes the first node in index order, unscored, that has victims.
// - gangpreempt and gangreclaim evict the spare tasks of a gang all together, ten where one would
//   do.
// - A job that waits for admission holds up no other job, so admission is not first come, first
//   served.
//
// Not kept:
// - Node sampling is off: all nodes are searched. Policy sampling turns it on.
// - The extender, which calls a server, does not exist here. The rules of deviceshare are functions
//   in cards/ that no profile calls.
// - Claimed devices and scheduling gates of queues are not read by policy capacity.
// - Whatever the peer leaves to the order of a map, to goroutines or to chance is decided by
//   insertion order: see below.
//
// Ties. Queues and jobs: creation time, then uid rank, then index. Nodes of equal scores: the
// smallest index. Domains: by name. The peer draws at random among equal nodes and lists victims in
// the order of a map. Any member of its set of ties is a right answer, and this is the canonical
// one.
//
// Cost. allocate: one query of a scoreboard a task, and the heaps. preempt and reclaim: O(nodes) a
// task, then the tasks on the nodes tried. A gang with domains: a look at each node of the domain a
// task.
//
// Proof. lib/reference/peer/volcano restates actions and policies slowly, and tests/worlds compares
// every decision, in order, on random worlds and on all worlds of a few rows. The recorded
// decisions of Volcano are compared by
//
//   python3 tests/conformance/run.py ../shared/conformance/volcano
#ifndef MUSTER_PEER_VOLCANO_VOLCANO_H_
#define MUSTER_PEER_VOLCANO_VOLCANO_H_

#include <vector>

#include "lib/session/preset.h"

namespace muster {

Preset VolcanoPreset();
std::vector<PolicyDecl> VolcanoPolicies();

}  // namespace muster

#endif  // MUSTER_PEER_VOLCANO_VOLCANO_H_
