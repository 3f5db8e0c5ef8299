// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Disruption budgets, as muster keeps them over a plan and as volcano reads them.
#include <string>
#include <string_view>

#include "gtest/gtest.h"
#include "muster/muster.h"

namespace muster::testing {
namespace {

constexpr std::string_view kVolcano = "volcano:actions=preempt,tiers=priority+pdb/predicates";

// Two nodes with room for one task each, taken by tasks of app "web"; a job of higher priority
// requests two.
class Budgets : public ::testing::Test {
 protected:
  Budgets() {
    Must(cluster_.AddNodes(2, {.name = "n", .capacity = {{"cpu", 1}}}));
    Add({.name = "low"}, {{"app", "web"}}, {"n0", "n1"});
  }
  void Must(const absl::Status& status) { ASSERT_TRUE(status.ok()) << status; }
  void Add(const JobSpec& job, const Labels& labels, const std::vector<std::string>& nodes) {
    Must(cluster_.AddJob(job));
    for (size_t i = 0; i < 2; ++i) {
      TaskSpec task;
      task.name = job.name + std::to_string(i);
      task.job = job.name;
      task.priority = job.priority;
      task.shape.request = {{"cpu", 1}};
      task.shape.labels = labels;
      if (i < nodes.size()) {
        task.status = TaskStatus::kRunning;
        task.node = nodes[i];
      }
      Must(cluster_.AddTask(task));
    }
  }
  void High(int64_t min_available) {
    JobSpec job{.name = "high", .priority = 9, .min_available = min_available};
    job.phase = JobPhase::kAdmitted;
    Add(job, {}, {});
  }
  void Budget(int64_t allowed, const Selector& selector = {.match_labels = {{"app", "web"}}}) {
    Must(cluster_.SetDisruptionBudget({.name = "b", .selector = selector, .allowed = allowed}));
  }
  size_t Evictions(std::string_view profile = "muster") {
    const absl::StatusOr<Plan> plan = cluster_.Schedule(profile);
    EXPECT_TRUE(plan.ok()) << plan.status();
    return plan.ok() ? plan->evictions().size() : 99;
  }
  Cluster cluster_;
};

TEST_F(Budgets, WithoutOneEverybodyMayGo) {
  High(0);
  EXPECT_EQ(Evictions(), 2u);
  EXPECT_EQ(Evictions(kVolcano), 2u);
}

TEST_F(Budgets, LastForTheWholePlan) {
  High(0);
  for (int64_t allowed : {2, 1, 0}) {
    Budget(allowed);
    EXPECT_EQ(Evictions(), static_cast<size_t>(allowed));
  }
}

TEST_F(Budgets, AreGivenBackWhatAnUndoneGangTook) {
  High(2);
  Add({.name = "other", .priority = 5}, {}, {});
  Budget(1);
  const absl::StatusOr<Plan> plan = cluster_.Schedule("muster");
  ASSERT_TRUE(plan.ok());
  // The gang finds one place of two and leaves both; the next in line takes one.
  ASSERT_EQ(plan->evictions().size(), 1u);
  EXPECT_EQ(plan->task_name(plan->evictions()[0].beneficiary), "other0");
}

TEST_F(Budgets, OfOtherNamespacesOrLabelsDoNotMatter) {
  High(0);
  Budget(0, {.match_labels = {{"app", "db"}}});
  EXPECT_EQ(Evictions(), 2u);
  Must(cluster_.SetDisruptionBudget(
      {.name = "c", .name_space = "prod", .selector = Selector(), .allowed = 0}));
  EXPECT_EQ(Evictions(), 2u);
}

TEST_F(Budgets, WithAnEmptySelectorSpeakOfAllButToVolcanoOfNobody) {
  High(0);
  Budget(0, {});
  EXPECT_EQ(Evictions(), 0u);
  EXPECT_EQ(Evictions(kVolcano), 2u);
}

TEST_F(Budgets, VolcanoAsksAfreshForEachTask) {
  High(0);
  Budget(1);
  EXPECT_EQ(Evictions(kVolcano), 2u);
  EXPECT_EQ(Evictions("volcano:actions=preempt,tiers=priority+pdb(whole_plan=on)/predicates"), 1u);
  Budget(0);
  EXPECT_EQ(Evictions(kVolcano), 0u);
}

TEST_F(Budgets, NameForNobodysSakeWhomTheyLetGo) {
  const std::string_view profile = "volcano:actions=shuffle,tiers=pdb/predicates";
  Budget(1);
  EXPECT_EQ(Evictions(profile), 1u);
  Budget(0);
  EXPECT_EQ(Evictions(profile), 0u);
  EXPECT_EQ(Evictions("volcano:actions=shuffle,tiers=pdb(without=victims)/predicates"), 0u);
}

TEST_F(Budgets, WhereThereIsNoneEverybodyIsLetGo) {
  EXPECT_EQ(Evictions("volcano:actions=shuffle,tiers=pdb(whole_plan=on)/predicates"), 2u);
  EXPECT_EQ(Evictions("volcano:actions=shuffle,tiers=pdb/predicates"), 2u);
}

TEST(VolcanoBudgets, ATaskWithoutLabelsIsNoVictim) {
  Cluster cluster;
  ASSERT_TRUE(cluster.AddNode({.name = "n", .capacity = {{"cpu", 1}}}).ok());
  for (const int32_t priority : {0, 9}) {
    const std::string name = priority == 0 ? "low" : "high";
    JobSpec job{.name = name, .priority = priority};
    job.phase = JobPhase::kAdmitted;
    ASSERT_TRUE(cluster.AddJob(job).ok());
    TaskSpec task{.name = name, .job = name, .shape = {.request = {{"cpu", 1}}}};
    task.priority = priority;
    if (priority == 0) {
      task.status = TaskStatus::kRunning;
      task.node = "n";
    }
    ASSERT_TRUE(cluster.AddTask(task).ok());
  }
  EXPECT_EQ(cluster.Schedule(kVolcano)->evictions().size(), 0u);
  EXPECT_EQ(cluster.Schedule("muster")->evictions().size(), 1u);
}

}  // namespace
}  // namespace muster::testing
