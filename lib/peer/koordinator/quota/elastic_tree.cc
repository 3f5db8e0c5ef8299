// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The tree's shape: groups come, change, move and go. elastic_flow.cc moves the numbers.
#include "lib/peer/koordinator/quota/elastic_tree.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "lib/peer/koordinator/quota/min_scaling.h"

namespace muster {

ElasticTree::ElasticTree(const Options& options) : options_(options) {
  Make(kRootQuota, kNone, /*is_parent=*/true, /*lends=*/false);
  if (!options.has_builtin) return;
  for (const auto& [name, max] : {std::pair{kSystemQuota, &options.system_max},
                                  std::pair{kDefaultQuota, &options.default_max}}) {
    const Index group = Make(name, kRoot, /*is_parent=*/false, /*lends=*/true);
    // A group with more names than a tree can hold is left without a maximum, and so holds nothing.
    if (absl::StatusOr<Sparse> amounts = Intern(*max); amounts.ok()) {
      groups_[group].numbers.max = *amounts;
    }
  }
}

std::vector<std::string> ElasticTree::Groups() const {
  std::vector<std::string> names;
  for (const Group& group : groups_) {
    if (group.alive) names.push_back(group.name);
  }
  return names;
}

ElasticTree::Index ElasticTree::IndexOf(std::string_view name) const {
  const auto it = index_.find(absl::string_view(name.data(), name.size()));
  return it == index_.end() ? kNone : it->second;
}

bool ElasticTree::IsAssigned(Index group, std::string_view task) const {
  const auto& tasks = groups_[group].tasks;
  const auto it = tasks.find(absl::string_view(task.data(), task.size()));
  return it != tasks.end() && it->second;
}

bool ElasticTree::IsWithin(Index group, Index top) const {
  while (group != kNone && group != top) group = groups_[group].parent;
  return group != kNone;
}

std::optional<ElasticTree::Numbers> ElasticTree::Find(std::string_view group) const {
  const Index at = IndexOf(group);
  if (at == kNone) return std::nullopt;
  Numbers numbers = groups_[at].numbers;
  numbers.runtime = RuntimeOf(groups_[at]);
  return numbers;
}

Sparse ElasticTree::RuntimeOf(const Group& group) const {
  Sparse runtime;
  if (group.parent == kNone) return runtime;
  const ElasticLevel& level = groups_[group.parent].level;
  ForEachResource(level.TakenKeys(group.place),
                  [&](size_t r) { runtime.Set(r, level.Taken(group.place, r)); });
  return runtime;
}

ElasticTree::Path ElasticTree::PathOf(Index group) const {
  Path path;
  for (; group != kNone; group = groups_[group].parent) path.push_back(group);
  return path;
}

ElasticTree::Index ElasticTree::Make(std::string_view name, Index parent, bool is_parent,
                                     bool lends) {
  const Index group = static_cast<Index>(groups_.size());
  groups_.emplace_back();
  groups_.back().name = name;
  groups_.back().parent = parent;
  groups_.back().is_parent = is_parent;
  groups_.back().lends = lends;
  index_.emplace(groups_.back().name, group);
  Attach(group);
  return group;
}

void ElasticTree::Attach(Index at) {
  Group& group = groups_[at];
  if (group.parent == kNone) return;
  group.place = LevelOf(group).Add({.name = group.name,
                                    .group = at,
                                    .inner = !group.level.children.empty(),
                                    .handed_out_to = !IsBuiltIn(at)},
                                   group.lends);
  Group& parent = groups_[group.parent];
  if (parent.parent != kNone) LevelOf(parent).SetInner(parent.place, true);
}

void ElasticTree::LeaveLevel(Group* group) {
  ElasticLevel& level = LevelOf(*group);
  SetScaledMin(group, group->numbers.min);
  level.Remove(group->place);
  if (group->place < level.children.size()) {
    groups_[level.children[group->place].group].place = group->place;
  }
  Group& parent = groups_[group->parent];
  if (level.children.empty() && parent.parent != kNone) {
    LevelOf(parent).SetInner(parent.place, false);
  }
  if (group->counted_min.has_value()) {
    level.mins.Subtract(*group->counted_min);
    level.mins.NotBelowZero();
    group->counted_min.reset();
  }
}

absl::Status ElasticTree::Put(const QuotaGroup& quota) {
  const auto refuse = [&](auto... rule) {
    return absl::InvalidArgumentError(absl::StrCat("quota \"", quota.name, "\": ", rule...));
  };
  if (quota.name.empty()) return refuse("a name is required");
  Index group = IndexOf(quota.name);
  if (group != kNone && IsBuiltIn(group)) return refuse("is built in");
  const Index parent = IndexOf(quota.parent.empty() ? kRootQuota : quota.parent);
  if (parent == kNone) return refuse("parent \"", quota.parent, "\" does not exist");
  for (Index up = parent; up != kNone; up = groups_[up].parent) {
    if (up == group) return refuse("parent \"", quota.parent, "\" is below it");
  }
  const absl::StatusOr<Sparse> max = Intern(quota.max), min = Intern(quota.min);
  absl::StatusOr<Sparse> weight = quota.weight.has_value() ? Intern(*quota.weight) : max;
  for (const absl::StatusOr<Sparse>* amounts :
       {&max, &min, static_cast<const absl::StatusOr<Sparse>*>(&weight)}) {
    if (!amounts->ok()) return refuse(amounts->status().message());
    Sparse clamped = **amounts;
    clamped.NotBelowZero();
    if (!(clamped == **amounts)) {
      return refuse(amounts == &max   ? "max"
                    : amounts == &min ? "min"
                                      : "weight",
                    " must not be below zero");
    }
  }
  if (weight->IsZero()) weight = max;
  const bool lends = quota.lends && !options_.guarantee_usage;

  if (group == kNone) {
    group = Make(quota.name, parent, quota.is_parent, lends);
  } else {
    Group& old = groups_[group];
    if (old.parent != parent) {
      MoveGroup(group, parent, quota.is_parent, lends, *max, *min, *weight);
      return absl::OkStatus();
    }
    if (old.is_parent != quota.is_parent || old.lends != lends) {
      old.is_parent = quota.is_parent;
      old.lends = lends;
      old.numbers.max = *max;
      old.numbers.min = *min;
      old.numbers.weight = *weight;
      Rebuild();
      return absl::OkStatus();
    }
  }
  const Numbers& numbers = groups_[group].numbers;
  if (!(numbers.max == *max)) SetMax(group, *max);
  UpdateKeys(group);
  if (!(numbers.min == *min)) SetMin(group, *min);
  if (!(numbers.weight == *weight)) SetWeight(group, *weight);
  return absl::OkStatus();
}

absl::Status ElasticTree::Remove(std::string_view name) {
  const Index group = IndexOf(name);
  const auto refuse = [&](auto rule) {
    return absl::FailedPreconditionError(absl::StrCat("quota \"", std::string(name), "\": ", rule));
  };
  if (group == kNone) return refuse("does not exist");
  if (IsBuiltIn(group)) return refuse("is built in");
  if (!groups_[group].level.children.empty()) return refuse("has children");
  Detach(group);
  return absl::OkStatus();
}

// Takes a group out of its parent's level, with all it requests and uses. Its whole request goes,
// although the parent only counted it up to the maximum: the peer does so, and nothing falls below
// zero.
void ElasticTree::Detach(Index at) {
  Group& group = groups_[at];
  index_.erase(group.name);
  LeaveLevel(&group);
  group.settled = group.alive = false;
  UpdateKeys(at);
  const Numbers& numbers = group.numbers;
  SparseSum fixed, used, fixed_used;
  fixed.Subtract(numbers.fixed_request);
  used.Subtract(numbers.used);
  fixed_used.Subtract(numbers.fixed_used);
  PassRequests(group.parent, Difference(Sparse(), numbers.request), fixed, /*own=*/false);
  PassUses(group.parent, used, fixed_used, /*own=*/false);
}

void ElasticTree::MoveGroup(Index at, Index parent, bool is_parent, bool lends, const Sparse& max,
                            const Sparse& min, const Sparse& weight) {
  Group& group = groups_[at];
  const bool was_parent = group.is_parent;
  Detach(at);
  const Numbers old = std::move(group.numbers);
  group.numbers = Numbers();
  group.alive = true;
  group.parent = parent;
  group.is_parent = is_parent;
  group.lends = lends;
  index_.emplace(group.name, at);
  Attach(at);
  SetMax(at, max);
  UpdateKeys(at);
  SetMin(at, min);
  SetWeight(at, weight);

  PassRequests(at, old.own_request, old.own_fixed_request, /*own=*/true);
  PassUses(at, old.own_used, old.own_fixed_used, /*own=*/true);
  if (!was_parent) return;
  SparseSum request = old.child_request, fixed = old.fixed_request;
  request.Subtract(old.own_request);
  fixed.Subtract(old.own_fixed_request);
  PassRequests(at, request, fixed, /*own=*/false);
  SparseSum used = old.used, fixed_used = old.fixed_used;
  used.Subtract(old.own_used);
  fixed_used.Subtract(old.own_fixed_used);
  PassUses(at, used, fixed_used, /*own=*/false);
}

// Forgets everything derived, and derives it again from the leaves.
void ElasticTree::Rebuild() {
  const Index first = options_.has_builtin ? 3 : 1;
  struct Account {
    SparseSum request, fixed_request, used, fixed_used;
  };
  std::vector<Account> told(groups_.size());
  Numbers& root = groups_[kRoot].numbers;
  root.used = root.request = root.fixed_used = root.fixed_request = SparseSum();
  for (Index i = 0; i < groups_.size(); ++i) {
    Group& group = groups_[i];
    if (!group.alive) continue;
    Numbers& numbers = group.numbers;
    if (i != kRoot && i < first) {
      root.used.Add(numbers.used);
      root.request.Add(numbers.request);
      root.fixed_used.Add(numbers.fixed_used);
      root.fixed_request.Add(numbers.fixed_request);
    }
    group.settled = false;
    group.level.Forget();
    if (i < first) continue;
    told[i] = group.is_parent ? Account{numbers.own_request, numbers.own_fixed_request,
                                        numbers.own_used, numbers.own_fixed_used}
                              : Account{numbers.child_request, numbers.fixed_request, numbers.used,
                                        numbers.fixed_used};
    Numbers kept;
    kept.max = std::move(numbers.max);
    kept.min = std::move(numbers.min);
    kept.scaled_min = std::move(numbers.scaled_min);
    kept.weight = std::move(numbers.weight);
    numbers = std::move(kept);
    ElasticLevel& level = LevelOf(group);
    level.lends[group.place] = group.lends ? 1 : 0;
  }
  groups_[kRoot].level.SetTotal(shared_total_);
  ++groups_[kRoot].level.version;
  for (Index i = first; i < groups_.size(); ++i) {
    Group& group = groups_[i];
    if (!group.alive) continue;
    Tell(&group, Told::kMax);
    SetScaledMin(&group, group.numbers.min);
    Tell(&group, Told::kMin);
    CountMin(&group);
    Tell(&group, Told::kWeight);
  }
  for (Index i = first; i < groups_.size(); ++i) UpdateKeys(i);
  for (Index i = first; i < groups_.size(); ++i) {
    if (!groups_[i].alive) continue;
    // At least once: a group of no tasks requests the minimum that it does not lend.
    Account& account = told[i];
    PassRequest(account.request, account.fixed_request, PathOf(i), /*own=*/true);
    account.request.Subtract(account.request.shown());
    account.fixed_request.Subtract(account.fixed_request.shown());
    PassRequests(i, account.request, account.fixed_request, /*own=*/true);
    PassUse(i, account.used, account.fixed_used, /*own=*/true);
    account.used.Subtract(account.used.shown());
    account.fixed_used.Subtract(account.fixed_used.shown());
    PassUses(i, account.used, account.fixed_used, /*own=*/true);
  }
}

}  // namespace muster
