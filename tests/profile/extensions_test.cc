// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Policies that a caller hands in for one call.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "muster/cluster.h"
#include "muster/policy.h"
#include "muster/upkeep.h"

namespace muster {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Prefers one node, and refuses another.
class Choosy : public Policy, public FitPolicy, public ScorePolicy {
 public:
  Choosy(NodeIndex best, NodeIndex never) : best_(best), never_(never) {}
  std::string_view name() const override { return "choosy"; }
  PointSet points() const override { return {Point::kFit, Point::kScore}; }
  Traits traits() const override {
    Traits traits;
    traits.tells_nodes_apart = true;
    return traits;
  }
  FitPolicy* fit() override { return this; }
  ScorePolicy* score() override { return this; }
  Scope FitScope(ClassIndex) override { return Scope::kState; }
  Scope ScoreScope(ClassIndex) override { return Scope::kState; }
  void FitStates(ClassIndex, const StateColumns& states, size_t begin, size_t end,
                 uint8_t* fits) override {
    for (size_t i = begin; i < end; ++i) fits[i - begin] &= states.node[i] != never_;
  }
  NodeRefusal StateRefusal() const override {
    return {RefusalCode::kPolicy, "choosy: not that one"};
  }
  void ScoreStates(ClassIndex, const StateColumns& states, size_t begin, size_t end, double* order,
                   double* batch) override {
    for (size_t i = begin; i < end; ++i) order[i - begin] += states.node[i] == best_ ? 1e6 : 0;
  }

 private:
  NodeIndex best_, never_;
};

// Orders queues: each plan has its shares, whatever the actions.
class Ordering : public Policy, public OrderPolicy {
 public:
  std::string_view name() const override { return "ordering"; }
  PointSet points() const override { return {Point::kQueueOrder}; }
  OrderPolicy* order() override { return this; }
};

std::shared_ptr<Extensions> Make(std::string_view name, NodeIndex best, NodeIndex never) {
  auto extensions = std::make_shared<Extensions>();
  extensions->policies.push_back(
      {name, "", {}, [=](const Options&) { return std::make_unique<Choosy>(best, never); }});
  return extensions;
}

class ExtensionsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(cluster_.AddNodes(4, {.name = "n", .capacity = {{"cpu", 4}}}).ok());
    ASSERT_TRUE(
        cluster_.AddJob({.name = "j", .groups = {{.count = 1, .shape = {.request = {{"cpu", 4}}}}}})
            .ok());
  }
  std::vector<std::string> Nodes(const std::string& profile,
                                 const std::shared_ptr<const Extensions>& extensions) {
    const absl::StatusOr<Plan> plan = cluster_.Schedule(profile, {.extensions = extensions});
    std::vector<std::string> nodes;
    for (const Bind& bind : plan->binds()) nodes.emplace_back(plan->node_name(bind.node));
    return nodes;
  }
  Cluster cluster_;
};

TEST_F(ExtensionsTest, EqualNodesAreToldApart) {
  for (const char* profile : {"volcano", "kube-batch", "muster"}) {
    EXPECT_THAT(Nodes(profile, nullptr), ElementsAre("n0")) << profile;
    EXPECT_THAT(Nodes(profile, Make("choosy", 2, 3)), ElementsAre("n2")) << profile;
    EXPECT_THAT(Nodes(profile, Make("choosy", 2, 0)), ElementsAre("n2")) << profile;
    EXPECT_THAT(Nodes(profile, Make("choosy", 2, 2)), ElementsAre("n0")) << profile;
    EXPECT_THAT(Nodes(profile, nullptr), ElementsAre("n0")) << profile;
  }
}

TEST_F(ExtensionsTest, TheRefusalNamesThePolicy) {
  ASSERT_TRUE(cluster_
                  .AddJob({.name = "k",
                           .min_available = 4,
                           .groups = {{.count = 4, .shape = {.request = {{"cpu", 4}}}}}})
                  .ok());
  const auto plan = cluster_.Schedule("volcano:-proportion", {.extensions = Make("choosy", 0, 1)});
  ASSERT_TRUE(plan.ok());
  EXPECT_THAT(*plan->Explain("k"), HasSubstr("1 node: choosy: not that one"));
}

TEST_F(ExtensionsTest, TheSpecMayNameThem) {
  const auto extensions = Make("choosy", 2, 3);
  EXPECT_THAT(Nodes("volcano:tiers=choosy(without=score)/predicates+nodeorder", extensions),
              ElementsAre("n0"));
  EXPECT_THAT(Nodes("volcano:tiers=choosy/predicates+nodeorder", extensions), ElementsAre("n2"));
  EXPECT_FALSE(cluster_.Schedule("volcano:tiers=choosy").ok());
}

TEST_F(ExtensionsTest, NamesAreCheckedBeforeAnythingRuns) {
  for (const auto& [name, words] :
       std::vector<std::pair<std::string, std::string>>{{"gang", "the name is taken"},
                                                        {"allocate", "the name is taken"},
                                                        {"", "a name is not empty"},
                                                        {"a+b", "has none of"},
                                                        {"-a", "begins with no -"}}) {
    const auto plan = cluster_.Schedule("volcano", {.extensions = Make(name, 0, 0)});
    EXPECT_EQ(plan.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(plan.status().message()), HasSubstr(words));
  }
}

TEST_F(ExtensionsTest, APolicyThatNoActionEvaluatesIsRefused) {
  const auto words = [&](const std::string& profile) {
    const auto plan = cluster_.Schedule(profile, {.extensions = Make("choosy", 2, 3)});
    return plan.ok() ? "" : std::string(plan.status().message());
  };
  for (const char* profile :
       {"kube-scheduler", "koordinator", "scheduler-plugins", "armada", "htcondor", "yarn-capacity",
        "yarn-fair", "kai", "kueue", "kueue:+choosy", "yarn-fair:+resize"}) {
    const std::string name(profile, 0, std::string_view(profile).find(':'));
    EXPECT_EQ(words(profile),
              absl::StrCat("policy \"choosy\": answers fit, score; the actions of \"", name,
                           "\" evaluate no policies"));
  }
  EXPECT_EQ(words("yunikorn:+choosy(without=fit)"),
            "policy \"choosy\": answers score; the actions of \"yunikorn\" evaluate fit alone");
  EXPECT_EQ(words("ray:+choosy(without=fit)"),
            "policy \"choosy\": answers score; the actions of \"ray\" evaluate job_order, "
            "task_order, fit, allocatable alone");
  for (const char* profile : {"yunikorn", "mesos", "pulsar", "ray", "kueue:+allocate", "easy"}) {
    EXPECT_EQ(words(profile), "") << profile;
  }
  auto ordering = std::make_shared<Extensions>();
  ordering->policies.push_back(
      {"ordering", "", {}, [](const Options&) { return std::make_unique<Ordering>(); }});
  EXPECT_TRUE(cluster_.Schedule("kube-scheduler", {.extensions = ordering}).ok());
  // Policies of the library stay: they publish shares, too.
  EXPECT_TRUE(cluster_.Schedule("kube-scheduler:+binpack").ok());
}

// Places what fits of each job, then does with it as `keep` has it.
std::shared_ptr<Extensions> MakeAction(bool keep) {
  auto extensions = std::make_shared<Extensions>();
  extensions->actions.push_back(
      {.name = "mine", .summary = "", .run = [keep](Workbench& bench, const Options&) {
         for (const JobIndex job : bench.waiting()) {
           if (bench.ShouldStop()) return;
           const Workbench::Savepoint before = bench.Save();
           bench.Admit(job);
           for (const TaskIndex task : bench.PendingTasks(job)) bench.Place(task);
           if (keep) {
             bench.Commit(before);
           } else {
             bench.Rollback(before);
           }
         }
       }});
  return extensions;
}

TEST_F(ExtensionsTest, ActionsPlaceAndCommit) {
  EXPECT_EQ(Nodes("volcano:actions=mine", MakeAction(/*keep=*/true)).size(), 1u);
  EXPECT_TRUE(Nodes("volcano:actions=mine", MakeAction(/*keep=*/false)).empty());
  // Without being named it does not run.
  EXPECT_EQ(Nodes("volcano:actions=allocate", MakeAction(/*keep=*/false)),
            Nodes("volcano:actions=allocate", nullptr));
}

TEST_F(ExtensionsTest, ActionsOfTheCallerEvaluateAllPoints) {
  auto both = std::make_shared<Extensions>(*MakeAction(/*keep=*/true));
  both->policies = Make("choosy", 2, 3)->policies;
  EXPECT_THAT(Nodes("kube-scheduler:actions=mine", both), ElementsAre("n2"));
  EXPECT_FALSE(cluster_.Schedule("kube-scheduler", {.extensions = both}).ok());
}

// What a policy refuses has its reason in the plan, also where the action leaves it at that.
TEST_F(ExtensionsTest, ARefusalThatAnActionAskedForIsExplained) {
  ASSERT_TRUE(cluster_.AddQueue({.name = "q", .limit = Resources{{"cpu", 1}}}).ok());
  ASSERT_TRUE(cluster_
                  .AddJob({.name = "k",
                           .queue = "q",
                           .groups = {{.count = 1, .shape = {.request = {{"cpu", 2}}}}}})
                  .ok());
  auto extensions = std::make_shared<Extensions>();
  extensions->actions.push_back(
      {.name = "polite", .summary = "", .run = [](Workbench& bench, const Options&) {
         for (const JobIndex job : bench.waiting()) {
           const Workbench::Savepoint before = bench.Save();
           for (const TaskIndex task : bench.PendingTasks(job)) {
             if (bench.Allocatable(task).ok()) bench.Place(task);
           }
           bench.Commit(before);
         }
       }});
  const auto plan = cluster_.Schedule("muster:actions=polite", {.extensions = extensions});
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->binds().size(), 1u);
  EXPECT_THAT(*plan->Explain("k"), HasSubstr("queue \"q\" would exceed its limit"));
}

// An action of the caller may admit jobs and place their tasks, too.
TEST_F(ExtensionsTest, AnActionThatAdmitsMayPlace) {
  auto extensions = std::make_shared<Extensions>();
  CustomAction action = {.name = "all", .summary = "", .run = [](Workbench& bench, const Options&) {
                           for (const JobIndex job : bench.waiting()) {
                             bench.Admit(job);
                             const Workbench::Savepoint before = bench.Save();
                             for (const TaskIndex task : bench.PendingTasks(job)) bench.Place(task);
                             bench.Commit(before);
                           }
                         }};
  action.admits = true;
  extensions->actions.push_back(action);
  const ScheduleOptions options = {.extensions = extensions};
  ASSERT_EQ(cluster_.Schedule("muster:actions=all", options)->binds().size(), 1u);
  ASSERT_TRUE(cluster_.SetTaskStatus("j-0", TaskStatus::kRunning, "n0").ok());
  const std::vector<std::string> nodes = {"n0"};
  const auto report = Drain(cluster_, "muster:actions=all", nodes, options);
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->moved, 1);
  // The library's own only admits.
  EXPECT_FALSE(Drain(cluster_, "volcano:actions=admit", nodes).ok());
}

// A fit that counts its questions: a class runs on nodes with its own label "team".
class TeamOnly : public Policy, public FitPolicy {
 public:
  TeamOnly(Scope scope, int* questions) : scope_(scope), questions_(questions) {}
  std::string_view name() const override { return "team-only"; }
  PointSet points() const override { return {Point::kFit}; }
  FitPolicy* fit() override { return this; }
  void Open(const Cycle& cycle) override { cycle_ = &cycle; }
  Scope FitScope(ClassIndex) override { return scope_; }
  bool FitsKind(ClassIndex c, NodeIndex node, NodeRefusal* refusal) override {
    ++*questions_;
    if (cycle_->shape(c).labels == cycle_->node(node).labels) return true;
    *refusal = {RefusalCode::kPolicy, "another team"};
    return false;
  }

 private:
  const Scope scope_;
  int* const questions_;
  const Cycle* cycle_ = nullptr;
};

// A score of kinds: nodes with the labels of the task are better.
class SameTeam : public Policy, public ScorePolicy {
 public:
  std::string_view name() const override { return "same-team"; }
  PointSet points() const override { return {Point::kScore}; }
  ScorePolicy* score() override { return this; }
  void Open(const Cycle& cycle) override { cycle_ = &cycle; }
  Scope ScoreScope(ClassIndex) override { return Scope::kKind; }
  std::vector<KindScore> KindScores() const override { return {{.weight = 1000}}; }
  int64_t RawKindScore(size_t, ClassIndex c, NodeIndex node) override {
    return cycle_->shape(c).labels == cycle_->node(node).labels ? 1 : 0;
  }

 private:
  const Cycle* cycle_ = nullptr;
};

// Two nodes and three jobs of two teams, in a cluster of their own.
Cluster TwoTeams() {
  Cluster cluster;
  const auto add = [&](const char* job, const char* team, int cpu) {
    const TaskShape shape = {.request = {{"cpu", cpu}}, .labels = {{"team", team}}};
    EXPECT_TRUE(cluster.AddJob({.name = job, .groups = {{.count = 1, .shape = shape}}}).ok());
  };
  for (const char* team : {"red", "blue"}) {
    EXPECT_TRUE(
        cluster.AddNode({.name = team, .capacity = {{"cpu", 8}}, .labels = {{"team", team}}}).ok());
  }
  add("blue-job", "blue", 1);
  add("red-job", "red", 1);
  add("red-large-job", "red", 2);
  return cluster;
}

std::string NodeOf(const Plan& plan, std::string_view task) {
  for (const Bind& bind : plan.binds()) {
    if (plan.task_name(bind.task) == task) return std::string(plan.node_name(bind.node));
  }
  return "none";
}

// The classes have equal selectors, affinities and tolerations, and their labels differ. Those of
// one team differ in their requests alone, and share an answer.
TEST_F(ExtensionsTest, AnswersAboutKindsMayReadTheLabelsOfTasks) {
  for (const char* profile : {"volcano", "muster", "kube-batch", "transwarp"}) {
    for (const Scope scope : {Scope::kKind, Scope::kState}) {
      int questions = 0;
      auto extensions = std::make_shared<Extensions>();
      extensions->policies.push_back(
          {.name = "team-only", .summary = "", .options = {}, .make = [&](const Options&) {
             return std::make_unique<TeamOnly>(scope, &questions);
           }});
      const auto plan = TwoTeams().Schedule(profile, {.extensions = extensions});
      ASSERT_TRUE(plan.ok()) << profile << ": " << plan.status();
      EXPECT_EQ(NodeOf(*plan, "blue-job-0"), "blue") << profile;
      EXPECT_EQ(NodeOf(*plan, "red-job-0"), "red") << profile;
      EXPECT_EQ(NodeOf(*plan, "red-large-job-0"), "red") << profile;
      EXPECT_EQ(questions, 4) << profile;  // two nodes, two sets of labels
    }
  }
}

TEST_F(ExtensionsTest, ScoresOfKindsMayReadTheLabelsOfTasks) {
  auto extensions = std::make_shared<Extensions>();
  extensions->policies.push_back(
      {.name = "same-team", .summary = "", .options = {}, .make = [](const Options&) {
         return std::make_unique<SameTeam>();
       }});
  for (const char* profile : {"volcano", "muster"}) {
    const auto plan = TwoTeams().Schedule(profile, {.extensions = extensions});
    ASSERT_TRUE(plan.ok()) << profile << ": " << plan.status();
    EXPECT_EQ(NodeOf(*plan, "blue-job-0"), "blue") << profile;
    EXPECT_EQ(NodeOf(*plan, "red-job-0"), "red") << profile;
    EXPECT_EQ(NodeOf(*plan, "red-large-job-0"), "red") << profile;
  }
}

// A policy that lists points, and returns no interface.
class Mute : public Policy, public ScorePolicy {
 public:
  std::string_view name() const override { return "mute"; }
  PointSet points() const override { return {Point::kScore, Point::kJobOrder}; }
};

TEST_F(ExtensionsTest, PoliciesThatCannotAnswerAreRefused) {
  const auto refused = [&](std::function<std::unique_ptr<Policy>(const Options&)> make) {
    auto extensions = std::make_shared<Extensions>();
    extensions->policies.push_back(
        {.name = "mute", .summary = "", .options = {}, .make = std::move(make)});
    return std::string(cluster_.Schedule("volcano", {.extensions = extensions}).status().message());
  };
  EXPECT_EQ(refused(nullptr), "policy \"mute\": make is empty; must be a function");
  EXPECT_EQ(refused([](const Options&) { return nullptr; }),
            "policy \"mute\": make returned null; must return a policy");
  EXPECT_EQ(refused([](const Options&) { return std::make_unique<Mute>(); }),
            "policy \"mute\": points has job_order, and order() returns null; must return the "
            "interface that answers there");
}

TEST_F(ExtensionsTest, ActionsNeedAFunctionAndANameOfTheirOwn) {
  const auto refused = [&](CustomAction action) {
    auto extensions = std::make_shared<Extensions>();
    extensions->actions.push_back(std::move(action));
    return std::string(cluster_.Schedule("volcano", {.extensions = extensions}).status().message());
  };
  EXPECT_EQ(refused({.name = "mine", .summary = ""}),
            "action \"mine\": run is empty; must be a function");
  EXPECT_EQ(refused({.name = "allocate", .summary = "", .run = [](Workbench&, const Options&) {}}),
            "action \"allocate\": the name is taken");
}

}  // namespace
}  // namespace muster
