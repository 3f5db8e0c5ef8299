// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The tree of domains, sub-groups of jobs and what both wish, looked up from the tables every time.
//
// A vertex is the name of a domain; the empty name is the root above all. A set of nodes is a set.
#ifndef MUSTER_REFERENCE_PEER_VOLCANO_NETWORK_TOPOLOGY_H_
#define MUSTER_REFERENCE_PEER_VOLCANO_NETWORK_TOPOLOGY_H_

#include <map>
#include <optional>
#include <set>
#include <vector>

#include "lib/reference/cycle.h"

namespace muster::reference {

// A domain by its name; the empty one is above all.
using Vertex = std::string;

// What network-topology-aware knows of a domain: sums over its nodes when the cycle opened.
struct VertexBook {
  Row allocatable, used, idle, future_idle;
};

// Where jobs and their parts are in the tree of domains.
struct TreeBook {
  std::map<Vertex, VertexBook> vertices;
  std::map<JobIndex, std::optional<Vertex>> job_place;
  std::map<Part, std::optional<Vertex>> part_place;
  std::optional<Vertex> anchor;  // of the part that is being placed
  // Of allocate: the domain chosen for a job, and what tries in each domain found for its parts.
  std::map<JobIndex, Vertex> chosen;
  std::map<std::pair<JobIndex, Vertex>, std::map<Part, std::optional<Vertex>>> noted;
};

inline TreeBook& Tree(Cycle& cycle) { return cycle.kept.Of<TreeBook>(); }
inline const TreeBook& Tree(const Cycle& cycle) { return cycle.kept.Of<TreeBook>(); }

// The tree.
int32_t TierOf(const Cycle& cycle, const Vertex& vertex);
std::set<NodeIndex> NodesIn(const Cycle& cycle, const Vertex& vertex);
// The domain of the lowest tier there is that holds the node.
std::optional<Vertex> LowestOf(const Cycle& cycle, NodeIndex node);
std::vector<Vertex> VerticesBelow(const Cycle& cycle, const Vertex& vertex);  // children, by name
std::vector<Vertex> WayUp(const Cycle& cycle, const Vertex& vertex);          // itself first
std::optional<Vertex> MeetingPoint(const Cycle& cycle, const std::optional<Vertex>& a,
                                   const std::optional<Vertex>& b);

// What jobs and their parts wish.
struct HowHigh {
  bool said = false;
  std::optional<int32_t> tier;  // of a hard wish, after soft ones were made hard
};
HowHigh WishOfJob(const Cycle& cycle, JobIndex job);
HowHigh WishOfPart(const Cycle& cycle, const Part& part);
std::optional<Vertex> PlaceOf(const Cycle& cycle, const Part& part);
std::optional<Vertex> PlaceOf(const Cycle& cycle, JobIndex job);

// The policy network-topology-aware.
using VertexLists = std::vector<std::vector<Vertex>>;
// `evicting`: by what there is, held or not; the widest first, and no more than the policy
// looks at.
VertexLists SearchForJob(const Cycle& cycle, JobIndex job, bool evicting = false);
VertexLists SearchForPart(const Cycle& cycle, const Part& part, const Vertex& within,
                          bool evicting = false);
std::map<Vertex, double> VertexScores(const Cycle& cycle, const Part& part,
                                      const std::vector<Vertex>& vertices);

}  // namespace muster::reference

#endif  // MUSTER_REFERENCE_PEER_VOLCANO_NETWORK_TOPOLOGY_H_
