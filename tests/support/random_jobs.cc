// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "tests/support/random_jobs.h"

#include <cstdint>

namespace muster::testing {

void AddEstimates(Rng& rng, ClusterSpec* world) {
  for (JobSpec& job : world->jobs) {
    if (rng.Chance(0.85)) job.estimate = static_cast<int64_t>(1 + rng.Below(12));
  }
  for (TaskSpec& task : world->tasks) {
    if (!task.node.empty() && rng.Chance(0.8)) task.started = -static_cast<int64_t>(rng.Below(8));
  }
}

void AddBundleStrategies(Rng& rng, ClusterSpec* world) {
  for (JobSpec& job : world->jobs) job.bundle_strategy = static_cast<BundleStrategy>(rng.Below(5));
}

}  // namespace muster::testing
