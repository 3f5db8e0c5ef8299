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

// The books of one node and of the quotas of its tasks while victims leave and come back.
class CapacityCluster::Books {
 public:
  Books(const CapacityQuotas& quotas, const Node& node, bool follow)
      : used(node.used),
        tasks(node.tasks.size()),
        all_used(quotas.all_used()),
        quotas_(quotas),
        follow_(follow) {}

  const SparseSum& UsedBy(CapacityQuotas::Index account) { return *Line(account); }
  bool Counts(const Task& task, CapacityQuotas::Index account) const {
    return account != CapacityQuotas::kNone && quotas_.at(account).tasks.contains(task.name);
  }
  void Leave(const Task& task, CapacityQuotas::Index account, bool is_counted) {
    used.Subtract(task.request);
    --tasks;
    if (account == CapacityQuotas::kNone || !follow_ || !is_counted) return;
    Line(account)->Subtract(task.charge);
    all_used.Subtract(task.charge);
  }
  void Return(const Task& task, CapacityQuotas::Index account) {
    used.Add(task.request);
    ++tasks;
    if (account == CapacityQuotas::kNone || !follow_) return;
    Line(account)->Add(task.charge);
    all_used.Add(task.charge);
  }

  SparseSum used;
  size_t tasks;
  SparseSum all_used;

 private:
  SparseSum* Line(CapacityQuotas::Index account) {
    for (auto& [index, amounts] : lines_) {
      if (index == account) return &amounts;
    }
    return &lines_.emplace_back(account, quotas_.at(account).used).second;
  }

  const CapacityQuotas& quotas_;
  bool follow_;
  std::vector<std::pair<CapacityQuotas::Index, SparseSum>> lines_;  // few: of the node's tasks
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
  Demand demand{.name = task.name,
                .name_space = task.name_space,
                .request = *request,
                .charge = *charge,
                .account = quotas_.Find(task.name_space),
                .priority = task.priority,
                .preempts = task.preempts,
                .nominated = task.nominated};
  for (const Node& node : nodes_) {
    for (uint32_t at : node.nominated) {
      const Task& other = tasks_[at];
      const CapacityQuotas::Index account = quotas_.Find(other.name_space);
      if (other.name == task.name || account == CapacityQuotas::kNone) continue;
      if (account == demand.account) {
        if (other.priority < task.priority) continue;
        demand.in_quota.Add(other.charge);
        demand.in_all.Add(other.charge);
      } else if (!CapacityQuotas::OverMin(quotas_.at(account), quotas_.at(account).used)) {
        demand.in_all.Add(other.charge);
      }
    }
  }
  demand.in_quota.Add(*charge);
  demand.in_all.Add(*charge);
  return demand;
}

CapacityCluster::Verdict CapacityCluster::Admit(const Demand& demand) const {
  if (demand.account == CapacityQuotas::kNone) return Verdict::kFits;
  const CapacityQuotas::Account& account = quotas_.at(demand.account);
  if (CapacityQuotas::OverMax(account, account.used, demand.in_quota)) return Verdict::kAboveMax;
  return quotas_.OverMins(quotas_.all_used(), demand.in_all) ? Verdict::kAboveMins : Verdict::kFits;
}

CapacityCluster::Fit CapacityCluster::FitIn(const Demand& demand, const Node& node,
                                            const SparseSum& used, size_t tasks) const {
  size_t more = 1;
  SparseSum taken = used;
  for (uint32_t at : node.nominated) {
    const Task& other = tasks_[at];
    if (other.name == demand.name || other.priority < demand.priority) continue;
    taken.Add(other.request);
    ++more;
  }
  Fit fit = static_cast<int64_t>(tasks + more) > node.most_tasks ? Fit::kNoRoom : Fit::kFits;
  for (uint64_t rest = demand.request.keys(); rest != 0; rest &= rest - 1) {
    const size_t r = static_cast<size_t>(std::countr_zero(rest));
    const int64_t request = demand.request.at(r);
    if (request == 0 || request + taken.exact(r) <= node.capacity.at(r)) continue;
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
  const bool has_quota = demand.account != CapacityQuotas::kNone;
  const bool over =
      has_quota && CapacityQuotas::OverMin(quotas_.at(demand.account),
                                           quotas_.at(demand.account).used, demand.in_quota);
  for (uint32_t at : nodes_[it->second].tasks) {
    const Task& other = tasks_[at];
    const CapacityQuotas::Index account = quotas_.Find(other.name_space);
    if (!other.is_leaving || has_quota != (account != CapacityQuotas::kNone)) continue;
    const bool is_less = other.priority < demand.priority;
    const bool own = !has_quota || account == demand.account;
    if (own ? is_less
            : !over && CapacityQuotas::OverMin(quotas_.at(account), quotas_.at(account).used)) {
      return Right::kVictimsLeaving;
    }
  }
  return Right::kMay;
}

bool CapacityCluster::MoreImportant(uint32_t a, uint32_t b) const {
  const Task &left = tasks_[a], &right = tasks_[b];
  return left.priority != right.priority ? left.priority > right.priority
                                         : left.started < right.started;
}

// Takes the candidates off the books, the least important first; of equal ones the one that came
// last.
std::vector<uint32_t> CapacityCluster::Candidates(const Demand& demand, const Node& node,
                                                  Books* books) const {
  std::vector<uint32_t> order(node.tasks.rbegin(), node.tasks.rend());
  std::stable_sort(order.begin(), order.end(),
                   [&](uint32_t a, uint32_t b) { return MoreImportant(b, a); });
  const bool has_quota = demand.account != CapacityQuotas::kNone;
  const bool over =
      has_quota && CapacityQuotas::OverMin(quotas_.at(demand.account),
                                           quotas_.at(demand.account).used, demand.in_quota);
  std::vector<uint32_t> candidates;
  for (uint32_t at : order) {
    const Task& task = tasks_[at];
    const CapacityQuotas::Index account = quotas_.Find(task.name_space);
    if (has_quota != (account != CapacityQuotas::kNone)) continue;
    const bool is_candidate =
        !has_quota || over
            ? account == demand.account && task.priority < demand.priority
            : account != demand.account &&
                  CapacityQuotas::OverMin(quotas_.at(account), books->UsedBy(account));
    if (!is_candidate) continue;
    candidates.push_back(at);
    books->Leave(task, account, books->Counts(task, account));
  }
  return candidates;
}

void CapacityCluster::SpareBudgets(std::span<const uint32_t> candidates,
                                   std::vector<uint32_t>* breaking,
                                   std::vector<uint32_t>* others) const {
  std::vector<int64_t> left = budgets_;
  for (uint32_t at : candidates) {
    bool breaks = false;
    for (uint32_t budget : tasks_[at].budgets) breaks |= --left[budget] < 0;
    (breaks ? breaking : others)->push_back(at);
  }
}

CapacityCluster::DryRunResult CapacityCluster::DryRun(const Demand& demand, size_t at) const {
  using Outcome = DryRunResult::Outcome;
  const Node& node = nodes_[at];
  DryRunResult result{.node = at};
  const auto no = [&](Outcome outcome) {
    result.outcome = outcome;
    result.victims.clear();
    return std::move(result);
  };
  Books books(quotas_, node, options_.quotas_follow);
  std::vector<uint32_t> candidates = Candidates(demand, node, &books);
  if (candidates.empty()) return no(Outcome::kNoCandidate);
  const Fit fit = FitIn(demand, node, books.used, books.tasks);
  if (fit != Fit::kFits) {
    return no(fit == Fit::kTooLarge ? Outcome::kTooLarge : Outcome::kNoRoom);
  }
  const bool has_quota = demand.account != CapacityQuotas::kNone;
  const auto over_quota = [&](const SparseSum& own, const SparseSum& all) {
    return has_quota && (CapacityQuotas::OverMax(quotas_.at(demand.account),
                                                 books.UsedBy(demand.account), own) ||
                         quotas_.OverMins(books.all_used, all));
  };
  if (over_quota(demand.charge, demand.charge)) return no(Outcome::kOverQuota);

  const auto more_important = [&](uint32_t a, uint32_t b) { return MoreImportant(a, b); };
  std::stable_sort(candidates.begin(), candidates.end(), more_important);
  std::vector<uint32_t> breaking, others;
  SpareBudgets(candidates, &breaking, &others);
  for (const auto* group : {&breaking, &others}) {
    for (uint32_t candidate : *group) {
      const Task& task = tasks_[candidate];
      const CapacityQuotas::Index account = quotas_.Find(task.name_space);
      books.Return(task, account);
      const bool fits = FitIn(demand, node, books.used, books.tasks) == Fit::kFits;
      if (!fits) books.Leave(task, account, /*is_counted=*/true);
      const bool is_over = over_quota(demand.in_quota, demand.in_all);
      if (!fits && is_over) return no(Outcome::kRemovedTwice);
      if (fits && !is_over) continue;
      if (fits) books.Leave(task, account, /*is_counted=*/true);
      result.victims.push_back(candidate);
      if (!fits && group == &breaking) ++result.broken_budgets;
    }
  }
  if (result.victims.empty()) return no(Outcome::kNeedless);
  if (!breaking.empty() && !others.empty()) {
    std::stable_sort(result.victims.begin(), result.victims.end(), more_important);
  }
  result.outcome = Outcome::kVictims;
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
