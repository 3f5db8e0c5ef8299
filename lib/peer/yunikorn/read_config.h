// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The rows of queues as a configuration of YuniKorn.
//
//   absl::StatusOr<PartitionConfig> config = ReadConfig(tables, options);
//   absl::Status status = partition.Configure(*std::move(config));
//
// The queue "root" without a parent is YuniKorn's root; each other queue without a parent lies
// right below root, which is there in any case. Queue "default" is left out where nothing uses it:
// the peer would send applications there that no rule places. A queue's name in YuniKorn is what
// its name has behind "PARENT.", or the whole name. So "root.a.b" below "root.a" is b, and so is "b"
// below "a".
//
// | of a row | in YuniKorn |
// |---|---|
// | `guaranteed`, `limit` | resources.guaranteed, resources.max |
// | `users` | limits, those of names before those of "*"; entries that limit nothing are left out |
// | `priority` | property priority.offset, unless the setting is there |
// | `fence`, `delay` of preemption in `rules` | preemption.policy, preemption.delay, likewise |
// | `quota_delay` of it | quota.preemption.delay, likewise |
// | `state` closed | the queue is stopped: nothing of it is placed |
// | settings | the properties by YuniKorn's names, `maxapplications`, `submitacl`, `parent` |
//
// Checks. Names, depth, lists of users and limits are always checked as the peer checks a file. How
// guarantees and limits must be related is checked by option strict alone: a cluster of another
// scheduler may break those rules, and no decision relies on them.
// Amounts. cpu is vcore, in thousandths; all else is counted in whole units. What is requested is
// rounded up, what nodes and queues have is rounded down.
// Failure. ReadConfig fails with InvalidArgument for an unknown setting and for a value that the
// setting does not take. The peer reads such values as their defaults; here they are mistakes.
// Cost. O(queues * depth).
#ifndef MUSTER_PEER_YUNIKORN_READ_CONFIG_H_
#define MUSTER_PEER_YUNIKORN_READ_CONFIG_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "lib/model/tables.h"
#include "lib/peer/yunikorn/config.h"
#include "lib/peer/yunikorn/resource.h"
#include "muster/policy.h"

namespace muster::yunikorn {

inline constexpr std::string_view kProfileName = "yunikorn";

absl::StatusOr<PartitionConfig> ReadConfig(const Tables& tables, const Options& options);
// The root queue of that, which depends on no option.
absl::StatusOr<QueueConfig> ReadQueues(const Tables& tables);
ConfigChecks ChecksOf(const Options& options);

// The name of a dimension in YuniKorn: "cpu" is "vcore".
std::string_view TypeName(std::string_view dimension);
// An amount of a row in YuniKorn's unit.
enum class Rounding : uint8_t { kUp, kDown };
Quantity AmountOf(const Tables& tables, DimensionIndex d, int64_t cell, Rounding rounding);
// The queue's path, "root.a.b", in lower case.
std::string PathOf(const Tables& tables, QueueIndex queue);

}  // namespace muster::yunikorn

#endif  // MUSTER_PEER_YUNIKORN_READ_CONFIG_H_
