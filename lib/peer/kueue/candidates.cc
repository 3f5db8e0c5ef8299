// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/kueue/candidates.h"

#include <algorithm>
#include <utility>

namespace muster::kueue {

Candidates::Candidates(const VictimSearch& search, Queue queue, const Need& need, Policy policy)
    : search_(&search),
      need_(&need),
      policy_(policy),
      kept_(&search.world().queues[queue].holders) {
  if (search.local_usage != nullptr && search.world().queues[queue].by_usage) {
    Gather();
  } else {
    Settle();
  }
}

Candidates::Candidates(const VictimSearch& search, const Need& need,
                       std::vector<WorkloadIndex> list)
    : search_(&search),
      need_(&need),
      policy_(Policy::kAny),
      kept_(nullptr),
      own_(std::move(list)) {}

void Candidates::Gather() {
  std::vector<WorkloadIndex> list;
  for (Settle(); !Done(); Next()) list.push_back(Front());
  own_ = std::move(list);
  kept_ = nullptr;
  next_ = 0;
  const World& world = search_->world();
  const std::vector<double>& all = *search_->local_usage;
  const auto usage = [&](const WorkloadRow& row) {
    return row.local_queue < all.size() ? all[row.local_queue] : -1;
  };
  std::stable_sort(own_.begin(), own_.end(), [&](WorkloadIndex a, WorkloadIndex b) {
    const WorkloadRow &x = world.workloads[a], &y = world.workloads[b];
    if (x.evicted != y.evicted) return x.evicted;
    if (x.local_queue != y.local_queue && usage(x) >= 0 && usage(y) >= 0 && usage(x) != usage(y)) {
      return usage(x) > usage(y);
    }
    return world.Precedes(a, b);
  });
}

size_t Candidates::FirstOther() const {
  const World& world = search_->world();
  const auto first = std::partition_point(
      list().begin(), list().end(), [&](WorkloadIndex w) { return world.workloads[w].evicted; });
  return static_cast<size_t>(first - list().begin());
}

void Candidates::Restart(bool evicted) {
  next_ = evicted ? 0 : FirstOther();
  Settle();
}

void Candidates::Settle() {
  if (kept_ == nullptr) return;
  const World& world = search_->world();
  const WorkloadRow& evictor = world.workloads[need_->workload];
  const bool by_priority =
      policy_ == Policy::kLowerPriority || policy_ == Policy::kLowerOrNewerEqual;
  while (!Done()) {
    const WorkloadRow& row = world.workloads[Front()];
    if (by_priority && row.priority > evictor.priority) {
      // Nor does any behind it, up to the evicted ones' end or to the end of all.
      next_ = row.evicted ? FirstOther() : list().size();
    } else if (!Satisfies(policy_, evictor.priority, evictor.queue_time, row) ||
               !search_->Uses(Front(), *need_)) {
      ++next_;
    } else {
      return;
    }
  }
}

}  // namespace muster::kueue
