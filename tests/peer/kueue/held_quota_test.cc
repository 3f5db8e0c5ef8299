// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Profile kueue on clusters: how long a job holds quota, and what takes it back.
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/peer/kueue/profile_fixture.h"

namespace muster::testing {
namespace {

using ::testing::HasSubstr;

TEST_F(KueueProfile, AFailedCheckEvictsAndKeepsOut) {
  Node();
  Queue("a", 2);
  Job("j", "a", 2);
  EXPECT_EQ(Live(), "admit j");
  testing::Run(cluster_, "j0", "n");
  const auto check = [&](const char* state) {
    JobSpec job = JobNamed("j");
    job.settings = {{"kueue/admission-check/budget", state}};
    Accept(cluster_.UpdateJob(job));
  };
  check("Ready");
  EXPECT_EQ(Live(), "");
  check("Retry");
  EXPECT_EQ(Live(), "evict j0 n");
  EXPECT_EQ(Live(), "");
  Accept(cluster_.SetTaskStatus("j0", TaskStatus::kPending));
  EXPECT_EQ(Live(), "");
  EXPECT_EQ(JobNamed("j").phase, JobPhase::kPending);
  EXPECT_THAT(*cluster_.Schedule("kueue")->Explain("j"),
              HasSubstr("The workload has failed admission checks"));
  check("Rejected");
  EXPECT_EQ(Live(), "");
  check("Pending");
  EXPECT_EQ(Live(), "admit j");
  check("Retry");
  EXPECT_EQ(Live(), "");  // it has no task on a node: it waits again
  EXPECT_EQ(JobNamed("j").phase, JobPhase::kPending);
  check("Failed");
  EXPECT_THAT(
      std::string(cluster_.Schedule("kueue").status().message()),
      HasSubstr("job \"j\", setting \"kueue/admission-check/budget\": is \"Failed\"; must be "
                "one of Pending, Ready, Retry, Rejected"));
}

TEST_F(KueueProfile, AStoppedLocalQueueKeepsItsJobsOut) {
  Node();
  Queue("a", 4);
  const auto add = [&](const std::string& name, const Labels& settings) {
    JobSpec job{.name = name, .queue = "a", .min_available = 1};
    job.created = ++clock_;
    job.settings = settings;
    AddJob(cluster_, job, 1, {{"cpu", 1}});
  };
  const auto stop = [&](const char* word) {
    SetQueueSettings("a", {{"kueue/local-queue-stop/team/batch", word}});
  };
  const std::string local = "kueue/local-queue", check = "kueue/admission-check/budget";
  add("runs", {{local, "team/batch"}});
  add("checked", {{check, "Pending"}, {local, "team/batch"}});
  add("other", {{local, "team/other"}});
  EXPECT_EQ(Live(), "admit runs; admit checked; admit other");
  testing::Run(cluster_, "runs0", "n");
  add("waits", {{local, "team/batch"}});
  stop("Hold");
  EXPECT_EQ(Live(), "");  // what is not admitted by its checks loses its quota
  EXPECT_EQ(JobNamed("checked").phase, JobPhase::kPending);
  EXPECT_EQ(JobNamed("runs").phase, JobPhase::kRunning);
  EXPECT_EQ(Live(), "");
  EXPECT_THAT(*cluster_.Schedule("kueue")->Explain("waits"),
              HasSubstr("not admitted: LocalQueue batch is stopped"));
  stop("HoldAndDrain");
  EXPECT_THAT(*cluster_.Schedule("kueue")->Explain("runs"),
              HasSubstr("not admitted: LocalQueueStopped: The LocalQueue is stopped"));
  EXPECT_EQ(Live(), "evict runs0 n");
  Accept(cluster_.SetTaskStatus("runs0", TaskStatus::kPending));
  EXPECT_EQ(Live(), "");
  EXPECT_EQ(JobNamed("other").phase, JobPhase::kAdmitted);
  stop("None");
  EXPECT_EQ(Live(), "admit runs; admit checked; admit waits");
}

TEST_F(KueueProfile, JobsOfAStoppedQueueHaveAReason) {
  QueueRules rules;
  rules.stop = StopPolicy::kHold;
  Queue("a", 4, rules);
  Job("j", "a", 1);
  EXPECT_EQ(*cluster_.Schedule("kueue")->Explain("j"),
            "j: not admitted: ClusterQueue a is stopped\n");
}

TEST_F(KueueProfile, SettingsOfLocalQueuesAreChecked) {
  Queue("a", 4);
  const auto refused = [&](const Labels& settings) {
    SetQueueSettings("a", settings);
    return std::string(cluster_.Schedule("kueue").status().message());
  };
  EXPECT_EQ(refused({{"kueue/local-queue-stop/team/batch", "Stop"}}),
            "queue \"a\", setting \"kueue/local-queue-stop/team/batch\": is \"Stop\"; must be one "
            "of None, Hold, HoldAndDrain");
  EXPECT_THAT(refused({{"kueue/local-queue-stop/batch", "Hold"}}),
              HasSubstr("must be of a LocalQueue, as NAMESPACE/NAME"));
  EXPECT_THAT(refused({{"kueue/stop", "Hold"}}), HasSubstr("is not known"));
  EXPECT_EQ(refused({}), "");
  JobSpec job{.name = "j", .queue = "a", .min_available = 1};
  job.settings = {{"kueue/local-queue", "batch"}};
  AddJob(cluster_, job, 1, {{"cpu", 1}});
  EXPECT_THAT(std::string(cluster_.Schedule("kueue").status().message()),
              HasSubstr("job \"j\", setting \"kueue/local-queue\": "));
}

TEST_F(KueueProfile, AJobThatLostTasksKeepsItsQuota) {
  Node();
  Queue("a", 2);
  Job("low", "a", 2);
  EXPECT_EQ(Live("kueue:+allocate"), "admit low; bind low0 n; bind low1 n");
  testing::Run(cluster_, "low0", "n");
  testing::Run(cluster_, "low1", "n");
  EXPECT_EQ(Live("kueue:+allocate"), "");
  Job("high", "a", 2, /*priority=*/9);
  // Its pods died and were made anew.
  Accept(cluster_.SetTaskStatus("low0", TaskStatus::kPending));
  EXPECT_EQ(Live("kueue"), "");
  EXPECT_EQ(JobNamed("low").phase, JobPhase::kDegraded);
  Accept(cluster_.SetTaskStatus("low1", TaskStatus::kPending));
  EXPECT_EQ(Live("kueue"), "");
  EXPECT_EQ(JobNamed("low").phase, JobPhase::kAdmitted);
  EXPECT_EQ(Live("kueue:+allocate"), "bind low0 n; bind low1 n");
  EXPECT_EQ(Live("kueue:+allocate"), "");
}

TEST_F(KueueProfile, TasksThatFailedHoldQuotaAndThoseThatSucceededDoNot) {
  Node();
  Queue("a", 3);
  Job("low", "a", 3);
  EXPECT_EQ(Live("kueue:+allocate"), "admit low; bind low0 n; bind low1 n; bind low2 n");
  for (const char* task : {"low0", "low1", "low2"}) testing::Run(cluster_, task, "n");
  Job("next", "a", 1);
  Accept(cluster_.SetTaskStatus("low0", TaskStatus::kFailed));
  EXPECT_EQ(Live(), "");
  Accept(cluster_.SetTaskStatus("low1", TaskStatus::kSucceeded));
  EXPECT_EQ(Live(), "admit next");
  Job("last", "a", 2);
  Accept(cluster_.SetTaskStatus("low2", TaskStatus::kFailed));  // the job has ended
  EXPECT_EQ(Live(), "admit last");
}

TEST_F(KueueProfile, AnEvictedJobWaitsAgainOnceItsTasksAreGone) {
  QueueRules rules;
  rules.preemption.within_queue = VictimScope::kLowerPriority;
  Node();
  Queue("a", 2, rules);
  Job("low", "a", 2);
  EXPECT_EQ(Live("kueue:+allocate"), "admit low; bind low0 n; bind low1 n");
  testing::Run(cluster_, "low0", "n");
  testing::Run(cluster_, "low1", "n");
  Job("high", "a", 2, /*priority=*/9);
  EXPECT_EQ(Live("kueue:+allocate"), "evict low0 n; evict low1 n");
  EXPECT_EQ(JobNamed("low").phase, JobPhase::kPending);
  Accept(cluster_.SetTaskStatus("low0", TaskStatus::kPending));
  EXPECT_EQ(Live("kueue:+allocate"), "");
  EXPECT_EQ(JobNamed("low").phase, JobPhase::kPending);
  Accept(cluster_.ReportEvictFailed("low1"));
  EXPECT_EQ(Live("kueue:+allocate"), "evict low1 n");
  Accept(cluster_.SetTaskStatus("low1", TaskStatus::kPending));
  EXPECT_EQ(Live("kueue:+allocate"), "admit high; bind high0 n; bind high1 n");
  Accept(cluster_.RemoveJob("high"));
  EXPECT_EQ(Live("kueue:+allocate"), "admit low; bind low0 n; bind low1 n");
}

TEST_F(KueueProfile, AnEvictedJobWithoutAMinimumWaitsAgain) {
  QueueRules rules;
  rules.preemption.within_queue = VictimScope::kLowerPriority;
  Node();
  Queue("a", 2, rules);
  JobSpec low{.name = "low", .queue = "a", .phase = JobPhase::kAdmitted};
  low.admission = JobAdmission{.groups = {{.count = 2, .flavors = {{"cpu", "spot"}}}}};
  AddJob(cluster_, low, 2, {{"cpu", 1}});
  testing::Run(cluster_, "low0", "n");
  testing::Run(cluster_, "low1", "n");
  Job("high", "a", 2, /*priority=*/9);
  EXPECT_EQ(Live(), "evict low0 n; evict low1 n");
  Accept(cluster_.SetTaskStatus("low0", TaskStatus::kPending));
  Accept(cluster_.SetTaskStatus("low1", TaskStatus::kPending));
  EXPECT_EQ(Live(), "admit high");
  EXPECT_EQ(JobNamed("low").phase, JobPhase::kPending);
}

TEST_F(KueueProfile, AJobWithoutAMinimumWaitsForQuota) {
  Queue("a", 2);
  Job("first", "a", 2);
  JobSpec job{.name = "second", .queue = "a"};
  job.created = 9;
  AddJob(cluster_, job, 2, {{"cpu", 1}});
  EXPECT_EQ(Live(), "admit first");
  EXPECT_EQ(JobNamed("second").phase, JobPhase::kPending);
  Accept(cluster_.RemoveJob("first"));
  EXPECT_EQ(Live(), "admit second");
  EXPECT_EQ(JobNamed("second").phase, JobPhase::kAdmitted);
}

TEST_F(KueueProfile, AJobThatEndedAndHasTasksAgainIsAdmittedAnew) {
  Node();
  Queue("a", 2);
  AddJob(cluster_, {.name = "first", .queue = "a", .min_available = 1}, 2, {{"cpu", 1}});
  EXPECT_EQ(Live("kueue:+allocate"), "admit first; bind first0 n; bind first1 n");
  testing::Run(cluster_, "first0", "n");
  testing::Run(cluster_, "first1", "n");
  Accept(cluster_.SetTaskStatus("first0", TaskStatus::kFailed));
  Accept(cluster_.SetTaskStatus("first1", TaskStatus::kFailed));
  Job("second", "a", 1);
  EXPECT_EQ(Live("kueue:+allocate"), "admit second; bind second0 n");
  EXPECT_EQ(JobNamed("first").phase, JobPhase::kCompleted);
  Accept(cluster_.SetTaskStatus("first0", TaskStatus::kPending));
  Job("third", "a", 1);
  EXPECT_EQ(Live("kueue:+allocate"), "admit third; bind third0 n");
  EXPECT_EQ(Live("kueue:+allocate"), "");
  EXPECT_EQ(JobNamed("first").phase, JobPhase::kPending);
  Accept(cluster_.RemoveJob("second"));
  EXPECT_EQ(Live("kueue:+allocate"), "admit first; bind first0 n");
}

TEST_F(KueueProfile, AnAdmissionOutlastsPlansOfOtherProfiles) {
  JobSpec job{.name = "j", .queue = "a", .min_available = 2, .phase = JobPhase::kRunning};
  job.admission = JobAdmission{.groups = {{.count = 2, .flavors = {{"cpu", "spot"}}}}};
  Queue("a", 2);
  for (const char* profile : {"volcano:actions=allocate", "kube-batch", "yunikorn"}) {
    AddJob(cluster_, job, 2, {{"cpu", 1}});
    EXPECT_EQ(Live(profile), "");  // no node is there
    EXPECT_EQ(JobNamed("j").phase, JobPhase::kAdmitted) << profile;
    Accept(cluster_.RemoveJob("j"));
  }
}

TEST_F(KueueProfile, AQueueThatDrainsEvicts) {
  Node();
  Queue("a", 4);
  Queue("b", 4);
  Job("runs", "a", 2);
  Job("waits", "a", 1);
  Job("kept", "b", 1);
  EXPECT_EQ(Live(), "admit runs; admit kept; admit waits");
  testing::Run(cluster_, "runs0", "n");
  testing::Run(cluster_, "runs1", "n");
  testing::Run(cluster_, "kept0", "n");
  const auto stop = [&](StopPolicy policy) {
    QueueSpec queue{.name = "a", .parent = "cohort"};
    queue.rules = QueueRules{.groups = {{.resources = {"cpu"},
                                         .flavors = {{.flavor = "spot", .nominal = {{"cpu", 4}}}}}},
                             .stop = policy};
    Accept(cluster_.UpdateQueue(queue));
  };
  stop(StopPolicy::kHold);
  EXPECT_EQ(Live(), "");
  EXPECT_EQ(JobNamed("waits").phase, JobPhase::kAdmitted);
  stop(StopPolicy::kHoldAndDrain);
  EXPECT_EQ(Live(), "evict runs0 n; evict runs1 n");
  EXPECT_EQ(JobNamed("runs").phase, JobPhase::kPending);
  EXPECT_EQ(JobNamed("waits").phase, JobPhase::kPending);
  EXPECT_EQ(Live(), "");
  Accept(cluster_.SetTaskStatus("runs0", TaskStatus::kPending));
  Accept(cluster_.SetTaskStatus("runs1", TaskStatus::kPending));
  EXPECT_EQ(Live(), "");
  stop(StopPolicy::kNone);
  EXPECT_EQ(Live(), "admit runs; admit waits");
}

TEST_F(KueueProfile, AQueueOnHoldTakesBackQuotaOfJobsThatWaitForChecks) {
  Queue("a", 4);
  for (const char* state : {"Ready", "Pending"}) {
    JobSpec job{.name = state, .queue = "a", .min_available = 1};
    job.settings = {{"kueue/admission-check/budget", state}};
    AddJob(cluster_, job, 1, {{"cpu", 1}});
  }
  EXPECT_EQ(Live(), "admit Ready; admit Pending");
  QueueSpec queue{.name = "a", .parent = "cohort"};
  queue.rules = QueueRules{
      .groups = {{.resources = {"cpu"}, .flavors = {{.flavor = "spot", .nominal = {{"cpu", 4}}}}}},
      .stop = StopPolicy::kHold};
  Accept(cluster_.UpdateQueue(queue));
  EXPECT_EQ(Live(), "");
  EXPECT_EQ(JobNamed("Ready").phase, JobPhase::kAdmitted);
  EXPECT_EQ(JobNamed("Pending").phase, JobPhase::kPending);
}

TEST_F(KueueProfile, ADeactivatedJobGivesItsQuotaBack) {
  Node();
  Queue("a", 1);
  Job("j", "a", 1);
  EXPECT_EQ(Live(), "admit j");
  testing::Run(cluster_, "j0", "n");
  SetJobSettings("j", {{"kueue/active", "false"}});
  EXPECT_EQ(Live(), "evict j0 n");
  Accept(cluster_.SetTaskStatus("j0", TaskStatus::kPending));
  Job("next", "a", 1);
  EXPECT_EQ(Live(), "admit next");
  EXPECT_THAT(*cluster_.Schedule("kueue")->Explain("j"), HasSubstr("The workload is deactivated"));
}

// 3 of 4 cpu are held. The slice of 4 tasks stands before the one that it grows out of.
TEST_F(KueueProfile, AJobThatGrowsIsAdmittedInThePlaceOfTheOneBefore) {
  Node();
  Queue("a", 4);
  Job("slice", "a", 4);
  SetJobSettings("slice", {{"kueue/active", "false"}});
  Job("old", "a", 3);
  EXPECT_EQ(Live(), "admit old");
  for (const char* const task : {"old0", "old1", "old2"}) testing::Run(cluster_, task, "n");
  SetJobSettings("slice", {{"kueue/replaces", "else"}});
  EXPECT_EQ(Decide(cluster_, "kueue"), "");
  SetJobSettings("slice", {{"kueue/replaces", "old"}});
  EXPECT_EQ(Live(), "admit slice");
  EXPECT_EQ(Live(), "");
  Job("next", "a", 1);
  EXPECT_EQ(Live(), "");
  Accept(cluster_.RemoveJob("slice"));
  EXPECT_EQ(Live(), "admit next");
}

TEST_F(KueueProfile, AJobThatIsEvictedAlreadyIsTheFirstVictimAndIsNotEvictedAgain) {
  Node();
  QueueRules rules;
  rules.preemption.within_queue = VictimScope::kLowerPriority;
  Queue("a", 2, rules);
  Job("low", "a", 1);
  Job("leaves", "a", 1, /*priority=*/5);
  EXPECT_EQ(Live(), "admit leaves; admit low");
  testing::Run(cluster_, "low0", "n");
  testing::Run(cluster_, "leaves0", "n");
  SetJobSettings("leaves", {{"kueue/evicted", "true"}});
  Job("high", "a", 1, /*priority=*/10);
  EXPECT_EQ(Live(), "");
  EXPECT_THAT(*cluster_.Schedule("kueue")->Explain("high"),
              HasSubstr("Pending the preemption of 1 workload(s)"));
  EXPECT_TRUE(JobNamed("leaves").admission.has_value());
  Accept(cluster_.RemoveJob("leaves"));
  EXPECT_EQ(Live(), "admit high");
}

TEST_F(KueueProfile, AJobThatEvictedOthersGoesFirstOnceTheyAreGone) {
  Node();
  QueueRules rules;
  rules.preemption.within_queue = VictimScope::kLowerPriority;
  Queue("a", 2, rules);
  Job("victim", "a", 2);
  EXPECT_EQ(Live(), "admit victim");
  testing::Run(cluster_, "victim0", "n");
  testing::Run(cluster_, "victim1", "n");
  Job("evictor", "a", 2, /*priority=*/5);
  EXPECT_EQ(Live(), "evict victim0 n; evict victim1 n");
  Accept(cluster_.RemoveJob("victim"));
  Job("high", "a", 2, /*priority=*/9);
  const absl::StatusOr<Plan> forgets = cluster_.Schedule("kueue", {.memory = Memory()});
  EXPECT_EQ(forgets->admissions().size(), 1u);
  EXPECT_THAT(forgets->ToText(), HasSubstr("admit high"));
  EXPECT_EQ(Live(), "admit evictor");  // which "high" evicts
  EXPECT_EQ(Live(), "admit high");
  EXPECT_EQ(Live(), "");
}

TEST_F(KueueProfile, AClosedQueueAdmitsNothingAndEvictsNothing) {
  Queue("a", 4);
  Job("first", "a", 1);
  EXPECT_EQ(Live(), "admit first");
  QueueSpec queue{.name = "a", .parent = "cohort", .state = QueueState::kClosed};
  queue.rules = QueueRules{
      .groups = {{.resources = {"cpu"}, .flavors = {{.flavor = "spot", .nominal = {{"cpu", 4}}}}}}};
  Accept(cluster_.UpdateQueue(queue));
  Job("second", "a", 1);
  EXPECT_EQ(Live(), "");
  EXPECT_EQ(JobNamed("first").phase, JobPhase::kAdmitted);
  queue.state = QueueState::kOpen;
  Accept(cluster_.UpdateQueue(queue));
  EXPECT_EQ(Live(), "admit second");
}

}  // namespace
}  // namespace muster::testing
