// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/yarn/fair/queue_tree.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "lib/base/hash_map.h"

namespace muster::yarn::fair {
namespace {

// Settings that depend on the parent's.
void Inherit(Cluster& cluster, Queue* queue) {
  static constexpr float kDefaultThreshold = 0.5f;
  const QueueConfig& config = queue->config;
  const Queue* parent = queue->parent == kNone ? nullptr : &cluster.queues[queue->parent];
  queue->max = MostOf(config.max, config.min);
  queue->min_share_timeout =
      config.min_share_timeout.value_or(parent ? parent->min_share_timeout : kNever);
  queue->fair_share_timeout =
      config.fair_share_timeout.value_or(parent ? parent->fair_share_timeout : kNever);
  queue->fair_share_threshold = config.fair_share_threshold.value_or(
      parent ? parent->fair_share_threshold : kDefaultThreshold);
  queue->preemptable = config.allow_preemption_from && (!parent || parent->preemptable);
}

// Depth first, children after their parent.
std::vector<QueueIndex> TreeWalk(const Cluster& cluster) {
  std::vector<QueueIndex> walk, open = {0};
  while (!open.empty()) {
    walk.push_back(open.back());
    const std::vector<QueueIndex>& children = cluster.queues[open.back()].children;
    open.pop_back();
    open.insert(open.end(), children.rbegin(), children.rend());
  }
  return walk;
}

// A queue is set after the last of its children. The check of a child comes before that child's own
// subtree, so the walk over the tree meets the checks in the peer's order.
void SetPolicies(Cluster& cluster) {
  std::vector<QueueIndex> above;  // entered, not yet set
  const auto leave = [&](QueueIndex parent) {
    while (!above.empty() && above.back() != parent) {
      Queue& queue = cluster.queues[above.back()];
      queue.policy = queue.config.policy;
      above.pop_back();
    }
  };
  for (const QueueIndex index : TreeWalk(cluster)) {
    const Queue& queue = cluster.queues[index];
    leave(queue.parent);
    if (queue.parent != kNone &&
        !AllowsChild(cluster.queues[queue.parent].config.policy, queue.config.policy)) {
      return;
    }
    above.push_back(index);
  }
  leave(kNone);
}

}  // namespace

void BuildQueues(Cluster& cluster, const std::vector<QueueConfig>& configs) {
  HashMap<std::string, QueueIndex> known;
  std::vector<std::string> names;
  for (const QueueConfig& config : configs) {
    const auto index = static_cast<QueueIndex>(cluster.queues.size());
    Queue queue{.config = config, .policy = config.policy, .last_at_min_share = cluster.now};
    if (index > 0) {
      queue.parent = known.find(ParentPath(config.path))->second;
      cluster.queues[queue.parent].children.push_back(index);
    }
    known[config.path] = index;
    names.push_back(config.path);
    cluster.queues.push_back(std::move(queue));
    Inherit(cluster, &cluster.queues.back());
  }
  std::ranges::sort(names);
  for (Queue& queue : cluster.queues) {
    queue.name_rank =
        static_cast<uint32_t>(std::ranges::lower_bound(names, queue.config.path) - names.begin());
  }
  for (const QueueIndex queue : TreeWalk(cluster)) {
    if (cluster.queues[queue].config.leaf) cluster.leaves.push_back(queue);
  }
}

void ReloadQueues(Cluster& cluster, const std::vector<QueueConfig>& configs) {
  HashMap<std::string, const QueueConfig*> by_path;
  for (const QueueConfig& config : configs) by_path[config.path] = &config;
  for (Queue& queue : cluster.queues) queue.config = *by_path.find(queue.config.path)->second;
  for (Queue& queue : cluster.queues) Inherit(cluster, &queue);
  SetPolicies(cluster);
}

}  // namespace muster::yarn::fair
