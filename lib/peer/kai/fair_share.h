// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Fair share of KAI Scheduler: how a level of queues divides what their parent may have.
//
//   std::vector<uint32_t> siblings = {a, b};   // ascending UID
//   DivideKaiResource(kKaiGpu, 11, /*k=*/0, siblings, &tree);   // the rest
//   SetKaiFairShares(total, /*k=*/1, &tree);   // all levels: children divide their parent's share
//
// Idea. Each resource is divided alone, in three phases:
//   1. Every queue gets its quota, at most its request and its limit. Quotas that together exceed
//      the total are granted all the same; nothing is left then.
//   2. What is left is divided by weight, priority by priority, in rounds: a queue that misses
//      at most its part gets what it misses, any other gets its part rounded down. Rounds repeat as
//      long as a queue gave some of its part back.
//   3. What rounding left goes out one by one, the largest remainder first.
// With k above 0 a weight counts less for a queue that used much before:
// w' = max(0, w + k * (w - usage)), with w and usage as parts of 1.
//
// Peer. What surprises:
//   - A limit below 0 other than -1 makes the first phase take away.
//   - A remainder is kept from an earlier round if the queue's part is a whole number later.
//   - Phase 3 may give a whole unit for a missing fraction: shares may exceed the request.
//   - A negative weight is taken as it is, but no part is negative. A round without any weight ends
//     the phase.
//
// Ties. Equal remainders: the older queue, then the smaller UID (place in the list). Sums run in
// the order of the list.
//
// Cost. O(n) a round over the queues that still miss something, and O(n) for the last phase, which
// selects instead of sorting. 10,000 queues: bench row peer/kai/division/10000.
#ifndef MUSTER_PEER_KAI_FAIR_SHARE_H_
#define MUSTER_PEER_KAI_FAIR_SHARE_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "lib/peer/kai/queue_tree.h"

namespace muster {

// All phases of one resource among `queues`. Adds to their fair shares, and returns what is left.
double DivideKaiResource(size_t resource, double total, double k, std::span<const uint32_t> queues,
                         KaiQueueTree* tree);

// Phases 2 and 3 alone.
double DivideKaiOverQuota(size_t resource, double total, double k, std::span<const uint32_t> queues,
                          KaiQueueTree* tree);

// All resources of one level.
void DivideKaiLevel(const KaiAmounts& total, double k, std::span<const uint32_t> queues,
                    KaiQueueTree* tree);

// Sets all fair shares, from the top down; those that were there are forgotten.
void SetKaiFairShares(const KaiAmounts& total, double k, KaiQueueTree* tree);

}  // namespace muster

#endif  // MUSTER_PEER_KAI_FAIR_SHARE_H_
