// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/kueue/flavor_nodes.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/kube/selectors.h"
#include "lib/peer/kueue/read_world.h"

namespace muster::kueue {

FlavorNodes::Flavors FlavorNodes::FlavorsOf(const Granted& granted) const {
  Flavors flavors;
  if (granted.places) return flavors;
  for (const auto& [resource, flavor] : granted.flavors) {
    if (flavor != kNothing && !world_.flavors[flavor].spec.node_labels.empty()) {
      flavors.push_back(flavor);
    }
  }
  std::ranges::sort(flavors);
  flavors.erase(std::unique(flavors.begin(), flavors.end()), flavors.end());
  return flavors;
}

size_t FlavorNodes::BoundOf(const Flavors& flavors) {
  const auto known = bounds_.find(flavors);
  if (known != bounds_.end()) return known->second;
  const auto has_labels = [&](NodeIndex n) {
    return std::ranges::all_of(flavors, [&](FlavorIndex f) {
      return std::ranges::all_of(world_.flavors[f].spec.node_labels, [&](const auto& label) {
        const std::string* const value =
            FindLabel(context_.tables.nodes.spec[n].labels, label.first);
        return value != nullptr && *value == label.second;
      });
    });
  };
  TaskBounds::Bound bound;
  for (NodeIndex n = 0; n < context_.tables.nodes.alive.size(); ++n) {
    if (context_.tables.nodes.alive[n] && has_labels(n)) bound.nodes.push_back(n);
  }
  const std::string names = absl::StrJoin(flavors, " and ", [&](std::string* out, FlavorIndex f) {
    out->append(world_.flavors[f].name);
  });
  bound.refusal =
      absl::StrCat(bound.nodes.empty() ? "no node has the labels of" : "no room on nodes of",
                   flavors.size() == 1 ? " flavor " : " flavors ", names);
  const size_t number = context_.memory<TaskBounds>().Add(std::move(bound));
  bounds_[flavors] = number;
  return number;
}

void FlavorNodes::Keep(WorkloadIndex workload, JobIndex job, bool held) {
  if (context_.ledger.job(job).pending() == 0) return;
  const WorkloadRow& row = world_.workloads[workload];
  std::vector<Flavors> flavors;
  for (const Granted& granted : row.granted) flavors.push_back(FlavorsOf(granted));
  if (std::ranges::all_of(flavors, [](const Flavors& some) { return some.empty(); })) return;
  TaskBounds& bounds = context_.memory<TaskBounds>();
  const std::vector<std::vector<TaskIndex>> tasks =
      TasksByPodSet(context_.tables, job, held, world_.config.gates.reclaimable_pods);
  for (size_t i = 0; i < std::min(flavors.size(), tasks.size()); ++i) {
    if (flavors[i].empty()) continue;
    const size_t bound = BoundOf(flavors[i]);
    for (const TaskIndex task : tasks[i]) {
      if (context_.ledger.status(task) == TaskStatus::kPending) bounds.Keep(task, bound);
    }
  }
}

}  // namespace muster::kueue
