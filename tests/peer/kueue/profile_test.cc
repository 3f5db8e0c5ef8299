// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Profile kueue on clusters: what its rows become, and what its plans do to them.
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/plan_words.h"

namespace muster::testing {
namespace {

using ::testing::HasSubstr;

class KueueProfile : public ::testing::Test {
 protected:
  void Queue(const std::string& name, int nominal, QueueRules rules = {}) {
    if (!cluster_.Freeze().FindQueue("cohort")) Accept(cluster_.AddQueue({.name = "cohort"}));
    QueueSpec queue{.name = name, .parent = "cohort"};
    rules.groups = {
        {.resources = {"cpu"}, .flavors = {{.flavor = "spot", .nominal = {{"cpu", nominal}}}}}};
    queue.rules = std::move(rules);
    Accept(cluster_.AddQueue(queue));
  }
  // A gang of tasks NAME0, NAME1, ... with one cpu each.
  void Job(const std::string& name, const std::string& queue, int tasks, int32_t priority = 0) {
    JobSpec job{.name = name, .queue = queue, .priority = priority, .min_available = tasks};
    job.created = ++clock_;
    AddJob(cluster_, job, tasks, {{"cpu", 1}});
  }
  void ByCountJob(const std::string& name, int64_t count, int32_t priority = 0,
                  std::optional<int64_t> min_count = {}) {
    JobSpec job{.name = name, .queue = "a", .priority = priority, .min_available = 1};
    job.created = ++clock_;
    job.groups = {{.name = "w",
                   .shape = {.request = {{"cpu", 1}}},
                   .by_count = ByCount{.count = count, .min_count = min_count}}};
    Accept(cluster_.AddJob(job));
  }
  JobSpec JobNamed(const std::string& name) {
    for (const JobSpec& job : cluster_.Describe().jobs) {
      if (job.name == name) return job;
    }
    ADD_FAILURE() << "no job " << name;
    return {};
  }
  void Node() {
    Accept(cluster_.AddNode({.name = "n", .capacity = {{"cpu", 100}, {"pods", 100}}}));
  }
  std::string Live(const std::string& profile = "kueue") {
    const std::string words = Decide(cluster_, profile);
    const absl::StatusOr<Plan> plan = cluster_.Schedule(profile);
    EXPECT_TRUE(plan.ok()) << plan.status();
    const absl::StatusOr<Plan> fresh = Schedule(cluster_.Freeze(), profile);
    EXPECT_EQ(plan->Digest(), fresh->Digest());
    EXPECT_TRUE(cluster_.Apply(*plan).ok());
    return words;
  }
  void SetUp() override { Accept(cluster_.SetFlavor({.name = "spot"})); }

  Cluster cluster_;
  int64_t clock_ = 0;
};

TEST_F(KueueProfile, AdmitsWhatTheQuotaHoldsAndRemembersIt) {
  Queue("a", 4);
  Job("first", "a", 3);
  Job("second", "a", 2);
  Job("small", "a", 1);
  EXPECT_EQ(Live(), "admit first; admit small");
  EXPECT_EQ(Live(), "");
  Accept(cluster_.RemoveJob("first"));
  EXPECT_EQ(Live(), "admit second");
}

TEST_F(KueueProfile, AnAdmissionNamesFlavorAndCount) {
  Queue("a", 4);
  Job("j", "a", 3);
  const absl::StatusOr<Plan> plan = cluster_.Schedule("kueue");
  ASSERT_TRUE(plan.ok()) << plan.status();
  ASSERT_EQ(plan->admissions().size(), 1u);
  const GroupAssignment& group = plan->admissions()[0].assignment.at(0);
  EXPECT_EQ(group.count, 3);
  EXPECT_EQ(group.flavors.at(0).flavor, "spot");
  EXPECT_EQ(plan->dimension_name(group.flavors.at(0).dimension), "cpu");
}

TEST_F(KueueProfile, BorrowsInTheCohort) {
  Queue("a", 2);
  Queue("b", 2);
  Job("wide", "a", 4);
  EXPECT_EQ(Live(), "admit wide");
}

TEST_F(KueueProfile, SaysWhatIsLacking) {
  Queue("a", 2);
  Job("large", "a", 3);
  const absl::StatusOr<Plan> plan = cluster_.Schedule("kueue");
  ASSERT_TRUE(plan.ok()) << plan.status();
  ASSERT_EQ(plan->pending().size(), 3u);
  const Reason& reason = plan->reasons()[plan->pending()[0].reason];
  EXPECT_EQ(reason.kind, ReasonKind::kNotAdmitted);
  EXPECT_EQ(reason.policy, "kueue");
  EXPECT_EQ(reason.where,
            "couldn't assign flavors to pod set main: insufficient quota for cpu in flavor spot, "
            "previously considered podsets requests (0) + current podset request (3) > maximum "
            "capacity (2)");
  EXPECT_EQ(plan->dimension_name(reason.dimension), "cpu");
}

TEST_F(KueueProfile, EvictsAllTasksOfAVictimAndAdmitsOnceTheyAreGone) {
  QueueRules rules;
  rules.preemption.within_queue = VictimScope::kLowerPriority;
  Node();
  Queue("a", 2, rules);
  Job("low", "a", 2);
  EXPECT_EQ(Live("kueue:+allocate"), "admit low; bind low0 n; bind low1 n");
  testing::Run(cluster_, "low0", "n");
  testing::Run(cluster_, "low1", "n");
  EXPECT_EQ(Live("kueue:+allocate"), "");
  Job("high", "a", 2, /*priority=*/9);
  EXPECT_EQ(Live("kueue:+allocate"), "evict low0 n; evict low1 n");
  // They hold the quota until they have ended.
  EXPECT_EQ(Live("kueue:+allocate"), "");
  Accept(cluster_.RemoveJob("low"));
  EXPECT_EQ(Live("kueue:+allocate"), "admit high; bind high0 n; bind high1 n");
}

TEST_F(KueueProfile, AVictimWithoutPlacesWaitsAgain) {
  QueueRules rules;
  rules.preemption.within_queue = VictimScope::kLowerPriority;
  Queue("a", 2, rules);
  Job("low", "a", 2);
  EXPECT_EQ(Live(), "admit low");
  Job("high", "a", 2, /*priority=*/9);
  EXPECT_EQ(Live(), "");
  EXPECT_EQ(Live(), "admit high");
}

TEST_F(KueueProfile, ReclaimsWhatOthersBorrow) {
  QueueRules rules;
  rules.preemption.reclaim = VictimScope::kAny;
  Queue("a", 2, rules);
  Queue("b", 2);
  Job("kept", "b", 2);
  Job("borrows", "b", 2);
  EXPECT_EQ(Live(), "admit kept; admit borrows");
  Job("mine", "a", 2);
  EXPECT_EQ(Live(), "");
  EXPECT_EQ(Live(), "admit mine");
}

TEST_F(KueueProfile, FairSharingTakesOptions) {
  Queue("a", 2);
  Queue("b", 2);
  Job("x", "a", 1);
  Job("y", "b", 1);
  EXPECT_EQ(Live("kueue:admit(fair_sharing=on,cycles=1)"), "admit x; admit y");
  EXPECT_FALSE(cluster_.Schedule("kueue:admit(cycles=0)").ok());
}

TEST_F(KueueProfile, AdmitsJobsByCountWithoutRows) {
  Queue("a", 10);
  ByCountJob("sweep", 9);
  Job("late", "a", 2);
  EXPECT_EQ(Live(), "admit sweep");
  const JobSpec sweep = JobNamed("sweep");
  EXPECT_EQ(sweep.phase, JobPhase::kAdmitted);
  EXPECT_EQ(sweep.groups[0].by_count->admitted, 9);
  EXPECT_EQ(sweep.admission->groups[0].count, 9);
  // Rows that are made of it hold the same quota.
  Accept(cluster_.MakeTasks("sweep", "w", 4));
  EXPECT_EQ(Live(), "");
  Accept(cluster_.RemoveJob("sweep"));
  EXPECT_EQ(Live(), "admit late");
}

TEST_F(KueueProfile, TasksThatAreCountsAreNotDone) {
  Queue("a", 2);
  JobSpec job{.name = "j", .queue = "a"};  // no minimum
  job.groups = {{.name = "w", .shape = {.request = {{"cpu", 1}}}, .by_count = ByCount{.count = 3}}};
  Accept(cluster_.AddJob(job));
  EXPECT_EQ(Live(), "");
  EXPECT_EQ(JobNamed("j").phase, JobPhase::kPending);
  job.groups[0].by_count->count = 2;
  Accept(cluster_.UpdateJob(job));
  EXPECT_EQ(Live(), "admit j");
  EXPECT_EQ(JobNamed("j").phase, JobPhase::kAdmitted);
}

TEST_F(KueueProfile, AdmitsFewerTasksDownToTheLeastCount) {
  Queue("a", 4);
  ByCountJob("sweep", 9, /*priority=*/0, /*min_count=*/3);
  EXPECT_EQ(Live(), "admit sweep");
  EXPECT_EQ(JobNamed("sweep").admission->groups[0].count, 4);
  EXPECT_EQ(JobNamed("sweep").groups[0].by_count->admitted, 4);
  Accept(cluster_.RemoveJob("sweep"));
  ByCountJob("more", 9, /*priority=*/0, /*min_count=*/5);
  EXPECT_EQ(Live(), "");
}

TEST_F(KueueProfile, TakesTheAdmissionOfAVictimByCountBack) {
  QueueRules rules;
  rules.preemption.within_queue = VictimScope::kLowerPriority;
  Queue("a", 4, rules);
  ByCountJob("low", 4);
  EXPECT_EQ(Live(), "admit low");
  ByCountJob("high", 2, /*priority=*/9);
  EXPECT_EQ(Live(), "");
  EXPECT_EQ(JobNamed("low").phase, JobPhase::kPending);
  EXPECT_EQ(JobNamed("low").groups[0].by_count->admitted, 0);
  EXPECT_EQ(Live(), "admit high");
}

TEST_F(KueueProfile, DatesAdmissionsByTheCycle) {
  Queue("a", 4);
  Job("j", "a", 3);
  const absl::StatusOr<Plan> plan = cluster_.Schedule("kueue", {.now = 42});
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->now(), 42);
  Accept(cluster_.Apply(*plan).status());
  EXPECT_EQ(JobNamed("j").admission->time, 42);
}

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

TEST_F(KueueProfile, QuotaOnPodsCountsTasksInLaterPlans) {
  QueueSpec queue{.name = "a"};
  queue.rules = QueueRules{
      .groups = {{.resources = {"cpu", "pods"},
                  .flavors = {{.flavor = "spot", .nominal = {{"cpu", 10}, {"pods", 3}}}}}}};
  Accept(cluster_.AddQueue(queue));
  Job("first", "a", 2);
  Job("second", "a", 2);
  ByCountJob("sweep", 2);
  EXPECT_EQ(Live(), "admit first");
  EXPECT_EQ(Live(), "");
  Accept(cluster_.SetTaskStatus("first0", TaskStatus::kSucceeded));
  EXPECT_EQ(Live(), "admit second");
  Accept(cluster_.RemoveJob("first"));
  EXPECT_EQ(Live(), "");
  Accept(cluster_.RemoveJob("second"));
  EXPECT_EQ(Live(), "admit sweep");
  Job("third", "a", 2);
  EXPECT_EQ(Live(), "");
}

TEST_F(KueueProfile, ATaskThatLeavesDoesNotMakeItsJobAVictim) {
  QueueRules rules;
  rules.preemption.within_queue = VictimScope::kLowerPriority;
  Node();
  Queue("a", 3, rules);
  Job("worthy", "a", 2, /*priority=*/5);
  Job("low", "a", 1);
  EXPECT_EQ(Live("kueue:+allocate"),
            "admit worthy; admit low; bind worthy0 n; bind worthy1 n; bind low0 n");
  for (const char* task : {"worthy0", "worthy1", "low0"}) testing::Run(cluster_, task, "n");
  Accept(cluster_.SetTaskStatus("worthy0", TaskStatus::kReleasing));
  Job("high", "a", 1, /*priority=*/9);
  EXPECT_EQ(Live(), "evict low0 n");
}

TEST_F(KueueProfile, JobsThatLeaveAreTheFirstVictims) {
  QueueRules rules;
  rules.preemption.within_queue = VictimScope::kLowerPriority;
  Node();
  Queue("a", 3, rules);
  Job("worthy", "a", 2, /*priority=*/5);
  Job("low", "a", 1);
  EXPECT_EQ(Live("kueue:+allocate"),
            "admit worthy; admit low; bind worthy0 n; bind worthy1 n; bind low0 n");
  for (const char* task : {"worthy0", "worthy1", "low0"}) testing::Run(cluster_, task, "n");
  Accept(cluster_.SetTaskStatus("worthy0", TaskStatus::kReleasing));
  Accept(cluster_.SetTaskStatus("worthy1", TaskStatus::kReleasing));
  Job("high", "a", 1, /*priority=*/9);
  EXPECT_EQ(Live(), "");  // it waits for what leaves anyway
}

TEST_F(KueueProfile, AQuotaRequestStandsForThatOfTheShape) {
  Queue("a", 4);
  JobSpec dear{.name = "dear", .queue = "a", .min_available = 1};
  dear.settings = {{"kueue/podset-quota-request", "cpu=3"}};
  AddJob(cluster_, dear, 1, {{"cpu", 1}});
  EXPECT_EQ(Live(), "admit dear");
  Job("next", "a", 2);
  EXPECT_EQ(Live(), "");
  JobSpec cheap{.name = "cheap", .queue = "a", .min_available = 1};
  cheap.settings = {{"kueue/podset-quota-request", "cpu=250m"}};
  AddJob(cluster_, cheap, 4, {{"cpu", 1}});
  EXPECT_EQ(Live(), "admit cheap");
}

TEST_F(KueueProfile, TheSearchGoesOnBehindAFlavorThatNeedsVictimsAndHasNone) {
  Accept(cluster_.SetFlavor({.name = "other"}));
  Accept(cluster_.AddQueue({.name = "cohort"}));
  const auto add = [&](const std::string& name, QueueRules rules, const Resources& spot,
                       const Resources& other) {
    rules.groups = {
        {.resources = {"cpu", "memory"},
         .flavors = {{.flavor = "spot", .nominal = spot}, {.flavor = "other", .nominal = other}}}};
    QueueSpec queue{.name = name, .parent = "cohort"};
    queue.rules = std::move(rules);
    Accept(cluster_.AddQueue(queue));
  };
  QueueRules rules;
  rules.flavor_search.when_preempting = FlavorSearch::kMayStop;
  rules.preemption = {.within_queue = VictimScope::kLowerPriority, .reclaim = VictimScope::kAny};
  add("a", rules, {{"cpu", 10}, {"memory", 10}}, {{"cpu", 10}, {"memory", 10}});
  add("b", {}, {}, {});
  const auto hold = [&](const std::string& name, const std::string& queue,
                        const std::string& resource) {
    JobSpec job{.name = name, .queue = queue, .min_available = 1, .phase = JobPhase::kAdmitted};
    job.admission = JobAdmission{.groups = {{.count = 1, .flavors = {{resource, "spot"}}}}};
    AddJob(cluster_, job, 1, {{resource, 10}});
  };
  // Memory lacks in the own queue, cpu in the other one: victims of one kind do not help.
  hold("own", "a", "memory");
  hold("borrows", "b", "cpu");
  JobSpec job{.name = "high", .queue = "a", .priority = 9, .min_available = 1};
  AddJob(cluster_, job, 1, {{"cpu", 5}, {"memory", 5}});
  EXPECT_EQ(Live(), "admit high");
  const JobSpec high = JobNamed("high");
  ASSERT_TRUE(high.admission.has_value());
  EXPECT_EQ(high.admission->groups[0].flavors[0].second, "other");
}

TEST_F(KueueProfile, AFailedCheckDoesNotBlockAStrictQueue) {
  QueueRules rules;
  rules.strategy = QueueingStrategy::kStrictFifo;
  Queue("a", 4, rules);
  for (const char* state : {"Retry", "Rejected"}) {
    JobSpec failed{.name = "failed", .queue = "a", .min_available = 1};
    failed.settings = {{"kueue/admission-check/budget", state}};
    AddJob(cluster_, failed, 1, {{"cpu", 1}});
    Job("next", "a", 1);
    EXPECT_THAT(*cluster_.Schedule("kueue")->Explain("failed"),
                HasSubstr("The workload has failed admission checks"));
    EXPECT_EQ(Live(), "admit next") << state;
    Accept(cluster_.RemoveJob("failed"));
    Accept(cluster_.RemoveJob("next"));
  }
}

TEST_F(KueueProfile, NamespacesCountForJobsByCount) {
  QueueRules rules;
  rules.namespaces = Selector{.match_labels = {{"team", "x"}}};
  Queue("a", 4, rules);
  Accept(cluster_.SetNamespace({.name = "in", .labels = {{"team", "x"}}}));
  Accept(cluster_.SetNamespace({.name = "out", .labels = {{"team", "y"}}}));
  for (const char* space : {"in", "out"}) {
    JobSpec job{.name = space, .queue = "a", .min_available = 1};
    job.groups = {{.name = "w",
                   .shape = {.request = {{"cpu", 1}}, .name_space = space},
                   .by_count = ByCount{.count = 2}}};
    Accept(cluster_.AddJob(job));
  }
  EXPECT_EQ(Live(), "admit in");
}

TEST_F(KueueProfile, GroupsOfAnyNamesAreAlone) {
  const auto admitted = [&](const char* first, const char* second, const Labels& settings) {
    JobSpec job{.name = "j", .queue = "a", .min_available = 1};
    job.settings = settings;
    for (const char* name : {first, second}) {
      job.groups.push_back({.name = name, .count = 1, .shape = {.request = {{"cpu", 6}}}});
    }
    Accept(cluster_.AddJob(job));
    const std::string words = Live();
    Accept(cluster_.RemoveJob("j"));
    return words;
  };
  Accept(cluster_.SetFlavor({.name = "other"}));
  QueueSpec queue{.name = "a"};
  queue.rules = QueueRules{.groups = {{.resources = {"cpu"},
                                       .flavors = {{.flavor = "spot", .nominal = {{"cpu", 10}}},
                                                   {.flavor = "other", .nominal = {{"cpu", 6}}}}}}};
  Accept(cluster_.AddQueue(queue));
  EXPECT_EQ(admitted("v", "w", {}), "admit j");
  EXPECT_EQ(admitted("", "main", {}), "admit j");
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
