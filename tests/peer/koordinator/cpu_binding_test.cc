// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Which tasks get CPUs of their own, worked out by hand.
#include "lib/peer/koordinator/cpu/cpu_binding.h"

#include "gtest/gtest.h"

namespace muster::testing {
namespace {

TEST(CpuBinding, NeedOfATask) {
  const BindWish four{.strict = true, .milli = 4000};
  EXPECT_TRUE(NeedOfTask(four, BindPolicy::kFullCores).binds);
  EXPECT_EQ(NeedOfTask(four, BindPolicy::kFullCores).cpus, 4);
  EXPECT_FALSE(NeedOfTask({.milli = 4000}, BindPolicy::kFullCores).binds);
  BindWish wish{.strict = true, .required = BindPolicy::kDefault, .milli = 4500};
  EXPECT_EQ(NeedOfTask(wish, BindPolicy::kSpread).refusal, BindRefusal::kFraction);
  wish.required = BindPolicy::kOther;  // switches the binding off
  EXPECT_EQ(NeedOfTask(wish, BindPolicy::kSpread).refusal, BindRefusal::kNone);
  EXPECT_FALSE(NeedOfTask(wish, BindPolicy::kSpread).binds);
  EXPECT_FALSE(NeedOfTask({.strict = true}, BindPolicy::kSpread).binds);
}

TEST(CpuBinding, NodesDemand) {
  EXPECT_EQ(BindingOfNode(NodeCpuBinding::kSpread, true), NodeCpuBinding::kFullCores);
  EXPECT_EQ(BindingOfNode(NodeCpuBinding::kSpread, false), NodeCpuBinding::kSpread);
  const CpuNeed shared{.milli = 1500, .cpus = 1};
  EXPECT_FALSE(BindingOnNode(shared, NodeCpuBinding::kNone, 2).binds);
  EXPECT_EQ(BindingOnNode(shared, NodeCpuBinding::kSpread, 2).refusal, BindRefusal::kFraction);
  const CpuNeed full = NeedOfTask(
      {.strict = true, .required = BindPolicy::kFullCores, .milli = 3000}, BindPolicy::kSpread);
  EXPECT_EQ(BindingOnNode(full, NodeCpuBinding::kNone, 2).refusal, BindRefusal::kHalfCores);
  EXPECT_EQ(BindingOnNode(full, NodeCpuBinding::kNone, 1).refusal, BindRefusal::kNone);
  EXPECT_EQ(BindingOnNode(full, NodeCpuBinding::kSpread, 1).refusal, BindRefusal::kConflict);
  EXPECT_TRUE(BindingOnNode(full, NodeCpuBinding::kNone, 1).required);
}

TEST(CpuBinding, PoliciesThatBindingWrites) {
  const NodeBinding demanded{.policy = BindPolicy::kFullCores, .required = true};
  EXPECT_EQ(PoliciesToWrite({}, demanded).required, BindPolicy::kFullCores);
  EXPECT_EQ(PoliciesToWrite({.required = BindPolicy::kSpread}, demanded).required,
            BindPolicy::kSpread);
  const NodeBinding preferred{.policy = BindPolicy::kSpread};
  EXPECT_EQ(PoliciesToWrite({}, preferred).preferred, BindPolicy::kSpread);
  EXPECT_EQ(PoliciesToWrite({.preferred = BindPolicy::kDefault}, preferred).preferred,
            BindPolicy::kSpread);
  EXPECT_EQ(PoliciesToWrite({.required = BindPolicy::kDefault}, preferred).preferred,
            BindPolicy::kUnset);
}

TEST(CpuBinding, AmplifiedCpus) {
  EXPECT_EQ(AmplifiedAmount(1001, 1.5), 1502);
  EXPECT_EQ(AmplifiedAmount(1001, 0.5), 1001);
  AmplifiedCpus cpus{.capacity = 64000, .requested = 32000, .ratio = 2};
  EXPECT_TRUE(FitsAmplified(32000, false, cpus));
  EXPECT_FALSE(FitsAmplified(32000, true, cpus));
  cpus.bound = 1000;
  EXPECT_FALSE(FitsAmplified(32000, false, cpus));
  EXPECT_TRUE(FitsAmplified(31000, false, cpus));
  cpus.ratio = 1;
  EXPECT_TRUE(FitsAmplified(99000, true, cpus));
}

TEST(CpuBinding, FreeOfAZone) {
  ZoneRoom zone;
  zone.total.Set(0, 24000);
  EXPECT_EQ(FreeOfZone(zone, 0, 1.5).available.at(0), 24000);
  EXPECT_FALSE(FreeOfZone(zone, 0, 1.5).allocated.has_value());
  zone.allocated.emplace().Set(0, 8000);
  zone.bound = 4000;
  EXPECT_EQ(FreeOfZone(zone, 0, 1.5).allocated->at(0), 10000);
  EXPECT_EQ(FreeOfZone(zone, 0, 1).available.at(0), 16000);
  zone.reusable.Set(0, 12000);
  EXPECT_EQ(FreeOfZone(zone, 0, 1.5).available.at(0), 24000);
}

TEST(CpuBinding, PoliciesOfZones) {
  EXPECT_EQ(ZonePolicyOf("a", ""), "a");
  EXPECT_EQ(ZonePolicyOf("", "b"), "b");
  EXPECT_FALSE(ZonePolicyOf("a", "b").has_value());
}

}  // namespace
}  // namespace muster::testing
