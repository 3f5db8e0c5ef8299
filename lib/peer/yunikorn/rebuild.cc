// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// A partition from tables that the host wrote: all that follows from them is computed anew.
#include <algorithm>

#include "lib/peer/yunikorn/partition.h"

namespace muster::yunikorn {

void Partition::Rebuild(NodeSequence sequence) {
  ++epoch_;
  loose_.clear();
  free_allocations_.clear();
  free_applications_.clear();
  ended_.clear();
  RebuildQueues();
  RebuildApplications();
  for (Index queue = 0; queue < queues.size(); ++queue) {
    if (!queues[queue].removed) PassPriority(queue);
  }
  RebuildNodes(sequence);
}

// Links queues to their parents, by name.
void Partition::RebuildQueues() {
  child_orders_.assign(queues.size(), {});
  application_orders_.assign(queues.size(), {});
  fair_max_.assign(queues.size(), {});
  fair_max_epoch_.assign(queues.size(), 0);
  order_epoch_.assign(queues.size(), 0);
  children_have_limits_.assign(queues.size(), 0);
  for (Queue& queue : queues) {
    queue.children.clear();
    queue.applications.clear();
    queue.priorities.Clear();
    queue.priority_counted = false;
    queue.has_pending = AboveZero(queue.pending);
    queue.share_epoch = 0;
  }
  for (Index queue = 0; queue < queues.size(); ++queue) {
    const Index parent = queues[queue].parent;
    if (parent != kNone && !queues[queue].removed) queues[parent].children.push_back(queue);
  }
  for (Queue& queue : queues) {
    std::ranges::sort(queue.children, {},
                      [&](Index child) -> const std::string& { return queues[child].name; });
  }
}

// Counts requests, and lists applications in their queues, by id.
void Partition::RebuildApplications() {
  application_index.clear();
  for (Allocation& allocation : allocations) {
    allocation.in_requests = allocation.in_application = allocation.on_node = false;
    allocation.unfit_at = 0;
  }
  for (Index index = 0; index < applications.size(); ++index) {
    Application& app = applications[index];
    application_index[app.id] = index;
    if (app.state == AppState::kCompleted || app.state == AppState::kFailed) {
      ended_.push_back(index);
    }
    app.first_open = 0;
    app.sorted_allocations = 0;
    app.open_priorities.Clear();
    app.priority_counted = false;
    next_usage_ = std::max(next_usage_, app.usage.application + 1);
    for (Index allocation : app.allocations) allocations[allocation].in_application = true;
    for (const auto& [key, request] : app.requests) {
      allocations[request].in_requests = true;
      if (!allocations[request].allocated) app.open_priorities.Add(allocations[request].priority);
    }
    app.priority = app.open_priorities.Largest();
    if (app.in_queue) queues[app.queue].applications.push_back(index);
    if (app.in_queue) CountPriority(index);
  }
  for (Queue& queue : queues) {
    std::ranges::sort(queue.applications, {},
                      [&](Index app) -> const std::string& { return applications[app].id; });
  }
}

void Partition::RebuildNodes(NodeSequence sequence) {
  node_index.clear();
  nodes_by_id_.clear();
  better_nodes_.clear();
  better_before_ = 1;
  places_.assign(nodes.size(), {});
  if (weights_by_name_.empty()) weights_by_name_ = {{"vcore", 1.0}, {"memory", 1.0}};
  for (Index index = 0; index < nodes.size(); ++index) {
    Node& node = nodes[index];
    node.allocations_sorted = false;
    for (Index allocation : node.allocations) allocations[allocation].on_node = true;
    if (node.removed) continue;
    node_index[node.id] = index;
    nodes_by_id_.push_back(index);
  }
  std::ranges::sort(nodes_by_id_, {}, [&](Index n) -> const std::string& { return nodes[n].id; });
  ScoreAllNodes();
  if (sequence == NodeSequence::kByScore) return;
  for (Index index = 0; index < nodes.size(); ++index) places_[index].score = index;
  RankAllNodes();
}

}  // namespace muster::yunikorn
