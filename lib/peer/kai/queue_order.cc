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

int SmallerAllocatable(const KaiAmounts& left, const KaiAmounts& right) {
  if (left == right) return 0;
  const bool left_within = WithinKaiAmounts(left, right);
  const bool right_within = WithinKaiAmounts(right, left);
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

KaiQueueStanding JudgeKaiQueue(const KaiQueueTree& tree, const KaiQueueSide& side,
                               const KaiAmounts& total) {
  const JudgedQueue judged = Judged(tree, side);
  const KaiQueue& queue = tree.queues[side.queue];
  return {.overused = IsOverused(judged),
          .beyond_quota = !StaysWithinQuota(judged),
          .uses_forbidden = UsesForbidden(judged),
          .priority = queue.priority,
          .created = queue.created,
          .share_then = ShareWithJob(judged, total),
          .share = KaiDominantShare(judged.shares, judged.allocated, total),
          .allocatable = {judged.shares[0].allocatable(), judged.shares[1].allocatable(),
                          judged.shares[2].allocatable()}};
}

int CompareKaiStandings(const KaiQueueStanding& left, const KaiQueueStanding& right) {
  if (const int by = Prefer(!left.overused, !right.overused)) return by;
  if (const int by = Prefer(!left.beyond_quota, !right.beyond_quota)) return by;
  if (left.priority != right.priority) return left.priority > right.priority ? -1 : 1;
  if (const int by = Prefer(!left.uses_forbidden, !right.uses_forbidden)) return by;
  if (const int by = Smaller(left.share_then, right.share_then)) return by;
  if (const int by = Smaller(left.share, right.share)) return by;
  if (const int by = SmallerAllocatable(left.allocatable, right.allocatable)) return by;
  return left.created < right.created ? -1 : 1;
}

int CompareKaiQueues(const KaiQueueTree& tree, const KaiQueueSide& left, const KaiQueueSide& right,
                     const KaiAmounts& total) {
  return CompareKaiStandings(JudgeKaiQueue(tree, left, total), JudgeKaiQueue(tree, right, total));
}

}  // namespace muster
