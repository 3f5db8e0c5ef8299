// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Ray's autoscaler: which types of nodes, and how many, hold what waits.
//
//   const std::vector<int64_t> counts = RayWantedNodes(demands);   // by type
//
// The loop (resource_demand_scheduler.py):
// 1. Placement groups become demands: those of pack and spread bundle by bundle, strict_pack as one
//    demand of all its bundles. Each strict_spread group is put on the nodes that are there, one
//    bundle a node, and gets a node of its own for each bundle that is left.
// 2. All demands are put on the nodes that are there: those of more resources first, then those
//    with the larger sum of amounts, then by names and amounts, the larger first. Each goes to the
//    first node with room.
// 3. What is left gets nodes, one at a time: of the type with the best score for all that is left,
//    which then takes what fits, in the same order. It ends when no type holds any demand.
//
// The score of a type for a list of demands is compared member by member:
// - it has no accelerator, or some demand needs one;
// - how many of its resources some demand needs;
// - the least of v * u^3 over its resources, where v is what it has and u the used part of it, once
//   every demand of the list that still fits was put there in turn;
// - the mean of the same.
// A type that holds no demand has no score. Of equal scores the larger name wins.
//
// Where it surprises: labels, taints and node affinity are not looked at, and the scheduler packs
// by other rules. So the nodes may hold less than was planned; NeedNodes (muster/upkeep.h) states
// how many tasks wait with them. The number of tasks is no resource here.
//
// Amounts are compared in the peer's units, as doubles: cores, bytes, devices. The peer draws among
// types of equal price nowhere. Not kept: the minimum of workers a type, the speed of upscaling and
// types that could not be had lately.
// Cost. O(nodes + types) for each demand and each node that is started.
#ifndef MUSTER_PEER_RAY_AUTOSCALER_H_
#define MUSTER_PEER_RAY_AUTOSCALER_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "lib/part/wanted_nodes.h"

namespace muster {

// The resource that marks nodes with accelerators.
inline constexpr char kRayAccelerator[] = "nvidia.com/gpu";

// Amounts in the peer's units, by resource.
using RayDemand = std::map<std::string, double>;
// No accelerator is wasted, matching resources, least use, mean use. The larger is better.
using RayScore = std::tuple<bool, int64_t, double, double>;

// Returns the score of a type with these amounts; nullopt: it holds none of the demands.
std::optional<RayScore> RayTypeScore(const RayDemand& type, const std::vector<RayDemand>& demands);
// Puts the demands on the nodes, and takes what they hold off. `one_each`: on different nodes.
// Returns those that found no room, in the order in which they were tried.
std::vector<RayDemand> RayUnfulfilled(std::vector<RayDemand> demands, bool one_each,
                                      std::vector<RayDemand>* nodes);

std::vector<int64_t> RayWantedNodes(const NodeDemands& demands);

}  // namespace muster

#endif  // MUSTER_PEER_RAY_AUTOSCALER_H_
