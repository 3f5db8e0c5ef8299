// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The minimum and the maximum follow Go's: no amount is a NaN, so std::min and std::max agree.
#include "lib/peer/kai/queue_tree.h"

#include <algorithm>
#include <utility>

namespace muster {

double KaiShare::allocatable() const {
  if (deserved == kKaiUnlimited) return max_allowed;
  const double most = std::max(deserved, fair_share);
  return max_allowed == kKaiUnlimited ? most : std::min(max_allowed, most);
}

uint32_t KaiQueueTree::Add(KaiQueue queue) {
  const auto index = static_cast<uint32_t>(queues.size());
  std::vector<uint32_t>& siblings = queue.parent == kKaiNone ? tops : queues[queue.parent].children;
  if (queue.parent != kKaiNone && siblings.empty()) inner.push_back(queue.parent);
  siblings.push_back(index);
  rank.push_back({queue.priority, queue.created});
  queues.push_back(std::move(queue));
  share.emplace_back();
  charges.push_back(0);
  return index;
}

void KaiQueueTree::Charge(uint32_t queue, const KaiAmounts& amounts, bool preemptible) {
  ++revision;
  for (; queue != kKaiNone; queue = queues[queue].parent) {
    ++charges[queue];
    for (size_t r = 0; r < kKaiResources; ++r) {
      share[queue][r].allocated += amounts[r];
      if (!preemptible) share[queue][r].allocated_not_preemptible += amounts[r];
    }
  }
}

void KaiQueueTree::Discharge(uint32_t queue, const KaiAmounts& amounts, bool preemptible) {
  Charge(queue, {-amounts[0], -amounts[1], -amounts[2]}, preemptible);
}

bool KaiQueueTree::FollowCharges(const KaiQueueTree& other) {
  if (std::exchange(revision, other.revision) == other.revision) return false;
  for (size_t q = 0; q < share.size(); ++q) {
    if (std::exchange(charges[q], other.charges[q]) == other.charges[q]) continue;
    share[q] = other.share[q];
  }
  return true;
}

void KaiQueueTree::Request(uint32_t queue, const KaiAmounts& amounts) {
  for (; queue != kKaiNone; queue = queues[queue].parent) {
    for (size_t r = 0; r < kKaiResources; ++r) share[queue][r].request += amounts[r];
  }
}

std::vector<uint32_t> KaiQueueTree::PathTo(uint32_t queue) const {
  std::vector<uint32_t> path;
  for (; queue != kKaiNone; queue = queues[queue].parent) path.push_back(queue);
  std::reverse(path.begin(), path.end());
  return path;
}

std::pair<uint32_t, uint32_t> KaiQueueTree::Leveled(uint32_t left, uint32_t right) const {
  const auto depth = [this](uint32_t queue) {
    size_t steps = 0;
    for (; queue != kKaiNone; queue = queues[queue].parent) ++steps;
    return steps;
  };
  size_t left_depth = depth(left), right_depth = depth(right);
  for (; left_depth > right_depth; --left_depth) left = queues[left].parent;
  for (; right_depth > left_depth; --right_depth) right = queues[right].parent;
  while (left != right && queues[left].parent != queues[right].parent) {
    left = queues[left].parent;
    right = queues[right].parent;
  }
  return {left, right};
}

int CompareKaiAmount(double left, double right) {
  if (left == kKaiUnlimited) return right == kKaiUnlimited ? 0 : 1;
  if (right == kKaiUnlimited) return -1;
  return left > right ? 1 : left < right ? -1 : 0;
}

bool WithinKaiAmounts(const KaiAmounts& left, const KaiAmounts& right) {
  for (size_t r = 0; r < kKaiResources; ++r) {
    if (CompareKaiAmount(left[r], right[r]) > 0) return false;
  }
  return true;
}

KaiAmounts AddedKaiAmounts(const KaiAmounts& left, const KaiAmounts& right) {
  return {left[0] + right[0], left[1] + right[1], left[2] + right[2]};
}

}  // namespace muster
