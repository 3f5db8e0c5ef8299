// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Which tasks a descheduler may touch at all.
//
//   EvictableRules rules{.selector = selector};
//   if (IsEvictable(task, rules)) ...
//
// Idea. Tasks that a node's agent or a daemon owns, tasks that leave already, system-critical ones,
// ones with data on the node, and ones without an owner that would make them again stay.
//
// Peer. Koordinator's evictor filter, and the one of its migration controller: a task of the
// largest cost of eviction stays. But for that, a mark of the task's own permits eviction whatever
// else holds. With system-critical tasks permitted, the threshold of priority is not read.
//
// Cost. O(labels).
#ifndef MUSTER_PEER_KOORDINATOR_REBALANCE_EVICTABLE_H_
#define MUSTER_PEER_KOORDINATOR_REBALANCE_EVICTABLE_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "muster/shape.h"

namespace muster::koordinator {

struct TaskTraits {
  std::string name_space = {};
  Labels labels = {};
  std::vector<std::string> owner_kinds = {};
  std::string source = {};  // of which agent; empty or "api": of the cluster
  bool is_mirror = false, is_leaving = false, is_failed = false;
  bool has_local_data = false, has_claim = false;
  bool has_evict_mark = false;
  int64_t eviction_cost = 0;
  std::optional<int64_t> priority = {};
};

// The largest cost of eviction there is. It means never.
inline constexpr int64_t kNeverCost = 2'147'483'647;

bool IsOfDaemon(const TaskTraits& task);
bool IsOfAgent(const TaskTraits& task);  // of a file or an address that an agent reads
bool IsCritical(const TaskTraits& task);

struct EvictableRules {
  bool takes_local_data = false, takes_critical = false, keeps_claims = false;
  bool takes_failed_bare = false, takes_bare = false;
  std::optional<int64_t> below_priority = {};
  std::optional<Selector> selector = {};
};

bool IsEvictable(const TaskTraits& task, const EvictableRules& rules);

// Tasks of some namespaces, and with labels that one of several selectors chooses. Empty lists
// choose all tasks.
struct TaskChoice {
  std::vector<std::string> included = {}, excluded = {};  // namespaces
  std::vector<Selector> selectors = {};
};
bool IsChosen(const TaskTraits& task, const TaskChoice& choice);

// Returns the threshold, by default that of system-critical tasks. Fails with InvalidArgument above
// that.
absl::StatusOr<int64_t> PriorityThreshold(std::optional<int64_t> given);

}  // namespace muster::koordinator

#endif  // MUSTER_PEER_KOORDINATOR_REBALANCE_EVICTABLE_H_
