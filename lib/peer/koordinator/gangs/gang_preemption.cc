// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/koordinator/gangs/gang_preemption.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <tuple>

namespace muster::koordinator {
namespace {

std::vector<int64_t> CostsOf(std::span<const GangNode> nodes) {
  std::set<int32_t> priorities;
  for (const GangNode& node : nodes) {
    for (const GangVictim& victim : node.victims) priorities.insert(victim.priority);
  }
  std::vector<int64_t> costs;
  for (const GangNode& node : nodes) {
    std::set<std::string> jobs;
    int64_t cost = 0;
    for (const GangVictim& victim : node.victims) {
      if (!jobs.insert(victim.job).second) continue;
      cost += std::distance(priorities.begin(), priorities.find(victim.priority));
    }
    costs.push_back(cost);
  }
  return costs;
}

class Search {
 public:
  Search(size_t pods, std::span<const GangNode> nodes, GangRooms* rooms)
      : pods_(pods), nodes_(nodes), rooms_(*rooms) {}

  GangRoom Run() {
    GangRoom found;
    MoveAllVictims(-1);
    if (Place()) {
      found.places = places_;
      for (size_t n = 0; n < nodes_.size(); ++n) Reprieve(n, &found.victims);
      for (const auto& [n, victim] : found.victims) rooms_.MoveVictim(n, victim, 1);
    } else {
      MoveAllVictims(1);
    }
    return found;
  }

 private:
  void MoveAllVictims(int sign) {
    for (size_t n = 0; n < nodes_.size(); ++n) {
      for (size_t v = 0; v < nodes_[n].victims.size(); ++v) rooms_.MoveVictim(n, v, sign);
    }
  }

  // Gives each pod a node while all victims are gone. Pods are on no node when this returns.
  bool Place() {
    const std::vector<int64_t> costs = CostsOf(nodes_);
    std::vector<size_t> open(nodes_.size());
    std::iota(open.begin(), open.end(), size_t{0});
    for (size_t pod = 0; pod < pods_; ++pod) {
      std::erase_if(open, [&](size_t n) { return !rooms_.Fits(pod, n); });
      if (open.empty()) break;
      const size_t best = *std::ranges::min_element(open, {}, [&](size_t n) { return costs[n]; });
      rooms_.MovePod(pod, best, 1);
      places_.push_back(best);
    }
    for (size_t pod = 0; pod < places_.size(); ++pod) rooms_.MovePod(pod, places_[pod], -1);
    return places_.size() == pods_;
  }

  // Lets victims come back to the node. Those of a node without pods all do.
  void Reprieve(size_t n, std::vector<std::pair<size_t, size_t>>* gone) {
    std::vector<size_t> order(nodes_[n].victims.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::ranges::stable_sort(order, {}, [&](size_t v) {
      const GangVictim& victim = nodes_[n].victims[v];
      return std::tuple(-int64_t{victim.priority}, victim.job, victim.name);
    });
    for (const size_t v : order) {
      rooms_.MoveVictim(n, v, 1);
      if (StillFit(n)) continue;
      rooms_.MoveVictim(n, v, -1);
      gone->emplace_back(n, v);
    }
  }

  bool StillFit(size_t n) {
    std::vector<size_t> moved;
    bool fit = true;
    for (size_t pod = 0; fit && pod < pods_; ++pod) {
      if (places_[pod] != n) continue;
      fit = rooms_.Fits(pod, n);
      rooms_.MovePod(pod, n, 1);
      moved.push_back(pod);
    }
    for (const size_t pod : moved) rooms_.MovePod(pod, n, -1);
    return fit;
  }

  const size_t pods_;
  const std::span<const GangNode> nodes_;
  GangRooms& rooms_;
  std::vector<size_t> places_;
};

}  // namespace

GangRoom MakeGangRoom(size_t pods, std::span<const GangNode> nodes, GangRooms* rooms) {
  return Search(pods, nodes, rooms).Run();
}

}  // namespace muster::koordinator
