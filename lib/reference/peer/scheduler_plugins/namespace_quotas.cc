// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Questions answered from the list of tasks that are there at the moment.
#include "lib/reference/peer/scheduler_plugins/namespace_quotas.h"

#include <algorithm>
#include <set>

namespace muster::reference {
namespace {

using World = CapacityWorld;
using Amounts = World::Amounts;
using Task = World::Task;

const std::set<std::string>& Basic() {
  static const std::set<std::string> names = {"cpu", "memory", "ephemeral-storage", "pods"};
  return names;
}

int64_t Of(const Amounts& amounts, const std::string& name) {
  const auto it = amounts.find(name);
  return it == amounts.end() ? 0 : it->second;
}

void Add(const Amounts& more, Amounts* sum) {
  for (const auto& [name, amount] : more) (*sum)[name] += amount;
}

Amounts UsedBy(const std::vector<Task>& running, const std::string& name_space) {
  Amounts sum;
  for (const Task& task : running) {
    if (task.name_space == name_space) Add(task.request, &sum);
  }
  return sum;
}

bool AboveMin(const World& world, const std::vector<Task>& running, const std::string& name_space,
              const Amounts& more) {
  Amounts sum = UsedBy(running, name_space);
  std::set<std::string> asked = Basic();
  for (const auto& [name, amount] : more.empty() ? sum : more) asked.insert(name);
  Add(more, &sum);
  const Amounts& min = world.quotas.at(name_space).min;
  return std::any_of(asked.begin(), asked.end(),
                     [&](const std::string& name) { return Of(sum, name) > Of(min, name); });
}

bool AboveMax(const World& world, const std::vector<Task>& running, const std::string& name_space,
              const Amounts& more) {
  const std::optional<Amounts>& max = world.quotas.at(name_space).max;
  if (!max.has_value()) return false;
  std::set<std::string> asked = Basic();
  for (const auto& [name, amount] : more) asked.insert(name);
  const Amounts used = UsedBy(running, name_space);
  for (const std::string& name : asked) {
    if (!max->contains(name) && !Basic().contains(name)) continue;
    if (Of(used, name) + Of(more, name) > Of(*max, name)) return true;
  }
  return false;
}

bool AboveMins(const World& world, const std::vector<Task>& running, const Amounts& more) {
  Amounts used = more, mins;
  for (const auto& [name, quota] : world.quotas) {
    Add(UsedBy(running, name), &used);
    Add(quota.min, &mins);
  }
  return std::any_of(used.begin(), used.end(),
                     [&](const auto& entry) { return entry.second > Of(mins, entry.first); });
}

std::vector<Task> Running(const World& world) {
  std::vector<Task> running;
  for (const Task& task : world.tasks) {
    if (!task.nominated) running.push_back(task);
  }
  return running;
}

// What the task and the nominated ones before it ask for, of its own quota and of all.
std::pair<Amounts, Amounts> Demands(const World& world, const Task& task) {
  Amounts own = task.request, all = task.request;
  for (const Task& other : world.tasks) {
    if (!other.nominated || other.name == task.name || !world.quotas.contains(other.name_space)) {
      continue;
    }
    if (other.name_space == task.name_space) {
      if (other.priority < task.priority) continue;
      Add(other.request, &own);
      Add(other.request, &all);
    } else if (!AboveMin(world, Running(world), other.name_space, {})) {
      Add(other.request, &all);
    }
  }
  return {own, all};
}

std::string FitOn(const World& world, const std::vector<Task>& running, const Task& task,
                  const std::string& node) {
  Amounts used;
  for (const Task& other : running) {
    if (other.node == node) Add(other.request, &used);
  }
  for (const Task& other : world.tasks) {
    const bool counts = other.nominated && other.node == node && other.name != task.name &&
                        other.priority >= task.priority;
    if (counts) Add(other.request, &used);
  }
  bool fits = true, could = true;
  for (const auto& [name, amount] : task.request) {
    if (amount == 0) continue;
    fits &= amount + Of(used, name) <= Of(world.nodes.at(node), name);
    could &= amount <= Of(world.nodes.at(node), name);
  }
  return fits ? "fits" : could ? "no room" : "too large";
}

bool More(const Task& a, const Task& b) {
  return a.priority != b.priority ? a.priority > b.priority : a.started < b.started;
}

void Drop(const std::string& name, std::vector<Task>* tasks) {
  std::erase_if(*tasks, [&](const Task& task) { return task.name == name; });
}

// A dry run on one node: the tasks that are there, and those that have left.
struct Trial {
  const CapacityWorld& world;
  const Task& task;
  const std::string& node;
  bool has_quota;
  std::vector<Task> before, now;  // on all nodes

  // The tasks that quotas count.
  const std::vector<Task>& counted() const { return world.quotas_follow ? now : before; }
  bool OverQuota(const Amounts& in_own, const Amounts& in_all) const {
    return has_quota && (AboveMax(world, counted(), task.name_space, in_own) ||
                         AboveMins(world, counted(), in_all));
  }
  std::vector<Task> TakeCandidates(bool over);
};

// Removes all tasks of the node that may be evicted, the least important first.
std::vector<Task> Trial::TakeCandidates(bool over) {
  std::vector<Task> there;
  for (const Task& other : before) {
    if (other.node == node) there.push_back(other);
  }
  std::reverse(there.begin(), there.end());
  std::stable_sort(there.begin(), there.end(),
                   [](const Task& a, const Task& b) { return More(b, a); });
  std::vector<Task> candidates;
  for (const Task& other : there) {
    if (world.quotas.contains(other.name_space) != has_quota) continue;
    const bool same = other.name_space == task.name_space;
    const bool less = other.priority < task.priority;
    bool chosen = less;
    if (has_quota && over) chosen = same && less;
    if (has_quota && !over) chosen = !same && AboveMin(world, counted(), other.name_space, {});
    if (!chosen) continue;
    candidates.push_back(other);
    Drop(other.name, &now);
  }
  return candidates;
}

// Returns the tasks that break a budget when evicted, and the others, each in the order given.
std::pair<std::vector<Task>, std::vector<Task>> ByBudgets(const std::vector<Task>& candidates,
                                                          std::vector<int64_t> left) {
  std::vector<Task> breaking, others;
  for (const Task& candidate : candidates) {
    bool breaks = false;
    for (size_t budget : candidate.budgets) {
      --left[budget];
      if (left[budget] < 0) breaks = true;
    }
    (breaks ? breaking : others).push_back(candidate);
  }
  return {breaking, others};
}

}  // namespace

std::string CapacityWorld::Admit(const Task& task) const {
  if (!quotas.contains(task.name_space)) return "fits";
  const auto [own, all] = Demands(*this, task);
  if (AboveMax(*this, Running(*this), task.name_space, own)) return "above max";
  return AboveMins(*this, Running(*this), all) ? "above mins" : "fits";
}

CapacityWorld::DryRunResult CapacityWorld::DryRun(const Task& task, const std::string& node) const {
  const std::vector<Task> running = Running(*this);
  Trial trial{*this, task, node, quotas.contains(task.name_space), running, running};
  const auto [own, all] = Demands(*this, task);
  const bool over = trial.has_quota && AboveMin(*this, running, task.name_space, own);
  std::vector<Task> candidates = trial.TakeCandidates(over);
  if (candidates.empty()) return {"no candidate", {}, 0};
  if (const std::string fit = FitOn(*this, trial.now, task, node); fit != "fits") {
    return {fit, {}, 0};
  }
  if (trial.OverQuota(task.request, task.request)) return {"over quota", {}, 0};

  std::stable_sort(candidates.begin(), candidates.end(), More);
  const auto [breaking, others] = ByBudgets(candidates, budgets);
  std::vector<Task> victims;
  int broken = 0;
  for (int round = 0; round < 2; ++round) {
    for (const Task& candidate : round == 0 ? breaking : others) {
      trial.now.push_back(candidate);
      const bool fits = FitOn(*this, trial.now, task, node) == "fits";
      if (!fits) Drop(candidate.name, &trial.now);
      const bool is_over = trial.OverQuota(own, all);
      if (!fits && is_over) return {"removed twice", {}, 0};
      if (is_over) Drop(candidate.name, &trial.now);
      if (!fits || is_over) victims.push_back(candidate);
      if (!fits && round == 0) ++broken;
    }
  }
  if (victims.empty()) return {"needless", {}, 0};
  if (!breaking.empty() && !others.empty()) std::stable_sort(victims.begin(), victims.end(), More);
  DryRunResult result{"victims", {}, broken};
  for (const Task& victim : victims) result.victims.push_back(victim.name);
  return result;
}

}  // namespace muster::reference
