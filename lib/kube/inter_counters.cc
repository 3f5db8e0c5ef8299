// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/kube/inter_counters.h"

#include <algorithm>

namespace muster {

size_t Counters::Add(TopologyRef topology) {
  counters_.push_back({std::move(topology), {}});
  return counters_.size() - 1;
}

void Counters::Effect(ClassIndex other, size_t counter, int64_t weight) {
  effects_.push_back({other, static_cast<uint32_t>(counter), weight});
}

void Counters::Seal() {
  std::stable_sort(effects_.begin(), effects_.end(),
                   [](const EffectRow& a, const EffectRow& b) { return a.other < b.other; });
  for (uint32_t first = 0, last; first < effects_.size(); first = last) {
    last = first;
    while (last < effects_.size() && effects_[last].other == effects_[first].other) ++last;
    range_[effects_[first].other] = {first, last};
  }
}

void Counters::Apply(uint32_t first, uint32_t last, NodeIndex node, int sign) {
  for (uint32_t i = first; i < last; ++i) {
    Counter& counter = counters_[effects_[i].counter];
    const LabelDomainIndex domain = counter.topology->of[node];
    if (domain == kNone) continue;
    if (counter.counts.empty()) counter.counts.assign(counter.topology->size, 0);
    counter.counts[domain] += sign * effects_[i].weight;
    ++counter.stamp;
  }
}

void Counters::Follow(const InterView& view) {
  if (effects_.empty()) return;
  if (epoch_ != view.epoch()) {
    epoch_ = view.epoch();
    position_ = view.base();
    for (Counter& counter : counters_) {
      counter.counts.clear();
      ++counter.stamp;
    }
    for (uint32_t first = 0, last; first < effects_.size(); first = last) {
      const ClassIndex other = effects_[first].other;
      last = range_.find(other)->second.second;
      for (NodeIndex n : view.staying(other)) {
        if (view.counted(n)) Apply(first, last, n, 1);
      }
      if (!leaving_) continue;
      for (NodeIndex n : view.leaving(other)) {
        if (view.counted(n)) Apply(first, last, n, 1);
      }
    }
  }
  for (const Ledger::ViewChange& change : view.ChangesSince(position_)) {
    const auto range = range_.find(view.tables().tasks.task_class[change.task]);
    if (range == range_.end() || !view.counted(change.node)) continue;
    if (!leaving_ && !view.Stays(change.task, change.status)) continue;
    Apply(range->second.first, range->second.second, change.node, change.sign);
  }
  position_ = view.end();
}

}  // namespace muster
