// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Queues as groups of an elastic quota tree.
//
//   for (QueueIndex q : QueuesFromTheTop(tables.queues)) tree.Put(GroupOfQueue(tables, q));
//
// A queue's minimum is `guaranteed`, its maximum `limit`. A dimension that the limit does not name
// is limited as the peer's default group is, by a fifth of the largest number. Pods are no resource
// of quotas. The shared weight is the queue's weight, in every dimension, or what a setting has:
//
//   koordinator/shared-weight    "cpu=100,nvidia.com/gpu=6": other dimensions have none
#ifndef MUSTER_PEER_KOORDINATOR_QUOTA_QUEUE_GROUPS_H_
#define MUSTER_PEER_KOORDINATOR_QUOTA_QUEUE_GROUPS_H_

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string_view>

#include "lib/model/tables.h"
#include "lib/peer/koordinator/quota/elastic_tree.h"

namespace muster {

inline constexpr int64_t kUnlimitedQuota = std::numeric_limits<int64_t>::max() / 5;

// Returns the amounts of a row that are not absent, by name, without pods.
NamedAmounts QuotaAmounts(const Tables& tables, std::span<const int64_t> row);

inline constexpr std::string_view kSharedWeightKey = "shared-weight";

// Returns the weights of the text; nothing where it is no list of resources with amounts, each
// resource once.
std::optional<NamedAmounts> ReadSharedWeight(std::string_view text);
// Returns the setting; empty where the queue has none.
std::string_view SharedWeightText(const QueueSpec& queue);

QuotaGroup GroupOfQueue(const Tables& tables, QueueIndex q);

}  // namespace muster

#endif  // MUSTER_PEER_KOORDINATOR_QUOTA_QUEUE_GROUPS_H_
