// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Every policy in every profile: a point that some action forgets to prepare shows as a crash or an
// error here.
#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "lib/base/strings.h"
#include "muster/cluster.h"
#include "muster/schedule.h"

namespace muster {
namespace {

// Two racks of two nodes, one of them full; a gang that fits in one rack, one that has to evict,
// and one that never fits.
Cluster Racks() {
  Cluster cluster;
  for (const char* rack : {"rack0", "rack1"}) {
    EXPECT_TRUE(cluster.AddDomain({.name = rack}).ok());
    for (const char* half : {"a", "b"}) {
      EXPECT_TRUE(cluster
                      .AddNode({.name = absl::StrCat(rack, half),
                                .capacity = {{"cpu", 4}, {"memory", "8Gi"}, {"pods", 10}},
                                .domain = rack})
                      .ok());
    }
  }
  EXPECT_TRUE(cluster.AddQueue({.name = "left"}).ok());
  EXPECT_TRUE(cluster.AddQueue({.name = "right", .weight = 3}).ok());
  const auto group = [](int64_t count, int64_t cpu) {
    GroupSpec workers{.name = "w", .count = count};
    workers.shape.request = {{"cpu", cpu}, {"memory", "1Gi"}};
    return workers;
  };
  EXPECT_TRUE(cluster.AddJob({.name = "old", .queue = "left", .phase = JobPhase::kRunning}).ok());
  for (int i = 0; i < 4; ++i) {
    TaskSpec task{.name = absl::StrCat("old-", i), .job = "old"};
    task.shape.request = {{"cpu", 2}, {"memory", "1Gi"}};
    task.status = TaskStatus::kRunning;
    task.node = i < 2 ? "rack1a" : "rack1b";
    EXPECT_TRUE(cluster.AddTask(task).ok());
  }
  const auto add = [&](const char* name, const char* queue, int32_t priority, GroupSpec workers) {
    JobSpec job{.name = name, .queue = queue, .priority = priority};
    job.min_available = workers.count;
    job.groups = {std::move(workers)};
    job.estimate = 60;
    EXPECT_TRUE(cluster.AddJob(job).ok());
  };
  add("fits", "right", 0, group(2, 3));
  add("evicts", "right", 5, group(3, 2));
  add("never", "left", 9, group(9, 4));
  return cluster;
}

TEST(CombinationsTest, EveryPolicyRunsInEveryProfile) {
  int ran = 0;
  for (const ProfileInfo& profile : Profiles()) {
    for (const PolicyInfo& policy : Policies()) {
      const std::string spec = absl::StrCat(ToAbsl(profile.name), ":+", ToAbsl(policy.name));
      Cluster cluster = Racks();
      const absl::StatusOr<Plan> plan = cluster.Schedule(spec);
      if (!plan.ok()) {
        EXPECT_EQ(plan.status().message(),
                  absl::StrCat("profile: ", Quote(policy.name), " is there already"))
            << spec;
        continue;
      }
      ++ran;
      EXPECT_EQ(Racks().Schedule(spec)->Digest(), plan->Digest()) << spec;
    }
  }
  EXPECT_GT(ran, 200);
}

}  // namespace
}  // namespace muster
