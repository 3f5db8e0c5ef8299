// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The orders of queues below a parent and of applications in a leaf.
//
// Both are kept between calls. Two rules of the peer are no orders, and then the peer's comparisons
// are made one by one: of queues with equal priority and share, the one with more pending of every
// type is first, which leaves many pairs without an order; and a share for which a fair limit
// counts is computed with the limit of the sibling that had the place in the list before sorting.
#include <algorithm>
#include <utility>

#include "lib/peer/yunikorn/partition.h"
#include "lib/peer/yunikorn/shares.h"
#include "lib/peer/yunikorn/stable_sort.h"

namespace muster::yunikorn {
namespace {

int Sign(double left, double right) { return left < right ? -1 : left > right ? 1 : 0; }

// -1: `left` has more pending of some types and less of none.
int ComparePending(const Resource& left, const Resource& right) {
  bool more = false, less = false;
  for (int type : Types(left.bits() | right.bits())) {
    more |= left.Get(type) > right.Get(type);
    less |= left.Get(type) < right.Get(type);
  }
  if (more && less) return KeptOrder::kMixed;
  return more ? -1 : less ? 1 : 0;
}

}  // namespace

// --- queues

const Resource& Partition::FairMaxOf(Index queue) {
  if (fair_max_epoch_[queue] != epoch_) {
    fair_max_[queue] = FairMax(queue);
    fair_max_epoch_[queue] = epoch_;
  }
  return fair_max_[queue];
}

double Partition::ShareOfQueue(Index index) {
  Queue& queue = queues[index];
  if (queue.share_epoch != epoch_) {
    queue.share = FairShare(queue.allocated, queue.guaranteed, FairMaxOf(index));
    queue.share_epoch = epoch_;
  }
  return queue.share;
}

bool Partition::ShareNeedsFairMax(Index queue) {
  return (queues[queue].allocated.bits() & ~queues[queue].guaranteed.bits()) != 0;
}

int Partition::CompareQueues(const Queue& parent, Index left, Index right) {
  const int share = Sign(ShareOfQueue(left), ShareOfQueue(right));
  const int32_t of_left = ExportedPriority(left), of_right = ExportedPriority(right);
  const int priority = of_left > of_right ? -1 : of_left < of_right ? 1 : 0;
  const int first = parent.rules.sort_by_priority ? priority : share;
  if (first != 0) return first;
  const int second = parent.rules.sort_by_priority ? share : priority;
  if (second != 0) return second;
  const int pending = ComparePending(queues[left].pending, queues[right].pending);
  if (pending != 0) return pending;
  return queues[left].name < queues[right].name ? -1 : 1;
}

// Sorts as the peer does. Returns false if the result depends on its comparisons of places.
bool Partition::SortChildren(Index parent, std::vector<Index>& items) {
  std::vector<const Resource*> fair;
  bool own_limits = false, needed = false;
  for (Index child : queues[parent].children) {
    const Queue& queue = queues[child];
    if (queue.state == QueueState::kStopped || !queue.has_pending) continue;
    items.push_back(child);
    own_limits |= !queue.most.empty();
    needed |= ShareNeedsFairMax(child);
  }
  const bool by_place = own_limits && needed;
  if (by_place) {
    for (Index child : items) fair.push_back(&FairMaxOf(child));
  }
  const auto share = [&](size_t at) {
    const Queue& queue = queues[items[at]];
    if (!by_place) return ShareOfQueue(items[at]);
    return FairShare(queue.allocated, queue.guaranteed, *fair[at]);
  };
  const bool by_priority = queues[parent].rules.sort_by_priority;
  GoStableSort(items, [&](size_t i, size_t j) {
    const int32_t left = ExportedPriority(items[i]), right = ExportedPriority(items[j]);
    if (by_priority && left != right) return left > right;
    const int order = Sign(share(i), share(j));
    if (order != 0) return order < 0;
    if (left != right) return left > right;
    return ComparePending(queues[items[i]].pending, queues[items[j]].pending) == -1;
  });
  return !by_place;
}

const std::vector<Index>& Partition::ChildrenInOrder(Index parent) {
  KeptOrder& order = child_orders_[parent];
  if (std::exchange(order_epoch_[parent], epoch_) != epoch_) {
    order.Invalidate();
    children_have_limits_[parent] = std::ranges::any_of(
        queues[parent].children, [&](Index child) { return !queues[child].most.empty(); });
  }
  const bool limits_differ = children_have_limits_[parent] != 0;
  const auto belongs = [&](Index child) {
    return queues[child].state != QueueState::kStopped && queues[child].has_pending;
  };
  const auto compare = [&](Index left, Index right) {
    if (limits_differ && (ShareNeedsFairMax(left) || ShareNeedsFairMax(right))) {
      return KeptOrder::kMixed;
    }
    return left == right ? 0 : CompareQueues(queues[parent], left, right);
  };
  order.Refresh(belongs, compare,
                [&](std::vector<Index>& items) { return SortChildren(parent, items); });
  return order.items();
}

std::vector<Index> Partition::SortedQueues(Index parent) {
  if (queues[parent].leaf) return {};
  return ChildrenInOrder(parent);
}

// --- applications

int Partition::CompareApplications(const Queue& leaf, Index left, Index right) const {
  const Application& l = applications[left];
  const Application& r = applications[right];
  const int priority = l.priority > r.priority ? -1 : l.priority < r.priority ? 1 : 0;
  if (leaf.rules.sort_by_priority && priority != 0) return priority;
  if (leaf.rules.sort == SortPolicy::kFair) {
    const int usage = CompareUsage(l.allocated, r.allocated, leaf.guaranteed);
    if (usage != 0) return usage;
  } else if (leaf.rules.sort == SortPolicy::kFifo && l.submission_time != r.submission_time) {
    return l.submission_time < r.submission_time ? -1 : 1;
  }
  return leaf.rules.sort == SortPolicy::kUndefined ? 0 : priority;
}

bool Partition::SortLeaf(Index leaf, std::vector<Index>& items) {
  bool negative = false;
  for (Index application : queues[leaf].applications) {
    if (!AboveZero(applications[application].pending)) continue;
    items.push_back(application);
    negative |= HasNegative(applications[application].allocated);
  }
  const Queue& queue = queues[leaf];
  if (queue.rules.sort == SortPolicy::kUndefined) return false;
  GoStableSort(items, [&](size_t i, size_t j) {
    return CompareApplications(queue, items[i], items[j]) < 0;
  });
  return !negative;  // usage with negative shares is no order
}

const std::vector<Index>& Partition::ApplicationsInOrder(Index leaf) {
  const Queue& queue = queues[leaf];
  // The number of one that left may be that of one in another queue.
  const auto belongs = [&](Index application) {
    const Application& app = applications[application];
    return app.in_queue && app.queue == leaf && AboveZero(app.pending);
  };
  const auto compare = [&](Index left, Index right) {
    if (HasNegative(applications[right].allocated)) return KeptOrder::kMixed;
    if (left == right) return 0;
    const int order = CompareApplications(queue, left, right);
    if (order != 0) return order;
    return applications[left].id < applications[right].id ? -1 : 1;
  };
  KeptOrder& order = application_orders_[leaf];
  order.Refresh(belongs, compare, [&](std::vector<Index>& items) { return SortLeaf(leaf, items); });
  return order.items();
}

std::vector<Index> Partition::SortedApplications(Index leaf, bool with_placeholders) {
  if (!queues[leaf].leaf) return {};
  std::vector<Index> sorted = ApplicationsInOrder(leaf);
  if (with_placeholders) {
    std::erase_if(sorted, [&](Index app) { return !applications[app].has_placeholders; });
  }
  return sorted;
}

}  // namespace muster::yunikorn
