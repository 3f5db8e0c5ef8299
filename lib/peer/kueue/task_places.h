// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Keeps the tasks of admitted jobs to the places of their admissions.
//
//   TaskPlaces places(context, world, topology, hosts);
//   for (WorkloadIndex w : admitted) places.Keep(w, job, held);
//
// A place has as many tasks of its pod set as the admission gives it. Tasks that are on a node of a
// place count there, until they have ended. Those that wait get what is left, in the order of tasks
// and of places; where nothing is left a task gets no node. What is written down here
// (lib/part/task_bounds.h) is read by allocate behind this action (TaskPlacer) and by actions of
// the caller (Workbench); the labels of places are read by action schedule (pod_tables.h).
//
// Peer. Kueue holds pods back until they have a place, and then adds labels of it to their node
// selectors: by the pods' ranks where these are known, else one after the other. The order of tasks
// is that of ranks.
//
// Cost. O(tasks of the job + places and their nodes) a call, and O(nodes) once a flavor.
#ifndef MUSTER_PEER_KUEUE_TASK_PLACES_H_
#define MUSTER_PEER_KUEUE_TASK_PLACES_H_

#include <cstddef>
#include <map>
#include <span>
#include <vector>

#include "lib/base/hash_map.h"
#include "lib/part/context.h"
#include "lib/part/task_bounds.h"
#include "lib/peer/kueue/topology_world.h"
#include "lib/peer/kueue/world.h"

namespace muster::kueue {

class TaskPlaces {
 public:
  // `hosts`: those of the topology. All must outlive this.
  TaskPlaces(ActionContext& context, const World& world, const TopologyWorld& topology,
             std::span<const TopologyHost> hosts)
      : context_(context), world_(world), topology_(topology), hosts_(hosts) {}

  // REQUIRES: the workload holds quota. `held`: it did so when the cycle opened.
  void Keep(WorkloadIndex workload, JobIndex job, bool held);

 private:
  struct Place {
    const std::vector<NodeIndex>* nodes = nullptr;  // ascending; null: no such place is left
    std::string name;
    Labels labels;  // of its nodes
    int64_t left = 0;
    size_t bound = kUnknown;  // its number
  };
  static constexpr size_t kUnknown = ~size_t{0};

  void KeepPodSet(const Granted& granted, std::span<const TaskIndex> tasks);
  const std::vector<NodeIndex>& NodesAt(FlavorIndex flavor, uint32_t leaf);
  size_t BoundOf(Place* place);

  ActionContext& context_;
  const World& world_;
  const TopologyWorld& topology_;
  const std::span<const TopologyHost> hosts_;
  std::map<FlavorIndex, std::vector<std::vector<NodeIndex>>> nodes_;  // by leaf
  size_t nowhere_ = kUnknown;
};

}  // namespace muster::kueue

#endif  // MUSTER_PEER_KUEUE_TASK_PLACES_H_
