// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// How numbers move through an elastic quota tree: requests and use up, amounts down.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "lib/quota/elastic_tree.h"
#include "lib/quota/min_scaling.h"

namespace muster {
namespace {

// What a parent sees of a request: never more than the maximum, where there is one.
Sparse Limited(const ElasticTree::Numbers& numbers) {
  Sparse limited = numbers.request;
  ForEachResource(limited.keys() & numbers.max.keys(),
                  [&](size_t r) { limited.Set(r, std::min(limited.at(r), numbers.max.at(r))); });
  return limited;
}

// What a group asks for: its children's requests, and its minimum if it does not lend.
Sparse Wanted(const ElasticTree::Numbers& numbers, bool lends) {
  Sparse wanted = numbers.child_request;
  if (!lends) wanted.RaiseTo(numbers.min);
  return wanted;
}

void AddNotBelowZero(const Sparse& delta, Sparse* sum) {
  sum->Add(delta);
  sum->NotBelowZero();
}

bool Differ(const Sparse& a, const Sparse& b, uint64_t keys) {
  bool differ = false;
  ForEachResource(keys, [&](size_t r) { differ |= a.at(r) != b.at(r); });
  return differ;
}

}  // namespace

struct ElasticTree::Load {
  Sparse request, fixed;
};

absl::Status ElasticTree::AddTotal(const NamedAmounts& delta) {
  const absl::StatusOr<Sparse> amounts = Intern(delta);
  if (!amounts.ok()) return amounts.status();
  total_.Add(*amounts);
  ShareTotal();
  return absl::OkStatus();
}

void ElasticTree::ShareTotal() {
  Sparse used;
  if (options_.has_builtin) {
    used.Add(groups_[2].numbers.used);
    used.Add(groups_[1].numbers.used);
  }
  const Sparse shared = Difference(total_, used);
  if (Difference(shared, shared_total_).IsZero()) return;
  shared_total_ = shared;
  Level& root = groups_[kRoot].level;
  root.total = shared;
  root.stale = true;
  ++root.version;
}

// --- up ----------------------------------------------------------------------------------------------------

void ElasticTree::PassRequest(Sparse delta, Sparse fixed, std::span<const Index> path, bool own) {
  for (size_t i = 0; i < path.size(); ++i) {
    Group& group = groups_[path[i]];
    Numbers& numbers = group.numbers;
    const Sparse before = Limited(numbers);
    AddNotBelowZero(delta, &numbers.request);
    AddNotBelowZero(fixed, &numbers.fixed_request);
    if (own && i == 0) {
      AddNotBelowZero(delta, &numbers.own_request);
      AddNotBelowZero(fixed, &numbers.own_fixed_request);
    }
    if (path[i] == kRoot) return;
    AddNotBelowZero(delta, &numbers.child_request);
    numbers.request = Wanted(numbers, group.lends);
    const Sparse now = Limited(numbers);
    delta = Difference(now, before);
    if (Differ(group.place.known_request, now, LevelOf(group).keys)) Tell(&group, Told::kRequest);
  }
}

void ElasticTree::PassUse(Index at, const Sparse& delta, const Sparse& fixed, bool own) {
  const std::vector<Index> path = PathOf(at);
  for (Index on_path : path) {
    Numbers& numbers = groups_[on_path].numbers;
    AddNotBelowZero(delta, &numbers.used);
    AddNotBelowZero(fixed, &numbers.fixed_used);
    if (own && on_path == at) {
      AddNotBelowZero(delta, &numbers.own_used);
      AddNotBelowZero(fixed, &numbers.own_fixed_used);
    }
  }
  if (options_.guarantee_usage) PassAllocated(delta.Only(keys_), path);
  if (options_.has_builtin && (at == 1 || at == 2)) ShareTotal();
}

void ElasticTree::PassAllocated(Sparse delta, std::span<const Index> path) {
  for (Index at : path) {
    Group& group = groups_[at];
    Numbers& numbers = group.numbers;
    AddNotBelowZero(delta, &numbers.allocated);
    if (at == kRoot) return;
    Sparse guaranteed = numbers.allocated;
    guaranteed.RaiseTo(numbers.min);
    delta = Difference(guaranteed, numbers.guaranteed);
    numbers.guaranteed = guaranteed;
    if (Differ(group.place.known_guarantee, guaranteed, LevelOf(group).keys)) {
      Tell(&group, Told::kGuarantee);
    }
  }
}

void ElasticTree::SetMax(Index at, const Sparse& max) {
  Group& group = groups_[at];
  const Sparse before = Limited(group.numbers);
  group.numbers.max = max;
  Tell(&group, Told::kMax);
  const std::vector<Index> path = PathOf(at);
  PassRequest(Difference(Limited(group.numbers), before), Sparse(), std::span(path).subspan(1),
              /*own=*/false);
}

void ElasticTree::SetMin(Index at, const Sparse& min) {
  Group& group = groups_[at];
  Numbers& numbers = group.numbers;
  numbers.min = numbers.scaled_min = min;
  CountMin(&group);
  const Sparse before = Limited(numbers);
  numbers.request = Wanted(numbers, group.lends);
  Tell(&group, Told::kMin);
  const std::vector<Index> path = PathOf(at);
  const auto above = std::span(path).subspan(1);
  PassRequest(Difference(Limited(numbers), before), Sparse(), above, /*own=*/false);
  if (!options_.guarantee_usage) return;
  Sparse guaranteed = numbers.allocated;
  guaranteed.RaiseTo(min);
  const Sparse delta = Difference(guaranteed, numbers.guaranteed);
  numbers.guaranteed = guaranteed;
  if (Differ(group.place.known_guarantee, guaranteed, LevelOf(group).keys)) {
    Tell(&group, Told::kGuarantee);
  }
  PassAllocated(delta, above);
}

void ElasticTree::SetWeight(Index at, const Sparse& weight) {
  groups_[at].numbers.weight = weight;
  Tell(&groups_[at], Told::kWeight);
}

void ElasticTree::CountMin(Group* group) {
  Level& level = LevelOf(*group);
  if (group->counted_min.has_value()) {
    level.mins.Subtract(*group->counted_min);
    level.mins.NotBelowZero();
  }
  level.mins.Add(group->numbers.min);
  group->counted_min = group->numbers.min;
}

// Writes one number of a group into its parent's level; where the level did not have it yet, all of them.
void ElasticTree::Tell(Group* group, Told what) {
  Level& level = LevelOf(*group);
  Place& place = group->place;
  const Numbers& numbers = group->numbers;
  if (what == Told::kMax) level.keys |= numbers.max.keys();
  const Sparse limited = Limited(numbers);
  const auto copy = [&](uint64_t keys, const Sparse& from, Sparse* to) {
    ForEachResource(keys, [&](size_t r) { to->Set(r, from.at(r)); });
  };
  const uint64_t added = level.keys & ~place.keys;
  copy(added, limited, &place.request);
  copy(added, numbers.weight, &place.weight);
  copy(added, numbers.scaled_min, &place.min);
  copy(added, numbers.guaranteed, &place.guarantee);
  place.lends = (place.lends & ~added) | (group->lends ? added : 0);
  place.keys |= level.keys;
  switch (what) {
    case Told::kMax:
    case Told::kRequest:
      copy(level.keys, limited, &place.request);
      copy(level.keys, limited, &place.known_request);
      break;
    case Told::kMin:
      copy(level.keys, numbers.scaled_min, &place.min);
      break;
    case Told::kWeight:
      copy(level.keys, numbers.weight, &place.weight);
      break;
    case Told::kGuarantee:
      copy(level.keys, numbers.guaranteed, &place.guarantee);
      copy(level.keys, numbers.guaranteed, &place.known_guarantee);
      break;
  }
  level.stale = true;
  ++level.version;
}

// A level hands out the resources that its group's own maximum names; the root's, those that any group names.
void ElasticTree::UpdateKeys(Index at) {
  const auto set_keys = [&](Level* level, uint64_t keys) {
    if (level->keys == keys) return;
    level->keys = keys;
    level->stale = true;
    for (Index child : level->children) groups_[child].place.keys &= keys;
  };
  Group& group = groups_[at];
  const uint64_t keys = group.alive ? group.numbers.max.keys() : 0;
  if (group.alive) {
    set_keys(&group.level, keys);
    // Its parent's level took over what it names (Tell).
    if (group.parent >= (options_.has_builtin ? 3u : 1u)) {
      set_keys(&LevelOf(group), groups_[group.parent].numbers.max.keys());
    }
  }
  const uint64_t before = keys_;
  ForEachResource(keys & ~group.counted_keys, [&](size_t r) {
    if (key_counts_[r]++ == 0) keys_ |= uint64_t{1} << r;
  });
  ForEachResource(group.counted_keys & ~keys, [&](size_t r) {
    if (--key_counts_[r] == 0) keys_ &= ~(uint64_t{1} << r);
  });
  group.counted_keys = keys;
  if (keys_ != before) set_keys(&groups_[kRoot].level, keys_);
}

// --- down --------------------------------------------------------------------------------------------------

void ElasticTree::Count(Level* level) {
  if (!level->stale) return;
  level->stale = false;
  std::vector<Claimant> claimants;
  std::vector<Claimant*> pointers;
  ForEachResource(level->keys, [&](size_t r) {
    claimants.clear();
    pointers.clear();
    for (Index child : level->children) {
      const Place& place = groups_[child].place;
      if (!(place.keys >> r & 1)) continue;
      claimants.push_back({groups_[child].name, place.request.at(r), place.weight.at(r),
                           place.min.at(r), place.guarantee.at(r),
                           static_cast<bool>(place.lends >> r & 1)});
    }
    for (Claimant& claimant : claimants) pointers.push_back(&claimant);
    Redistribute(level->total.at(r), options_.rounding, pointers);
    auto next = claimants.begin();
    for (Index child : level->children) {
      Place& place = groups_[child].place;
      if (place.keys >> r & 1) place.runtime.Set(r, (next++)->runtime);
    }
  });
}

// What is left of its minimum where its parent has less than all minimums.
void ElasticTree::ScaleMin(Group* group, const Sparse& total) {
  if (!options_.scale_min || !group->counted_min.has_value()) return;
  const Sparse min = ScaledMin(total, Sparse(), LevelOf(*group).mins, *group->counted_min);
  if (min == group->numbers.scaled_min) return;
  group->numbers.scaled_min = min;
  Tell(group, Told::kMin);
}

void ElasticTree::TakeRuntime(Group* group) {
  Level& level = LevelOf(*group);
  if (group->runtime_version == level.version) return;
  Count(&level);
  ForEachResource(level.keys & group->place.keys,
                  [&](size_t r) { group->numbers.runtime.Set(r, group->place.runtime.at(r)); });
  group->runtime_version = level.version;
}

NamedAmounts ElasticTree::Refresh(std::string_view name) {
  const Index target = At(name);
  if (target == kNone) return {};
  if (target == kRoot) return Named(shared_total_);
  if (options_.has_builtin && target <= 2) return Named(groups_[target].numbers.max);
  const std::vector<Index> path = PathOf(target);
  Sparse total = shared_total_;
  for (size_t i = path.size() - 1; i-- > 0;) {
    Group& group = groups_[path[i]];
    ScaleMin(&group, total);
    TakeRuntime(&group);
    total = group.numbers.runtime;
    if (i > 0) {
      group.level.stale |= !(group.level.total == total);
      group.level.total = total;
      ++group.level.version;
    }
  }
  return Named(groups_[target].numbers.runtime.Only(groups_[target].numbers.max.keys()));
}

void ElasticTree::RefreshAll() {
  const Index first = options_.has_builtin ? 3 : 1;
  std::vector<Index> parents = {kRoot};
  for (size_t i = 0; i < parents.size(); ++i) {
    const std::vector<Index>& children = groups_[parents[i]].level.children;
    const Sparse& total = i == 0 ? shared_total_ : groups_[parents[i]].numbers.runtime;
    for (Index child : children) {
      if (child >= first) ScaleMin(&groups_[child], total);
    }
    for (Index child : children) {
      if (child < first) continue;
      Group& group = groups_[child];
      TakeRuntime(&group);
      if (group.level.children.empty()) continue;
      parents.push_back(child);
      if (!group.level.stale && group.level.total == group.numbers.runtime) continue;
      group.level.total = group.numbers.runtime;
      group.level.stale = true;
      ++group.level.version;
    }
  }
}

// --- tasks -------------------------------------------------------------------------------------------------

absl::StatusOr<ElasticTree::Load> ElasticTree::LoadOf(const QuotaTask& task) {
  const absl::StatusOr<Sparse> request = Intern(task.request);
  if (!request.ok()) {
    return absl::Status(request.status().code(),
                        absl::StrCat("task \"", task.name, "\": ", request.status().message()));
  }
  return Load{*request, task.preemptible ? Sparse() : *request};
}

void ElasticTree::ChangeRequest(Index group, const Load& from, const Load& to) {
  const uint64_t keys = groups_[group].numbers.max.keys();
  const Sparse delta = Difference(to.request, from.request).Only(keys);
  const Sparse fixed = Difference(to.fixed, from.fixed).Only(keys);
  if (!delta.IsZero() || !fixed.IsZero()) PassRequest(delta, fixed, PathOf(group), /*own=*/true);
}

void ElasticTree::ChangeUse(Index group, const Load& from, const Load& to) {
  const uint64_t keys = groups_[group].numbers.max.keys();
  const Sparse delta = Difference(to.request, from.request).Only(keys);
  const Sparse fixed = Difference(to.fixed, from.fixed).Only(keys);
  if (!delta.IsZero() || !fixed.IsZero()) PassUse(group, delta, fixed, /*own=*/true);
}

void ElasticTree::Enter(Index group, const QuotaTask& task, const Load& load) {
  if (!groups_[group].tasks.emplace(task.name, task.assigned).second) return;
  ChangeRequest(group, {}, load);
  if (task.assigned) ChangeUse(group, {}, load);
}

void ElasticTree::Leave(Index group, const QuotaTask& task, const Load& load) {
  const auto it = groups_[group].tasks.find(task.name);
  if (it == groups_[group].tasks.end()) return;
  const bool assigned = it->second;
  ChangeRequest(group, load, {});
  if (assigned) ChangeUse(group, load, {});
  groups_[group].tasks.erase(task.name);
}

absl::Status ElasticTree::AddTask(std::string_view group, const QuotaTask& task) {
  const absl::StatusOr<Load> load = LoadOf(task);
  if (!load.ok()) return load.status();
  if (const Index at = At(group); at != kNone) Enter(at, task, *load);
  return absl::OkStatus();
}

absl::Status ElasticTree::RemoveTask(std::string_view group, const QuotaTask& task) {
  const absl::StatusOr<Load> load = LoadOf(task);
  if (!load.ok()) return load.status();
  if (const Index at = At(group); at != kNone) Leave(at, task, *load);
  return absl::OkStatus();
}

absl::Status ElasticTree::UpdateTask(std::string_view old_group, const QuotaTask& old_task,
                                     std::string_view group, const QuotaTask& task) {
  const absl::StatusOr<Load> from = LoadOf(old_task), to = LoadOf(task);
  if (!from.ok()) return from.status();
  if (!to.ok()) return to.status();
  const Index left = At(old_group), entered = At(group);
  if (left != entered) {
    if (left != kNone) Leave(left, old_task, *from);
    if (entered != kNone) Enter(entered, task, *to);
    return absl::OkStatus();
  }
  if (entered == kNone) return absl::OkStatus();
  auto& tasks = groups_[entered].tasks;
  const auto [it, is_new] = tasks.emplace(task.name, false);
  ChangeRequest(entered, is_new ? Load() : *from, *to);
  if (it->second) {
    ChangeUse(entered, *from, *to);
  } else if (task.assigned) {
    it->second = true;
    ChangeUse(entered, {}, *to);
  }
  return absl::OkStatus();
}

absl::Status ElasticTree::Reserve(std::string_view group, const QuotaTask& task) {
  const absl::StatusOr<Load> load = LoadOf(task);
  if (!load.ok()) return load.status();
  const Index at = At(group);
  if (at == kNone) return absl::OkStatus();
  const auto it = groups_[at].tasks.find(task.name);
  if (it == groups_[at].tasks.end() || it->second) return absl::OkStatus();
  it->second = true;
  ChangeUse(at, {}, *load);
  return absl::OkStatus();
}

absl::Status ElasticTree::Unreserve(std::string_view group, const QuotaTask& task) {
  const absl::StatusOr<Load> load = LoadOf(task);
  if (!load.ok()) return load.status();
  const Index at = At(group);
  if (at == kNone) return absl::OkStatus();
  const auto it = groups_[at].tasks.find(task.name);
  if (it == groups_[at].tasks.end() || !it->second) return absl::OkStatus();
  ChangeUse(at, *load, {});
  it->second = false;
  return absl::OkStatus();
}

}  // namespace muster
