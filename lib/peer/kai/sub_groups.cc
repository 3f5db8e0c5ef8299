// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Counters of pod sets are kept; those of inner groups are summed at each question, as trees have a
// few entries.
#include "lib/peer/kai/sub_groups.h"

#include <algorithm>
#include <utility>

#include "lib/base/go_sort.h"

namespace muster {

uint32_t KaiSubGroups::AddGroup(uint32_t parent, std::string name, int32_t minimum) {
  const auto entry = static_cast<uint32_t>(entries_.size());
  entries_.push_back({.name = std::move(name), .parent = parent, .minimum = minimum});
  // Groups come before the pod sets of the same parent.
  std::vector<uint32_t>& children = entries_[parent].children;
  children.insert(std::find_if(children.begin(), children.end(),
                               [this](uint32_t child) { return entries_[child].is_pod_set; }),
                  entry);
  return entry;
}

uint32_t KaiSubGroups::AddPodSet(uint32_t parent, std::string name, int32_t min_available) {
  const auto entry = static_cast<uint32_t>(entries_.size());
  entries_.push_back(
      {.name = std::move(name), .parent = parent, .is_pod_set = true, .minimum = min_available});
  entries_[parent].children.push_back(entry);
  const auto less = [this](uint32_t a, uint32_t b) { return entries_[a].name < entries_[b].name; };
  pod_sets_.insert(std::upper_bound(pod_sets_.begin(), pod_sets_.end(), entry, less), entry);
  return entry;
}

void KaiSubGroups::AddTask(uint32_t pod_set, uint32_t task, KaiStatus status) {
  entries_[pod_set].tasks.push_back(task);
  Move(pod_set, KaiStatus::kUnknown, status);
}

void KaiSubGroups::Move(uint32_t pod_set, KaiStatus from, KaiStatus to) {
  Entry& e = entries_[pod_set];
  e.active_allocated += IsActiveAllocated(to) - IsActiveAllocated(from);
  e.active_used += IsActiveUsed(to) - IsActiveUsed(from);
  e.alive += IsAlive(to) - IsAlive(from);
  e.gated += (to == KaiStatus::kGated) - (from == KaiStatus::kGated);
  e.pending += (to == KaiStatus::kPending) - (from == KaiStatus::kPending);
}

uint32_t KaiSubGroups::FindPodSet(const std::string& name) const {
  const auto less = [this](uint32_t entry, const std::string& n) {
    return entries_[entry].name < n;
  };
  const auto at = std::lower_bound(pod_sets_.begin(), pod_sets_.end(), name, less);
  return at != pod_sets_.end() && entries_[*at].name == name ? *at : kNoEntry;
}

int32_t KaiSubGroups::needed(uint32_t entry) const {
  const Entry& e = entries_[entry];
  return e.is_pod_set || e.minimum != kAll ? e.minimum : static_cast<int32_t>(e.children.size());
}

int32_t KaiSubGroups::satisfied(uint32_t entry) const {
  const Entry& e = entries_[entry];
  if (e.is_pod_set) return e.active_allocated;
  return static_cast<int32_t>(std::count_if(e.children.begin(), e.children.end(),
                                            [this](uint32_t c) { return is_satisfied(c); }));
}

namespace {

bool ReadyBelow(const KaiSubGroups& tree, uint32_t entry) {
  const KaiSubGroups::Entry& e = tree.at(entry);
  if (e.is_pod_set) return e.alive - e.gated >= e.minimum;
  const auto ready = std::count_if(e.children.begin(), e.children.end(),
                                   [&](uint32_t child) { return ReadyBelow(tree, child); });
  return ready >= tree.needed(entry);
}

}  // namespace

bool KaiSubGroups::IsReady() const { return ReadyBelow(*this, 0); }

bool KaiSubGroups::IsGangSatisfied() const {
  return std::all_of(pod_sets_.begin(), pod_sets_.end(),
                     [this](uint32_t p) { return entries_[p].active_used >= entries_[p].minimum; });
}

bool KaiSubGroups::IsElastic() const {
  return std::any_of(pod_sets_.begin(), pod_sets_.end(), [this](uint32_t p) {
    return entries_[p].minimum < static_cast<int32_t>(entries_[p].tasks.size());
  });
}

int32_t KaiSubGroups::ActiveAllocated() const {
  int32_t sum = 0;
  for (const uint32_t p : pod_sets_) sum += entries_[p].active_allocated;
  return sum;
}

std::vector<uint32_t> KaiSubGroups::Ordered(uint32_t group, bool reversed) const {
  std::vector<uint32_t> order = entries_[group].children;
  if (order.size() < 2) return order;
  const auto before = [this](uint32_t a, uint32_t b) {
    const int by = CompareKaiMembers({satisfied(a), needed(a)}, {satisfied(b), needed(b)});
    return by != 0 ? by < 0 : entries_[a].name < entries_[b].name;
  };
  GoSort(order, [&](uint32_t a, uint32_t b) { return reversed ? before(b, a) : before(a, b); });
  return order;
}

void KaiSubGroups::Collect(uint32_t entry, const KaiTaskStates& states, bool real,
                           std::vector<uint32_t>* out) const {
  const Entry& e = entries_[entry];
  if (e.is_pod_set) {
    int32_t most = e.active_allocated >= e.minimum ? 1 : e.minimum - e.active_allocated;
    for (size_t i = 0; i < e.tasks.size() && most > 0; ++i) {
      if (!states.MayAllocate(e.tasks[i], real)) continue;
      out->push_back(e.tasks[i]);
      --most;
    }
    return;
  }
  const std::vector<uint32_t> order = Ordered(entry, /*reversed=*/false);
  const size_t before = out->size();
  if (!is_satisfied(entry)) {
    const auto first = static_cast<size_t>(std::max(needed(entry), 0));
    for (size_t i = 0; i < first && i < order.size(); ++i) {
      if (!is_satisfied(order[i])) Collect(order[i], states, real, out);
    }
    return;
  }
  for (size_t i = 0; i < order.size() && out->size() == before; ++i) {
    Collect(order[i], states, real, out);
  }
}

void KaiSubGroups::TasksToAllocate(const KaiTaskStates& states, bool real,
                                   std::vector<uint32_t>* out) const {
  Collect(0, states, real, out);
}

bool KaiSubGroups::HasSurplus(uint32_t entry) const {
  const Entry& e = entries_[entry];
  return satisfied(entry) > needed(entry) ||
         std::any_of(e.children.begin(), e.children.end(),
                     [this](uint32_t child) { return HasSurplus(child); });
}

void KaiSubGroups::GiveAll(uint32_t entry, const KaiTaskStates& states,
                           std::vector<uint32_t>* out) const {
  for (const uint32_t p : pod_sets_) {
    uint32_t above = p;
    while (above != entry && above != 0) above = entries_[above].parent;
    if (above != entry) continue;
    const std::vector<uint32_t>& tasks = entries_[p].tasks;
    for (auto task = tasks.rbegin(); task != tasks.rend(); ++task) {
      if (IsActiveAllocated(states.status[*task])) out->push_back(*task);
    }
  }
}

bool KaiSubGroups::GiveSurplus(uint32_t entry, const KaiTaskStates& states,
                               std::vector<uint32_t>* out) const {
  const Entry& e = entries_[entry];
  const size_t before = out->size();
  if (e.is_pod_set) {
    if (e.active_allocated <= e.minimum) return false;
    for (auto task = e.tasks.rbegin(); task != e.tasks.rend() && out->size() == before; ++task) {
      if (IsActiveAllocated(states.status[*task])) out->push_back(*task);
    }
    return out->size() > before;
  }
  if (satisfied(entry) == 0) return false;
  const std::vector<uint32_t> order = Ordered(entry, /*reversed=*/true);
  if (HasSurplus(entry)) {
    for (const uint32_t child : order) {
      if (GiveSurplus(child, states, out)) return true;
    }
  }
  if (needed(entry) >= satisfied(entry)) return false;
  for (const uint32_t child : order) {
    GiveAll(child, states, out);
    if (out->size() > before) return true;
  }
  return false;
}

bool KaiSubGroups::TasksToEvict(const KaiTaskStates& states, std::vector<uint32_t>* out) const {
  const size_t before = out->size();
  if (!GiveSurplus(0, states, out)) GiveAll(0, states, out);
  return out->size() - before < static_cast<size_t>(ActiveAllocated());
}

int CompareKaiMembers(const KaiMemberCount& left, const KaiMemberCount& right) {
  const bool left_has = left.count >= left.threshold, right_has = right.count >= right.threshold;
  if (!left_has || !right_has) return left_has == right_has ? 0 : left_has ? 1 : -1;
  if ((left.threshold == 0) != (right.threshold == 0)) return left.threshold == 0 ? 1 : -1;
  const double l = static_cast<double>(left.count), r = static_cast<double>(right.count);
  if (left.threshold == 0) return l < r ? -1 : l > r ? 1 : 0;
  const double left_ratio = l / static_cast<double>(left.threshold);
  const double right_ratio = r / static_cast<double>(right.threshold);
  return left_ratio < right_ratio ? -1 : right_ratio < left_ratio ? 1 : 0;
}

namespace {

// Below the minimum, at it, above it.
int ElasticState(const KaiSubGroups& tree) {
  int state = 1;
  for (const uint32_t p : tree.pod_sets()) {
    const KaiSubGroups::Entry& e = tree.at(p);
    if (e.active_allocated < e.minimum) return 0;
    if (e.active_allocated > e.minimum) state = 2;
  }
  return state;
}

}  // namespace

int CompareKaiElastic(const KaiSubGroups& left, const KaiSubGroups& right) {
  const int l = ElasticState(left), r = ElasticState(right);
  return l < r ? -1 : l > r ? 1 : 0;
}

KaiSplit SplitKaiVictims(std::span<const uint32_t> pod_set, std::span<const int32_t> minimum) {
  KaiSplit split;
  for (uint32_t p = 0; p < minimum.size(); ++p) {
    int32_t core = 0;
    for (uint32_t i = 0; i < pod_set.size(); ++i) {
      if (pod_set[i] != p) continue;
      (core < minimum[p] ? split.core : split.elastic).push_back(i);
      ++core;
    }
  }
  return split;
}

}  // namespace muster
