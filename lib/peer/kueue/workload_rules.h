// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// How Kueue reads a workload before anything is decided: its priority, since when it waits, whether
// it is looked at again after its admission, what its pod sets request.
//
//   WorkloadState state{.conditions = {{"Evicted", "AdmissionCheck", true, 5000}}};
//   QueueTime(state, {});                            // 5000: since its check had to be redone
//   EffectivePriority(200, "-50", true).priority;    // 150
//
// Plain values: conditions, checks and places as the object has them. Times are in milliseconds,
// because one of the rules adds one.
#ifndef MUSTER_PEER_KUEUE_WORKLOAD_RULES_H_
#define MUSTER_PEER_KUEUE_WORKLOAD_RULES_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/peer/kueue/topology.h"
#include "lib/peer/kueue/topology_books.h"

namespace muster::kueue {

// The API server takes no workload with more pod sets.
inline constexpr size_t kMostPodSets = 18;

struct WorkloadCondition {
  std::string type = {}, reason = {};
  bool holds = false;  // its status is "True"
  int64_t time = 0;    // of its last change
  std::string message = {};
  int64_t generation = 0;  // of the spec that it is about
  friend bool operator==(const WorkloadCondition&, const WorkloadCondition&) = default;
};

struct WorkloadState {
  int64_t created = 0;
  std::vector<WorkloadCondition> conditions = {};
  std::vector<std::string> checks = {};     // the states of its admission checks
  bool delayed = false;                     // a pod set waits for places
  std::vector<std::string> nodes = {};      // the last values of all its places
  std::vector<std::string> unhealthy = {};  // nodes
  bool active = true;
  bool gated = false;                          // something else has to let it into the queues
  std::optional<int64_t> seconds_before = {};  // that it ran in earlier admissions
};
// Returns null where there is none.
const WorkloadCondition* FindCondition(const WorkloadState& state, std::string_view type);
bool AllChecksReady(const WorkloadState& state);

struct QueueTimeRule {
  bool from_eviction = true;  // pods that were not ready in time: from then on, not from creation
  bool sorts_by_priority = true;  // gate PrioritySortingWithinCohort
};
// The time that the workload's place in a queue goes by: its creation, but for some evictions the
// time of these.
int64_t QueueTime(const WorkloadState& state, const QueueTimeRule& rule);

struct BoostedPriority {
  int64_t priority = 0;
  bool valid = true;  // the boost is a number; else it counts as 0
};
// `boost` is a signed number, or empty. `boosted`: gate PriorityBoost.
BoostedPriority EffectivePriority(int32_t priority, std::string_view boost, bool boosted);

// Returns whether the workload keeps out of the queues for now.
bool IsOnHold(const WorkloadState& state);
// Returns whether an admitted workload is looked at again: for places that it waits for, or for a
// node of its that is unhealthy.
bool NeedsSecondPass(const WorkloadState& state);

// Returns whether some count is lower and none is higher. Names of one side alone do not count.
using NamedCounts = std::vector<std::pair<std::string, int64_t>>;
bool IsScaledDown(const NamedCounts& before, const NamedCounts& now);
// Returns whether some count of `a` is below the one of its name in `b`.
bool HasFewer(const NamedCounts& a, const NamedCounts& b);

// Returns whether the pod set asks for places by any of its words.
bool AsksForPlaces(const TopologyRequest& request);

// Pods that are left of a pod set when some have ended.
int64_t CountAfterReclaim(int64_t count, int64_t reclaimed);
// What `count` pods request: negative amounts of one pod count as 0.
void TotalOf(int64_t count, PodRequest* pod);
// What the first `left` of `count` pods request, of what all do: divided first, which may truncate.
void ScaleTotal(int64_t count, int64_t left, PodRequest* total);
// Resources of which `a` has more than `b`, of those that both have.
std::vector<uint32_t> MoreThan(const PodRequest& a, const PodRequest& b);

}  // namespace muster::kueue

#endif  // MUSTER_PEER_KUEUE_WORKLOAD_RULES_H_
