// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// A cluster follows a plan: at once, or after it has changed under it.
#include <gtest/gtest.h>

#include "lib/model/access.h"
#include "lib/model/cluster_impl.h"
#include "lib/plan/plan_data.h"
#include "tests/model/dump.h"

namespace muster {
namespace {

class ApplyPlan : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(cluster_.AddNodes(2, {.name = "n", .capacity = {{"cpu", 4}}}).ok());
    ASSERT_TRUE(
        cluster_
            .AddJob({.name = "gang",
                     .min_available = 2,
                     .groups = {{.name = "w", .count = 3, .shape = {.request = {{"cpu", 2}}}}}})
            .ok());
    ASSERT_TRUE(cluster_
                    .AddTask({.name = "old",
                              .shape = {.request = {{"cpu", 3}}},
                              .status = TaskStatus::kRunning,
                              .node = "n1"})
                    .ok());
    ASSERT_TRUE(cluster_.AddTask({.name = "extra", .shape = {.request = {{"cpu", 2}}}}).ok());
  }

  // By name, so that the cases read well.
  void Bind(const char* task, const char* node) { Add(DecisionKind::kBind, task, node); }
  Decision& Add(DecisionKind kind, const char* task, const char* node) {
    const Tables& t = TablesOf(cluster_);
    const TaskIndex index = *t.tasks.names.Find(task);
    decisions_.push_back({.kind = kind,
                          .task = index,
                          .node = *t.nodes.names.Find(node),
                          .job = t.tasks.job[index]});
    return decisions_.back();
  }
  Plan Take() {
    auto data = std::make_shared<PlanData>();
    data->decisions = decisions_;
    data->version = cluster_.version();
    data->shelf = TablesOf(cluster_).shelf;
    data->names = NamesOf(SharedTablesOf(cluster_.Freeze()));
    return PlanOf(data);
  }
  void Expect(const Plan& plan, int64_t applied, const std::vector<std::string>& refused) {
    const absl::StatusOr<ApplyReport> report = cluster_.Apply(plan);
    ASSERT_TRUE(report.ok());
    EXPECT_EQ(report->applied, applied);
    EXPECT_EQ(report->refused, refused);
    EXPECT_EQ(Contradiction(cluster_), "");
  }
  std::string StateOf(const char* name) {
    const Tables& t = TablesOf(cluster_);
    const TaskIndex task = *t.tasks.names.Find(name);
    std::string state(TaskStatusName(t.tasks.status[task]));
    if (t.tasks.node[task] != kNone) state += " " + t.nodes.spec[t.tasks.node[task]].name;
    if (t.tasks.nominated[task] != kNone)
      state += " -> " + t.nodes.spec[t.tasks.nominated[task]].name;
    return state;
  }

  Cluster cluster_;
  std::vector<Decision> decisions_;
};

TEST_F(ApplyPlan, DoesEveryKindOfDecision) {
  decisions_.push_back({.kind = DecisionKind::kAdmit, .job = 0});
  Bind("gang-w-0", "n0");
  Bind("gang-w-1", "n0");
  Add(DecisionKind::kEvict, "old", "n1").beneficiary = 2;
  Add(DecisionKind::kNominate, "gang-w-2", "n1").after_eviction = true;
  decisions_.push_back({.kind = DecisionKind::kPhase, .job = 0, .phase = JobPhase::kRunning});
  const Plan plan = Take();
  Expect(plan, 6, {});
  EXPECT_EQ(StateOf("gang-w-0"), "binding n0");
  EXPECT_EQ(StateOf("old"), "releasing n1");
  EXPECT_EQ(StateOf("gang-w-2"), "pending -> n1");
  EXPECT_EQ(cluster_.Describe().jobs[0].phase, JobPhase::kRunning);

  Expect(plan, 2,
         {"admit \"gang\": job is no longer pending",
          "bind \"gang-w-0\" to \"n0\": task is no longer pending",
          "bind \"gang-w-1\" to \"n0\": task is no longer pending",
          "evict \"old\" from \"n1\": task is leaving already"});

  ASSERT_TRUE(cluster_.ReportBindFailed("gang-w-0").ok());
  EXPECT_EQ(StateOf("gang-w-0"), "pending");
  // What was evicted stays charged until its end is reported.
  EXPECT_EQ(cluster_.RemoveNode("n1").message(), "node \"n1\": still has 1 task");
  ASSERT_TRUE(cluster_.SetTaskStatus("old", TaskStatus::kSucceeded).ok());
  EXPECT_EQ(StateOf("old"), "succeeded");
  EXPECT_TRUE(cluster_.RemoveNode("n1").ok());
}

TEST_F(ApplyPlan, AnEvictionThatFailedLeavesTheTaskRunning) {
  Add(DecisionKind::kEvict, "old", "n1");
  Expect(Take(), 1, {});
  EXPECT_EQ(StateOf("old"), "releasing n1");
  ASSERT_TRUE(cluster_.ReportEvictFailed("old").ok());
  EXPECT_EQ(StateOf("old"), "running n1");
  // Nothing is assumed any more: an event holds.
  TaskSpec bound = cluster_.Describe().tasks[0];
  for (const TaskSpec& task : cluster_.Describe().tasks) {
    if (task.name == "old") bound = task;
  }
  bound.status = TaskStatus::kBound;
  ASSERT_TRUE(cluster_.ApplyDelta({1, bound}).ok());
  EXPECT_EQ(StateOf("old"), "bound n1");
  EXPECT_EQ(cluster_.ReportEvictFailed("old").message(),
            "task \"old\": status is bound; must be releasing");
  EXPECT_EQ(cluster_.ReportEvictFailed("x").message(), "task \"x\": does not exist");
}

TEST_F(ApplyPlan, BindEndsTheNomination) {
  ASSERT_TRUE(cluster_.UpdateTask({.name = "extra", .nominated_node = "n1"}).ok());
  Bind("extra", "n0");
  Expect(Take(), 1, {});
  EXPECT_EQ(StateOf("extra"), "binding n0");
}

TEST_F(ApplyPlan, FindsItsRowsAgainAfterCompaction) {
  Bind("gang-w-0", "n0");
  Bind("gang-w-1", "n0");
  const uint64_t layout = ImplOf(cluster_).tables->layout;
  for (int i = 0; i < 3000; ++i)
    ASSERT_TRUE(cluster_.AddTask({.name = "x" + std::to_string(i)}).ok());
  Add(DecisionKind::kNominate, "gang-w-2", "n1");
  const Plan plan = Take();
  for (int i = 0; i < 3000; ++i) ASSERT_TRUE(cluster_.RemoveTask("x" + std::to_string(i)).ok());
  ASSERT_TRUE(cluster_.RemoveTask("extra").ok());
  ASSERT_GT(ImplOf(cluster_).tables->layout, layout);
  Expect(plan, 3, {});
  EXPECT_EQ(StateOf("gang-w-1"), "binding n0");
  EXPECT_EQ(StateOf("gang-w-2"), "pending -> n1");
}

TEST_F(ApplyPlan, RefusesWhatIsNoLongerPossibleOneByOne) {
  Bind("gang-w-0", "n0");
  Bind("gang-w-1", "n0");
  Bind("gang-w-2", "n1");
  const Plan plan = Take();
  ASSERT_TRUE(cluster_.RemoveTask("old").ok());
  ASSERT_TRUE(cluster_.RemoveNode("n1").ok());
  Expect(plan, 2, {"bind \"gang-w-2\" to \"n1\": node is gone"});
  EXPECT_EQ(StateOf("gang-w-0"), "binding n0");
}

TEST_F(ApplyPlan, RefusesAGangWholeThatFallsBelowItsMinimum) {
  Bind("gang-w-0", "n0");
  Bind("gang-w-1", "n1");
  Bind("extra", "n0");
  decisions_.push_back({.kind = DecisionKind::kPhase, .job = 0, .phase = JobPhase::kRunning});
  const Plan plan = Take();
  ASSERT_TRUE(cluster_.RemoveTask("gang-w-1").ok());
  Expect(plan, 1,
         {"bind \"gang-w-0\" to \"n0\": its gang would have 1 of 2 tasks",
          "bind \"gang-w-1\" to \"n1\": task is gone",
          "phase of \"gang\": its gang would have 1 of 2 tasks"});
  EXPECT_EQ(StateOf("gang-w-0"), "pending");
  EXPECT_EQ(StateOf("extra"), "binding n0");
}

TEST_F(ApplyPlan, CountsWhatAGangAlreadyHas) {
  ASSERT_TRUE(cluster_.SetTaskStatus("gang-w-2", TaskStatus::kRunning, "n0").ok());
  Bind("gang-w-0", "n0");
  Bind("gang-w-1", "n1");
  const Plan plan = Take();
  ASSERT_TRUE(cluster_.RemoveTask("gang-w-1").ok());
  Expect(plan, 1, {"bind \"gang-w-1\" to \"n1\": task is gone"});
}

TEST_F(ApplyPlan, AsksEachGroupForItsMinimum) {
  ASSERT_TRUE(cluster_
                  .AddJob({.name = "pair",
                           .min_available = 1,
                           .groups = {{.name = "a", .count = 1, .min_available = 1},
                                      {.name = "b", .count = 1, .min_available = 1}}})
                  .ok());
  Bind("pair-a-0", "n0");
  Bind("pair-b-0", "n0");
  const Plan plan = Take();
  ASSERT_TRUE(cluster_.RemoveTask("pair-b-0").ok());
  Expect(plan, 0,
         {"bind \"pair-a-0\" to \"n0\": its gang would have 0 of 1 tasks of group \"b\"",
          "bind \"pair-b-0\" to \"n0\": task is gone"});
}

TEST_F(ApplyPlan, LaterBindsMustFitIntoWhatIsLeft) {
  Bind("gang-w-0", "n0");
  Bind("gang-w-1", "n0");
  Bind("extra", "n0");
  const Plan plan = Take();
  Expect(plan, 3, {});  // at its own version a plan is believed
  EXPECT_EQ(StateOf("extra"), "binding n0");

  ASSERT_TRUE(cluster_.ReportBindFailed("extra").ok());
  decisions_.clear();
  Bind("extra", "n1");
  const Plan second = Take();
  ASSERT_TRUE(cluster_.UpdateNode({.name = "n1", .capacity = {{"cpu", 4}, {"pods", 9}}}).ok());
  Expect(second, 0, {"bind \"extra\" to \"n1\": node has no room left"});
  ASSERT_TRUE(cluster_.UpdateNode({.name = "n1", .capacity = {{"cpu", 5}, {"pods", 1}}}).ok());
  Expect(second, 0, {"bind \"extra\" to \"n1\": node has no room left"});
  ASSERT_TRUE(cluster_.UpdateNode({.name = "n1", .capacity = {{"cpu", 5}}}).ok());
  Expect(second, 1, {});
}

TEST_F(ApplyPlan, EvictsNobodyForATaskThatIsGone) {
  Add(DecisionKind::kEvict, "old", "n1").beneficiary = 4;
  const Plan plan = Take();
  ASSERT_TRUE(cluster_.RemoveTask("extra").ok());
  Expect(plan, 0, {"evict \"old\" from \"n1\": the task it was to make room for is gone"});
  EXPECT_EQ(StateOf("old"), "running n1");
}

// A plan of one bind.
Plan BindIn(const Cluster& cluster, const char* task, const char* node) {
  const Tables& t = TablesOf(cluster);
  auto data = std::make_shared<PlanData>();
  data->decisions.push_back({.kind = DecisionKind::kBind,
                             .task = *t.tasks.names.Find(task),
                             .node = *t.nodes.names.Find(node)});
  data->version = t.version;
  data->shelf = t.shelf;
  data->names = NamesOf(SharedTablesOf(cluster.Freeze()));
  return PlanOf(data);
}

// Where the bind went: "node of the first task, node of the second".
std::string PlacesAfter(const Plan& plan, Cluster* cluster) {
  const absl::StatusOr<ApplyReport> report = cluster->Apply(plan);
  EXPECT_TRUE(report.ok() && report->refused.empty());
  EXPECT_EQ(Contradiction(*cluster), "");
  std::string places;
  for (const TaskSpec& task : cluster->Describe().tasks) {
    places += task.name + ": " + task.node + "; ";
  }
  return places;
}

// Equal versions, other rows: the plan's indices mean nothing there.
TEST(ApplyPlanOfAnotherCluster, FindsRowsByName) {
  const auto fill = [](Cluster* cluster, const char* first, const char* second) {
    for (const char* name : {first, second}) {
      ASSERT_TRUE(cluster->AddNode({.name = name, .capacity = {{"cpu", 2}}}).ok());
      ASSERT_TRUE(cluster->AddTask({.name = name, .shape = {.request = {{"cpu", 1}}}}).ok());
    }
  };
  Cluster cluster;
  fill(&cluster, "a", "b");
  const Plan plan = BindIn(cluster, "a", "b");
  cluster = Cluster();
  fill(&cluster, "b", "a");
  ASSERT_EQ(cluster.version(), plan.version());
  EXPECT_EQ(PlacesAfter(plan, &cluster), "b: ; a: b; ");
}

TEST(ApplyPlanOfAnotherCluster, ClonesGoApart) {
  Cluster one;
  ASSERT_TRUE(one.AddNode({.name = "n", .capacity = {{"cpu", 2}}}).ok());
  Cluster other = one.Clone();
  for (const char* name : {"a", "b"}) ASSERT_TRUE(one.AddTask({.name = name}).ok());
  for (const char* name : {"b", "a"}) ASSERT_TRUE(other.AddTask({.name = name}).ok());
  ASSERT_EQ(one.version(), other.version());
  EXPECT_EQ(PlacesAfter(BindIn(one, "a", "n"), &other), "b: ; a: n; ");
}

TEST_F(ApplyPlan, TakesAnyPlan) {
  Expect(Plan(), 0, {});
  decisions_.push_back({.kind = DecisionKind::kBind, .task = 1000, .node = 1000, .job = 1000});
  decisions_.push_back({.kind = DecisionKind::kAdmit});
  decisions_.push_back({.kind = DecisionKind::kNominate, .task = 0});
  auto data = std::make_shared<PlanData>();
  data->decisions = decisions_;
  data->version = cluster_.version();
  data->shelf = TablesOf(cluster_).shelf;
  const absl::StatusOr<ApplyReport> report = cluster_.Apply(PlanOf(data));
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->applied, 0);
  EXPECT_EQ(report->refused.size(), 3u);
}

// What a cluster of tasks of one core looks like to plans that come late.
class LatePlan : public ApplyPlan {
 protected:
  void SetUp() override {
    ASSERT_TRUE(cluster_.AddNodes(3, {.name = "n", .capacity = {{"cpu", 1}}}).ok());
  }
  void Job(const char* name, int64_t tasks, int64_t min_available) {
    const GroupSpec group = {.name = "w", .count = tasks, .shape = {.request = {{"cpu", 1}}}};
    ASSERT_TRUE(
        cluster_.AddJob({.name = name, .min_available = min_available, .groups = {group}}).ok());
  }
  void Fill(const char* node) {
    ASSERT_TRUE(cluster_
                    .AddTask({.name = std::string("on-") + node,
                              .shape = {.request = {{"cpu", 1}}},
                              .status = TaskStatus::kRunning,
                              .node = node})
                    .ok());
  }
};

TEST_F(LatePlan, CountsATaskThatHasItsPlaceOnce) {
  Job("gang", 3, 3);
  for (const char* task : {"gang-w-0", "gang-w-1"}) {
    const char* node = task[7] == '0' ? "n0" : "n1";
    ASSERT_TRUE(cluster_.SetTaskStatus(task, TaskStatus::kWaiting, node).ok());
    Bind(task, node);
  }
  Bind("gang-w-2", "n2");
  const Plan plan = Take();
  Fill("n2");
  const std::string why = ": its gang would have 2 of 3 tasks";
  Expect(plan, 0,
         {"bind \"gang-w-0\" to \"n0\"" + why, "bind \"gang-w-1\" to \"n1\"" + why,
          "bind \"gang-w-2\" to \"n2\": node has no room left"});
  EXPECT_EQ(StateOf("gang-w-0"), "waiting n0");
}

TEST_F(LatePlan, DoesNotCountATaskThatItEvicts) {
  Job("gang", 3, 2);
  ASSERT_TRUE(cluster_.SetTaskStatus("gang-w-0", TaskStatus::kRunning, "n0").ok());
  Add(DecisionKind::kEvict, "gang-w-0", "n0");
  Bind("gang-w-1", "n1");
  Bind("gang-w-2", "n2");
  const Plan plan = Take();
  Fill("n2");
  Expect(plan, 1,
         {"bind \"gang-w-1\" to \"n1\": its gang would have 1 of 2 tasks",
          "bind \"gang-w-2\" to \"n2\": node has no room left"});
}

TEST_F(LatePlan, GivesTheRoomOfARefusedGangToOthers) {
  ASSERT_TRUE(cluster_.UpdateNode({.name = "n0", .capacity = {{"cpu", 2}}}).ok());
  Job("gang", 2, 2);
  Job("other", 1, 1);
  Job("lone", 1, 0);
  Bind("gang-w-0", "n0");
  Bind("gang-w-1", "n1");
  Bind("other-w-0", "n0");
  Bind("lone-w-0", "n1");
  const Plan plan = Take();
  Fill("n0");
  Fill("n1");
  Expect(plan, 1,
         {"bind \"gang-w-0\" to \"n0\": its gang would have 1 of 2 tasks",
          "bind \"gang-w-1\" to \"n1\": node has no room left",
          "bind \"lone-w-0\" to \"n1\": node has no room left"});
  EXPECT_EQ(StateOf("other-w-0"), "binding n0");
}

// Each gang took a node that the other needs.
TEST_F(LatePlan, LetsTheFirstOfTwoGangsStart) {
  Job("a", 2, 2);
  Job("b", 2, 2);
  Bind("a-w-0", "n0");
  Bind("b-w-0", "n1");
  Bind("a-w-1", "n1");
  Bind("b-w-1", "n0");
  const Plan plan = Take();
  Fill("n2");
  Expect(plan, 2,
         {"bind \"b-w-0\" to \"n1\": its gang would have 1 of 2 tasks",
          "bind \"b-w-1\" to \"n0\": node has no room left"});
  EXPECT_EQ(StateOf("a-w-0"), "binding n0");
  EXPECT_EQ(StateOf("a-w-1"), "binding n1");
}

}  // namespace
}  // namespace muster
