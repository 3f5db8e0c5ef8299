// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "tests/support/random_jobs.h"

#include <algorithm>
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

void AddElasticSizes(Rng& rng, ClusterSpec* world) {
  for (JobSpec& job : world->jobs) {
    if (rng.Chance(0.35)) continue;
    if (rng.Chance(0.7)) job.min_available = std::min<int64_t>(job.min_available, 1);
    ElasticSize size;
    if (rng.Chance(0.4)) size.least = static_cast<int64_t>(rng.Below(4));
    if (rng.Chance(0.4)) size.most = size.least.value_or(1) + static_cast<int64_t>(rng.Below(4));
    if (size.most == 0) size.most = 1;
    if (!job.gang) job.gang = GangRules();
    job.gang->elastic = size;
    if (rng.Chance(0.9)) job.topology.reset();
  }
}

void AddSpending(Rng& rng, ClusterSpec* world) {
  const char* const prices[] = {"1", "0.5", "0.037", "2"};
  for (QueueSpec& queue : world->queues) {
    if (rng.Chance(0.3)) continue;
    SpendingRules rules;
    if (rng.Chance(0.7)) rules.prices.emplace_back("cpu", prices[rng.Below(4)]);
    if (rng.Chance(0.4)) rules.prices.emplace_back("memory", prices[rng.Below(4)]);
    if (rng.Chance(0.4)) rules.prices.emplace_back("nvidia.com/gpu", prices[rng.Below(4)]);
    if (rng.Chance(0.6)) rules.hourly_limit = static_cast<int64_t>(rng.Below(12));
    if (rng.Chance(0.6)) rules.limit = static_cast<int64_t>(rng.Below(20));
    if (!queue.rules) queue.rules = QueueRules();
    queue.rules->spending = rules;
    if (rng.Chance(0.6)) queue.history = UsageHistory{.spent = static_cast<int64_t>(rng.Below(8))};
  }
}

void AddTaskStrategies(Rng& rng, ClusterSpec* world) {
  for (JobSpec& job : world->jobs) {
    if (job.bundle_strategy != BundleStrategy::kNone || rng.Chance(0.3)) continue;
    if (rng.Chance(0.5) || world->nodes.empty()) {
      job.settings = {{"ray/strategy", "spread"}};
      continue;
    }
    const std::string node =
        rng.Chance(0.1) ? "gone" : world->nodes[rng.Below(world->nodes.size())].name;
    const char* const words[] = {"wait", "spill", "fail"};
    job.settings = {{"ray/strategy", "node"},
                    {"ray/node", node},
                    {"ray/soft", rng.Chance(0.5) ? "true" : "false"},
                    {"ray/unavailable", words[rng.Below(3)]}};
  }
}

void AddBundleDomains(Rng& rng, ClusterSpec* world) {
  for (NodeSpec& node : world->nodes) {
    if (rng.Chance(0.8)) node.labels.emplace_back("ray-domain", rng.Chance(0.5) ? "x" : "y");
  }
  for (JobSpec& job : world->jobs) {
    if (job.bundle_strategy == BundleStrategy::kNone || rng.Chance(0.3)) continue;
    job.settings = {{"ray/domain", "ray-domain"}};
  }
}

void AddBundleStrategies(Rng& rng, ClusterSpec* world) {
  for (JobSpec& job : world->jobs) job.bundle_strategy = static_cast<BundleStrategy>(rng.Below(5));
}

}  // namespace muster::testing
