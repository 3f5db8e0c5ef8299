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

int64_t Magnitude(int64_t amount) {
  return std::bit_width(static_cast<uint64_t>(std::max<int64_t>(amount, 1)));
}
double InverseOf(int64_t run) { return 1.0 / static_cast<double>(std::max(run, kShort)); }

}  // namespace

RunHistory::Key RunHistory::KeyOf(uint32_t level, const Kind& kind) {
  switch (level) {
    case 0:
      return {0, 0, 0, 0};
    case 1:
      return {1, 0, Magnitude(kind.estimate), Magnitude(kind.processors)};
    case 2:
      return {2, kind.user, 0, 0};
    case 3:
      return {3, kind.user, kind.estimate, 0};
    default:
      return {4, kind.user, kind.estimate, kind.processors};
  }
}

// Jobs of unknown users are alike by estimate and processors alone.
uint32_t RunHistory::KeysOf(const Kind& kind) { return kind.user == kNone ? 2 : kKeys; }

void RunHistory::Learn(const Kind& kind, int64_t run) {
  for (uint32_t level = 0; level < KeysOf(kind); ++level) {
    const double decay = level < 2 ? 0.999 : 0.9;
    Sums& sums = sums_[KeyOf(level, kind)];
    sums.count = decay * sums.count + 1;
    sums.run = decay * sums.run + static_cast<double>(run);
    sums.inverse = decay * sums.inverse + InverseOf(run);
  }
}

double RunHistory::Length(const Kind& kind) const {
  const auto estimate = static_cast<double>(kind.estimate);
  double run = estimate / 2, inverse = 2 * InverseOf(kind.estimate);
  for (uint32_t level = 0; level < KeysOf(kind); ++level) {
    const auto found = sums_.find(KeyOf(level, kind));
    if (found == sums_.end()) continue;
    const Sums& sums = found->second;
    const double weight = level == 0 ? 0.1 : 1;  // of the guess so far
    run = (sums.run + weight * run) / (sums.count + weight);
    inverse = (sums.inverse + weight * inverse) / (sums.count + weight);
  }
  return std::sqrt(std::clamp(run, 1.0, std::max(1.0, estimate)) / inverse);
}

}  // namespace muster
