// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/policy/run_bounds.h"

#include <algorithm>
#include <cstddef>

namespace muster {
namespace {

constexpr size_t kLeastJobs = 3;

size_t RoomOf(uint32_t level) { return level < kRunKeysWithoutUser ? 512 : 64; }

// Returns `run` in proportion to the estimates, rounded up; 1 or more.
int64_t InProportion(int64_t run, int64_t estimate, int64_t own) {
  if (estimate == own || estimate < 1) return std::max<int64_t>(run, 1);
  const __int128 product = static_cast<__int128>(run) * own + estimate - 1;
  return static_cast<int64_t>(std::clamp<__int128>(product / estimate, 1, RunBounds::kNoCap));
}

}  // namespace

void RunBounds::Learn(const Kind& kind, int64_t run) {
  for (uint32_t level = 0; level < RunKeysOf(kind); ++level) {
    Ring& ring = rings_[RunKeyOf(level, kind)];
    const Past past = {run, kind.estimate};
    if (ring.jobs.size() < RoomOf(level)) {
      ring.jobs.push_back(past);
      continue;
    }
    ring.jobs[ring.next] = past;
    ring.next = (ring.next + 1) % ring.jobs.size();
  }
}

std::vector<int64_t> RunBounds::Beyond(uint32_t level, const Kind& kind, int64_t beyond) const {
  std::vector<int64_t> runs;
  const auto found = rings_.find(RunKeyOf(level, kind));
  if (found == rings_.end()) return runs;
  for (const Past& past : found->second.jobs) {
    const int64_t run = InProportion(past.run, past.estimate, kind.estimate);
    if (run > beyond) runs.push_back(run);
  }
  return runs;
}

std::optional<int64_t> RunBounds::Bound(const Kind& kind, int64_t quantile, int64_t beyond) const {
  for (uint32_t level = RunKeysOf(kind); level-- > 0;) {
    std::vector<int64_t> runs = Beyond(level, kind, beyond);
    const auto n = static_cast<int64_t>(runs.size());
    const int64_t k = ((n + 1) * quantile + kWhole - 1) / kWhole;
    if (runs.size() < kLeastJobs || k > n) continue;
    std::nth_element(runs.begin(), runs.begin() + (k - 1), runs.end());
    return runs[static_cast<size_t>(k - 1)];
  }
  return std::nullopt;
}

int64_t RunBounds::Draws::Next(Rng& rng) {
  if (cap_ <= beyond_ + 1) return beyond_ + 1;
  for (uint32_t level = RunKeysOf(kind_); level-- > 0;) {
    std::optional<std::vector<int64_t>>& runs = beyonds_[level];
    if (!runs.has_value()) runs = runs_->Beyond(level, kind_, beyond_);
    const uint64_t choice = rng.Below(runs->size() + 1);
    if (choice < runs->size()) return std::min((*runs)[choice], cap_);
  }
  // Without a cap: as long again, and as jobs without an estimate count.
  const int64_t most = cap_ == RunBounds::kNoCap
                           ? std::max(kNoEstimate, 2 * std::min(beyond_, RunBounds::kNoCap / 4))
                           : cap_;
  return beyond_ + 1 + static_cast<int64_t>(rng.Below(static_cast<uint64_t>(most - beyond_)));
}

}  // namespace muster
