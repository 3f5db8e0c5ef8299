// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Advice on threads and on one, over random worlds and the profiles of the registry. What one
// executor promises is in tests/threads.
#include "muster/executor.h"

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "lib/base/rng.h"
#include "lib/scenario/question.h"
#include "muster/rehearsal.h"
#include "muster/remedy.h"
#include "muster/upkeep.h"
#include "tests/support/random_world.h"
#include "tests/support/world_loop.h"

namespace muster::testing {
namespace {

// All answers about the world, as text.
std::string Answers(const Cluster& cluster, const std::string& profile, const std::string& job,
                    int64_t trials, Executor* executor) {
  const auto diagnosis = Diagnose(cluster, profile, job, {.trials = trials, .executor = executor});
  std::string out =
      diagnosis.ok() ? WriteDiagnosis(job, *diagnosis) : diagnosis.status().ToString();
  const auto needed = NeedNodes(cluster, profile, {}, {.most = 5, .executor = executor});
  out += needed.ok() ? WriteNodesNeeded(*needed) : needed.status().ToString();
  const auto rehearsal =
      Rehearse(cluster, profile, std::vector<WhatIfChange>{{.remove_job = job}}, {}, executor);
  if (!rehearsal.ok()) return out + rehearsal.status().ToString();
  return out + rehearsal->before.Digest() + rehearsal->after.Digest() +
         rehearsal->difference.ToJson();
}

TEST(Executor, AdviceOnRandomWorldsIsThatOfOneThread) {
  constexpr std::array<int64_t, 4> kWidths = {2, 3, 8, 16};
  const std::vector<ProfileInfo> profiles = Profiles();
  const WorldKnobs knobs = {.nodes = 5, .queues = 3, .jobs = 5, .tasks = 4};
  uint64_t remedies = 0;
  for (uint64_t i = 0; i < WorldCount(60); ++i) {
    const uint64_t seed = FirstSeed(1) + i;
    const std::optional<Cluster> cluster = TryCluster(RandomWorld(seed, knobs));
    const ClusterSpec rows = cluster.has_value() ? cluster->Describe() : ClusterSpec();
    if (rows.jobs.empty()) continue;
    Rng rng(seed);
    // Each profile in turn; trials that end in the middle of a way to help, and that do not.
    const std::string& profile = profiles[i % profiles.size()].name;
    const std::string& job = rows.jobs[rng.Below(rows.jobs.size())].name;
    const auto trials = static_cast<int64_t>(1 + rng.Below(40));
    const std::string alone = Answers(*cluster, profile, job, trials, nullptr);
    const std::unique_ptr<Executor> threads = MakeThreads(kWidths[rng.Below(kWidths.size())]);
    ASSERT_EQ(Answers(*cluster, profile, job, trials, threads.get()), alone)
        << profile << ", " << job << ", seed " << seed << ", width " << threads->width();
    remedies += alone.find("\"words\"") != std::string::npos ? 1 : 0;
  }
  if (WorldCount(60) >= 60) EXPECT_GT(remedies, 5u);
}

}  // namespace
}  // namespace muster::testing
