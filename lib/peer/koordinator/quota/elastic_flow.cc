// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Moves numbers through an elastic quota tree: requests and usage to the root, runtimes to the
// leaves.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "lib/peer/koordinator/quota/elastic_tree.h"
#include "lib/peer/koordinator/quota/min_scaling.h"

namespace muster {
namespace {

// Returns what a parent counts of a request: never more than the maximum, where there is one.
int64_t LimitedAt(const ElasticTree::Numbers& numbers, size_t r) {
  const int64_t request = numbers.request.at(r);
  const bool limited = numbers.request.has(r) && numbers.max.has(r);
  return limited ? std::min(request, numbers.max.at(r)) : request;
}
Sparse Limited(const ElasticTree::Numbers& numbers) {
  Sparse limited = numbers.request;
  ForEachResource(limited.keys() & numbers.max.keys(),
                  [&](size_t r) { limited.Set(r, std::min(limited.at(r), numbers.max.at(r))); });
  return limited;
}

// Returns what a group requests: its children's requests, and its minimum if it does not lend.
Sparse Wanted(const ElasticTree::Numbers& numbers, bool lends) {
  Sparse wanted = numbers.child_request;
  if (!lends) wanted.RaiseTo(numbers.min);
  return wanted;
}

// Returns whether a parent's amount does not cover its children's minimums.
bool IsShort(const Sparse& total, const SparseSum& mins) {
  bool is_short = false;
  ForEachResource(total.keys(), [&](size_t r) { is_short |= total.at(r) < mins.exact(r); });
  return is_short;
}

void AddNotBelowZero(const Sparse& delta, SparseSum* sum) {
  sum->Add(delta);
  sum->NotBelowZero();
}

}  // namespace

absl::Status ElasticTree::AddTotal(const NamedAmounts& delta) {
  const absl::StatusOr<Sparse> amounts = Intern(delta);
  if (!amounts.ok()) return amounts.status();
  total_.Add(*amounts);
  ShareTotal();
  return absl::OkStatus();
}

void ElasticTree::ShareTotal() {
  SparseSum left = total_;
  if (options_.has_builtin) {
    left.Subtract(groups_[2].numbers.used);
    left.Subtract(groups_[1].numbers.used);
  }
  const Sparse& shared = left.shown();
  if (Difference(shared, shared_total_).IsZero()) return;
  shared_total_ = shared;
  groups_[kRoot].level.SetTotal(shared);
  ++groups_[kRoot].level.version;
}

// --- up

// Raises one group of the way up, where only this change is new: resource by resource, without
// looking at others. `delta` becomes the change that the parent counts.
void ElasticTree::RaiseRequest(Group* group, const Sparse& fixed, bool own, Sparse* delta) {
  Numbers& numbers = group->numbers;
  AddNotBelowZero(fixed, &numbers.fixed_request);
  if (own) {
    AddNotBelowZero(*delta, &numbers.own_request);
    AddNotBelowZero(fixed, &numbers.own_fixed_request);
  }
  ElasticLevel& level = LevelOf(*group);
  bool knows = true;
  ForEachResource(delta->keys(), [&](size_t r) {
    const int64_t before = LimitedAt(numbers, r);
    numbers.child_request.AddNotBelowZero(r, delta->at(r));
    const bool keeps = !group->lends && numbers.min.has(r);
    const int64_t asked = numbers.child_request.at(r);
    numbers.request.Show(r, keeps ? std::max(asked, numbers.min.at(r)) : asked);
    const int64_t now = LimitedAt(numbers, r);
    delta->Set(r, now - before);
    if (level.keys >> r & 1) knows &= level.At(group->place, r).known_request() == now;
  });
  if (!knows) Tell(group, Told::kRequest);
}

void ElasticTree::PassRequest(Sparse delta, const Sparse& fixed, std::span<const Index> path,
                              bool own) {
  for (size_t i = 0; i < path.size(); ++i) {
    Group& group = groups_[path[i]];
    const bool is_root = path[i] == kRoot;
    // The peer repeats this all the way up, whatever changed below. Where that can have no effect
    // it is left out.
    if (group.settled && group.settled_keys == LevelOf(group).keys) {
      if (!delta.IsZero() || !fixed.IsZero()) RaiseRequest(&group, fixed, own && i == 0, &delta);
      continue;
    }
    Numbers& numbers = group.numbers;
    const Sparse before = Limited(numbers);
    AddNotBelowZero(delta, &numbers.request);
    AddNotBelowZero(fixed, &numbers.fixed_request);
    if (own && i == 0) {
      AddNotBelowZero(delta, &numbers.own_request);
      AddNotBelowZero(fixed, &numbers.own_fixed_request);
    }
    if (is_root) return;
    AddNotBelowZero(delta, &numbers.child_request);
    numbers.request = Wanted(numbers, group.lends);
    const Sparse now = Limited(numbers);
    delta = Difference(now, before);
    ElasticLevel& level = LevelOf(group);
    if (!Knows(group, Told::kRequest, now)) Tell(&group, Told::kRequest);
    group.settled = true;
    group.settled_keys = level.keys;
  }
}

void ElasticTree::PassRequests(Index at, SparseSum request, SparseSum fixed, bool own) {
  const Path path = PathOf(at);
  while (!request.IsZero() || !fixed.IsZero()) {
    const Sparse part = request.shown(), fixed_part = fixed.shown();
    PassRequest(part, fixed_part, path, own);
    request.Subtract(part);
    fixed.Subtract(fixed_part);
  }
}

void ElasticTree::PassUses(Index at, SparseSum used, SparseSum fixed, bool own) {
  while (!used.IsZero() || !fixed.IsZero()) {
    const Sparse part = used.shown(), fixed_part = fixed.shown();
    PassUse(at, part, fixed_part, own);
    used.Subtract(part);
    fixed.Subtract(fixed_part);
  }
}

void ElasticTree::PassUse(Index at, const Sparse& delta, const Sparse& fixed, bool own) {
  const Path path = PathOf(at);
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
    if (!Knows(group, Told::kGuarantee, guaranteed)) Tell(&group, Told::kGuarantee);
  }
}

void ElasticTree::SetMax(Index at, const Sparse& max) {
  Group& group = groups_[at];
  const Sparse before = Limited(group.numbers);
  group.numbers.max = max;
  Tell(&group, Told::kMax);
  const Path path = PathOf(at);
  PassRequest(Difference(Limited(group.numbers), before), Sparse(), std::span(path).subspan(1),
              /*own=*/false);
}

void ElasticTree::SetMin(Index at, const Sparse& min) {
  Group& group = groups_[at];
  Numbers& numbers = group.numbers;
  numbers.min = min;
  SetScaledMin(&group, min);
  CountMin(&group);
  const Sparse before = Limited(numbers);
  numbers.request = Wanted(numbers, group.lends);
  group.settled = false;
  Tell(&group, Told::kMin);
  const Path path = PathOf(at);
  const auto above = std::span(path).subspan(1);
  PassRequest(Difference(Limited(numbers), before), Sparse(), above, /*own=*/false);
  if (!options_.guarantee_usage) return;
  Sparse guaranteed = numbers.allocated;
  guaranteed.RaiseTo(min);
  const Sparse delta = Difference(guaranteed, numbers.guaranteed);
  numbers.guaranteed = guaranteed;
  if (!Knows(group, Told::kGuarantee, guaranteed)) Tell(&group, Told::kGuarantee);
  PassAllocated(delta, above);
}

void ElasticTree::SetWeight(Index at, const Sparse& weight) {
  groups_[at].numbers.weight = weight;
  Tell(&groups_[at], Told::kWeight);
}

void ElasticTree::CountMin(Group* group) {
  ElasticLevel& level = LevelOf(*group);
  if (group->counted_min.has_value()) {
    level.mins.Subtract(*group->counted_min);
    level.mins.NotBelowZero();
  }
  level.mins.Add(group->numbers.min);
  group->counted_min = group->numbers.min;
}

// Returns whether the level has these amounts already, in its resources.
bool ElasticTree::Knows(const Group& group, Told what, const Sparse& amounts) {
  ElasticLevel& level = LevelOf(group);
  bool knows = true;
  ForEachResource(level.keys, [&](size_t r) {
    const ElasticLevel::Entry entry = level.At(group.place, r);
    knows &=
        amounts.at(r) == (what == Told::kRequest ? entry.known_request() : entry.known_guarantee());
  });
  return knows;
}

// Writes one number of a group into its parent's level; where the level does not have the group's
// resource yet, all of them.
void ElasticTree::Tell(Group* group, Told what) {
  ElasticLevel& level = LevelOf(*group);
  const uint32_t place = group->place;
  const Numbers& numbers = group->numbers;
  if (what == Told::kMax) level.keys |= numbers.max.keys();
  const uint64_t added = level.Acquaint(place);
  ForEachResource(level.keys, [&](size_t r) {
    const ElasticLevel::Entry entry = level.At(place, r);
    const auto write = [&](int64_t& to, int64_t value) {
      if (to == value) return;
      to = value;
      level.stale |= uint64_t{1} << r;
    };
    const bool all = added >> r & 1;
    const bool request = what == Told::kMax || what == Told::kRequest;
    if (all || request) write(entry.request(), LimitedAt(numbers, r));
    if (all || what == Told::kWeight) write(entry.weight(), numbers.weight.at(r));
    if (all || what == Told::kMin) entry.min() = numbers.scaled_min.at(r);
    if (all || what == Told::kGuarantee) entry.guarantee() = numbers.guaranteed.at(r);
    write(entry.floor(), std::max(entry.min(), entry.guarantee()));
    if (request) entry.known_request() = LimitedAt(numbers, r);
    if (what == Told::kGuarantee) entry.known_guarantee() = numbers.guaranteed.at(r);
  });
  ++level.version;
}

// Sets the resources that a level hands out: those that its group's own maximum names; for the
// root, those that any group names.
void ElasticTree::UpdateKeys(Index at) {
  Group& group = groups_[at];
  const uint64_t keys = group.alive ? group.numbers.max.keys() : 0;
  if (group.alive) {
    group.level.SetKeys(keys);
    // Its parent's level took over what it names (Tell).
    if (!IsBuiltIn(group.parent)) LevelOf(group).SetKeys(groups_[group.parent].numbers.max.keys());
  }
  const uint64_t before = keys_;
  ForEachResource(keys & ~group.counted_keys, [&](size_t r) {
    if (key_counts_[r]++ == 0) keys_ |= uint64_t{1} << r;
  });
  ForEachResource(group.counted_keys & ~keys, [&](size_t r) {
    if (--key_counts_[r] == 0) keys_ &= ~(uint64_t{1} << r);
  });
  group.counted_keys = keys;
  if (keys_ != before) groups_[kRoot].level.SetKeys(keys_);
}

// --- down

void ElasticTree::Count(ElasticLevel* level, bool for_all) {
  if ((level->keys & level->stale) == 0) return;
  if (!level->in_order) {
    level->Order();
    for (uint32_t place = 0; place < level->children.size(); ++place) {
      groups_[level->children[place].group].place = place;
    }
  }
  level->HandOut(options_.rounding, for_all, &redistribution_);
}

void ElasticTree::SetScaledMin(Group* group, const Sparse& to) {
  group->numbers.scaled_min = to;
  const bool scaled = !(to == group->numbers.min);
  ElasticLevel& level = LevelOf(*group);
  if (scaled && !group->scaled) ++level.scaled;
  if (!scaled && group->scaled) --level.scaled;
  group->scaled = scaled;
}

// What is left of the group's minimum where its parent has less than all minimums.
void ElasticTree::ScaleMin(Group* group, const Sparse& total) {
  if (!options_.scale_min || !group->counted_min.has_value()) return;
  if (!group->scaled && !IsShort(total, LevelOf(*group).mins)) return;
  const Sparse min = ScaledMin(total, Sparse(), LevelOf(*group).mins, *group->counted_min);
  if (min == group->numbers.scaled_min) return;
  SetScaledMin(group, min);
  Tell(group, Told::kMin);
}

NamedAmounts ElasticTree::Refresh(std::string_view name) {
  const Index target = IndexOf(name);
  return target == kNone ? NamedAmounts() : Named(Refresh(target));
}

Sparse ElasticTree::Refresh(Index target) {
  if (target == kRoot || IsBuiltIn(target)) return Runtime(target);
  const Path path = PathOf(target);
  for (size_t i = path.size() - 1; i-- > 0;) {
    Group& group = groups_[path[i]];
    ElasticLevel& level = LevelOf(group);
    ScaleMin(&group, level.total);
    if (!level.IsCurrent(group.place)) {
      Count(&level, /*for_all=*/false);
      level.Take(group.place);
    }
    if (i == 0) break;
    group.level.SetTotal(level, group.place);
    ++group.level.version;
  }
  return Runtime(target);
}

Sparse ElasticTree::Runtime(Index group) const {
  if (group == kRoot) return shared_total_;
  if (IsBuiltIn(group)) return groups_[group].numbers.max;
  return RuntimeOf(groups_[group]).Only(groups_[group].numbers.max.keys());
}

void ElasticTree::RefreshAll() {
  // Goes down one branch after the other: a level is handed out right after its total is set.
  std::vector<Index> waiting = {kRoot};
  while (!waiting.empty()) {
    Group& group = groups_[waiting.back()];
    waiting.pop_back();
    if (!waiting.empty()) groups_[waiting.back()].level.Prefetch();
    ElasticLevel& level = group.level;
    if (group.parent != kNone && level.SetTotal(LevelOf(group), group.place)) ++level.version;
    if (options_.scale_min && (level.scaled > 0 || IsShort(level.total, level.mins))) {
      for (const ElasticLevel::Child& child : level.children) {
        if (child.handed_out_to) ScaleMin(&groups_[child.group], level.total);
      }
    }
    Count(&level, /*for_all=*/true);
    level.TakeAll();
    if (level.inners == 0) continue;
    for (const ElasticLevel::Child& child : level.children) {
      if (!child.inner) continue;
      waiting.push_back(child.group);
      const char* const below = reinterpret_cast<const char*>(&groups_[child.group].level);
      for (size_t at = 0; at < sizeof(ElasticLevel); at += 64) __builtin_prefetch(below + at, 1);
    }
  }
}

}  // namespace muster
