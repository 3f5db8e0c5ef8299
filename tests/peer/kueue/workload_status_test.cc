// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/kueue/workload_status.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/peer/kueue/admission_checks.h"

namespace muster::kueue {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

WorkloadCondition True(std::string type, int64_t time = 0) {
  return {.type = std::move(type), .holds = true, .time = time};
}

TEST(WorkloadStatus, APhaseIsTheFurthestThatHolds) {
  WorkloadState state;
  EXPECT_EQ(PhaseOf(state), WorkloadPhase::kPending);
  state.conditions = {True("QuotaReserved")};
  EXPECT_EQ(PhaseOf(state), WorkloadPhase::kReserved);
  state.conditions.push_back(True("Admitted"));
  EXPECT_EQ(PhaseOf(state), WorkloadPhase::kAdmitted);
  state.conditions.push_back(True("Finished"));
  EXPECT_EQ(PhaseOf(state), WorkloadPhase::kFinished);
  EXPECT_TRUE(WaitsAgain(WorkloadPhase::kAdmitted, WorkloadPhase::kPending));
  EXPECT_TRUE(WaitsAgain(WorkloadPhase::kReserved, WorkloadPhase::kPending));
  EXPECT_FALSE(WaitsAgain(WorkloadPhase::kAdmitted, WorkloadPhase::kReserved));
  EXPECT_FALSE(WaitsAgain(WorkloadPhase::kPending, WorkloadPhase::kPending));
}

TEST(WorkloadStatus, OnlyWhatMayBeAdmittedWaits) {
  WorkloadState state;
  EXPECT_TRUE(MayWait(state));
  EXPECT_EQ(EntranceOf(state, true, true), QueueEntrance::kQueued);
  EXPECT_EQ(EntranceOf(state, true, false), QueueEntrance::kNoClusterQueue);
  EXPECT_EQ(EntranceOf(state, false, false), QueueEntrance::kNoLocalQueue);
  state.gated = true;
  EXPECT_FALSE(MayWait(state));
  state = {.active = false};
  EXPECT_EQ(EntranceOf(state, false, false), QueueEntrance::kNotWaiting);
  for (const char* type : {"Finished", "QuotaReserved", "WaitingForReplacementPods"}) {
    EXPECT_FALSE(MayWait({.conditions = {True(type)}})) << type;
  }
  state = {.conditions = {{.type = "QuotaReserved", .reason = "OnHold"}}};
  EXPECT_FALSE(MayWait(state));
}

TEST(WorkloadStatus, TheTimeOfAConditionChangesWithItsStatusAlone) {
  WorkloadState state;
  EXPECT_TRUE(SetCondition(True("Evicted", 5), &state));
  EXPECT_FALSE(SetCondition(True("Evicted", 9), &state));
  EXPECT_EQ(state.conditions[0].time, 5);
  WorkloadCondition other = True("Evicted", 9);
  other.reason = "Preempted";
  EXPECT_TRUE(SetCondition(other, &state));
  EXPECT_EQ(state.conditions[0].time, 5);
  other.holds = false;
  other.time = 11;
  EXPECT_TRUE(SetCondition(other, &state));
  EXPECT_EQ(state.conditions[0].time, 11);
  EXPECT_EQ(state.conditions.size(), 1);
}

TEST(WorkloadStatus, AdmissionNeedsQuotaChecksAndPlaces) {
  WorkloadState state;
  EXPECT_FALSE(SyncAdmitted({.now = 1}, &state));
  EXPECT_THAT(state.conditions, IsEmpty());
  EXPECT_TRUE(SyncAdmitted({.now = 1, .explicit_status = true}, &state));
  EXPECT_EQ(state.conditions[0].reason, "NoReservation");

  state = {.conditions = {True("QuotaReserved")}, .checks = {"Ready", "Pending"}};
  EXPECT_TRUE(SyncAdmitted({.now = 1}, &state));
  EXPECT_EQ(state.conditions[1].reason, "UnsatisfiedAdmissionChecks");
  EXPECT_FALSE(SyncAdmitted({.now = 2}, &state));
  state.checks = {"Ready", "Ready"};
  state.delayed = true;
  EXPECT_TRUE(SyncAdmitted({.now = 2}, &state));
  EXPECT_EQ(state.conditions[1].reason, "PendingDelayedTopologyRequests");
  EXPECT_FALSE(state.conditions[1].holds);
  state.delayed = false;
  EXPECT_TRUE(SyncAdmitted({.now = 3000}, &state));
  EXPECT_TRUE(state.conditions[1].holds);
  EXPECT_EQ(state.conditions[1].time, 3000);
}

TEST(WorkloadStatus, LostAdmissionsCountInWholeSeconds) {
  WorkloadState state{.conditions = {True("Admitted", 1000)}, .seconds_before = 4};
  EXPECT_TRUE(SyncAdmitted({.now = 3999}, &state));
  EXPECT_EQ(state.seconds_before, 6);
  EXPECT_EQ(state.conditions[0].reason, "NoReservation");
}

TEST(WorkloadStatus, WithoutReasonsNothingIsSetThatIsNotLost) {
  const StatusRule rule{.now = 1, .reasons = false};
  WorkloadState state{.conditions = {True("QuotaReserved")}, .checks = {"Retry"}};
  EXPECT_FALSE(SyncAdmitted(rule, &state));
  EXPECT_EQ(state.conditions.size(), 1);
  state.conditions = {True("Admitted", 1)};
  EXPECT_TRUE(SyncAdmitted(rule, &state));
  EXPECT_EQ(state.conditions[0].reason, "NoReservationUnsatisfiedChecks");
  state = {.conditions = {True("QuotaReserved"), True("Admitted", 1)}, .checks = {"Retry"}};
  EXPECT_TRUE(SyncAdmitted(rule, &state));
  EXPECT_EQ(state.conditions[1].reason, "UnsatisfiedChecks");
}

TEST(WorkloadStatus, AReservationEndsWhatSaidThatItWasLost) {
  WorkloadState state{.conditions = {True("Evicted", 1), {.type = "Preempted", .message = "old"}}};
  state.conditions[0].message = "why";
  EXPECT_TRUE(Reserve("cq", {.now = 7, .generation = 2}, &state));
  ASSERT_EQ(state.conditions.size(), 3);
  EXPECT_FALSE(state.conditions[0].holds);
  EXPECT_EQ(state.conditions[0].message, "Previously: why");
  EXPECT_EQ(state.conditions[0].time, 7);
  EXPECT_EQ(state.conditions[0].generation, 2);
  EXPECT_EQ(state.conditions[1].message, "old");
  EXPECT_EQ(state.conditions[2].message, "Quota reserved in ClusterQueue cq");
  EXPECT_FALSE(Reserve("cq", {.now = 8, .generation = 2}, &state));
}

TEST(WorkloadStatus, ALaterRetryStays) {
  RetryState retry;
  EXPECT_FALSE(PutOff(std::nullopt, false, &retry));
  EXPECT_TRUE(PutOff(50, false, &retry));
  EXPECT_FALSE(PutOff(50, false, &retry));
  EXPECT_FALSE(PutOff(40, false, &retry));
  EXPECT_TRUE(PutOff(40, true, &retry));
  EXPECT_EQ(retry, (RetryState{1, 50}));
}

TEST(WorkloadStatus, RunTimeIsOfFinishedWorkloads) {
  WorkloadState state{.conditions = {True("Admitted", 1000)}, .seconds_before = 3};
  EXPECT_EQ(RunTime(state), std::nullopt);
  state.conditions.push_back(True("Finished", 6000));
  EXPECT_EQ(RunTime(state), 8000);
}

TEST(WorkloadStatus, PrioritiesOfPodsDoNotChange) {
  using Kind = PriorityClass::Kind;
  const PriorityClass a{Kind::kWorkload, "a"}, b{Kind::kWorkload, "b"}, pod{Kind::kPod, "p"}, none;
  EXPECT_TRUE(PriorityChanged(a, 1, b, 1));
  EXPECT_TRUE(PriorityChanged(none, 1, b, 1));
  EXPECT_TRUE(PriorityChanged(a, 1, a, 2));
  EXPECT_FALSE(PriorityChanged(a, 1, a, 1));
  EXPECT_FALSE(PriorityChanged(pod, 1, b, 2));
  EXPECT_FALSE(PriorityChanged(a, 1, none, 2));
}

TEST(WorkloadStatus, NodesAreThoseOfHostsWithPods) {
  const WorkloadState admitted{.conditions = {True("Admitted")}};
  const std::vector<HeldPlaces> held{{true, {{{"r", "b"}, 1}, {{"r", "c"}, 0}}},
                                     {true, {{{"r", "a"}, 2}, {{"r", "b"}, 2}}},
                                     {false, {{{"rack"}, 2}}}};
  EXPECT_THAT(UsedNodes(admitted, held), ElementsAre("a", "b"));
  EXPECT_THAT(UsedNodes({}, held), IsEmpty());
}

TEST(WorkloadStatus, CountsAreByName) {
  EXPECT_TRUE(SameCounts({{"a", 1}, {"b", 2}}, {{"b", 2}, {"a", 1}}));
  EXPECT_FALSE(SameCounts({{"a", 1}}, {{"a", 1}, {"b", 2}}));
  EXPECT_FALSE(SameCounts({{"a", 1}}, {{"a", 2}}));
  EXPECT_EQ(LimitCounts({{"a", 9}, {"b", 1}, {"c", 5}}, {{"a", 4}, {"b", 4}}),
            (NamedCounts{{"a", 4}, {"b", 1}, {"c", 5}}));
  EXPECT_EQ(ReplaceCounts({{"a", 9}, {"b", 1}}, {{"b", 4}, {"c", 4}}),
            (NamedCounts{{"a", 9}, {"b", 4}}));
}

TEST(WorkloadStatus, AChangeHelpsIfItMayMakeTheWorkloadFit) {
  WaitingView before{.generation = 3, .spec = "s", .requests = "r"};
  EXPECT_FALSE(ChangeMayHelp(before, before));
  WaitingView now = before;
  now.generation = 4;
  EXPECT_FALSE(ChangeMayHelp(before, now));
  before.evaluated = 3;
  EXPECT_TRUE(ChangeMayHelp(before, now));
  now = before;
  now.spec = "t";
  EXPECT_TRUE(ChangeMayHelp(before, now));
  now = before;
  now.requests = "t";
  EXPECT_TRUE(ChangeMayHelp(before, now));
  now = before;
  now.reclaimed = {{"a", 1}};
  EXPECT_TRUE(ChangeMayHelp(before, now));
  now = before;
  now.gated = true;
  EXPECT_TRUE(ChangeMayHelp(before, now));
  now = before;
  now.boost = "1";
  EXPECT_TRUE(ChangeMayHelp(before, now));
  now = before;
  now.state.conditions = {True("Requeued")};
  EXPECT_TRUE(ChangeMayHelp(before, now));
  EXPECT_FALSE(ChangeMayHelp(now, now));
  now.state.conditions = {True("PodsReady")};
  EXPECT_FALSE(ChangeMayHelp(before, now));
}

TEST(WorkloadStatus, ChecksGoByFlavors) {
  const std::vector<CheckFlavors> checks{{"some", {"a"}},
                                         {"other", {"b"}},
                                         {"all", {}},
                                         {"both", {"a", "b", "gone"}},
                                         {"no", {"gone"}}};
  const std::vector<std::string> flavors{"a", "b"}, admitted{"a"};
  EXPECT_THAT(RequiredChecks(checks, flavors, &admitted), ElementsAre("all", "both", "some"));
  EXPECT_THAT(RequiredChecks(checks, flavors, nullptr), ElementsAre("all", "both"));
}

}  // namespace
}  // namespace muster::kueue
