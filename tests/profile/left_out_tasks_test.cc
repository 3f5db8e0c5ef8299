// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What plans have about tasks that no cycle tries: those without a job, and those that are no rows
// yet.
#include "lib/profile/left_out_tasks.h"

#include <algorithm>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/base/rng.h"
#include "lib/model/access.h"
#include "muster/cluster.h"
#include "muster/plan.h"

namespace muster::testing {
namespace {

using ::testing::HasSubstr;

constexpr const char* kWords =
    "ns/p waits, and has no job: profile volcano leaves it out; lone_tasks=QUEUE in the profile "
    "makes a job of it\n";

Cluster OneNode() {
  Cluster cluster;
  EXPECT_TRUE(cluster.AddNode({.name = "n", .capacity = {{"cpu", 4}, {"pods", 99}}}).ok());
  return cluster;
}

TaskSpec Lone(const std::string& name) {
  return {.name = name, .shape = {.request = {{"cpu", 1}}}};
}

std::string Words(Cluster* cluster, std::string_view profile, std::string_view name) {
  const absl::StatusOr<Plan> plan = cluster->Schedule(profile);
  EXPECT_TRUE(plan.ok()) << plan.status();
  const absl::StatusOr<std::string> words = plan->Explain(name);
  return words.ok() ? *words : std::string(words.status().message());
}

TEST(LeftOutTasks, PlansExplainThem) {
  Cluster cluster = OneNode();
  ASSERT_TRUE(cluster.AddTask(Lone("ns/p")).ok());
  EXPECT_EQ(Words(&cluster, "volcano", "ns/p"), kWords);
  const absl::StatusOr<Plan> frozen = Schedule(cluster.Freeze(), "volcano");
  EXPECT_EQ(*frozen->Explain("ns/p"), kWords);
  // Where they are tried, the plan has another answer.
  for (const char* profile : {"kube-scheduler", "volcano:lone_tasks=default"}) {
    EXPECT_THAT(Words(&cluster, profile, "ns/p"), HasSubstr("bind ns/p to n")) << profile;
  }
  // One that runs is not left out, and neither is one that has gone.
  ASSERT_TRUE(cluster.SetTaskStatus("ns/p", TaskStatus::kRunning, "n").ok());
  EXPECT_EQ(Words(&cluster, "volcano", "ns/p"), "the plan has no job or task \"ns/p\"");
  ASSERT_TRUE(cluster.SetTaskStatus("ns/p", TaskStatus::kPending, "").ok());
  EXPECT_EQ(Words(&cluster, "volcano", "ns/p"), kWords);
  ASSERT_TRUE(cluster.RemoveTask("ns/p").ok());
  EXPECT_EQ(Words(&cluster, "volcano", "ns/p"), "the plan has no job or task \"ns/p\"");
}

TEST(LeftOutTasks, PlansExplainEventsThatWait) {
  Cluster cluster = OneNode();
  EXPECT_EQ(Words(&cluster, "volcano", "ns/w-0"), "the plan has no job or task \"ns/w-0\"");
  for (const char* name : {"ns/w-0", "ns/w-1"}) {
    TaskSpec task = Lone(name);
    task.job = "ns/w";
    ASSERT_TRUE(cluster.ApplyDelta({.generation = 1, .object = task}).ok());
  }
  // The rows are as they were, and the plan is another one.
  EXPECT_EQ(
      Words(&cluster, "volcano", "ns/w-0"),
      "task \"ns/w-0\" is no row yet: its event waits for job \"ns/w\", which is not there\n");
  EXPECT_EQ(Words(&cluster, "volcano", "ns/w"),
            "2 events wait for job \"ns/w\", which is not there\n");
  ASSERT_TRUE(cluster.ApplyDelta({.generation = 1, .object = JobSpec{.name = "ns/w"}}).ok());
  EXPECT_THAT(Words(&cluster, "volcano", "ns/w-0"), HasSubstr("bind ns/w-0 to n"));
}

// By the log of changes, and anew.
TEST(LeftOutTasks, FollowsWhatChanges) {
  Rng rng(7);
  Cluster cluster = OneNode();
  ASSERT_TRUE(cluster.AddJob({.name = "j"}).ok());
  LeftOutTasks followed;
  int64_t most = 0;
  for (int step = 0; step < 2000; ++step) {
    const std::string name = "t" + std::to_string(rng.Below(12));
    TaskSpec task = Lone(name);
    if (rng.Below(3) == 0) task.job = "j";
    switch (rng.Below(5)) {
      case 0:
      case 1:
        (void)cluster.AddTask(task);
        break;
      case 2:
        (void)cluster.RemoveTask(name);
        break;
      case 3:
        (void)cluster.SetTaskStatus(name, TaskStatus::kRunning, "n");
        break;
      default:
        (void)cluster.SetTaskStatus(name, TaskStatus::kPending, "");
    }
    if (rng.Below(4) != 0) continue;
    const LeftOutNames names = followed.Update(TablesOf(cluster));
    const LeftOutNames anew = LeftOutTasks().Update(TablesOf(cluster));
    ASSERT_EQ(names == nullptr, anew == nullptr) << step;
    if (names == nullptr) continue;
    ASSERT_EQ(*names, *anew) << step;
    most = std::max<int64_t>(most, static_cast<int64_t>(names->size()));
  }
  EXPECT_GT(most, 2);
}

}  // namespace
}  // namespace muster::testing
