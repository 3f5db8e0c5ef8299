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

// The tree.
int32_t TierOf(const Cycle& cycle, const Vertex& vertex);
std::set<NodeIndex> NodesIn(const Cycle& cycle, const Vertex& vertex);
// The domain of the lowest tier there is that holds the node.
std::optional<Vertex> LowestOf(const Cycle& cycle, NodeIndex node);
std::vector<Vertex> VerticesBelow(const Cycle& cycle, const Vertex& vertex);  // children, by name
std::vector<Vertex> WayUp(const Cycle& cycle, const Vertex& vertex);          // itself first
std::optional<Vertex> MeetingPoint(const Cycle& cycle, const std::optional<Vertex>& a,
                                   const std::optional<Vertex>& b);

// Jobs and their parts: a sub-group by its number, kNone for the tasks of none.
struct HowHigh {
  bool said = false;
  std::optional<int32_t> tier;  // of a hard wish, after soft ones were made hard
};
HowHigh WishOfJob(const Cycle& cycle, JobIndex job);
HowHigh WishOfPart(const Cycle& cycle, const Part& part);
bool CanPick(const Cycle& cycle, JobIndex job);
std::vector<TaskIndex> TasksOf(const Cycle& cycle, const Part& part);
std::vector<Part> PartsOf(const Cycle& cycle, JobIndex job);  // that have tasks
std::optional<Vertex> PlaceOf(const Cycle& cycle, const Part& part);
std::optional<Vertex> PlaceOf(const Cycle& cycle, JobIndex job);

// Gang's questions about parts.
int64_t PartMinimum(const Cycle& cycle, const Part& part);
bool PartReady(const Cycle& cycle, const Part& part);
bool PartPipelined(const Cycle& cycle, const Part& part);
bool PartLess(const Cycle& cycle, const Part& l, const Part& r);
// Whether of each policy's sub-groups enough are there, ready, or ready and waiting.
enum class Counted { kThere, kReady, kWaiting };
bool EnoughParts(const Cycle& cycle, JobIndex job, Counted counted);

// The policy network-topology-aware.
void OpenTree(Cycle& cycle);
using VertexLists = std::vector<std::vector<Vertex>>;
// `evicting`: by what there is, whoever holds it; the widest first, and no more than the policy looks at.
VertexLists SearchForJob(const Cycle& cycle, JobIndex job, bool evicting = false);
VertexLists SearchForPart(const Cycle& cycle, const Part& part, const Vertex& within,
                          bool evicting = false);
std::map<Vertex, double> VertexScores(const Cycle& cycle, const Part& part,
                                      const std::vector<Vertex>& vertices);
std::vector<double> TreeScores(const Cycle& cycle, const ReferencePolicy& policy, TaskIndex task,
                               const std::vector<NodeIndex>& nodes);

}  // namespace muster::reference

#endif  // MUSTER_REFERENCE_PEER_VOLCANO_NETWORK_TOPOLOGY_H_
