// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/kueue/giving_order.h"

#include <utility>

namespace muster::kueue {

GivingOrder::GivingOrder(VictimSearch& search, Queue evictor) : search_(search), evictor_(evictor) {
  list_of_.assign(search.world().queues.size(), kNothing);
  pruned_.assign(list_of_.size(), false);
  on_path_.assign(list_of_.size(), false);
  shares_.resize(list_of_.size());
  current_.assign(list_of_.size(), false);
  living_.resize(list_of_.size());
  for (Queue q = evictor; q != kNothing; q = search.world().tree.parent(q)) on_path_[q] = true;
}

void GivingOrder::Add(Queue queue, Candidates candidates) {
  list_of_[queue] = static_cast<uint32_t>(lists_.size());
  lists_.push_back(std::move(candidates));
}

WorkloadIndex GivingOrder::Pop(Queue queue) {
  const WorkloadIndex w = Front(queue);
  lists_[list_of_[queue]].Next();
  const QuotaTree& tree = search_.world().tree;
  for (Queue q = queue; q != kNothing; q = tree.parent(q)) current_[q] = false;
  return w;
}

const Share& GivingOrder::ShareOf(Queue node) {
  if (!current_[node]) shares_[node] = search_.shares().Of(node);
  current_[node] = true;
  return shares_[node];
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
  std::vector<Queue>& living = living_[cohort];
  if (living.empty()) {
    const auto children = world.tree.children(cohort);
    living.assign(children.begin(), children.end());
  }
  Queue queue = kNothing, below = kNothing;
  size_t kept = 0;
  for (const Queue child : living) {
    if (pruned_[child]) continue;
    const Share& share = ShareOf(child);
    const bool is_cohort = world.queues[child].is_cohort;
    if ((!share.borrowing && !on_path_[child]) || (!is_cohort && !Has(child))) {
      pruned_[child] = true;
      continue;
    }
    living[kept++] = child;
    if (is_cohort) {
      if (below != kNothing && Compare(share, shares_[below]) < 0) continue;
      below = child;
    } else {
      const int order = queue == kNothing ? 1 : Compare(share, shares_[queue]);
      if (order < 0 ||
          (order == 0 && !CandidateBefore(world, evictor_, Front(child), Front(queue)))) {
        continue;
      }
      queue = child;
    }
  }
  living.resize(kept);
  if (queue == kNothing && below == kNothing) {
    pruned_[cohort] = true;
    return kNothing;
  }
  if (below != kNothing && (queue == kNothing || Compare(shares_[below], shares_[queue]) >= 0)) {
    return NextBelow(below);
  }
  return queue;
}

}  // namespace muster::kueue
