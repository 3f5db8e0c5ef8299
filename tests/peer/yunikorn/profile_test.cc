// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Profile yunikorn on clusters: what its rows become, and what its plans do to them.
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/plan_words.h"

namespace muster::testing {
namespace {

class YuniKornProfile : public ::testing::Test {
 protected:
  void Node(const std::string& name, int cpu, Labels labels = {}, bool unschedulable = false) {
    Accept(cluster_.AddNode({.name = name,
                             .capacity = {{"cpu", cpu}, {"memory", "64Gi"}, {"pods", 110}},
                             .labels = std::move(labels),
                             .unschedulable = unschedulable}));
  }
  void Queue(const std::string& name, int guaranteed, Labels settings = {}) {
    QueueSpec queue{.name = name};
    if (guaranteed > 0) queue.guaranteed = Resources{{"cpu", guaranteed}};
    queue.settings = std::move(settings);
    Accept(cluster_.AddQueue(queue));
  }
  // Tasks NAME0, NAME1, ... of one cpu each, created at the time of the job.
  void Job(const std::string& name, const std::string& queue, int tasks, int32_t priority = 0) {
    JobSpec job{.name = name, .queue = queue, .priority = priority};
    job.created = created_;
    Accept(cluster_.AddJob(job));
    for (int i = 0; i < tasks; ++i) {
      Accept(cluster_.AddTask({.name = name + std::to_string(i),
                               .job = name,
                               .shape = {.request = {{"cpu", 1}}},
                               .priority = priority,
                               .created = created_}));
    }
  }
  void Gang(const std::string& name, int count, Labels settings = {}) {
    JobSpec job{.name = name, .queue = "a"};
    job.created = created_;
    job.groups = {
        {.name = "w", .count = count, .min_available = count, .shape = {.request = {{"cpu", 1}}}}};
    job.settings = std::move(settings);
    Accept(cluster_.AddJob(job));
  }
  // Makes a plan of the living cluster, of a frozen one and of one built anew, and applies it.
  std::string Live(const std::string& profile = "yunikorn") {
    ScheduleOptions options;
    options.now = now_;
    const absl::StatusOr<Plan> plan = cluster_.Schedule(profile, options);
    EXPECT_TRUE(plan.ok()) << plan.status();
    if (!plan.ok()) return "";
    const absl::StatusOr<Plan> frozen = Schedule(cluster_.Freeze(), profile, options);
    EXPECT_EQ(plan->Digest(), frozen->Digest());
    std::string words = Decide(cluster_, profile, now_);
    for (const Reservation& reservation : plan->reservations()) {
      words += (words.empty() ? "" : "; ") + std::string("reserve ") +
               std::string(plan->task_name(reservation.task)) + " " +
               std::string(plan->node_name(reservation.node));
    }
    plan_ = *plan;
    EXPECT_TRUE(cluster_.Apply(*plan).ok());
    return words;
  }
  // All tasks that a plan bound run, those that it evicted are gone.
  void Confirm() {
    const ClusterSpec spec = cluster_.Describe();
    for (const TaskSpec& task : spec.tasks) {
      if (task.status == TaskStatus::kBinding) testing::Run(cluster_, task.name, task.node);
      if (task.status == TaskStatus::kReleasing) Accept(cluster_.RemoveTask(task.name));
    }
  }
  const Reason& ReasonOf(const std::string& task) {
    for (const PendingTask& pending : plan_->pending()) {
      if (plan_->task_name(pending.task) == task) return plan_->reasons()[pending.reason];
    }
    ADD_FAILURE() << task << " is not pending";
    static const Reason none{ReasonKind::kNotReached};
    return none;
  }
  std::string Refusal(const std::string& profile = "yunikorn") {
    const absl::StatusOr<Plan> plan = cluster_.Schedule(profile);
    return plan.ok() ? "" : std::string(plan.status().message());
  }

  Cluster cluster_;
  std::optional<Plan> plan_;
  int64_t created_ = 100;
  int64_t now_ = 1000;
};

TEST_F(YuniKornProfile, QueuesFarthestBelowTheirGuaranteeGoFirst) {
  Node("n", 4);
  Queue("a", 1);
  Queue("b", 3);
  Job("x", "a", 4);
  Job("y", "b", 4);
  // Shares: 0 and 0, a first by name; then 1 of a is above 0 of b, until b has 3 of 3.
  EXPECT_EQ(Live(), "bind x0 n; bind y0 n; bind y1 n; bind y2 n");
  EXPECT_EQ(Live(), "");
  EXPECT_EQ(ReasonOf("x1").kind, ReasonKind::kNoNode);
}

TEST_F(YuniKornProfile, NodesGoByUseAndThenByName) {
  Node("n1", 4);
  Node("n0", 4);
  Queue("a", 0);
  Job("x", "a", 3);
  EXPECT_EQ(Decide(cluster_, "yunikorn", now_), "bind x0 n0; bind x1 n1; bind x2 n0");
  EXPECT_EQ(Live("yunikorn:schedule(node_sort=binpacking)"), "bind x0 n0; bind x1 n0; bind x2 n0");
}

TEST_F(YuniKornProfile, SettingsAreThePropertiesOfQueues) {
  Node("n", 2);
  Queue("a", 0, {{"yunikorn/application.sort.policy", "fair"}, {"other/key", "ignored"}});
  created_ = 1;
  Job("old", "a", 3);
  created_ = 2;
  Job("new", "a", 3);
  EXPECT_EQ(Live(), "bind new0 n; bind old0 n");  // fair; equals go by name
}

TEST_F(YuniKornProfile, AnApplicationGoesFirstWhole) {
  Node("n", 4);
  Queue("a", 0);
  created_ = 1;
  Job("old", "a", 3);
  created_ = 2;
  Job("new", "a", 3);
  EXPECT_EQ(Live(), "bind old0 n; bind old1 n; bind old2 n; bind new0 n");
}

TEST_F(YuniKornProfile, RefusesSettingsThatItDoesNotKnow) {
  Queue("a", 0, {{"yunikorn/application.sort.polcy", "fair"}});
  EXPECT_THAT(Refusal(), ::testing::HasSubstr("queue \"a\", setting "
                                              "\"yunikorn/application.sort.polcy\": is not known"));
}

TEST_F(YuniKornProfile, RefusesValuesOfSettings) {
  Queue("a", 0, {{"yunikorn/preemption.delay", "soon"}});
  EXPECT_THAT(Refusal(), ::testing::HasSubstr("must be a duration above zero"));
  Cluster other;
  Accept(other.AddQueue({.name = "b", .settings = {{"yunikorn/priority.policy", "fenced"}}}));
  EXPECT_FALSE(other.Schedule("yunikorn").ok());
  Cluster third;
  JobSpec job{.name = "j"};
  job.settings = {{"yunikorn/gangSchedulingStyle", "hard"}};
  Accept(third.AddJob(job));
  EXPECT_THAT(std::string(third.Schedule("yunikorn").status().message()),
              ::testing::HasSubstr("job \"j\", setting \"yunikorn/gangSchedulingStyle\""));
  Cluster fourth;
  Accept(fourth.AddNode({.name = "n", .settings = {{"yunikorn/gangSchedulingStyle", "Hard"}}}));
  EXPECT_EQ(fourth.Schedule("yunikorn").status().message(),
            "node \"n\", setting \"yunikorn/gangSchedulingStyle\": is not known");
}

TEST_F(YuniKornProfile, RefusesWhatNoConfigurationMayHave) {
  QueueSpec queue{.name = "a"};
  queue.guaranteed = Resources{{"cpu", 3}};
  queue.limit = Resources{{"cpu", 2}};
  Accept(cluster_.AddQueue(queue));
  EXPECT_EQ(Refusal("yunikorn:schedule(strict=on)"), "queue a: guarantees more than its limit");
  EXPECT_EQ(Refusal(), "");
  Accept(cluster_.AddQueue({.name = "no name"}));
  EXPECT_EQ(Refusal(), "queue root: \"no name\" is no name of a child");
}

TEST_F(YuniKornProfile, LimitsHoldAndAreNamed) {
  Node("n", 8);
  QueueSpec queue{.name = "a"};
  queue.limit = Resources{{"cpu", 2}};
  Accept(cluster_.AddQueue(queue));
  Job("x", "a", 3);
  EXPECT_EQ(Live(), "bind x0 n; bind x1 n");
  EXPECT_EQ(ReasonOf("x2").kind, ReasonKind::kQueueLimit);
  EXPECT_EQ(plan_->dimension_name(ReasonOf("x2").dimension), "cpu");
  EXPECT_EQ(*plan_->Explain("x2"),
            "x2: queue \"a\" would exceed its limit in cpu (Not enough queue quota; Preemption "
            "queue guarantees check failed)\n");
  EXPECT_EQ(Live("yunikorn:schedule(preemption=off)"), "");
  EXPECT_EQ(ReasonOf("x2").where, "Not enough queue quota");
}

TEST_F(YuniKornProfile, UsersHaveLimits) {
  Node("n", 8);
  QueueSpec queue{.name = "a"};
  queue.users = UserRules{.limits = {{.name = "*", .limit = Resources{{"cpu", 1}}}}};
  Accept(cluster_.AddQueue(queue));
  Job("x", "a", 2);
  JobSpec job{.name = "y", .queue = "a"};
  job.owner = JobOwner{.user = "ann"};
  AddJob(cluster_, job, 2, {{"cpu", 1}});
  EXPECT_EQ(Live(), "bind y0 n; bind x0 n");  // y was created at 0
  EXPECT_EQ(ReasonOf("x1").where, "Not enough user quota");
}

TEST_F(YuniKornProfile, RunningApplicationsHaveAMaximum) {
  Node("n", 8);
  Queue("a", 0, {{"yunikorn/maxapplications", "1"}});
  Job("x", "a", 1);
  Job("y", "a", 1);
  EXPECT_EQ(Live(), "bind x0 n");
  EXPECT_EQ(ReasonOf("y0").where, "max running applications of the queue");
}

TEST_F(YuniKornProfile, JobsOfParentsAreRejected) {
  Node("n", 8);
  Queue("a", 0);
  Accept(cluster_.AddQueue({.name = "a.b", .parent = "a"}));
  Job("x", "a", 1);
  Job("y", "a.b", 1);
  EXPECT_EQ(Live(), "bind y0 n");
  EXPECT_EQ(ReasonOf("x0").kind, ReasonKind::kNotAdmitted);
  EXPECT_EQ(ReasonOf("x0").where, "application rejected: queue root.a is no leaf");
}

TEST_F(YuniKornProfile, NodesAreFiltered) {
  Node("cordoned", 8, {}, /*unschedulable=*/true);
  Node("n1", 8, {{"disk", "ssd"}});
  Node("n0", 8);
  Queue("a", 0);
  JobSpec job{.name = "x", .queue = "a"};
  job.groups = {{.name = "w",
                 .count = 1,
                 .shape = {.request = {{"cpu", 1}}, .node_selector = {{"disk", "ssd"}}}}};
  Accept(cluster_.AddJob(job));
  EXPECT_EQ(Live(), "bind x-w-0 n1");
}

TEST_F(YuniKornProfile, GuaranteesEvictOnceTheDelayIsOver) {
  Node("n", 4);
  Queue("a", 2);
  Queue("b", 2);
  Job("greedy", "a", 4);
  EXPECT_EQ(Live(), "bind greedy0 n; bind greedy1 n; bind greedy2 n; bind greedy3 n");
  Confirm();
  created_ = now_;
  Job("late", "b", 1);
  now_ += 29;
  EXPECT_EQ(Live(), "");
  EXPECT_EQ(*plan_->Explain("late0"),
            "late0: no node fits\n  1 node: cpu (Preemption preconditions failed)\n");
  now_ += 1;
  EXPECT_EQ(Live(), "evict greedy0 n");
  EXPECT_EQ(plan_->task_name(plan_->evictions()[0].beneficiary), "late0");
  // It is not asked for again, and nothing is free yet.
  EXPECT_EQ(Live(), "");
  Confirm();
  created_ = 1;
  Job("other", "a", 1);
  EXPECT_EQ(Live(), "bind late0 n");
}

TEST_F(YuniKornProfile, APreemptionThatBreaksGuaranteesIsNamed) {
  Node("n", 4);
  Queue("a", 0);
  Queue("b", 0);
  Queue("c", 2);
  Job("greedy", "a", 4);
  EXPECT_EQ(Live(), "bind greedy0 n; bind greedy1 n; bind greedy2 n; bind greedy3 n");
  Confirm();
  created_ = now_;
  Job("late", "b", 1);
  // Larger than the guarantee of its queue, and than what may be stopped on the node.
  JobSpec job{.name = "wide", .queue = "c"};
  job.created = created_;
  AddJob(cluster_, job, 1, {{"cpu", 3}});
  now_ += 60;
  EXPECT_EQ(Live(), "");
  EXPECT_EQ(ReasonOf("late0").where, "Preemption queue guarantees check failed");
  EXPECT_EQ(ReasonOf("wide0").where, "Preemption queue guarantees check failed");
}

TEST_F(YuniKornProfile, ADelayThatNeverEndsEvictsNothing) {
  now_ = created_ = 2'000'000'000;
  const auto evicts = [&](const PreemptionRules& rules, Labels settings) {
    cluster_ = Cluster();
    Node("n", 4);
    QueueSpec queue{.name = "a", .guaranteed = Resources{{"cpu", 2}}};
    queue.rules = QueueRules();
    queue.rules->preemption = rules;
    queue.settings = std::move(settings);
    Accept(cluster_.AddQueue(queue));
    Queue("b", 0);
    created_ = now_ - 5000;
    Job("h", "b", 4);
    for (int i = 0; i < 4; ++i) testing::Run(cluster_, "h" + std::to_string(i), "n");
    created_ = now_ - 100;
    Job("w", "a", 1);
    const absl::StatusOr<Plan> plan = cluster_.Schedule("yunikorn", {.now = now_});
    EXPECT_TRUE(plan.ok()) << plan.status();
    return plan.ok() && !plan->evictions().empty();
  };
  EXPECT_TRUE(evicts({}, {}));
  for (const int64_t delay : {int64_t{1000}, int64_t{9'000'000'000}, int64_t{10'000'000'000},
                              (int64_t{1} << 62) - 1}) {  // the longest span of time
    PreemptionRules rules;
    rules.delay = delay;
    EXPECT_FALSE(evicts(rules, {})) << delay;
  }
  EXPECT_FALSE(evicts({}, {{"yunikorn/preemption.delay", "2500000h"}}));
}

TEST_F(YuniKornProfile, LimitsOfUsersDoNotCountPartsOfAUnit) {
  const auto binds = [&](const char* limit) {
    cluster_ = Cluster();
    Accept(cluster_.AddNode({.name = "n", .capacity = {{"cpu", 9}, {"pods", 9}, {"x.y/g", 9}}}));
    QueueSpec queue{.name = "a"};
    queue.users =
        UserRules{.limits = {{.name = "u", .limit = Resources{{"x.y/g", limit}, {"cpu", 9}}}}};
    Accept(cluster_.AddQueue(queue));
    JobSpec job{.name = "j", .queue = "a"};
    job.owner = JobOwner{.user = "u"};
    job.groups = {{.count = 3, .shape = {.request = {{"cpu", 1}, {"x.y/g", 1}}}}};
    Accept(cluster_.AddJob(job));
    const absl::StatusOr<Plan> plan = cluster_.Schedule("yunikorn");
    EXPECT_TRUE(plan.ok()) << plan.status();
    return plan.ok() ? plan->binds().size() : 99;
  };
  EXPECT_EQ(binds("2"), 2u);
  EXPECT_EQ(binds("1500m"), 1u);
  EXPECT_EQ(binds("500m"), 0u);
}

TEST_F(YuniKornProfile, RefusesWhatThePeerReadsOtherwise) {
  const auto refusal = [&] {
    return std::string(cluster_.Schedule("yunikorn").status().message());
  };
  QueueSpec queue{.name = "a"};
  queue.users = UserRules{.limits = {{.name = "u", .max_jobs = 0}}};
  Accept(cluster_.AddQueue(queue));
  EXPECT_EQ(
      refusal(),
      "queue \"a\": users: limit of \"u\": max_jobs is 0, which is no limit for YuniKorn; 1 or "
      "more is one");
  cluster_ = Cluster();
  Accept(cluster_.AddNode({.name = "n", .capacity = {{"cpu", 9}, {"vcore", 9}}}));
  EXPECT_EQ(
      refusal(),
      "profile yunikorn: resource \"vcore\": YuniKorn has this name for cpu; a resource needs "
      "another");
}

// The peer's rule: a limit in which all is 0 is not set, one with an amount above 0 is.
TEST_F(YuniKornProfile, ALimitOfNothingIsNoLimit) {
  const auto binds = [&](const Resources& limit) {
    cluster_ = Cluster();
    Node("n", 4);
    Accept(cluster_.AddQueue({.name = "a", .limit = limit}));
    Job("j", "a", 1);
    return Decide(cluster_, "yunikorn");
  };
  EXPECT_EQ(binds({{"cpu", 0}}), "bind j0 n");
  EXPECT_EQ(binds({{"cpu", 0}, {"memory", "1Gi"}}), "");
}

TEST_F(YuniKornProfile, LoweredLimitsEvictOnceTheirDelayIsOver) {
  const std::string profile = "yunikorn:schedule(quota_preemption=on)";
  Node("n", 8);
  QueueSpec queue{.name = "a", .settings = {{"yunikorn/quota.preemption.delay", "60s"}}};
  queue.limit = Resources{{"cpu", 4}};
  queue.guaranteed = Resources{{"cpu", 1}};
  Accept(cluster_.AddQueue(queue));
  Job("x", "a", 4);
  EXPECT_EQ(Live(profile), "bind x0 n; bind x1 n; bind x2 n; bind x3 n");
  Confirm();
  queue.limit = Resources{{"cpu", 2}};
  Accept(cluster_.UpdateQueue(queue));
  EXPECT_EQ(Live(profile), "");
  now_ += 59;
  EXPECT_EQ(Live(profile), "");
  now_ += 1;
  // Equals in age and size: the peer's order counts each as before the other, so the last is first.
  EXPECT_EQ(Live(profile), "evict x3 n; evict x2 n");
  EXPECT_EQ(plan_->evictions()[0].beneficiary, kNone);
  Confirm();
  EXPECT_EQ(Live(profile), "");
}

TEST_F(YuniKornProfile, ARequiredNodeMakesRoomThere) {
  Node("n0", 3);
  Node("n1", 1);
  Queue("a", 0);
  Job("x", "a", 3);
  EXPECT_EQ(Live(), "bind x0 n0; bind x1 n1; bind x2 n0");
  Confirm();
  JobSpec job{.name = "daemon", .queue = "a"};
  TaskShape shape{.request = {{"cpu", 1}}};
  shape.required_node_affinity = {
      {{.match_fields = {{.key = "metadata.name", .op = RequirementOp::kIn, .values = {"n1"}}}}}};
  job.groups = {{.name = "d", .count = 1, .shape = shape}};
  Accept(cluster_.AddJob(job));
  EXPECT_EQ(Live(), "evict x1 n1");
  EXPECT_EQ(plan_->task_name(plan_->evictions()[0].beneficiary), "daemon-d-0");
  Confirm();
  EXPECT_EQ(Live(), "bind daemon-d-0 n1");
}

TEST_F(YuniKornProfile, AReservationLastsBetweenPlans) {
  Node("n0", 2);
  Node("n1", 2);
  Queue("a", 0);
  Job("small", "a", 2);
  EXPECT_EQ(Live(), "bind small0 n0; bind small1 n1");
  Confirm();
  JobSpec job{.name = "large", .queue = "a"};
  job.groups = {{.name = "w", .count = 1, .shape = {.request = {{"cpu", 2}}}}};
  Accept(cluster_.AddJob(job));
  EXPECT_EQ(Live(), "");
  created_ = 900;
  Job("next", "a", 2);
  // n0 is kept for large: only n1 is left.
  EXPECT_EQ(Live(), "bind next0 n1");
  Accept(cluster_.RemoveTask("small0"));
  EXPECT_EQ(Live(), "bind large-w-0 n0");
}

TEST_F(YuniKornProfile, AGangStartsWholeOrWaits) {
  Node("n0", 1);
  Node("n1", 1);
  Queue("a", 0);
  Gang("whole", 2);
  EXPECT_EQ(Live(), "bind whole-w-0 n0; bind whole-w-1 n1");
  Confirm();
  Gang("wide", 3);
  Node("n2", 1);
  Node("n3", 1);
  EXPECT_EQ(Live(), "reserve wide-w-0 n2; reserve wide-w-1 n3");
  EXPECT_EQ(plan_->reservations()[0].until, now_ + 900);
  EXPECT_EQ(ReasonOf("wide-w-2").kind, ReasonKind::kNoNode);
  EXPECT_EQ(Live(), "");
  Node("n4", 1);
  EXPECT_EQ(Live(), "bind wide-w-0 n2; bind wide-w-1 n3; bind wide-w-2 n4");
}

TEST_F(YuniKornProfile, AGangThatIsLateIsScheduledPodByPodOrNotAtAll) {
  for (const char* style : {"Soft", "Hard"}) {
    SCOPED_TRACE(style);
    cluster_ = Cluster();
    Node("n0", 1);
    Queue("a", 0);
    Gang("g", 2,
         {{"yunikorn/gangSchedulingStyle", style}, {"yunikorn/placeholderTimeoutInSeconds", "60"}});
    EXPECT_EQ(Live(), "reserve g-w-0 n0");
    now_ += 60;
    // The host ends the wait.
    Accept(cluster_.SetTaskStatus("g-w-0", TaskStatus::kPending));
    EXPECT_EQ(Live(), style == std::string("Soft") ? "bind g-w-0 n0" : "");
  }
  EXPECT_EQ(ReasonOf("g-w-0").where, "application failed: ResourceReservationTimeout");
}

TEST_F(YuniKornProfile, AGangNeedsAQueueThatSortsByFifo) {
  Node("n0", 4);
  Queue("a", 0, {{"yunikorn/application.sort.policy", "fair"}});
  Gang("g", 2);
  EXPECT_EQ(Live(), "");
  EXPECT_THAT(ReasonOf("g-w-0").where, ::testing::HasSubstr("sorts applications by fifo"));
}

TEST_F(YuniKornProfile, AGangWithTooFewTasksIsInvalid) {
  Node("n0", 4);
  Queue("a", 0);
  JobSpec job{.name = "j", .queue = "a", .min_available = 3};
  AddJob(cluster_, job, 2, {{"cpu", 1}});
  EXPECT_EQ(Live(), "");
  EXPECT_EQ(ReasonOf("j0").kind, ReasonKind::kInvalidGang);
}

TEST_F(YuniKornProfile, WeightsOfZeroLeaveNamesAlone) {
  Node("n0", 2);
  Node("n1", 2);
  Queue("a", 0);
  Job("x", "a", 2);
  EXPECT_EQ(Live("yunikorn:schedule(weight.cpu=0)"), "bind x0 n0; bind x1 n0");
}

TEST_F(YuniKornProfile, PrioritiesAndOffsetsAtTheirEndsAreHeld) {
  constexpr int32_t kMost = std::numeric_limits<int32_t>::max();
  constexpr int32_t kLeast = std::numeric_limits<int32_t>::min();
  Node("n", 3);
  Queue("a", 0, {{"yunikorn/priority.offset", "2147483647"}});
  Queue("b", 0, {{"yunikorn/priority.offset", "-2147483648"}});
  Job("low", "a", 1, kLeast);
  Job("high", "b", 1, kMost);
  Job("top", "a", 1, kMost);
  // The priority of a is held to the range. Then both queues count -1, and b has less.
  EXPECT_EQ(Live(), "bind top0 n; bind high0 n; bind low0 n");
  Accept(cluster_.UpdateQueue(
      {.name = "a", .settings = {{"yunikorn/priority.offset", "2147483648"}}}));
  EXPECT_THAT(Refusal(), ::testing::HasSubstr("must be a whole number from -2147483648 to"));
}

TEST_F(YuniKornProfile, WhatRunsAboveALimitStays) {
  Node("n", 8);
  Queue("a", 0);
  Job("x", "a", 4);
  EXPECT_EQ(Live(), "bind x0 n; bind x1 n; bind x2 n; bind x3 n");
  Confirm();
  QueueSpec queue{.name = "a"};
  queue.limit = Resources{{"cpu", 2}};
  queue.users = UserRules{.limits = {{.name = "*", .limit = Resources{{"cpu", 1}}}}};
  Accept(cluster_.UpdateQueue(queue));
  created_ = 200;
  Job("y", "a", 1);
  EXPECT_EQ(Live(), "");
  EXPECT_EQ(ReasonOf("y0").where, "Not enough user quota");
}

TEST_F(YuniKornProfile, ClosedQueuesAreStopped) {
  Node("n0", 4);
  Accept(cluster_.AddQueue({.name = "a", .state = QueueState::kClosed}));
  Accept(cluster_.AddQueue({.name = "b"}));
  Job("x", "b", 1);
  EXPECT_EQ(Live(), "bind x0 n0");
}

TEST_F(YuniKornProfile, CutsFallBetweenDecisions) {
  Node("n", 4);
  Queue("a", 0);
  Job("x", "a", 3);
  ScheduleOptions options;
  options.now = now_;
  options.work_budget = 2;
  const absl::StatusOr<Plan> plan = cluster_.Schedule("yunikorn", options);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->binds().size(), 2u);
  EXPECT_FALSE(plan->complete());
}

}  // namespace
}  // namespace muster::testing
