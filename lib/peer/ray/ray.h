// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Ray: placement groups, and its hybrid policy for single tasks; how they decide and what of them
// is kept.
//
//   std::vector<Preset> presets = {RayPreset()};   // "ray" in spec strings
//
// Ray has no queues, shares or priorities. Work is placed first come, first served, in two forms: a
// group of bundles that is placed whole, or a single task. A cycle runs one action, allocate.
//
// The loop:
// 1. Jobs with pending tasks go in job order, which without policies is the order of creation. Each
//    gets one turn. Groups that lost bundles go before all others, as in Ray's queue of groups: a
//    group with bundles in place was placed whole, so those that wait were lost.
// 2. A job with a `bundle_strategy` is one placement group. Its pending tasks are the bundles, and
//    all of them are placed, or none.
// 3. The tasks of any other job are placed one by one by the hybrid policy.
//
// Bundles (bundles.h) go the most important first: by what they take of the scarcest resource, then
// of the next. The order of resources is the accelerator, all others in the order of the cluster's
// dimensions, object_store_memory, memory, cpu. A node's score is the sum, over what the bundle
// takes, of the part of the free amount that would stay free. So the emptiest node wins.
// - pack: the best node for the most important bundle, then all others that still fit there; then
//   the next node.
// - spread: the best node without a bundle of the group, else the best with one.
// - strict_pack: one node for all, the nominated one if it has room.
// - strict_spread: one node each, and none that the group already uses.
//
// The accelerator is kept by device (device_parts.h), where it is counted in thousandths: a bundle
// or task takes a part of one device, or whole ones. Any other request fits nowhere.
//
// With `ray/domain` among its settings (task_strategy.h), a group goes to nodes with one value of
// that label, such as one rack: values are tried in the order of their texts, each by the strategy
// of the group, and the first that places all wins. Bundles that run already fix the value; one
// that runs on a node without the label, or two at different values, make the rest of the group
// infeasible: Ray keeps one domain with a group, and never has such a case.
//
// A group is infeasible if some bundle is larger than every node it may use, or if the strategy
// needs more nodes than there are. Otherwise a group without places failed for now. Reasons
// separate the two (`infeasible`, `gang_undone`).
//
// A single task (node_choice.h) goes to its nominated node unless that node is busier than the
// least busy one that fits; then it goes to the least busy one. How busy a node is, is the largest
// used part of its cpu and memory. Below `threshold` (0.5) it counts as 0. With
// `avoid_accelerators`, a task that needs no accelerator first tries the nodes without one.
//
// A job's settings give its single tasks another strategy (task_strategy.h): spread, random, a node
// of their own, hard or soft, or nodes by hard and soft labels.
//
// autoscaler.h chooses the nodes that Ray's autoscaler would start for what waits; NeedNodes
// (muster/upkeep.h) asks it.
//
// Where Ray surprises:
// - The emptiest node wins even under pack: pack saves nodes, not space.
// - Scores of single tasks are single precision, as in the peer.
// - `min_available`, priorities, queues, gangs of other profiles and topology are not read.
// - Bundles of a group that run already take part: strict_pack continues on their node, and
//   strict_spread leaves their nodes out. Ray loses a group as a whole and has no such case.
//
// Not kept:
// - Ray retries a failed group after a while, and an infeasible one when a node comes. Here every
//   cycle tries both.
// - Ray draws among the best fifth of the nodes for a task. Here the first is taken unless the
//   options `top` and `top_fraction` let the seed of the cycle draw.
// - Ray knows which device a task has. Here those that run are taken to have packed the devices of
//   their node, the largest requests first.
// - Labels, taints and the like are rules of policy predicates, which Ray does not have.
//
// Ties. Where Ray takes the first of equal nodes in the order of a hash table, the first node in
// index order wins. The number of tasks counts as the last resource where some node limits it.
//
// Cost. Bundles of one shape share one heap of nodes: O(shapes x nodes + bundles x log nodes). For
// spread beyond one bundle a node, O(nodes used) for each further bundle. O(nodes) a single task.
//
// Proof. lib/reference/peer/ray restates bundles and the action slowly, and
// tests/worlds/ray_test.cc compares every decision on random worlds. The recorded decisions of Ray
// are compared by
//
//   python3 tests/conformance/run.py ../shared/conformance/ray
#ifndef MUSTER_PEER_RAY_RAY_H_
#define MUSTER_PEER_RAY_RAY_H_

#include "lib/session/preset.h"

namespace muster {

Preset RayPreset();
ActionDecl RayAllocateAction();

}  // namespace muster

#endif  // MUSTER_PEER_RAY_RAY_H_
