// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Keeps the tasks of admitted jobs to nodes that have the labels of their flavors, as the node
// selectors do that Kueue adds to pods.
//
//   FlavorNodes nodes(context, world);
//   for (WorkloadIndex w : admitted) nodes.Keep(w, job, held);
//
// Pod sets with places in a topology are left out (task_places.h): places have those labels. What
// is written down is read by allocate behind this action and by actions of the caller. Tolerations
// of flavors reach no shape here; action schedule adds them (pod_tables.h).
//
// Cost. O(tasks of the job) a call where a flavor of it has labels, else O(pod sets); O(nodes) once
// for flavors that stand together.
#ifndef MUSTER_PEER_KUEUE_FLAVOR_NODES_H_
#define MUSTER_PEER_KUEUE_FLAVOR_NODES_H_

#include <cstddef>
#include <map>
#include <vector>

#include "lib/part/context.h"
#include "lib/part/task_bounds.h"
#include "lib/peer/kueue/world.h"

namespace muster::kueue {

class FlavorNodes {
 public:
  // Both must outlive this.
  FlavorNodes(ActionContext& context, const World& world) : context_(context), world_(world) {}

  // REQUIRES: the workload holds quota. `held`: it did so when the cycle opened.
  void Keep(WorkloadIndex workload, JobIndex job, bool held);

 private:
  using Flavors = std::vector<FlavorIndex>;  // with labels, ascending

  Flavors FlavorsOf(const Granted& granted) const;
  size_t BoundOf(const Flavors& flavors);

  ActionContext& context_;
  const World& world_;
  std::map<Flavors, size_t> bounds_;  // their numbers
};

}  // namespace muster::kueue

#endif  // MUSTER_PEER_KUEUE_FLAVOR_NODES_H_
