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

void SplitByBudgets(std::span<const size_t> candidates, const std::vector<bool>& breaks,
                    std::vector<size_t>* breaking, std::vector<size_t>* others) {
  for (size_t i = 0; i < candidates.size(); ++i) {
    (breaks[i] ? breaking : others)->push_back(candidates[i]);
  }
}

// What the group uses while candidates leave and come back.
class GroupBooks {
 public:
  explicit GroupBooks(const ElasticTree::Room& room) : room_(room), used_(room.used) {}

  void Remove(const ElasticTask& task) {
    if (!task.is_counted) return;
    used_.Subtract(task.request.Only(room_.keys));
    used_.NotBelowZero();
  }
  void PutBack(const ElasticTask& task) {
    if (task.is_counted) used_.Add(task.request.Only(room_.keys));
  }
  bool HasRoom(const ElasticTask& task) const {
    Sparse with = used_;
    with.Add(task.request);
    return !Exceeds(with.Only(task.request.keys()), room_.runtime);
  }

 private:
  const ElasticTree::Room& room_;
  Sparse used_;
};

// A node that has nothing but amounts.
class AmountsNode : public ElasticDryRunNode {
 public:
  AmountsNode(const ElasticPreemption& preemption, const ElasticTask& task, const ElasticNode& node)
      : preemption_(preemption), task_(task), node_(node), count_(node.tasks.size()) {
    for (const ElasticTask& other : node.tasks) used_.Add(other.request);
  }

  void Leave(size_t i) override {
    used_.Subtract(node_.tasks[i].request);
    --count_;
  }
  void Return(size_t i) override {
    used_.Add(node_.tasks[i].request);
    ++count_;
  }
  bool Fits() override { return Judge() == Fit::kFits; }
  std::vector<bool> BreakBudgets(std::span<const size_t> tasks) const override {
    return preemption_.BreakBudgets(node_.tasks, tasks);
  }
  Fit Judge() const { return FitIn(task_, node_, used_, count_); }

 private:
  const ElasticPreemption& preemption_;
  const ElasticTask& task_;
  const ElasticNode& node_;
  Sparse used_;
  size_t count_;
};

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
      std::any_of(nominated->tasks.begin(), nominated->tasks.end(),
                  [&](const ElasticTask& other) { return IsLeavingFor(task, other); });
  return leaving ? Right::kVictimsLeaving : Right::kMay;
}

std::vector<bool> ElasticPreemption::BreakBudgets(std::span<const ElasticTask> tasks,
                                                  std::span<const size_t> candidates) const {
  std::vector<int64_t> left = budgets_;
  std::vector<bool> breaking(candidates.size());
  for (size_t i = 0; i < candidates.size(); ++i) {
    for (const uint32_t budget : tasks[candidates[i]].budgets) {
      if (--left[budget] < 0) breaking[i] = true;
    }
  }
  return breaking;
}

void ElasticPreemption::SpareBudgets(std::span<const ElasticTask> tasks,
                                     std::span<const size_t> candidates,
                                     std::vector<size_t>* breaking,
                                     std::vector<size_t>* others) const {
  SplitByBudgets(candidates, BreakBudgets(tasks, candidates), breaking, others);
}

ElasticPreemption::DryRunResult ElasticPreemption::DryRun(const ElasticTask& task,
                                                          const ElasticTree::Room& room,
                                                          const ElasticNode& node) const {
  AmountsNode amounts(*this, task, node);
  DryRunResult result = DryRunOn(task, room, node.tasks, amounts);
  if (result.outcome == Outcome::kNoRoom && amounts.Judge() == Fit::kTooLarge) {
    result.outcome = Outcome::kTooLarge;
  }
  return result;
}

ElasticPreemption::DryRunResult ElasticPreemption::DryRunOn(const ElasticTask& task,
                                                            const ElasticTree::Room& room,
                                                            std::span<const ElasticTask> tasks,
                                                            ElasticDryRunNode& node) const {
  DryRunResult result;
  GroupBooks books(room);
  const auto leave = [&](size_t i) {
    node.Leave(i);
    books.Remove(tasks[i]);
  };
  const auto put_back = [&](size_t i) {
    node.Return(i);
    books.PutBack(tasks[i]);
  };
  std::vector<size_t> candidates, breaking, others;
  for (size_t i = 0; i < tasks.size(); ++i) {
    if (!MayTakeFrom(task, tasks[i])) continue;
    candidates.push_back(i);
    leave(i);
  }
  if (candidates.empty()) return result;
  if (!node.Fits()) {
    result.outcome = Outcome::kNoRoom;
    return result;
  }
  if (options_.asks_group_first && !books.HasRoom(task)) {
    result.outcome = Outcome::kAboveRuntime;
    return result;
  }
  std::stable_sort(candidates.begin(), candidates.end(),
                   [&](size_t a, size_t b) { return MoreImportant(tasks[a], tasks[b]); });
  SplitByBudgets(candidates, node.BreakBudgets(candidates), &breaking, &others);
  const size_t breakers = breaking.size();
  breaking.insert(breaking.end(), others.begin(), others.end());
  for (size_t i = 0; i < breaking.size(); ++i) {
    put_back(breaking[i]);
    const bool fits = node.Fits();
    if (!fits) leave(breaking[i]);
    const bool has_room = books.HasRoom(task);
    if (!fits && !has_room) return {.outcome = Outcome::kRemovedTwice, .victims = {}};
    if (!has_room) leave(breaking[i]);
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
