// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The topologies of all flavors of a world: what workloads use of them, and places for pod sets.
//
//   TopologyWorld topology(world, nodes, gates);
//   std::string why = topology.Place(workload, &assignment, {.record = true});
//   if (why.empty()) topology.Use(topology.UsageOf(workload, assignment));
//
// A host of several flavors is counted in each of them (gate overlapping_flavors). Domains that are
// gone are not counted. Uses and releases between Mark and Rollback are undone.
#ifndef MUSTER_PEER_KUEUE_TOPOLOGY_WORLD_H_
#define MUSTER_PEER_KUEUE_TOPOLOGY_WORLD_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lib/peer/kueue/assignment.h"
#include "lib/peer/kueue/flavor_scan.h"
#include "lib/peer/kueue/topology.h"
#include "lib/peer/kueue/world.h"

namespace muster::kueue {

// A node, and what tasks that no workload has take of it, by name of the resource.
struct TopologyHost {
  NodeSpec node;
  std::vector<std::pair<std::string, int64_t>> taken = {};
};

class TopologyWorld {
 public:
  // The gates are those of the world.
  TopologyWorld(World& world, const std::vector<TopologyHost>& hosts);

  bool Has(FlavorIndex flavor) const { return flavors_.contains(flavor); }
  bool empty() const { return flavors_.empty(); }
  // Returns whether every flavor of the queue has a topology.
  bool IsOnly(Queue queue) const;
  // Returns whether places are counted for the pod set in this queue.
  bool Counts(const PodSet& pod_set, Queue queue) const;
  bool CountsAny(const WorkloadRow& row) const;

  // Pods of one pod set in places of a flavor.
  struct Usage {
    FlavorIndex flavor;
    PodRequest pod;
    NamedPlaces places;
  };
  using Usages = std::vector<Usage>;
  // Returns the flavor with the topology that the pod set has places in; kNothing: there is none.
  FlavorIndex FlavorOf(const Granted& granted) const;
  // REQUIRES: Has(flavor).
  const TopologyTree& tree(FlavorIndex flavor) const { return flavors_.at(flavor).books->tree(); }
  // What the workload holds.
  Usages UsageOf(const WorkloadRow& row) const;
  // What the assignment adds to what the workload holds.
  Usages UsageOf(const WorkloadRow& row, const Assignment& assignment) const;
  void Use(const Usages& usages) { Apply(usages, 1); }
  void Release(const Usages& usages) { Apply(usages, -1); }
  // Returns whether all places exist and have room.
  bool HasRoom(const Usages& usages) const;

  size_t Mark() const { return undo_.size(); }
  void Rollback(size_t mark);
  void Forget() { undo_.clear(); }
  void StartCycle();

  struct PlaceOptions {
    bool empty = false;    // as if no workload used anything
    bool record = false;   // places become part of the assignment
    bool explain = false;  // a failure has its text, else one word
  };
  struct Failure {
    uint32_t pod_set = 0;  // of the assignment
    std::string why;
    bool final = false;             // no eviction helps
    FlavorIndex flavor = kNothing;  // that has no places; kNothing: none was asked
  };
  // Finds places for all pod sets that need some.
  std::optional<Failure> Place(const WorkloadRow& row, Assignment* assignment,
                               const PlaceOptions& options);

  // Returns why the pod set may not use the flavor of the group, by its topology.
  std::optional<std::string> Refuses(const WorkloadRow& row, uint32_t pod_set, FlavorIndex flavor,
                                     const FlavorGroup& group) const;

 private:
  struct Flavor {
    std::unique_ptr<TopologyBooks> books;
    std::unique_ptr<TopologyFinder> finder;
  };
  struct Part;  // of a question

  using Parts = std::map<FlavorIndex, Part>;

  // Collects what has to be placed, by flavor. Pod sets that keep their places, or get them later,
  // are marked so.
  std::optional<Failure> Gather(const WorkloadRow& row, Assignment* assignment, Parts* parts);
  PodRequest RequestOf(const PodSet& pod_set) const;
  void Apply(const Usages& usages, int64_t sign);
  void Change(FlavorIndex flavor, const std::vector<std::string>& leaf, const PodRequest& pod,
              int64_t count);
  // Returns the flavors with a topology that the pod set got; if it got none, those of its group.
  std::vector<FlavorIndex> FlavorsFor(const Assignment& assignment, const PodSetAssignment& p,
                                      const WorkloadRow& row) const;
  // Places of the pod set of this name of the workload that this one grows out of; null: none.
  const NamedPlaces* PlacesBefore(const WorkloadRow& row, const std::string& pod_set) const;
  bool IsDelayed(const WorkloadRow& row, FlavorIndex flavor) const;

  World& world_;
  TopologyGates gates_;
  std::map<FlavorIndex, Flavor> flavors_;
  std::vector<FlavorIndex> by_name_;                  // in the order of names
  std::vector<std::pair<FlavorIndex, size_t>> undo_;  // marks of books
};

}  // namespace muster::kueue

#endif  // MUSTER_PEER_KUEUE_TOPOLOGY_WORLD_H_
