// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Fractions, their deviation, and the best task to remove.
#include "lib/peer/koordinator/rebalance/fragmentation.h"

#include <cmath>

#include "lib/peer/koordinator/rebalance/eviction_order.h"

namespace muster::koordinator {
namespace {

double Deviation(const std::vector<double>& values) {
  if (values.empty()) return 0;
  const auto count = static_cast<double>(values.size());
  double sum = 0, squares = 0;
  for (const double value : values) sum += value;
  for (const double value : values) squares += (value - sum / count) * (value - sum / count);
  return std::sqrt(squares / count);
}

}  // namespace

double Imbalance(const FragmentedNode& node, const std::vector<std::string>& resources,
                 const std::optional<std::string>& without) {
  std::vector<double> fractions;
  for (const std::string& resource : resources) {
    const int64_t has = AmountOf(node.allocatable, resource);
    if (has == 0) continue;
    int64_t requested = 0;
    for (const FragmentedNode::Task& task : node.tasks) {
      if (without.has_value() && task.id == *without) continue;
      requested += resource == "pods" ? 1000 : AmountOf(task.requests, resource);
    }
    fractions.push_back(static_cast<double>(requested) / static_cast<double>(has));
  }
  return Deviation(fractions);
}

std::optional<size_t> MostUneven(const FragmentedNode& node, const FragmentationRules& rules) {
  const double before = Imbalance(node, rules.resources, std::nullopt);
  if (before <= rules.imbalance) return std::nullopt;
  std::optional<size_t> best;
  double most = 0;
  for (size_t i = 0; i < node.tasks.size(); ++i) {
    if (!node.tasks[i].may_leave) continue;
    const double gain = before - Imbalance(node, rules.resources, node.tasks[i].id);
    if (gain <= rules.gain || (best.has_value() && gain <= most)) continue;
    best = i;
    most = gain;
  }
  return best;
}

}  // namespace muster::koordinator
