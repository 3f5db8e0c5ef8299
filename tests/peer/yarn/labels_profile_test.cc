// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Node labels of profile yarn-capacity on clusters that a reader can check by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "muster/muster.h"

namespace muster {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class YarnLabels : public ::testing::Test {
 protected:
  // Two nodes of four, the second with label gpu. Queue a has all of the label, b has no access.
  void SetUp() override {
    Node("plain", "");
    Node("gpu", "gpu");
    Must(cluster_.AddQueue({.name = "root"}));
    Must(cluster_.AddQueue({.name = "a", .parent = "root", .settings = OfA()}));
    Must(cluster_.AddQueue({.name = "b", .parent = "root", .settings = OfB()}));
  }
  static Labels OfA() {
    return {{"yarn-capacity/capacity", "50"},
            {"yarn-capacity/user-limit-factor", "10"},
            {"yarn-capacity/accessible-node-labels.gpu.capacity", "100"}};
  }
  static Labels OfB() {
    return {{"yarn-capacity/capacity", "50"},
            {"yarn-capacity/user-limit-factor", "10"},
            {"yarn-capacity/accessible-node-labels", " "}};
  }
  static void Must(const absl::Status& status) { ASSERT_TRUE(status.ok()) << status; }
  void Node(const char* name, const char* label) {
    NodeSpec node{.name = name, .capacity = {{"cpu", 4}, {"memory", "4Gi"}, {"pods", 100}}};
    if (*label != 0) node.settings = {{"yarn-capacity/node-label", label}};
    Must(cluster_.AddNode(node));
  }
  void Job(const char* name, const char* queue, const char* label) {
    JobSpec job{.name = name,
                .queue = queue,
                .groups = {{.count = 9, .shape = {.request = {{"cpu", 1}, {"memory", "1Gi"}}}}}};
    if (*label != 0) job.settings = {{"yarn-capacity/node-label-expression", label}};
    Must(cluster_.AddJob(job));
  }
  void Set(const char* queue, const Labels& settings) {
    Must(cluster_.UpdateQueue({.name = queue, .parent = "root", .settings = settings}));
  }
  Plan PlanOf(const char* profile = "yarn-capacity") {
    absl::StatusOr<Plan> plan = cluster_.Schedule(profile);
    EXPECT_TRUE(plan.ok()) << plan.status();
    return plan.ok() ? *plan : Plan();
  }
  // How many tasks start, by job and node.
  static std::map<std::string, int> Started(const Plan& plan) {
    std::map<std::string, int> started;
    for (const Bind& bind : plan.binds()) {
      const std::string task(plan.task_name(bind.task));
      ++started[task.substr(0, task.rfind('-')) + " " + std::string(plan.node_name(bind.node))];
    }
    return started;
  }
  std::string Refusal() {
    return std::string(cluster_.Schedule("yarn-capacity").status().message());
  }

  Cluster cluster_;
};

TEST_F(YarnLabels, RequestsGoToTheirPartition) {
  Job("x", "a", "gpu");
  Job("y", "b", "");
  EXPECT_THAT(Started(PlanOf()), ElementsAre(std::pair("x gpu", 4), std::pair("y plain", 4)));
}

TEST_F(YarnLabels, CapacitiesOfAPartitionAreItsOwn) {
  Labels half = OfA();
  half[2].second = "50";
  half.emplace_back("yarn-capacity/accessible-node-labels.gpu.maximum-capacity", "50");
  Set("a", half);
  Set("b", {{"yarn-capacity/capacity", "50"},
            {"yarn-capacity/accessible-node-labels.gpu.capacity", "50"}});
  Job("x", "a", "gpu");
  const Plan plan = PlanOf();
  EXPECT_THAT(Started(plan), ElementsAre(std::pair("x gpu", 2)));
  EXPECT_THAT(*plan.Explain("x"), HasSubstr("queue \"root.a\" would exceed its maximum: "
                                            "<memory:3072, vCores:3> of <memory:2048, vCores:2>"));
}

TEST_F(YarnLabels, AQueueWithoutAccessGetsNothing) {
  Job("x", "b", "gpu");
  const Plan plan = PlanOf();
  EXPECT_THAT(plan.binds(), IsEmpty());
  EXPECT_THAT(*plan.Explain("x"), HasSubstr("queue \"root.b\" has no access to label \"gpu\""));
}

TEST_F(YarnLabels, ASharedPartitionAlsoServesOthersAfterTheyMissed) {
  Job("y", "b", "");
  EXPECT_THAT(Started(PlanOf()), ElementsAre(std::pair("y plain", 4)));
  EXPECT_THAT(Started(PlanOf("yarn-capacity:heartbeat(shared_labels=gpu)")),
              ElementsAre(std::pair("y gpu", 4), std::pair("y plain", 4)));
  Job("x", "a", "gpu");
  EXPECT_EQ(Started(PlanOf("yarn-capacity:heartbeat(shared_labels=gpu)"))["x gpu"], 4);
}

TEST_F(YarnLabels, APartitionMayHaveNoNode) {
  Must(cluster_.RemoveNode("gpu"));
  Set("b", {{"yarn-capacity/capacity", "50"}});
  EXPECT_EQ(Refusal(), "");
  Job("x", "a", "gpu");
  EXPECT_THAT(PlanOf().binds(), IsEmpty());
}

TEST_F(YarnLabels, RefusesWrongLabelsByName) {
  Must(cluster_.UpdateNode({.name = "gpu",
                            .capacity = {{"cpu", 4}},
                            .settings = {{"yarn-capacity/node-label", "a b"}}}));
  EXPECT_EQ(Refusal(),
            "node \"gpu\", setting \"yarn-capacity/node-label\": is \"a b\"; must be letters, "
            "digits, - and _");
  Must(cluster_.UpdateNode({.name = "gpu",
                            .capacity = {{"cpu", 4}},
                            .settings = {{"yarn-capacity/node-label", "gpu"}}}));
  Labels settings = OfB();
  settings.emplace_back("yarn-capacity/accessible-node-labels.gpu.capacity", "10");
  Set("b", settings);
  EXPECT_EQ(Refusal(),
            "queue \"b\", setting \"yarn-capacity/accessible-node-labels.gpu.capacity\": is "
            "\"10\"; must not be set, as the queue has no access to the label");
  settings[2].second = "gpu";
  settings.pop_back();
  settings.emplace_back("yarn-capacity/accessible-node-labels.gpu.capacity", "10");
  Set("b", settings);
  EXPECT_EQ(Refusal(),
            "queue \"a\", label \"gpu\": its capacity and those of queues of the same parent are "
            "110 percent together; must be 100 or 0");
  settings = OfB();
  settings[2].second = "g/pu";
  Set("b", settings);
  EXPECT_THAT(Refusal(),
              HasSubstr("is \"g/pu\"; must be labels of letters, digits, - and _, or *"));
  Set("b", OfB());
  Must(cluster_.AddQueue(
      {.name = "c", .parent = "b", .settings = {{"yarn-capacity/accessible-node-labels", "gpu"}}}));
  EXPECT_THAT(Refusal(), HasSubstr("must be among the labels of the parent"));
}

}  // namespace
}  // namespace muster
