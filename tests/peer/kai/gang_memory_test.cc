// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Profile kai from plan to plan: the times of gangs that KAI Scheduler writes to their PodGroups.
#include <cstdint>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "muster/memory.h"
#include "tests/support/plan_words.h"

namespace muster::testing {
namespace {

class KaiGangMemory : public ::testing::Test {
 protected:
  KaiGangMemory() {
    Accept(cluster_.AddQueue({.name = "q"}));
    Accept(cluster_.AddNode({.name = "n", .capacity = {{"cpu", 2}, {"pods", 100}}}));
  }
  static JobSpec Job(const std::string& name, int32_t priority, int64_t created = 0) {
    return {
        .name = name, .queue = "q", .priority = priority, .min_available = 2, .created = created};
  }
  void Gang(const JobSpec& job) { AddJob(cluster_, job, 2, {{"cpu", 1}}); }
  // Decides, and applies the plan.
  std::string Step(int64_t now, const std::string& profile = "kai") {
    ScheduleOptions options;
    options.now = now;
    const std::string words = Decide(cluster_, profile, now);
    const absl::StatusOr<Plan> plan = cluster_.Schedule(profile, options);
    EXPECT_TRUE(plan.ok()) << plan.status();
    Accept(cluster_.Apply(*plan).status());
    return words;
  }
  void Runs(const std::string& job) {
    for (const char* place : {"0", "1"}) ::muster::testing::Run(cluster_, job + place, "n");
  }
  void Ends(const std::string& task, TaskStatus status) {
    Accept(cluster_.SetTaskStatus(task, status));
  }

  Cluster cluster_;
};

TEST_F(KaiGangMemory, AStartProtectsForTheMinimumRunTime) {
  const std::string profile = "kai:kai-rules(preempt_min_runtime=1000)";
  Gang(Job("low", 50));
  EXPECT_EQ(Step(5, profile), "bind low0 n; bind low1 n");
  Runs("low");
  Gang(Job("high", 60, 10));
  EXPECT_EQ(Step(20, profile), "");
  EXPECT_EQ(Step(1004, profile), "");
  EXPECT_EQ(Step(1005, profile), "evict low0 n; evict low1 n; nominate high0 n; nominate high1 n");
}

TEST_F(KaiGangMemory, AStaleGangGoesOnceItsGraceHasPassed) {
  Gang(Job("j", 50));
  Step(0);
  Runs("j");
  Ends("j0", TaskStatus::kFailed);
  EXPECT_EQ(Step(10), "");
  EXPECT_EQ(Step(69), "");
  EXPECT_EQ(Step(70), "evict j1 n");
}

TEST_F(KaiGangMemory, AGangThatIsWholeAgainGetsAnotherGrace) {
  Gang(Job("j", 50));
  Step(0);
  Runs("j");
  Ends("j0", TaskStatus::kFailed);
  EXPECT_EQ(Step(10), "");
  ::muster::testing::Run(cluster_, "j0", "n");
  EXPECT_EQ(Step(50), "");
  Ends("j0", TaskStatus::kFailed);
  EXPECT_EQ(Step(80), "");
  EXPECT_EQ(Step(139), "");
  EXPECT_EQ(Step(140), "evict j1 n");
}

TEST_F(KaiGangMemory, ATimeOfTheSpecGoesFirstUntilTheGangIsWhole) {
  JobSpec job = Job("j", 50);
  job.gang = GangRules();
  job.gang->stale_since = 1;
  Gang(job);
  ::muster::testing::Run(cluster_, "j0", "n");
  Ends("j1", TaskStatus::kFailed);
  EXPECT_EQ(Step(60), "");
  ::muster::testing::Run(cluster_, "j1", "n");
  EXPECT_EQ(Step(61), "");
  Ends("j1", TaskStatus::kFailed);
  EXPECT_EQ(Step(70), "");
  EXPECT_EQ(Step(129), "");
  EXPECT_EQ(Step(130), "evict j0 n");
}

// A gang that stays whole leaves the slot as it is.
TEST_F(KaiGangMemory, ARowOfWholenessStays) {
  JobSpec job = Job("j", 50);
  job.gang = GangRules();
  job.gang->stale_since = 1;
  Gang(job);
  Runs("j");
  for (const int64_t now : {60, 61}) {
    Step(now);
    EXPECT_EQ(cluster_.memory().Find("kai-gangs")->Integer("whole/j"), 60);
  }
}

// Nothing protects a gang for ever that a memory starts in the future.
TEST_F(KaiGangMemory, TimesAfterNowDoNotCount) {
  const std::string profile = "kai:kai-rules(preempt_min_runtime=1000)";
  Gang(Job("low", 50));
  Step(5, profile);
  Runs("low");
  std::string text = cluster_.memory().ToText();
  const std::string row = R"("started/low": [5])";
  ASSERT_NE(text.find(row), std::string::npos) << text;
  text.replace(text.find(row), row.size(), R"("started/low": [9000000000000000000])");
  cluster_.SetMemory(*Memory::Parse(text));
  Gang(Job("high", 60, 10));
  EXPECT_EQ(Step(20, profile), "evict low0 n; evict low1 n; nominate high0 n; nominate high1 n");
}

TEST_F(KaiGangMemory, AnEvictionBeginsThePreemptionDelayAnew) {
  JobSpec middle = Job("middle", 60);
  middle.gang = GangRules();
  middle.gang->preemption_delay = 100;
  Gang(middle);
  Step(0);
  Runs("middle");
  Gang(Job("high", 70));
  EXPECT_EQ(Step(200), "evict middle0 n; evict middle1 n; nominate high0 n; nominate high1 n");
  for (const char* task : {"middle0", "middle1"}) Ends(task, TaskStatus::kPending);
  for (const char* task : {"high0", "high1"}) Ends(task, TaskStatus::kSucceeded);
  Gang(Job("low", 50));
  for (const char* task : {"low0", "low1"}) ::muster::testing::Run(cluster_, task, "n");
  EXPECT_EQ(Step(299), "");
  EXPECT_EQ(Step(300), "evict low0 n; evict low1 n; nominate middle0 n; nominate middle1 n");
}

TEST_F(KaiGangMemory, ASlotIsTextAndHoldsNoJobsThatAreGone) {
  Gang(Job("j", 50));
  Step(7);
  EXPECT_THAT(cluster_.memory().ToText(), ::testing::HasSubstr(R"("started/j": [7])"));
  Accept(cluster_.RemoveJob("j"));
  // Another job of that name was not started.
  Gang(Job("j", 50, 8));
  for (const char* task : {"j0", "j1"}) ::muster::testing::Run(cluster_, task, "n");
  Gang(Job("high", 60, 8));
  EXPECT_EQ(Step(9, "kai:kai-rules(preempt_min_runtime=1000)"),
            "evict j0 n; evict j1 n; nominate high0 n; nominate high1 n");
  EXPECT_THAT(cluster_.memory().ToText(), ::testing::Not(::testing::HasSubstr(R"("started/j")")));
}

// A gang with a backoff, beside one that has the node.
class KaiBackoff : public KaiGangMemory {
 protected:
  KaiBackoff() {
    Gang(Job("first", 60));
    Runs("first");
    Gang(Late({}));
  }
  static JobSpec Late(const Labels& more) {
    JobSpec job = Job("late", 50);
    job.settings = more;
    job.settings.emplace_back("kai/scheduling-backoff", "1");
    return job;
  }
  void FirstEnds() {
    for (const char* task : {"first0", "first1"}) Ends(task, TaskStatus::kSucceeded);
  }
};

TEST_F(KaiBackoff, AJobIsLeftAloneAfterItsAttempt) {
  EXPECT_EQ(Step(5), "");
  EXPECT_EQ(cluster_.memory().Find("kai-gangs")->Integer("failed/late"), 5);
  FirstEnds();
  EXPECT_EQ(Step(6), "");
  EXPECT_THAT(
      *cluster_.Schedule("kai", {.now = 6})->Explain("late"),
      ::testing::HasSubstr("its scheduling backoff lets it have one attempt, which failed"));
  Accept(cluster_.UpdateJob(Late({{"kai/unschedulable", "false"}})));
  EXPECT_EQ(Step(7), "bind late0 n; bind late1 n");
}

TEST_F(KaiBackoff, AnAttemptThatSucceedsIsNoReasonToStop) {
  FirstEnds();
  EXPECT_EQ(Step(5), "bind late0 n; bind late1 n");
  EXPECT_EQ(cluster_.memory().Find("kai-gangs")->Find("failed/late"), nullptr);
}

TEST_F(KaiBackoff, ACycleThatWasCutIsNoAttempt) {
  const absl::StatusOr<Plan> plan = cluster_.Schedule("kai", {.now = 5, .work_budget = 0});
  ASSERT_TRUE(plan.ok()) << plan.status();
  Accept(cluster_.Apply(*plan).status());
  FirstEnds();
  EXPECT_EQ(Step(6), "bind late0 n; bind late1 n");
}

// The peer's condition does not tell whether an action came to the job.
TEST_F(KaiBackoff, ACycleWithoutATurnIsAnAttempt) {
  FirstEnds();
  EXPECT_EQ(Step(5, "kai:actions=allocate(depth=0)"), "");
  EXPECT_EQ(cluster_.memory().Find("kai-gangs")->Integer("failed/late"), 5);
  EXPECT_EQ(Step(6), "");
}

TEST_F(KaiBackoff, AnAttemptFailsBeyondTheDepth) {
  Accept(cluster_.AddNode({.name = "other", .capacity = {{"cpu", 2}, {"pods", 100}}}));
  FirstEnds();
  Gang(Job("next", 60));
  EXPECT_EQ(Step(5, "kai:actions=allocate(depth=1)"), "bind next0 n; bind next1 n");
  EXPECT_EQ(cluster_.memory().Find("kai-gangs")->Integer("failed/late"), 5);
  EXPECT_EQ(Step(6), "");
}

TEST_F(KaiBackoff, TheConditionCountsForJobsWithABackoffAlone) {
  FirstEnds();
  JobSpec job = Job("late", 50);
  job.settings = {{"kai/unschedulable", "true"}};
  Accept(cluster_.UpdateJob(job));
  EXPECT_EQ(Step(5), "bind late0 n; bind late1 n");
}

TEST_F(KaiBackoff, TheClusterMayKnowOfTheAttempt) {
  FirstEnds();
  Accept(cluster_.UpdateJob(Late({{"kai/unschedulable", "true"}})));
  EXPECT_EQ(Step(5), "");
  Accept(cluster_.UpdateJob(Late({})));
  EXPECT_EQ(Step(6), "bind late0 n; bind late1 n");
}

TEST_F(KaiBackoff, SettingsAreChecked) {
  const auto refusal = [&](const Labels& settings) {
    JobSpec job = Job("late", 50);
    job.settings = settings;
    Accept(cluster_.UpdateJob(job));
    return std::string(cluster_.Schedule("kai").status().message());
  };
  EXPECT_THAT(refusal({{"kai/scheduling-backoff", "2"}}), ::testing::HasSubstr("-1"));
  EXPECT_THAT(refusal({{"kai/unschedulable", "no"}}), ::testing::HasSubstr("true"));
  EXPECT_THAT(refusal({{"kai/backoff", "1"}}), ::testing::HasSubstr("is not known"));
}

}  // namespace
}  // namespace muster::testing
