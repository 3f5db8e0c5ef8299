// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What keeps a ClusterQueue from admitting, ways up in a forest, and slices of elastic jobs.
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/peer/kueue/cohort_path.h"
#include "lib/peer/kueue/readiness.h"
#include "lib/peer/kueue/slices.h"

namespace muster::kueue {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Readiness, TheFirstComplaintGivesTheReason) {
  EXPECT_TRUE(ReadinessOf({}).active);
  EXPECT_EQ(ReadinessOf({}).reason, "Ready");
  const Readiness ready =
      ReadinessOf({.missing_flavors = {"b", "a"},
                   .checks = {{.name = "x", .found = false}, {.name = "y", .active = false}}});
  EXPECT_FALSE(ready.active);
  EXPECT_EQ(ready.reason, "FlavorNotFound");
  EXPECT_EQ(ready.message,
            "Can't admit new workloads: references missing ResourceFlavor(s): b,a, references "
            "missing AdmissionCheck(s): x, references inactive AdmissionCheck(s): y.");
  EXPECT_EQ(ReadinessOf({.terminating = true, .stopped = true}).reason, "Terminating");
  EXPECT_EQ(ReadinessOf({.stopped = true}).message, "Can't admit new workloads: is stopped.");
}

TEST(Readiness, AQueueOfOtherClustersHasOneCheckForAllFlavors) {
  const QueueCheck remote{.name = "m", .kind = QueueCheck::Kind::kMultiKueue};
  QueueCheck other = remote;
  other.name = "l";
  EXPECT_TRUE(ReadinessOf({.checks = {remote}}).active);
  EXPECT_EQ(ReadinessOf({.checks = {remote, other}}).reason, "MultipleMultiKueueAdmissionChecks");
  other.all_flavors = false;
  EXPECT_EQ(ReadinessOf({.checks = {other}}).reason, "MultiKueueAdmissionCheckAppliedPerFlavor");
  const QueueCheck made{.name = "p", .kind = QueueCheck::Kind::kProvisioning};
  EXPECT_TRUE(ReadinessOf({.checks = {made}}).active);
  EXPECT_EQ(ReadinessOf({.checks = {remote, made}}).reason, "MultiKueueWithProvisioningRequest");
}

TEST(Readiness, TopologiesOfOtherClustersMayBeUnknown) {
  QueueFacts facts{.missing_topologies = {{"f", "t"}}};
  EXPECT_EQ(ReadinessOf(facts).reason, "TopologyNotFound");
  EXPECT_EQ(ReadinessOf(facts).message,
            "Can't admit new workloads: there is no Topology \"t\" for TAS flavor \"f\".");
  facts.checks = {{.name = "m", .kind = QueueCheck::Kind::kMultiKueue}};
  EXPECT_TRUE(ReadinessOf(facts).active);
}

TEST(CohortPath, AWayUpEndsOrNeverDoes) {
  const uint32_t none = kNothing;
  const std::vector<uint32_t> parents{1, 2, none, 4, 3, 4, 6};
  EXPECT_THAT(*WayUp(parents, 0), ElementsAre(1, 2));
  EXPECT_THAT(*WayUp(parents, 2), IsEmpty());
  for (const uint32_t node : {3, 4, 5, 6}) EXPECT_EQ(WayUp(parents, node), std::nullopt) << node;
  EXPECT_THAT(Endless(parents), ElementsAre(false, false, false, true, true, true, true));
  EXPECT_THAT(Endless({}), IsEmpty());
}

TEST(Slices, AReplacementWaitsWhileTheOldOneHoldsQuota) {
  std::vector<Slice> slices{
      {.name = "ns/a", .reserved = true}, {.name = "ns/b"}, {.name = "ns/c", .replaces = "ns/a"}};
  SliceChoice choice = ChooseSlices(slices);
  EXPECT_EQ(choice.current, 2);
  EXPECT_EQ(choice.holder, 0);
  EXPECT_THAT(choice.stray, ElementsAre(1));
  slices[2].reserved = true;
  choice = ChooseSlices(slices);
  EXPECT_EQ(choice.current, 2);
  EXPECT_EQ(choice.holder, 2);
  EXPECT_THAT(choice.replaced, ElementsAre(0));
  EXPECT_EQ(GrantedSlice(slices), 2);
}

TEST(Slices, EvictedOnesEnd) {
  std::vector<Slice> slices{{.name = "ns/a", .reserved = true, .evicted = true}, {.name = "ns/b"}};
  SliceChoice choice = ChooseSlices(slices);
  EXPECT_EQ(choice.current, 1);
  EXPECT_EQ(choice.holder, std::nullopt);
  EXPECT_THAT(choice.stray, ElementsAre(0));
  EXPECT_EQ(GrantedSlice(slices), std::nullopt);
  slices[1].evicted = true;
  choice = ChooseSlices(slices);
  EXPECT_EQ(choice.current, std::nullopt);
  EXPECT_THAT(choice.stray, ElementsAre(0, 1));
}

TEST(Slices, OfTwoThatClaimOneTheOneWithQuotaGoesFirst) {
  const std::vector<Slice> slices{{.name = "ns/a", .reserved = true},
                                  {.name = "ns/b", .replaces = "ns/a"},
                                  {.name = "ns/c", .replaces = "ns/a", .reserved = true}};
  const SliceChoice choice = ChooseSlices(slices);
  EXPECT_EQ(choice.current, 2);
  EXPECT_THAT(choice.replaced, ElementsAre(0));
  EXPECT_THAT(choice.stray, ElementsAre(1));
}

TEST(Slices, ReplaceWithinOneNamespace) {
  EXPECT_TRUE(MayReplace("ns/b", "ns/a"));
  EXPECT_FALSE(MayReplace("ns/b", "other/a"));
  EXPECT_TRUE(MayReplace("b", "a"));
  EXPECT_FALSE(MayReplace("ns/b", "a"));
}

}  // namespace
}  // namespace muster::kueue
