// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Profile kueue on clusters: what its rows become, and what its plans do to them.
#include <string>
#include <utility>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/peer/kueue/profile_fixture.h"

namespace muster::testing {
namespace {

using ::testing::HasSubstr;

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

TEST_F(KueueProfile, AJobByCountHasAReason) {
  Queue("a", 4);
  ByCountJob("sweep", 9);
  const absl::StatusOr<Plan> plan = cluster_.Schedule("kueue");
  ASSERT_TRUE(plan.ok()) << plan.status();
  const std::string why =
      "not admitted: couldn't assign flavors to pod set w: insufficient quota for cpu in flavor "
      "spot, previously considered podsets requests (0) + current podset request (9) > maximum "
      "capacity (4)\n";
  EXPECT_EQ(*plan->Explain("sweep"), "sweep: " + why);
  EXPECT_EQ(plan->ToText(), "pending sweep (9 tasks): " + why);
  EXPECT_THAT(plan->ToJson(), HasSubstr(R"({"job": "sweep", "tasks": 9, "reason": 0})"));
  EXPECT_TRUE(plan->pending().empty());
  EXPECT_NE(plan->Digest(), Plan().Digest());
  EXPECT_EQ(Live(), "");
  // Rows that are made of it have the same reason.
  Accept(cluster_.MakeTasks("sweep", "w", 4));
  EXPECT_THAT(cluster_.Schedule("kueue")->ToText(),
              HasSubstr("pending sweep (9 tasks): not admitted: couldn't assign flavors to pod set "
                        "w: insufficient quota for cpu in flavor spot"));
}

TEST_F(KueueProfile, ALackOfUnusedQuotaHasItsNumbers) {
  QueueRules rules;
  rules.preemption.reclaim = VictimScope::kLowerPriority;
  rules.preemption.within_queue = VictimScope::kLowerOrNewerEqualPriority;
  Queue("a", 2, rules);
  Queue("b", 2);
  Job("kept", "b", 2);
  Job("borrows", "b", 1, /*priority=*/5);
  Job("own", "a", 1, /*priority=*/5);
  EXPECT_EQ(Live(), "admit borrows; admit own; admit kept");
  Job("mine", "a", 2);
  Job("alike", "a", 2);
  const absl::StatusOr<Plan> plan = cluster_.Schedule("kueue");
  ASSERT_TRUE(plan.ok()) << plan.status();
  const std::string why =
      ": not admitted: couldn't assign flavors to pod set main: insufficient unused quota for cpu "
      "in flavor spot, 2 more needed. cpu from spot: queue a uses 1 of 2, cohort cohort uses 4 of "
      "4; it may evict 0 of 1 workloads of its queue (withinClusterQueue "
      "LowerOrNewerEqualPriority) and 0 of 2 of its cohort (reclaimWithinCohort LowerPriority)\n";
  EXPECT_EQ(*plan->Explain("mine"), "mine" + why);
  EXPECT_EQ(*plan->Explain("alike"), "alike" + why);
}

TEST_F(KueueProfile, ABorrowingLimitIsNamedWhereItBounds) {
  Queue("b", 4);
  QueueRules rules;
  rules.groups = {
      {.resources = {"cpu"},
       .flavors = {{.flavor = "spot", .nominal = {{"cpu", 2}}, .borrow_limit = {{"cpu", 1}}}}}};
  QueueSpec queue{.name = "a", .parent = "cohort"};
  queue.rules = rules;
  Accept(cluster_.AddQueue(queue));
  Job("first", "a", 2);
  EXPECT_EQ(Live(), "admit first");
  Job("second", "a", 2);
  Job("third", "a", 4);
  const absl::StatusOr<Plan> plan = cluster_.Schedule("kueue");
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(*plan->Explain("second"),
            "second: not admitted: couldn't assign flavors to pod set main: insufficient unused "
            "quota for cpu in flavor spot, 1 more needed. cpu from spot: queue a uses 2 of 2 and "
            "may borrow 1, cohort cohort uses 2 of 6; it may evict 0 of 1 workloads of its queue "
            "(withinClusterQueue Never) and 0 of 0 of its cohort (reclaimWithinCohort Never)\n");
  EXPECT_EQ(*plan->Explain("third"),
            "third: not admitted: couldn't assign flavors to pod set main: insufficient quota for "
            "cpu in flavor spot, previously considered podsets requests (0) + current podset "
            "request (4) > maximum capacity (3). cpu from spot: queue a has 2 and may borrow 1, "
            "cohort cohort has 6\n");
}

TEST_F(KueueProfile, ABorrowingLimitIsNotNamedWhereTheCohortHasLess) {
  Queue("b", 4);
  QueueRules rules;
  rules.groups = {
      {.resources = {"cpu"},
       .flavors = {{.flavor = "spot", .nominal = {{"cpu", 2}}, .borrow_limit = {{"cpu", 8}}}}}};
  QueueSpec queue{.name = "a", .parent = "cohort"};
  queue.rules = rules;
  Accept(cluster_.AddQueue(queue));
  Job("first", "b", 4);
  EXPECT_EQ(Live(), "admit first");
  Job("second", "a", 3);
  Job("third", "a", 7);
  const absl::StatusOr<Plan> plan = cluster_.Schedule("kueue");
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_THAT(*plan->Explain("second"),
              HasSubstr("queue a uses 0 of 2, cohort cohort uses 4 of 6; it may"));
  EXPECT_THAT(*plan->Explain("third"), HasSubstr("> maximum capacity (6)\n"));
}

TEST_F(KueueProfile, AVictimHasAReason) {
  QueueRules rules;
  rules.preemption.within_queue = VictimScope::kLowerPriority;
  Queue("a", 4, rules);
  Node();
  ByCountJob("counts", 2);
  Job("rows", "a", 2);
  EXPECT_EQ(Live("kueue:+allocate"), "admit counts; admit rows; bind rows0 n; bind rows1 n");
  testing::Run(cluster_, "rows0", "n");
  testing::Run(cluster_, "rows1", "n");
  Job("high", "a", 4, /*priority=*/9);
  const absl::StatusOr<Plan> plan = cluster_.Schedule("kueue");
  ASSERT_TRUE(plan.ok()) << plan.status();
  const std::string why =
      "not admitted: InClusterQueue: Preempted to accommodate workload high due to prioritization "
      "in the ClusterQueue\n";
  EXPECT_EQ(*plan->Explain("counts"), "counts: " + why);
  EXPECT_EQ(*plan->Explain("rows"), "rows: 2 evicted; " + why + "  2 tasks evicted for high\n");
}

// What places its tasks is outside of the plan, unless the profile has an action that does.
TEST_F(KueueProfile, TasksOfAnAdmittedJobAreNotItsToPlace) {
  Queue("a", 2);
  Node();
  Job("j", "a", 2);
  Job("next", "a", 1);
  const auto words = [&](const std::string& profile, const std::string& job) {
    return *cluster_.Schedule(profile)->Explain(job);
  };
  const std::string admitted = "j: admitted; no action of the profile places tasks (2 tasks)\n";
  EXPECT_EQ(words("kueue", "j"), admitted);
  EXPECT_THAT(words("kueue", "next"), HasSubstr("next: not admitted: "));
  EXPECT_EQ(words("kueue:+allocate", "j"), "j: placed 2 of 2\n");
  EXPECT_EQ(Live(), "admit j");
  EXPECT_EQ(words("kueue", "j"), admitted);
  // A task with a gate waits for that.
  TaskSpec task;
  for (const TaskSpec& one : cluster_.Describe().tasks) {
    if (one.name == "j0") task = one;
  }
  task.gates = {"hold"};
  Accept(cluster_.UpdateTask(task));
  EXPECT_THAT(words("kueue", "j0"), HasSubstr("gated"));
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

TEST_F(KueueProfile, AJobThatGotNoTurnNamesTheOneInFront) {
  Node();
  QueueRules strict, evicts;
  strict.strategy = QueueingStrategy::kStrictFifo;
  evicts.preemption.within_queue = VictimScope::kLowerPriority;
  Queue("a", 2, strict);
  Queue("b", 1, evicts);
  Job("first", "a", 4);
  Job("second", "a", 1);
  const auto words = [&](const std::string& name) {
    return std::string(*cluster_.Schedule("kueue")->Explain(name));
  };
  EXPECT_THAT(words("second"), HasSubstr("waits behind first (StrictFIFO)"));
  Job("victim", "b", 1);
  EXPECT_EQ(Live(), "admit victim");
  testing::Run(cluster_, "victim0", "n");
  Accept(cluster_.RemoveJob("first"));
  Job("third", "a", 1);
  EXPECT_EQ(Live(), "admit second; admit third");
  Job("high", "b", 1, /*priority=*/9);
  JobSpec next{.name = "next", .queue = "b", .priority = 8, .min_available = 1};
  AddJob(cluster_, next, 2, {{"cpu", 1}});
  EXPECT_THAT(words("next"), HasSubstr("not admitted: waits behind high, which evicts others"));
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

}  // namespace
}  // namespace muster::testing
