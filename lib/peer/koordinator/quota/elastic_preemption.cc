// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/koordinator/quota/elastic_preemption.h"

#include <algorithm>
#include <limits>
#include <tuple>

namespace muster {
namespace {

using Fit = ElasticPreemption::Fit;
using Outcome = ElasticPreemption::DryRunResult::Outcome;

bool MoreImportant(const ElasticTask& a, const ElasticTask& b) {
  if (a.priority != b.priority) return a.priority > b.priority;
  return a.started < b.started;
}

Fit FitIn(const ElasticTask& task, const ElasticNode& node, const Sparse& used, size_t tasks) {
  Fit fit = static_cast<int64_t>(tasks) + 1 > node.most_tasks ? Fit::kNoRoom : Fit::kFits;
  ForEachResource(task.request.keys(), [&](size_t r) {
    const int64_t request = task.request.at(r);
    if (request <= 0) return;
    if (request > node.capacity.at(r)) {
      fit = Fit::kTooLarge;
    } else if (SaturatingAdd(used.at(r), request) > node.capacity.at(r) && fit == Fit::kFits) {
      fit = Fit::kNoRoom;
    }
  });
  return fit;
}

// The books of the node and the group while candidates leave and come back.
struct Books {
  const ElasticTree::Room& room;
  Sparse on_node = {}, in_group = {};
  size_t tasks = 0;

  void Remove(const ElasticTask& task) {
    on_node.Subtract(task.request);
    --tasks;
    if (!task.is_counted) return;
    in_group.Subtract(task.request.Only(room.keys));
    in_group.NotBelowZero();
  }
  void PutBack(const ElasticTask& task) {
    on_node.Add(task.request);
    ++tasks;
    if (task.is_counted) in_group.Add(task.request.Only(room.keys));
  }
  bool GroupHasRoom(const ElasticTask& task) const {
    Sparse with = in_group;
    with.Add(task.request);
    return !Exceeds(with.Only(task.request.keys()), room.runtime);
  }
};

Books BooksOf(const ElasticTree::Room& room, const ElasticNode& node) {
  Books books{.room = room, .in_group = room.used, .tasks = node.tasks.size()};
  for (const ElasticTask& task : node.tasks) books.on_node.Add(task.request);
  return books;
}

}  // namespace

bool ElasticPreemption::MayTakeFrom(const ElasticTask& task, const ElasticTask& victim) const {
  if (!victim.preemptible) return false;
  if (options_.default_is_safe && victim.group == kDefaultQuota) return false;
  return task.priority > victim.priority && task.group == victim.group;
}

ElasticPreemption::Fit ElasticPreemption::FitOn(const ElasticTask& task, const ElasticNode& node) {
  Sparse used;
  for (const ElasticTask& other : node.tasks) used.Add(other.request);
  return FitIn(task, node, used, node.tasks.size());
}

ElasticPreemption::Right ElasticPreemption::RightOf(const ElasticTask& task,
                                                    const ElasticNode* nominated,
                                                    bool never_fits) const {
  if (!task.preempts) return Right::kNever;
  if (nominated == nullptr || never_fits) return Right::kMay;
  const bool leaving =
      std::any_of(nominated->tasks.begin(), nominated->tasks.end(), [&](const ElasticTask& other) {
        return other.is_leaving && other.group == task.group && other.priority < task.priority;
      });
  return leaving ? Right::kVictimsLeaving : Right::kMay;
}

void ElasticPreemption::SpareBudgets(const ElasticNode& node, std::span<const size_t> candidates,
                                     std::vector<size_t>* breaking,
                                     std::vector<size_t>* others) const {
  std::vector<int64_t> left = budgets_;
  for (size_t candidate : candidates) {
    bool breaks = false;
    for (uint32_t budget : node.tasks[candidate].budgets) breaks |= --left[budget] < 0;
    (breaks ? breaking : others)->push_back(candidate);
  }
}

ElasticPreemption::DryRunResult ElasticPreemption::DryRun(const ElasticTask& task,
                                                          const ElasticTree::Room& room,
                                                          const ElasticNode& node) const {
  DryRunResult result;
  Books books = BooksOf(room, node);
  std::vector<size_t> candidates, breaking, others;
  for (size_t i = 0; i < node.tasks.size(); ++i) {
    if (!MayTakeFrom(task, node.tasks[i])) continue;
    candidates.push_back(i);
    books.Remove(node.tasks[i]);
  }
  if (candidates.empty()) return result;
  if (const Fit fit = FitIn(task, node, books.on_node, books.tasks); fit != Fit::kFits) {
    result.outcome = fit == Fit::kTooLarge ? Outcome::kTooLarge : Outcome::kNoRoom;
    return result;
  }
  if (options_.asks_group_first && !books.GroupHasRoom(task)) {
    result.outcome = Outcome::kAboveRuntime;
    return result;
  }
  std::stable_sort(candidates.begin(), candidates.end(),
                   [&](size_t a, size_t b) { return MoreImportant(node.tasks[a], node.tasks[b]); });
  SpareBudgets(node, candidates, &breaking, &others);
  const size_t breakers = breaking.size();
  breaking.insert(breaking.end(), others.begin(), others.end());
  for (size_t i = 0; i < breaking.size(); ++i) {
    const ElasticTask& candidate = node.tasks[breaking[i]];
    books.PutBack(candidate);
    const bool fits = FitIn(task, node, books.on_node, books.tasks) == Fit::kFits;
    if (!fits) books.Remove(candidate);
    const bool has_room = books.GroupHasRoom(task);
    if (!fits && !has_room) return {.outcome = Outcome::kRemovedTwice, .victims = {}};
    if (!has_room) books.Remove(candidate);
    if (fits && has_room) continue;
    result.victims.push_back(breaking[i]);
    if (i < breakers && (!fits || options_.counts_all)) ++result.broken_budgets;
  }
  result.outcome = Outcome::kVictims;
  return result;
}

std::optional<size_t> ElasticPreemption::Choose(std::span<const DryRunResult> results,
                                                std::span<const ElasticNode> nodes) {
  // The smallest rank is the best.
  const auto rank = [&](size_t at) {
    int32_t highest = std::numeric_limits<int32_t>::min();
    int64_t sum = 0, start = std::numeric_limits<int64_t>::max();
    for (size_t victim : results[at].victims) {
      const ElasticTask& task = nodes[at].tasks[victim];
      highest = std::max(highest, task.priority);
      // Shifted, so that more victims have a larger sum whatever the signs of their priorities.
      sum += int64_t{task.priority} - std::numeric_limits<int32_t>::min();
    }
    for (size_t victim : results[at].victims) {
      const ElasticTask& task = nodes[at].tasks[victim];
      if (task.priority == highest) start = std::min(start, task.started);
    }
    const int32_t first = nodes[at].tasks[results[at].victims.front()].priority;
    return std::tuple(results[at].broken_budgets, first, sum, results[at].victims.size(), -start,
                      at);
  };
  std::optional<size_t> best;
  for (size_t at = 0; at < results.size(); ++at) {
    if (results[at].outcome != Outcome::kVictims || results[at].victims.empty()) continue;
    if (!best.has_value() || rank(at) < rank(*best)) best = at;
  }
  return best;
}

}  // namespace muster
