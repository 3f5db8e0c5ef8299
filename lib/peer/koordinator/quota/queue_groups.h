// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Queues as groups of an elastic quota tree.
//
//   for (QueueIndex q : QueuesFromTheTop(tables.queues)) tree.Put(GroupOfQueue(tables, q));
//
// A queue's minimum is `guaranteed`, its maximum `limit`. A dimension that the limit does not name
// is limited as the peer's default group is, by a fifth of the largest number. The shared weight is
// the queue's weight, in every dimension. Pods are no resource of quotas.
#ifndef MUSTER_PEER_KOORDINATOR_QUOTA_QUEUE_GROUPS_H_
#define MUSTER_PEER_KOORDINATOR_QUOTA_QUEUE_GROUPS_H_

#include <cstdint>
#include <limits>
#include <span>

#include "lib/model/tables.h"
#include "lib/peer/koordinator/quota/elastic_tree.h"

namespace muster {

inline constexpr int64_t kUnlimitedQuota = std::numeric_limits<int64_t>::max() / 5;

// Returns the amounts of a row that are not absent, by name, without pods.
NamedAmounts QuotaAmounts(const Tables& tables, std::span<const int64_t> row);

QuotaGroup GroupOfQueue(const Tables& tables, QueueIndex q);

}  // namespace muster

#endif  // MUSTER_PEER_KOORDINATOR_QUOTA_QUEUE_GROUPS_H_
