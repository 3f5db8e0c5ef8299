// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The front door: which loop replays the trace.
#include "muster/replay.h"

#include <algorithm>
#include <numeric>

#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "lib/replay/batch_spec.h"
#include "lib/replay/engine.h"
#include "lib/replay/pool.h"

namespace muster {

namespace {

// What batch policies on a pool, which decide at once and lose no node, know nothing of.
std::string_view NeedsCycles(const ReplayOptions& options) {
  if (options.latency > 0) return "latency";
  if (options.cycles == CycleTiming::kPeriodic) return "a period";
  if (!options.node_events.empty()) return "node events";
  if (options.failures.node_seconds_between > 0 || options.failures.domain_seconds_between > 0) {
    return "failures";
  }
  return {};
}

}  // namespace

absl::StatusOr<ReplayResult> Replay(const Trace& trace, std::string_view policy,
                                    const ReplayOptions& options) {
  if (absl::Status s = CheckTrace(trace); !s.ok()) return s;
  BatchSpec spec;
  std::string profile(policy);
  if (IsBatchPolicy(policy)) {
    absl::StatusOr<BatchSpec> parsed = ParseBatchSpec(policy);
    if (!parsed.ok()) return parsed.status();
    spec = *parsed;
    const std::string_view asked = NeedsCycles(options);
    if (trace.processors > 0 && asked.empty()) return ReplayPool(trace, spec, options);
    if (spec.policy == BatchPolicy::kConservative) {
      return absl::InvalidArgumentError(absl::StrCat(
          "policy \"conservative\": it needs a pool of processors",
          trace.processors > 0 ? absl::StrCat(" without ", ToAbsl(asked)) : "", "; nodes",
          trace.processors > 0 ? " and cycles" : "", " have fcfs and easy"));
    }
    profile = ProfileText(spec);
  }
  absl::StatusOr<ReplayResult> result =
      trace.processors > 0 ? ReplayCycles(AsOneNode(trace), profile, spec.estimate, options)
                           : ReplayCycles(trace, profile, spec.estimate, options);
  if (!result.ok()) return result;
  result->policy = IsBatchPolicy(policy) ? BatchSpecText(spec) : profile;
  result->processors = trace.processors;
  return result;
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
