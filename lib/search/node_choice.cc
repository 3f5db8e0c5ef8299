// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Why a node is the best: what each policy adds to its score, and to that of the next best.
#include <algorithm>
#include <vector>

#include "lib/search/node_search.h"

namespace muster {

NodeIndex NodeSearch::BestOf(TaskIndex task, const ClassNeeds& needs,
                             std::span<const Ranked> fitting) {
  if (meter_ != nullptr) ++meter_->searches().by_scan;
  const auto best = std::max_element(fitting.begin(), fitting.end());
  if (best == fitting.end()) return kNone;
  if (meter_ != nullptr && meter_->explains()) Explain(task, needs, fitting, best->node);
  return best->node;
}

void NodeSearch::Explain(TaskIndex task, const ClassNeeds& needs, std::span<const Ranked> fitting,
                         NodeIndex best) {
  NodeChoice choice{.task = task, .chosen = best};
  const auto chosen = std::ranges::find(fitting, best, &Ranked::node);
  if (chosen == fitting.end()) return;
  const Ranked* next = nullptr;
  for (const Ranked& other : fitting) {
    if (other.node != best && (next == nullptr || *next < other)) next = &other;
  }
  if (next != nullptr) {
    choice.next = next->node;
    choice.next_name = ledger_.tables().nodes.names.name(next->node);
  }
  // Scores are brought to one scale over nodes of one rank, so the next best of another rank has
  // scores of its own.
  const auto parts = [&](uint8_t rank, NodeIndex node) {
    std::vector<NodeIndex> nodes;
    for (const Ranked& other : fitting) {
      if (other.rank == rank) nodes.push_back(other.node);
    }
    const auto place = static_cast<size_t>(std::ranges::find(nodes, node) - nodes.begin());
    std::vector<double> values;
    for (const PolicyEntry* entry : dispatcher_.at(Point::kScore)) {
      values.push_back(PartOf(*entry, task, needs, nodes, place));
    }
    return values;
  };
  const std::vector<double> of_chosen = parts(chosen->rank, best);
  std::vector<double> of_next(of_chosen.size(), 0);
  if (next != nullptr) of_next = parts(next->rank, next->node);
  size_t at = 0;
  for (const PolicyEntry* entry : dispatcher_.at(Point::kScore)) {
    choice.parts.push_back({std::string(entry->policy->name()), of_chosen[at], of_next[at]});
    ++at;
  }
  meter_->Choose(std::move(choice));
}

double NodeSearch::PartOf(const PolicyEntry& entry, TaskIndex task, const ClassNeeds& needs,
                          std::span<const NodeIndex> nodes, size_t place) {
  const ClassIndex c = ClassOf(task);
  double part = 0;
  for (size_t k = 0; k < kinds_->scores().size(); ++k) {
    if (kinds_->asked(k) != entry.score) continue;
    int64_t largest = 0;
    for (const NodeIndex n : nodes) {
      largest = std::max(largest, kinds_->raw(needs.row, k, kinds_->kind(n)));
    }
    part += Normalized(kinds_->scores()[k], kinds_->raw(needs.row, k, kinds_->kind(nodes[place])),
                       largest);
  }
  const Scope scope = entry.score->ScoreScope(c);
  if (scope >= Scope::kState) {
    const StateIndex slot = states_->state(nodes[place]);
    double order = 0, batch = 0;
    entry.score->ScoreStates(c, states_->columns(), slot, slot + 1, &order, &batch);
    part += order + batch;
  }
  if (scope == Scope::kCluster) {
    std::vector<double> order(nodes.size()), batch(nodes.size());
    entry.score->ScoreNodes(task, nodes, order, batch);
    part += order[place] + batch[place];
  }
  return part;
}

}  // namespace muster
