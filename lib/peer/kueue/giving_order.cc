// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/kueue/giving_order.h"

#include <algorithm>
#include <utility>

namespace muster::kueue {

GivingOrder::GivingOrder(VictimSearch& search, Queue evictor) : search_(search), evictor_(evictor) {
  lists_.resize(search.world().queues.size());
  pruned_.assign(lists_.size(), false);
  on_path_.assign(lists_.size(), false);
  for (Queue q = evictor; q != kNothing; q = search.world().tree.parent(q)) on_path_[q] = true;
}

void GivingOrder::Add(Queue queue, std::vector<WorkloadIndex> candidates) {
  std::reverse(candidates.begin(), candidates.end());
  lists_[queue] = std::move(candidates);
}

WorkloadIndex GivingOrder::Pop(Queue queue) {
  const WorkloadIndex w = lists_[queue].back();
  lists_[queue].pop_back();
  return w;
}

Queue GivingOrder::Next() {
  const QuotaTree& tree = search_.world().tree;
  if (tree.parent(evictor_) == kNothing) {
    return Has(evictor_) && !pruned_[evictor_] ? evictor_ : kNothing;
  }
  const Queue root = tree.Root(evictor_);
  while (!pruned_[root]) {
    const Queue found = NextBelow(root);
    if (found != kNothing) return found;
  }
  return kNothing;
}

Queue GivingOrder::NextBelow(Queue cohort) {
  const World& world = search_.world();
  Queue queue = kNothing, below = kNothing;
  Share queue_share, below_share;
  for (const Queue child : world.tree.children(cohort)) {
    if (pruned_[child]) continue;
    const Share share = search_.shares().Of(child);
    const bool is_cohort = world.queues[child].is_cohort;
    if ((!share.borrowing && !on_path_[child]) || (!is_cohort && !Has(child))) {
      pruned_[child] = true;
    } else if (is_cohort) {
      if (below != kNothing && Compare(share, below_share) < 0) continue;
      below = child;
      below_share = share;
    } else {
      const int order = queue == kNothing ? 1 : Compare(share, queue_share);
      if (order < 0 || (order == 0 && !CandidateBefore(world, evictor_, lists_[child].back(),
                                                       lists_[queue].back()))) {
        continue;
      }
      queue = child;
      queue_share = share;
    }
  }
  if (queue == kNothing && below == kNothing) {
    pruned_[cohort] = true;
    return kNothing;
  }
  if (below != kNothing && (queue == kNothing || Compare(below_share, queue_share) >= 0)) {
    return NextBelow(below);
  }
  return queue;
}

}  // namespace muster::kueue
