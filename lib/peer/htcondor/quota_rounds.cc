// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/htcondor/quota_rounds.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "lib/base/gnu_sort.h"

namespace muster::condor {
namespace {

// Of a group in a round.
constexpr double kMostTurns = 10'000;

constexpr double kRootKey = 3.4e38, kNoQuotaKey = 3.3e38;

// What the peer's processor makes of a number that is no int.
int64_t CutToInt(double number) {
  if (!(number > -2147483649.0 && number < 2147483648.0))
    return std::numeric_limits<int32_t>::min();
  return static_cast<int64_t>(number);
}

}  // namespace

GroupSortKey::GroupSortKey(AdNames* names, std::optional<AdExpression> expression)
    : group_(names->Of("AccountingGroup")),
      quota_(names->Of("GroupQuota")),
      usage_(names->Of("GroupResourcesInUse")),
      time_(names->Of(kTimeName)),
      expression_(std::move(expression)) {}

double GroupSortKey::Of(const Group& group, double usage, int64_t now) const {
  if (!expression_) {
    if (group.parent == kNoGroup) return kRootKey;
    return group.quota > 0 ? usage / group.quota : kNoQuotaKey;
  }
  ClassAd ad;
  ad.Set(group_, AdValue::Of(group.name));
  ad.Set(quota_, AdValue::Of(group.quota));
  ad.Set(usage_, AdValue::Of(usage));
  ad.Set(time_, AdValue::Of(now));
  double key = 0;
  return expression_->Evaluate(ad, nullptr).ToNumber(&key) ? key : kRootKey;
}

void QuotaRounds::ReadUsage() {
  used_.resize(tree_.groups().size());
  for (GroupIndex g = 0; g < used_.size(); ++g) used_[g] = usage_(g);
}

void QuotaRounds::Begin(double pool, const std::vector<double>& demand,
                        std::vector<uint8_t> has_submitters) {
  pool_ = pool;
  has_submitters_ = std::move(has_submitters);
  tree_.Assign(pool);
  for (GroupIndex g = 0; g < demand.size(); ++g) tree_.group(g).requested = demand[g];
  ReadUsage();
}

void QuotaRounds::Allocate() {
  for (GroupIndex g = 0; g < used_.size(); ++g) tree_.group(g).allocated = 0;
  tree_.ShareFairly();
  if (!rules_.weights) tree_.DealRemainders();
  Group& root = tree_.group(kRootGroup);
  if (root.autoregroup) root.quota = root.allocated = pool_;
}

// As it is now, with what groups got in this round. `known`: a group right below, with its sum.
double QuotaRounds::SubtreeUsage(GroupIndex g, GroupIndex known, double known_sum) const {
  double sum = usage_(g);
  for (const GroupIndex b : tree_.groups()[g].below) {
    sum += b == known ? known_sum : SubtreeUsage(b);
  }
  return sum;
}

// `progress`: how far the limits of this round have grown, as a part of the most.
double QuotaRounds::LimitOf(GroupIndex g, double progress) const {
  const Group& group = tree_.groups()[g];
  const double target = std::max(group.allocated, group.quota);
  const double missing = std::max(0.0, target - used_[g]);
  double limit = target;
  if (missing > 0) {
    limit = used_[g] + missing * progress;
    if (limit > target) limit = target;
  }
  if (!rules_.weights) limit = std::floor(limit);
  if (!rules_.strict) return limit;
  double more = limit - used_[g];
  GroupIndex last = kNoGroup;  // the highest that is held to its quota
  for (GroupIndex a = g; a != kNoGroup; a = tree_.groups()[a].parent) {
    if (!tree_.groups()[a].accepts_surplus) last = a;
  }
  double sum = 0;
  GroupIndex below = kNoGroup;
  for (GroupIndex a = g; last != kNoGroup && below != last; a = tree_.groups()[a].parent) {
    const Group& above = tree_.groups()[a];
    sum = SubtreeUsage(a, below, sum);
    below = a;
    if (above.accepts_surplus) continue;
    const double quota = above.is_fixed ? above.configured : above.subtree_quota;
    const double left = std::max(0.0, quota - sum);
    if (left < more) more = left;
  }
  return used_[g] + more;
}

void QuotaRounds::TakeTurns(const TakeTurn& take_turn) {
  double most = 0;
  std::vector<std::pair<double, GroupIndex>> order;
  for (GroupIndex g = 0; g < used_.size(); ++g) {
    const Group& group = tree_.groups()[g];
    const double target = tree_.any_accepts() ? group.allocated : group.quota;
    most = std::max(most, target - used_[g]);
    order.emplace_back(key_.Of(group, used_[g], now_), g);
  }
  const bool root_last = tree_.groups()[kRootGroup].autoregroup;
  GnuSort(&order, [&](const auto& a, const auto& b) {
    if (root_last && a.second == kRootGroup) return false;
    if (root_last && b.second == kRootGroup) return true;
    return a.first < b.first;
  });
  const double step = std::max(rules_.rate, most / kMostTurns);
  double grown = 0;
  bool took_turn = true;
  // What keeps a group from its turn stays as it is until the round ends.
  do {
    took_turn = false;
    grown = std::min(grown + step, most);
    for (const auto& [key, g] : order) {
      const Group& group = tree_.groups()[g];
      if (group.allocated <= 0 || !has_submitters_[g]) continue;
      if (used_[g] >= group.allocated && !rules_.preemption) continue;
      took_turn = true;
      has_submitters_[g] =
          take_turn({g, group.allocated, key, CutToInt(LimitOf(g, grown / most)), used_[g]});
    }
  } while (grown < most && took_turn);
}

bool QuotaRounds::Settle() {
  ReadUsage();
  double allocated = 0, served = 0;
  for (GroupIndex g = 0; g < used_.size(); ++g) {
    Group& group = tree_.group(g);
    if (used_[g] < group.allocated) {
      group.requested = used_[g];
    } else {
      group.requested += group.allocated;
    }
    allocated += group.allocated;
    served += std::min(used_[g], group.allocated);
  }
  return served >= allocated;
}

void QuotaRounds::Run(int64_t now, const TakeTurn& take_turn) {
  now_ = now;
  for (int round = 0; round < rules_.most_rounds; ++round) {
    Allocate();
    TakeTurns(take_turn);
    if (Settle()) break;
  }
  // Whether a fraction was dealt to the group counts for the last round alone.
  for (GroupIndex g = 0; g < used_.size(); ++g) {
    Group& group = tree_.group(g);
    if (group.was_dealt || group.requested <= 0) group.rr_time = now;
  }
}

}  // namespace muster::condor
