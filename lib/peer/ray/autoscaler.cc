// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/ray/autoscaler.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "lib/model/tables.h"
#include "muster/types.h"

namespace muster {
namespace {

double AmountIn(const RayDemand& node, const std::string& resource) {
  const auto at = node.find(resource);
  return at == node.end() ? 0 : at->second;
}

bool HoldsDemand(const RayDemand& node, const RayDemand& demand) {
  return std::ranges::all_of(
      demand, [&](const auto& part) { return part.second <= AmountIn(node, part.first); });
}

void TakeDemand(const RayDemand& demand, RayDemand* node) {
  for (const auto& [resource, amount] : demand) {
    if (amount != 0) (*node)[resource] -= amount;
  }
}

// Types, how many of each can still be had, and how many are started.
class NodeTypes {
 public:
  explicit NodeTypes(std::vector<std::pair<std::string, RayDemand>> types,
                     std::vector<int64_t> most)
      : types_(std::move(types)), most_(std::move(most)), counts_(types_.size(), 0) {}

  // Starts nodes until they hold the demands, or no type holds any that is left. Returns the nodes,
  // empty. `one_each`: a node for each demand.
  std::vector<RayDemand> Start(std::vector<RayDemand> demands, bool one_each) {
    std::vector<RayDemand> started;
    while (!demands.empty()) {
      const std::optional<size_t> best =
          Best(one_each ? std::vector<RayDemand>{demands[0]} : demands);
      if (!best) break;
      ++counts_[*best];
      started.push_back(types_[*best].second);
      if (one_each) {
        demands.erase(demands.begin());
      } else {
        std::vector<RayDemand> node = {types_[*best].second};
        demands = RayUnfulfilled(std::move(demands), /*one_each=*/false, &node);
      }
    }
    return started;
  }
  const std::vector<int64_t>& counts() const { return counts_; }

 private:
  std::optional<size_t> Best(const std::vector<RayDemand>& demands) const {
    std::optional<size_t> best;
    std::optional<RayScore> best_score;
    for (size_t i = 0; i < types_.size(); ++i) {
      if (counts_[i] >= most_[i]) continue;
      const std::optional<RayScore> score = RayTypeScore(types_[i].second, demands);
      if (!score) continue;
      if (best && std::pair(*score, types_[i].first) <= std::pair(*best_score, types_[*best].first))
        continue;
      best = i;
      best_score = score;
    }
    return best;
  }

  const std::vector<std::pair<std::string, RayDemand>> types_;  // name, amounts
  const std::vector<int64_t> most_;
  std::vector<int64_t> counts_;
};

RayDemand InUnits(const NodeDemands& demands, const std::vector<int64_t>& amounts) {
  RayDemand units;
  for (size_t d = 0; d < amounts.size(); ++d) {
    const std::string& name = demands.dimensions[d];
    if (d == kPods || amounts[d] <= 0) continue;
    units[name] = static_cast<double>(amounts[d]) / (IsMilliDimension(name) ? 1000 : 1);
  }
  return units;
}

}  // namespace

std::optional<RayScore> RayTypeScore(const RayDemand& type, const std::vector<RayDemand>& demands) {
  RayDemand left = type;
  bool any_fits = false, any_accelerator = false;
  std::map<std::string, bool> needed;
  for (const RayDemand& demand : demands) {
    for (const auto& [resource, amount] : demand) {
      if (amount > 0) needed[resource] = true;
      any_accelerator |= resource == kRayAccelerator;
    }
    if (!HoldsDemand(left, demand)) continue;
    any_fits = true;
    TakeDemand(demand, &left);
  }
  if (!any_fits) return std::nullopt;
  int64_t matching = 0;
  std::vector<double> use;
  for (const auto& [resource, amount] : type) {
    if (amount < 1) continue;
    matching += needed.contains(resource);
    const double part = (amount - AmountIn(left, resource)) / amount;
    use.push_back(amount * (part * part * part));
  }
  if (use.empty()) return std::nullopt;
  const bool wastes = AmountIn(type, kRayAccelerator) > 0 && !any_accelerator;
  const double sum = std::accumulate(use.begin(), use.end(), 0.0);
  return RayScore{!wastes, matching, *std::ranges::min_element(use),
                  sum / static_cast<double>(use.size())};
}

std::vector<RayDemand> RayUnfulfilled(std::vector<RayDemand> demands, bool one_each,
                                      std::vector<RayDemand>* nodes) {
  const auto weight = [](const RayDemand& demand) {
    double sum = 0;
    for (const auto& [resource, amount] : demand) sum += amount;
    return sum;
  };
  std::stable_sort(demands.begin(), demands.end(), [&](const RayDemand& a, const RayDemand& b) {
    return std::tuple(a.size(), weight(a), a) > std::tuple(b.size(), weight(b), b);
  });
  std::vector<bool> used(nodes->size(), false);
  std::vector<RayDemand> left;
  for (RayDemand& demand : demands) {
    size_t i = 0;
    while (i < nodes->size() && (used[i] || !HoldsDemand((*nodes)[i], demand))) ++i;
    if (i == nodes->size()) {
      left.push_back(std::move(demand));
      continue;
    }
    used[i] = one_each;
    TakeDemand(demand, &(*nodes)[i]);
  }
  return left;
}

std::vector<int64_t> RayWantedNodes(const NodeDemands& demands) {
  std::vector<std::pair<std::string, RayDemand>> list;
  std::vector<int64_t> most;
  for (const NodeDemands::Type& type : demands.types) {
    list.emplace_back(type.name, InUnits(demands, type.amounts));
    most.push_back(type.most);
  }
  NodeTypes types(std::move(list), std::move(most));
  std::vector<RayDemand> nodes, of_groups, of_tasks;
  for (const std::vector<int64_t>& free : demands.free) nodes.push_back(InUnits(demands, free));
  for (const NodeDemands::Job& job : demands.jobs) {
    std::vector<RayDemand> bundles;
    for (const auto& request : job.requests) bundles.push_back(InUnits(demands, request));
    if (job.strategy == BundleStrategy::kStrictSpread) {
      bundles = RayUnfulfilled(std::move(bundles), /*one_each=*/true, &nodes);
      std::vector<RayDemand> started = types.Start(bundles, /*one_each=*/true);
      RayUnfulfilled(std::move(bundles), /*one_each=*/true, &started);
      nodes.insert(nodes.end(), started.begin(), started.end());
    } else if (job.strategy == BundleStrategy::kStrictPack) {
      RayDemand all;
      for (const RayDemand& bundle : bundles) {
        for (const auto& [resource, amount] : bundle) all[resource] += amount;
      }
      of_groups.push_back(std::move(all));
    } else {
      auto& list_of = job.strategy == BundleStrategy::kNone ? of_tasks : of_groups;
      list_of.insert(list_of.end(), bundles.begin(), bundles.end());
    }
  }
  of_groups.insert(of_groups.end(), of_tasks.begin(), of_tasks.end());
  types.Start(RayUnfulfilled(std::move(of_groups), /*one_each=*/false, &nodes),
              /*one_each=*/false);
  return types.counts();
}

}  // namespace muster
