// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What Kueue reads from a workload's conditions, and how they change when it gets or loses quota.
//
//   WorkloadState state{.conditions = {{.type = "QuotaReserved", .holds = true}}};
//   PhaseOf(state);                                   // kReserved
//   SyncAdmitted(&state, {.now = 5000});              // true: it is admitted from now on
//
// A condition is set as the API server sets it: its time changes with its status alone, and nothing
// changes when all of it is as it was. Times are in milliseconds.
//
// Where Kueue surprises: a workload that never asked for quota has no condition Admitted, not even
// a false one. Time that a workload ran before counts in whole seconds, each run truncated.
#ifndef MUSTER_PEER_KUEUE_WORKLOAD_STATUS_H_
#define MUSTER_PEER_KUEUE_WORKLOAD_STATUS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/peer/kueue/topology.h"
#include "lib/peer/kueue/workload_rules.h"

namespace muster::kueue {

enum class WorkloadPhase : uint8_t { kPending, kReserved, kAdmitted, kFinished };
WorkloadPhase PhaseOf(const WorkloadState& state);
// Returns whether the workload gave back its quota without an end, and waits again.
bool WaitsAgain(WorkloadPhase before, WorkloadPhase now);
// Returns whether the workload may wait in a queue.
bool MayWait(const WorkloadState& state);

// Returns whether anything changed.
bool SetCondition(const WorkloadCondition& condition, WorkloadState* state);

struct StatusRule {
  int64_t now = 0;
  int64_t generation = 0;        // of the workload's spec
  bool reasons = true;           // gate UnadmittedWorkloadsObservability
  bool explicit_status = false;  // gate UnadmittedWorkloadsExplicitStatus
};
// Makes condition Admitted follow the reservation, the checks and the places. Returns whether
// anything changed.
bool SyncAdmitted(const StatusRule& rule, WorkloadState* state);
// The workload has quota in the queue from now on; what said that it lost some does not hold any
// more. Returns whether a condition changed.
bool Reserve(const std::string& queue, const StatusRule& rule, WorkloadState* state);

struct RetryState {
  std::optional<int64_t> count;
  std::optional<int64_t> at;
  friend bool operator==(const RetryState&, const RetryState&) = default;
};
// The workload waits at least until then; a later time stays. Returns whether anything changed.
bool PutOff(std::optional<int64_t> until, bool counts, RetryState* retry);

// How long the workload ran in all; absent unless it was admitted and is finished.
std::optional<int64_t> RunTime(const WorkloadState& state);

// The priority class of a workload: one of Kueue's, one of pods, or none.
struct PriorityClass {
  enum class Kind : uint8_t { kNone, kPod, kWorkload } kind = Kind::kNone;
  std::string name;
};
// Returns whether the workload has to be looked at again because its class or its priority changed.
// Priorities from classes of pods do not change.
bool PriorityChanged(const PriorityClass& before, int64_t priority_before, const PriorityClass& now,
                     int64_t priority_now);

// Places of one pod set of an admission.
struct HeldPlaces {
  bool hosts = false;  // the last level is the node's name
  NamedPlaces places;
};
// Nodes that an admitted workload has pods on, in order and once each.
std::vector<std::string> UsedNodes(const WorkloadState& state, const std::vector<HeldPlaces>& held);

// Returns whether both have the same names with the same counts.
bool SameCounts(const NamedCounts& a, const NamedCounts& b);
// Of names that both have, no count is above the size.
NamedCounts LimitCounts(const NamedCounts& counts, const NamedCounts& sizes);
// Replaces the counts of names that both have.
NamedCounts ReplaceCounts(const NamedCounts& counts, const NamedCounts& by);

// What of a workload that waits apart can make it admissible by a change.
struct WaitingView {
  uint64_t evaluated = 0;  // the generation that a cycle looked at last; 0: none did
  uint64_t generation = 0;
  std::string spec = {};      // in any spelling that equal specs share
  std::string requests = {};  // the same of what it counts for
  std::string boost = {};     // of its priority; empty unless boosts count
  bool gated = false;         // it may not evict others yet
  NamedCounts reclaimed = {};
  WorkloadState state = {};
};
// Returns whether it is worth another attempt.
bool ChangeMayHelp(const WaitingView& before, const WaitingView& now);

// Where a workload gets when it is added or changes.
enum class QueueEntrance : uint8_t { kNotWaiting, kNoLocalQueue, kNoClusterQueue, kQueued };
QueueEntrance EntranceOf(const WorkloadState& state, bool has_local_queue, bool has_cluster_queue);

}  // namespace muster::kueue

#endif  // MUSTER_PEER_KUEUE_WORKLOAD_STATUS_H_
