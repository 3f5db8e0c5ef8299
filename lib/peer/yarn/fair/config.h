// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The configuration of the fair scheduler: options of the cluster, and the queues.
//
//   Options options{.assign_multiple = true};
//   std::vector<QueueConfig> queues = {
//       {.path = "root", .leaf = false},
//       {.path = "root.etl", .weight = 2, .min = {8192, 4}},
//       {.path = "root.adhoc", .policy = Policy::kFifo},
//   };
//
// Times are in milliseconds. A parent is listed before its children.
#ifndef MUSTER_PEER_YARN_FAIR_CONFIG_H_
#define MUSTER_PEER_YARN_FAIR_CONFIG_H_

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "lib/base/math.h"
#include "lib/peer/yarn/resource.h"

namespace muster::yarn::fair {

// How a queue divides its share among its children, and in which order it serves them. A kDrf
// queue must not lie below a kFair one, and only leaves are kFifo.
enum class Policy : uint8_t { kFair, kDrf, kFifo };

inline constexpr int64_t kNever = kMaxQuantity;
inline constexpr Resource kUnbounded = {kMaxQuantity, kMaxQuantity};

struct QueueConfig {
  std::string path;  // "root", "root.a", "root.a.b"
  bool leaf = true;
  float weight = 1;
  Policy policy = Policy::kFair;
  Resource min;
  Resource max = kUnbounded;  // raised to `min` where that is more
  int64_t max_running_apps = std::numeric_limits<int32_t>::max();
  float max_am_share = 0.5f;  // of a leaf's fair share, for masters; -1: unlimited
  // Unset: those of the parent. The root's defaults: never, never, 0.5.
  std::optional<int64_t> min_share_timeout;
  std::optional<int64_t> fair_share_timeout;
  std::optional<float> fair_share_threshold;
  bool allow_preemption_from = true;
};

struct Options {
  Resource min_allocation = {1024, 1};
  Resource max_allocation = {8192, 4};
  Resource increment = {1024, 1};
  float reservation_threshold_multiple = 2;  // of `increment`; smaller asks are never reserved
  float reservable_nodes = 0.05f;            // part of the nodes that an application may reserve
  bool assign_multiple = false;
  bool dynamic_max_assign = true;
  int64_t max_assign = -1;  // containers a heartbeat; 0 or less: unlimited
  bool size_based_weight = false;
  float node_locality_threshold = -1;  // part of the nodes that may be missed; below 0: any place
  float rack_locality_threshold = -1;
  bool preemption = false;
  float preemption_utilization_threshold = 0.8f;
  int64_t wait_before_kill = 15000;
  int64_t wait_before_next_check = 10000;
  bool am_preemption = true;
  int64_t max_running_apps_per_user = kNever;  // of users without a limit of their own
};

// Applications of a user that may run at once; others have Options::max_running_apps_per_user.
using UserLimits = std::vector<std::pair<std::string, int64_t>>;

// Returns whether a queue of policy `child` may lie below one of policy `parent`.
bool AllowsChild(Policy parent, Policy child);

// "root.a" of "root.a.b"; empty for "root".
std::string ParentPath(const std::string& path);

// Fails with InvalidArgument if an amount is negative, a weight is no finite number, a path is
// listed twice or before its parent, a child lies below a leaf, or a parent is kFifo.
absl::Status CheckQueues(const std::vector<QueueConfig>& queues);
// Fails if a kDrf queue lies below a kFair one.
absl::Status CheckPolicies(const std::vector<QueueConfig>& queues);
absl::Status CheckOptions(const Options& options);

}  // namespace muster::yarn::fair

#endif  // MUSTER_PEER_YARN_FAIR_CONFIG_H_
