// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Gangs along the way from the queue to permit, and places for them, worked out by hand.
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "lib/peer/koordinator/gangs/gang_book.h"
#include "lib/peer/koordinator/gangs/topology_places.h"

namespace muster::koordinator {
namespace {

constexpr int64_t kGangSecond = 1'000'000'000;

GangTask GangMember(const std::string& name, const std::string& gang, bool is_bound = false) {
  return {.name = name, .gang = gang, .is_declared = true, .is_bound = is_bound};
}

TEST(KoordinatorGangRules, Defaults) {
  const GangRules rules =
      RulesOf({.least = 3, .total = 2, .mode = "odd", .policy = "odd", .wait = -1}, "g",
              {.wait = 5 * kGangSecond});
  EXPECT_EQ(rules.total, 3);
  EXPECT_TRUE(rules.is_strict);
  EXPECT_EQ(rules.policy, MatchPolicy::kOnceSatisfied);
  EXPECT_EQ(rules.wait, 5 * kGangSecond);
  EXPECT_EQ(rules.group, std::vector<std::string>{"g"});
  EXPECT_FALSE(RulesOf({.mode = "NonStrict"}, "g", {}).is_strict);
  EXPECT_EQ(GroupName({"b", "a"}), "a,b");
  EXPECT_EQ(GroupName({}), "");
}

TEST(KoordinatorGangGroup, BindingEndsWithTheLastGang) {
  GangGroup group("a,b", {"a", "b"});
  EXPECT_EQ(group.Represent("t"), "t");
  EXPECT_EQ(group.Represent("u"), "t");
  group.ClearIfRepresentative("u");
  EXPECT_EQ(group.representative(), "t");
  group.BeginWaiting();
  group.SetBinding({"t"});
  group.EndWaiting("a");
  EXPECT_EQ(group.binding().size(), 1u);
  group.EndWaiting("b");
  EXPECT_TRUE(group.binding().empty());
}

TEST(KoordinatorGangBook, QueueHoldsOneTaskOfAGroup) {
  GangBook book({});
  EXPECT_EQ(book.MayEnqueue("t", ""), EnqueueAnswer::kYes);
  EXPECT_EQ(book.MayEnqueue("t", "a"), EnqueueAnswer::kNoGang);
  book.PutTask(GangMember("t0", "a"));
  EXPECT_EQ(book.MayEnqueue("t0", "a"), EnqueueAnswer::kNotReady);
  book.PutGang("a", {.least = 2, .group = {"a", "b"}});
  book.PutTask(GangMember("t1", "a"));
  EXPECT_EQ(book.MayEnqueue("t0", "a"), EnqueueAnswer::kTooFew);  // b is missing
  book.PutGang("b", {.least = 1, .group = {"a", "b"}});
  book.PutTask(GangMember("u0", "b"));
  EXPECT_EQ(book.MayEnqueue("t0", "a"), EnqueueAnswer::kYes);
  EXPECT_EQ(book.MayEnqueue("u0", "b"), EnqueueAnswer::kRepresented);
  EXPECT_EQ(book.MayEnqueue("x", "a"), EnqueueAnswer::kNotPending);
  // The representative goes, and another may come.
  book.RemoveTask("t0", "a");
  book.PutTask(GangMember("t2", "a"));
  EXPECT_EQ(book.MayEnqueue("u0", "b"), EnqueueAnswer::kYes);
}

TEST(KoordinatorGangBook, TurnOfAGroup) {
  GangBook book({});
  for (const std::string gang : {"a", "b"}) {
    book.PutGang(gang, {.least = 1, .group = {"b", "a"}});
    for (const std::string task : {"2", "1"}) book.PutTask(GangMember(gang + task, gang));
  }
  EXPECT_EQ(book.Begin("b1", "b"), BeginAnswer::kYes);
  EXPECT_EQ(book.MayEnqueue("a1", "a"), EnqueueAnswer::kNotTried);
  EXPECT_EQ(book.Next(), "a1");
  EXPECT_EQ(book.MayEnqueue("a1", "a"), EnqueueAnswer::kYes);
  EXPECT_EQ(book.Next(), "a2");
  EXPECT_EQ(book.Next(), "b2");
  EXPECT_TRUE(book.Fail("b"));  // strict
  EXPECT_EQ(book.Begin("b2", "b"), BeginAnswer::kGroupFailed);
  EXPECT_EQ(book.Next(), std::nullopt);
  EXPECT_EQ(book.Begin("b2", "b"), BeginAnswer::kYes);
}

TEST(KoordinatorGangBook, PermitByPolicy) {
  const auto permit = [](const std::string& policy, bool has_bound) {
    GangBook book({});
    book.PutGang("a", {.least = 2, .policy = policy, .wait = kGangSecond});
    if (has_bound) book.PutTask(GangMember("t0", "a", /*is_bound=*/true));
    book.PutTask(GangMember("t1", "a"));
    return book.AtPermit("t1", "a");
  };
  EXPECT_EQ(permit("only-waiting", true).answer, PermitAnswer::kWait);
  EXPECT_EQ(permit("only-waiting", true).wait, kGangSecond);
  EXPECT_EQ(permit("waiting-and-running", true).answer, PermitAnswer::kAllow);
  EXPECT_EQ(permit("once-satisfied", true).answer, PermitAnswer::kAllow);
  EXPECT_EQ(permit("once-satisfied", false).answer, PermitAnswer::kWait);
  GangBook book({});
  EXPECT_EQ(book.AtPermit("t", "").answer, PermitAnswer::kNoGang);
  EXPECT_EQ(book.AtPermit("t", "a").answer, PermitAnswer::kGangMissing);
}

TEST(KoordinatorGangBook, GroupStartsTogether) {
  GangBook book({});
  book.PutGang("a", {.least = 1, .group = {"a", "b"}});
  book.PutGang("b", {.least = 1, .mode = "NonStrict", .group = {"a", "b"}});
  book.PutTask(GangMember("t", "a"));
  book.PutTask(GangMember("u", "b"));
  EXPECT_EQ(book.AtPermit("t", "a").answer, PermitAnswer::kWait);
  EXPECT_EQ(book.Find("a")->group->waiting().size(), 2u);
  EXPECT_TRUE(book.Unreserve("t", "a"));
  EXPECT_TRUE(book.Find("a")->pending.contains("t"));
  EXPECT_EQ(book.AtPermit("t", "a").answer, PermitAnswer::kWait);
  EXPECT_FALSE(book.Fail("b"));  // not strict
  EXPECT_EQ(book.AtPermit("u", "b").answer, PermitAnswer::kAllow);
  EXPECT_EQ(book.Allow("b"), (std::vector<std::string>{"t", "u"}));
  EXPECT_EQ(book.Find("a")->group->binding().size(), 2u);
  book.Bind("t", "a");
  book.Bind("u", "b");
  EXPECT_TRUE(book.Find("a")->group->binding().empty());
  EXPECT_FALSE(book.Fail("a"));  // once satisfied, never rejected again
  EXPECT_EQ(book.MayEnqueue("x", "a"), EnqueueAnswer::kYes);
}

TEST(KoordinatorGangBook, GangsOfTasksGoWithTheLastTask) {
  GangBook book({});
  GangTask task{.name = "t", .gang = "a", .marks = {.least = 2, .group = {"a", "b"}}};
  book.PutTask(task);
  EXPECT_EQ(book.groups().count("a,b"), 1u);
  task.marks.least = 9;  // the first task's marks stay
  book.PutTask(task);
  EXPECT_EQ(book.Find("a")->rules.least, 2);
  book.RemoveTask("t", "a");
  EXPECT_EQ(book.Find("a"), nullptr);
  EXPECT_TRUE(book.groups().empty());
  book.PutTask({.name = "t", .gang = "c"});  // without a least number: not ready
  EXPECT_FALSE(book.Find("c")->is_ready);
  book.PutGang("d", {.least = 1});
  book.PutTask(GangMember("u", "d"));
  book.RemoveTask("u", "d");
  EXPECT_NE(book.Find("d"), nullptr);
  book.ChangeGang("e", {.least = 1});
  EXPECT_EQ(book.Find("e"), nullptr);
  book.RemoveGang("d");
  EXPECT_EQ(book.Find("d"), nullptr);
}

// root -> s0 (n0, n1), s1 (n2, n3).
PlaceTree Tree() {
  PlaceTree tree(7);
  tree[0] = {.layer = "root", .name = "root", .children = {1, 2}};
  for (size_t s = 1; s <= 2; ++s) {
    tree[s] = {.layer = "spine", .name = "s" + std::to_string(s - 1), .parent = 0};
    for (size_t n = 0; n < 2; ++n) {
      const size_t node = 3 + (s - 1) * 2 + n;
      tree[s].children.push_back(node);
      tree[node] = {
          .layer = "node", .name = "n" + std::to_string(node - 3), .is_node = true, .parent = s};
    }
  }
  return tree;
}

std::string Placed(std::vector<PlaceLeaf> leaves, const GatherRules& rules) {
  PlaceTree tree = Tree();
  SumUp(leaves, &tree);
  std::string text;
  const auto nodes = PlaceGang(rules, &tree);
  if (!nodes.has_value()) return "none";
  for (const std::string& node : *nodes) text += node;
  return text;
}

TEST(KoordinatorTopologyPlaces, LowestDomainWithFewestSlots) {
  const std::vector<PlaceLeaf> leaves = {{"n0", 3}, {"n1", 1}, {"n2", 2}, {"n3", 3}};
  EXPECT_EQ(Placed(leaves, {.slots = 2}), "n2n2");
  EXPECT_EQ(Placed(leaves, {.slots = 4}), "n0n0n0n1");  // s0 has four slots, s1 five
  EXPECT_EQ(Placed(leaves, {.slots = 5}), "n3n3n3n2n2");
  EXPECT_EQ(Placed(leaves, {.slots = 7}), "n3n3n3n2n2n0n0");
  EXPECT_EQ(Placed(leaves, {.layer = "spine", .slots = 7}), "none");
  EXPECT_EQ(Placed(leaves, {.layer = "spine", .slots = 5}), "n3n3n3n2n2");
}

TEST(KoordinatorTopologyPlaces, ExistingTasksAndScoresFirst) {
  EXPECT_EQ(Placed({{"n0", 1}, {"n3", 9, 1}}, {.slots = 1}), "n3");
  EXPECT_EQ(Placed({{"n0", 1, 0, 1}, {"n1", 1, 0, 5}, {"n2", 1}, {"n3", 1}}, {.slots = 1}), "n1");
}

TEST(KoordinatorTopologyPlaces, Multiples) {
  const std::vector<PlaceLeaf> leaves = {{"n0", 5}, {"n1", 7}, {"n2", 6}, {"n3", 4}};
  PlaceTree tree = Tree();
  SumUp(leaves, &tree);
  RoundSlots({{"node", 4}}, &tree);
  EXPECT_EQ(tree[0].slots, 16);
  EXPECT_EQ(Distribute(tree, 0, 20, {{"node", 4}}).slots, 16);
  EXPECT_EQ(Distribute(tree, 1, 6, {{"node", 4}}).slots, 4);
  // Six slots are there, and multiples of four leave two of them empty.
  EXPECT_EQ(Placed(leaves, {.slots = 6, .multiples = {{"node", 4}}}), "none");
  EXPECT_EQ(Placed(leaves, {.slots = 8, .multiples = {{"spine", 8}}}), "n1n1n1n1n1n1n1n0");
}

}  // namespace
}  // namespace muster::koordinator
