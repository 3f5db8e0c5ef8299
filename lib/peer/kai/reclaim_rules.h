// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// When a queue of KAI Scheduler may reclaim from other queues, and when a set of victims is fair.
//
//   const KaiReclaimer reclaimer = {.queue = a, .preemptible = true,
//       .request = KaiChunkOf({0, 0, 1}, 1)};
//   KaiCanReclaim(tree, reclaimer);                       // may it try at all?
//   KaiMayBeVictim(tree, reclaimer, victim_queue);        // could its jobs ever be victims?
//   KaiReclaimIsFair(tree, reclaimer, victims, /*multiplier=*/1);
//
// Idea. The gate: with the job, the leaf queue stays within its fair share, and what cannot be
// preempted within its quota. Victims are chunks of resources, subtracted one after the other.
// Before each, reclaimer and victim are compared at the level where their paths part. The chunk may
// go if the victim's queue is still above its allocatable share, or if the reclaimer's queue stays
// within its quota and the victim's is still above its own. Afterwards, at every level of the
// reclaimer's path, no sibling that lost something may be left fuller than the reclaimer:
//   refused if ratio(reclaimer) > 1 and ratio(reclaimer) * multiplier >= ratio(sibling),
// with ratio = allocated / fair share, for each resource that either of the two asks for or lost.
//
// Peer. A sibling with a fair share of 0 or without limit never refuses. MIG slices count as GPUs
// in amounts but do not make GPUs an involved resource (`involved`). KaiMayBeVictim looks at the
// resources in order and accepts at the first one above quota, even if an earlier one is below.
//
// Ties. `victims` come in ascending UID of their queues: the order of subtraction shows where two
// queues below one level lose something.
//
// Cost. O(chunks * depth + siblings).
#ifndef MUSTER_PEER_KAI_RECLAIM_RULES_H_
#define MUSTER_PEER_KAI_RECLAIM_RULES_H_

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "lib/peer/kai/queue_tree.h"

namespace muster {

// Resources that go together: those of a job's next tasks, or of victims that leave at once.
struct KaiChunk {
  KaiAmounts amounts = {};
  std::array<bool, kKaiResources> involved = {};  // by default none; see KaiChunkOf
};
// Returns the chunk with each resource involved of which there is some; `whole_gpus` is the GPU
// amount without MIG slices.
KaiChunk KaiChunkOf(const KaiAmounts& amounts, double whole_gpus);

struct KaiReclaimer {
  uint32_t queue = 0;
  bool preemptible = true;
  KaiChunk request = {};
};

struct KaiVictims {
  uint32_t queue = 0;  // a leaf
  std::vector<KaiChunk> chunks = {};
};

bool KaiCanReclaim(const KaiQueueTree& tree, const KaiReclaimer& reclaimer);
bool KaiMayBeVictim(const KaiQueueTree& tree, const KaiReclaimer& reclaimer, uint32_t victim_queue);
// Returns whether a victim of the queue may go, taken as the first one below the level where the
// paths of the two queues part. `tree` holds the accounts from before the first eviction. Those
// that follow may not go if the first one may not.
bool KaiMayGo(const KaiQueueTree& tree, const KaiReclaimer& reclaimer, uint32_t victim_queue);
// Returns whether some queue holds more than it deserves, or than its share; else none may go.
bool KaiMaySomeGo(const KaiQueueTree& tree);
// `tree` holds the accounts from before the first eviction.
bool KaiReclaimIsFair(const KaiQueueTree& tree, const KaiReclaimer& reclaimer,
                      std::span<const KaiVictims> victims, double multiplier);

// The two strategies by which a chunk may go. `victim` and `reclaimer` are shares of the queues
// where the paths part, `remaining` what the victim's queue still holds.
bool KaiMaintainsFairShare(const KaiShares& victim, const KaiAmounts& remaining);
bool KaiGuaranteesDeserved(const KaiShares& reclaimer, const KaiAmounts& requested,
                           const KaiShares& victim, const KaiAmounts& remaining);

}  // namespace muster

#endif  // MUSTER_PEER_KAI_RECLAIM_RULES_H_
