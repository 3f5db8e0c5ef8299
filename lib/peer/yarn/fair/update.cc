// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/yarn/fair/update.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "lib/base/math.h"
#include "lib/peer/yarn/fair/fair_shares.h"

namespace muster::yarn::fair {
namespace {

void Add(const Resource& more, Resource* sum) {
  *sum = {SatAdd(sum->memory, more.memory), SatAdd(sum->vcores, more.vcores)};
}

void UpdateDemand(const Options& options, App* app) {
  app->demand = app->usage;
  for (const RequestKey& key : app->requests.keys()) {
    if (key.is_served()) Add(key.any().size * key.any().count, &app->demand);
  }
  if (!options.size_based_weight) return;
  constexpr double kLog2 = 0.69314718055994530942;
  app->weight = static_cast<float>(Log(1 + static_cast<double>(app->demand.memory)) / kLog2);
}

// --- shares

using TypeOf = int64_t Resource::*;

template <class Siblings, class ClaimOf, class ShareOf>
void Divide(const Siblings& siblings, Policy policy, const Resource& total, const ClaimOf& claim_of,
            const ShareOf& share_of) {
  std::vector<ShareClaim> claims(siblings.size());
  for (const TypeOf type : {&Resource::memory, &Resource::vcores}) {
    if (type == &Resource::vcores && policy != Policy::kDrf) return;
    for (size_t i = 0; i < siblings.size(); ++i) claims[i] = claim_of(siblings[i], type);
    const std::vector<int64_t> shares = ComputeShares(claims, total.*type);
    for (size_t i = 0; i < siblings.size(); ++i) share_of(siblings[i]).*type = shares[i];
  }
}

ShareClaim ClaimOf(const Queue& queue, TypeOf type, bool steady) {
  return {.weight = queue.config.weight,
          .min = queue.config.min.*type,
          .max = queue.max.*type,
          .active = steady || queue.running > 0};
}

void DivideAmongApps(Cluster& cluster, const Queue& leaf) {
  if (leaf.apps.empty()) return;
  if (leaf.policy != Policy::kFifo) {
    Divide(
        leaf.apps, leaf.policy, leaf.fair_share,
        [&](AppIndex app, TypeOf) { return ShareClaim{.weight = cluster.apps[app].weight}; },
        [&](AppIndex app) -> Resource& { return cluster.apps[app].fair_share; });
    return;
  }
  const AppIndex earliest = *std::ranges::min_element(
      leaf.apps, {}, [&](AppIndex app) { return cluster.apps[app].start_time; });
  cluster.apps[earliest].fair_share = leaf.fair_share;
}

// --- starvation

// What an application misses of the part of its fair share that preemption grants, once that lasts
// for the timeout.
Resource FairShareStarvation(const Cluster& cluster, App* app) {
  const Queue& queue = cluster.queues[app->queue];
  const Resource deserved =
      Multiply(app->fair_share, static_cast<double>(queue.fair_share_threshold));
  const Resource wanted = LeastOf(deserved, app->demand);
  const bool starved = IsBelow(queue.policy, cluster.total, app->usage, wanted);
  if (!starved) app->last_at_fair_share = cluster.now;
  const bool due = cluster.now - app->last_at_fair_share >= queue.fair_share_timeout;
  app->fair_share_starvation = starved && due ? SubtractToZero(wanted, app->usage) : Resource{};
  return app->fair_share_starvation;
}

Resource MinShareStarvation(const Cluster& cluster, Queue* queue) {
  const Resource missing = SubtractToZero(LeastOf(queue->config.min, queue->demand), queue->usage);
  if (missing.IsZero()) queue->last_at_min_share = cluster.now;
  const bool due = cluster.now - queue->last_at_min_share >= queue->min_share_timeout;
  return due ? missing : Resource{};
}

void AddStarved(Cluster& cluster, AppIndex app) {
  const std::vector<AppIndex>& known = cluster.starved.items();
  if (std::ranges::find(known, app) != known.end()) return;
  cluster.starved.Push(app, [&](AppIndex a, AppIndex b) { return CompareStarved(cluster, a, b); });
}

// Hands the leaf's missing minimum share to its applications in order. An application that wants
// more than is left is noted with the excess, not with what is left.
void ShareMinStarvation(Cluster& cluster, const std::vector<AppIndex>& apps, Policy policy,
                        Resource rest) {
  for (const AppIndex index : apps) {
    App& app = cluster.apps[index];
    if (rest.IsZero()) {
      app.min_share_starvation = {};
      continue;
    }
    Resource wanted = SubtractToZero(app.demand - app.usage, app.fair_share_starvation);
    if (Greater(CalculatorOf(policy), cluster.total, wanted, rest)) {
      wanted = SubtractToZero(wanted, rest);
      rest = {};
    } else {
      rest = SubtractToZero(rest, wanted);
    }
    app.min_share_starvation = wanted;
    AddStarved(cluster, index);
  }
}

void UpdateLeaf(Cluster& cluster, Queue* leaf) {
  Candidates candidates;
  for (const AppIndex index : leaf->apps) {
    const App& app = cluster.apps[index];
    if (app.demand == app.usage || cluster.now < app.next_starvation_check) continue;
    candidates.Add(&app.order, index);
  }
  std::vector<AppIndex> apps;
  for (AppIndex app; candidates.Next(&app);) apps.push_back(app);
  Resource missing;
  for (const AppIndex app : apps) {
    const Resource starvation = FairShareStarvation(cluster, &cluster.apps[app]);
    if (starvation.IsZero()) break;
    AddStarved(cluster, app);
    missing += starvation;
  }
  const Resource rest = SubtractToZero(MinShareStarvation(cluster, leaf), missing);
  ShareMinStarvation(cluster, apps, leaf->policy, rest);
}

bool IsCrowded(const Cluster& cluster) {
  const Resource& used = cluster.queues.front().usage;
  const float memory = static_cast<float>(used.memory) / static_cast<float>(cluster.total.memory);
  const float vcores = static_cast<float>(used.vcores) / static_cast<float>(cluster.total.vcores);
  // NaN, of an empty cluster, is never above the threshold.
  if (std::isnan(memory) || std::isnan(vcores)) return false;
  return std::max(memory, vcores) > cluster.options.preemption_utilization_threshold;
}

}  // namespace

int CompareStarved(const Cluster& cluster, AppIndex a, AppIndex b) {
  const auto starvation = [&](AppIndex app) {
    return cluster.apps[app].fair_share_starvation + cluster.apps[app].min_share_starvation;
  };
  return FitsInAll(starvation(a), starvation(b)) ? -1 : 1;
}

void UpdateDemands(Cluster& cluster) {
  for (size_t i = cluster.queues.size(); i-- > 0;) {
    Queue& queue = cluster.queues[i];
    queue.demand = {};
    for (const QueueIndex child : queue.children) Add(cluster.queues[child].demand, &queue.demand);
    for (const std::vector<AppIndex>* apps : {&queue.apps, &queue.waiting}) {
      for (const AppIndex app : *apps) {
        UpdateDemand(cluster.options, &cluster.apps[app]);
        Add(cluster.apps[app].demand, &queue.demand);
      }
    }
    queue.demand = LeastOf(queue.demand, queue.max);
  }
  cluster.orders_stale = true;
}

void UpdateFairShares(Cluster& cluster) {
  cluster.queues.front().fair_share = cluster.total;
  for (Queue& queue : cluster.queues) {
    if (queue.config.leaf) {
      DivideAmongApps(cluster, queue);
      continue;
    }
    Divide(
        queue.children, queue.policy, queue.fair_share,
        [&](QueueIndex child, TypeOf type) { return ClaimOf(cluster.queues[child], type, false); },
        [&](QueueIndex child) -> Resource& { return cluster.queues[child].fair_share; });
  }
}

void UpdateSteadyShares(Cluster& cluster) {
  cluster.queues.front().steady_share = cluster.total;
  for (const Queue& queue : cluster.queues) {
    Divide(
        queue.children, queue.policy, queue.steady_share,
        [&](QueueIndex child, TypeOf type) { return ClaimOf(cluster.queues[child], type, true); },
        [&](QueueIndex child) -> Resource& { return cluster.queues[child].steady_share; });
  }
}

void UpdateStarvation(Cluster& cluster) {
  RefreshOrders(cluster);
  if (!cluster.options.preemption || !IsCrowded(cluster)) return;
  for (const QueueIndex leaf : cluster.leaves) UpdateLeaf(cluster, &cluster.queues[leaf]);
}

}  // namespace muster::yarn::fair
