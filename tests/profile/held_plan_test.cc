// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// A plan takes over memory of the one before it only where nothing holds that one any more.
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "muster/muster.h"

namespace muster {
namespace {

Cluster MakeCluster() {
  Cluster cluster;
  EXPECT_TRUE(
      cluster.AddNodes(4, {.name = "n", .capacity = {{"cpu", 8}, {"memory", "32Gi"}}}).ok());
  for (const char* queue : {"a", "b", "c"}) EXPECT_TRUE(cluster.AddQueue({.name = queue}).ok());
  return cluster;
}

void Arrive(Cluster& cluster, int number) {
  JobSpec job{.name = absl::StrCat("job", number), .queue = number % 2 == 0 ? "a" : "c"};
  job.groups = {{.name = "w",
                 .count = 2,
                 .shape = {.request = {{"cpu", 1 + number % 3}, {"memory", "1Gi"}}}}};
  ASSERT_TRUE(cluster.AddJob(job).ok());
}

std::string SharesOf(const Plan& plan) {
  std::string words;
  for (const QueueShare& share : plan.shares()) {
    absl::StrAppend(&words, share.queue.value(), ":");
    for (const int64_t amount : share.allocated_before) absl::StrAppend(&words, " ", amount);
    for (const int64_t amount : share.allocated_after) absl::StrAppend(&words, " ", amount);
    for (const double amount : share.deserved) absl::StrAppend(&words, " ", amount);
    absl::StrAppend(&words, " ", share.share_before, " ", share.share_after, "\n");
  }
  return words;
}

TEST(HeldPlan, StaysAsItWasAndTheNextOneIsThatOfAFrozenCluster) {
  for (const char* profile : {"volcano", "muster"}) {
    Cluster cluster = MakeCluster();
    std::optional<Plan> held;
    std::string shares;
    for (int step = 0; step < 8; ++step) {
      SCOPED_TRACE(absl::StrCat(profile, ", step ", step));
      Arrive(cluster, step);
      if (step == 6) ASSERT_TRUE(cluster.RemoveQueue("b").ok());
      absl::StatusOr<Plan> plan = cluster.Schedule(profile);
      ASSERT_TRUE(plan.ok());
      const absl::StatusOr<Plan> frozen = Schedule(cluster.Freeze(), profile);
      ASSERT_TRUE(frozen.ok());
      EXPECT_EQ(SharesOf(*plan), SharesOf(*frozen));
      EXPECT_EQ(plan->Digest(), frozen->Digest());
      if (held) EXPECT_EQ(SharesOf(*held), shares);
      ASSERT_TRUE(cluster.Apply(*plan).ok());
      held.reset();
      if (step % 3 != 0) {
        shares = SharesOf(*plan);
        held = *plan;
      }
    }
    EXPECT_FALSE(shares.empty());
  }
}

}  // namespace
}  // namespace muster
