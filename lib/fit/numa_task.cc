// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/fit/numa_task.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <optional>

#include "absl/status/statusor.h"

namespace muster {
namespace {

NumaOutcome Asked(const NumaMachine& machine, const NumaTask& task) {
  const bool static_cpus = machine.cpus != nullptr && machine.static_manager;
  if (task.policy.value_or(NumaPolicy::kNone) == NumaPolicy::kNone) {
    const bool asked = static_cpus && machine.policy != NumaPolicy::kNone;
    return asked ? NumaOutcome::kPlaced : NumaOutcome::kNotAsked;
  }
  if (machine.cpus == nullptr) return NumaOutcome::kNoTopology;
  if (!static_cpus) return NumaOutcome::kNotStatic;
  if (*task.policy != machine.policy) return NumaOutcome::kOtherPolicy;
  return machine.free.empty() ? NumaOutcome::kNoCpus : NumaOutcome::kPlaced;
}

// Returns how many whole CPUs the container requests; 0: none.
int CountOf(int64_t milli) {
  if (!IsWholeCpus(milli)) return 0;
  return static_cast<int>(std::min<int64_t>(milli / 1000, CpuSet::kMostCpus + 1));
}

// Returns the zones for `count` CPUs; `count` 0: for a container that gets none. Read the hint only
// if `admitted`.
NumaChoice ChooseZones(const NumaMachine& machine, const CpuSet& usable, int count) {
  const StaticCpus& cpus = *machine.cpus;
  if (cpus.FitInOneZone(count)) {
    if (const std::optional<int> zone = cpus.FirstZone(usable, count)) {
      return {.hint = {.zones = uint64_t{1} << *zone, .preferred = true}, .admitted = true};
    }
    // No hint is preferred.
    if (machine.policy != NumaPolicy::kBestEffort) return {.hint = {}, .admitted = false};
  }
  NumaHints hints;
  if (count > 0) hints = cpus.Hints(usable, count);
  // A StaticCpus has few enough zones for any answer.
  const absl::StatusOr<NumaChoice> choice =
      MergeHints(machine.policy, cpus.zones(), std::span(&hints, 1));
  return choice.ok() ? *choice : NumaChoice();
}

}  // namespace

NumaAnswer PlaceOnZones(const NumaMachine& machine, const NumaTask& task) {
  NumaAnswer answer{.outcome = Asked(machine, task)};
  if (answer.outcome != NumaOutcome::kPlaced) return answer;
  const StaticCpus& cpus = *machine.cpus;
  CpuSet usable = cpus.WithoutReserved(machine.free, machine.reserved_milli);
  for (size_t c = 0; c < task.container_milli.size(); ++c) {
    const int count = CountOf(task.container_milli[c]);
    const NumaChoice choice = ChooseZones(machine, usable, count);
    if (!choice.admitted) {
      answer.outcome = NumaOutcome::kNotAdmitted;
      answer.container = static_cast<int>(c);
      return answer;
    }
    const CpuSet taken = cpus.Allocate(usable, choice.hint, count);
    answer.cpus |= taken;
    usable.AndNot(taken);
  }
  return answer;
}

NumaFit FitOnZones(const NumaMachine& machine, const NumaTask& task) {
  const NumaOutcome outcome = Asked(machine, task);
  if (outcome != NumaOutcome::kPlaced) return {.ok = outcome == NumaOutcome::kNotAsked};
  const StaticCpus& cpus = *machine.cpus;
  int count = 0, containers = 0;  // that get CPUs
  for (const int64_t milli : task.container_milli) {
    containers += IsWholeCpus(milli);
    count = std::max(count, CountOf(milli));
  }
  if (containers == 1 && cpus.FitInOneZone(count)) {
    const CpuSet usable = cpus.WithoutReserved(machine.free, machine.reserved_milli);
    if (cpus.FirstZone(usable, count)) return {.ok = true, .zones = 1};
    if (machine.policy != NumaPolicy::kBestEffort) return {};
  }
  const NumaAnswer answer = PlaceOnZones(machine, task);
  if (!answer.ok()) return {};
  return {.ok = true, .zones = std::popcount(cpus.ZonesOf(answer.cpus))};
}

std::vector<int64_t> NumaScores(std::span<const int> zones) {
  const int64_t most = zones.empty() ? 0 : *std::max_element(zones.begin(), zones.end());
  std::vector<int64_t> scores;
  scores.reserve(zones.size());
  for (int count : zones) scores.push_back(NumaScore(count, most));
  return scores;
}

void NumaBook::Take(int task, int node, CpuSet* free) {
  const auto chosen = chosen_.find({task, node});
  if (chosen == chosen_.end()) return;
  free->AndNot(chosen->second);
  node_of_[task] = node;
}

void NumaBook::Release(int task, int node, CpuSet* free) {
  const auto chosen = chosen_.find({task, node});
  if (chosen == chosen_.end()) return;
  *free |= chosen->second;
  node_of_.erase(task);
}

std::vector<NumaBook::Holding> NumaBook::Holdings() const {
  std::vector<Holding> holdings;
  for (const auto& [task, node] : node_of_) {
    holdings.push_back({task, node, chosen_.at({task, node})});
  }
  return holdings;
}

CpuSet FreeAfterPending(const CpuSet& free, std::span<const NumaPod> reported,
                        std::vector<PendingCpus>* pending) {
  const auto is_reported = [&](const PendingCpus& one) {
    return std::any_of(reported.begin(), reported.end(), [&](const NumaPod& pod) {
      return pod.uid == one.pod.uid ||
             (pod.name == one.pod.name && pod.name_space == one.pod.name_space);
    });
  };
  if (std::all_of(pending->begin(), pending->end(), is_reported)) pending->clear();
  CpuSet left = free;
  for (const PendingCpus& one : *pending) left.AndNot(one.cpus);
  return left;
}

}  // namespace muster
