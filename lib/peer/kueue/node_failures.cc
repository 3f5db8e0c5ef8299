// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/kueue/node_failures.h"

#include <algorithm>

#include "lib/kube/selectors.h"

namespace muster::kueue {
namespace {

constexpr char kHostLabel[] = "kubernetes.io/hostname";

// Returns the nodes on which tasks of the job are to stay, ascending.
std::vector<NodeIndex> NodesInUse(const Tables& tables, JobIndex job) {
  std::vector<NodeIndex> nodes;
  for (const TaskIndex task : tables.jobs.tasks[job]) {
    const TaskStatus status = tables.tasks.status[task];
    const bool stays =
        HoldsNode(status) && status != TaskStatus::kReleasing && status != TaskStatus::kNominated;
    if (stays) nodes.push_back(tables.tasks.node[task]);
  }
  std::ranges::sort(nodes);
  return nodes;
}

}  // namespace

std::optional<NodeIndex> NodeFailures::FindHost(const std::string& name) {
  if (!nodes_) {
    nodes_.emplace();
    for (NodeIndex n = 0; n < tables_.nodes.alive.size(); ++n) {
      if (!tables_.nodes.alive[n]) continue;
      const std::string* host = FindLabel(tables_.nodes.spec[n].labels, kHostLabel);
      if (host != nullptr) nodes_->emplace(*host, n);
    }
  }
  const auto found = nodes_->find(name);
  if (found == nodes_->end()) return std::nullopt;
  return found->second;
}

bool NodeFailures::Repels(const NodeSpec& node, const PodSet& pod_set, FlavorIndex flavor) const {
  TaskShape shape;
  shape.tolerations = world_.shapes[pod_set.shape].tolerations;
  for (const Toleration& toleration : world_.flavors[flavor].spec.tolerations) {
    shape.tolerations.push_back(toleration);
  }
  if (node.unschedulable && !ToleratesUnschedulable(shape)) return true;
  return FirstUntolerated(shape, node) != nullptr;
}

bool NodeFailures::HasFailed(const std::string& host, const PodSet& pod_set, FlavorIndex flavor,
                             const std::vector<NodeIndex>& in_use) {
  const std::optional<NodeIndex> node = FindHost(host);
  if (!node) return true;
  const NodeSpec& spec = tables_.nodes.spec[*node];
  const Gates& gates = world_.config.gates;
  if (spec.ready && !(gates.reads_taints && Repels(spec, pod_set, flavor))) return false;
  return !gates.awaits_pods || !std::ranges::binary_search(in_use, *node);
}

std::vector<std::string> NodeFailures::Of(WorkloadIndex workload, JobIndex job) {
  std::vector<std::string> failed;
  HashSet<std::string_view> seen;
  const std::vector<NodeIndex> in_use = NodesInUse(tables_, job);
  const WorkloadRow& row = world_.workloads[workload];
  for (size_t i = 0; i < row.granted.size(); ++i) {
    const Granted& granted = row.granted[i];
    const FlavorIndex flavor = topology_.FlavorOf(granted);
    if (!granted.places || flavor == kNothing) continue;
    if (!topology_.tree(flavor).leaves_are_hosts()) continue;
    for (const NamedPlace& place : *granted.places) {
      const std::string& host = place.leaf.back();
      if (seen.contains(host) || !HasFailed(host, row.pod_sets[i], flavor, in_use)) continue;
      seen.insert(host);
      failed.push_back(host);
    }
  }
  return failed;
}

}  // namespace muster::kueue
