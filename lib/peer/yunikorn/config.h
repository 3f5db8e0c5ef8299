// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The configuration of a partition, as YuniKorn's file has it, and what makes one illegal.
//
//   PartitionConfig config{.queues = {{.name = "root", .queues = {{.name = "a"}}}}};
//   if (absl::Status status = CheckConfig(config); !status.ok()) ...
//
// Amounts are texts ("500m", "2Gi") until a partition reads them. CheckConfig also completes the
// configuration: it adds a root above the queues if there is none, and the partition's limits to
// it.
#ifndef MUSTER_PEER_YUNIKORN_CONFIG_H_
#define MUSTER_PEER_YUNIKORN_CONFIG_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/peer/yunikorn/limits.h"
#include "lib/peer/yunikorn/resource.h"

namespace muster::yunikorn {

// Queues lie at most this deep, root included; placement rules have at most this many parents.
inline constexpr int kMostDepth = 64;

using Texts = std::map<std::string, std::string>;

struct LimitConfig {
  std::string limit;
  std::vector<std::string> users;
  std::vector<std::string> groups;
  Texts most_resources;
  uint64_t most_applications = 0;
  friend bool operator==(const LimitConfig&, const LimitConfig&) = default;
};

struct TemplateConfig {
  uint64_t most_applications = 0;
  Texts properties;
  Texts guaranteed;
  Texts most;
  friend bool operator==(const TemplateConfig&, const TemplateConfig&) = default;
};

struct QueueConfig {
  std::string name;
  bool parent = false;
  bool has_guaranteed = false;  // the file has the key, maybe without an entry
  bool has_most = false;
  Texts guaranteed;
  Texts most;
  uint64_t most_applications = 0;
  Texts properties;
  std::string admin_acl;
  std::string submit_acl;
  TemplateConfig child_template;
  std::vector<QueueConfig> queues;
  std::vector<LimitConfig> limits;
  friend bool operator==(const QueueConfig&, const QueueConfig&) = default;
};

struct FilterConfig {
  std::string type;  // "allow", "deny" or empty, which allows
  std::vector<std::string> users;
  std::vector<std::string> groups;
};

struct RuleConfig {
  std::string name;
  bool create = false;
  FilterConfig filter;
  std::vector<RuleConfig> parent;  // none or one
  std::string value;
};

struct PartitionConfig {
  std::vector<QueueConfig> queues;
  std::vector<RuleConfig> rules;
  std::vector<LimitConfig> limits;
  bool preemption = true;
  bool quota_preemption = false;
  std::string node_sort;  // "fair", "binpacking" or empty, which is fair
  std::map<std::string, double> node_weights;
};

// --- amounts

// A whole number with a suffix: k M G T P E, Ki to Ei, or m (thousandths) where `milli`; then a
// number without m counts thousandfold. Fails with InvalidArgument for anything else, and for
// numbers beyond int64_t.
absl::StatusOr<Quantity> ReadQuantity(std::string_view text, bool milli);
// The type "vcore" is read in thousandths. Never nil.
absl::StatusOr<Resource> ReadResource(const Texts& texts, TypeNames& names);

// kStructure leaves out how guarantees and limits must be related along the tree, which no decision
// relies on.
enum class ConfigChecks : uint8_t { kAll, kStructure };

// --- checks; each fails with InvalidArgument and names the queue, rule or limit

absl::Status CheckConfig(PartitionConfig& config, ConfigChecks checks = ConfigChecks::kAll);

absl::Status CheckQueuesStructure(PartitionConfig& config);
absl::Status CheckLimitsStructure(PartitionConfig& config);
absl::Status CheckQueues(const QueueConfig& queue);
absl::Status CheckAcl(std::string_view acl);
absl::Status CheckLimits(const std::vector<LimitConfig>& limits, const QueueConfig& queue,
                         ConfigChecks checks = ConfigChecks::kAll);
// Guarantees within limits, limits within those of parents. Returns what the parent must guarantee.
absl::StatusOr<Resource> CheckQueueResources(const QueueConfig& queue, const Resource& parent_most,
                                             TypeNames& names);
absl::Status CheckQueueApplications(const QueueConfig& queue);
absl::Status CheckLimitResources(const QueueConfig& queue, TypeNames& names);
absl::Status CheckLimitApplications(const QueueConfig& queue);
absl::Status CheckRule(const RuleConfig& rule);
absl::Status CheckRules(const PartitionConfig& config);
absl::Status CheckNodeSort(const PartitionConfig& config);

// The part of a rule's path that does not depend on the application; empty: there is none.
struct StaticPath {
  std::string path;
  bool dynamic = false;  // more follows
};
// Fails if a whole path lies below a parent rule.
absl::StatusOr<StaticPath> ReadStaticPath(const RuleConfig& rule);
// Follows the path through the configured queues, from the top one. With `create` the last ones may
// be missing below a parent.
absl::Status CheckStaticPath(const StaticPath& path, bool create,
                             const std::vector<QueueConfig>& configured);

}  // namespace muster::yunikorn

#endif  // MUSTER_PEER_YUNIKORN_CONFIG_H_
