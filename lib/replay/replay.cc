// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The front door: which loop replays the trace.
#include "muster/replay.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/float_env.h"
#include "lib/base/strings.h"
#include "lib/replay/batch_spec.h"
#include "lib/replay/engine.h"
#include "lib/replay/estimate_readers.h"
#include "lib/replay/plain_queues.h"
#include "lib/replay/pool.h"
#include "lib/replay/speeds.h"

namespace muster {
namespace {

// A batch policy on a pool gives a job all its processors at once.
ReplayPlacements PlacementsOnPool(const ReplayResult& result) {
  ReplayPlacements placements;
  for (uint32_t row = 0; row < result.start.size(); ++row) {
    if (result.start[row] != kAbsent) placements.job.push_back(row);
  }
  std::stable_sort(placements.job.begin(), placements.job.end(),
                   [&](uint32_t a, uint32_t b) { return result.start[a] < result.start[b]; });
  placements.task.assign(placements.job.size(), 0);
  placements.node.assign(placements.job.size(), 0);
  for (uint32_t row : placements.job) {
    placements.from.push_back(result.start[row]);
    placements.to.push_back(result.end[row]);
  }
  return placements;
}

// Returns the option that batch policies on a pool cannot follow, because they decide at once and
// lose no node.
std::string_view NeedsCycles(const ReplayOptions& options) {
  if (options.latency > 0) return "latency";
  if (options.cycles == CycleTiming::kPeriodic || options.cycles == CycleTiming::kRounds) {
    return "a period";
  }
  if (!options.node_events.empty()) return "node events";
  if (options.failures.node_seconds_between > 0 || options.failures.domain_seconds_between > 0) {
    return "failures";
  }
  return {};
}

// Refuses what is no number of seconds, with the name of the option.
absl::Status CheckSeconds(const ReplayOptions& options) {
  struct Seconds {
    std::string_view name;
    int64_t value, least;
  };
  const Recovery& recovery = options.recovery;
  for (const Seconds& row : {Seconds{"period", options.period, 1},
                             {"latency", options.latency, 0},
                             {"eviction_seconds", options.eviction_seconds, 0},
                             {"checkpoint_interval", recovery.checkpoint_interval, 0},
                             {"restart_seconds", recovery.restart_seconds, 0},
                             {"migration_seconds", recovery.migration_seconds, 0}}) {
    if (row.value >= row.least && row.value <= kEndless) continue;
    return absl::InvalidArgumentError(absl::StrCat(ToAbsl(row.name), " is ", row.value,
                                                   "; must be from ", row.least, " to ", kEndless));
  }
  const FailureModel& failures = options.failures;
  for (const auto& [name, mean] : {std::pair("node_seconds_between", failures.node_seconds_between),
                                   {"node_repair_seconds", failures.node_repair_seconds},
                                   {"domain_seconds_between", failures.domain_seconds_between},
                                   {"domain_repair_seconds", failures.domain_repair_seconds}}) {
    if (mean >= 0 && mean <= static_cast<double>(kEndless)) continue;  // and no NaN
    return absl::InvalidArgumentError(
        absl::StrCat(name, " is ", mean, "; must be from 0 to ", kEndless));
  }
  return absl::OkStatus();
}

absl::StatusOr<ReplayResult> ReplayChecked(const Trace& trace, std::string_view policy,
                                           const ReplayOptions& options) {
  BatchSpec spec;
  std::string profile(policy);
  RunGuesses guesses;
  if (options.learnt_quantile != 0) {
    if (IsBatchPolicy(policy)) {
      return absl::InvalidArgumentError(absl::StrCat("policy ", Quote(policy),
                                                     ": learnt_quantile is not for batch policies; "
                                                     "they have estimate=learnt,quantile=",
                                                     options.learnt_quantile));
    }
    if (!(options.learnt_quantile >= 0.001 && options.learnt_quantile <= 0.999)) {
      return absl::InvalidArgumentError(absl::StrCat("learnt_quantile is ", options.learnt_quantile,
                                                     "; must be 0, or from 0.001 to 0.999"));
    }
    guesses = {BatchEstimate::kLearnt, options.learnt_quantile};
  }
  if (IsBatchPolicy(policy)) {
    absl::StatusOr<BatchSpec> parsed = ParseBatchSpec(policy);
    if (!parsed.ok()) return parsed.status();
    spec = *parsed;
    if (trace.processors > 0 && NeedsCycles(options).empty()) {
      if (options.extensions != nullptr) return PoolTakesNone(policy);
      absl::StatusOr<ReplayResult> result = ReplayPool(trace, spec, options);
      if (result.ok()) result->clairvoyant = IsClairvoyant(spec, LacksEstimates(trace));
      if (result.ok() && options.record_placements) result->placements = PlacementsOnPool(*result);
      return result;
    }
    if (spec.policy == BatchPolicy::kConservative) {
      if (spec.reservations_given && spec.keep_reservations) {
        const std::string_view asked = NeedsCycles(options);
        return absl::InvalidArgumentError(
            absl::StrCat("policy \"conservative\": reservations=kept needs a pool of processors",
                         trace.processors > 0 ? absl::StrCat(" without ", ToAbsl(asked)) : "",
                         "; in cycles promises are made afresh every time"));
      }
      spec.keep_reservations = false;
    }
    absl::StatusOr<std::string> same = ProfileText(spec);
    if (!same.ok()) return same.status();
    profile = *std::move(same);
    guesses = spec.promises_by();
  }
  profile = WithPlainQueues(profile, options.extensions.get());
  absl::StatusOr<ReplayResult> result =
      trace.processors > 0 ? ReplayCycles(AsOneNode(trace), profile, guesses, options)
                           : ReplayCycles(trace, profile, guesses, options);
  if (!result.ok()) return result;
  if (IsBatchPolicy(policy)) {
    result->clairvoyant |= IsClairvoyant(spec, LacksEstimates(trace));
    profile = BatchSpecText(spec);
  }
  result->policy = std::move(profile);
  result->processors = trace.processors;
  return result;
}

}  // namespace

absl::StatusOr<ReplayResult> Replay(const Trace& trace, std::string_view policy,
                                    const ReplayOptions& options) {
  const DefaultFloats floats;
  if (absl::Status s = CheckSeconds(options); !s.ok()) return s;
  if (absl::Status s = CheckTrace(trace); !s.ok()) return s;
  if (!trace.speeds.empty()) return ReplayChecked(WithTypesOfModels(trace), policy, options);
  return ReplayChecked(trace, policy, options);
}

void LinkUsers(Trace* trace) {
  const size_t n = trace->size();
  std::vector<uint32_t> rows(n);
  std::iota(rows.begin(), rows.end(), 0);
  std::stable_sort(rows.begin(), rows.end(),
                   [&](uint32_t a, uint32_t b) { return trace->submit[a] < trace->submit[b]; });
  trace->preceding.assign(n, kNone);
  trace->think.assign(n, 0);
  std::vector<uint32_t> last(trace->users.size(), kNone);
  for (uint32_t row : rows) {
    if (trace->user[row] == kNone) continue;
    uint32_t& before = last[trace->user[row]];
    if (before != kNone) {
      trace->preceding[row] = before;
      trace->think[row] =
          std::max<int64_t>(0, trace->submit[row] - trace->submit[before] - trace->run[before]);
    }
    before = row;
  }
}

}  // namespace muster
