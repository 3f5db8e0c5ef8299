// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/yarn/fair/cluster.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace muster::yarn::fair {
namespace {

template <class T>
void EraseOne(std::vector<T>* values, const T& value) {
  const auto at = std::find(values->begin(), values->end(), value);
  if (at != values->end()) values->erase(at);
}

// The root has no siblings.
void RefreshOrder(const Cluster& cluster, Queue* queue) {
  if (queue->parent == kNone) return;
  const Sibling sibling = {.weight = queue->config.weight,
                           .usage = queue->usage,
                           .min = queue->config.min,
                           .demand = queue->demand,
                           .name_order = queue->name_rank};
  queue->order = KeyOf(cluster.queues[queue->parent].policy, sibling, cluster.total);
}

}  // namespace

void RefreshOrder(Cluster& cluster, AppIndex index) {
  App& app = cluster.apps[index];
  const Sibling sibling = {.weight = app.weight,
                           .usage = app.usage,
                           .demand = app.demand,
                           .start_time = app.start_time,
                           .name_order = app.name_order};
  app.order = KeyOf(cluster.queues[app.queue].policy, sibling, cluster.total);
}

void AddUsage(Cluster& cluster, AppIndex index, const Resource& size) {
  App& app = cluster.apps[index];
  app.usage += size;
  RefreshOrder(cluster, index);
  for (QueueIndex at = app.queue; at != kNone; at = cluster.queues[at].parent) {
    Queue& queue = cluster.queues[at];
    queue.usage += size;
    RefreshOrder(cluster, &queue);
  }
}

void RefreshOrders(Cluster& cluster) {
  if (!cluster.orders_stale) return;
  for (Queue& queue : cluster.queues) {
    RefreshOrder(cluster, &queue);
    for (const AppIndex app : queue.apps) RefreshOrder(cluster, app);
  }
  cluster.orders_stale = false;
}

bool FitsInMax(const Cluster& cluster, QueueIndex leaf, const Resource& size) {
  for (QueueIndex at = leaf; at != kNone; at = cluster.queues[at].parent) {
    const Queue& queue = cluster.queues[at];
    if (!FitsInAll(queue.usage + size, queue.max)) return false;
  }
  return true;
}

ContainerIndex MakeContainer(Cluster& cluster, AppIndex index, const Container& container) {
  App& app = cluster.apps[index];
  const ContainerIndex made = cluster.containers.Add(container);
  cluster.containers[made].id = {static_cast<uint32_t>(app.id), ++app.last_number};
  cluster.containers[made].app = index;
  app.containers.push_back(made);
  return made;
}

void MakeReservation(Cluster& cluster, AppIndex app, NodeIndex node, const Resource& size,
                     int32_t priority) {
  cluster.nodes[node].reserved = MakeContainer(
      cluster, app, {.node = node, .size = size, .priority = priority, .is_reserved = true});
  cluster.apps[app].reserved_nodes.push_back(node);
}

ContainerIndex FindContainer(const Cluster& cluster, ContainerName name) {
  if (name.app >= cluster.apps.size()) return kNone;
  const std::vector<ContainerIndex>& containers = cluster.apps[name.app].containers;
  const auto at = std::ranges::lower_bound(containers, name.number, {}, [&](ContainerIndex index) {
    return cluster.containers[index].id.number;
  });
  if (at == containers.end() || cluster.containers[*at].id.number != name.number) return kNone;
  return *at;
}

void EndContainer(Cluster& cluster, ContainerIndex index) {
  const Container& container = cluster.containers[index];
  App& app = cluster.apps[container.app];
  if (container.is_reserved) {
    ClearReservation(cluster, container.node);
  } else {
    if (container.is_to_preempt) app.to_preempt -= container.size;
    AddUsage(cluster, container.app, Resource{} - container.size);
    cluster.nodes[container.node].Release(index, &cluster.containers);
    NoteAvailable(cluster);
  }
  EraseOne(&app.containers, index);
  cluster.containers.Free(index);
}

void StartMaster(Cluster& cluster, AppIndex index, const Resource& size) {
  App& app = cluster.apps[index];
  app.master_runs = true;
  app.master_size = size;
  cluster.queues[app.queue].master_usage += size;
}

void Promise(Cluster& cluster, AppIndex starved, NodeIndex index, const Resource& amount) {
  if (amount.IsZero()) return;
  FairNode& node = cluster.nodes[index];
  node.promised_sum += amount;
  for (auto& [app, promised] : node.promised) {
    if (app != starved) continue;
    promised += amount;
    return;
  }
  node.promised.emplace_back(starved, amount);
}

void ClearReservation(Cluster& cluster, NodeIndex index) {
  FairNode& node = cluster.nodes[index];
  EraseOne(&cluster.apps[cluster.containers[node.reserved].app].reserved_nodes, index);
  node.reserved = kNone;
}

void NoteAvailable(Cluster& cluster) {
  cluster.available = cluster.total - cluster.queues.front().usage;
}

bool IsStarved(const Cluster& cluster, const App& app) {
  return IsBelow(cluster.queues[app.queue].policy, cluster.total, app.usage, app.fair_share) ||
         !app.min_share_starvation.IsZero();
}

}  // namespace muster::yarn::fair
