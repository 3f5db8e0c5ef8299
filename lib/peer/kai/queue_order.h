// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Which of two queues KAI Scheduler turns to first.
//
//   const KaiAmounts job = {1000, 1e9, 1};                    // of its next tasks
//   CompareKaiQueues(tree, {.queue = a, .job = &job}, {.queue = b}, total);   // -1: a, 1: b
//
// Idea. A queue is judged together with its best job, and without the victims that were already
// taken from it. The first rule that tells the two apart decides:
//   1. A queue that is above its fair share in every resource goes last.
//   2. A queue that stays within its quota with the job goes first.
//   3. The higher priority goes first.
//   4. A queue that would use a resource of which it may hold nothing goes last.
//   5. The smaller dominant share with the job and without the victims goes first.
//   6. The smaller dominant share as it is goes first.
//   7. The smaller allocatable share goes first.
//   8. The older queue goes first; else the right one.
// A dominant share is the largest allocated / allocatable of a resource. Of a resource without
// limit the cluster's total stands below the line. Nothing allocatable counts a thousandfold.
//
// Peer. Rule 1 is strict in *all* resources: a queue that overuses only GPUs and holds no cpu does
// not count. No order in the strict sense: of two queues of equal age each call answers "right".
//
// Cost. O(resources + victims) to judge a queue, O(1) to compare two judged ones; no allocation.
#ifndef MUSTER_PEER_KAI_QUEUE_ORDER_H_
#define MUSTER_PEER_KAI_QUEUE_ORDER_H_

#include <cstdint>
#include <span>

#include "lib/peer/kai/queue_tree.h"

namespace muster {

struct KaiQueueSide {
  uint32_t queue = 0;
  const KaiAmounts* job = nullptr;           // null: the queue has no job
  std::span<const KaiAmounts> victims = {};  // what each victim job of the queue holds, in order
};

// What the rules ask of a queue.
struct KaiQueueStanding {
  bool overused = false, beyond_quota = false, uses_forbidden = false;
  int64_t priority = 0, created = 0;
  double share_then = 0;  // with the job and without the victims
  double share = 0;
  KaiAmounts allocatable = {};
};
KaiQueueStanding JudgeKaiQueue(const KaiQueueTree& tree, const KaiQueueSide& side,
                               const KaiAmounts& total);

// -1: the left one goes first; 1: the right one.
int CompareKaiStandings(const KaiQueueStanding& left, const KaiQueueStanding& right);
int CompareKaiQueues(const KaiQueueTree& tree, const KaiQueueSide& left, const KaiQueueSide& right,
                     const KaiAmounts& total);

// Returns the largest allocated / allocatable of `allocated`, for the limits of these shares.
double KaiDominantShare(const KaiShares& shares, const KaiAmounts& allocated,
                        const KaiAmounts& total);

}  // namespace muster

#endif  // MUSTER_PEER_KAI_QUEUE_ORDER_H_
