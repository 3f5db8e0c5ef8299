// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The gates that keep a job of KAI Scheduler out of a full queue, with the peer's own words.
//
//   const KaiGate gate = KaiJobOverCapacity(tree, leaf, /*preemptible=*/true, requested);
//   if (!gate.open()) log(KaiGateReason(gate), KaiGateMessage(tree, gate, requested));
//
// Idea. Two rules, from the queue up to its top:
//   limit   max_allowed >= allocated + requested, in each resource that is requested
//   quota   deserved >= allocated_not_preemptible + requested, for jobs that cannot be preempted
// The first queue and resource (cpu, memory, GPU) that fails is the answer. All queues are checked
// by limit before any is by quota.
//
// Peer. A resource of which nothing is requested is not checked, however far above its limit the
// queue is. Requests in MiB of GPU memory count as a part of the cluster's largest device before a
// node is known, and of the node's device on a node, there rounded up to hundredths.
//
// Cost. O(depth).
#ifndef MUSTER_PEER_KAI_CAPACITY_GATE_H_
#define MUSTER_PEER_KAI_CAPACITY_GATE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "lib/peer/kai/queue_tree.h"

namespace muster {

struct KaiGate {
  enum class Rule : uint8_t { kNone, kOverLimit, kNonPreemptibleOverQuota };
  Rule rule = Rule::kNone;
  uint32_t queue = kKaiNone;  // that is full
  size_t resource = 0;        // of which
  bool open() const { return rule == Rule::kNone; }
};

KaiGate KaiOverLimit(const KaiQueueTree& tree, uint32_t queue, const KaiAmounts& requested);
// Open for jobs that can be preempted.
KaiGate KaiOverQuota(const KaiQueueTree& tree, uint32_t queue, bool preemptible,
                     const KaiAmounts& requested);
// Both, limits first.
KaiGate KaiJobOverCapacity(const KaiQueueTree& tree, uint32_t queue, bool preemptible,
                           const KaiAmounts& requested);

// "OverLimit", "NonPreemptibleOverQuota" or "".
std::string_view KaiGateReason(const KaiGate& gate);
// The peer's sentence with the numbers behind it; empty for an open gate.
std::string KaiGateMessage(const KaiQueueTree& tree, const KaiGate& gate,
                           const KaiAmounts& requested);

// Returns `value / unit` with up to three digits after the point, cut off, and "Unlimited" for -1.
std::string KaiHumanized(double value, double unit);

}  // namespace muster

#endif  // MUSTER_PEER_KAI_CAPACITY_GATE_H_
