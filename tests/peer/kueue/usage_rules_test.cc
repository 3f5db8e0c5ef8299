// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What LocalQueues have used, and LimitRanges.
#include <cmath>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/peer/kueue/local_usage.h"
#include "lib/peer/kueue/pod_limits.h"

namespace muster::kueue {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(LocalUsage, HalfOfTheHistoryIsForgottenInAHalfLife) {
  EXPECT_EQ(PresentShare(10, 10), 0.5);
  EXPECT_EQ(PresentShare(20, 10), 0.75);
  EXPECT_EQ(PresentShare(10, 0), 0);
  LocalUsage usage;
  usage.set_history({{"cpu", 8 * kOne}});
  usage.Settle({{"cpu", 2 * kOne}}, 10, 10);
  EXPECT_EQ(usage.history().at("cpu"), 5 * kOne);
  usage.Settle({}, 10, 10);
  EXPECT_EQ(usage.history().at("cpu"), 5 * kOne / 2);
  usage.Settle({{"cpu", 100 * kOne}}, 10, 0);
  EXPECT_EQ(usage.history().at("cpu"), 5 * kOne / 2);
}

TEST(LocalUsage, ScalingIsExactAndRoundsDown) {
  EXPECT_EQ(Scaled({{"a", 3}}, 0.5).at("a"), 1);
  EXPECT_EQ(Scaled({{"a", 1}}, 0.999).at("a"), 0);
  EXPECT_EQ(Scaled({{"a", 10 * kOne}}, 0.1).at("a"), kOne);
  // Far beyond what a double holds exactly.
  const Billionths large = Billionths(int64_t{1} << 60) * kOne;
  EXPECT_EQ(Scaled({{"a", large}}, 1).at("a"), large);
  EXPECT_EQ(Scaled({{"a", large}}, 0.5).at("a"), large / 2);
  EXPECT_EQ(Scaled({{"a", large}}, 1e-9).at("a"), large / kOne);
}

TEST(LocalUsage, AWorkloadHasOnePenaltyAtMost) {
  LocalUsage usage;
  usage.Push("a", {{"cpu", 2}});
  usage.Push("b", {{"memory", 5}});
  usage.Push("a", {{"cpu", 3}});
  EXPECT_EQ(usage.penalty(), (UsedAmounts{{"cpu", 3}, {"memory", 5}}));
  usage.Take("c");
  usage.Take("a");
  usage.Take("a");
  EXPECT_EQ(usage.penalty(), (UsedAmounts{{"memory", 5}}));
  EXPECT_TRUE(usage.HasPenalty());
  usage.Take("b");
  EXPECT_FALSE(usage.HasPenalty());
  usage.Push("d", {{"cpu", 0}});
  EXPECT_FALSE(usage.HasPenalty());
}

TEST(LocalUsage, TheValueIsDividedByTheWeight) {
  LocalUsage usage;
  usage.set_history({{"cpu", kOne}, {"gpu", 2 * kOne}});
  usage.Push("a", {{"gpu", kOne}});
  EXPECT_EQ(usage.Value(1, {}), 4);
  EXPECT_EQ(usage.Value(2, {{"cpu", 0}, {"gpu", 4}}), 6);
  EXPECT_TRUE(std::isinf(LocalUsage().Value(0, {})));
  EXPECT_EQ(PenaltyOf({{"cpu", 4 * kOne}}, 10, 10).at("cpu"), 2 * kOne);
  EXPECT_TRUE(CountsPenalty(true, true, false));
  EXPECT_FALSE(CountsPenalty(false, true, false));
  EXPECT_FALSE(CountsPenalty(true, false, false));
  EXPECT_FALSE(CountsPenalty(true, true, true));
}

TEST(PodLimits, WhatIsLeftOutIsFilledIn) {
  LimitSummary limits;
  AddLimit({.standard = {{"cpu", 4}}, .standard_request = {{"cpu", 3}}}, &limits);
  AddLimit({.standard = {{"cpu", 9}, {"gpu", 1}}}, &limits);
  PodAmounts pod{.containers = {{}, {.requests = {{"cpu", 1}}, .limits = {{"memory", 7}}}},
                 .own = ContainerAmounts()};
  Complete(limits, &pod, {{"cpu", 8}});
  EXPECT_EQ(pod.containers[0].limits, (NamedAmounts{{"cpu", 4}, {"gpu", 1}}));
  EXPECT_EQ(pod.containers[0].requests, (NamedAmounts{{"cpu", 3}, {"gpu", 1}}));
  EXPECT_EQ(pod.containers[1].requests, (NamedAmounts{{"cpu", 1}, {"gpu", 1}, {"memory", 7}}));
  EXPECT_THAT(pod.own->requests, IsEmpty());
  EXPECT_EQ(pod.overhead, (NamedAmounts{{"cpu", 8}}));
  Complete(limits, &pod, {{"cpu", 1}});
  EXPECT_EQ(pod.overhead, (NamedAmounts{{"cpu", 8}}));
}

TEST(PodLimits, RangesAreTheTightest) {
  LimitSummary limits;
  AddLimit({.most = {{"cpu", 5}}, .least = {{"cpu", 1}}}, &limits);
  AddLimit({.most = {{"cpu", 4}}, .least = {{"cpu", 2}}}, &limits);
  AddLimit({.kind = LimitKind::kPod, .most = {{"cpu", 6}}, .least = {{"memory", 1}}}, &limits);
  using What = PodProblem::What;
  const PodAmounts pod{.init = {{.requests = {{"cpu", 2}}, .limits = {{"cpu", 5}}}},
                       .containers = {{.requests = {{"cpu", 4}}, .limits = {{"cpu", 1}}}}};
  EXPECT_THAT(OutOfRange(pod, {{"cpu", 7}}, limits),
              ElementsAre(PodProblem{What::kAboveMost, "initContainers[0]", {"cpu"}},
                          PodProblem{What::kBelowLeast, "containers[0]", {"cpu"}},
                          PodProblem{What::kAboveMost, "", {"cpu"}}));
  EXPECT_THAT(OutOfRange(pod, {{"cpu", 6}}, {}), IsEmpty());
  EXPECT_THAT(AboveLimits(pod),
              ElementsAre(PodProblem{What::kAboveLimit, "containers[0]", {"cpu"}}));
}

}  // namespace
}  // namespace muster::kueue
