// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Affinity and anti-affinity between tasks: the check vectors and the traps of Kubernetes' plugin,
// one by one.
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "inter_world.h"
#include "lib/kube/inter_task.h"

namespace muster::testing {
namespace {

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
  InterTaskOptions options;
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
    return copy.Fit("new", options);
  };
  AffinityTerm term = Term("", kWeb);
  EXPECT_EQ(fit("nothing said: its own", term), "anti ok ok ok");
  term.namespaces = {"void"};
  EXPECT_EQ(fit("exactly the listed", term), "ok ok ok anti");
  term.namespace_selector = Selector{{{"env", "prod"}}, {}};
  EXPECT_EQ(fit("listed or selected", term), "ok ok anti anti");
  term.namespaces.clear();
  EXPECT_EQ(fit("selected alone: not its own", term), "ok ok anti ok");
  term.namespace_selector = Selector{{}, {{"env", RequirementOp::kNotIn, {"dev"}}}};
  EXPECT_EQ(fit("until 1.36 one that matches no labels selects all", term), "anti ok anti anti");
  options.rules = kKubernetes137;
  EXPECT_EQ(fit("only known namespaces can be selected", term), "ok ok anti ok");
  term.namespace_selector = Selector{};
  EXPECT_EQ(fit("the empty selector selects all", term), "anti ok anti anti");
}

TEST(InterAffinityTest, ToTermsAlreadyThereAnUnknownNamespaceHasNoLabels) {
  InterWorld world;
  ThreeZones(world);
  TaskShape shy = Shape(kDb, "test");
  shy.required_anti_affinity = {Term("zone", kWeb)};
  shy.required_anti_affinity[0].namespace_selector =
      Selector{{}, {{"env", RequirementOp::kNotIn, {"dev"}}}};
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
  twice.selector = Selector{{}, {{"app", RequirementOp::kIn, {"web", "web"}}}};
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

}  // namespace
}  // namespace muster::testing
