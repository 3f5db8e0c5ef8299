// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The answer to a question that may be refused, with the cause of a refusal.
//
//   if (held + request > limit) return Verdict::No(Cause::kLimit, dimension);
//   return Verdict::Yes();
//
// A verdict is a plain value of a few words. `binding` is a view: it must outlive the cycle, as names in the cluster do.
// The dispatcher fills in `policy`; a policy leaves it empty.
#ifndef MUSTER_POLICY_VERDICT_H_
#define MUSTER_POLICY_VERDICT_H_

#include <cstdint>
#include <string_view>

#include "muster/types.h"

namespace muster {

// kAbstain: the policy has no opinion, and the answer of the others stands.
enum class Vote : int8_t { kReject = -1, kAbstain = 0, kPermit = 1 };

// What a refusal rests on.
enum class Cause : uint8_t {
  kLimit,     // a limit of the queue, or of a queue above it
  kDeserved,  // the amount that the queue deserves of the cluster
  kClosed,    // the queue is closed
  kTree,      // the queues form no tree that the policy can divide
};

struct Verdict {
  Vote vote = Vote::kPermit;
  Cause cause = Cause::kLimit;
  DimensionIndex dimension = kNone;
  // The queue that refuses, if it is another than the task's own; kNone otherwise.
  QueueIndex queue = kNone;
  // The namespace binding that refuses, by name; empty otherwise.
  std::string_view binding = {};
  std::string_view policy = {};

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
