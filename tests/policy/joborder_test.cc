// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Orders of jobs by hand: one node, and which of the jobs that wait gets it.
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "muster/cluster.h"
#include "muster/memory.h"
#include "muster/schedule.h"

namespace muster {
namespace {

struct Waiting {
  const char* name;
  int64_t created = 0;
  std::optional<int64_t> estimate = {};
  int64_t cpus = 4;
  std::optional<int64_t> deadline = {};
};

JobSpec SpecOf(const Waiting& job) {
  JobSpec spec;
  spec.name = job.name;
  spec.min_available = 1;
  spec.created = job.created;
  spec.estimate = job.estimate;
  spec.deadline = job.deadline;
  spec.phase = JobPhase::kAdmitted;
  spec.groups = {{.name = "w", .count = 1, .shape = {.request = {{"cpu", job.cpus}}}}};
  return spec;
}

Cluster OneNode() {
  Cluster cluster;
  EXPECT_TRUE(cluster.AddNode({.name = "n", .capacity = {{"cpu", 4}}}).ok());
  return cluster;
}

// Returns the job that is placed, if there is one; there is room for one.
std::string First(Cluster& cluster, const std::string& profile, int64_t now) {
  ScheduleOptions options;
  options.now = now;
  const absl::StatusOr<Plan> plan = cluster.Schedule(profile, options);
  EXPECT_TRUE(plan.ok()) << plan.status();
  if (!plan.ok()) return "";
  EXPECT_TRUE(cluster.Apply(*plan).ok());
  if (plan->binds().size() != 1) return "";
  const std::string task(plan->task_name(plan->binds()[0].task));
  return task.substr(0, task.find('-'));
}

std::string FirstOf(const std::vector<Waiting>& jobs, const std::string& by) {
  Cluster cluster = OneNode();
  for (const Waiting& job : jobs) EXPECT_TRUE(cluster.AddJob(SpecOf(job)).ok());
  return First(cluster, "fcfs:+joborder(by=" + by + ")", 100);
}

TEST(JobOrder, ByEachNumber) {
  const std::vector<Waiting> jobs = {
      {.name = "old", .created = 1, .cpus = 3},
      {.name = "short", .created = 50, .estimate = 10, .cpus = 4},
      {.name = "narrow", .created = 51, .estimate = 30, .cpus = 3},
      {.name = "long", .created = 52, .estimate = 900, .cpus = 3, .deadline = 2000},
      {.name = "due", .created = 53, .estimate = 40, .cpus = 4, .deadline = 1000},
  };
  EXPECT_EQ(FirstOf(jobs, "sjf"), "short");
  EXPECT_EQ(FirstOf(jobs, "ljf"), "long");
  EXPECT_EQ(FirstOf(jobs, "smallest"), "old");
  EXPECT_EQ(FirstOf(jobs, "largest"), "short");
  EXPECT_EQ(FirstOf(jobs, "saf"), "short");  // 10 x 4 / 4 against 30 x 3 / 4
  EXPECT_EQ(FirstOf(jobs, "edf"), "due");
  EXPECT_EQ(FirstOf(jobs, "srpt"), "short");
  EXPECT_EQ(FirstOf(jobs, "las"), "old");  // all have had nothing: by creation
}

TEST(JobOrder, FormulasPreferTheOldOrTheSmall) {
  // 870 log10(s) outweighs log10(r) n; 10 x 4 against 10 x 1 tells jobs of one time apart.
  EXPECT_EQ(FirstOf({{.name = "old", .created = 10, .estimate = 900},
                     {.name = "new", .created = 90, .estimate = 10}},
                    "f1"),
            "old");
  for (const char* by : {"f1", "f2", "f3", "f4"}) {
    EXPECT_EQ(FirstOf({{.name = "wide", .created = 10, .estimate = 10},
                       {.name = "narrow", .created = 10, .estimate = 10, .cpus = 3}},
                      by),
              "narrow")
        << by;
  }
}

// A job that was stopped has had its service, one that never ran has not.
TEST(JobOrder, LeastAttainedServiceRemembersWhatWasHeld) {
  Cluster cluster = OneNode();
  ASSERT_TRUE(cluster.AddJob(SpecOf({.name = "a", .created = 1})).ok());
  const std::string profile = "fcfs:+joborder(by=las)";
  ASSERT_EQ(First(cluster, profile, 10), "a");
  TaskSpec task{.name = "a-w-0", .job = "a", .group = "w", .shape = {.request = {{"cpu", 4}}}};
  task.status = TaskStatus::kRunning;
  task.node = "n";
  task.started = 10;
  ASSERT_TRUE(cluster.UpdateTask(task).ok());
  ASSERT_TRUE(cluster.AddJob(SpecOf({.name = "b", .created = 20})).ok());
  EXPECT_EQ(First(cluster, profile, 30), "");  // full
  EXPECT_EQ(cluster.memory().Find("service")->Real("a"), 20);
  task.status = TaskStatus::kPending;
  task.node = "";
  task.started.reset();
  ASSERT_TRUE(cluster.UpdateTask(task).ok());
  EXPECT_EQ(First(cluster, profile, 40), "b");
}

TEST(Due, LearnsThatAUsersJobsAreShort) {
  Cluster cluster = OneNode();
  const std::string profile = "fcfs:+due";
  const auto submit = [&](Waiting job, const char* user) {
    JobSpec spec = SpecOf(job);
    spec.owner = JobOwner{.user = user};
    ASSERT_TRUE(cluster.AddJob(spec).ok());
  };
  // Ann's job runs a second of its day, after an hour's wait.
  submit({.name = "a0", .created = 0, .estimate = 86400}, "ann");
  EXPECT_EQ(First(cluster, profile, 3600), "a0");
  ASSERT_TRUE(cluster.RemoveJob("a0").ok());
  EXPECT_EQ(First(cluster, profile, 3601), "");
  EXPECT_EQ(cluster.memory().Find("history-recent")->rows().size(), 1u);
  EXPECT_EQ(cluster.memory().Find("due-wait")->Integer("longest"), 3600);
  // Bob's job is due 0.3 x 3600 s after it came, Ann's sooner.
  submit({.name = "b", .created = 3602, .estimate = 86400}, "bob");
  submit({.name = "a", .created = 3603, .estimate = 86400}, "ann");
  EXPECT_EQ(First(cluster, "fcfs:+due(scale=0.1)", 3604), "a");
  const MemorySlot* due = cluster.memory().Find("due");
  EXPECT_EQ(due->Integer("b", 0), 0);  // it waits
  EXPECT_EQ(due->Integer("a", 0), 2);  // it runs
  EXPECT_LT(due->Integer("a", 1), due->Integer("b", 1));
  EXPECT_LE(due->Integer("b", 1), 3602000 + 1080000);
}

// Something that is removed while it waits teaches nothing.
TEST(Due, ForgetsWhatNeverRan) {
  Cluster cluster = OneNode();
  ASSERT_TRUE(cluster.AddJob(SpecOf({.name = "wide", .created = 0, .cpus = 5})).ok());
  EXPECT_EQ(First(cluster, "fcfs:+due", 1), "");
  EXPECT_EQ(cluster.memory().Find("due")->rows().size(), 1u);
  ASSERT_TRUE(cluster.RemoveJob("wide").ok());
  ASSERT_TRUE(cluster.AddJob(SpecOf({.name = "next", .created = 2})).ok());
  EXPECT_EQ(First(cluster, "fcfs:+due", 3), "next");
  EXPECT_EQ(cluster.memory().Find("due")->rows().size(), 1u);
  EXPECT_EQ(cluster.memory().Find("history-recent"), nullptr);
}

}  // namespace
}  // namespace muster
