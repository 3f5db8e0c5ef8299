// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Containers of queues that use too much, those of the last applications first.
#include <algorithm>

#include "lib/peer/yarn/preempt/selection.h"

namespace muster::yarn {
namespace {

class FifoSelector {
 public:
  FifoSelector(bool is_conservative, Selection* selection)
      : is_conservative_(is_conservative), s_(*selection) {}

  void TakeFrom(QueueIndex leaf) {
    obtain_ = s_.ObtainOf(leaf);
    masters_.clear();
    masters_size_ = {};
    TakeLent(leaf);
    const std::vector<AppIndex> apps = s_.scheduler.OrderedApps(leaf);
    for (size_t i = apps.size(); i-- > 0 && !IsNothing(obtain_);) {
      TakeFromApp(s_.scheduler.apps()[apps[i]]);
    }
    TakeMasters(leaf);
  }

 private:
  // Containers on nodes of a partition that they did not ask for, the newest first.
  void TakeLent(QueueIndex leaf) {
    std::vector<ContainerIndex> lent;
    for (size_t p = 1; p < obtain_.size(); ++p) {
      if (!obtain_[p]) continue;
      lent.clear();
      for (const App& app : s_.scheduler.apps()) {
        if (app.queue != leaf) continue;
        for (const ContainerIndex c : app.live) {
          const Container& container = s_.scheduler.containers()[c];
          if (s_.PartitionOf(container) == p && container.requested == kDefaultPartition) {
            lent.push_back(c);
          }
        }
      }
      std::ranges::sort(lent, std::ranges::greater{},
                        [&](ContainerIndex c) { return s_.scheduler.containers()[c].id; });
      for (const ContainerIndex c : lent) s_.TryChoose(c, is_conservative_, &obtain_);
    }
  }

  void TakeFromApp(const App& app) {
    for (const ContainerIndex c : app.reserved) {
      if (s_.Has(c)) continue;
      if (IsNothing(obtain_)) return;
      s_.TryChoose(c, is_conservative_, &obtain_);
      s_.dropped.push_back(c);
    }
    for (const ContainerIndex c : s_.LiveOf(app)) {
      if (IsNothing(obtain_)) return;
      if (s_.Has(c)) continue;
      if (s_.scheduler.containers()[c].is_master) {
        masters_.push_back(c);
        masters_size_ += s_.scheduler.containers()[c].size;
        continue;
      }
      s_.TryChoose(c, is_conservative_, &obtain_);
    }
  }

  void TakeMasters(QueueIndex leaf) {
    const Queue& queue = s_.scheduler.queues()[leaf];
    const double percent =
        static_cast<double>(queue.settings.partitions[kDefaultPartition].master_percent);
    const Resource kept = Multiply(queue.capacity[kDefaultPartition].guaranteed, percent);
    for (const ContainerIndex c : masters_) {
      if (IsNothing(obtain_)) return;
      if (Compare(s_.by(), s_.scheduler.cluster(), masters_size_, kept) <= 0) return;
      if (s_.TryChoose(c, is_conservative_, &obtain_)) {
        masters_size_ -= s_.scheduler.containers()[c].size;
      }
    }
  }

  const bool is_conservative_;
  Selection& s_;
  Obtain obtain_;
  std::vector<ContainerIndex> masters_;
  Resource masters_size_;
};

}  // namespace

void SelectFifo(const ShareRules& rules, bool is_conservative, Selection* selection) {
  selection->Compute(rules);
  selection->DeductChosen();
  FifoSelector selector(is_conservative, selection);
  const std::vector<Queue>& queues = selection->scheduler.queues();
  for (QueueIndex q = 0; q < queues.size(); ++q) {
    if (!queues[q].is_leaf()) continue;
    if (selection->trees[kDefaultPartition].shares()[q].is_disabled) continue;
    selector.TakeFrom(q);
  }
}

}  // namespace muster::yarn
