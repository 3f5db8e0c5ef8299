// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Which less important tasks leave so that all pending pods of a group of gangs get places at once.
//
//   class Rooms : public GangRooms { ... };                  // books of the nodes for a dry run
//   GangRoom found = MakeGangRoom(pods, nodes, &rooms);
//   for (const auto& [node, victim] : found.victims) Evict(nodes[node].victims[victim]);
//
// Idea. All possible victims leave all nodes. The pods then go one by one to the cheapest node with
// room, and stay there for those that follow. On each node that got pods, victims come back one by
// one, the most important first, as long as all pods of the node still fit.
//
// The cost of a node is a sum over the jobs of its victims: the rank of the priority of the job's
// first victim there, among all priorities of victims, the lowest being 0. A node without victims
// costs nothing.
//
// Surprises. Cost counts jobs, not tasks. A node with victims of the lowest priority alone is as
// cheap as an empty one. A node that refused a pod is not tried for the pods that follow.
//
// Peer. Koordinator's job preemption. Budgets are not looked at, as there. It places each pod as if
// none were placed before: more pods may get a node than fit there.
// Ties. Of equal costs the first node; of equal priorities the job, then the name of the victim.
// Cost. O(pods * nodes) questions, and O(victims * pods) on the nodes that got pods.
#ifndef MUSTER_PEER_KOORDINATOR_GANGS_GANG_PREEMPTION_H_
#define MUSTER_PEER_KOORDINATOR_GANGS_GANG_PREEMPTION_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace muster::koordinator {

struct GangVictim {
  std::string name = {};
  std::string job = {};  // empty: none; such victims cost as one job
  int32_t priority = 0;
};

// A node on which an eviction can help, with its possible victims in the order of its own list.
struct GangNode {
  std::vector<GangVictim> victims = {};
};

// The nodes of a dry run. Nodes, victims and pods have the numbers of the lists below.
class GangRooms {
 public:
  virtual ~GangRooms() = default;
  // A victim leaves the node (-1), or comes back (+1).
  virtual void MoveVictim(size_t node, size_t victim, int sign) = 0;
  // A pod of the group is on the node from now on (+1), or no more (-1).
  virtual void MovePod(size_t pod, size_t node, int sign) = 0;
  virtual bool Fits(size_t pod, size_t node) = 0;
};

struct GangRoom {
  std::vector<size_t> places = {};                      // the node of each pod; empty: no way
  std::vector<std::pair<size_t, size_t>> victims = {};  // nodes and victims
};

// `nodes`: by name. The rooms are as they were when this returns.
GangRoom MakeGangRoom(size_t pods, std::span<const GangNode> nodes, GangRooms* rooms);

}  // namespace muster::koordinator

#endif  // MUSTER_PEER_KOORDINATOR_GANGS_GANG_PREEMPTION_H_
