// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Rules of a queue beyond its weight and limits: quota by flavor, fair share, scopes of eviction.
//
//   muster::QueueSpec queue{.name = "research", .parent = "cohort"};
//   queue.rules = muster::QueueRules{
//       .groups = {{.resources = {"cpu", "nvidia.com/gpu"},
//                   .flavors = {{.flavor = "reserved", .nominal = {{"cpu", 64}}},
//                               {.flavor = "spot", .nominal = {{"cpu", 0}},
//                                .borrow_limit = {{"cpu", 32}}}}}},
//       .preemption = {.within_queue = muster::VictimScope::kLowerPriority}};
//
// Promise. A queue that lends to others and borrows from them does so within the tree of its parent
// (at Kueue: its cohort). Flavors, partitions and checks may be named before they exist.
// Failure. The rules are checked when the queue enters a Cluster, which fails with InvalidArgument
// and changes nothing if one is broken: amounts and weights are 0 or more, names are not empty, and
// a list has each name once.
// Ownership, threads. Plain values.
// Cost. A queue without rules has a null pointer. Rules take what their lists and texts take.
#ifndef MUSTER_QUEUE_RULES_H_
#define MUSTER_QUEUE_RULES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "muster/boxed.h"
#include "muster/shape.h"

namespace muster {

// How much of one flavor (flavor.h) a queue may use, by resource of its ResourceGroup. A resource
// that a list of limits does not name has no such limit; one that `nominal` does not name has a
// quota of 0.
struct FlavorQuota {
  // The name of the flavor. Required: not empty.
  std::string flavor = {};
  // The queue's own quota. Default: 0 of each resource.
  Resources nominal = {};
  // The most that the queue may use beyond `nominal`. Default: no such limit.
  Resources borrow_limit = {};
  // The most of `nominal` that other queues may use. Default: no such limit.
  Resources lend_limit = {};
  friend bool operator==(const FlavorQuota&, const FlavorQuota&) = default;
};

// Resources that a job gets from one flavor together, and the flavors in the order in which they
// are tried. A resource, and a flavor, is in one group of a queue at most.
struct ResourceGroup {
  // Names of resources: 1 or more, none empty.
  std::vector<std::string> resources = {};
  // The flavors, each with its quota. Their amounts are of resources of the group only.
  std::vector<FlavorQuota> flavors = {};
  friend bool operator==(const ResourceGroup&, const ResourceGroup&) = default;
};

// Whether the search for a flavor ends at one that fits only by borrowing, or by preemption.
enum class FlavorSearch : uint8_t {
  // The search may end there.
  kMayStop,
  // The next flavor is tried.
  kTryNext,
};
// What is better where no flavor fits without borrowing or preemption.
enum class FlavorPreference : uint8_t {
  // To borrow from other queues and to evict nothing.
  kBorrowing,
  // To evict, and to borrow nothing.
  kPreemption,
};

// How a flavor is searched for.
struct FlavorRules {
  // What happens at a flavor that fits only by borrowing.
  // Default: the search may end there.
  FlavorSearch when_borrowing = FlavorSearch::kMayStop;
  // What happens at a flavor that fits only by preemption.
  // Default: the next flavor is tried.
  FlavorSearch when_preempting = FlavorSearch::kTryNext;
  // Which of the two is better where no flavor fits without them.
  // Default: borrowing.
  FlavorPreference preference = FlavorPreference::kBorrowing;
  friend bool operator==(const FlavorRules&, const FlavorRules&) = default;
};

// How a job that does not fit affects those behind it.
enum class QueueingStrategy : uint8_t {
  // They are tried all the same.
  kBestEffortFifo,
  // They wait for it.
  kStrictFifo,
};
// Whether the queue is stopped.
enum class StopPolicy : uint8_t {
  // It is not.
  kNone,
  // No more jobs are admitted.
  kHold,
  // No more jobs are admitted, and admitted jobs are evicted.
  kHoldAndDrain,
};
// Which jobs may be evicted for a job of the queue.
// PreemptionRules lists the values that each of its fields may have.
enum class VictimScope : uint8_t {
  // None.
  kNever,
  // Jobs of lower priority.
  kLowerPriority,
  // Jobs of lower priority, and newer ones of equal priority.
  kLowerOrNewerEqualPriority,
  // Jobs of every priority.
  kAny,
};
// Whether jobs below the queue may evict jobs outside it.
enum class PreemptionFence : uint8_t {
  // They may.
  kOpen,
  // They evict none outside.
  kFenced,
  // They evict none at all.
  kDisabled,
};

// What may be evicted, and when. A scope that is not listed for a field is refused. Times are in
// seconds, 0 or more; absent: no such delay.
struct PreemptionRules {
  // Victims in the queue itself: kNever, kLowerPriority or kLowerOrNewerEqualPriority.
  VictimScope within_queue = VictimScope::kNever;
  // Victims in queues that borrow, for a job that stays within the nominal quota: kNever,
  // kLowerPriority or kAny.
  VictimScope reclaim = VictimScope::kNever;
  // Victims in such queues, for a job that borrows itself: kNever or kLowerPriority.
  VictimScope while_borrowing = VictimScope::kNever;
  // The highest priority of a victim by `while_borrowing`. Absent: no such bound.
  std::optional<int32_t> while_borrowing_most = {};
  // How long a job of this queue runs before it may be evicted: `preempt_min_runtime` for a job of
  // the same queue, `reclaim_min_runtime` for a job of another.
  std::optional<int64_t> preempt_min_runtime = {}, reclaim_min_runtime = {};
  // Whether jobs below the queue may evict jobs outside it.
  // Default: they may.
  PreemptionFence fence = PreemptionFence::kOpen;
  // How long a job waits before it may evict others.
  // Absent: it may do so at once.
  std::optional<int64_t> delay = {};
  // How long after a limit was lowered the first job is evicted for that.
  std::optional<int64_t> quota_delay = {};
  friend bool operator==(const PreemptionRules&, const PreemptionRules&) = default;
};

// A check that jobs of the queue must pass beside the quota.
struct AdmissionCheck {
  // The name of the check. Required: not empty; each check is listed once.
  std::string name = {};
  // Names of the flavors that the check concerns. Empty: all.
  std::vector<std::string> flavors = {};
  friend bool operator==(const AdmissionCheck&, const AdmissionCheck&) = default;
};

// What a queue has of one partition (partition.h). All numbers are 0 or more.
struct PartitionShare {
  // The name of the partition. Empty: the nodes of no partition.
  std::string partition = {};
  // What the queue has, and the most that it may use, in percent of its parent's. They may have a
  // fraction. Absent: not set.
  std::optional<Quantity> capacity = {}, max_capacity = {};
  // The weight among its siblings, in place of `capacity`: not both may be set.
  std::optional<Quantity> weight = {};
  // The same two as amounts, in place of percent. Absent: not set.
  std::optional<Resources> guaranteed = {}, limit = {};
  friend bool operator==(const PartitionShare&, const PartitionShare&) = default;
};

// What the tasks of a queue, and of queues below it, may cost (policy spending). Prices and limits
// are in one currency of the caller's choice. They are 0 or more, and may have six decimals.
//
//   rules.spending = muster::SpendingRules{.prices = {{"nvidia.com/gpu", "2.50"}}, .limit = 100};
struct SpendingRules {
  // The price of one unit of a resource for an hour: of one cpu, one byte of memory is too little
  // to have a price of its own, so memory, ephemeral-storage and huge pages are priced by GiB.
  // Resources that are not listed cost nothing. Empty: the prices of the nearest queue above that
  // lists some.
  Resources prices = {};
  // The most that the tasks may cost an hour together. Absent: no such limit.
  std::optional<Quantity> hourly_limit = {};
  // The most that may be spent in the period. UsageHistory::spent is what was. Absent: no limit.
  std::optional<Quantity> limit = {};
  // The name of the period, for messages. Default: "month".
  std::string period = "month";
  friend bool operator==(const SpendingRules&, const SpendingRules&) = default;
};

// All rules of one queue. By default it has no quota by flavor, is not stopped and evicts nothing.
struct QueueRules {
  // Quota by flavor. Default: none.
  std::vector<ResourceGroup> groups = {};
  // The weight of its share among the queues of one parent: 0 or more. Absent: 1.
  std::optional<Quantity> fair_weight = {};
  // Weights by resource, for what is divided beyond the quotas: 0 or more.
  // Default: none is set.
  Resources over_quota_weight = {};
  // How a job that does not fit affects those behind it. Default: they are tried all the same.
  QueueingStrategy strategy = QueueingStrategy::kBestEffortFifo;
  // Default: not stopped.
  StopPolicy stop = StopPolicy::kNone;
  // How a flavor is searched for.
  FlavorRules flavor_search = {};
  // What may be evicted for a job of the queue. Default: nothing.
  PreemptionRules preemption = {};
  // Selects, by label, the namespaces from which the queue takes jobs.
  // Absent: all namespaces.
  std::optional<Selector> namespaces = {};
  // Checks beside the quota, each once. Default: none.
  std::vector<AdmissionCheck> checks = {};
  // True: its jobs are ordered by the past usage of their owners (usage.h). Default: false.
  bool by_usage = false;
  // Shares of partitions, each partition once. Default: none.
  std::vector<PartitionShare> partitions = {};
  // What its tasks may cost. Absent: no prices and no limit.
  Boxed<SpendingRules> spending = {};
  friend bool operator==(const QueueRules&, const QueueRules&) = default;
};

}  // namespace muster

#endif  // MUSTER_QUEUE_RULES_H_
