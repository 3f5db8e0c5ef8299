// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The cluster during a dry run, candidates, victims, and the choice between nodes.
#include "lib/peer/scheduler_plugins/capacity_preemption.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"

namespace muster {

// The node of a dry run, judged by resources alone.
class CapacityCluster::Trial : public DryRunNode {
 public:
  Trial(const CapacityCluster& cluster, const Demand& demand, const Node& node)
      : cluster_(cluster), demand_(demand), node_(node), used_(node.used) {}

  Fit fit() const { return cluster_.FitIn(demand_, node_, used_, node_.tasks.size() - gone_); }
  bool Fits() override { return fit() == Fit::kFits; }
  void Leave(uint32_t i) override {
    used_.Subtract(cluster_.tasks_[node_.tasks[i]].request);
    ++gone_;
  }
  void Return(uint32_t i) override {
    used_.Add(cluster_.tasks_[node_.tasks[i]].request);
    --gone_;
  }

 private:
  const CapacityCluster& cluster_;
  const Demand& demand_;
  const Node& node_;
  SparseSum used_;
  size_t gone_ = 0;
};

absl::Status CapacityCluster::AddNode(const CapacityNode& node) {
  const auto refuse = [&](auto... rule) {
    return absl::InvalidArgumentError(absl::StrCat("node \"", node.name, "\": ", rule...));
  };
  if (node_index_.contains(node.name)) return refuse("is there already");
  const absl::StatusOr<Sparse> capacity = quotas_.Request(node.name, node.capacity);
  if (!capacity.ok()) return refuse(capacity.status().message());
  node_index_.emplace(node.name, nodes_.size());
  nodes_.push_back({.name = node.name, .capacity = *capacity, .most_tasks = node.tasks});
  return absl::OkStatus();
}

uint32_t CapacityCluster::AddBudget(int64_t disruptions) {
  budgets_.push_back(disruptions);
  return static_cast<uint32_t>(budgets_.size() - 1);
}

absl::StatusOr<uint32_t> CapacityCluster::Keep(const CapacityTask& task, std::string_view node) {
  const auto refuse = [&](auto... rule) {
    return absl::InvalidArgumentError(absl::StrCat("task \"", task.name, "\": ", rule...));
  };
  if (!node_index_.contains(absl::string_view(node.data(), node.size()))) {
    return refuse("node \"", absl::string_view(node.data(), node.size()), "\" does not exist");
  }
  for (uint32_t budget : task.budgets) {
    if (budget >= budgets_.size()) return refuse("budget ", budget, " does not exist");
  }
  const absl::StatusOr<Sparse> request = quotas_.Request(task.name, task.request);
  if (!request.ok()) return request.status();
  const absl::StatusOr<Sparse> charge =
      task.charge.has_value() ? quotas_.Request(task.name, *task.charge) : request;
  if (!charge.ok()) return charge.status();
  tasks_.push_back({task.name, task.name_space, *request, *charge, task.priority, task.started,
                    task.is_leaving, task.budgets});
  return static_cast<uint32_t>(tasks_.size() - 1);
}

absl::Status CapacityCluster::Run(const CapacityTask& task, std::string_view node) {
  const absl::StatusOr<uint32_t> kept = Keep(task, node);
  if (!kept.ok()) return kept.status();
  Node& place = nodes_[node_index_.find(absl::string_view(node.data(), node.size()))->second];
  place.tasks.push_back(*kept);
  place.used.Add(tasks_[*kept].request);
  return absl::OkStatus();
}

absl::Status CapacityCluster::Nominate(const CapacityTask& task) {
  const absl::StatusOr<uint32_t> kept = Keep(task, task.nominated);
  if (!kept.ok()) return kept.status();
  nodes_[node_index_.find(task.nominated)->second].nominated.push_back(*kept);
  return absl::OkStatus();
}

absl::StatusOr<CapacityCluster::Demand> CapacityCluster::DemandOf(const CapacityTask& task) {
  const absl::StatusOr<Sparse> request = quotas_.Request(task.name, task.request);
  if (!request.ok()) return request.status();
  const absl::StatusOr<Sparse> charge =
      task.charge.has_value() ? quotas_.Request(task.name, *task.charge) : request;
  if (!charge.ok()) return charge.status();
  Demand demand;
  demand.name = task.name;
  demand.name_space = task.name_space;
  demand.request = *request;
  demand.charge = *charge;
  demand.account = quotas_.Find(task.name_space);
  demand.priority = task.priority;
  demand.preempts = task.preempts;
  demand.nominated = task.nominated;
  for (const Node& node : nodes_) {
    for (uint32_t at : node.nominated) {
      const Task& other = tasks_[at];
      if (other.name == task.name) continue;
      demand.AddNominated(quotas_, quotas_.Find(other.name_space), other.priority, other.charge);
    }
  }
  demand.AddOwn();
  return demand;
}

CapacityCluster::Verdict CapacityCluster::Admit(const Demand& demand) const {
  return AdmitByQuotas(quotas_, demand);
}

CapacityCluster::Fit CapacityCluster::FitIn(const Demand& demand, const Node& node,
                                            const SparseSum& used, size_t tasks) const {
  size_t more = 1;
  SparseSum with_nominated;
  const SparseSum* taken = &used;
  for (uint32_t at : node.nominated) {
    const Task& other = tasks_[at];
    if (other.name == demand.name || other.priority < demand.priority) continue;
    if (more == 1) with_nominated = used;
    taken = &with_nominated;
    with_nominated.Add(other.request);
    ++more;
  }
  Fit fit = static_cast<int64_t>(tasks + more) > node.most_tasks ? Fit::kNoRoom : Fit::kFits;
  for (uint64_t rest = demand.request.keys(); rest != 0; rest &= rest - 1) {
    const size_t r = static_cast<size_t>(std::countr_zero(rest));
    const int64_t request = demand.request.at(r);
    if (request == 0 || request + taken->exact(r) <= node.capacity.at(r)) continue;
    if (request > node.capacity.at(r)) return Fit::kTooLarge;
    fit = Fit::kNoRoom;
  }
  return fit;
}

CapacityCluster::Fit CapacityCluster::FitOn(const Demand& demand, size_t node) const {
  return FitIn(demand, nodes_[node], nodes_[node].used, nodes_[node].tasks.size());
}

CapacityCluster::Right CapacityCluster::RightOf(const Demand& demand,
                                                std::optional<Fit> nominated_fit) const {
  if (!demand.preempts) return Right::kNever;
  const auto it = node_index_.find(demand.nominated);
  if (it == node_index_.end() || nominated_fit == Fit::kTooLarge) return Right::kMay;
  for (uint32_t at : nodes_[it->second].tasks) {
    const Task& other = tasks_[at];
    if (other.is_leaving &&
        MakesRoomFor(quotas_, demand, quotas_.Find(other.name_space), other.priority)) {
      return Right::kVictimsLeaving;
    }
  }
  return Right::kMay;
}

CapacityCluster::DryRunResult CapacityCluster::DryRun(const Demand& demand, size_t at) const {
  using Outcome = DryRunResult::Outcome;
  const Node& node = nodes_[at];
  std::vector<QuotaHolder> tasks;
  tasks.reserve(node.tasks.size());
  for (const uint32_t t : node.tasks) {
    const Task& task = tasks_[t];
    QuotaHolder& seen = tasks.emplace_back();
    seen.account = quotas_.Find(task.name_space);
    seen.is_counted =
        seen.account != CapacityQuotas::kNone && quotas_.at(seen.account).tasks.contains(task.name);
    seen.priority = task.priority;
    seen.started = task.started;
    seen.charge = task.charge;
  }
  Trial trial(*this, demand, node);
  const auto breaks = [&](std::span<const uint32_t> candidates) {
    std::vector<int64_t> left = budgets_;
    std::vector<bool> breaking(candidates.size());
    for (size_t i = 0; i < candidates.size(); ++i) {
      for (const uint32_t budget : tasks_[node.tasks[candidates[i]]].budgets) {
        if (--left[budget] < 0) breaking[i] = true;
      }
    }
    return breaking;
  };
  const QuotaVictims found =
      FindVictims(quotas_, options_.quotas_follow, demand, tasks, breaks, trial);
  DryRunResult result{.node = at};
  switch (found.outcome) {
    case QuotaVictims::Outcome::kVictims:
      result.outcome = Outcome::kVictims;
      break;
    case QuotaVictims::Outcome::kNoCandidate:
      result.outcome = Outcome::kNoCandidate;
      break;
    case QuotaVictims::Outcome::kUnfit:
      result.outcome = trial.fit() == Fit::kTooLarge ? Outcome::kTooLarge : Outcome::kNoRoom;
      break;
    case QuotaVictims::Outcome::kOverQuota:
      result.outcome = Outcome::kOverQuota;
      break;
    case QuotaVictims::Outcome::kRemovedTwice:
      result.outcome = Outcome::kRemovedTwice;
      break;
    case QuotaVictims::Outcome::kNeedless:
      result.outcome = Outcome::kNeedless;
      break;
  }
  for (const uint32_t victim : found.victims) result.victims.push_back(node.tasks[victim]);
  result.broken_budgets = found.broken_budgets;
  return result;
}

std::optional<size_t> CapacityCluster::Choose(std::span<const DryRunResult> results) const {
  // Smaller is better, from the first on.
  using Rank = std::array<int64_t, 5>;
  const auto rank = [&](const DryRunResult& result) {
    const Task& first = tasks_[result.victims[0]];
    int64_t sum = 0, highest = first.priority, earliest = first.started;
    for (uint32_t victim : result.victims) {
      const Task& task = tasks_[victim];
      sum += int64_t{task.priority} + (int64_t{1} << 31);
      if (task.priority > highest) {
        highest = task.priority;
        earliest = task.started;
      } else if (task.priority == highest) {
        earliest = std::min(earliest, task.started);
      }
    }
    return Rank{result.broken_budgets, first.priority, sum,
                static_cast<int64_t>(result.victims.size()), ~earliest};
  };
  std::optional<size_t> best;
  Rank best_rank{};
  for (size_t i = 0; i < results.size(); ++i) {
    if (results[i].outcome != DryRunResult::Outcome::kVictims) continue;
    const Rank own = rank(results[i]);
    if (best.has_value() && own >= best_rank) continue;
    best = i;
    best_rank = own;
  }
  return best;
}

}  // namespace muster
