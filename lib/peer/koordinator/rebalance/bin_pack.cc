// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Scores of nodes and sizes of tasks, and the sorts by them.
#include "lib/peer/koordinator/rebalance/bin_pack.h"

#include <algorithm>
#include <tuple>

#include "lib/peer/koordinator/rebalance/eviction_order.h"

namespace muster::koordinator {
namespace {

double FractionOf(int64_t amount, int64_t has) {
  return static_cast<double>(amount) / static_cast<double>(has);
}

double ScoreOf(const PackNode& node, const PackWeights& weights) {
  double others = 0, targets = 0;
  for (const auto& [resource, weight] : weights) {
    const int64_t has = AmountOf(node.allocatable, resource);
    if (has <= 0) continue;
    int64_t of_others = 0, of_targets = 0;
    for (const PackNode::Task& task : node.tasks) {
      (task.role == PackRole::kTarget ? of_targets : of_others) +=
          AmountOf(task.requests, resource);
    }
    others += weight * FractionOf(of_others, has);
    targets += weight * FractionOf(of_targets, has);
  }
  if (targets > 0) return others / targets;
  return others > 0 ? std::numeric_limits<double>::infinity() : 0;
}

double SizeOf(const PackNode::Task& task, const PackNode& node, const PackWeights& weights) {
  double size = 0;
  for (const auto& [resource, weight] : weights) {
    const int64_t has = AmountOf(node.allocatable, resource);
    if (has > 0) size += weight * FractionOf(AmountOf(task.requests, resource), has);
  }
  return size;
}

struct RankedNode {
  double score;
  std::vector<size_t> targets;
  size_t index;
};

void SortTargets(const PackNode& node, const PackWeights& weights, std::vector<size_t>* targets) {
  const auto key = [&](size_t i) {
    const PackNode::Task& task = node.tasks[i];
    return std::tuple(-SizeOf(task, node, weights), -task.created,
                      std::string_view(task.name_space), std::string_view(task.name));
  };
  std::stable_sort(targets->begin(), targets->end(),
                   [&](size_t a, size_t b) { return key(a) < key(b); });
}

}  // namespace

std::vector<PackedTask> ScaleDownOrder(std::span<const PackNode> nodes, PackWeights weights) {
  if (weights.empty()) weights = {{"cpu", 1.0}, {"memory", 1.0}};
  std::vector<RankedNode> ranked;
  for (size_t n = 0; n < nodes.size(); ++n) {
    RankedNode row{.score = 0, .targets = {}, .index = n};
    for (size_t t = 0; t < nodes[n].tasks.size(); ++t) {
      if (nodes[n].tasks[t].role == PackRole::kTarget) row.targets.push_back(t);
    }
    if (row.targets.empty()) continue;
    row.score = ScoreOf(nodes[n], weights);
    SortTargets(nodes[n], weights, &row.targets);
    ranked.push_back(std::move(row));
  }
  std::stable_sort(ranked.begin(), ranked.end(), [&](const RankedNode& a, const RankedNode& b) {
    return std::tuple(a.score, a.targets.size(), std::string_view(nodes[a.index].name)) <
           std::tuple(b.score, b.targets.size(), std::string_view(nodes[b.index].name));
  });
  std::vector<PackedTask> order;
  for (const RankedNode& row : ranked) {
    for (const size_t task : row.targets) order.push_back({row.index, task, row.score});
  }
  return order;
}

}  // namespace muster::koordinator
