// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/reference/peer/koordinator/elastic_preemption.h"

#include <algorithm>
#include <set>

namespace muster::reference {
namespace {

bool Above(const QuotaAmounts& amounts, const QuotaAmounts& most) {
  for (const auto& [name, amount] : amounts) {
    if (most.contains(name) && amount > most.at(name)) return true;
  }
  return false;
}

QuotaAmounts Plus(QuotaAmounts amounts, const QuotaAmounts& more, int64_t sign) {
  for (const auto& [name, amount] : more) amounts[name] += sign * amount;
  return amounts;
}

QuotaAmounts NamedIn(const QuotaAmounts& amounts, const QuotaAmounts& names) {
  QuotaAmounts some;
  for (const auto& [name, amount] : amounts) {
    if (names.contains(name)) some[name] = amount;
  }
  return some;
}

// The indices, the most important first; of equals the first.
std::vector<size_t> ByImportance(const std::vector<GroupTask>& tasks, std::vector<size_t> some) {
  for (size_t i = 0; i < some.size(); ++i) {
    for (size_t j = i; j > 0; --j) {
      const GroupTask &left = tasks[some[j - 1]], &right = tasks[some[j]];
      const bool swaps = right.priority > left.priority ||
                         (right.priority == left.priority && right.started < left.started);
      if (swaps) std::swap(some[j - 1], some[j]);
    }
  }
  return some;
}

}  // namespace

std::vector<size_t> Revoked(const QuotaAmounts& used, const QuotaAmounts& runtime,
                            const std::vector<GroupTask>& tasks) {
  std::vector<size_t> order;
  for (size_t i = 0; i < tasks.size(); ++i) order.push_back(i);
  order = ByImportance(tasks, order);
  std::reverse(order.begin(), order.end());
  QuotaAmounts now = used;
  std::vector<size_t> out, stay_out;
  for (size_t i : order) {
    if (!Above(now, runtime)) break;
    if (!tasks[i].preemptible) continue;
    now = NamedIn(Plus(now, tasks[i].request, -1), tasks[i].request);
    out.push_back(i);
  }
  if (Above(now, runtime)) return out;
  while (!out.empty()) {
    const size_t i = out.back();
    out.pop_back();
    const QuotaAmounts with = NamedIn(Plus(now, tasks[i].request, 1), tasks[i].request);
    if (!Above(with, runtime)) {
      now = with;
    } else {
      now = Plus(with, tasks[i].request, -1);
      stay_out.push_back(i);
    }
  }
  return stay_out;
}

namespace {

// The group's tasks while some of them are gone.
struct Trial {
  const GroupTask& task;
  const GroupDryRun& world;
  std::set<size_t> gone;

  bool TooLarge() const {
    return std::any_of(task.request.begin(), task.request.end(), [&](const auto& one) {
      return one.second > 0 &&
             (!world.capacity.contains(one.first) || one.second > world.capacity.at(one.first));
    });
  }
  bool Fits() const {
    QuotaAmounts held;
    for (size_t i = 0; i < world.tasks.size(); ++i) {
      if (!gone.contains(i)) held = Plus(held, world.tasks[i].request, 1);
    }
    for (const auto& [name, amount] : task.request) {
      if (amount > 0 && held[name] + amount > world.capacity.at(name)) return false;
    }
    return true;
  }
  bool HasRoom() const {
    QuotaAmounts used = world.used;
    for (size_t i : gone) used = Plus(used, NamedIn(world.tasks[i].request, world.max), -1);
    used = Plus(used, task.request, 1);
    return !Above(NamedIn(used, task.request), world.runtime);
  }
};

std::set<size_t> CandidatesFor(const GroupTask& task, const std::vector<GroupTask>& tasks) {
  std::set<size_t> candidates;
  for (size_t i = 0; i < tasks.size(); ++i) {
    const GroupTask& other = tasks[i];
    if (other.preemptible && other.group == task.group && other.priority < task.priority) {
      candidates.insert(i);
    }
  }
  return candidates;
}

}  // namespace

GroupDryRunResult PreemptInGroup(const GroupTask& task, const GroupDryRun& world) {
  GroupDryRunResult result;
  Trial trial{task, world, CandidatesFor(task, world.tasks)};
  if (trial.gone.empty()) {
    result.outcome = "no candidate";
    return result;
  }
  if (trial.TooLarge() || !trial.Fits()) {
    result.outcome = trial.TooLarge() ? "too large" : "no room";
    return result;
  }
  std::vector<int64_t> left = world.budgets;
  std::vector<size_t> breaking, others;
  for (size_t i : ByImportance(world.tasks, {trial.gone.begin(), trial.gone.end()})) {
    bool breaks = false;
    for (size_t budget : world.tasks[i].budgets) breaks |= --left[budget] < 0;
    (breaks ? breaking : others).push_back(i);
  }
  result.outcome = "victims";
  for (int pass = 0; pass < 2; ++pass) {
    for (size_t i : pass == 0 ? breaking : others) {
      trial.gone.erase(i);
      const bool back = trial.Fits();
      if (!back) trial.gone.insert(i);
      const bool room = trial.HasRoom();
      if (!back && !room) return {.outcome = "removed twice", .victims = {}};
      if (back && room) continue;
      trial.gone.insert(i);
      result.victims.push_back(i);
      if (pass == 0 && !back) ++result.broken_budgets;
    }
  }
  return result;
}

}  // namespace muster::reference
