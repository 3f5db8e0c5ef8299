// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/koordinator/quota/quota_rules.h"

#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/base/rng.h"
#include "lib/peer/koordinator/quota/elastic_tree.h"

namespace muster {
namespace {

using ::testing::HasSubstr;

class QuotaRulesTest : public ::testing::Test {
 protected:
  QuotaRules Rules(const QuotaRules::Options& options = {}) {
    return QuotaRules(options, {[this](const std::string& group) { return named_.contains(group); },
                                [this](const std::string& group, const std::vector<std::string>&) {
                                  return named_.contains(group);
                                }});
  }
  std::set<std::string> named_;  // groups that tasks name
};

QuotaEdit Parent(std::string name, int64_t max, int64_t min) {
  return {.name = std::move(name), .is_parent = true, .max = {{"cpu", max}}, .min = {{"cpu", min}}};
}

QuotaEdit Child(std::string name, std::string parent, int64_t max, int64_t min) {
  return {.name = std::move(name),
          .parent = std::move(parent),
          .max = {{"cpu", max}},
          .min = {{"cpu", min}}};
}

TEST_F(QuotaRulesTest, ATreeIsLoadedAsItIs) {
  QuotaRules rules = Rules();
  rules.Load(Child("c", "p", 5, 9));  // above its maximum, and its parent is to come
  rules.Load({.name = "s", .parent = "p", .namespaces = {"blue", "red"}});
  EXPECT_EQ(rules.Add(Child("d", "p", 5, 5)).message(),
            "quota \"d\": parent-exists: there is no \"p\"");
  rules.Load(Parent("p", 100, 10));
  EXPECT_EQ(rules.Remove(Parent("p", 100, 10)).message(), "quota \"p\": no-children: it has some");
  EXPECT_EQ(rules.Add(Child("d", "p", 5, 5)).message(),
            "quota \"d\": min-within-parent: cpu of \"p\" does not cover its children's");
  rules.Load({.name = "s", .parent = "q", .namespaces = {"red"}});
  EXPECT_EQ(rules.GroupOf({.name_space = "red"}), "s");
  EXPECT_EQ(rules.GroupOf({.name_space = "blue"}), kDefaultQuota);
  rules.Unload("c");
  rules.Unload("nobody");
  EXPECT_TRUE(rules.Add(Child("d", "p", 5, 5)).ok());
  rules.Unload("s");
  EXPECT_EQ(rules.GroupOf({.name_space = "red"}), kDefaultQuota);
}

TEST_F(QuotaRulesTest, RulesAloneNameWhatTheyMiss) {
  using Rule = QuotaRules::Rule;
  QuotaRules rules = Rules();
  rules.Load(Parent("p", 100, 10));
  const QuotaEdit fits = Child("c", "p", 100, 10), orphan = Child("c", "q", 100, 10);
  for (Rule rule :
       {Rule::kAlone, Rule::kKind, Rule::kTree, Rule::kParent, Rule::kResources, Rule::kMinimums}) {
    EXPECT_TRUE(rules.Check(rule, nullptr, fits).ok());
  }
  for (Rule rule : {Rule::kParent, Rule::kResources, Rule::kMinimums}) {
    EXPECT_THAT(std::string(rules.Check(rule, nullptr, orphan).message()),
                HasSubstr("parent-exists"));
  }
  QuotaEdit parent = fits;
  parent.is_parent = true;
  named_.insert("c");
  EXPECT_THAT(std::string(rules.Check(Rule::kKind, &fits, parent).message()),
              HasSubstr("leaf-while-tasks"));
  QuotaEdit other = fits;
  other.tree = "t";
  EXPECT_THAT(std::string(rules.Check(Rule::kTree, &fits, other).message()),
              HasSubstr("tree-fixed"));
}

TEST_F(QuotaRulesTest, TasksBelongToLeaves) {
  QuotaRules rules = Rules(), open = Rules({.parents_take_tasks = true});
  for (QuotaRules* each : {&rules, &open}) {
    each->Load(Parent("p", 100, 10));
    each->Load(Child("c", "p", 100, 10));
  }
  EXPECT_EQ(rules.CheckTask(nullptr, {.group = "p"}).message(),
            "quota \"p\": tasks-in-leaves: it is a parent");
  EXPECT_TRUE(open.CheckTask(nullptr, {.group = "p"}).ok());
  EXPECT_TRUE(rules.CheckTask(nullptr, {.group = "c"}).ok());
  EXPECT_TRUE(rules.CheckTask(nullptr, {.group = "unknown"}).ok());
  EXPECT_EQ(rules.GroupOf({.group = "unknown", .name_space = "c"}), kDefaultQuota);
  EXPECT_EQ(rules.GroupOf({.name_space = "c"}), "c");
  const QuotaTaskEdit before{.group = "c"}, after{.group = "c", .preemptible = false};
  EXPECT_THAT(std::string(rules.CheckTask(&before, after).message()),
              HasSubstr("preemptible-fixed"));
}

TEST_F(QuotaRulesTest, EachRuleRefusesByItsName) {
  QuotaRules rules = Rules();
  ASSERT_TRUE(rules.Add(Parent("p", 100, 50)).ok());
  ASSERT_TRUE(rules.Add(Child("c", "p", 100, 30)).ok());
  const auto added = [&](const QuotaEdit& quota) {
    return std::string(rules.Add(quota).message());
  };
  EXPECT_EQ(added(Child("c", "p", 1, 1)), "quota \"c\": name-unique: it exists already");
  EXPECT_EQ(added(Child("d", "p", -1, 0)), "quota \"d\": not-negative: max of cpu is -1");
  EXPECT_EQ(added(Child("d", "p", 5, 6)), "quota \"d\": min-within-max: cpu 6 is above 5");
  EXPECT_EQ(added({.name = "d", .parent = "p", .min = {{"cpu", 1}}}),
            "quota \"d\": min-within-max: cpu has a minimum and no maximum");
  EXPECT_EQ(added({.name = "d",
                   .parent = "p",
                   .max = {{"cpu", 1}},
                   .used = {{"cpu", 2}},
                   .strict_keys = {"cpu"}}),
            "quota \"d\": max-covers-use: cpu: 2 in use");
  EXPECT_EQ(added(Child("d", "q", 5, 5)), "quota \"d\": parent-exists: there is no \"q\"");
  EXPECT_EQ(added(Child("d", "c", 5, 5)), "quota \"d\": parent-is-parent: \"c\" is none");
  EXPECT_THAT(added({.name = "d", .parent = "p", .max = {{"gpu", 1}}}),
              HasSubstr("same-resources"));
  EXPECT_THAT(added(Child("d", "p", 100, 21)), HasSubstr("min-within-parent: cpu of \"p\""));
  QuotaEdit other_tree = Child("d", "p", 100, 20);
  other_tree.tree = "t";
  EXPECT_EQ(added(other_tree), "quota \"d\": tree-of-parent: that is \"\"");
  EXPECT_TRUE(rules.Add(Child("d", "p", 100, 20)).ok());
  EXPECT_EQ(std::string(rules.Update(Parent("p", 100, 50), Parent("p", 100, 49)).message()),
            "quota \"p\": min-covers-children: cpu does not cover its children's");
  EXPECT_EQ(rules.Remove(Parent("p", 100, 50)).message(), "quota \"p\": no-children: it has some");
  EXPECT_THAT(std::string(rules.Update(Parent("p", 1, 1), Child("p", "", 100, 50)).message()),
              HasSubstr("parent-while-children"));
  named_ = {"c"};
  EXPECT_EQ(rules.Remove(Child("c", "p", 1, 1)).message(), "quota \"c\": no-tasks: it has some");
  QuotaEdit grown = Child("c", "p", 100, 30);
  grown.is_parent = true;
  EXPECT_THAT(std::string(rules.Update(Child("c", "p", 100, 30), grown).message()),
              HasSubstr("leaf-while-tasks"));
  EXPECT_THAT(std::string(rules.Remove({.name = "koordinator-default-quota"}).message()),
              HasSubstr("not-built-in"));
}

TEST_F(QuotaRulesTest, NamespacesBelongToOneGroup) {
  QuotaRules rules = Rules();
  QuotaEdit a = Child("a", "", 1, 1), b = Child("b", "", 1, 1);
  a.namespaces = b.namespaces = {"ns"};
  ASSERT_TRUE(rules.Add(a).ok());
  EXPECT_EQ(rules.Add(b).message(), "quota \"b\": namespace-free: \"ns\" belongs to \"a\"");
  ASSERT_TRUE(rules.Remove(a).ok());
  EXPECT_TRUE(rules.Add(b).ok());
}

TEST_F(QuotaRulesTest, AGuaranteeIsLookedForAbove) {
  QuotaRules rules = Rules({.guarantee_usage = true});
  QuotaEdit root = Parent("r", 100, 100);
  root.tree = "t";
  root.is_tree_root = true;
  root.guaranteed = {{"cpu", 40}};
  ASSERT_TRUE(rules.Add(root).ok());
  QuotaEdit child = Child("c", "r", 100, 41);
  child.tree = "t";
  EXPECT_THAT(std::string(rules.Add(child).message()), HasSubstr("min-guaranteed"));
  root.guaranteed = {{"cpu", 100}};
  ASSERT_TRUE(rules.Update({}, root).ok());
  EXPECT_TRUE(rules.Add(child).ok());
}

TEST_F(QuotaRulesTest, CompletesWhatIsNotSaid) {
  QuotaRules rules = Rules();
  QuotaEdit parent = Parent("p", 10, 5);
  parent.tree = "t";
  ASSERT_TRUE(rules.Add(parent).ok());
  QuotaEdit child = Child("c", "p", 10, 5);
  child.weight = QuotaEdit::Amounts{{"gpu", 3}};
  ASSERT_TRUE(rules.Complete(&child).ok());
  EXPECT_EQ(child.tree, "t");
  EXPECT_EQ(*child.weight, (QuotaEdit::Amounts{{"cpu", 10}}));
}

bool InCircle(const std::map<std::string, QuotaEdit>& groups, const QuotaEdit& quota) {
  for (std::string up = quota.parent; groups.contains(up); up = groups.at(up).parent) {
    if (up == quota.name) return true;
  }
  return false;
}

// All answers of the rules to a fixed set of edits.
std::vector<std::string> AllAnswers(const QuotaRules& rules) {
  using Rule = QuotaRules::Rule;
  std::vector<std::string> answers;
  const auto ask = [&](const QuotaEdit* old, const QuotaEdit& quota) {
    for (Rule rule : {Rule::kAlone, Rule::kKind, Rule::kTree, Rule::kParent, Rule::kResources,
                      Rule::kMinimums, Rule::kGuarantee}) {
      answers.emplace_back(rules.Check(rule, old, quota).message());
    }
  };
  for (int g = 0; g < 8; ++g) {
    const std::string name = absl::StrCat("g", g);
    // As a leaf, a parent that promises nothing, and the parent of a newcomer.
    ask(nullptr, Child(name, absl::StrCat("g", (g + 1) % 8), 40, 12));
    ask(nullptr, Parent(name, 40, 0));
    ask(nullptr, Child("new", name, 40, 1));
    const auto known = rules.groups().find(name);
    if (known == rules.groups().end()) continue;
    const QuotaEdit old = known->second;
    ask(&old, Child(name, old.parent, 40, old.min.at("cpu") + 1));
    ask(&old, old);
  }
  return answers;
}

// What was accepted holds together, counted from scratch after each edit; what was refused changed
// nothing.
TEST_F(QuotaRulesTest, RandomEditsKeepTheTreeSound) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    Rng rng(seed);
    QuotaRules rules = Rules();
    std::map<std::string, QuotaEdit> groups;
    int accepted = 0, refused = 0;
    for (int step = 0; step < 90; ++step) {
      QuotaEdit quota = Child(
          absl::StrCat("g", rng.Below(8)), rng.Chance(0.4) ? "" : absl::StrCat("g", rng.Below(8)),
          static_cast<int64_t>(rng.Below(40)), static_cast<int64_t>(rng.Below(25)));
      quota.is_parent = rng.Chance(0.6);
      const int before = accepted;
      if (rng.Chance(0.2)) {
        if (rules.Remove(quota).ok()) accepted += static_cast<int>(groups.erase(quota.name));
      } else if (groups.contains(quota.name)) {
        // The rules do not look for circles, as the peer's do not; the tree itself refuses them.
        if (InCircle(groups, quota)) continue;
        if (rules.Update(groups[quota.name], quota).ok()) {
          groups[quota.name] = quota;
          ++accepted;
        }
      } else if (rules.Add(quota).ok()) {
        groups[quota.name] = quota;
        ++accepted;
      }
      if (accepted == before) {
        ++refused;
        QuotaRules anew = Rules();
        for (const auto& [name, group] : groups) anew.Load(group);
        ASSERT_EQ(rules.groups(), groups) << seed;
        ASSERT_EQ(AllAnswers(rules), AllAnswers(anew)) << seed << ": " << step;
      }
      std::map<std::string, int64_t> minimums;
      for (const auto& [name, group] : groups) {
        ASSERT_LE(group.min.at("cpu"), group.max.at("cpu"));
        if (group.parent.empty()) continue;
        ASSERT_TRUE(groups.contains(group.parent)) << seed;
        ASSERT_TRUE(groups[group.parent].is_parent) << seed;
        minimums[group.parent] += group.min.at("cpu");
      }
      for (const auto& [name, sum] : minimums) ASSERT_LE(sum, groups[name].min.at("cpu")) << seed;
    }
    EXPECT_GT(accepted, 10) << seed;
    EXPECT_GT(refused, 10) << seed;
  }
}

}  // namespace
}  // namespace muster
