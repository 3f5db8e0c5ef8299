// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/koordinator/quota/elastic_tree.h"

#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "lib/base/rng.h"
#include "lib/reference/peer/koordinator/elastic_quota.h"
#include "tests/support/quota_amounts.h"

namespace muster {
namespace {

constexpr int64_t kTreeMost = std::numeric_limits<int64_t>::max();

void Ask(ElasticTree& tree, const std::string& group, const std::string& task, int64_t cpu,
         bool assigned = false) {
  ASSERT_TRUE(tree.AddTask(group, {.name = task, .request = Cpu(cpu), .assigned = assigned}).ok());
}

// Koordinator's example of groups that do not lend.
TEST(ElasticTree, KeepsMinimumsThatAreNotLent) {
  ElasticTree tree({});
  ASSERT_TRUE(tree.AddTotal(Cpu(100)).ok());
  ASSERT_TRUE(
      tree.Put({.name = "p", .is_parent = true, .lends = false, .max = Cpu(200), .min = Cpu(60)})
          .ok());
  for (const char* name : {"c1", "c2"}) {
    ASSERT_TRUE(
        tree.Put({.name = name, .parent = "p", .lends = false, .max = Cpu(200), .min = Cpu(20)})
            .ok());
  }
  const auto runtimes = [&] {
    return std::vector<int64_t>{CpuOf(tree.Refresh("p")), CpuOf(tree.Refresh("c1")),
                                CpuOf(tree.Refresh("c2"))};
  };
  EXPECT_EQ(runtimes()[1], 20);
  EXPECT_EQ(runtimes()[2], 20);
  Ask(tree, "c1", "t1", 60);
  EXPECT_EQ(runtimes(), (std::vector<int64_t>{80, 60, 20}));
  Ask(tree, "c1", "t2", 20);
  EXPECT_EQ(runtimes(), (std::vector<int64_t>{100, 80, 20}));
}

TEST(ElasticTree, AParentSeesNoMoreThanTheMaximum) {
  ElasticTree tree({});
  ASSERT_TRUE(tree.AddTotal(Cpu(350)).ok());
  ASSERT_TRUE(tree.Put({.name = "p", .is_parent = true, .max = Cpu(300)}).ok());
  ASSERT_TRUE(tree.Put({.name = "c", .parent = "p", .max = Cpu(500)}).ok());
  Ask(tree, "c", "t", 400);
  EXPECT_EQ(CpuOf(tree.Refresh("c")), 300);
  EXPECT_EQ(tree.Find("p")->request.at(0), 400);
  EXPECT_EQ(tree.Find(kRootQuota)->request.at(0), 300);
}

TEST(ElasticTree, MinimumsShrinkWithTheTotal) {
  ElasticTree tree({});
  for (const char* name : {"a", "b", "c"}) {
    ASSERT_TRUE(tree.Put({.name = name, .max = Cpu(1000000), .min = Cpu(100000)}).ok());
    Ask(tree, name, name, 100000);
  }
  ASSERT_TRUE(tree.AddTotal(Cpu(200000)).ok());
  for (int round = 0; round < 2; ++round) {
    for (const char* name : {"a", "b", "c"}) tree.Refresh(name);
  }
  EXPECT_EQ(tree.Find("a")->scaled_min.at(0), 66666);
  EXPECT_EQ(CpuOf(tree.Refresh("a")), 66667);
  EXPECT_EQ(CpuOf(tree.Refresh("b")), 66667);
  EXPECT_EQ(CpuOf(tree.Refresh("c")), 66666);
}

TEST(ElasticTree, WhatTheBuiltInGroupsUseIsNotHandedOut) {
  ElasticTree tree({.default_max = Cpu(kTreeMost)});
  ASSERT_TRUE(tree.AddTotal(Cpu(100)).ok());
  ASSERT_TRUE(tree.Put({.name = "a", .max = Cpu(kTreeMost)}).ok());
  Ask(tree, "a", "t", 500);
  Ask(tree, std::string(kDefaultQuota), "d", 30, /*assigned=*/true);
  EXPECT_EQ(CpuOf(tree.Refresh("a")), 70);
  EXPECT_EQ(CpuOf(tree.Refresh(kRootQuota)), 70);
}

TEST(ElasticTree, ReservingTwiceCountsOnce) {
  ElasticTree tree({});
  ASSERT_TRUE(tree.Put({.name = "a", .max = Cpu(100)}).ok());
  const QuotaTask task{.name = "t", .request = Cpu(8), .preemptible = false};
  ASSERT_TRUE(tree.Reserve("a", task).ok());  // not there yet
  EXPECT_TRUE(tree.Find("a")->used.IsZero());
  ASSERT_TRUE(tree.AddTask("a", task).ok());
  ASSERT_TRUE(tree.AddTask("a", task).ok());
  ASSERT_TRUE(tree.Reserve("a", task).ok());
  ASSERT_TRUE(tree.Reserve("a", task).ok());
  EXPECT_EQ(tree.Find("a")->used.at(0), 8);
  EXPECT_EQ(tree.Find("a")->fixed_used.at(0), 8);
  EXPECT_EQ(tree.Find(kRootQuota)->request.at(0), 8);
  ASSERT_TRUE(tree.Unreserve("a", task).ok());
  ASSERT_TRUE(tree.RemoveTask("a", task).ok());
  EXPECT_TRUE(tree.Find("a")->used.IsZero());
  EXPECT_TRUE(tree.Find("a")->request.IsZero());
}

TEST(ElasticTree, GuaranteesWhatIsInUse) {
  ElasticTree tree({.guarantee_usage = true});
  ASSERT_TRUE(tree.AddTotal(Cpu(100)).ok());
  ASSERT_TRUE(tree.Put({.name = "p", .is_parent = true, .max = Cpu(100), .min = Cpu(10)}).ok());
  ASSERT_TRUE(tree.Put({.name = "a", .parent = "p", .max = Cpu(100), .min = Cpu(5)}).ok());
  Ask(tree, "a", "t", 40, /*assigned=*/true);
  EXPECT_EQ(tree.Find("a")->allocated.at(0), 40);
  EXPECT_EQ(tree.Find("a")->guaranteed.at(0), 40);
  EXPECT_EQ(tree.Find("p")->guaranteed.at(0), 40);
}

TEST(ElasticTree, RefusesWhatWouldNotBeATree) {
  ElasticTree tree({});
  ASSERT_TRUE(tree.Put({.name = "p", .is_parent = true, .max = Cpu(9)}).ok());
  ASSERT_TRUE(tree.Put({.name = "c", .parent = "p", .is_parent = true, .max = Cpu(9)}).ok());
  const auto refusal = [&](const QuotaGroup& group) {
    return std::string(tree.Put(group).message());
  };
  EXPECT_EQ(refusal({.name = "x", .parent = "y"}), "quota \"x\": parent \"y\" does not exist");
  EXPECT_EQ(refusal({.name = "p", .parent = "c"}), "quota \"p\": parent \"c\" is below it");
  EXPECT_EQ(refusal({.name = ""}), "quota \"\": a name is required");
  EXPECT_EQ(refusal({.name = std::string(kRootQuota)}),
            "quota \"koordinator-root-quota\": is built in");
  EXPECT_EQ(refusal({.name = "x", .max = {{"cpu", 1}, {"cpu", 2}}}),
            "quota \"x\": resource \"cpu\" is named twice");
  EXPECT_EQ(tree.Remove("p").message(), "quota \"p\": has children");
  EXPECT_EQ(tree.Remove("q").message(), "quota \"q\": does not exist");
  NamedAmounts many;
  for (int i = 0; i < 65; ++i) many.emplace_back(absl::StrCat("r", i), 1);
  EXPECT_EQ(refusal({.name = "x", .max = many}), "quota \"x\": resource \"r63\": 64 are the most");
  EXPECT_FALSE(tree.Find("x").has_value());
}

TEST(ElasticTree, RefusesAmountsBelowZero) {
  ElasticTree tree({});
  ASSERT_TRUE(tree.Put({.name = "a", .max = Cpu(9), .min = Cpu(3), .weight = Cpu(2)}).ok());
  EXPECT_EQ(tree.Put({.name = "a", .max = Cpu(-1)}).message(),
            "quota \"a\": max must not be below zero");
  EXPECT_EQ(tree.Put({.name = "a", .max = Cpu(9), .min = Cpu(-3)}).message(),
            "quota \"a\": min must not be below zero");
  EXPECT_EQ(tree.Put({.name = "a", .max = Cpu(9), .weight = Cpu(-2)}).message(),
            "quota \"a\": weight must not be below zero");
  EXPECT_EQ(tree.Find("a")->weight.at(0), 2);  // as it was
}

TEST(ElasticTree, WeightsOfZero) {
  ElasticTree tree({});
  ASSERT_TRUE(tree.AddTotal(Cpu(100)).ok());
  // All of it zero is as if unset; some of it is meant.
  ASSERT_TRUE(tree.Put({.name = "a", .max = Cpu(300), .weight = Cpu(0)}).ok());
  ASSERT_TRUE(tree.Put({.name = "b", .max = Cpu(100)}).ok());
  ASSERT_TRUE(tree.Put({.name = "c",
                        .max = {{"cpu", 100}, {"gpu", 1}},
                        .min = Cpu(20),
                        .weight = NamedAmounts{{"cpu", 0}, {"gpu", 1}}})
                  .ok());
  for (const char* name : {"a", "b", "c"}) Ask(tree, name, name, 100);
  EXPECT_EQ(CpuOf(tree.Refresh("a")), 60);
  EXPECT_EQ(CpuOf(tree.Refresh("b")), 20);
  EXPECT_EQ(CpuOf(tree.Refresh("c")), 20);
}

TEST(ElasticTree, MinimumsAboveEverything) {
  ElasticTree tree({});
  ASSERT_TRUE(tree.AddTotal(Cpu(90)).ok());
  // Above its own maximum: what it requests is cut there, and it need not lend the rest.
  ASSERT_TRUE(tree.Put({.name = "a", .max = Cpu(10), .min = Cpu(60)}).ok());
  ASSERT_TRUE(tree.Put({.name = "p", .is_parent = true, .max = Cpu(80), .min = Cpu(30)}).ok());
  // Above the parent's together: they shrink to what it has.
  ASSERT_TRUE(tree.Put({.name = "x", .parent = "p", .max = Cpu(80), .min = Cpu(60)}).ok());
  ASSERT_TRUE(tree.Put({.name = "y", .parent = "p", .max = Cpu(80), .min = Cpu(60)}).ok());
  Ask(tree, "a", "t", 50);
  Ask(tree, "x", "t", 80);
  Ask(tree, "y", "t", 80);
  tree.RefreshAll();
  EXPECT_EQ(CpuOf(tree.Refresh("a")), 10);
  EXPECT_EQ(CpuOf(tree.Refresh("p")), 80);
  EXPECT_EQ(CpuOf(tree.Refresh("x")), 40);
  EXPECT_EQ(CpuOf(tree.Refresh("y")), 40);
}

TEST(ElasticTree, TotalsBelowWhatIsUsedAndResourcesThatNoNodeHas) {
  ElasticTree tree({});
  ASSERT_TRUE(tree.AddTotal(Cpu(100)).ok());
  ASSERT_TRUE(
      tree.Put({.name = "a", .max = {{"cpu", 100}, {"gpu", 8}}, .min = {{"cpu", 40}, {"gpu", 4}}})
          .ok());
  Ask(tree, "a", "t", 80, /*assigned=*/true);
  ASSERT_TRUE(tree.AddTask("a", {.name = "g", .request = {{"gpu", 2}}}).ok());
  EXPECT_EQ(tree.Refresh("a"), (NamedAmounts{{"cpu", 80}, {"gpu", 2}}));
  ASSERT_TRUE(tree.AddTotal(Cpu(-90)).ok());
  EXPECT_EQ(CpuOf(tree.Refresh("a")), 10);
  EXPECT_EQ(tree.Find("a")->used.at(0), 80);
  ASSERT_TRUE(tree.AddTotal(Cpu(-90)).ok());
  EXPECT_EQ(CpuOf(tree.Refresh("a")), 0);
  EXPECT_EQ(CpuOf(tree.Refresh(kRootQuota)), -80);
}

TEST(ElasticTree, AdmitsWithinTheRuntimeAndFixedTasksWithinTheMinimum) {
  ElasticTree tree({});
  ASSERT_TRUE(tree.AddTotal(Cpu(100)).ok());
  ASSERT_TRUE(tree.Put({.name = "p", .is_parent = true, .max = Cpu(60), .min = Cpu(40)}).ok());
  ASSERT_TRUE(tree.Put({.name = "a", .parent = "p", .max = Cpu(50), .min = Cpu(20)}).ok());
  ASSERT_TRUE(tree.Put({.name = "b", .parent = "p", .max = Cpu(50), .min = Cpu(20)}).ok());
  Ask(tree, "b", "t", 40, /*assigned=*/true);
  Ask(tree, "a", "t", 15);
  using Verdict = ElasticTree::Admission::Verdict;
  const auto admit = [&](const char* group, int64_t cpu, bool preemptible,
                         ElasticTree::AdmitOptions options = {}) {
    return tree.Admit(tree.IndexOf(group), *tree.Intern(Cpu(cpu)), preemptible, options);
  };
  EXPECT_EQ(admit("a", 15, true).verdict, Verdict::kFits);
  EXPECT_EQ(admit("a", 16, true).verdict, Verdict::kAboveRuntime);
  EXPECT_EQ(admit("a", 16, true, {.by_max = true}).verdict, Verdict::kFits);
  EXPECT_EQ(admit("a", 51, true, {.by_max = true}).verdict, Verdict::kAboveRuntime);
  Ask(tree, "a", "u", 10);
  EXPECT_EQ(admit("a", 20, false).verdict, Verdict::kFits);
  ASSERT_TRUE(
      tree.AddTask("a", {.name = "f", .request = Cpu(1), .assigned = true, .preemptible = false})
          .ok());
  EXPECT_EQ(admit("a", 20, false).verdict, Verdict::kAboveMin);
  // b's 40 are more than what is right for it now; above, 41 of 60 are taken.
  EXPECT_EQ(admit("a", 19, true, {.by_max = true, .asks_parents = true}).verdict, Verdict::kFits);
  const auto above = admit("a", 20, true, {.by_max = true, .asks_parents = true});
  EXPECT_EQ(above.verdict, Verdict::kAboveRuntime);
  EXPECT_EQ(tree.name(above.group), "p");
  EXPECT_EQ(tree.resource(above.resource), "cpu");
}

TEST(ElasticTree, SumsDoNotWrap) {
  ElasticTree tree({});
  ASSERT_TRUE(tree.AddTotal(Cpu(kTreeMost)).ok());
  ASSERT_TRUE(tree.AddTotal(Cpu(kTreeMost)).ok());
  for (const char* name : {"a", "b"}) {
    ASSERT_TRUE(tree.Put({.name = name, .max = Cpu(kTreeMost), .min = Cpu(kTreeMost)}).ok());
    Ask(tree, name, name, kTreeMost, /*assigned=*/true);
  }
  EXPECT_GE(CpuOf(tree.Refresh("a")), 0);
  EXPECT_EQ(tree.Find(kRootQuota)->used.at(0), kTreeMost);
}

TEST(ElasticTree, WhatIsPastTheEndComesBackExactly) {
  ElasticTree tree({});
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(tree.AddTotal(Cpu(kTreeMost)).ok());
  ASSERT_TRUE(tree.Put({.name = "p", .is_parent = true, .max = Cpu(kTreeMost)}).ok());
  for (const char* name : {"a", "b"}) {
    ASSERT_TRUE(
        tree.Put(
                {.name = name, .parent = "p", .max = Cpu(kTreeMost), .min = Cpu(kTreeMost / 2 + 1)})
            .ok());
  }
  const auto fixed = [&](const char* name, int64_t cpu) {
    return QuotaTask{.name = name, .request = Cpu(cpu), .assigned = true, .preemptible = false};
  };
  ASSERT_TRUE(tree.AddTask("a", fixed("1", kTreeMost)).ok());
  ASSERT_TRUE(tree.AddTask("a", fixed("2", kTreeMost)).ok());
  ASSERT_TRUE(tree.AddTask("a", fixed("3", 7)).ok());
  ASSERT_TRUE(tree.AddTask("b", fixed("4", 5)).ok());
  EXPECT_EQ(tree.Find("a")->used.at(0), kTreeMost);
  EXPECT_EQ(tree.Find("p")->fixed_used.at(0), kTreeMost);
  // Full, although what shows is not above the maximum.
  const Sparse none = *tree.Intern(Cpu(0));
  EXPECT_EQ(tree.Admit(tree.IndexOf("a"), none, true, {.by_max = true}).verdict,
            ElasticTree::Admission::Verdict::kAboveRuntime);
  // Becoming a parent and moving away set all of it anew.
  ASSERT_TRUE(
      tree.Put({.name = "p", .is_parent = true, .lends = false, .max = Cpu(kTreeMost)}).ok());
  ASSERT_TRUE(tree.Put({.name = "a", .max = Cpu(kTreeMost), .min = Cpu(1)}).ok());
  EXPECT_EQ(tree.Find("p")->used.at(0), 5);
  ASSERT_TRUE(tree.RemoveTask("a", fixed("1", kTreeMost)).ok());
  EXPECT_EQ(tree.Find("a")->used.at(0), kTreeMost);
  ASSERT_TRUE(tree.RemoveTask("a", fixed("2", kTreeMost)).ok());
  EXPECT_EQ(tree.Find("a")->used.at(0), 7);
  EXPECT_EQ(tree.Find("a")->own_fixed_used.at(0), 7);
  EXPECT_EQ(tree.Find("a")->request.at(0), 7);
  EXPECT_EQ(tree.Find(kRootQuota)->used.at(0), 12);
  EXPECT_EQ(tree.Find(kRootQuota)->fixed_request.at(0), 12);
  // The totals, too.
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(tree.AddTotal(Cpu(-kTreeMost)).ok());
  EXPECT_EQ(CpuOf(tree.Refresh(kRootQuota)), kTreeMost);
  ASSERT_TRUE(tree.AddTotal(Cpu(-kTreeMost + 3)).ok());
  EXPECT_EQ(CpuOf(tree.Refresh(kRootQuota)), 3);
}

// Requests and use of a random tree, against sums of 128 bits over the tasks that are there.
TEST(ElasticTree, SumsOfLargestAmountsAreExact) {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    Rng rng(seed);
    ElasticTree tree({});
    std::vector<size_t> parents;
    std::vector<int64_t> maxima;
    const auto name = [](size_t i) { return absl::StrCat("g", i); };
    const int64_t amounts[] = {1, 9, kTreeMost / 2, kTreeMost - 1, kTreeMost};
    for (size_t i = 0; i < 7; ++i) {
      parents.push_back(i == 0 || rng.Chance(0.3) ? i : rng.Below(i));
      maxima.push_back(amounts[2 + rng.Below(3)]);
      ASSERT_TRUE(tree.Put({.name = name(i),
                            .parent = parents[i] == i ? "" : name(parents[i]),
                            .is_parent = true,
                            .max = Cpu(maxima[i])})
                      .ok());
    }
    struct Held {
      size_t group;
      QuotaTask task;
    };
    std::vector<Held> held;
    for (int step = 0; step < 60; ++step) {
      if (!held.empty() && rng.Chance(0.45)) {
        const size_t i = rng.Below(held.size());
        ASSERT_TRUE(tree.RemoveTask(name(held[i].group), held[i].task).ok());
        held.erase(held.begin() + static_cast<ptrdiff_t>(i));
      } else {
        held.push_back({rng.Below(7),
                        {.name = absl::StrCat("t", step),
                         .request = Cpu(amounts[rng.Below(5)]),
                         .assigned = true}});
        ASSERT_TRUE(tree.AddTask(name(held.back().group), held.back().task).ok());
      }
      std::vector<__int128> request(7), used(7);
      for (const Held& one : held) {
        request[one.group] += one.task.request[0].second;
        used[one.group] += one.task.request[0].second;
      }
      for (size_t i = 7; i-- > 0;) {
        const ElasticTree::Numbers numbers = *tree.Find(name(i));
        ASSERT_TRUE(numbers.used.exact(0) == used[i]) << seed << " step " << step;
        ASSERT_TRUE(numbers.child_request.exact(0) == request[i]) << seed << " step " << step;
        if (parents[i] == i) continue;
        used[parents[i]] += used[i];
        request[parents[i]] += std::min<__int128>(request[i], maxima[i]);
      }
    }
  }
}

TEST(ElasticTree, TenThousandLevelsDeep) {
  ElasticTree tree({});
  ASSERT_TRUE(tree.AddTotal(Cpu(100)).ok());
  std::string parent;
  for (int level = 0; level < 10000; ++level) {
    const std::string name = absl::StrCat("g", level);
    ASSERT_TRUE(
        tree.Put({.name = name, .parent = parent, .is_parent = true, .max = Cpu(1000)}).ok());
    parent = name;
  }
  Ask(tree, parent, "t", 70);
  EXPECT_EQ(CpuOf(tree.Refresh(parent)), 70);
}

// --- random trees against the twin

class RandomTree {
 public:
  RandomTree(uint64_t seed, bool scale_min) : rng_(seed), tree_({.scale_min = scale_min}) {
    world_.scale_min = scale_min;
  }

  void Run() {
    const size_t groups = 1 + rng_.Below(12);
    for (size_t i = 0; i < groups; ++i) AddGroup();
    for (int step = 0; step < 12; ++step) {
      switch (rng_.Below(4)) {
        case 0: {
          const int64_t delta = 3 + static_cast<int64_t>(rng_.Below(300));
          ASSERT_TRUE(tree_.AddTotal({{"cpu", delta}, {"gpu", delta / 3}}).ok());
          world_.total["cpu"] += delta;
          world_.total["gpu"] += delta / 3;
          break;
        }
        case 1:
          RemoveTask();
          break;
        default:
          AddTask();
      }
      Compare(step);
    }
  }

 private:
  NamedAmounts Some(int64_t below, double chance) {
    NamedAmounts amounts;
    for (const char* name : {"cpu", "gpu"}) {
      if (rng_.Chance(chance)) {
        amounts.emplace_back(name, static_cast<int64_t>(rng_.Below(static_cast<uint64_t>(below))));
      }
    }
    return amounts;
  }

  void AddGroup() {
    QuotaGroup group{.name = absl::StrCat("g", rng_.Below(20), "-", world_.groups.size()),
                     .lends = rng_.Chance(0.7)};
    if (!world_.groups.empty() && rng_.Chance(0.6)) {
      group.parent = world_.groups[rng_.Below(world_.groups.size())].name;
    }
    group.is_parent = true;
    group.max = Some(200, 0.9);
    for (const auto& [name, amount] : group.max) {
      if (rng_.Chance(0.6)) group.min.emplace_back(name, amount / 2);
    }
    if (rng_.Chance(0.5))
      group.weight = NamedAmounts{{"cpu", static_cast<int64_t>(1 + rng_.Below(5))}, {"gpu", 1}};
    ASSERT_TRUE(tree_.Put(group).ok());
    // What a group that does not lend requests is told with its next request.
    const QuotaTask passing{.name = "passing", .request = {{"cpu", 1}, {"gpu", 1}}};
    ASSERT_TRUE(tree_.AddTask(group.name, passing).ok());
    ASSERT_TRUE(tree_.RemoveTask(group.name, passing).ok());
    const auto map = [](const NamedAmounts& amounts) {
      return reference::QuotaAmounts(amounts.begin(), amounts.end());
    };
    world_.groups.push_back({group.name, group.parent, group.lends, map(group.max), map(group.min),
                             map(group.weight.value_or(group.max))});
  }

  void AddTask() {
    const std::string& group = world_.groups[rng_.Below(world_.groups.size())].name;
    // Amounts that every group names: what its maximum does not name is passed over below.
    QuotaTask task{.name = absl::StrCat("t", next_++),
                   .request = {{"cpu", static_cast<int64_t>(rng_.Below(60))},
                               {"gpu", static_cast<int64_t>(rng_.Below(20))}},
                   .assigned = rng_.Chance(0.5)};
    ASSERT_TRUE(tree_.AddTask(group, task).ok());
    world_.tasks.push_back(
        {group, reference::QuotaAmounts(task.request.begin(), task.request.end()), task.assigned});
    tasks_.push_back(task);
  }

  void RemoveTask() {
    if (tasks_.empty()) return;
    const size_t i = rng_.Below(tasks_.size());
    ASSERT_TRUE(tree_.RemoveTask(world_.tasks[i].group, tasks_[i]).ok());
    tasks_.erase(tasks_.begin() + static_cast<ptrdiff_t>(i));
    world_.tasks.erase(world_.tasks.begin() + static_cast<ptrdiff_t>(i));
  }

  void Compare(int step) {
    // The tree settles once every group was refreshed after those above it stood still; or by one
    // call.
    if (step % 2 == 1) tree_.RefreshAll();
    for (size_t round = 0; step % 2 == 0 && round < world_.groups.size() + 2; ++round) {
      for (const auto& group : world_.groups) tree_.Refresh(group.name);
    }
    const auto plain = [](const reference::QuotaAmounts& amounts) {
      std::map<std::string, int64_t> some;
      for (const auto& [name, amount] : amounts) {
        if (amount != 0) some[name] = amount;
      }
      return some;
    };
    const auto named = [&](const Sparse& amounts) {
      const NamedAmounts list = tree_.Named(amounts);
      return plain({list.begin(), list.end()});
    };
    auto settled = reference::SettledQuota(world_);
    for (const auto& group : world_.groups) {
      const ElasticTree::Numbers numbers = *tree_.Find(group.name);
      const reference::QuotaState& right = settled[group.name];
      ASSERT_EQ(named(numbers.request), plain(right.request)) << group.name << " step " << step;
      ASSERT_EQ(named(numbers.used), plain(right.used)) << group.name << " step " << step;
      ASSERT_EQ(named(numbers.runtime), plain(right.runtime)) << group.name << " step " << step;
    }
  }

  Rng rng_;
  ElasticTree tree_;
  reference::QuotaWorld world_;
  std::vector<QuotaTask> tasks_;
  int next_ = 0;
};

TEST(ElasticTree, SettlesWhereItsTwinDoes) {
  for (uint64_t seed = 0; seed < 400; ++seed) {
    SCOPED_TRACE(seed);
    RandomTree(seed, /*scale_min=*/seed % 3 != 0).Run();
    if (HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace muster
