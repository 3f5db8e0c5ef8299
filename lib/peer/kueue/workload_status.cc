// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/kueue/workload_status.h"

#include <algorithm>
#include <set>

#include "absl/strings/str_cat.h"

namespace muster::kueue {
namespace {

bool HoldsNow(const WorkloadState& state, std::string_view type) {
  const WorkloadCondition* condition = FindCondition(state, type);
  return condition != nullptr && condition->holds;
}

// The state that condition Admitted should have.
WorkloadCondition AdmittedOf(const WorkloadState& state, const StatusRule& rule) {
  WorkloadCondition next{.type = "Admitted",
                         .reason = "Admitted",
                         .holds = true,
                         .time = rule.now,
                         .message = "The workload is admitted",
                         .generation = rule.generation};
  const bool reserved = HoldsNow(state, "QuotaReserved");
  const bool checked = AllChecksReady(state);
  const auto refuse = [&](std::string_view reason, std::string_view message) {
    next.holds = false;
    next.reason = reason;
    next.message = message;
  };
  if (!reserved && !checked && !rule.reasons) {
    refuse("NoReservationUnsatisfiedChecks",
           "The workload has no reservation and not all checks ready");
  } else if (!reserved) {
    refuse("NoReservation", "The workload has no reservation");
  } else if (!checked) {
    refuse(rule.reasons ? "UnsatisfiedAdmissionChecks" : "UnsatisfiedChecks",
           "The workload has not all checks ready");
  } else if (state.delayed) {
    refuse("PendingDelayedTopologyRequests", "There are pending delayed topology requests");
  }
  return next;
}

}  // namespace

WorkloadPhase PhaseOf(const WorkloadState& state) {
  if (HoldsNow(state, "Finished")) return WorkloadPhase::kFinished;
  if (HoldsNow(state, "Admitted")) return WorkloadPhase::kAdmitted;
  return HoldsNow(state, "QuotaReserved") ? WorkloadPhase::kReserved : WorkloadPhase::kPending;
}

bool WaitsAgain(WorkloadPhase before, WorkloadPhase now) {
  return (before == WorkloadPhase::kReserved || before == WorkloadPhase::kAdmitted) &&
         now == WorkloadPhase::kPending;
}

bool MayWait(const WorkloadState& state) {
  return state.active && !state.gated && !HoldsNow(state, "Finished") &&
         !HoldsNow(state, "QuotaReserved") && !IsOnHold(state) &&
         !HoldsNow(state, "WaitingForReplacementPods");
}

bool SetCondition(const WorkloadCondition& condition, WorkloadState* state) {
  const auto at = std::find_if(state->conditions.begin(), state->conditions.end(),
                               [&](const auto& c) { return c.type == condition.type; });
  if (at == state->conditions.end()) {
    state->conditions.push_back(condition);
    return true;
  }
  WorkloadCondition next = condition;
  if (at->holds == next.holds) next.time = at->time;
  const bool changed = at->holds != next.holds || at->reason != next.reason ||
                       at->message != next.message || at->generation != next.generation;
  *at = next;
  return changed;
}

bool SyncAdmitted(const StatusRule& rule, WorkloadState* state) {
  const WorkloadCondition* old = FindCondition(*state, "Admitted");
  const WorkloadCondition next = AdmittedOf(*state, rule);
  const bool was_admitted = old != nullptr && old->holds;
  if (rule.reasons) {
    if (old == nullptr && FindCondition(*state, "QuotaReserved") == nullptr &&
        !rule.explicit_status) {
      return false;
    }
  } else if (was_admitted == next.holds) {
    return false;
  }
  if (was_admitted && !next.holds) {
    state->seconds_before = state->seconds_before.value_or(0) + (rule.now - old->time) / 1000;
  }
  return SetCondition(next, state);
}

bool Reserve(const std::string& queue, const StatusRule& rule, WorkloadState* state) {
  bool changed = SetCondition({.type = "QuotaReserved",
                               .reason = "QuotaReserved",
                               .holds = true,
                               .time = rule.now,
                               .message = absl::StrCat("Quota reserved in ClusterQueue ", queue),
                               .generation = rule.generation},
                              state);
  for (const char* type : {"Evicted", "Preempted", "BlockedOnPreemptionGates"}) {
    const WorkloadCondition* old = FindCondition(*state, type);
    if (old == nullptr || !old->holds) continue;
    changed |= SetCondition({.type = type,
                             .reason = "QuotaReserved",
                             .holds = false,
                             .time = rule.now,
                             .message = absl::StrCat("Previously: ", old->message),
                             .generation = rule.generation},
                            state);
  }
  return changed;
}

bool PutOff(std::optional<int64_t> until, bool counts, RetryState* retry) {
  bool changed = false;
  if (until && (!retry->at || *retry->at < *until)) {
    retry->at = until;
    changed = true;
  }
  if (counts) {
    retry->count = retry->count.value_or(0) + 1;
    changed = true;
  }
  return changed;
}

std::optional<int64_t> RunTime(const WorkloadState& state) {
  if (!HoldsNow(state, "Admitted") || !HoldsNow(state, "Finished")) return std::nullopt;
  return state.seconds_before.value_or(0) * 1000 + FindCondition(state, "Finished")->time -
         FindCondition(state, "Admitted")->time;
}

bool PriorityChanged(const PriorityClass& before, int64_t priority_before, const PriorityClass& now,
                     int64_t priority_now) {
  if (before.kind == PriorityClass::Kind::kPod || now.kind != PriorityClass::Kind::kWorkload) {
    return false;
  }
  return (!now.name.empty() && before.name != now.name) || priority_before != priority_now;
}

std::vector<std::string> UsedNodes(const WorkloadState& state,
                                   const std::vector<HeldPlaces>& held) {
  if (!HoldsNow(state, "Admitted")) return {};
  std::set<std::string> nodes;
  for (const HeldPlaces& one : held) {
    if (!one.hosts) continue;
    for (const NamedPlace& place : one.places) {
      if (place.count > 0 && !place.leaf.empty()) nodes.insert(place.leaf.back());
    }
  }
  return {nodes.begin(), nodes.end()};
}

bool SameCounts(const NamedCounts& a, const NamedCounts& b) {
  return std::is_permutation(a.begin(), a.end(), b.begin(), b.end());
}

NamedCounts LimitCounts(const NamedCounts& counts, const NamedCounts& sizes) {
  NamedCounts limited = counts;
  for (auto& [name, count] : limited) {
    for (const auto& [other, size] : sizes) {
      if (other == name) count = std::min(count, size);
    }
  }
  return limited;
}

NamedCounts ReplaceCounts(const NamedCounts& counts, const NamedCounts& by) {
  NamedCounts replaced = counts;
  for (auto& [name, count] : replaced) {
    for (const auto& [other, next] : by) {
      if (other == name) count = next;
    }
  }
  return replaced;
}

bool ChangeMayHelp(const WaitingView& before, const WaitingView& now) {
  const auto differs = [&](std::string_view type) {
    const WorkloadCondition* a = FindCondition(before.state, type);
    const WorkloadCondition* b = FindCondition(now.state, type);
    return (a == nullptr) != (b == nullptr) || (a != nullptr && *a != *b);
  };
  return (before.evaluated != 0 && now.generation != before.evaluated) || before.spec != now.spec ||
         before.requests != now.requests || before.boost != now.boost ||
         before.gated != now.gated || before.reclaimed != now.reclaimed || differs("Evicted") ||
         differs("Requeued");
}

QueueEntrance EntranceOf(const WorkloadState& state, bool has_local_queue, bool has_cluster_queue) {
  if (!MayWait(state)) return QueueEntrance::kNotWaiting;
  if (!has_local_queue) return QueueEntrance::kNoLocalQueue;
  return has_cluster_queue ? QueueEntrance::kQueued : QueueEntrance::kNoClusterQueue;
}

}  // namespace muster::kueue
