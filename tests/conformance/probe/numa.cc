// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// NUMA zones of one machine: which sets of them resources can be had from, which CPUs of them.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "lib/fit/numa_hints.h"
#include "lib/fit/static_cpus.h"
#include "lib/peer/koordinator/device/scored_hints.h"
#include "tests/conformance/probe/probe.h"

namespace muster::testing {
namespace {

using nlohmann::json;

constexpr const char* kPolicies[] = {"none", "best-effort", "restricted", "single-numa-node"};

absl::StatusOr<NumaPolicy> PolicyOf(const std::string& name) {
  const auto* policy = std::find(std::begin(kPolicies), std::end(kPolicies), name);
  if (policy == std::end(kPolicies)) {
    return absl::InvalidArgumentError(absl::StrCat("no such NUMA policy: ", name));
  }
  return static_cast<NumaPolicy>(policy - std::begin(kPolicies));
}

// [ZONES or null, PREFERRED]
NumaHint HintOf(const json& pair) {
  NumaHint hint{.preferred = pair[1]};
  if (!pair[0].is_null()) hint.zones = pair[0].get<uint64_t>();
  return hint;
}

json HintWritten(const NumaHint& hint) {
  return {hint.zones.has_value() ? json(*hint.zones) : json(nullptr), hint.preferred};
}

absl::StatusOr<json> Merge(const json& asked) {
  const absl::StatusOr<NumaPolicy> policy = PolicyOf(asked["policy"].get<std::string>());
  if (!policy.ok()) return policy.status();
  std::vector<NumaHints> resources;
  for (const json& hints : asked["resources"]) {
    resources.emplace_back();
    if (hints.is_null()) continue;
    resources.back().emplace();
    for (const json& hint : hints) resources.back()->push_back(HintOf(hint));
  }
  const absl::StatusOr<NumaChoice> choice =
      MergeHints(*policy, asked["zones"].get<uint64_t>(), resources);
  if (!choice.ok()) return choice.status();
  return json{HintWritten(choice->hint), choice->admitted};
}

// A hint is {"zones": MASK or null, "preferred": ..., "unsatisfied": ..., "score": ...}.
absl::StatusOr<json> MergeScored(const json& asked) {
  const absl::StatusOr<NumaPolicy> policy = PolicyOf(asked["policy"].get<std::string>());
  if (!policy.ok()) return policy.status();
  std::vector<ScoredHints> resources;
  for (const json& hints : asked["scored"]) {
    resources.emplace_back();
    if (hints.is_null()) continue;
    resources.back().emplace();
    for (const json& one : hints) {
      ScoredHint& hint = resources.back()->emplace_back();
      if (!one["zones"].is_null()) hint.zones = one["zones"].get<uint64_t>();
      hint.preferred = one["preferred"];
      hint.unsatisfied = one["unsatisfied"];
      hint.score = one["score"];
    }
  }
  std::vector<ZoneState> alone;
  for (const json& state : asked["alone"]) {
    alone.push_back(state == "single"   ? ZoneState::kSingle
                    : state == "shared" ? ZoneState::kShared
                                        : ZoneState::kIdle);
  }
  const absl::StatusOr<ScoredChoice> choice =
      MergeScoredHints(*policy, asked["zones"].get<uint64_t>(), resources, alone);
  if (!choice.ok()) return choice.status();
  const ScoredHint& hint = choice->hint;
  return json{{"zones", hint.zones.has_value() ? json(*hint.zones) : json(nullptr)},
              {"preferred", hint.preferred},
              {"unsatisfied", hint.unsatisfied},
              {"score", hint.score},
              {"admitted", choice->admitted}};
}

absl::StatusOr<json> OfCpus(const json& asked) {
  std::vector<LogicalCpu> cpus;
  for (const json& cpu : asked["machine"]) cpus.push_back({cpu[0], cpu[1], cpu[2], cpu[3]});
  const absl::StatusOr<StaticCpus> machine = StaticCpus::Make(cpus);
  if (!machine.ok()) return machine.status();
  const absl::StatusOr<CpuSet> free = CpuSet::Parse(asked["free"].get<std::string>());
  if (!free.ok()) return free.status();
  const CpuSet usable = machine->WithoutReserved(*free, asked.value("reserved", int64_t{0}));
  if (asked.contains("hint")) {
    return machine->Allocate(usable, HintOf(asked["hint"]), asked["count"]).ToString();
  }
  json hints = json::array();
  for (const NumaHint& hint : machine->Hints(usable, asked["count"])) {
    hints.push_back(HintWritten(hint));
  }
  return hints;
}

}  // namespace

absl::StatusOr<json> AskNuma(const json& request) {
  const json& asked = request["numa"];
  if (asked.contains("scored")) return MergeScored(asked);
  return asked.contains("resources") ? Merge(asked) : OfCpus(asked);
}

}  // namespace muster::testing
