// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The answer to a question that may be refused, with the cause of a refusal.
//
//   bool fits = held + request <= limit;
//   muster::Verdict verdict = fits ? muster::Verdict::Yes()
//                                  : muster::Verdict::No(muster::Cause::kLimit, muster::kCpu);
//   if (!verdict.ok()) Report(verdict.dimension);
//
// Promise. A verdict is a plain value of a few words. Plans show the cause of a refusal as the
// Reason of the tasks that wait for it.
// Failure. None.
// Ownership. `binding` and `policy` are views. `binding` must outlive the cycle, as names in the
// cluster do. The dispatcher sets `policy` to the name of the policy that answered; a policy leaves
// it empty.
// Threads. Like any value.
// Cost. O(1); no text is made before a plan is printed.
#ifndef MUSTER_POLICY_VERDICT_H_
#define MUSTER_POLICY_VERDICT_H_

#include <cstdint>
#include <string_view>

#include "muster/types.h"

namespace muster {

// An answer. kAbstain: the policy has no opinion, and the answer of the others stands.
enum class Vote : int8_t { kReject = -1, kAbstain = 0, kPermit = 1 };

// What a refusal rests on, and the reason that plans show for it.
enum class Cause : uint8_t {
  // A limit of the queue, or of a queue above it.
  kLimit,
  // The amount that the queue deserves of the cluster.
  kDeserved,
  // The queue is closed.
  kClosed,
  // The queues form no tree that the policy can divide.
  kTree,
  // What the queue, or a queue above it, may spend.
  kSpending,
};

// An answer with its cause. The default permits.
struct Verdict {
  Vote vote = Vote::kPermit;
  // Of a refusal only: what it rests on, and in which dimension; kNone: in no particular one.
  Cause cause = Cause::kLimit;
  DimensionIndex dimension = kNone;
  // The queue that refuses, if it is another than the task's own; kNone otherwise.
  QueueIndex queue = kNone;
  // The namespace binding that refuses, by name. kSpending: the numbers, in words. Empty otherwise.
  std::string_view binding = {};
  // Set by the dispatcher.
  std::string_view policy = {};

  // Permits, abstains, refuses.
  static Verdict Yes() { return {}; }
  static Verdict Abstain() { return {.vote = Vote::kAbstain}; }
  static Verdict No(Cause cause = Cause::kLimit, DimensionIndex dimension = kNone,
                    QueueIndex queue = kNone) {
    return {.vote = Vote::kReject, .cause = cause, .dimension = dimension, .queue = queue};
  }

  // Returns true unless the policy refuses.
  bool ok() const { return vote != Vote::kReject; }
};

}  // namespace muster

#endif  // MUSTER_POLICY_VERDICT_H_
