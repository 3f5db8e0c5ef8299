// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// All columns of a type lie one behind the other, in memory that is reserved before the first.
#include "capi/costs.h"

#include <vector>

#include "capi/policy.h"

namespace muster::capi {

template <class List, class F>
const int64_t* CostColumns::Numbers(const List& list, const F& get) {
  const size_t begin = numbers_.size();
  for (const auto& row : list) numbers_.push_back(get(row));
  return numbers_.data() + begin;
}

template <class List, class F>
const int32_t* CostColumns::Indices(const List& list, const F& get) {
  const size_t begin = indices_.size();
  for (const auto& row : list) indices_.push_back(RowNumber(get(row)));
  return indices_.data() + begin;
}

template <class List>
const double* CostColumns::Parts(const List& choices, double ScorePart::*value) {
  const size_t begin = reals_.size();
  for (const NodeChoice& choice : choices) {
    for (const ScorePart& part : choice.parts) reals_.push_back(part.*value);
  }
  return reals_.data() + begin;
}

template <class List, class F>
const int64_t* CostColumns::Names(const List& list, const F& get, size_t* begin) {
  const size_t first = numbers_.size();
  *begin = texts_.size();
  numbers_.push_back(0);
  for (const auto& row : list) {
    texts_.append(get(row));
    numbers_.push_back(static_cast<int64_t>(texts_.size() - *begin));
  }
  return numbers_.data() + first;
}

CostColumns::CostColumns(const CycleMetrics& metrics, const std::shared_ptr<Memory>& memory)
    : indices_(Allocator<int32_t>(memory)),
      numbers_(Allocator<int64_t>(memory)),
      reals_(Allocator<double>(memory)),
      texts_(Allocator<char>(memory)) {
  // All choices have the same policies.
  const std::vector<ScorePart> none;
  const std::vector<ScorePart>& scorers = metrics.choices.empty() ? none : metrics.choices[0].parts;
  const size_t choices = metrics.choices.size();
  numbers_.reserve(4 * (metrics.actions.size() + metrics.policies.size()) + scorers.size() +
                   choices + 4);
  indices_.reserve(3 * choices);
  reals_.reserve(2 * choices * scorers.size());

  view_.open_time = metrics.open;
  view_.close_time = metrics.close;
  view_.searches_remembered = metrics.searches.remembered;
  view_.searches_by_table = metrics.searches.by_table;
  view_.searches_by_scan = metrics.searches.by_scan;
  size_t action_names = 0, policy_names = 0, scorer_names = 0, next_names = 0;
  view_.action_count = static_cast<int64_t>(metrics.actions.size());
  view_.action_time = Numbers(metrics.actions, [](const ActionCost& a) { return a.time; });
  view_.action_work = Numbers(metrics.actions, [](const ActionCost& a) { return a.work; });
  view_.action_decisions =
      Numbers(metrics.actions, [](const ActionCost& a) { return a.decisions; });
  view_.action_name_offsets = Names(
      metrics.actions, [](const ActionCost& a) { return a.action; }, &action_names);
  view_.policy_count = static_cast<int64_t>(metrics.policies.size());
  view_.policy_time = Numbers(metrics.policies, [](const PolicyCost& p) { return p.time; });
  view_.policy_questions =
      Numbers(metrics.policies, [](const PolicyCost& p) { return p.questions; });
  view_.policy_nodes = Numbers(metrics.policies, [](const PolicyCost& p) { return p.nodes; });
  view_.policy_name_offsets = Names(
      metrics.policies, [](const PolicyCost& p) { return p.policy; }, &policy_names);
  view_.scorer_count = static_cast<int64_t>(scorers.size());
  view_.scorer_name_offsets = Names(
      scorers, [](const ScorePart& part) { return part.policy; }, &scorer_names);
  view_.choice_count = static_cast<int64_t>(choices);
  view_.choice_task = Indices(metrics.choices, [](const NodeChoice& c) { return c.task; });
  view_.choice_node = Indices(metrics.choices, [](const NodeChoice& c) { return c.chosen; });
  view_.choice_next = Indices(metrics.choices, [](const NodeChoice& c) { return c.next; });
  view_.choice_scores = Parts(metrics.choices, &ScorePart::chosen);
  view_.choice_next_scores = Parts(metrics.choices, &ScorePart::next);
  view_.choice_next_name_offsets = Names(
      metrics.choices, [](const NodeChoice& c) { return c.next_name; }, &next_names);
  // Texts stay where they are from now on.
  view_.action_names = texts_.data() + action_names;
  view_.policy_names = texts_.data() + policy_names;
  view_.scorer_names = texts_.data() + scorer_names;
  view_.choice_next_names = texts_.data() + next_names;
}

}  // namespace muster::capi
