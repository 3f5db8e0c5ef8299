// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/kueue/workload_rules.h"

#include <limits>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/peer/kueue/amount.h"

namespace muster::kueue {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr int64_t kMost = std::numeric_limits<int64_t>::max();

TEST(WorkloadRules, SomeEvictionsMoveAWorkloadToTheEndOfItsQueue) {
  WorkloadState state{.created = 100};
  EXPECT_EQ(QueueTime(state, {}), 100);
  state.conditions = {{"Evicted", "Preempted", true, 200}};
  EXPECT_EQ(QueueTime(state, {}), 100);
  state.conditions[0].reason = "AdmissionCheck";
  EXPECT_EQ(QueueTime(state, {}), 200);
  state.conditions[0].reason = "PodsReadyTimeout";
  EXPECT_EQ(QueueTime(state, {}), 200);
  EXPECT_EQ(QueueTime(state, {.from_eviction = false}), 100);
  state.conditions[0].holds = false;
  EXPECT_EQ(QueueTime(state, {}), 100);
  state.conditions = {{"Preempted", "InCohortReclaimWhileBorrowing", true, 300}};
  EXPECT_EQ(QueueTime(state, {}), 100);
  EXPECT_EQ(QueueTime(state, {.sorts_by_priority = false}), 301);
}

TEST(WorkloadRules, ABoostIsASignedNumber) {
  EXPECT_EQ(EffectivePriority(200, "-50", true).priority, 150);
  EXPECT_EQ(EffectivePriority(200, "+50", true).priority, 250);
  EXPECT_EQ(EffectivePriority(200, "-50", false).priority, 200);
  EXPECT_EQ(EffectivePriority(2147483647, "2147483647", true).priority, 4294967294);
  for (const char* bad : {"+-5", "5x", "2147483648", "+", " 5"}) {
    EXPECT_FALSE(EffectivePriority(200, bad, true).valid) << bad;
    EXPECT_EQ(EffectivePriority(200, bad, true).priority, 200) << bad;
  }
}

TEST(WorkloadRules, ASecondPassIsForPlacesAndForLostNodes) {
  WorkloadState state{.conditions = {{"QuotaReserved", "", true, 0}},
                      .checks = {"Ready", "Ready"},
                      .delayed = true};
  EXPECT_TRUE(NeedsSecondPass(state));
  state.checks[1] = "Pending";
  EXPECT_FALSE(NeedsSecondPass(state));
  state.checks.clear();
  EXPECT_FALSE(NeedsSecondPass(state));
  state.nodes = {"a", "b"};
  state.unhealthy = {"b"};
  EXPECT_FALSE(NeedsSecondPass(state));  // not admitted
  state.conditions.push_back({"Admitted", "", true, 0});
  EXPECT_TRUE(NeedsSecondPass(state));
  state.unhealthy = {"c"};
  EXPECT_FALSE(NeedsSecondPass(state));
  state.unhealthy = {"a"};
  state.conditions.push_back({"Evicted", "", true, 0});
  EXPECT_FALSE(NeedsSecondPass(state));
  state.conditions = {{"QuotaReserved", "OnHold", false, 0}};
  EXPECT_TRUE(IsOnHold(state));
  EXPECT_FALSE(NeedsSecondPass(state));
}

TEST(WorkloadRules, ScaledDownMeansSomeFewerAndNoneMore) {
  EXPECT_TRUE(IsScaledDown({{"a", 3}, {"b", 5}}, {{"a", 2}, {"b", 5}}));
  EXPECT_FALSE(IsScaledDown({{"a", 3}, {"b", 5}}, {{"a", 2}, {"b", 6}}));
  EXPECT_FALSE(IsScaledDown({{"a", 3}}, {{"a", 3}}));
  EXPECT_TRUE(IsScaledDown({{"a", 3}, {"b", 5}}, {{"a", 2}, {"c", 9}}));
}

TEST(WorkloadRules, Totals) {
  EXPECT_EQ(CountAfterReclaim(5, 2), 3);
  EXPECT_EQ(CountAfterReclaim(5, 7), 0);
  PodRequest pod = {{0, -10}, {1, 7}, {2, kMost / 2}};
  TotalOf(3, &pod);
  EXPECT_THAT(pod, ElementsAre(PodAmount{0, 0}, PodAmount{1, 21}, PodAmount{2, kMost}));
  PodRequest total = {{0, 100}, {1, 0}};
  ScaleTotal(3, 2, &total);  // 33 each
  EXPECT_THAT(total, ElementsAre(PodAmount{0, 66}, PodAmount{1, 0}));
  EXPECT_THAT(MoreThan({{0, 2}, {1, 5}, {2, 9}}, {{1, 5}, {0, 1}}), ElementsAre(0));
  EXPECT_THAT(MoreThan({}, {{0, 1}}), IsEmpty());
}

TEST(WorkloadRules, TheScarcestResourceLimitsPods) {
  const TopologyResources resources({"pods", "memory", "cpu"});
  const auto room = [](uint32_t r) { return r == 0 ? int64_t{10} : int64_t{4}; };
  const PodRequest pod = {{0, 1}, {1, 2}, {2, 2}};
  EXPECT_EQ(CountPods(pod, room), 2);
  EXPECT_EQ(LimitOfPods(pod, room, resources), 2);  // "cpu" goes before "memory"
  EXPECT_EQ(CountPods(PodRequest{{1, -3}}, [](uint32_t) { return 5; }), 0);
  EXPECT_EQ(LimitOfPods(PodRequest{}, room, resources), kNone);
  EXPECT_EQ(RequestAmount("gpu", "-3"), -3);
  EXPECT_EQ(RequestAmount("gpu", "-100000000000000000000"), kLeastAmount);
  EXPECT_EQ(RequestAmount("gpu", "100000000000000000000"), kMost);
}

}  // namespace
}  // namespace muster::kueue
