// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Profile mesos on clusters: what its rows become, and what its plans have.
#include "lib/peer/mesos/profile.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/plan_words.h"
#include "tests/support/profile_specs.h"
#include "tests/support/random_world.h"
#include "tests/support/validator.h"

namespace muster::testing {
namespace {

using ::testing::HasSubstr;

class MesosProfile : public ::testing::Test {
 protected:
  void Agent(const std::string& name, int cpus, Labels settings = {}, Labels labels = {}) {
    NodeSpec node{.name = name, .capacity = {{"cpu", cpus}, {"memory", "4Gi"}, {"pods", 100}}};
    node.settings = std::move(settings);
    node.labels = std::move(labels);
    Accept(cluster_.AddNode(node));
  }
  void Role(const std::string& name, Resources guaranteed = {}, Resources limit = {}) {
    QueueSpec queue{.name = name};
    if (!guaranteed.empty()) queue.guaranteed = std::move(guaranteed);
    if (!limit.empty()) queue.limit = std::move(limit);
    Accept(cluster_.AddQueue(queue));
  }
  void Framework(const std::string& name, const std::string& role, int tasks, int cpus,
                 Labels settings = {}) {
    JobSpec job{.name = name, .queue = role};
    job.settings = std::move(settings);
    AddJob(cluster_, job, tasks, {{"cpu", cpus}, {"memory", "64Mi"}});
  }
  // Offers and binds, and the plan's memory joins the cluster.
  std::string Cycle(int64_t now = 0, const std::string& profile = "mesos") {
    ScheduleOptions options;
    options.now = now;
    const absl::StatusOr<Plan> frozen = Schedule(cluster_.Freeze(), profile, options);
    const absl::StatusOr<Plan> plan = cluster_.Schedule(profile, options);
    EXPECT_TRUE(plan.ok()) << plan.status();
    if (!plan.ok()) return plan.status().ToString();
    EXPECT_EQ(plan->Digest(), frozen->Digest());
    EXPECT_EQ(plan->memory(), frozen->memory());
    std::string words;
    for (const Decision& d : plan->decisions()) {
      const std::string node(plan->node_name(d.node));
      if (d.kind == DecisionKind::kOffer) {
        const Offer& offer = plan->offers()[d.index];
        absl::StrAppend(&words, std::string(plan->job_name(offer.job)), "<", node, ":",
                        std::max<int64_t>(offer.amounts[0], 0) / 1000, " ");
      }
      if (d.kind == DecisionKind::kBind) {
        absl::StrAppend(&words, std::string(plan->task_name(d.task)), "@", node, " ");
      }
    }
    plan_ = *plan;
    EXPECT_TRUE(cluster_.Apply(plan_).ok());
    return words;
  }
  std::string Refusal() {
    const absl::StatusOr<Plan> plan = cluster_.Schedule("mesos");
    return plan.ok() ? "" : std::string(plan.status().message());
  }
  Cluster cluster_;
  Plan plan_;
};

TEST_F(MesosProfile, WhatOneDeclinesTheNextIsOfferedInTheSameCycle) {
  Role("eng");
  Role("ops");
  Agent("a1", 4);
  Framework("big", "eng", 1, 8);
  Framework("web", "ops", 1, 1);
  EXPECT_EQ(Cycle(), "big<a1:4 web<a1:4 web0@a1 ");
  EXPECT_THAT(plan_.ToText(), HasSubstr("framework declined 1 offers: none held the task"));
}

TEST_F(MesosProfile, AFilterHoldsForItsTimeAndThroughItsLastMoment) {
  Role("eng");
  Agent("a1", 4);
  Framework("big", "eng", 1, 8, {{"mesos/refuse_seconds", "10"}});
  EXPECT_EQ(Cycle(100), "big<a1:4 ");
  EXPECT_EQ(Cycle(110), "");
  EXPECT_THAT(plan_.ToText(), HasSubstr("framework got no offer; 1 filters of earlier refusals"));
  EXPECT_EQ(Cycle(111), "big<a1:4 ");
}

TEST_F(MesosProfile, AFrameworkThatHasAllItNeedsIsSuppressed) {
  Role("eng");
  Agent("a1", 4);
  Agent("a2", 4);
  Framework("web", "eng", 1, 1);
  Framework("off", "eng", 1, 1, {{"mesos/suppressed", "true"}});
  // Both agents are offered in one round; the second is of no use any more.
  EXPECT_EQ(Cycle(), "web<a1:4 web<a2:4 web0@a1 ");
  EXPECT_THAT(plan_.ToText(), HasSubstr("framework is suppressed and gets no offers"));
}

TEST_F(MesosProfile, ReservedAmountsAreForTheirRole) {
  Role("eng");
  Role("ops");
  Agent("a1", 4, {{"mesos/resources", "cpus(eng):3;ports:[31000-32000]"}});
  Framework("web", "ops", 2, 1);
  Framework("spark", "eng", 1, 3);
  EXPECT_EQ(Cycle(), "spark<a1:4 spark0@a1 web<a1:1 web0@a1 ");
}

TEST_F(MesosProfile, ALimitOfATopLevelRoleHolds) {
  Role("eng", {}, {{"cpu", 2}});
  Agent("a1", 4);
  Framework("web", "eng", 3, 1);
  EXPECT_EQ(Cycle(), "web<a1:2 web0@a1 web1@a1 ");
  EXPECT_THAT(plan_.ToText(), HasSubstr("limit"));
}

TEST_F(MesosProfile, AGuaranteeIsServedFirst) {
  Role("a");
  Role("b", {{"cpu", 4}});
  Agent("a1", 4);
  Framework("x", "a", 4, 1);
  Framework("y", "b", 4, 1);
  // What is left of the agent, memory alone, is still worth an offer.
  EXPECT_EQ(Cycle(), "y<a1:4 y0@a1 y1@a1 y2@a1 y3@a1 x<a1:0 ");
}

TEST_F(MesosProfile, OfferConstraintsReadLabelsAsAttributes) {
  Role("eng");
  Agent("a1", 4, {}, {{"os", "linux"}});
  Agent("a2", 4, {}, {{"os", "bsd"}});
  Framework("web", "eng", 5, 1, {{"mesos/constraints", "os=bsd"}});
  EXPECT_EQ(Cycle(), "web<a2:4 web0@a2 web1@a2 web2@a2 web3@a2 ");
  EXPECT_THAT(plan_.ToText(), HasSubstr("offer constraints exclude agents"));
}

TEST_F(MesosProfile, OnlyFrameworksThatMayAreOfferedWhatCanBeTakenBack) {
  Role("eng");
  Agent("a1", 4, {{"mesos/resources", "cpus{REV}:3"}});
  Framework("web", "eng", 2, 1);
  EXPECT_EQ(Cycle(), "web<a1:1 web0@a1 ");
  Framework("batch", "eng", 3, 1, {{"mesos/capabilities", "REVOCABLE_RESOURCES"}});
  EXPECT_EQ(Cycle(), "batch<a1:3 batch0@a1 batch1@a1 batch2@a1 ");
}

TEST_F(MesosProfile, OffersAloneBindNothing) {
  Role("eng");
  Agent("a1", 4);
  Framework("web", "eng", 1, 1);
  EXPECT_EQ(Cycle(0, "mesos:actions=offer"), "web<a1:4 ");
  EXPECT_EQ(Cycle(0, "mesos:actions=offer"), "web<a1:4 ");
}

// One role holds the only GPU, the other one more cpus.
TEST_F(MesosProfile, SharesLeaveResourcesOut) {
  for (const char* name : {"eng", "ops"}) Role(name);
  Resources capacity = {{"cpu", 3}, {"memory", "4Gi"}, {"nvidia.com/gpu", 1}, {"pods", 100}};
  Accept(cluster_.AddNode({.name = "a1", .capacity = std::move(capacity)}));
  Agent("a2", 4);
  Framework("train", "eng", 1, 1);
  Framework("web", "ops", 1, 1);
  TaskSpec task{.name = "with-gpu", .job = "train", .status = TaskStatus::kRunning, .node = "a1"};
  task.shape.request = {{"cpu", 1}, {"memory", "2Gi"}, {"nvidia.com/gpu", 1}};
  Accept(cluster_.AddTask(task));
  task.name = "plain";
  task.job = "web";
  task.shape.request = {{"cpu", 2}, {"memory", "2Gi"}};
  Accept(cluster_.AddTask(task));
  EXPECT_EQ(Cycle(0, "mesos:actions=offer"), "web<a2:4 ");
  EXPECT_EQ(Cycle(0, "mesos:actions=offer(not_in_shares=gpus)"), "train<a2:4 ");
  EXPECT_EQ(Cycle(0, "mesos:actions=offer(not_in_shares=ports|cpus|mem)"), "web<a2:4 ");
}

// Both roles hold two cpus; of weights 1 and 1.5 the second one is owed more.
TEST_F(MesosProfile, WeightsMayHaveFractions) {
  const auto first = [&](const char* of_eng, const char* of_ops) {
    cluster_ = Cluster();
    Accept(cluster_.AddQueue({.name = "eng", .settings = {{"mesos/weight", of_eng}}}));
    Accept(cluster_.AddQueue({.name = "ops", .settings = {{"mesos/weight", of_ops}}}));
    Agent("a1", 4);
    Agent("a2", 4);
    for (const auto& [name, role] : {std::pair("train", "eng"), std::pair("web", "ops")}) {
      Framework(name, role, 1, 1);
      TaskSpec task{.name = absl::StrCat(name, "-runs"),
                    .job = name,
                    .status = TaskStatus::kRunning,
                    .node = "a1"};
      task.shape.request = {{"cpu", 2}, {"memory", "2Gi"}};
      Accept(cluster_.AddTask(task));
    }
    return Cycle(0, "mesos:actions=offer");
  };
  EXPECT_EQ(first("1", "1.5"), "web<a2:4 ");
  EXPECT_EQ(first("0.5", "0.4"), "train<a2:4 ");
  EXPECT_EQ(first("0.4", "0.5"), "web<a2:4 ");
}

TEST_F(MesosProfile, AWeightIsAboveZero) {
  Accept(cluster_.AddQueue({.name = "eng", .settings = {{"mesos/weight", "0"}}}));
  EXPECT_THAT(Refusal(), HasSubstr("queue \"eng\", setting \"mesos/weight\""));
}

TEST_F(MesosProfile, NamesOfSharesAreChecked) {
  Role("eng");
  const absl::StatusOr<Plan> plan = cluster_.Schedule("mesos:offer(not_in_shares=gpus||cpus)");
  EXPECT_EQ(plan.status().message(),
            "action offer: option \"not_in_shares\": must have no empty name");
}

TEST_F(MesosProfile, WrongSettingsRefuseTheCycle) {
  Role("eng");
  Agent("a1", 4, {{"mesos/resources", "cpus(eng):5"}});
  EXPECT_THAT(Refusal(), HasSubstr("node \"a1\", setting \"mesos/resources\": must have no more "
                                   "cpus than the node"));
  Accept(cluster_.RemoveNode("a1"));
  Agent("a2", 4, {{"mesos/resources", "cpus(none):1"}});
  EXPECT_THAT(Refusal(), HasSubstr("must name queues, not \"none\""));
  Accept(cluster_.RemoveNode("a2"));
  Agent("a3", 4, {{"mesos/resorces", "cpus:1"}});
  EXPECT_THAT(Refusal(), HasSubstr("did you mean \"resources\"?"));
  Accept(cluster_.RemoveNode("a3"));
  Framework("web", "eng", 1, 1, {{"mesos/capabilities", "GPU"}});
  EXPECT_THAT(Refusal(),
              HasSubstr("job \"web\", setting \"mesos/capabilities\": is \"GPU\"; must list"));
  Accept(cluster_.RemoveJob("web"));
  Framework("web", "eng", 1, 1, {{"mesos/constraints", "@rack=1"}});
  EXPECT_THAT(Refusal(), HasSubstr("must name @hostname, @region or @zone"));
}

TEST_F(MesosProfile, ADeepTreeOfRolesIsRefused) {
  std::string parent;
  for (int i = 0; i < 65; ++i) {
    const std::string name = absl::StrCat("q", i);
    Accept(cluster_.AddQueue({.name = name, .parent = parent}));
    parent = name;
    if (i == 63) EXPECT_EQ(Refusal(), "");
  }
  EXPECT_EQ(Refusal(), "queue \"q64\": is below 64 others or more; roles are not");
}

TEST_F(MesosProfile, TwoQueuesOfOneRoleAreRefused) {
  Role("eng");
  Accept(cluster_.AddQueue({.name = "ads", .parent = "eng"}));
  Accept(cluster_.AddQueue({.name = "eng/ads", .parent = "eng"}));
  EXPECT_THAT(Refusal(), HasSubstr("role \"eng/ads\" is that of another queue"));
}

// The decisions but phases, which follow when a plan closes.
std::vector<Decision> Choices(const Plan& plan) {
  std::vector<Decision> choices(plan.decisions().begin(), plan.decisions().end());
  std::erase_if(choices, [](const Decision& d) { return d.kind == DecisionKind::kPhase; });
  return choices;
}

// A framework of the caller: the last task takes first, and only on agent b.
class LastOnB : public Policy, public OrderPolicy, public FitPolicy {
 public:
  explicit LastOnB(bool fits) : fits_(fits) {}
  std::string_view name() const override { return "last-on-b"; }
  PointSet points() const override {
    return fits_ ? PointSet{Point::kTaskOrder, Point::kFit} : PointSet{Point::kTaskOrder};
  }
  OrderPolicy* order() override { return this; }
  FitPolicy* fit() override { return fits_ ? this : nullptr; }
  int CompareTasks(TaskIndex a, TaskIndex b) override { return a > b ? -1 : a < b ? 1 : 0; }
  Scope FitScope(ClassIndex) override { return Scope::kKind; }
  bool FitsKind(ClassIndex, NodeIndex node, NodeRefusal* refusal) override {
    *refusal = {RefusalCode::kPolicy, "only agent b"};
    return node == 1;
  }

 private:
  const bool fits_;
};

TEST_F(MesosProfile, AFrameworkOfTheCallerAnswersOffers) {
  Agent("a", 2);
  Agent("b", 2, {}, {{"disk", "fast"}});
  Role("r");
  Framework("f", "r", 5, 1);
  const auto binds = [&](bool fits) {
    auto extensions = std::make_shared<Extensions>();
    extensions->policies.push_back(
        {"last-on-b", "", {}, [=](const Options&) { return std::make_unique<LastOnB>(fits); }});
    const absl::StatusOr<Plan> plan = cluster_.Schedule("mesos", {.extensions = extensions});
    EXPECT_TRUE(plan.ok()) << plan.status();
    std::string words;
    if (!plan.ok()) return words;
    for (const Bind& bind : plan->binds()) {
      absl::StrAppend(&words, std::string(plan->task_name(bind.task)), "@",
                      std::string(plan->node_name(bind.node)), " ");
    }
    return words;
  };
  EXPECT_EQ(binds(false), "f4@a f3@a f2@b f1@b ");
  EXPECT_EQ(binds(true), "f4@b f3@b ");
}

TEST(MesosWorlds, KeepTheInvariantsAndDecideAlikeLivingAndFrozen) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const std::string profile = kMesosSpecs[seed % std::size(kMesosSpecs)];
    const ClusterSpec world = RandomWorld(seed);
    Cluster cluster = MakeCluster(world);
    for (int64_t cycle = 0; cycle < 3; ++cycle) {
      ScheduleOptions options;
      options.now = cycle * 2;
      const Snapshot snapshot = cluster.Freeze();
      const absl::StatusOr<Plan> plan = cluster.Schedule(profile, options);
      ASSERT_TRUE(plan.ok()) << plan.status() << AsScenario(world, profile);
      const absl::StatusOr<Plan> frozen = Schedule(snapshot, profile, options);
      ASSERT_EQ(plan->Digest(), frozen->Digest()) << seed << AsScenario(world, profile);
      ASSERT_THAT(Violations(snapshot, *plan, InvariantsOf(profile)), ::testing::IsEmpty())
          << "seed " << seed << AsScenario(world, profile);
      options.turn = NextDecisions{1};
      const absl::StatusOr<Plan> first = Schedule(snapshot, profile, options);
      ASSERT_TRUE(first.ok()) << first.status();
      const std::vector<Decision> head = Choices(*first), all = Choices(*plan);
      ASSERT_LE(head.size(), all.size());
      ASSERT_TRUE(std::equal(head.begin(), head.end(), all.begin()))
          << "seed " << seed << AsScenario(world, profile);
      ASSERT_TRUE(cluster.Apply(*plan).ok());
    }
  }
}

}  // namespace
}  // namespace muster::testing
