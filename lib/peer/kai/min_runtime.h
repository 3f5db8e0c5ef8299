// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Minimum run times of KAI Scheduler: how long a job is safe once it has started.
//
//   const int64_t safe = KaiReclaimMinRuntime(tree, KaiResolve::kCommonAncestor, a, b, default);
//   if (KaiIsProtected(started, now, safe)) ...
//
// Idea. Queues may set two times, one against preemption within the queue and one against reclaim
// by other queues. The first is that of the nearest queue that sets it, from the victim's leaf up.
// For the second, the walk starts where the victim's path leaves the reclaimer's: what a subtree
// promises its members does not bind the members among themselves. With method kQueue it starts at
// the leaf.
//
// Peer. Where the tops differ, only the victim's top queue is asked. Where one queue lies above the
// other, the walk starts at the child of the upper one on the victim's path, if there is one.
// An elastic job is always a candidate. While it is protected, its victims must leave each pod set
// at its minimum, counted over all tasks that use something.
//
// Cost. O(depth).
#ifndef MUSTER_PEER_KAI_MIN_RUNTIME_H_
#define MUSTER_PEER_KAI_MIN_RUNTIME_H_

#include <cstdint>
#include <optional>
#include <span>

#include "lib/peer/kai/queue_tree.h"

namespace muster {

enum class KaiResolve : uint8_t { kCommonAncestor, kQueue };

// In nanoseconds. `unset` is the time where no queue sets one.
int64_t KaiPreemptMinRuntime(const KaiQueueTree& tree, uint32_t victim, int64_t unset);
int64_t KaiReclaimMinRuntime(const KaiQueueTree& tree, KaiResolve method, uint32_t reclaimer,
                             uint32_t victim, int64_t unset);

// `started`: when the gang was first complete; unset: never, and then nothing protects it.
bool KaiIsProtected(std::optional<int64_t> started, int64_t now, int64_t min_runtime);

// What a protected elastic job would lose of a pod set.
struct KaiElasticLoss {
  int64_t min_available = 0;
  int64_t active_used = 0;  // tasks that use something now
  int64_t victims = 0;
};
// Returns whether each of these pod sets keeps its minimum.
bool KaiKeepsMinimum(std::span<const KaiElasticLoss> losses);

}  // namespace muster

#endif  // MUSTER_PEER_KAI_MIN_RUNTIME_H_
