// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Affinity, spread, ports and images: the check vectors and the traps of Kubernetes' plugins, one by one.
#include "lib/policy/inter_task.h"

#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "inter_world.h"

namespace muster::testing {
namespace {

using Scores = std::vector<double>;
const Labels kWeb = {{"app", "web"}}, kDb = {{"app", "db"}};

InterTaskOptions AffinityScore() {
  InterTaskOptions options;
  options.affinity_weight = 1;
  return options;
}
InterTaskOptions SpreadScore() {
  InterTaskOptions options;
  options.spread_weight = 1;
  return options;
}
InterTaskOptions ImageScore() {
  InterTaskOptions options;
  options.image_weight = 1;
  return options;
}
InterTaskOptions Old() {
  InterTaskOptions options;
  options.version_1_16 = true;
  options.affinity_weight = 1;
  return options;
}

// Nodes a0, a1 of zone a, b0 of zone b and c0 of none.
void ThreeZones(InterWorld& world) {
  world.Node("a0", {{"zone", "a"}, {"kubernetes.io/hostname", "a0"}});
  world.Node("a1", {{"zone", "a"}, {"kubernetes.io/hostname", "a1"}});
  world.Node("b0", {{"zone", "b"}, {"kubernetes.io/hostname", "b0"}});
  world.Node("c0", {{"kubernetes.io/hostname", "c0"}});
}

// --- required affinity

TEST(InterAffinityTest, AffinityWantsTheDomainOfAMatch) {
  InterWorld world;
  ThreeZones(world);
  world.Running("web", Shape(kWeb), "a0");
  TaskShape shape = Shape(kDb);
  shape.required_affinity = {Term("zone", kWeb)};
  world.Pending("new", shape);
  EXPECT_EQ(world.Fit("new"), "ok ok affinity! affinity!");
}

TEST(InterAffinityTest, TheFirstOfAGroupMayStartWhereTheKeysAre) {
  InterWorld world;
  ThreeZones(world);
  TaskShape shape = Shape(kWeb);
  shape.required_affinity = {Term("zone", kWeb)};
  world.Pending("first", shape);
  world.Pending("second", shape);
  EXPECT_EQ(world.Fit("first"), "ok ok ok affinity!");
  world.Place("first", "b0");
  EXPECT_EQ(world.Fit("second"), "affinity! affinity! ok affinity!");
}

TEST(InterAffinityTest, AMatchOnANodeWithoutAnyKeyDoesNotEndTheBeginning) {
  InterWorld world;
  ThreeZones(world);
  world.Running("there", Shape(kWeb), "c0");
  TaskShape shape = Shape(kWeb);
  shape.required_affinity = {Term("zone", kWeb)};
  world.Pending("new", shape);
  EXPECT_EQ(world.Fit("new"), "ok ok ok affinity!");
  // In 1.16 it does, and there is no domain to join.
  EXPECT_EQ(world.Fit("new", Old()), "affinity! affinity! affinity! affinity!");
}

TEST(InterAffinityTest, ATaskThatDoesNotMatchItselfCannotBeTheFirst) {
  InterWorld world;
  ThreeZones(world);
  TaskShape shape = Shape(kDb);
  shape.required_affinity = {Term("zone", kWeb)};
  world.Pending("new", shape);
  EXPECT_EQ(world.Fit("new"), "affinity! affinity! affinity! affinity!");
}

TEST(InterAffinityTest, OnlyTasksThatMatchAllTermsCount) {
  InterWorld world;
  ThreeZones(world);
  world.Running("half", Shape(kWeb), "a0");
  world.Running("whole", Shape({{"app", "web"}, {"tier", "front"}}), "b0");
  TaskShape shape;
  shape.required_affinity = {Term("zone", kWeb), Term("zone", {{"tier", "front"}})};
  world.Pending("new", shape);
  EXPECT_EQ(world.Fit("new"), "affinity! affinity! ok affinity!");
}

TEST(InterAffinityTest, TermsMayBeSatisfiedByDifferentTasksOnlyInTheModernVersion) {
  InterWorld world;
  world.Node("n0", {{"zone", "a"}, {"rack", "1"}});
  world.Node("n1", {{"zone", "a"}, {"rack", "2"}});
  world.Node("n2", {{"zone", "b"}, {"rack", "2"}});
  world.Running("in-a", Shape(kWeb), "n0");
  world.Running("in-2", Shape(kWeb), "n2");
  TaskShape shape;
  shape.required_affinity = {Term("zone", kWeb), Term("rack", kWeb)};
  world.Pending("new", shape);
  EXPECT_EQ(world.Fit("new"), "ok ok ok");
  EXPECT_EQ(world.Fit("new", Old()), "ok affinity! ok");
}

TEST(InterAffinityTest, TheFirstOfAGroupNeedsNoKeysIn116) {
  InterWorld world;
  ThreeZones(world);
  TaskShape shape = Shape(kWeb);
  shape.required_affinity = {Term("zone", kWeb)};
  world.Pending("first", shape);
  EXPECT_EQ(world.Fit("first", Old()), "ok ok ok ok");
}

// --- anti-affinity

TEST(InterAffinityTest, AntiAffinityIsSymmetricAndASoftRefusal) {
  InterWorld world;
  ThreeZones(world);
  world.Running("web", Shape(kWeb), "a0");
  TaskShape shy = Shape(kDb);
  shy.required_anti_affinity = {Term("zone", kWeb)};
  world.Running("shy", shy, "b0");
  world.Pending("another-shy", shy);
  world.Pending("another-web", Shape(kWeb));
  EXPECT_EQ(world.Fit("another-shy"), "anti anti ok ok");
  EXPECT_EQ(world.Fit("another-web"), "ok ok existing ok");
}

TEST(InterAffinityTest, RequiredAffinityIsNotSymmetric) {
  InterWorld world;
  ThreeZones(world);
  TaskShape clingy = Shape(kDb);
  clingy.required_affinity = {Term("zone", kWeb)};
  world.Running("clingy", clingy, "a0");
  world.Pending("web", Shape(kWeb));
  EXPECT_EQ(world.Fit("web"), "ok ok ok ok");
  EXPECT_FALSE(world.FitDepends("web"));
}

TEST(InterAffinityTest, AntiTermsAreJudgedOneByOneExceptIn116) {
  InterWorld world;
  ThreeZones(world);
  world.Running("web", Shape(kWeb), "a0");
  world.Running("both", Shape({{"app", "web"}, {"tier", "front"}}), "b0");
  TaskShape shape;
  shape.required_anti_affinity = {Term("zone", kWeb), Term("zone", {{"tier", "front"}})};
  world.Pending("new", shape);
  EXPECT_EQ(world.Fit("new"), "anti anti anti ok");
  EXPECT_EQ(world.Fit("new", Old()), "ok ok anti ok");
}

TEST(InterAffinityTest, AffinityIsNamedBeforeAntiAffinityBeforeThatOfOthers) {
  InterWorld world;
  ThreeZones(world);
  TaskShape there = Shape(kWeb);
  there.required_anti_affinity = {Term("zone", kDb)};
  world.Running("there", there, "a0");
  TaskShape shape = Shape(kDb);
  shape.required_affinity = {Term("kubernetes.io/hostname", kWeb)};
  shape.required_anti_affinity = {Term("kubernetes.io/hostname", kWeb)};
  world.Pending("new", shape);
  EXPECT_EQ(world.Fit("new"), "anti affinity! affinity! affinity!");
  TaskShape meek = Shape(kDb);
  meek.required_anti_affinity = {Term("kubernetes.io/hostname", kWeb)};
  world.Pending("meek", meek);
  InterWorld same;
  ThreeZones(same);
  same.Running("there", there, "a0");
  same.Pending("meek", meek);
  EXPECT_EQ(same.Fit("meek"), "anti existing ok ok");
}

TEST(InterAffinityTest, LeavingTasksCountUntilTheyAreGone) {
  InterWorld world;
  ThreeZones(world);
  world.Leaving("web", Shape(kWeb), "a0");
  TaskShape shape;
  shape.required_anti_affinity = {Term("zone", kWeb)};
  world.Pending("new", shape);
  EXPECT_EQ(world.Fit("new"), "anti anti ok ok");
}

TEST(InterAffinityTest, NominatedTasksCountAndEvictedOnesDoNot) {
  InterWorld world;
  ThreeZones(world);
  world.Running("web", Shape(kWeb), "a0");
  world.Pending("other-web", Shape(kWeb));
  TaskShape shape;
  shape.required_anti_affinity = {Term("zone", kWeb)};
  world.Pending("new", shape);
  InterTask rules({});
  rules.Open(world.tables(), world.ledger());
  const ClassIndex c = world.task_class("new");
  EXPECT_EQ(world.Fit(rules, c), "anti anti ok ok");
  const Ledger::Savepoint before = world.ledger().Save();
  world.ledger().Move(world.task("web"), TaskStatus::kReleasing, world.node("a0"));
  EXPECT_EQ(world.Fit(rules, c), "ok ok ok ok");
  world.ledger().Move(world.task("other-web"), TaskStatus::kNominated, world.node("b0"));
  EXPECT_EQ(world.Fit(rules, c), "ok ok anti ok");
  world.ledger().Rollback(before);
  EXPECT_EQ(world.Fit(rules, c), "anti anti ok ok");
}

// --- selectors and namespaces of terms

TEST(InterAffinityTest, AnEmptySelectorMatchesAllAndAnAbsentOneNone) {
  InterWorld world;
  ThreeZones(world);
  world.Running("any", Shape({}), "a0");
  TaskShape all, none;
  all.required_anti_affinity = {Term("zone", {})};
  none.required_anti_affinity = {Term("zone", {})};
  none.required_anti_affinity[0].selector.reset();
  world.Pending("all", all);
  world.Pending("none", none);
  EXPECT_EQ(world.Fit("all"), "anti anti ok ok");
  EXPECT_EQ(world.Fit("none"), "ok ok ok ok");
  EXPECT_TRUE(world.FitDepends("none")) << "the other one's term matches it";
}

TEST(InterAffinityTest, NamespacesOfATerm) {
  InterWorld world;
  ThreeZones(world);
  world.Namespace("prod", {{"env", "prod"}});
  world.Running("own", Shape(kWeb, "test"), "a0");
  world.Running("known", Shape(kWeb, "prod"), "b0");
  world.Running("unknown", Shape(kWeb, "void"), "c0");
  const auto fit = [&](const char* name, AffinityTerm term) {
    term.topology_key = "kubernetes.io/hostname";
    TaskShape shape = Shape({{"name", name}}, "test");
    shape.required_anti_affinity = {term};
    InterWorld copy;
    ThreeZones(copy);
    copy.Namespace("prod", {{"env", "prod"}});
    copy.Running("own", Shape(kWeb, "test"), "a0");
    copy.Running("known", Shape(kWeb, "prod"), "b0");
    copy.Running("unknown", Shape(kWeb, "void"), "c0");
    copy.Pending("new", shape);
    return copy.Fit("new");
  };
  AffinityTerm term = Term("", kWeb);
  EXPECT_EQ(fit("nothing said: its own", term), "anti ok ok ok");
  term.namespaces = {"void"};
  EXPECT_EQ(fit("exactly the listed", term), "ok ok ok anti");
  term.namespace_selector = Selector{{{"env", "prod"}}, {}};
  EXPECT_EQ(fit("listed or selected", term), "ok ok anti anti");
  term.namespaces.clear();
  EXPECT_EQ(fit("selected alone: not its own", term), "ok ok anti ok");
  term.namespace_selector = Selector{{}, {{"env", "NotIn", {"dev"}}}};
  EXPECT_EQ(fit("only known namespaces can be selected", term), "ok ok anti ok");
  term.namespace_selector = Selector{};
  EXPECT_EQ(fit("the empty selector selects all", term), "anti ok anti anti");
}

TEST(InterAffinityTest, ToTermsAlreadyThereAnUnknownNamespaceHasNoLabels) {
  InterWorld world;
  ThreeZones(world);
  TaskShape shy = Shape(kDb, "test");
  shy.required_anti_affinity = {Term("zone", kWeb)};
  shy.required_anti_affinity[0].namespace_selector = Selector{{}, {{"env", "NotIn", {"dev"}}}};
  world.Running("shy", shy, "b0");
  world.Namespace("dev", {{"env", "dev"}});
  world.Pending("unknown", Shape(kWeb, "void"));
  world.Pending("dev", Shape(kWeb, "dev"));
  EXPECT_EQ(world.Fit("unknown"), "ok ok existing ok");
  EXPECT_EQ(world.Fit("dev"), "ok ok ok ok");
}

TEST(InterAffinityTest, NamespaceSelectorsDoNotExistIn116) {
  InterWorld world;
  ThreeZones(world);
  world.Running("own", Shape(kWeb), "a0");
  world.Running("other", Shape(kWeb, "other"), "b0");
  TaskShape shape;
  shape.required_anti_affinity = {Term("zone", kWeb)};
  shape.required_anti_affinity[0].namespace_selector = Selector{};
  world.Pending("new", shape);
  EXPECT_EQ(world.Fit("new"), "anti anti anti ok");
  EXPECT_EQ(world.Fit("new", Old()), "anti anti ok ok");
}

// --- affinity score

// Raw numbers: a0, a1: 5; b0: -2; c0: 0.
void FiveMinusTwo(InterWorld& world) {
  ThreeZones(world);
  world.Running("web", Shape(kWeb), "a0");
  world.Running("db", Shape(kDb), "b0");
  TaskShape shape;
  shape.preferred_affinity = {{5, Term("zone", kWeb)}};
  shape.preferred_anti_affinity = {{2, Term("zone", kDb)}};
  world.Pending("new", shape);
}

TEST(InterAffinityTest, ScoresRunFromTheWorstToTheBest) {
  InterWorld world;
  FiveMinusTwo(world);
  EXPECT_EQ(world.Score("new", AffinityScore()), (Scores{100, 100, 0, 28}));
  EXPECT_EQ(world.Score("new", Old()), (Scores{10, 10, 0, 2}));
  InterTaskOptions weighted = AffinityScore();
  weighted.affinity_weight = 2.5;
  EXPECT_EQ(world.Score("new", weighted), (Scores{250, 250, 0, 70}));
}

TEST(InterAffinityTest, EqualScoresAreZeroButTenIn116) {
  InterWorld world;
  world.Node("n0", {{"zone", "a"}});
  world.Node("n1", {{"zone", "a"}});
  world.Running("web", Shape(kWeb), "n0");
  TaskShape shape;
  shape.preferred_affinity = {{7, Term("zone", kWeb)}};
  world.Pending("new", shape);
  EXPECT_EQ(world.Score("new", AffinityScore()), (Scores{0, 0}));
  EXPECT_EQ(world.Score("new", Old()), (Scores{10, 10}));
}

TEST(InterAffinityTest, TheQuotientIsRoundedBeforeItIsMultiplied) {
  InterWorld world;
  world.Node("n0", {{"zone", "a"}});
  world.Node("n1", {{"zone", "b"}});
  world.Node("n2", {});
  world.Running("web", Shape(kWeb), "n0");
  world.Running("db", Shape(kDb), "n1");
  TaskShape shape;
  shape.preferred_affinity = {{100, Term("zone", kWeb)}, {29, Term("zone", kDb)}};
  world.Pending("new", shape);
  EXPECT_EQ(world.Score("new", AffinityScore()), (Scores{100, 28, 0}));
}

TEST(InterAffinityTest, PreferencesOfTasksThereCountAndRequiredAffinityOnlyIn116) {
  InterWorld world;
  ThreeZones(world);
  TaskShape fan = Shape({{"name", "fan"}}), foe = Shape({{"name", "foe"}}),
            tied = Shape({{"name", "tied"}});
  fan.preferred_affinity = {{4, Term("zone", kWeb)}};
  foe.preferred_anti_affinity = {{4, Term("zone", kWeb)}};
  tied.required_affinity = {Term("kubernetes.io/hostname", kWeb)};
  world.Running("fan", fan, "a0");
  world.Running("foe", foe, "b0");
  world.Running("tied", tied, "c0");
  world.Pending("web", Shape(kWeb));
  EXPECT_EQ(world.Score("web", AffinityScore()), (Scores{100, 100, 0, 50}));
  EXPECT_EQ(world.Score("web", Old()), (Scores{10, 10, 0, 6}));
  EXPECT_TRUE(world.ScoreDepends("web", AffinityScore()));
  EXPECT_TRUE(world.ScoreDepends("fan", AffinityScore())) << "a web may come";
  EXPECT_FALSE(world.ScoreDepends("tied", AffinityScore()));
}

TEST(InterAffinityTest, In116OnlyTasksOnCandidatesCount) {
  InterWorld world;
  FiveMinusTwo(world);
  InterTask modern(AffinityScore()), old(Old());
  modern.Open(world.tables(), world.ledger());
  old.Open(world.tables(), world.ledger());
  const ClassIndex c = world.task_class("new");
  EXPECT_EQ(world.Score(modern, c, {1, 2, 3}), (Scores{100, 0, 28}));
  EXPECT_EQ(world.Score(old, c, {1, 2, 3}), (Scores{10, 0, 10}));
}

TEST(InterAffinityTest, AValueListedTwiceIsOneMatch) {
  InterWorld world;
  ThreeZones(world);
  AffinityTerm twice = Term("zone", {});
  twice.selector = Selector{{}, {{"app", "In", {"web", "web"}}}};
  TaskShape fan = Shape({{"name", "fan"}}), other = Shape({{"name", "other"}});
  fan.preferred_affinity = {{4, twice}};
  other.preferred_affinity = {{4, Term("zone", kWeb)}};
  world.Running("fan", fan, "a0");
  world.Running("other", other, "b0");
  world.Pending("web", Shape(kWeb));
  EXPECT_EQ(world.Score("web", AffinityScore()), (Scores{100, 100, 100, 0}));
  TaskShape own = Shape(kWeb);
  own.spread = {Spread("zone", {}, 2, true)};
  own.spread[0].selector = twice.selector;
  InterWorld spread;
  ThreeZones(spread);
  spread.Running("there", own, "a0");
  spread.Pending("new", own);
  EXPECT_EQ(spread.Fit("new"), "ok ok ok label!");
}

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
  tainted.taints = {{"gpu", "", "NoSchedule"}};
  tainted.unschedulable = true;
  world.Node(tainted);
  world.Node("n0", {{"zone", "a"}, {"pool", "y"}});
  world.Running("web", Shape(kWeb), "n0");
  TaskShape shape = Shape(kWeb);
  shape.spread = {Spread("zone", kWeb, 1, true)};
  world.Pending("held back", shape);
  TaskShape honours = shape;
  honours.spread[0].honor_taints = true;
  world.Pending("honours taints", honours);
  TaskShape selects = shape;
  selects.node_selector = {{"pool", "y"}};
  world.Pending("selects nodes", selects);
  selects.spread[0].honor_node_affinity = false;
  world.Pending("ignores its selector", selects);
  EXPECT_EQ(world.Fit("held back"), "ok spread");
  EXPECT_EQ(world.Fit("honours taints"), "ok ok");
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
  // ln 4: 3 * 1.386 + 2 = 6.16 -> 6 and 3.39 -> 3; alone, ln 3: 5.30 -> 5, lowest and highest at once.
  EXPECT_EQ(world.Score(rules, c, {0, 2}), (Scores{50, 100}));
  EXPECT_EQ(world.Score(rules, c, {0}), (Scores{100}));
}

// --- host ports

TEST(InterPortsTest, ConflictsByNumberProtocolAndAddress) {
  const auto conflict = [](const HostPort& wanted, const HostPort& used) {
    InterWorld world;
    world.Node("n0", {});
    world.Node("n1", {});
    TaskShape there = Shape({{"name", "there"}}), shape;
    there.host_ports = {used};
    shape.host_ports = {wanted};
    world.Running("there", there, "n0");
    world.Pending("new", shape);
    return world.Fit("new") == "port ok";
  };
  EXPECT_TRUE(conflict({"0.0.0.0", "TCP", 80}, {"0.0.0.0", "TCP", 80}));
  EXPECT_TRUE(conflict({"0.0.0.0", "TCP", 80}, {"10.0.0.1", "TCP", 80}));
  EXPECT_TRUE(conflict({"10.0.0.1", "TCP", 80}, {"0.0.0.0", "TCP", 80}));
  EXPECT_TRUE(conflict({"10.0.0.1", "TCP", 80}, {"10.0.0.1", "TCP", 80}));
  EXPECT_TRUE(conflict({"", "TCP", 80}, {"10.0.0.1", "TCP", 80}));
  EXPECT_FALSE(conflict({"10.0.0.1", "TCP", 80}, {"10.0.0.2", "TCP", 80}));
  EXPECT_FALSE(conflict({"::", "TCP", 80}, {"10.0.0.1", "TCP", 80}));
  EXPECT_FALSE(conflict({"0.0.0.0", "TCP", 80}, {"0.0.0.0", "UDP", 80}));
  EXPECT_FALSE(conflict({"0.0.0.0", "TCP", 80}, {"0.0.0.0", "TCP", 81}));
}

TEST(InterPortsTest, AreFreedByEvictionAndTakenByPlacement) {
  InterWorld world;
  world.Node("n0", {});
  world.Node("n1", {});
  TaskShape shape;
  shape.host_ports = {{"", "TCP", 80}};
  world.Running("there", shape, "n0");
  world.Pending("new", shape);
  InterTask rules({});
  rules.Open(world.tables(), world.ledger());
  const ClassIndex c = world.task_class("new");
  EXPECT_EQ(world.Fit(rules, c), "port ok");
  world.ledger().Move(world.task("there"), TaskStatus::kReleasing, world.node("n0"));
  EXPECT_EQ(world.Fit(rules, c), "ok ok");
  world.Place("new", "n1");
  EXPECT_EQ(world.Fit(rules, c), "ok port");
}

TEST(InterPortsTest, ComeFirstButAHardRefusalOfALaterFilterRemainsHard) {
  InterWorld world;
  ThreeZones(world);
  TaskShape shape = Shape(kWeb);
  shape.host_ports = {{"", "TCP", 80}};
  world.Running("there", shape, "a0");
  shape.required_affinity = {Term("kubernetes.io/hostname", kDb)};
  world.Pending("affine", shape);
  shape.required_affinity.clear();
  shape.spread = {Spread("zone", kWeb, 1, true)};
  world.Pending("spread", shape);
  EXPECT_EQ(world.Fit("affine"), "port! affinity! affinity! affinity!");
  EXPECT_EQ(world.Fit("spread"), "port spread ok label!");
}

// --- images

NodeSpec NodeWithImage(const std::string& name, const std::string& image, int64_t mebibytes) {
  NodeSpec node;
  node.name = name;
  if (!image.empty()) node.images = {{{image}, mebibytes << 20}};
  return node;
}

TaskShape WithImages(const std::vector<std::string>& images) {
  TaskShape shape;
  for (const std::string& image : images) {
    ContainerSpec container;
    container.image = image;
    shape.containers.push_back(container);
  }
  return shape;
}

TEST(ImageSpreadTest, CheckVectors) {
  InterWorld one;
  one.Node(NodeWithImage("n0", "app:1", 500));
  one.Pending("new", WithImages({"app:1"}));
  EXPECT_EQ(one.Score("new", ImageScore()), (Scores{48}));

  InterWorld four;
  four.Node(NodeWithImage("n0", "app:1", 500));
  four.Node(NodeWithImage("n1", "", 0));
  four.Node(NodeWithImage("n2", "app:1", 500));
  four.Node(NodeWithImage("n3", "", 0));
  four.Pending("one", WithImages({"app:1"}));
  four.Pending("two", WithImages({"app:1", "other"}));
  EXPECT_EQ(four.Score("one", ImageScore()), (Scores{23, 0, 23, 0}));
  EXPECT_EQ(four.Score("two", ImageScore()), (Scores{11, 0, 11, 0}));

  InterWorld small;
  small.Node(NodeWithImage("n0", "app:1", 40));
  small.Node(NodeWithImage("n1", "", 0));
  small.Pending("new", WithImages({"app:1"}));
  EXPECT_EQ(small.Score("new", ImageScore()), (Scores{0, 0}));
  EXPECT_FALSE(small.ScoreDepends("new", ImageScore()));
}

TEST(ImageSpreadTest, UntaggedNamesAreLatestAndAPortIsNoTag) {
  InterWorld world;
  world.Node(NodeWithImage("n0", "host:5000/app:latest", 500));
  world.Node(NodeWithImage("n1", "app@sha256:1", 500));
  world.Pending("untagged", WithImages({"host:5000/app"}));
  world.Pending("digest", WithImages({"app@sha256:1"}));
  EXPECT_EQ(world.Score("untagged", ImageScore()), (Scores{23, 0}));
  EXPECT_EQ(world.Score("digest", ImageScore()), (Scores{0, 23}));
}

TEST(ImageSpreadTest, TheFirstNodeTellsTheSizeAndTwiceCountsTwice) {
  InterWorld world;
  world.Node(NodeWithImage("n0", "app:1", 500));
  world.Node(NodeWithImage("n1", "app:1", 9000));
  world.Pending("once", WithImages({"app:1"}));
  world.Pending("twice", WithImages({"app:1", "app:1"}));
  EXPECT_EQ(world.Score("once", ImageScore()), (Scores{48, 48}));
  EXPECT_EQ(world.Score("twice", ImageScore()), (Scores{49, 49}));
}

TEST(ImageSpreadTest, ANodeThatListsAnImageTwiceHasItOnce) {
  InterWorld world;
  NodeSpec node = NodeWithImage("n0", "app:1", 500);
  node.images.push_back(node.images[0]);
  world.Node(node);
  world.Pending("new", WithImages({"app:1"}));
  EXPECT_EQ(world.Score("new", ImageScore()), (Scores{48}));
}

TEST(ImageSpreadTest, HugeImagesStopAtAHundred) {
  InterWorld world;
  NodeSpec node = NodeWithImage("n0", "app:1", 1);
  node.images[0].size = INT64_MAX;
  world.Node(node);
  world.Pending("new", WithImages({"app:1"}));
  EXPECT_EQ(world.Score("new", ImageScore()), (Scores{100}));
  InterTaskOptions old = ImageScore();
  old.version_1_16 = true;
  EXPECT_EQ(world.Score("new", old), (Scores{0}));
}

// --- the whole

TEST(InterTaskTest, ClassesThatNoTermMentionsKeepTheFastPath) {
  InterWorld world;
  ThreeZones(world);
  TaskShape shy = Shape(kDb);
  shy.required_anti_affinity = {Term("zone", kDb)};
  world.Pending("shy", shy);
  world.Pending("plain", Shape(kWeb));
  InterTaskOptions all;
  all.affinity_weight = all.spread_weight = all.image_weight = 1;
  EXPECT_TRUE(world.FitDepends("shy", all));
  EXPECT_FALSE(world.FitDepends("plain", all));
  EXPECT_FALSE(world.ScoreDepends("plain", all));
  EXPECT_FALSE(world.ScoreDepends("shy", all));
}

TEST(InterTaskTest, RulesThatAreOffDoNothing) {
  InterWorld world;
  ThreeZones(world);
  TaskShape shape = Shape(kWeb);
  shape.host_ports = {{"", "TCP", 80}};
  shape.required_anti_affinity = {Term("zone", kWeb)};
  shape.spread = {Spread("zone", kWeb, 1, true)};
  world.Running("there", shape, "a0");
  world.Pending("new", shape);
  InterTaskOptions options;
  EXPECT_EQ(world.Fit("new", options), "port anti ok label!");
  options.host_ports = false;
  EXPECT_EQ(world.Fit("new", options), "anti anti ok label!");
  options.affinity = false;
  EXPECT_EQ(world.Fit("new", options), "spread spread ok label!");
  options.spread = false;
  EXPECT_EQ(world.Fit("new", options), "ok ok ok ok");
  EXPECT_FALSE(world.FitDepends("new", options));
}

TEST(InterTaskTest, NodesAlreadyRefusedAreLeftAlone) {
  InterWorld world;
  ThreeZones(world);
  TaskShape shape = Shape(kWeb);
  shape.spread = {Spread("none", kWeb, 1, true)};
  world.Pending("new", shape);
  InterTask rules({});
  rules.Open(world.tables(), world.ledger());
  const std::vector<NodeIndex> nodes = {0, 1};
  std::vector<uint8_t> fits = {0, 1}, hard = {0, 0};
  std::vector<RefusalCode> codes(2, RefusalCode::kTaint);
  rules.Fit(world.task_class("new"), nodes, fits, codes, hard);
  EXPECT_EQ(codes, (std::vector<RefusalCode>{RefusalCode::kTaint, RefusalCode::kSpreadLabel}));
  EXPECT_EQ(hard, (std::vector<uint8_t>{0, 1}));
}

TEST(InterTaskTest, NodesThatAreNotReadyAreThere) {
  InterWorld world;
  NodeSpec down;
  down.name = "down";
  down.labels = {{"zone", "a"}};
  down.ready = false;
  world.Node(down);
  world.Node("up", {{"zone", "a"}});
  world.Running("web", Shape(kWeb), "down");
  TaskShape shape;
  shape.required_anti_affinity = {Term("zone", kWeb)};
  world.Pending("new", shape);
  EXPECT_EQ(world.Fit("new"), "anti anti");
  EXPECT_EQ(world.Fit("new", Old()), "anti anti");
}

}  // namespace
}  // namespace muster::testing
