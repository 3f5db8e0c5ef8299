// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Sums run as the peer's do: the job is added first, then the victims are subtracted one by one.
#include "lib/peer/kai/queue_order.h"

#include <algorithm>

namespace muster {
namespace {

// What a multiple of nothing allocatable counts.
constexpr double kNothingAllocatable = 1000;

struct JudgedQueue {
  const KaiShares& shares;
  KaiAmounts allocated, with_job;
  std::span<const KaiAmounts> victims;
};

JudgedQueue Judged(const KaiQueueTree& tree, const KaiQueueSide& side) {
  const KaiAmounts allocated = tree.allocated(side.queue);
  static constexpr KaiAmounts kNothing = {};
  return {tree.share[side.queue], allocated,
          AddedKaiAmounts(allocated, side.job != nullptr ? *side.job : kNothing), side.victims};
}

bool IsOverused(const JudgedQueue& q) {
  for (size_t r = 0; r < kKaiResources; ++r) {
    if (q.shares[r].fair_share >= q.allocated[r]) return false;
  }
  return true;
}

bool StaysWithinQuota(const JudgedQueue& q) {
  for (size_t r = 0; r < kKaiResources; ++r) {
    if (CompareKaiAmount(q.with_job[r], q.shares[r].deserved) > 0) return false;
  }
  return true;
}

bool UsesForbidden(const JudgedQueue& q) {
  for (size_t r = 0; r < kKaiResources; ++r) {
    if (q.shares[r].allocatable() == 0 && q.with_job[r] > 0) return true;
  }
  return false;
}

double ShareWithJob(const JudgedQueue& q, const KaiAmounts& total) {
  KaiAmounts amounts = q.with_job;
  for (const KaiAmounts& victim : q.victims) {
    for (size_t r = 0; r < kKaiResources; ++r) amounts[r] -= victim[r];
  }
  return KaiDominantShare(q.shares, amounts, total);
}

// -1 where only the left one has the merit, 1 where only the right one has.
int Prefer(bool left, bool right) { return left == right ? 0 : left ? -1 : 1; }
int Smaller(double left, double right) { return left < right ? -1 : left > right ? 1 : 0; }

int SmallerAllocatable(const KaiShares& left, const KaiShares& right) {
  KaiAmounts l, r;
  for (size_t i = 0; i < kKaiResources; ++i) {
    l[i] = left[i].allocatable();
    r[i] = right[i].allocatable();
  }
  const bool left_within = WithinKaiAmounts(l, r), right_within = WithinKaiAmounts(r, l);
  return Prefer(left_within && !right_within, right_within && !left_within);
}

}  // namespace

double KaiDominantShare(const KaiShares& shares, const KaiAmounts& allocated,
                        const KaiAmounts& total) {
  double dominant = 0;
  for (size_t r = 0; r < kKaiResources; ++r) {
    double most = shares[r].allocatable();
    if (most == kKaiUnlimited) most = total[r];
    dominant =
        std::max(dominant, most == 0 ? allocated[r] * kNothingAllocatable : allocated[r] / most);
  }
  return dominant;
}

int CompareKaiQueues(const KaiQueueTree& tree, const KaiQueueSide& left_side,
                     const KaiQueueSide& right_side, const KaiAmounts& total) {
  const JudgedQueue left = Judged(tree, left_side), right = Judged(tree, right_side);
  if (const int by = Prefer(!IsOverused(left), !IsOverused(right))) return by;
  if (const int by = Prefer(StaysWithinQuota(left), StaysWithinQuota(right))) return by;
  const KaiQueue& l = tree.queues[left_side.queue];
  const KaiQueue& r = tree.queues[right_side.queue];
  if (l.priority != r.priority) return l.priority > r.priority ? -1 : 1;
  if (const int by = Prefer(!UsesForbidden(left), !UsesForbidden(right))) return by;
  if (const int by = Smaller(ShareWithJob(left, total), ShareWithJob(right, total))) return by;
  if (const int by = Smaller(KaiDominantShare(left.shares, left.allocated, total),
                             KaiDominantShare(right.shares, right.allocated, total))) {
    return by;
  }
  if (const int by = SmallerAllocatable(left.shares, right.shares)) return by;
  return l.created < r.created ? -1 : 1;
}

}  // namespace muster
