// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/armada/gang_prices.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "lib/base/math.h"
#include "lib/peer/armada/matching.h"

namespace muster::armada {

NodePrice PriceNode(const WalkWorld& world, const NodeBooks& books, int job, int node,
                    absl::Span<const int> gang) {
  const Tables& tables = world.tables;
  const State& state = tables.state;
  NodePrice found;
  if (!NodeSuits(state.nodes[static_cast<size_t>(node)], tables.shape(job), {}, state.resources)) {
    return found;
  }
  const int64_t* requests = tables.node_requests(job);
  Amounts free(books.free(0, node), books.free(0, node) + tables.dimensions);
  const auto fits = [&] {
    for (size_t r = 0; r < free.size(); ++r) {
      if (requests[r] > free[r]) return false;
    }
    return true;
  };
  found.fits = fits();
  if (found.fits) return found;
  std::vector<std::tuple<double, int64_t, int, int>> others;
  for (const int other : books.jobs_on(node)) {
    if (std::ranges::find(gang, other) != gang.end()) continue;
    const std::optional<Run>& run = state.jobs[static_cast<size_t>(other)].run;
    const int64_t age = run ? SatSub(state.options.optimiser.now, run->leased) : 0;
    others.emplace_back(tables.BidOf(other), age, tables.job_rank(other), other);
  }
  std::ranges::sort(others);
  for (const auto& [bid, age, rank, other] : others) {
    const int64_t* given = tables.node_requests(other);
    for (size_t r = 0; r < free.size(); ++r) free[r] += given[r];
    found.victims.push_back(other);
    found.price = bid;
    found.fits = fits();
    if (found.fits) return found;
  }
  return {};
}

Reason CheckUniformity(const Tables& tables, const std::string& uniformity) {
  if (uniformity.empty()) return Reason::kNone;
  const LabelValues* label = tables.FindValues(uniformity);
  if (label == nullptr) return Reason::kLabelNotIndexed;
  return label->values.empty() ? Reason::kLabelWithoutNodes : Reason::kNone;
}

std::vector<std::vector<int>> GroupNodes(const Tables& tables, const std::string& uniformity) {
  std::vector<int> nodes(tables.state.nodes.size());
  for (size_t n = 0; n < nodes.size(); ++n) {
    nodes[static_cast<size_t>(tables.node_rank(static_cast<int>(n)))] = static_cast<int>(n);
  }
  if (uniformity.empty()) return {nodes};
  const LabelValues* label = tables.FindValues(uniformity);
  if (label == nullptr) return {};
  std::vector<std::vector<int>> groups(label->values.size());
  for (const int node : nodes) {
    const int value = label->of_node[static_cast<size_t>(node)];
    if (value >= 0) groups[static_cast<size_t>(value)].push_back(node);
  }
  return groups;
}

GangPrice GangPricer::Price(absl::Span<const int> gang, const std::string& uniformity) {
  const Reason refusal = CheckUniformity(world_.tables, uniformity);
  if (refusal != Reason::kNone) return {refusal};
  GangPrice best{gang.size() > 1 ? Reason::kGangDoesNotFit : Reason::kJobDoesNotFit};
  for (const std::vector<int>& nodes : GroupNodes(world_.tables, uniformity)) {
    double price = 0;
    const NodeFinder::Mark mark = finder_.MakeMark();
    const bool fits = PriceOn(gang, nodes, &price);
    finder_.Undo(mark);
    if (!fits || (best.reason == Reason::kNone && price >= best.price)) continue;
    best = {Reason::kNone, price};
  }
  return best;
}

bool GangPricer::PriceOn(absl::Span<const int> gang, const std::vector<int>& nodes, double* price) {
  for (const int job : gang) {
    NodePrice best;
    int chosen = -1;
    for (const int node : nodes) {
      NodePrice next = PriceNode(world_, books_, job, node, gang);
      if (!next.fits || (chosen >= 0 && next.price >= best.price)) continue;
      best = std::move(next);
      chosen = node;
    }
    if (chosen < 0) return false;
    *price = std::max(*price, best.price);
    for (const int victim : best.victims) books_.Remove(victim);
    finder_.Bind(job, chosen, world_.tables.priority_class(job).priority);
  }
  return true;
}

}  // namespace muster::armada
