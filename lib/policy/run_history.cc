// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/policy/run_history.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "muster/types.h"

namespace muster {
namespace {

// The bound below which slowdowns do not tell run times apart.
constexpr int64_t kShort = 10;

double InverseOf(int64_t run) { return 1.0 / static_cast<double>(std::max(run, kShort)); }

}  // namespace

int64_t RunMagnitude(int64_t amount) {
  return std::bit_width(static_cast<uint64_t>(std::max<int64_t>(amount, 1)));
}

void RunSums::Add(uint32_t level, int64_t run_time) {
  const double decay = level < kRunKeysWithoutUser ? 0.999 : 0.9;
  count = decay * count + 1;
  run = decay * run + static_cast<double>(run_time);
  inverse = decay * inverse + InverseOf(run_time);
}

RunGuess::RunGuess(int64_t estimate)
    : estimate_(static_cast<double>(estimate)),
      run_(estimate_ / 2),
      inverse_(2 * InverseOf(estimate)) {}

void RunGuess::Pull(uint32_t level, const RunSums& sums) {
  const double weight = level == 0 ? 0.1 : 1;  // of the guess so far
  run_ = (sums.run + weight * run_) / (sums.count + weight);
  inverse_ = (sums.inverse + weight * inverse_) / (sums.count + weight);
}

double RunGuess::Length() const {
  return std::sqrt(std::clamp(run_, 1.0, std::max(1.0, estimate_)) / inverse_);
}

RunKey RunKeyOf(uint32_t level, const RunKind& kind) {
  switch (level) {
    case 0:
      return {0, 0, 0, 0};
    case 1:
      return {1, 0, RunMagnitude(kind.estimate), RunMagnitude(kind.processors)};
    case 2:
      return {2, kind.user, 0, 0};
    case 3:
      return {3, kind.user, kind.estimate, 0};
    default:
      return {4, kind.user, kind.estimate, kind.processors};
  }
}

uint32_t RunKeysOf(const RunKind& kind) {
  return kind.user == kNone ? kRunKeysWithoutUser : kRunKeys;
}

void RunHistory::Learn(const Kind& kind, int64_t run) {
  for (uint32_t level = 0; level < RunKeysOf(kind); ++level) {
    sums_[RunKeyOf(level, kind)].Add(level, run);
  }
}

double RunHistory::Length(const Kind& kind) const {
  RunGuess guess(kind.estimate);
  for (uint32_t level = 0; level < RunKeysOf(kind); ++level) {
    const auto found = sums_.find(RunKeyOf(level, kind));
    if (found != sums_.end()) guess.Pull(level, found->second);
  }
  return guess.Length();
}

}  // namespace muster
