// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The default profile: fair shares over the queue tree, whole gangs, as few evictions as possible.
//
//   std::vector<Preset> presets = {MusterPreset()};   // "muster" in spec strings
//
// This profile follows no peer. It is progressive filling (Ghodsi et al., 2011) over a tree of
// queues, with gangs, evictions that reach a fixed point, exact devices and NUMA zones. A cycle
// runs allocate, reclaim and preempt. There is no admission: every job may request nodes.
//
// The loop of allocate (fair_fill.h):
// 1. Promises first. A job that is whole, or becomes whole, by its nominated tasks takes its turn
//    before all others.
// 2. The walk (lib/part/queue_tree_walk.h) goes down the queue tree, at each level to the child
//    that goes first, and returns the first job by job order. An inner queue's own jobs go before
//    its children.
// 3. In a turn a gang that is not whole gets all the places it lacks, or none. A whole gang gets
//    one task, so shares are compared again between any two tasks.
// 4. A turn has one of three ends. A gang that is whole on idle resources is bound. A gang that is
//    whole, but partly on resources being released, is nominated as a whole. Any other gang is
//    rolled back, and the others go on.
// 5. A gang of unlike tasks that found no place one after another is searched as a whole
//    (gang_repack.h), with a budget of `tries` placements. Like tasks need no such search.
// 6. A job with a topology wish is tried domain by domain, the narrowest first, by name. A soft
//    wish ends with the whole cluster.
//
// The first gang that finds no place is promised a start, and others then go ahead only if they
// keep the promise (fair_promise.h). Policy due orders the jobs of a queue, so that short jobs go
// first and every job becomes the first in time (lib/policy/due.cc).
//
// What a queue deserves (fairshare.cc) is divided from the roots down by weight, up to what each
// child requests and at least its guarantee, in exact integers. The rest may be borrowed up to the
// limit. One rule governs reclaiming from both sides: the asker stays within what it deserves, and
// the giver holds more than it deserves.
//
// The loop of reclaim and preempt (fair_evict.cc):
// 1. Jobs take turns in fair order, for the same tasks as in allocate.
// 2. Each task gets a free place, or the cheapest set of victims (victim_choices.h): fewest
//    victims, then lowest priority, then youngest, then the node of smallest index. reclaim takes
//    from other queues what they borrowed. preempt takes from jobs of lower priority in the same
//    queue.
// 3. If the whole turn has places, victims that turn out to be needless stay running; the last is
//    tried first. The others are evicted, and the turn is nominated. If not, everything is rolled
//    back.
//    An eviction has to pay: `exchange` weighs what is lost against what was waited for.
// 4. After evictions, free resources are filled again, and turns are taken again until a round
//    evicts nothing. So the next cycle evicts nothing either.
//
// Where it surprises:
// - A gang on releasing resources is nominated and starts later, all of it at once.
// - A gang that cannot spare a victim goes whole, with all its tasks wherever they run.
// - No task is evicted for a job that must be in one domain of the tree: it waits for free nodes.
// - A nomination names no devices. They are chosen when the task binds.
// - Sets of victims are searched exactly where no more than 16 tasks or gangs of a node could go.
//   Where more could go, the plain order decides.
// - A candidate node that got better since nodes were ranked may be overlooked until its turn
//   comes.
//
// All policies that answer must agree on a victim (VictimRule::kStrict). Disruption budgets count
// all evictions of the plan. docs/policies.md lists what each invariant promises, and how often a
// gang that could be placed is not, with the commands that count it.
//
// Ties. Fair order and job order are total. Of equal scores, the node of smallest index.
//
// Cost. allocate: one query of a scoreboard a task, and one path of the tree a turn. Evictions: one
// look at the tasks of every node for each kind of asker, then at one node a task. A round in which
// no queue has anything to give takes no turns.
//
// Proof. lib/reference/peer/muster restates shares, filling, packing and evictions slowly, and
// tests/worlds compares every decision, in order, on random worlds. tests/support/validator.h
// counts the invariants anew. Brute force over small worlds counts the gangs that were missed
// (tests/worlds/brute_force_test.cc, brute_force_devices_test.cc).
#ifndef MUSTER_PEER_MUSTER_MUSTER_H_
#define MUSTER_PEER_MUSTER_MUSTER_H_

#include <vector>

#include "lib/session/preset.h"

namespace muster {

Preset MusterPreset();
std::vector<PolicyDecl> MusterPolicies();

}  // namespace muster

#endif  // MUSTER_PEER_MUSTER_MUSTER_H_
