// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/kueue/workload_rules.h"

#include <algorithm>
#include <charconv>

#include "lib/base/math.h"

namespace muster::kueue {
namespace {

bool Holds(const WorkloadState& state, std::string_view type) {
  const WorkloadCondition* condition = FindCondition(state, type);
  return condition != nullptr && condition->holds;
}

// The condition, if it holds for the reason.
const WorkloadCondition* HoldsFor(const WorkloadState& state, std::string_view type,
                                  std::string_view reason) {
  const WorkloadCondition* condition = FindCondition(state, type);
  if (condition == nullptr || !condition->holds || condition->reason != reason) return nullptr;
  return condition;
}

}  // namespace

const WorkloadCondition* FindCondition(const WorkloadState& state, std::string_view type) {
  const auto found = std::find_if(state.conditions.begin(), state.conditions.end(),
                                  [&](const WorkloadCondition& c) { return c.type == type; });
  return found == state.conditions.end() ? nullptr : &*found;
}

bool AllChecksReady(const WorkloadState& state) {
  return std::all_of(state.checks.begin(), state.checks.end(),
                     [](const std::string& check) { return check == "Ready"; });
}

bool HasFewer(const NamedCounts& a, const NamedCounts& b) {
  return std::any_of(a.begin(), a.end(), [&](const auto& mine) {
    return std::any_of(b.begin(), b.end(), [&](const auto& other) {
      return other.first == mine.first && mine.second < other.second;
    });
  });
}

int64_t QueueTime(const WorkloadState& state, const QueueTimeRule& rule) {
  if (rule.from_eviction) {
    if (const auto* late = HoldsFor(state, "Evicted", "PodsReadyTimeout")) return late->time;
  }
  if (const auto* check = HoldsFor(state, "Evicted", "AdmissionCheck")) return check->time;
  if (!rule.sorts_by_priority) {
    // Behind the workload that took the place.
    const auto* taken = HoldsFor(state, "Preempted", "InCohortReclaimWhileBorrowing");
    if (taken != nullptr) return taken->time + 1;
  }
  return state.created;
}

BoostedPriority EffectivePriority(int32_t priority, std::string_view boost, bool boosted) {
  if (!boosted || boost.empty()) return {.priority = priority};
  std::string_view digits = boost;
  if (digits.front() == '+') digits.remove_prefix(1);
  int32_t value = 0;
  const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  const bool two_signs = digits.size() < boost.size() && digits.starts_with('-');
  if (error != std::errc() || stop != digits.data() + digits.size() || two_signs) {
    return {.priority = priority, .valid = false};
  }
  return {.priority = int64_t{priority} + value};
}

bool IsOnHold(const WorkloadState& state) {
  const WorkloadCondition* reserved = FindCondition(state, "QuotaReserved");
  return reserved != nullptr && !reserved->holds && reserved->reason == "OnHold";
}

bool NeedsSecondPass(const WorkloadState& state) {
  if (Holds(state, "Finished") || Holds(state, "Evicted") || !Holds(state, "QuotaReserved")) {
    return false;
  }
  const bool admitted = Holds(state, "Admitted");
  if (!state.checks.empty() && AllChecksReady(state) && state.delayed && !admitted) return true;
  return admitted && std::any_of(state.nodes.begin(), state.nodes.end(), [&](const auto& node) {
           return std::find(state.unhealthy.begin(), state.unhealthy.end(), node) !=
                  state.unhealthy.end();
         });
}

bool IsScaledDown(const NamedCounts& before, const NamedCounts& now) {
  return HasFewer(now, before) && !HasFewer(before, now);
}

bool AsksForPlaces(const TopologyRequest& request) {
  return request.required || request.preferred || request.unconstrained || !request.slices.empty();
}

int64_t CountAfterReclaim(int64_t count, int64_t reclaimed) {
  return count - std::min(reclaimed, count);
}

void TotalOf(int64_t count, PodRequest* pod) {
  for (PodAmount& row : *pod) row.amount = SatMul(std::max<int64_t>(row.amount, 0), count);
}

void ScaleTotal(int64_t count, int64_t left, PodRequest* total) {
  for (PodAmount& row : *total) {
    if (count != 0) row.amount /= count;
    row.amount = SatMul(row.amount, left);
  }
}

std::vector<uint32_t> MoreThan(const PodRequest& a, const PodRequest& b) {
  std::vector<uint32_t> more;
  for (const PodAmount& row : a) {
    const bool above = std::any_of(b.begin(), b.end(), [&](const PodAmount& other) {
      return other.resource == row.resource && row.amount > other.amount;
    });
    if (above) more.push_back(row.resource);
  }
  return more;
}

}  // namespace muster::kueue
