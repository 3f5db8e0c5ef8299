// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Spread over domains: the check vectors and the traps of Kubernetes' plugin, one by one.
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "inter_world.h"
#include "lib/kube/inter_task.h"

namespace muster::testing {
namespace {

// --- spread, filter

// Zones with 3 and 1 matching tasks.
void ThreeAndOne(InterWorld& world) {
  ThreeZones(world);
  for (const char* name : {"w0", "w1", "w2"}) world.Running(name, Shape(kWeb), "a0");
  world.Running("w3", Shape(kWeb), "b0");
}

TEST(InterSpreadTest, TheDomainMayNotGetAheadOfTheEmptiest) {
  InterWorld world;
  ThreeAndOne(world);
  TaskShape shape = Shape(kWeb);
  shape.spread = {Spread("zone", kWeb, 1, true)};
  world.Pending("new", shape);
  EXPECT_EQ(world.Fit("new"), "spread spread ok label!");
}

TEST(InterSpreadTest, TooFewDomainsCountAsAnEmptyOne) {
  InterWorld world;
  ThreeAndOne(world);
  TaskShape shape = Shape(kWeb);
  shape.spread = {Spread("zone", kWeb, 1, true)};
  shape.spread[0].min_domains = 3;
  world.Pending("three", shape);
  shape.spread[0].min_domains = 2;
  world.Pending("two", shape);
  EXPECT_EQ(world.Fit("three"), "spread spread spread label!");
  EXPECT_EQ(world.Fit("two"), "spread spread ok label!");
}

TEST(InterSpreadTest, ATaskThatDoesNotCountAddsNothing) {
  InterWorld world;
  ThreeAndOne(world);
  TaskShape shape = Shape(kDb);
  shape.spread = {Spread("zone", kWeb, 2, true)};
  world.Pending("other", shape);
  shape = Shape(kWeb);
  shape.spread = {Spread("zone", kWeb, 2, true)};
  world.Pending("same", shape);
  EXPECT_EQ(world.Fit("other"), "ok ok ok label!");
  EXPECT_EQ(world.Fit("same"), "spread spread ok label!");
}

TEST(InterSpreadTest, LeavingTasksAndOtherNamespacesDoNotCount) {
  InterWorld world;
  ThreeZones(world);
  world.Leaving("leaving", Shape(kWeb), "a0");
  world.Running("foreign", Shape(kWeb, "other"), "b0");
  TaskShape shape = Shape(kWeb);
  shape.spread = {Spread("zone", kWeb, 1, true)};
  world.Pending("new", shape);
  EXPECT_EQ(world.Fit("new"), "ok ok ok label!");
}

TEST(InterSpreadTest, AnEmptySelectorCountsOnlyTheTaskItself) {
  InterWorld world;
  ThreeAndOne(world);
  TaskShape all = Shape(kWeb), none = Shape(kWeb);
  all.spread = {Spread("zone", {}, 1, true)};
  all.spread[0].min_domains = 3;
  none.spread = all.spread;
  none.spread[0].selector.reset();
  world.Pending("all", all);
  world.Pending("none", none);
  EXPECT_EQ(world.Fit("all"), "ok ok ok label!");
  EXPECT_EQ(world.Fit("none"), "ok ok ok label!");
}

TEST(InterSpreadTest, AFullOrClosedDomainHoldsBackTheOthersUnlessExcluded) {
  InterWorld world;
  NodeSpec tainted;
  tainted.name = "t0";
  tainted.labels = {{"zone", "t"}, {"pool", "x"}};
  tainted.taints = {{"gpu", "", TaintEffect::kNoSchedule}};
  tainted.unschedulable = true;
  world.Node(tainted);
  world.Node("n0", {{"zone", "a"}, {"pool", "y"}});
  world.Running("web", Shape(kWeb), "n0");
  TaskShape shape = Shape(kWeb);
  shape.spread = {Spread("zone", kWeb, 1, true)};
  world.Pending("held back", shape);
  TaskShape honors = shape;
  honors.spread[0].honor_taints = true;
  world.Pending("honors taints", honors);
  TaskShape selects = shape;
  selects.node_selector = {{"pool", "y"}};
  world.Pending("selects nodes", selects);
  selects.spread[0].honor_node_affinity = false;
  world.Pending("ignores its selector", selects);
  EXPECT_EQ(world.Fit("held back"), "ok spread");
  EXPECT_EQ(world.Fit("honors taints"), "ok ok");
  EXPECT_EQ(world.Fit("selects nodes"), "ok ok");
  EXPECT_EQ(world.Fit("ignores its selector"), "ok spread");
}

TEST(InterSpreadTest, OnlyNodesWithAllKeysMakeDomains) {
  InterWorld world;
  world.Node("n0", {{"zone", "a"}, {"rack", "1"}});
  world.Node("n1", {{"zone", "b"}});
  world.Running("web", Shape(kWeb), "n0");
  TaskShape shape = Shape(kWeb);
  shape.spread = {Spread("zone", kWeb, 1, true), Spread("rack", kWeb, 5, true)};
  world.Pending("new", shape);
  EXPECT_EQ(world.Fit("new"), "ok label!") << "zone b does not exist for it";
}

TEST(InterSpreadTest, ConstraintsAreTriedInTheirOrder) {
  InterWorld world;
  world.Node("n0", {{"zone", "a"}, {"rack", "1"}});
  world.Node("n1", {{"zone", "a"}});
  world.Node("n2", {{"zone", "b"}, {"rack", "1"}});
  world.Running("web", Shape(kWeb), "n0");
  TaskShape shape = Shape(kWeb);
  shape.spread = {Spread("zone", kWeb, 1, true), Spread("rack", kWeb, 5, true)};
  world.Pending("zone first", shape);
  std::swap(shape.spread[0], shape.spread[1]);
  world.Pending("rack first", shape);
  EXPECT_EQ(world.Fit("zone first"), "spread spread ok");
  EXPECT_EQ(world.Fit("rack first"), "spread label! ok");
}

TEST(InterSpreadTest, TheMinimumFollowsPlacementsAndRollbacks) {
  InterWorld world;
  ThreeZones(world);
  TaskShape shape = Shape(kWeb);
  shape.spread = {Spread("zone", kWeb, 1, true)};
  for (const char* name : {"t0", "t1", "t2", "t3"}) world.Pending(name, shape);
  InterTask rules({});
  rules.Open(world.tables(), world.ledger());
  const ClassIndex c = world.task_class("t0");
  EXPECT_EQ(world.Fit(rules, c), "ok ok ok label!");
  world.Place("t0", "a0");
  EXPECT_EQ(world.Fit(rules, c), "spread spread ok label!");
  const Ledger::Savepoint before = world.ledger().Save();
  world.Place("t1", "b0");
  EXPECT_EQ(world.Fit(rules, c), "ok ok ok label!");
  world.Place("t2", "a1");
  EXPECT_EQ(world.Fit(rules, c), "spread spread ok label!");
  world.ledger().Rollback(before);
  EXPECT_EQ(world.Fit(rules, c), "spread spread ok label!");
  world.ledger().TrimJournals(0);
  EXPECT_EQ(world.Fit(rules, c), "spread spread ok label!");
}

// --- spread, score

TEST(InterSpreadTest, TheEmptierZoneIsBetter) {
  InterWorld world;
  ThreeAndOne(world);
  TaskShape shape = Shape(kDb);
  shape.spread = {Spread("zone", kWeb, 1, false)};
  world.Pending("new", shape);
  EXPECT_EQ(world.Score("new", SpreadScore()), (Scores{25, 25, 100, 0})) << "c0 has no zone";
  EXPECT_EQ(world.Fit("new"), "ok ok ok ok") << "a preference refuses nothing";
  EXPECT_FALSE(world.FitDepends("new"));
}

TEST(InterSpreadTest, AllEqualAtZeroIsAHundred) {
  InterWorld world;
  ThreeZones(world);
  TaskShape shape = Shape(kWeb);
  shape.spread = {Spread("zone", kWeb, 1, false)};
  world.Pending("new", shape);
  EXPECT_EQ(world.Score("new", SpreadScore()), (Scores{100, 100, 100, 0}));
}

TEST(InterSpreadTest, AHostIsItsOwnDomainAndCountsWhatIsOnIt) {
  InterWorld world;
  ThreeAndOne(world);
  TaskShape shape = Shape(kDb);
  shape.spread = {Spread("kubernetes.io/hostname", kWeb, 1, false)};
  world.Pending("new", shape);
  // ln 6 = 1.79: 3 tasks 5.38 -> 5, 1 task 1.79 -> 2.
  EXPECT_EQ(world.Score("new", SpreadScore()), (Scores{0, 100, 60, 100}));
}

TEST(InterSpreadTest, DomainsAreCountedOverTheCandidates) {
  InterWorld world;
  ThreeAndOne(world);
  TaskShape shape = Shape(kDb);
  shape.spread = {Spread("zone", kWeb, 3, false)};
  world.Pending("new", shape);
  InterTask rules(SpreadScore());
  rules.Open(world.tables(), world.ledger());
  const ClassIndex c = world.task_class("new");
  // ln 4: 3 * 1.386 + 2 = 6.16 -> 6 and 3.39 -> 3; alone, ln 3: 5.30 -> 5, lowest and highest at
  // once.
  EXPECT_EQ(world.Score(rules, c, {0, 2}), (Scores{50, 100}));
  EXPECT_EQ(world.Score(rules, c, {0}), (Scores{100}));
}

}  // namespace
}  // namespace muster::testing
