// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/yarn/fair/preempt.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "lib/peer/yarn/fair/update.h"

namespace muster::yarn::fair {
namespace {

// --- the asks that a starvation covers

struct StarvedAsk {
  Place place = kAnyPlace;
  Resource size;
  int64_t count = 0;
  bool is_relaxed = true;
};

// Nodes of a name, in the order of registration: one node, a rack, or all.
std::vector<NodeIndex> NodesOf(const Cluster& cluster, Place place) {
  if (place == kAnyPlace) return cluster.present;
  std::vector<NodeIndex> rack;
  for (const NodeIndex node : cluster.present) {
    if (cluster.nodes[node].name == place) return {node};
    if (cluster.nodes[node].rack == place) rack.push_back(node);
  }
  return rack;
}

// An ask is written for a node, its rack and anywhere. Of asks of one size at one priority, that
// level counts of each rack which is met first.
class VisitedAsks {
 public:
  explicit VisitedAsks(const Cluster& cluster) : cluster_(cluster) {}

  bool Visit(int32_t priority, Place place, const Resource& size) {
    Level& level = LevelOf(priority, size);
    if (place == kAnyPlace) {
      level.any |= level.racks.empty() && level.racks_of_nodes.empty();
      return level.any;
    }
    const std::vector<NodeIndex> nodes = NodesOf(cluster_, place);
    if (nodes.empty() || level.any) return false;
    const FairNode& first = cluster_.nodes[nodes.front()];
    const bool is_node = nodes.size() == 1 && first.name == place;
    const Place rack = is_node ? first.rack : place;
    if (Has(is_node ? level.racks : level.racks_of_nodes, rack)) return false;
    (is_node ? level.racks_of_nodes : level.racks).push_back(rack);
    return true;
  }

 private:
  struct Level {
    int32_t priority;
    Resource size;
    bool any = false;
    std::vector<Place> racks, racks_of_nodes;
  };

  static bool Has(const std::vector<Place>& places, Place place) {
    return std::ranges::find(places, place) != places.end();
  }
  Level& LevelOf(int32_t priority, const Resource& size) {
    for (Level& level : levels_) {
      if (level.priority == priority && level.size == size) return level;
    }
    levels_.push_back({.priority = priority, .size = size});
    return levels_.back();
  }

  const Cluster& cluster_;
  std::vector<Level> levels_;
};

// The hash of a request priority in the peer's table.
uint32_t HashOfPriority(int32_t priority) {
  return (517861u * 9511u + static_cast<uint32_t>(priority)) * 31u * 31u;
}

struct PlacedAsk {
  int32_t priority;
  Place place;
  Ask ask;
};

// In the order in which the peer walks its tables of priorities and of places.
std::vector<PlacedAsk> AllAsks(const Cluster& cluster, const App& app) {
  std::vector<PlacedAsk> all;
  std::vector<const RequestKey*> keys;
  std::vector<uint32_t> hashes;
  for (const RequestKey& key : app.requests.keys()) {
    if (key.places() == 0) continue;
    keys.push_back(&key);
    hashes.push_back(HashOfPriority(key.priority()));
  }
  for (const size_t i : HashTableOrder(hashes)) {
    std::vector<PlacedAsk> asks;
    const int32_t priority = keys[i]->priority();
    if (keys[i]->is_served()) asks.push_back({priority, kAnyPlace, keys[i]->any()});
    for (const auto& [place, ask] : keys[i]->others()) asks.push_back({priority, place, ask});
    std::vector<uint32_t> place_hashes;
    for (const PlacedAsk& ask : asks) place_hashes.push_back(cluster.place_hashes[ask.place]);
    for (const size_t k : HashTableOrder(place_hashes)) all.push_back(asks[k]);
  }
  return all;
}

std::vector<StarvedAsk> StarvedAsks(const Cluster& cluster, const App& app, Resource pending) {
  std::vector<StarvedAsk> starved;
  VisitedAsks visited(cluster);
  for (const auto& [priority, place, ask] : AllAsks(cluster, app)) {
    if (pending.IsZero()) break;
    if (!visited.Visit(priority, place, ask.size)) continue;
    const int64_t fitting =
        JavaInt(std::floor(static_cast<double>(Ratio(Calculator::kMemory, pending, ask.size))));
    if (fitting == 0) continue;
    StarvedAsk wanted{place, ask.size, ask.count, ask.is_relaxed};
    if (fitting < ask.count) wanted = {place, ask.size, fitting, true};
    starved.push_back(wanted);
    pending = SubtractToZero(pending, ask.size * wanted.count);
  }
  return starved;
}

// --- containers of one node

struct Victims {
  NodeIndex node = kNone;
  int64_t masters = 0;
  std::vector<ContainerIndex> containers;
};

// The newest first, masters last.
std::vector<ContainerIndex> VictimOrder(const Cluster& cluster, const FairNode& node) {
  std::vector<ContainerIndex> order = node.containers;
  std::ranges::sort(order, [&](ContainerIndex a_index, ContainerIndex b_index) {
    const Container &a = cluster.containers[a_index], &b = cluster.containers[b_index];
    if (a.is_master != b.is_master) return b.is_master;
    return a.is_master ? a.id < b.id : b.id < a.id;
  });
  return order;
}

bool MayPreempt(const Cluster& cluster, const Container& container, const Resource& chosen) {
  const App& app = cluster.apps[container.app];
  const Queue& queue = cluster.queues[app.queue];
  if (!queue.preemptable || container.is_spared) return false;
  if (container.is_master && !cluster.options.am_preemption) return false;
  const Resource left = app.usage - app.to_preempt - container.size - chosen;
  return !IsBelow(queue.policy, cluster.total, left, app.fair_share);
}

// Finds containers that make room for `size` when they end, with fewer than `most` masters. Unset:
// there are none.
std::optional<Victims> ChooseOnNode(const Cluster& cluster, NodeIndex index, const Resource& size,
                                    int64_t most) {
  const FairNode& node = cluster.nodes[index];
  Resource held = node.promised_sum;
  if (node.reserved != kNone) held += cluster.containers[node.reserved].size;
  Resource room = SubtractToZero(node.free, held);
  Victims victims{.node = index};
  for (const ContainerIndex candidate : VictimOrder(cluster, node)) {
    const Container& container = cluster.containers[candidate];
    if (container.is_to_preempt) continue;
    Resource chosen;  // of the same application
    for (const ContainerIndex other : victims.containers) {
      if (cluster.containers[other].app == container.app) chosen += cluster.containers[other].size;
    }
    if (MayPreempt(cluster, container, chosen)) {
      victims.masters += container.is_master ? 1 : 0;
      if (container.is_master && victims.masters >= most) return std::nullopt;
      victims.containers.push_back(candidate);
      room += container.size;
    }
    if (FitsInAll(size, room)) return victims;
  }
  return std::nullopt;
}

std::optional<Victims> ChooseAmong(const Cluster& cluster, const std::vector<NodeIndex>& nodes,
                                   const Resource& size) {
  std::optional<Victims> best;
  int64_t most = std::numeric_limits<int32_t>::max();
  for (const NodeIndex node : nodes) {
    std::optional<Victims> victims = ChooseOnNode(cluster, node, size, most);
    if (!victims) continue;
    best = std::move(victims);
    most = best->masters;
    if (most == 0) break;
  }
  return best;
}

// Masters die only where no other node, near or far, spares them.
std::optional<Victims> ChooseFor(const Cluster& cluster, const StarvedAsk& ask,
                                 const std::vector<NodeIndex>& nodes) {
  std::optional<Victims> best = ChooseAmong(cluster, nodes, ask.size);
  if (!ask.is_relaxed || ask.place == kAnyPlace || !best || best->masters == 0) return best;
  std::vector<NodeIndex> others;
  for (const NodeIndex node : cluster.present) {
    if (std::ranges::find(nodes, node) == nodes.end()) others.push_back(node);
  }
  std::optional<Victims> spare = ChooseAmong(cluster, others, ask.size);
  return spare && spare->masters < best->masters ? spare : best;
}

void Mark(Cluster& cluster, AppIndex starved, const Victims& victims) {
  Resource sum;
  for (const ContainerIndex index : victims.containers) {
    Container& container = cluster.containers[index];
    container.is_to_preempt = true;
    cluster.apps[container.app].to_preempt += container.size;
    sum += container.size;
  }
  Promise(cluster, starved, victims.node, sum);
}

}  // namespace

PreemptedFor PreemptForNext(Cluster& cluster) {
  const AppIndex index =
      cluster.starved.Pop([&](AppIndex a, AppIndex b) { return CompareStarved(cluster, a, b); });
  App& app = cluster.apps[index];
  PreemptedFor preempted{.app = index,
                         .starvation = app.fair_share_starvation + app.min_share_starvation};
  for (const StarvedAsk& ask : StarvedAsks(cluster, app, preempted.starvation)) {
    const std::vector<NodeIndex> nodes = NodesOf(cluster, ask.place);
    for (int64_t i = 0; i < ask.count; ++i) {
      const std::optional<Victims> victims = ChooseFor(cluster, ask, nodes);
      if (!victims || victims->containers.empty()) break;  // so it would be for the next one
      Mark(cluster, index, *victims);
      for (const ContainerIndex victim : victims->containers) {
        const Container& container = cluster.containers[victim];
        preempted.containers.push_back({container.app, container.id.number});
      }
    }
  }
  const Options& options = cluster.options;
  cluster.kills.push_back({.time = cluster.now + options.wait_before_kill,
                           .starved = index,
                           .containers = preempted.containers});
  app.next_starvation_check =
      cluster.now + options.wait_before_kill + options.wait_before_next_check;
  return preempted;
}

std::vector<ContainerName> KillDue(Cluster& cluster) {
  std::vector<ContainerName> killed;
  for (const Kill& kill : cluster.kills) {
    if (kill.time > cluster.now) continue;
    for (const ContainerName name : kill.containers) {
      const ContainerIndex index = FindContainer(cluster, name);
      if (index == kNone) continue;
      EndContainer(cluster, index);
      killed.push_back(name);
    }
  }
  std::erase_if(cluster.kills, [&](const Kill& kill) { return kill.time <= cluster.now; });
  return killed;
}

}  // namespace muster::yarn::fair
