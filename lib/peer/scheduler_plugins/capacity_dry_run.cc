// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/scheduler_plugins/capacity_dry_run.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "absl/container/inlined_vector.h"

namespace muster {
namespace {

// The books of the quotas of the node's tasks while victims leave and come back.
class QuotaBooks {
 public:
  // `tasks`: of the node; each may have a quota of its own.
  QuotaBooks(const CapacityQuotas& quotas, bool follow, size_t tasks)
      : all_used(quotas.all_used()), quotas_(quotas), follow_(follow) {
    lines_.reserve(tasks + 1);
  }

  const SparseSum& UsedBy(CapacityQuotas::Index account) { return *Line(account); }
  void Leave(const QuotaHolder& task) {
    if (!Counts(task)) return;
    Line(task.account)->Subtract(task.charge);
    all_used.Subtract(task.charge);
  }
  void Return(const QuotaHolder& task) {
    if (!Counts(task)) return;
    Line(task.account)->Add(task.charge);
    all_used.Add(task.charge);
  }

  SparseSum all_used;

 private:
  bool Counts(const QuotaHolder& task) const {
    return follow_ && task.account != CapacityQuotas::kNone;
  }
  SparseSum* Line(CapacityQuotas::Index account) {
    for (auto& [index, amounts] : lines_) {
      if (index == account) return &amounts;
    }
    return &lines_.emplace_back(account, quotas_.at(account).used).second;
  }

  const CapacityQuotas& quotas_;
  const bool follow_;
  std::vector<std::pair<CapacityQuotas::Index, SparseSum>> lines_;  // few: of the node's tasks
};

bool IsMoreImportant(const QuotaHolder& a, const QuotaHolder& b) {
  return a.priority != b.priority ? a.priority > b.priority : a.started < b.started;
}

// One search for victims.
class VictimSearch {
 public:
  VictimSearch(const CapacityQuotas& quotas, bool follow, const QuotaDemand& demand,
               std::span<const QuotaHolder> tasks, DryRunNode& node)
      : quotas_(quotas),
        demand_(demand),
        tasks_(tasks),
        node_(node),
        books_(quotas, follow, tasks.size()) {}

  // Takes the candidates off the books, the least important first; of equal ones the one that came
  // last.
  std::vector<uint32_t> Candidates() {
    absl::InlinedVector<uint32_t, 16> order(tasks_.size());
    std::iota(order.begin(), order.end(), 0u);
    std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
      if (IsMoreImportant(tasks_[a], tasks_[b])) return false;
      return IsMoreImportant(tasks_[b], tasks_[a]) || a > b;
    });
    const bool over =
        has_quota() && CapacityQuotas::OverMin(quotas_.at(demand_.account),
                                               quotas_.at(demand_.account).used, demand_.in_quota);
    std::vector<uint32_t> candidates;
    candidates.reserve(tasks_.size());
    for (const uint32_t at : order) {
      const QuotaHolder& task = tasks_[at];
      if (has_quota() != (task.account != CapacityQuotas::kNone)) continue;
      const bool is_candidate =
          !has_quota() || over
              ? task.account == demand_.account && task.priority < demand_.priority
              : task.account != demand_.account &&
                    CapacityQuotas::OverMin(quotas_.at(task.account), books_.UsedBy(task.account));
      if (!is_candidate) continue;
      candidates.push_back(at);
      node_.Leave(at);
      if (task.is_counted) books_.Leave(task);
    }
    return candidates;
  }

  bool IsOver(const SparseSum& own, const SparseSum& all) {
    return has_quota() && (CapacityQuotas::OverMax(quotas_.at(demand_.account),
                                                   books_.UsedBy(demand_.account), own) ||
                           quotas_.OverMins(books_.all_used, all));
  }

  // Puts candidates back, as far as they fit. Returns false if one was removed twice.
  bool Reprieve(std::span<const uint32_t> candidates, bool breaking, QuotaVictims* result) {
    for (const uint32_t at : candidates) {
      const QuotaHolder& task = tasks_[at];
      node_.Return(at);
      books_.Return(task);
      const bool fits = node_.Fits();
      const auto leave = [&] {
        node_.Leave(at);
        books_.Leave(task);
      };
      if (!fits) leave();
      const bool is_over = IsOver(demand_.in_quota, demand_.in_all);
      if (!fits && is_over) return false;
      if (fits && !is_over) continue;
      if (fits) leave();
      result->victims.push_back(at);
      if (!fits && breaking) ++result->broken_budgets;
    }
    return true;
  }

 private:
  bool has_quota() const { return demand_.account != CapacityQuotas::kNone; }

  const CapacityQuotas& quotas_;
  const QuotaDemand& demand_;
  const std::span<const QuotaHolder> tasks_;
  DryRunNode& node_;
  QuotaBooks books_;
};

}  // namespace

void QuotaDemand::AddNominated(const CapacityQuotas& quotas, CapacityQuotas::Index other,
                               int32_t other_priority, const Sparse& other_charge) {
  if (other == CapacityQuotas::kNone) return;
  if (other == account) {
    if (other_priority < priority) return;
    in_quota.Add(other_charge);
    in_all.Add(other_charge);
  } else if (!CapacityQuotas::OverMin(quotas.at(other), quotas.at(other).used)) {
    in_all.Add(other_charge);
  }
}

void QuotaDemand::AddOwn() {
  in_quota.Add(charge);
  in_all.Add(charge);
}

QuotaVerdict AdmitByQuotas(const CapacityQuotas& quotas, const QuotaDemand& demand) {
  if (demand.account == CapacityQuotas::kNone) return QuotaVerdict::kFits;
  const CapacityQuotas::Account& account = quotas.at(demand.account);
  if (CapacityQuotas::OverMax(account, account.used, demand.in_quota)) {
    return QuotaVerdict::kAboveMax;
  }
  return quotas.OverMins(quotas.all_used(), demand.in_all) ? QuotaVerdict::kAboveMins
                                                           : QuotaVerdict::kFits;
}

bool MakesRoomFor(const CapacityQuotas& quotas, const QuotaDemand& demand,
                  CapacityQuotas::Index account, int32_t priority) {
  const bool has_quota = demand.account != CapacityQuotas::kNone;
  if (has_quota != (account != CapacityQuotas::kNone)) return false;
  if (!has_quota || account == demand.account) return priority < demand.priority;
  const bool over = CapacityQuotas::OverMin(quotas.at(demand.account),
                                            quotas.at(demand.account).used, demand.in_quota);
  return !over && CapacityQuotas::OverMin(quotas.at(account), quotas.at(account).used);
}

QuotaVictims FindVictims(const CapacityQuotas& quotas, bool follow, const QuotaDemand& demand,
                         std::span<const QuotaHolder> tasks, BreaksBudgets breaks,
                         DryRunNode& node) {
  using Outcome = QuotaVictims::Outcome;
  VictimSearch search(quotas, follow, demand, tasks, node);
  QuotaVictims result;
  const auto end = [&](Outcome outcome) {
    result.outcome = outcome;
    if (outcome != Outcome::kVictims) result.victims.clear();
    return std::move(result);
  };
  std::vector<uint32_t> candidates = search.Candidates();
  if (candidates.empty()) return end(Outcome::kNoCandidate);
  if (!node.Fits()) return end(Outcome::kUnfit);
  if (search.IsOver(demand.charge, demand.charge)) return end(Outcome::kOverQuota);
  const auto more_important = [&](uint32_t a, uint32_t b) {
    return IsMoreImportant(tasks[a], tasks[b]);
  };
  // Of equal ones the one that came last goes first, as above.
  std::sort(candidates.begin(), candidates.end(), [&](uint32_t a, uint32_t b) {
    return more_important(a, b) || (!more_important(b, a) && a > b);
  });
  std::vector<uint32_t> breaking, others;
  others.reserve(candidates.size());
  result.victims.reserve(candidates.size());
  const std::vector<bool> is_breaking = breaks(candidates);
  for (size_t i = 0; i < candidates.size(); ++i) {
    (is_breaking[i] ? breaking : others).push_back(candidates[i]);
  }
  if (!search.Reprieve(breaking, true, &result) || !search.Reprieve(others, false, &result)) {
    return end(Outcome::kRemovedTwice);
  }
  if (result.victims.empty()) return end(Outcome::kNeedless);
  if (!breaking.empty() && !others.empty()) {
    std::stable_sort(result.victims.begin(), result.victims.end(), more_important);
  }
  return end(Outcome::kVictims);
}

}  // namespace muster
