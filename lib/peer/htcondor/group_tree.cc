// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/htcondor/group_tree.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "lib/base/gnu_sort.h"
#include "lib/base/strings.h"

namespace muster::condor {
namespace {

constexpr double kNever = std::numeric_limits<double>::max();

// A competitor for surplus: a group with all below it, or, the last one, the group itself.
struct Competitor {
  double quota = 0, requested = 0, allocated = 0;
};

// Divides the surplus by quota, or evenly, until it or the requests are used up. Parts that
// are not needed are divided again.
void Divide(bool by_quota, std::vector<Competitor>* competitors, double* surplus) {
  while (*surplus > 0) {
    double sum = 0;
    for (const Competitor& c : *competitors) {
      if (c.requested > 0) sum += by_quota ? c.quota : 1.0;
    }
    if (sum <= 0) return;
    bool is_capped = false;
    double given = 0;
    for (Competitor& c : *competitors) {
      if (c.requested <= 0) continue;
      double part = *surplus * ((by_quota ? c.quota : 1.0) / sum);
      if (part > c.requested) {
        part = c.requested;
        is_capped = true;
      }
      c.allocated += part;
      c.requested -= part;
      given += part;
    }
    *surplus -= given;
    if (!is_capped || *surplus < 0) *surplus = 0;
  }
}

}  // namespace

GroupTree::GroupTree(std::vector<GroupSpec> specs, const GroupRules& rules) : rules_(rules) {
  std::vector<std::pair<std::string, GroupSpec*>> by_name;  // in lower case
  for (GroupSpec& spec : specs) by_name.emplace_back(absl::AsciiStrToLower(spec.name), &spec);
  std::ranges::stable_sort(by_name, {},
                           [](const auto& named) { return std::string_view(named.first); });
  Group root{.name = std::string(kRootName), .accepts_surplus = true};
  std::vector<Group> found = {std::move(root)};
  any_accepts_ = rules.accepts_surplus;
  any_regroups_ = rules.autoregroup;
  const auto find = [&](std::string_view lower) {
    const auto it = by_name_.find(lower);
    return it == by_name_.end() ? kNoGroup : it->second;
  };
  for (auto& [lower, named] : by_name) {
    GroupSpec& spec = *named;
    const size_t dot = lower.rfind('.');
    const GroupIndex parent =
        dot == std::string::npos ? kRootGroup : find(std::string_view(lower).substr(0, dot));
    if (parent == kNoGroup || find(lower) != kNoGroup) continue;
    Group group{.name = std::move(spec.name), .parent = parent};
    group.is_fixed = spec.quota.has_value();
    group.configured = spec.quota.value_or(spec.share);
    group.accepts_surplus = spec.accepts_surplus.value_or(rules.accepts_surplus);
    group.autoregroup = spec.autoregroup.value_or(rules.autoregroup);
    any_accepts_ |= group.accepts_surplus;
    any_regroups_ |= group.autoregroup;
    found[parent].below.push_back(static_cast<GroupIndex>(found.size()));
    by_name_[std::move(lower)] = static_cast<GroupIndex>(found.size());
    found.push_back(std::move(group));
  }
  found[kRootGroup].autoregroup = any_regroups_;
  // By depth: each group behind all that are less deep.
  std::vector<GroupIndex> order = {kRootGroup};
  for (size_t i = 0; i < order.size(); ++i) {
    const std::vector<GroupIndex>& below = found[order[i]].below;
    order.insert(order.end(), below.begin(), below.end());
  }
  std::vector<GroupIndex> place(found.size());
  for (size_t i = 0; i < order.size(); ++i) place[order[i]] = static_cast<GroupIndex>(i);
  for (auto& [lower, g] : by_name_) g = place[g];
  by_name_.try_emplace(kRootName, kRootGroup);
  for (const GroupIndex old : order) {
    Group& group = groups_.emplace_back(std::move(found[old]));
    if (group.parent != kNoGroup) group.parent = place[group.parent];
    for (GroupIndex& g : group.below) g = place[g];
    const auto g = static_cast<GroupIndex>(groups_.size() - 1);
    if (g == kRootGroup) continue;
    const std::string_view whole = group.name;
    by_step_[StepKey(group.parent, whole.substr(whole.rfind('.') + 1))] = g;
  }
}

std::string GroupTree::StepKey(GroupIndex parent, std::string_view step) {
  return absl::StrCat(parent, ".", absl::AsciiStrToLower(ToAbsl(step)));
}

GroupIndex GroupTree::Find(std::string_view name) const {
  const auto it = by_name_.find(absl::AsciiStrToLower(ToAbsl(name)));
  return it == by_name_.end() ? kNoGroup : it->second;
}

GroupIndex GroupTree::GroupOf(std::string_view customer) const {
  const size_t at = customer.rfind('@');
  std::string_view name = customer.substr(0, at);
  if (at != customer.npos) {
    const size_t dot = name.rfind('.');
    if (dot == name.npos) return kRootGroup;
    name = name.substr(0, dot);
  }
  GroupIndex deepest = kRootGroup;
  while (!name.empty()) {
    const size_t dot = name.find('.');
    const auto next = by_step_.find(StepKey(deepest, name.substr(0, dot)));
    if (next == by_step_.end()) return deepest;
    deepest = next->second;
    name = dot == name.npos ? std::string_view() : name.substr(dot + 1);
  }
  return deepest;
}

void GroupTree::Assign(double pool) {
  for (Group& group : groups_) group.quota = group.subtree_quota = 0;
  AssignTo(kRootGroup, pool);
}

void GroupTree::AssignTo(GroupIndex g, double quota) {
  Group& group = groups_[g];
  if (quota <= 0) return;
  group.subtree_quota = quota;
  double fixed = 0, shares = 0;
  for (const GroupIndex b : group.below) {
    (groups_[b].is_fixed ? fixed : shares) += groups_[b].configured;
  }
  const double for_fixed = rules_.oversubscription ? fixed : std::min(fixed, quota);
  const double for_shares = std::max(0.0, quota - for_fixed);
  double given = 0;
  for (const GroupIndex b : group.below) {
    const double part = groups_[b].is_fixed ? for_fixed / (fixed > 0 ? fixed : 1.0)
                                            : for_shares / std::max(shares, 1.0);
    const double own = groups_[b].configured * part;
    given += own;
    AssignTo(b, own);
  }
  group.quota = rules_.oversubscription && g != kRootGroup ? quota : quota - given;
  group.quota = std::max(0.0, group.quota);
}

void GroupTree::SumRequests(Group* group) const {
  group->subtree_requested = group->requested;
  for (const GroupIndex b : group->below) {
    if (groups_[b].accepts_surplus) group->subtree_requested += groups_[b].subtree_requested;
  }
}

double GroupTree::ShareFairly() { return Share(kRootGroup); }

double GroupTree::Share(GroupIndex g) {
  Group& group = groups_[g];
  group.allocated = std::min(group.requested, group.quota);
  group.requested -= group.allocated;
  double surplus = group.quota - group.allocated;
  for (const GroupIndex b : group.below) surplus += Share(b);
  SumRequests(&group);
  return Distribute(g, surplus);
}

double GroupTree::Distribute(GroupIndex g, double surplus) {
  Group& group = groups_[g];
  if (surplus <= 0) return 0;
  if (group.subtree_requested <= 0) return surplus;
  std::vector<Competitor> competitors;
  for (const GroupIndex b : group.below) {
    const Group& below = groups_[b];
    competitors.push_back(
        {below.subtree_quota, below.accepts_surplus ? below.subtree_requested : 0, 0});
  }
  competitors.push_back({group.quota, group.requested, 0});
  if (surplus >= group.subtree_requested) {
    for (Competitor& c : competitors) {
      c.allocated = c.requested;
      surplus -= c.requested;
    }
  } else {
    Divide(/*by_quota=*/true, &competitors, &surplus);
    Divide(/*by_quota=*/false, &competitors, &surplus);
  }
  for (size_t i = 0; i < group.below.size(); ++i) {
    if (competitors[i].allocated > 0) Distribute(group.below[i], competitors[i].allocated);
  }
  group.allocated += competitors.back().allocated;
  group.requested -= competitors.back().allocated;
  SumRequests(&group);
  return surplus;
}

void GroupTree::DealRemainders() {
  for (Group& group : groups_) group.was_dealt = false;
  Recover(kRootGroup);
}

double GroupTree::Recover(GroupIndex g) {
  Group& group = groups_[g];
  double surplus = group.allocated - std::floor(group.allocated);
  group.allocated -= surplus;
  group.requested += surplus;
  group.allocated = std::round(group.allocated);
  group.requested = std::round(group.requested);
  group.subtree_requested = group.requested;
  group.subtree_rr_time = group.requested > 0 ? static_cast<double>(group.rr_time) : kNever;
  for (const GroupIndex b : group.below) {
    surplus += Recover(b);
    const Group& below = groups_[b];
    if (!below.accepts_surplus) continue;
    group.subtree_requested += below.subtree_requested;
    if (below.subtree_requested > 0) {
      group.subtree_rr_time = std::min(group.subtree_rr_time, below.subtree_rr_time);
    }
  }
  return Deal(g, surplus);
}

double GroupTree::Deal(GroupIndex g, double surplus) {
  Group& group = groups_[g];
  if (surplus < 1 || group.subtree_requested <= 0) return surplus;
  struct Hand {
    double rr_time = 0, quota = 0, requested = 0;
    size_t number = 0;
    double dealt = 0;
  };
  std::vector<Hand> hands;
  for (const GroupIndex b : group.below) {
    const Group& below = groups_[b];
    hands.push_back({below.subtree_rr_time, below.subtree_quota,
                     below.accepts_surplus ? below.subtree_requested : 0, hands.size()});
  }
  hands.push_back({group.requested > 0 ? static_cast<double>(group.rr_time) : kNever, group.quota,
                   group.requested, hands.size()});
  double outstanding = 0;
  for (const Hand& hand : hands) outstanding += hand.requested > 0;
  GnuSort(&hands, [](const Hand& a, const Hand& b) {
    return std::tuple(a.rr_time, -a.quota, -a.requested) <
           std::tuple(b.rr_time, -b.quota, -b.requested);
  });
  while (surplus >= 1 && outstanding > 0) {
    const double most = std::max(1.0, std::floor(surplus / outstanding));
    outstanding = 0;
    for (Hand& hand : hands) {
      if (hand.requested <= 0) continue;
      const double part = std::min(hand.requested, most);
      hand.dealt += part;
      hand.requested -= part;
      surplus -= part;
      outstanding += hand.requested > 0;
      if (surplus < most) break;
    }
  }
  for (const Hand& hand : hands) {
    if (hand.dealt <= 0) continue;
    if (hand.number < group.below.size()) {
      const GroupIndex below = group.below[hand.number];
      groups_[below].was_dealt = true;  // even if all of it goes further down
      Deal(below, hand.dealt);
    } else {
      group.allocated += hand.dealt;
      group.requested -= hand.dealt;
      group.was_dealt = true;
    }
  }
  SumRequests(&group);
  return surplus;
}

}  // namespace muster::condor
