// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/kueue/task_places.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/peer/kueue/pod_changes.h"
#include "lib/peer/kueue/read_world.h"

namespace muster::kueue {

const std::vector<NodeIndex>& TaskPlaces::NodesAt(FlavorIndex flavor, uint32_t leaf) {
  const TopologyTree& tree = topology_.tree(flavor);
  const auto [known, is_new] = nodes_.try_emplace(flavor);
  if (is_new) {
    known->second.resize(tree.leaves());
    for (size_t i = 0; i < hosts_.size(); ++i) {
      const uint32_t at = tree.leaf_of_node(i);
      const auto node = context_.tables.nodes.names.Find(hosts_[i].node.name);
      if (at != kNothing && node) known->second[at].push_back(*node);
    }
  }
  return known->second[leaf];
}

size_t TaskPlaces::BoundOf(Place* place) {
  TaskBounds& bounds = context_.memory<TaskBounds>();
  if (place == nullptr) {
    if (nowhere_ == kUnknown) {
      nowhere_ = bounds.Add({{}, "all places of its admission have their tasks"});
    }
    return nowhere_;
  }
  if (place->bound == kUnknown) {
    std::vector<NodeIndex> nodes;
    if (place->nodes != nullptr) nodes = *place->nodes;
    const char* const what = nodes.empty() ? "no node is left in " : "no room in ";
    place->bound =
        bounds.Add({std::move(nodes), absl::StrCat(what, place->name, ", its place by admission")});
  }
  return place->bound;
}

void TaskPlaces::KeepPodSet(const Granted& granted, std::span<const TaskIndex> tasks) {
  const FlavorIndex flavor = topology_.FlavorOf(granted);
  if (!granted.places || flavor == kNothing) return;
  std::vector<Place> places;
  HashMap<NodeIndex, size_t> place_of;
  for (const NamedPlace& named : *granted.places) {
    Place& place = places.emplace_back();
    place.name = absl::StrJoin(named.leaf, "/");
    const std::vector<std::string>& levels = world_.flavors[flavor].spec.topology->levels;
    for (size_t i = 0; i < std::min(named.leaf.size(), levels.size()); ++i) {
      place.labels.emplace_back(levels[levels.size() - named.leaf.size() + i], named.leaf[i]);
    }
    place.left = named.count;
    const std::optional<uint32_t> leaf = topology_.tree(flavor).FindLeaf(named.leaf);
    if (!leaf) continue;
    place.nodes = &NodesAt(flavor, *leaf);
    for (const NodeIndex node : *place.nodes) place_of[node] = places.size() - 1;
  }
  const Ledger& ledger = context_.ledger;
  for (const TaskIndex task : tasks) {
    if (!HoldsNode(ledger.status(task)) || ledger.status(task) == TaskStatus::kNominated) continue;
    const auto at = place_of.find(ledger.node_of(task));
    if (at != place_of.end()) --places[at->second].left;
  }
  TaskBounds& bounds = context_.memory<TaskBounds>();
  PodChanges& changes = context_.memory<PodChanges>();
  auto next = places.begin();
  for (const TaskIndex task : tasks) {
    if (ledger.status(task) != TaskStatus::kPending) continue;
    while (next != places.end() && next->left <= 0) ++next;
    Place* const place = next == places.end() ? nullptr : &*next;
    bounds.Keep(task, BoundOf(place));
    if (place == nullptr) {
      changes.KeepBack(task);
      continue;
    }
    changes.KeepAt(task, place->labels);
    --place->left;
  }
}

void TaskPlaces::Keep(WorkloadIndex workload, JobIndex job, bool held) {
  if (context_.ledger.job(job).pending() == 0) return;
  const WorkloadRow& row = world_.workloads[workload];
  const std::vector<std::vector<TaskIndex>> tasks =
      TasksByPodSet(context_.tables, job, held, world_.config.gates.reclaimable_pods);
  for (size_t i = 0; i < std::min(row.granted.size(), tasks.size()); ++i) {
    KeepPodSet(row.granted[i], tasks[i]);
  }
}

}  // namespace muster::kueue
