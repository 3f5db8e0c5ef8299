// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/yarn/fair/assign.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "lib/peer/yarn/fair/app_assign.h"

namespace muster::yarn::fair {
namespace {

// What is promised to applications that are no longer starved is free again.
void ForgetServed(Cluster& cluster, FairNode* node) {
  std::erase_if(node->promised, [&](const std::pair<AppIndex, Resource>& promise) {
    const App& app = cluster.apps[promise.first];
    const bool hungry = !app.fair_share_starvation.IsZero() || !app.min_share_starvation.IsZero();
    if (!app.ended && hungry && IsStarved(cluster, app)) return false;
    node->promised_sum -= promise.second;
    return true;
  });
}

void ServePreempted(Cluster& cluster, NodeIndex index, HeartbeatWork* work) {
  FairNode& node = cluster.nodes[index];
  if (node.promised.empty()) return;
  ForgetServed(cluster, &node);
  // A copy, since an application leaves the list when it has got all of its promise.
  const std::vector<std::pair<AppIndex, Resource>> promises = node.promised;
  for (auto [app, rest] : promises) {
    while (!rest.IsZero()) {
      const Offer offer = OfferNode(cluster, app, index, &work->allocations);
      if (offer.outcome != Outcome::kPlaced) break;
      rest = SubtractToZero(rest, offer.size);
    }
  }
}

bool MayVisit(const Cluster& cluster, QueueIndex queue, NodeIndex node) {
  return cluster.nodes[node].reserved == kNone &&
         FitsInAll(cluster.queues[queue].usage, cluster.queues[queue].max);
}

void StartVisit(const Cluster& cluster, QueueIndex index, HeartbeatWork::Visit* visit) {
  const Queue& queue = cluster.queues[index];
  visit->queue = index;
  visit->candidates.Clear();
  for (const QueueIndex child : queue.children) {
    visit->candidates.Add(&cluster.queues[child].order, child);
  }
  for (const AppIndex index : queue.apps) {
    const App& app = cluster.apps[index];
    if (app.demand == app.usage) continue;
    visit->candidates.Add(&app.order, index);
  }
}

Offer OfferToTree(Cluster& cluster, NodeIndex node, HeartbeatWork* work) {
  constexpr QueueIndex kRoot = 0;
  if (!MayVisit(cluster, kRoot, node)) return {};
  std::vector<HeartbeatWork::Visit>& visits = work->visits;
  if (visits.empty()) visits.emplace_back();
  StartVisit(cluster, kRoot, &visits.front());
  for (size_t depth = 1; depth > 0;) {
    HeartbeatWork::Visit& visit = visits[depth - 1];
    uint32_t next;
    if (!visit.candidates.Next(&next)) {
      --depth;
    } else if (cluster.queues[visit.queue].config.leaf) {
      const Offer offer = OfferNode(cluster, next, node, &work->allocations);
      if (offer.outcome != Outcome::kNothing) return offer;
    } else if (MayVisit(cluster, next, node)) {
      if (visits.size() == depth) visits.emplace_back();
      StartVisit(cluster, next, &visits[depth++]);
    }
  }
  return {};
}

bool MayContinue(const Options& options, int64_t containers, const Resource& assigned,
                 const Resource& half) {
  if (!options.assign_multiple) return false;
  if (options.dynamic_max_assign) return FitsInAll(assigned, half);
  return options.max_assign <= 0 || containers < options.max_assign;
}

}  // namespace

void Heartbeat(Cluster& cluster, NodeIndex index, HeartbeatWork* work) {
  work->allocations.clear();
  RefreshOrders(cluster);
  ServePreempted(cluster, index, work);
  FairNode& node = cluster.nodes[index];
  const bool reserved = node.reserved != kNone;
  if (!reserved || !ServeReservation(cluster, index, &work->allocations)) {
    Resource assigned;
    const Resource half = {node.free.memory / 2, node.free.vcores / 2};
    for (int64_t containers = 1;; ++containers) {
      const Offer offer = OfferToTree(cluster, index, work);
      if (offer.outcome != Outcome::kPlaced) break;
      assigned += offer.size;
      if (!MayContinue(cluster.options, containers, assigned, half)) break;
    }
  }
  NoteAvailable(cluster);
}

}  // namespace muster::yarn::fair
