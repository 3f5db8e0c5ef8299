// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Tasks without a job as jobs of one, and jobs of which tasks are counts.
#include "lib/profile/cycle_tables.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "lib/base/rng.h"
#include "muster/cluster.h"
#include "muster/schedule.h"
#include "muster/what_if.h"
#include "tests/support/random_world.h"

namespace muster::testing {
namespace {

// "t1->n;evict t2;pending t3" of a plan.
std::string WordsOf(const Plan& plan) {
  std::string words;
  for (const Decision& decision : plan.decisions()) {
    if (decision.task == kNone) continue;
    words += std::to_string(static_cast<int>(decision.kind)) + " " +
             std::string(plan.task_name(decision.task)) + "->" +
             std::string(plan.node_name(decision.node)) + ";";
  }
  for (const PendingTask& task : plan.pending()) {
    words += "pending " + std::string(plan.task_name(task.task)) + ";";
  }
  return words;
}

Cluster TwoLoneTasks() {
  Cluster cluster;
  EXPECT_TRUE(cluster.AddNode({.name = "n", .capacity = {{"cpu", 1}, {"memory", 100}}}).ok());
  for (const char* name : {"a", "b"}) {
    const int32_t priority = *name == 'b';
    EXPECT_TRUE(cluster
                    .AddTask({.name = name,
                              .shape = {.request = {{"cpu", 1}, {"memory", 1}}},
                              .priority = priority})
                    .ok());
  }
  return cluster;
}

TEST(LoneTasks, OnlyOccupyUnlessTheProfileTakesThem) {
  Cluster cluster = TwoLoneTasks();
  for (const char* profile : {"volcano", "muster", "kube-batch"}) {
    EXPECT_EQ(WordsOf(*cluster.Schedule(profile)), "") << profile;
    const std::string taking = std::string(profile) + ":lone_tasks=default";
    const absl::StatusOr<Plan> plan = cluster.Schedule(taking);
    ASSERT_TRUE(plan.ok()) << plan.status();
    EXPECT_EQ(WordsOf(*plan), "1 b->n;pending a;") << profile;
    EXPECT_EQ(plan->Digest(), Schedule(cluster.Freeze(), taking)->Digest()) << profile;
    for (const Decision& decision : plan->decisions()) EXPECT_EQ(decision.job, kNone);
    EXPECT_TRUE(plan->Explain("a").ok());
  }
}

TEST(LoneTasks, ArePlacedByAPlanThatIsApplied) {
  Cluster cluster = TwoLoneTasks();
  const std::string profile = "volcano:lone_tasks=default";
  const absl::StatusOr<ApplyReport> report = cluster.Apply(*cluster.Schedule(profile));
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->applied, 1);
  EXPECT_TRUE(report->refused.empty());
  EXPECT_EQ(cluster.Describe().tasks[1].status, TaskStatus::kBinding);
  EXPECT_EQ(WordsOf(*cluster.Schedule(profile)), "pending a;");
  ASSERT_TRUE(cluster.SetTaskStatus("b", TaskStatus::kRunning).ok());
  ASSERT_TRUE(cluster.SetTaskStatus("b", TaskStatus::kSucceeded).ok());
  EXPECT_EQ(WordsOf(*cluster.Schedule(profile)), "1 a->n;");
}

TEST(LoneTasks, CountForTheirQueueAndMayBeEvicted) {
  Cluster cluster = TwoLoneTasks();
  ASSERT_TRUE(cluster.SetTaskStatus("a", TaskStatus::kRunning, "n").ok());
  const std::string profile = "volcano:+preempt,lone_tasks=default";
  const absl::StatusOr<Plan> plan = cluster.Schedule(profile);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->shares()[0].allocated_before[kCpu], 1000);
  const absl::StatusOr<Outlook> outlook = WhatIf(cluster, profile, {});
  ASSERT_TRUE(outlook.ok()) << outlook.status();
  EXPECT_EQ(outlook->queues[0].allocated_before[kCpu], 1000);
  EXPECT_EQ(outlook->queues[0].pending_before[kCpu], 1000);
  const absl::StatusOr<Outlook> frozen = WhatIf(cluster.Freeze(), profile, {});
  EXPECT_EQ(frozen->queues[0].allocated_before[kCpu], 1000);
  EXPECT_EQ(WhatIf(cluster, "volcano", {})->queues[0].allocated_before[kCpu], 0);
}

// Nothing of a plan is of a job that the cluster does not have.
TEST(LoneTasks, HaveNoJobInAnyListOfThePlan) {
  Cluster cluster;
  ASSERT_TRUE(cluster.AddNode({.name = "n", .capacity = {{"cpu", 4}, {"pods", 9}}}).ok());
  ASSERT_TRUE(
      cluster.AddJob({.name = "j", .groups = {{.count = 1, .shape = {.request = {{"cpu", 1}}}}}})
          .ok());
  for (const char* name : {"a", "b"}) {
    ASSERT_TRUE(cluster.AddTask({.name = name, .shape = {.request = {{"cpu", 2}}}}).ok());
  }
  for (const ProfileInfo& profile : Profiles()) {
    SCOPED_TRACE(profile.name);
    const Snapshot snapshot = cluster.Freeze();
    for (const absl::StatusOr<Plan>& plan :
         {Schedule(snapshot, profile.name + ":lone_tasks=default"),
          cluster.Schedule(profile.name + ":lone_tasks=default")}) {
      if (!plan.ok()) continue;  // the profile has tasks without a job of its own
      for (const PhaseChange& change : plan->phases()) {
        EXPECT_LT(change.job, snapshot.job_count());
      }
      for (const Admission& admission : plan->admissions()) {
        EXPECT_LT(admission.job, snapshot.job_count());
      }
    }
  }
}

TEST(LoneTasks, NeedAQueueThatTakesThem) {
  Cluster cluster = TwoLoneTasks();
  const auto refusal = [&](const char* profile) {
    return std::string(cluster.Schedule(profile).status().message());
  };
  EXPECT_EQ(refusal("volcano:lone_tasks=x"),
            "profile, lone_tasks: queue \"x\" does not exist; must be a queue");
  ASSERT_TRUE(cluster.AddQueue({.name = "g", .node_groups = NodeGroupWish{}}).ok());
  ASSERT_TRUE(cluster.AddQueue({.name = "below", .parent = "g"}).ok());
  EXPECT_EQ(refusal("volcano:lone_tasks=below"),
            "profile, lone_tasks: queue \"g\" has rules about node groups; must be a queue "
            "without");
  EXPECT_EQ(Schedule(cluster.Freeze(), "volcano:lone_tasks=x").status().code(),
            absl::StatusCode::kFailedPrecondition);
  // A job of the task's name does not get in its way.
  ASSERT_TRUE(cluster.AddJob({.name = "a"}).ok());
  EXPECT_EQ(WordsOf(*cluster.Schedule("volcano:lone_tasks=default")), "1 b->n;pending a;");
}

// A job of one decides as a job of one that the caller made.
TEST(LoneTasks, AreScheduledAsJobsOfOne) {
  int64_t binds = 0;
  for (uint64_t seed = 0; seed < 150; ++seed) {
    ClusterSpec lone = RandomWorld(seed, {.jobs = 4, .tasks = 2});
    std::erase_if(lone.queues, [](const QueueSpec& queue) {
      return queue.node_groups.has_value() || !queue.node_group_limits.empty();
    });
    if (lone.queues.size() < 2 || lone.queues[0].state != QueueState::kOpen) continue;
    ClusterSpec with_jobs = lone;
    Rng rng(seed);
    const uint64_t more = 1 + rng.Below(5);
    for (uint64_t k = 0; k < more && !lone.tasks.empty(); ++k) {
      TaskSpec task{.name = "lone" + std::to_string(k), .shape = lone.tasks[0].shape};
      task.priority = static_cast<int32_t>(rng.Below(3));
      lone.tasks.push_back(task);
      with_jobs.jobs.push_back({.name = task.name,
                                .queue = lone.queues[0].name,
                                .priority = task.priority,
                                .min_available = 1,
                                .phase = JobPhase::kAdmitted});
      task.job = task.name;
      with_jobs.tasks.push_back(task);
    }
    const std::optional<Cluster> a = TryCluster(lone), b = TryCluster(with_jobs);
    if (!a || !b) continue;
    const std::string profile = seed % 2 == 0 ? "muster" : "volcano:+preempt";
    const bool some = lone.tasks.size() > 1;
    std::string spec = profile;
    spec += profile == "muster" ? ":lone_tasks=" : ",lone_tasks=";
    spec += lone.queues[0].name;
    const absl::StatusOr<Plan> taken = Schedule(a->Freeze(), spec);
    const absl::StatusOr<Plan> expected = Schedule(b->Freeze(), profile);
    ASSERT_TRUE(taken.ok() && expected.ok()) << taken.status() << expected.status();
    // Tasks of no job that hold a node in the world are jobs for one of the two only.
    bool others = false;
    for (const TaskSpec& task : with_jobs.tasks) others = others || task.job.empty();
    if (others) continue;
    ASSERT_EQ(WordsOf(*taken), WordsOf(*expected)) << seed;
    binds += some ? static_cast<int64_t>(taken->decisions().size()) : 0;
  }
  EXPECT_GT(binds, 50);
}

TEST(Counts, AreRefusedByProfilesThatPlaceRows) {
  Cluster cluster;
  JobSpec job{.name = "sweep"};
  job.groups = {{.name = "a"}, {.name = "w", .by_count = ByCount{.count = 10'000}}};
  ASSERT_TRUE(cluster.AddJob({.name = "other"}).ok());
  ASSERT_TRUE(cluster.AddJob(job).ok());
  const std::string words =
      "job \"sweep\", group \"w\": 10000 tasks are counts, which profile \"volcano\" does not "
      "place; must be rows (MakeTasks, --make-tasks)";
  EXPECT_EQ(cluster.Schedule("volcano").status().message(), words);
  EXPECT_EQ(Schedule(cluster.Freeze(), "volcano").status().message(), words);
  EXPECT_EQ(WhatIf(cluster, "volcano", {}).status().message(), words);
  EXPECT_EQ(WhatIf(cluster.Freeze(), "volcano", {}).status().message(), words);
  for (const ProfileInfo& profile : Profiles()) {
    EXPECT_EQ(cluster.Schedule(profile.name).status().code(),
              profile.reads_counts ? absl::StatusCode::kOk : absl::StatusCode::kFailedPrecondition)
        << profile.name;
  }
  ASSERT_TRUE(cluster.MakeTasks("sweep", "w", 10'000).ok());
  EXPECT_TRUE(cluster.Schedule("volcano").ok());
}

}  // namespace
}  // namespace muster::testing
