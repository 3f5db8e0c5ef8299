// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/support/plan_words.h"

namespace muster::testing {
namespace {

std::string GroupProfile(const std::string& options) {
  return "volcano:actions=allocate,tiers=gang/predicates+nodegroup" +
         (options.empty() ? "" : "(" + options + ")");
}

void GroupNode(Cluster& cluster, const std::string& name, const std::string& group) {
  Labels labels;
  if (!group.empty()) labels.emplace_back("volcano.sh/nodegroup-name", group);
  Accept(cluster.AddNode(
      {.name = name, .capacity = {{"cpu", 10}, {"memory", 1000}, {"pods", 99}}, .labels = labels}));
}

// Nodes "none", "red", "blue" and "grey", the last three of the groups of their names.
void Nodes(Cluster& cluster) {
  GroupNode(cluster, "none", "");
  for (const char* group : {"red", "blue", "grey"}) GroupNode(cluster, group, group);
}

void GroupJob(Cluster& cluster, const std::string& name, const std::string& queue, int count = 1) {
  AddJob(cluster, {.name = name, .queue = queue, .phase = JobPhase::kAdmitted}, count,
         {{"cpu", 1}});
}

// Where a task of a queue with this wish goes.
std::string Goes(const NodeGroupWish& wish, const std::string& options = "") {
  Cluster cluster;
  Nodes(cluster);
  Accept(cluster.AddQueue({.name = "q", .node_groups = wish}));
  GroupJob(cluster, "j", "q");
  return Decide(cluster, GroupProfile(options));
}

TEST(NodeGroup, RequiredAndPreferredGroupsAreAllowed) {
  EXPECT_EQ(Goes({.required = {"blue"}}), "bind j0 blue");
  EXPECT_EQ(Goes({.preferred = {"grey"}}), "bind j0 grey");
  EXPECT_EQ(Goes({.required = {"blue"}, .preferred = {"red"}}), "bind j0 blue");  // 100 and 50
  EXPECT_EQ(Goes({.required = {"red", "grey"}, .preferred = {"grey"}}), "bind j0 grey");  // 150
  EXPECT_EQ(Goes({.required = {"pink"}}), "");
}

TEST(NodeGroup, OfOpposingWishesTheSofterOneAllows) {
  EXPECT_EQ(Goes({.required = {"blue"}, .anti_required = {"blue"}}), "");
  EXPECT_EQ(Goes({.anti_required = {"blue"}}), "");
  EXPECT_EQ(Goes({.anti_preferred = {"blue"}}), "bind j0 blue");
  EXPECT_EQ(Goes({.anti_required = {"blue"}, .anti_preferred = {"blue"}}), "bind j0 blue");
  // An anti-preferred group is worth -1, whatever else it is.
  EXPECT_EQ(Goes({.required = {"red", "grey"}, .anti_preferred = {"red"}}), "bind j0 grey");
}

TEST(NodeGroup, PreferredGroupsCountByTheirOrderIfAsked) {
  const NodeGroupWish wish{.preferred = {"grey", "blue", "red"}};
  EXPECT_EQ(Goes(wish), "bind j0 red");  // 50 each: the oldest
  EXPECT_EQ(Goes(wish, "preferred_order=on"), "bind j0 grey");
}

TEST(NodeGroup, WhoSaysNothingGetsNoGroup) {
  EXPECT_EQ(Goes({}), "");
  EXPECT_EQ(Goes({}, "strict=off"), "bind j0 none");
  EXPECT_EQ(Goes({.required = {"pink"}}, "strict=off"), "");
  Cluster cluster;
  Nodes(cluster);
  GroupJob(cluster, "j", "default");
  EXPECT_EQ(Decide(cluster, GroupProfile("strict=off")), "bind j0 none");
}

TEST(NodeGroup, QueuesInheritOnlyInAHierarchy) {
  Cluster cluster;
  Nodes(cluster);
  Accept(cluster.AddQueue({.name = "top", .node_groups = NodeGroupWish{.required = {"blue"}}}));
  Accept(cluster.AddQueue({.name = "middle", .parent = "top"}));
  Accept(cluster.AddQueue({.name = "leaf", .parent = "middle"}));
  Accept(cluster.AddQueue({.name = "mute", .parent = "top", .node_groups = NodeGroupWish{}}));
  GroupJob(cluster, "a", "leaf");
  GroupJob(cluster, "b", "mute");
  EXPECT_EQ(Decide(cluster, GroupProfile("hierarchy=on,strict=off")), "bind a0 blue; bind b0 none");
  EXPECT_EQ(Decide(cluster, GroupProfile("strict=off")), "bind a0 none; bind b0 none");
}

TEST(NodeGroup, LimitsCountWhatTheQueueHoldsInTheGroup) {
  Cluster cluster;
  Nodes(cluster);
  Accept(cluster.AddQueue({.name = "q",
                           .node_groups = NodeGroupWish{.required = {"red"}, .preferred = {"grey"}},
                           .node_group_limits = {{"red", {{"cpu", 3}}}}}));
  Accept(cluster.AddTask({.name = "there",
                          .job = "",
                          .shape = {.request = {{"cpu", 2}}},
                          .status = TaskStatus::kRunning,
                          .node = "red"}));
  GroupJob(cluster, "j", "q", 5);
  EXPECT_EQ(Decide(cluster, GroupProfile("")),
            "bind j0 red; bind j1 red; bind j2 red; bind j3 grey; bind j4 grey");
  // Another dimension does not limit; an amount of 0 refuses every task.
  Accept(cluster.UpdateQueue({.name = "q",
                              .node_groups = NodeGroupWish{.required = {"red"}},
                              .node_group_limits = {{"red", {{"memory", 0}}}, {"blue", {}}}}));
  EXPECT_EQ(Decide(cluster, GroupProfile("")),
            "bind j0 red; bind j1 red; bind j2 red; bind j3 red; bind j4 red");
  Accept(cluster.UpdateQueue({.name = "q",
                              .node_groups = NodeGroupWish{.required = {"red"}},
                              .node_group_limits = {{"red", {{"cpu", 0}}}}}));
  EXPECT_EQ(Decide(cluster, GroupProfile("")), "");
}

TEST(NodeGroup, ALivingClusterFollowsWhatQueuesSay) {
  Cluster cluster;
  Nodes(cluster);
  Accept(cluster.AddQueue({.name = "p"}));
  Accept(cluster.AddQueue({.name = "q"}));
  GroupJob(cluster, "j", "q");
  const std::string profile = GroupProfile("strict=off,hierarchy=on");
  const auto decide = [&] { return Decide(cluster, profile); };
  EXPECT_EQ(decide(), "bind j0 none");
  Accept(cluster.UpdateQueue({.name = "q", .node_groups = NodeGroupWish{.required = {"red"}}}));
  EXPECT_EQ(decide(), "bind j0 red");
  Accept(cluster.UpdateQueue({.name = "q", .node_groups = NodeGroupWish{.required = {"blue"}}}));
  EXPECT_EQ(decide(), "bind j0 blue");
  Accept(cluster.UpdateQueue({.name = "q"}));
  EXPECT_EQ(decide(), "bind j0 none");
  Accept(cluster.UpdateQueue({.name = "p", .node_groups = NodeGroupWish{.required = {"grey"}}}));
  EXPECT_EQ(decide(), "bind j0 none");
  Accept(cluster.UpdateQueue({.name = "q", .parent = "p"}));
  EXPECT_EQ(decide(), "bind j0 grey");
}

TEST(NodeGroup, SaysWhyNot) {
  Cluster cluster;
  Nodes(cluster);
  Accept(cluster.AddQueue({.name = "q", .node_groups = NodeGroupWish{.required = {"pink"}}}));
  GroupJob(cluster, "j", "q");
  const absl::StatusOr<Plan> plan = Schedule(cluster.Freeze(), GroupProfile(""));
  ASSERT_TRUE(plan.ok()) << plan.status();
  const std::string why = *plan->Explain("j0");
  EXPECT_NE(why.find("1 node: node selector or affinity (node has no group)"), std::string::npos)
      << why;
  EXPECT_NE(why.find("3 nodes: node selector or affinity (queue wants other groups)"),
            std::string::npos)
      << why;
}

}  // namespace
}  // namespace muster::testing
