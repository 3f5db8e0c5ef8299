// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Kueue's feature gates as options of action admit.
#include <cctype>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/peer/kueue/admit_options.h"
#include "tests/peer/kueue/places_fixture.h"
#include "tests/peer/kueue/profile_fixture.h"

namespace muster::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

// "TASProfileMixed" as "tas_profile_mixed".
std::string OptionOf(std::string_view gate) {
  std::string words;
  if (gate.starts_with("TAS")) {
    words = "tas";
    gate.remove_prefix(3);
  }
  for (const char c : gate) {
    if (std::isupper(c) && !words.empty()) words += '_';
    words += static_cast<char>(std::tolower(c));
  }
  return words;
}

TEST(KueueGates, EachOptionSetsItsGateAndDefaultsToThatOfKueue) {
  for (const kueue::GateRule& rule : kueue::kGateRules) {
    if (rule.option.empty()) continue;
    EXPECT_EQ(rule.option, OptionOf(rule.name));
    const auto gate_with = [&](const OptionValues& given) {
      const absl::StatusOr<Options> options =
          Options::Check("action admit", kueue::AdmitOptionDecls(), given);
      EXPECT_TRUE(options.ok()) << options.status();
      return kueue::ConfigOf(*options).gates.*rule.gate;
    };
    EXPECT_EQ(gate_with({}), kueue::Gates().*rule.gate) << rule.name;
    EXPECT_TRUE(gate_with({{std::string(rule.option), "on"}})) << rule.name;
    EXPECT_FALSE(gate_with({{std::string(rule.option), "off"}})) << rule.name;
  }
}

class KueueGateOptions : public KueueProfile {};

TEST_F(KueueGateOptions, UnknownGatesAndValuesAreRefused) {
  const auto words = [&](const std::string& spec) {
    return std::string(cluster_.Schedule(spec).status().message());
  };
  EXPECT_THAT(words("kueue:admit(flavour_fungibility=off)"), HasSubstr("flavor_fungibility"));
  EXPECT_THAT(words("kueue:admit(flavor_fungibility=false)"), HasSubstr("on or off"));
}

TEST_F(KueueGateOptions, WithoutPartialAdmissionAJobGetsAllItsTasksOrNone) {
  Queue("a", 4);
  ByCountJob("sweep", 9, /*priority=*/0, /*min_count=*/3);
  EXPECT_EQ(Live("kueue:partial_admission=off"), "");
  EXPECT_EQ(Live(), "admit sweep");
}

TEST_F(KueueGateOptions, WithoutPrioritySortingTurnsGoByTime) {
  Queue("a", 1);
  Queue("b", 1);
  Job("first", "a", 2, /*priority=*/0);
  Job("high", "b", 2, /*priority=*/5);
  EXPECT_EQ(Decide(cluster_, "kueue"), "admit high");
  EXPECT_EQ(Decide(cluster_, "kueue:priority_sorting_within_cohort=off"), "admit first");
}

TEST_F(KueueGateOptions, WithoutReclaimablePodsTasksThatSucceededHoldTheirQuota) {
  Queue("a", 2);
  Node();
  Job("j", "a", 2);
  EXPECT_EQ(Live(), "admit j");
  testing::Run(cluster_, "j0", "n");
  testing::Run(cluster_, "j1", "n");
  Accept(cluster_.SetTaskStatus("j0", TaskStatus::kSucceeded));
  Job("next", "a", 1);
  EXPECT_EQ(Live("kueue:reclaimable_pods=off"), "");
  EXPECT_EQ(Live(), "admit next");
}

TEST_F(KueueGateOptions, WithoutReclaimablePodsAJobThatWaitsCountsWhole) {
  Queue("a", 1);
  Job("j", "a", 2);
  Accept(cluster_.SetTaskStatus("j0", TaskStatus::kSucceeded));
  EXPECT_EQ(Live("kueue:reclaimable_pods=off"), "");
  EXPECT_EQ(Live(), "admit j");
}

// Without hashes each job is tried by itself, and has the reason of its own attempt.
TEST_F(KueueGateOptions, WithoutHashesNoJobHasTheReasonOfAnother) {
  Queue("a", 2);
  Job("one", "a", 3);
  Job("two", "a", 4);
  const absl::StatusOr<Plan> plan =
      cluster_.Schedule("kueue:admit(scheduling_equivalence_hashing=off,cycles=1)");
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_THAT(*plan->Explain("one"), HasSubstr("insufficient"));
  EXPECT_THAT(*plan->Explain("two"), ::testing::Not(HasSubstr("insufficient")));
}

// Quota of 2 cpu, and none of licenses.
TEST_F(KueueGateOptions, AResourceWithoutQuotaMayNotCount) {
  Queue("a", 2);
  JobSpec job{.name = "j", .queue = "a", .min_available = 1};
  AddJob(cluster_, job, 2, {{"cpu", 1}, {"example.com/license", 1}});
  EXPECT_EQ(Decide(cluster_, "kueue"), "");
  EXPECT_EQ(Decide(cluster_, "kueue:quota_check_strategy=ignore_undeclared"), "admit j");
  EXPECT_THAT(std::string(cluster_.Schedule("kueue:quota_check_strategy=none").status().message()),
              HasSubstr("block_undeclared|ignore_undeclared"));
}

// Each of three queues has 3 cpu of its own. b has borrowed 3 in one job, so that without it b has
// a share of 0, and the share of a with the job that waits is 1 of 9.
TEST_F(KueueGateOptions, StrategiesOfFairSharingDecideWhatMayBeEvicted) {
  QueueRules rules;
  rules.preemption.reclaim = VictimScope::kAny;
  for (const char* queue : {"a", "b", "c"}) Queue(queue, 3, rules);
  Node();
  Job("large", "b", 6);
  EXPECT_EQ(Live("kueue:fair_sharing=on"), "admit large");
  Job("other", "a", 3);
  EXPECT_EQ(Live("kueue:fair_sharing=on"), "admit other");
  for (int i = 0; i < 6; ++i) testing::Run(cluster_, "large" + std::to_string(i), "n");
  for (int i = 0; i < 3; ++i) testing::Run(cluster_, "other" + std::to_string(i), "n");
  Job("j", "a", 1);
  const auto evicted = [&](const std::string& strategies) {
    return Decide(cluster_,
                  "kueue:admit(fair_sharing=on,preemption_strategies=" + strategies + ")");
  };
  EXPECT_EQ(evicted("final"), "");
  EXPECT_THAT(evicted("initial"), HasSubstr("evict large0 n"));
  EXPECT_EQ(evicted("both"), evicted("initial"));
  EXPECT_THAT(std::string(cluster_.Schedule("kueue:preemption_strategies=x").status().message()),
              HasSubstr("both|final|initial"));
}

class KueuePlaceGates : public KueuePlaces {};

TEST_F(KueuePlaceGates, WithoutTopologiesQuotaAloneCounts) {
  Job("a", 5, {{kRequired, "rack"}});
  Cycle();
  EXPECT_EQ(PlacesOf("a"), "waits");
  profile_ = "kueue:topology_aware_scheduling=off";
  Cycle();
  EXPECT_EQ(PlacesOf("a"), "");
}

TEST_F(KueuePlaceGates, BalancedPlacementIsAGate) {
  for (int n = 0; n < 4; ++n) {
    NodeSpec node = NodeAt(n);
    node.capacity = {{"cpu", 3}, {"pods", 10}};
    Accept(cluster_.UpdateNode(node));
  }
  Job("a", 4, {{kPreferred, "rack"}});
  EXPECT_EQ(Places("kueue"), "n0: 3, n1: 1");
  EXPECT_EQ(Places("kueue:tas_balanced_placement=on"), "n0: 2, n1: 2");
}

TEST_F(KueuePlaceGates, SlicesInSlicesAreAGate) {
  Job("a", 4, {{"kueue/podset-slice-required-topology-constraints", "rack=4," + kHost + "=2"}});
  const auto words = [&](const std::string& spec) {
    return std::string(cluster_.Schedule(spec).status().message());
  };
  EXPECT_EQ(words("kueue"), "");
  EXPECT_THAT(words("kueue:tas_multi_layer_topology=off"),
              HasSubstr("job \"a\": setting \"kueue/podset-slice-required-topology-constraints\" "
                        "needs option tas_multi_layer_topology of action admit"));
}

TEST_F(KueuePlaceGates, FailedHostsAreReplacedByGates) {
  Job("a", 2, {{kRequired, kHost}});
  Cycle();
  EXPECT_EQ(PlacesOf("a"), "n0: 2");
  Fail(0);
  profile_ = "kueue:tas_failed_node_replacement=off";
  EXPECT_THAT(Cycle().decisions(), IsEmpty());
  testing::Run(cluster_, "a0", "n0");
  profile_ = "kueue";
  Cycle();
  EXPECT_EQ(PlacesOf("a"), "n0: 2");  // a task is there
  profile_ = "kueue:tas_replace_node_on_pod_termination=off";
  Cycle();
  EXPECT_EQ(PlacesOf("a"), "n1: 2");
}

TEST_F(KueuePlaceGates, TaintsFailHostsByAGate) {
  Job("a", 2, {{kRequired, kHost}});
  Cycle();
  NodeSpec node = NodeAt(0);
  node.taints = {{.key = "k", .effect = TaintEffect::kNoSchedule}};
  Accept(cluster_.UpdateNode(node));
  profile_ = "kueue:tas_replace_node_on_node_taints=off";
  EXPECT_THAT(Cycle().decisions(), IsEmpty());
  profile_ = "kueue";
  Cycle();
  EXPECT_EQ(PlacesOf("a"), "n1: 2");
}

}  // namespace
}  // namespace muster::testing
