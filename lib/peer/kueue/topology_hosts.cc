// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/kueue/topology_hosts.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "lib/peer/kueue/amount.h"
#include "lib/peer/kueue/topology_tree.h"

namespace muster::kueue {
namespace {

// Whether the group of a task on a node holds places, so that it counts there. An admission of its
// job counts as long as the task is on the node.
bool HasPlaces(const Tables& tables, TaskIndex task) {
  const JobIndex job = tables.tasks.job[task];
  if (job == kNone) return false;
  const JobSpec& spec = tables.jobs.spec[job];
  if (!spec.admission) return false;
  const std::string& name = tables.jobs.groups[job][tables.tasks.group[task]].name;
  const auto group = std::ranges::find(spec.admission->groups, name, &GroupAdmission::group);
  return group != spec.admission->groups.end() && !group->places.empty();
}

void Take(std::string_view resource, int64_t amount, TopologyHost* host) {
  for (auto& [name, taken] : host->taken) {
    if (name != resource) continue;
    taken = Plus(taken, amount);
    return;
  }
  host->taken.emplace_back(resource, amount);
}

}  // namespace

std::vector<TopologyHost> ReadHosts(const Tables& tables) {
  std::vector<const FlavorSpec*> flavors;
  for (size_t f = 0; f < tables.flavors.alive.size(); ++f) {
    const FlavorSpec& spec = tables.flavors.spec[f];
    if (tables.flavors.alive[f] && spec.topology) flavors.push_back(&spec);
  }
  std::vector<TopologyHost> hosts;
  if (flavors.empty()) return hosts;
  std::vector<uint32_t> host_of(tables.nodes.alive.size(), kNothing);
  for (NodeIndex n = 0; n < tables.nodes.alive.size(); ++n) {
    const NodeSpec& node = tables.nodes.spec[n];
    const auto has = [&](const FlavorSpec* flavor) {
      return IsOfFlavor(node.labels, flavor->node_labels, flavor->topology->levels);
    };
    if (!tables.nodes.alive[n] || std::ranges::none_of(flavors, has)) continue;
    host_of[n] = static_cast<uint32_t>(hosts.size());
    hosts.push_back({.node = node});
  }
  for (TaskIndex task = 0; task < tables.tasks.alive.size(); ++task) {
    const NodeIndex node = tables.tasks.node[task];
    if (!tables.tasks.alive[task] || node == kNone || host_of[node] == kNothing) continue;
    if (tables.tasks.status[task] == TaskStatus::kNominated || HasPlaces(tables, task)) continue;
    TopologyHost& host = hosts[host_of[node]];
    for (const auto& [name, amount] : tables.classes.shape[tables.tasks.task_class[task]].request) {
      Take(name, RequestAmount(name, amount.text), &host);
    }
    Take("pods", 1, &host);
  }
  return hosts;
}

}  // namespace muster::kueue
