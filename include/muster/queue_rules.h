// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Rules of a queue beyond its weight and limits: quota by flavor, fair share, who may be evicted.
//
//   muster::QueueSpec queue{.name = "research", .parent = "cohort"};
//   queue.rules = muster::QueueRules{
//       .groups = {{.resources = {"cpu", "nvidia.com/gpu"},
//                   .flavors = {{.flavor = "reserved", .nominal = {{"cpu", 64}}},
//                               {.flavor = "spot", .nominal = {{"cpu", 0}},
//                                .borrow_limit = {{"cpu", 32}}}}}},
//       .preemption = {.within_queue = muster::VictimScope::kLowerPriority}};
//
// A queue that lends to others and borrows from them does so within the tree of its parent (at
// Kueue: its cohort). The rules are kept as a box: a queue without them costs a pointer. They are
// checked when the queue enters a Cluster.
#ifndef MUSTER_QUEUE_RULES_H_
#define MUSTER_QUEUE_RULES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "muster/shape.h"

namespace muster {

// How much of one flavor a queue may use. A resource that a list does not name has no such limit;
// one that `nominal` does not name has a quota of 0.
struct FlavorQuota {
  std::string flavor = {};  // not empty
  Resources nominal = {};
  Resources borrow_limit = {};  // most that it may use beyond `nominal`
  Resources lend_limit = {};    // most of `nominal` that others may use
  friend bool operator==(const FlavorQuota&, const FlavorQuota&) = default;
};

// Resources that a job gets from one flavor together, and the flavors in the order in which they
// are tried. A resource, and a flavor, is in one group of a queue at most.
struct ResourceGroup {
  std::vector<std::string> resources = {};
  std::vector<FlavorQuota> flavors = {};  // these name resources of the group only
  friend bool operator==(const ResourceGroup&, const ResourceGroup&) = default;
};

// Whether the search for a flavor ends at one that fits only by borrowing, or by preemption.
enum class FlavorSearch : uint8_t { kMayStop, kTryNext };
// What is better where no flavor fits without either.
enum class FlavorPreference : uint8_t { kBorrowing, kPreemption };

struct FlavorRules {
  FlavorSearch when_borrowing = FlavorSearch::kMayStop;
  FlavorSearch when_preempting = FlavorSearch::kTryNext;
  FlavorPreference preference = FlavorPreference::kBorrowing;
  friend bool operator==(const FlavorRules&, const FlavorRules&) = default;
};

// kStrictFifo: a job that does not fit holds up those behind it.
enum class QueueingStrategy : uint8_t { kBestEffortFifo, kStrictFifo };
// kHold: no more jobs are admitted. kHoldAndDrain: admitted jobs are evicted, too.
enum class StopPolicy : uint8_t { kNone, kHold, kHoldAndDrain };
// Which jobs may be evicted for a job of the queue.
enum class VictimScope : uint8_t { kNever, kLowerPriority, kLowerOrNewerEqualPriority, kAny };
// kFenced: jobs below the queue evict none outside. kDisabled: they evict none at all.
enum class PreemptionFence : uint8_t { kOpen, kFenced, kDisabled };

// Times are in seconds, 0 or more; absent: no such delay.
struct PreemptionRules {
  VictimScope within_queue = VictimScope::kNever;  // never, lower, or lower and newer equal
  // Of queues that borrow, for a job that stays within the nominal quota: never, lower, or any.
  VictimScope reclaim = VictimScope::kNever;
  // Of such queues, for a job that borrows itself: never, or lower.
  VictimScope while_borrowing = VictimScope::kNever;
  std::optional<int32_t> while_borrowing_most = {};  // highest priority of such a victim
  // How long a job of this queue runs before it may be evicted, within the queue and by others.
  std::optional<int64_t> preempt_min_runtime = {}, reclaim_min_runtime = {};
  PreemptionFence fence = PreemptionFence::kOpen;
  std::optional<int64_t> delay = {};        // of a job that waits before it may evict
  std::optional<int64_t> quota_delay = {};  // after a limit was lowered, before jobs are evicted
  friend bool operator==(const PreemptionRules&, const PreemptionRules&) = default;
};

// A check that jobs of the queue must pass beside the quota.
struct AdmissionCheck {
  std::string name = {};
  std::vector<std::string> flavors = {};  // that it concerns; empty: all
  friend bool operator==(const AdmissionCheck&, const AdmissionCheck&) = default;
};

// What a queue has of one partition (partition.h). Capacities are in percent of the parent's.
struct PartitionShare {
  std::string partition = {};  // empty: the nodes of no partition
  std::optional<Quantity> capacity = {}, max_capacity = {};
  std::optional<Quantity> weight = {};  // among its siblings, in place of `capacity`
  std::optional<Resources> guaranteed = {}, limit = {};  // amounts, in place of percent
  friend bool operator==(const PartitionShare&, const PartitionShare&) = default;
};

struct QueueRules {
  std::vector<ResourceGroup> groups = {};
  // Of its share among the queues of one parent, 0 or more; absent: 1.
  std::optional<Quantity> fair_weight = {};
  Resources over_quota_weight = {};  // by resource, for what is divided beyond the quotas
  QueueingStrategy strategy = QueueingStrategy::kBestEffortFifo;
  StopPolicy stop = StopPolicy::kNone;
  FlavorRules flavor_search = {};
  PreemptionRules preemption = {};
  std::optional<Selector> namespaces = {};  // whose jobs it takes, by label; absent: all
  std::vector<AdmissionCheck> checks = {};
  bool by_usage = false;  // its jobs are ordered by the past usage of their owners (usage.h)
  std::vector<PartitionShare> partitions = {};
  friend bool operator==(const QueueRules&, const QueueRules&) = default;
};

}  // namespace muster

#endif  // MUSTER_QUEUE_RULES_H_
