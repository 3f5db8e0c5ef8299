// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/yarn/fair/app_assign.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace muster::yarn::fair {
namespace {

// --- the share of masters

bool HasMasterLimit(const Queue& queue) {
  return std::fabs(queue.config.max_am_share + 1.0f) >= 0.0001;
}

Resource MasterLimit(const Cluster& cluster, const Queue& queue) {
  Resource most = queue.fair_share;
  if (most.memory == 0) most.memory = std::min(cluster.available.memory, queue.max.memory);
  if (most.vcores == 0) most.vcores = std::min(cluster.available.vcores, queue.max.vcores);
  const double part = static_cast<double>(queue.config.max_am_share);
  return {JavaLong(std::ceil(static_cast<double>(most.memory) * part)),
          JavaLong(std::ceil(static_cast<double>(most.vcores) * part))};
}

// --- locality

LocalityLevel& LevelOf(App* app, int32_t priority) {
  for (LocalityLevel& level : app->levels) {
    if (level.priority == priority) return level;
  }
  app->levels.push_back({.priority = priority});
  return app->levels.back();
}

bool DelaysScheduling(const Options& options) {
  return options.node_locality_threshold >= 0 && options.rack_locality_threshold >= 0;
}

// Counts the offered node, and relaxes the level once too many were offered in vain.
Locality AllowedLevel(const Cluster& cluster, LocalityLevel* level) {
  ++level->opportunities;
  if (!level->known) {
    level->known = true;
    return Locality::kNode;
  }
  if (level->allowed == Locality::kAny) return Locality::kAny;
  const bool node = level->allowed == Locality::kNode;
  const float part = std::min(
      node ? cluster.options.node_locality_threshold : cluster.options.rack_locality_threshold,
      1.0f);
  const double most = static_cast<double>(cluster.present.size()) * static_cast<double>(part);
  if (static_cast<double>(level->opportunities) > most) {
    level->allowed = node ? Locality::kRack : Locality::kAny;
    level->opportunities = 0;
  }
  return level->allowed;
}

// Whether the node may hold a container of these requests at all.
bool MayHold(const Cluster& cluster, const App& app, const RequestKey& key, const FairNode& node) {
  if (!key.is_served()) return false;
  const Ask& any = key.any();
  if (key.places() > 1 || !any.is_relaxed) {
    const bool in_rack = key.CountOf(node.rack) > 0;
    if (!any.is_relaxed && !in_rack) return false;
    if (in_rack && !key.MayRelaxTo(node.rack) && key.CountOf(node.name) <= 0) return false;
  }
  return FitsInAll(any.size, node.total) && FitsInMax(cluster, app.queue, any.size);
}

// The nearest place that may be served, and its ask; null: none. REQUIRES: key.is_served().
const Ask* ChooseAsk(const RequestKey& key, const FairNode& node, Locality allowed,
                     Locality* locality) {
  if (key.places() > 1) {
    const Ask* rack = key.Find(node.rack);
    const bool in_rack = rack != nullptr && rack->count > 0;
    *locality = Locality::kNode;
    if (in_rack && key.CountOf(node.name) > 0) return key.Find(node.name);
    if (rack != nullptr && !rack->is_relaxed) return nullptr;
    *locality = Locality::kRack;
    if (in_rack && allowed != Locality::kNode) return rack;
  }
  *locality = Locality::kAny;
  const bool may = key.any().is_relaxed && (key.places() <= 1 || allowed == Locality::kAny);
  return may ? &key.any() : nullptr;
}

// --- containers

// Containers for which others were preempted use up what was promised.
void UsePromise(FairNode* node, AppIndex app, const Resource& size) {
  for (auto at = node->promised.begin(); at != node->promised.end(); ++at) {
    if (at->first != app) continue;
    const Resource used = LeastOf(at->second, size);
    at->second -= used;
    node->promised_sum -= used;
    if (at->second == Resource{}) node->promised.erase(at);
    return;
  }
}

bool IsPromised(const FairNode& node, AppIndex app) {
  return std::ranges::any_of(node.promised,
                             [app](const auto& promise) { return promise.first == app; });
}

bool MayReserveMore(const Cluster& cluster, const App& app, const FairNode& node,
                    Locality locality) {
  if (locality == Locality::kNode) return true;
  const bool any = locality == Locality::kAny;
  const auto reserved = std::ranges::count_if(app.reserved_nodes, [&](NodeIndex other) {
    return any || cluster.nodes[other].rack == node.rack;
  });
  const int64_t nodes =
      any ? static_cast<int64_t>(cluster.present.size()) : cluster.rack_nodes[node.rack];
  return static_cast<float>(reserved) <
         std::ceil(static_cast<float>(nodes) * cluster.options.reservable_nodes);
}

// One request priority of an application, offered one node.
struct Trial {
  AppIndex app;
  NodeIndex node;
  RequestKey* key;
  bool reserved;  // the node's reservation is for it
};

bool MayReserve(const Cluster& cluster, const Trial& trial, const Ask& ask, Locality locality) {
  const App& app = cluster.apps[trial.app];
  const FairNode& node = cluster.nodes[trial.node];
  const Options& options = cluster.options;
  const Resource least =
      Multiply(options.increment, static_cast<double>(options.reservation_threshold_multiple));
  const Calculator by = CalculatorOf(cluster.queues[app.queue].policy);
  if (!IsStarved(cluster, app) || Less(by, cluster.total, ask.size, least)) return false;
  if (IsPromised(node, trial.app)) return false;
  const bool taken = node.reserved != kNone && cluster.containers[node.reserved].app != trial.app;
  return !taken && MayReserveMore(cluster, app, node, locality);
}

Offer Reserve(Cluster& cluster, const Trial& trial, const Ask& ask, Locality locality) {
  if (!MayReserve(cluster, trial, ask, locality)) return {};
  if (cluster.nodes[trial.node].reserved == kNone) {
    MakeReservation(cluster, trial.app, trial.node, ask.size, trial.key->priority());
  }
  return {Outcome::kReserved, {}};
}

// A reservation that becomes a container keeps its size, even if the ask has changed since.
ContainerIndex TakeReservation(Cluster& cluster, NodeIndex node) {
  const ContainerIndex index = cluster.nodes[node].reserved;
  cluster.containers[index].is_reserved = false;
  ClearReservation(cluster, node);
  return index;
}

Offer PlaceOne(Cluster& cluster, const Trial& trial, const Ask& ask, Locality locality,
               std::vector<Allocation>* placed) {
  App& app = cluster.apps[trial.app];
  FairNode& node = cluster.nodes[trial.node];
  const Resource asked = ask.size;
  const int32_t priority = trial.key->priority();
  const ContainerIndex index =
      trial.reserved ? TakeReservation(cluster, trial.node)
                     : MakeContainer(cluster, trial.app,
                                     {.node = trial.node, .size = asked, .priority = priority});
  Container& container = cluster.containers[index];
  container.locality = locality;
  app.requests.Take(priority, locality, node.name, node.rack);
  AddUsage(cluster, trial.app, container.size);
  node.Hold(index, &cluster.containers);
  UsePromise(&node, trial.app, container.size);
  if (!app.master_runs && !app.unmanaged) StartMaster(cluster, trial.app, asked);
  placed->push_back({.app = trial.app, .number = container.id.number, .container = index});
  return {asked.IsZero() ? Outcome::kNothing : Outcome::kPlaced, asked};
}

// Tries the nearest admissible place. Unset: there is none; otherwise what came of it.
std::optional<Offer> Try(Cluster& cluster, const Trial& trial, std::vector<Allocation>* placed) {
  App& app = cluster.apps[trial.app];
  const FairNode& node = cluster.nodes[trial.node];
  LocalityLevel* level =
      DelaysScheduling(cluster.options) ? &LevelOf(&app, trial.key->priority()) : nullptr;
  const Locality allowed = level == nullptr ? Locality::kAny : AllowedLevel(cluster, level);
  Locality locality;
  const Ask* ask = ChooseAsk(*trial.key, node, allowed, &locality);
  if (ask == nullptr) return std::nullopt;
  if (!FitsInAll(ask->size, node.free)) return Reserve(cluster, trial, *ask, locality);
  if (level != nullptr) level->allowed = std::min(level->allowed, locality);
  return PlaceOne(cluster, trial, *ask, locality, placed);
}

}  // namespace

std::optional<OverMasterLimit> MasterLimitOver(const Cluster& cluster, const App& app) {
  const Queue& queue = cluster.queues[app.queue];
  if (app.master_runs || app.unmanaged || !HasMasterLimit(queue)) return std::nullopt;
  const auto key = std::ranges::find_if(app.requests.keys(), &RequestKey::is_served);
  if (key == app.requests.keys().end()) return std::nullopt;
  const OverMasterLimit over{queue.master_usage + key->any().size, MasterLimit(cluster, queue)};
  if (FitsInAll(over.usage, over.limit)) return std::nullopt;
  return over;
}

Offer OfferNode(Cluster& cluster, AppIndex index, NodeIndex node, std::vector<Allocation>* placed) {
  App& app = cluster.apps[index];
  if (MasterLimitOver(cluster, app)) return {};
  for (RequestKey& key : app.requests.keys()) {
    if (!MayHold(cluster, app, key, cluster.nodes[node])) continue;
    const std::optional<Offer> offer = Try(cluster, {index, node, &key, false}, placed);
    if (offer) return *offer;
  }
  return {};
}

bool ServeReservation(Cluster& cluster, NodeIndex index, std::vector<Allocation>* placed) {
  const FairNode& node = cluster.nodes[index];
  const Container reservation = cluster.containers[node.reserved];
  App& app = cluster.apps[reservation.app];
  RequestKey* key = app.requests.Find(reservation.priority);
  if (key == nullptr || !MayHold(cluster, app, *key, node) || MasterLimitOver(cluster, app)) {
    EndContainer(cluster, node.reserved);
    return false;
  }
  if (FitsInAll(reservation.size, node.free)) {
    Try(cluster, {reservation.app, index, key, true}, placed);
  }
  return true;
}

}  // namespace muster::yarn::fair
