// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/yarn/preempt/selection.h"

#include <algorithm>

namespace muster::yarn {

bool IsNothing(const Obtain& obtain) {
  return std::ranges::none_of(obtain, [](const auto& part) { return part.has_value(); });
}

void Selection::Choose(ContainerIndex c) {
  if (chosen_.insert(c).second) newest.push_back(c);
}

bool Selection::TryChoose(ContainerIndex index, bool is_conservative, Obtain* obtain) {
  if (Has(index)) return false;
  const Container& c = scheduler.containers()[index];
  if (c.is_spared) return false;
  std::optional<Resource>& part = (*obtain)[PartitionOf(c)];
  if (!part) return false;
  // The peer makes what is 0 negative, so that it decides nothing below.
  for (size_t k = 0; k < kResources; ++k) {
    if (part->at(k) == 0) part->at(k) = -1;
  }
  if (!IsAnyPositive(by(), *part) || !FitsIn(by(), c.size, allowed)) return false;
  const Resource cluster = scheduler.cluster();
  const bool helps = is_conservative ? !IsAnyZeroOrBelow(by(), *part)
                                     : Less(by(), cluster, MostOf(*part - c.size, Resource{}),
                                            MostOf(*part, Resource{}));
  if (!helps) return false;
  *part -= c.size;
  allowed -= c.size;
  if (Compare(by(), cluster, *part, {}) <= 0) part.reset();
  Choose(index);
  return true;
}

void Selection::Compute(const ShareRules& rules) {
  for (ShareTree& tree : trees) tree.Compute(rules, allowed);
}

std::vector<ContainerIndex> Selection::Chosen() const {
  std::vector<ContainerIndex> chosen(chosen_.begin(), chosen_.end());
  const auto id_of = [&](ContainerIndex c) { return scheduler.containers()[c].id; };
  if (!tables_) {
    std::ranges::sort(chosen, std::ranges::greater{}, id_of);
    return chosen;
  }
  std::vector<ContainerId> ids;
  for (const ContainerIndex c : chosen) ids.push_back(id_of(c));
  std::vector<ContainerIndex> arranged;
  for (const size_t i : tables_->Containers(ids)) arranged.push_back(chosen[i]);
  return arranged;
}

std::vector<AppIndex> Selection::Arranged(std::vector<AppIndex> apps) const {
  if (!tables_) return apps;
  std::vector<uint32_t> ids;
  for (const AppIndex a : apps) ids.push_back(scheduler.apps()[a].id);
  std::vector<AppIndex> arranged;
  for (const size_t i : tables_->Apps(ids)) arranged.push_back(apps[i]);
  return arranged;
}

void Selection::DeductChosen() {
  for (const ContainerIndex index : Chosen()) {
    const Container& c = scheduler.containers()[index];
    trees[PartitionOf(c)].Deduct(QueueOf(c), c.size);
  }
}

Obtain Selection::ObtainOf(QueueIndex leaf) const {
  Obtain obtain(trees.size());
  for (size_t p = 0; p < trees.size(); ++p) {
    const QueueShare& share = trees[p].shares()[leaf];
    if (share.is_disabled || !Greater(by(), scheduler.cluster(), share.obtain, {})) continue;
    obtain[p] = share.obtain;
  }
  return obtain;
}

std::vector<ContainerIndex> Selection::LiveOf(const App& app) const {
  std::vector<ContainerIndex> live = app.live;
  std::ranges::sort(live, [&](ContainerIndex a, ContainerIndex b) {
    const Container& left = scheduler.containers()[a];
    const Container& right = scheduler.containers()[b];
    return left.priority != right.priority ? left.priority > right.priority : left.id > right.id;
  });
  return live;
}

}  // namespace muster::yarn
