// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/kueue/node_failures.h"

#include <algorithm>

#include "lib/kube/selectors.h"

namespace muster::kueue {
namespace {

constexpr char kHostLabel[] = "kubernetes.io/hostname";

// Returns whether a task of the job is on the node to stay.
bool IsUsedBy(const Tables& tables, NodeIndex node, JobIndex job) {
  return std::ranges::any_of(tables.jobs.tasks[job], [&](TaskIndex task) {
    const TaskStatus status = tables.tasks.status[task];
    return tables.tasks.node[task] == node && HoldsNode(status) &&
           status != TaskStatus::kReleasing && status != TaskStatus::kNominated;
  });
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
                             JobIndex job) {
  const std::optional<NodeIndex> node = FindHost(host);
  if (!node) return true;
  const NodeSpec& spec = tables_.nodes.spec[*node];
  return (!spec.ready || Repels(spec, pod_set, flavor)) && !IsUsedBy(tables_, *node, job);
}

std::vector<std::string> NodeFailures::Of(WorkloadIndex workload, JobIndex job) {
  std::vector<std::string> failed;
  const WorkloadRow& row = world_.workloads[workload];
  for (size_t i = 0; i < row.granted.size(); ++i) {
    const Granted& granted = row.granted[i];
    const FlavorIndex flavor = topology_.FlavorOf(granted);
    if (!granted.places || flavor == kNothing) continue;
    if (!topology_.tree(flavor).leaves_are_hosts()) continue;
    for (const NamedPlace& place : *granted.places) {
      const std::string& host = place.leaf.back();
      if (std::ranges::find(failed, host) != failed.end()) continue;
      if (HasFailed(host, row.pod_sets[i], flavor, job)) failed.push_back(host);
    }
  }
  return failed;
}

}  // namespace muster::kueue
