// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The papers' examples of DRF and H-DRF as golden numbers, what separates the forms, and trees
// against the twin.
#include "lib/peer/transwarp/drf_tree.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/base/rng.h"
#include "lib/reference/peer/transwarp/drf_tree.h"
#include "tests/support/drf_scenarios.h"

namespace muster::testing {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::Pointwise;
using Index = DrfTree::Index;

using Shape = DrfShape;

void Grow(const std::vector<Shape>& shapes, Index parent, DrfTree* tree,
          std::vector<Index>* leaves) {
  for (const Shape& shape : shapes) {
    if (!shape.task.empty()) {
      leaves->push_back(*tree->AddLeaf(
          parent, {shape.task, shape.weight, shape.tasks < 0 ? DrfTree::kNoCap : shape.tasks}));
    } else {
      Grow(shape.children, *tree->AddGroup(parent, shape.weight), tree, leaves);
    }
  }
}

// Tasks of each leaf once nothing more can start.
std::vector<int64_t> Filled(DrfForm form, const std::vector<int64_t>& capacity,
                            const std::vector<Shape>& shapes, std::string* order = nullptr) {
  DrfTree tree({.form = form}, capacity);
  std::vector<Index> leaves;
  Grow(shapes, DrfTree::kRoot, &tree, &leaves);
  while (const std::optional<Index> next = tree.Next()) {
    tree.Start(*next);
    if (order == nullptr) continue;
    const auto at = std::find(leaves.begin(), leaves.end(), *next);
    *order += static_cast<char>('A' + (at - leaves.begin()));
  }
  std::vector<int64_t> tasks;
  for (Index leaf : leaves) tasks.push_back(tree.tasks(leaf));
  return tasks;
}

TEST(Drf, ThePapersExample) {
  std::string order;
  EXPECT_THAT(Filled(DrfForm::kDynamic, {9, 18}, {User({1, 4}), User({3, 1})}, &order),
              ElementsAre(3, 2));
  EXPECT_EQ(order, "ABABA");
  EXPECT_THAT(Filled(DrfForm::kDynamic, {9, 18}, {User({1, 4}, 2), User({3, 1})}),
              ElementsAre(4, 1));
  EXPECT_THAT(Filled(DrfForm::kDynamic, {9, 18}, {User({1, 4}, 1, 2), User({3, 1})}),
              ElementsAre(2, 2));
  EXPECT_THAT(Filled(DrfForm::kDynamic, {100, 100}, {User({1, 0}), User({0, 1}), User({1, 1})}),
              ElementsAre(50, 50, 50));
  order.clear();
  EXPECT_THAT(Filled(DrfForm::kDynamic, {10, 20, 30},
                     {User({1, 2, 1}), User({1, 1, 3}), User({2, 1, 1})}, &order),
              ElementsAre(3, 3, 2));
  EXPECT_EQ(order, "ABCABABC");
  EXPECT_THAT(Filled(DrfForm::kDynamic, {100, 10000}, {User({2, 300}), User({6, 100})}),
              ElementsAre(20, 10));
}

TEST(Drf, TheListingStopsAtTheFirstMisfit) {
  const auto run = [](bool stops) {
    DrfTree tree({.stops_at_misfit = stops}, {10});
    const Index big = *tree.AddLeaf(DrfTree::kRoot, {{7}, 4});
    const Index small = *tree.AddLeaf(DrfTree::kRoot, {{1}});
    while (const auto next = tree.Next()) tree.Start(*next);
    return std::vector<int64_t>{tree.tasks(big), tree.tasks(small)};
  };
  EXPECT_THAT(run(true), ElementsAre(1, 2));  // big's turn again, and it does not fit
  EXPECT_THAT(run(false), ElementsAre(1, 3));
}

TEST(Drf, DivisibleTasks) {
  const auto near = [](std::vector<double> right) { return Pointwise(DoubleNear(1e-12), right); };
  const auto divide = [](std::vector<int64_t> capacity, std::vector<DrfUser> users) {
    return *DivideDrf(capacity, users);
  };
  EXPECT_THAT(divide({9, 18}, {{{1, 4}}, {{3, 1}}}), near({3, 2}));
  EXPECT_THAT(divide({9, 18}, {{{1, 4}, 2}, {{3, 1}}}), near({54.0 / 13, 18.0 / 13}));
  EXPECT_THAT(divide({9, 18}, {{{1, 4}, 1, 2.0}, {{3, 1}}}), near({2, 7.0 / 3}));
  EXPECT_THAT(divide({100, 100}, {{{1, 0}}, {{0, 1}}, {{1, 1}}}), near({50, 50, 50}));
  EXPECT_THAT(divide({10, 20, 30}, {{{1, 2, 1}}, {{1, 1, 3}}, {{2, 1, 1}}}),
              near({10.0 / 3, 10.0 / 3, 5.0 / 3}));
  EXPECT_THAT(divide({100, 10000}, {{{2, 300}}, {{6, 100}}}), near({20, 10}));
  EXPECT_THAT(divide({40}, {{{1}}, {{1}}, {{1}}, {{1}}}), near({10, 10, 10, 10}));
  EXPECT_THAT(divide({40, 0}, {{{1, 1}}, {{1, 0}}}), near({0, 40}));  // the second is not there
  EXPECT_FALSE(DivideDrf({1}, {{{0}}}).ok());
  EXPECT_FALSE(DivideDrf({1}, {{{1}, 0}}).ok());
}

// Each scenario by the plain sum, by rescaling alone, and by H-DRF.
TEST(HierarchicalDrf, WorkedScenarios) {
  const auto e4 = [](int64_t idle_tasks) {
    return std::vector<Shape>{
        Team({User({1}, 0.4), User({1}, 0.2), User({1}, 0.4, idle_tasks)}, 0.5), User({1}, 0.5)};
  };
  std::vector<DrfScenario> scenarios = WorkedDrfScenarios();
  scenarios.push_back(
      {"weights", {480}, e4(-1), {96, 48, 96, 240}, {96, 48, 96, 240}, {96, 48, 96, 240}});
  scenarios.push_back(
      {"an idle child", {480}, e4(0), {160, 80, 0, 240}, {320, 160, 0, 0}, {160, 80, 0, 240}});
  scenarios.push_back({"a cap",
                       {30, 30},
                       {User({1, 0}, 1, 5), Team({User({1, 0}), User({0, 1})}), User({0, 1})},
                       {5, 25, 15, 15},
                       {5, 25, 15, 15},
                       {5, 25, 15, 15}});
  for (const DrfScenario& s : scenarios) {
    EXPECT_EQ(Filled(DrfForm::kNaive, s.capacity, s.shapes), s.naive) << s.name;
    EXPECT_EQ(Filled(DrfForm::kStatic, s.capacity, s.shapes), s.static_form) << s.name;
    EXPECT_EQ(Filled(DrfForm::kDynamic, s.capacity, s.shapes), s.dynamic) << s.name;
  }
}

TEST(HierarchicalDrf, NobodyStarvesOverTime) {
  for (const auto& [form, right] : {std::pair{DrfForm::kNaive, std::vector<int64_t>{10, 10, 0}},
                                    std::pair{DrfForm::kDynamic, std::vector<int64_t>{5, 10, 5}}}) {
    DrfTree tree({.form = form}, {10, 10});
    std::vector<Index> leaves;
    Grow({User({0, 1}), Team({User({1, 0}), User({0, 1})})}, DrfTree::kRoot, &tree, &leaves);
    while (const auto next = tree.Next()) tree.Start(*next);
    for (int i = 0; i < 8 && tree.tasks(leaves[2]) > 0; ++i) {
      tree.End(leaves[2]);
      tree.Start(*tree.Next());
    }
    std::vector<int64_t> tasks;
    for (Index leaf : leaves) tasks.push_back(tree.tasks(leaf));
    EXPECT_EQ(tasks, right);
  }
}

TEST(HierarchicalDrf, Shares) {
  for (const auto& [form, team, root] :
       {std::tuple{DrfForm::kNaive, 0.9, 0.9}, std::tuple{DrfForm::kDynamic, 0.4, 0.8}}) {
    DrfTree tree({.form = form}, {10, 10});
    std::vector<Index> leaves;
    Grow({User({0, 1}), Team({User({1, 0}), User({0, 1})})}, DrfTree::kRoot, &tree, &leaves);
    const int tasks[] = {5, 9, 4};
    for (size_t i = 0; i < 3; ++i) {
      for (int n = 0; n < tasks[i]; ++n) tree.Start(leaves[i]);
    }
    EXPECT_NEAR(tree.Share(leaves[0]), 0.5, 1e-12);
    EXPECT_NEAR(tree.Share(leaves[1]), 0.9, 1e-12);
    EXPECT_NEAR(tree.Share(2), team, 1e-12);
    EXPECT_NEAR(tree.Share(DrfTree::kRoot), root, 1e-12);
  }
}

TEST(Drf, BadInput) {
  DrfTree tree({}, {10, 0});
  EXPECT_EQ(tree.AddGroup(7, 1).status().message(), "parent 7 is no group");
  EXPECT_EQ(tree.AddGroup(DrfTree::kRoot, 0).status().message(), "a weight of 0 is not above 0");
  EXPECT_FALSE(tree.AddGroup(DrfTree::kRoot, std::numeric_limits<double>::infinity()).ok());
  EXPECT_FALSE(tree.AddLeaf(DrfTree::kRoot, {{1}}).ok());
  EXPECT_FALSE(tree.AddLeaf(DrfTree::kRoot, {{0, 0}}).ok());
  EXPECT_FALSE(tree.AddLeaf(DrfTree::kRoot, {{-1, 0}}).ok());
  EXPECT_EQ(tree.Next(), std::nullopt);  // there is no leaf
  const Index nobody_has = *tree.AddLeaf(DrfTree::kRoot, {{1, 1}});
  EXPECT_EQ(tree.Next(), std::nullopt);
  EXPECT_FALSE(tree.AddLeaf(nobody_has, {{1, 0}}).ok());
  tree.End(nobody_has);  // it has none
  EXPECT_EQ(tree.tasks(nobody_has), 0);
}

TEST(Drf, TenThousandLevels) {
  DrfTree tree({}, {10});
  Index at = DrfTree::kRoot;
  for (int i = 0; i < 10'000; ++i) at = *tree.AddGroup(at, 1);
  const Index leaf = *tree.AddLeaf(at, {{1}});
  while (const auto next = tree.Next()) tree.Start(*next);
  EXPECT_EQ(tree.tasks(leaf), 10);
}

TEST(Drf, RandomTreesAgainstTheTwin) {
  using Form = reference::DrfWorld::Form;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    Rng rng(seed);
    const auto below = [&](uint64_t n) { return static_cast<int64_t>(rng.Below(n)); };
    const int form = static_cast<int>(below(3));
    reference::DrfWorld slow{.form = std::array{Form::kNaive, Form::kStatic, Form::kDynamic}[form]};
    for (int64_t r = 1 + below(2); r >= 0; --r) slow.capacity.push_back(5 + below(12));
    DrfTree fast({.form = std::array{DrfForm::kNaive, DrfForm::kStatic, DrfForm::kDynamic}[form]},
                 slow.capacity);
    slow.nodes.resize(1);
    std::vector<Index> groups = {DrfTree::kRoot}, leaves;
    for (int i = 0; i < 9; ++i) {
      const Index parent = groups[rng.Below(groups.size())];
      reference::DrfWorld::Node node{.weight = 1 + below(3), .weight_divisor = 1 + below(2)};
      const double weight =
          static_cast<double>(node.weight) / static_cast<double>(node.weight_divisor);
      if (i >= 3) {
        for (size_t r = 0; r < slow.capacity.size(); ++r) node.task.push_back(below(3));
        node.task[rng.Below(node.task.size())] += 1;
        if (rng.Chance(0.3)) node.cap = below(4);
        leaves.push_back(
            *fast.AddLeaf(parent, {node.task, weight, node.cap < 0 ? DrfTree::kNoCap : node.cap}));
      } else {
        groups.push_back(*fast.AddGroup(parent, weight));
      }
      slow.nodes[parent].children.push_back(slow.nodes.size());
      slow.nodes.push_back(node);
    }
    for (int step = 0; step < 40; ++step) {
      const std::optional<size_t> right = slow.Next();
      const std::optional<Index> next = fast.Next();
      ASSERT_EQ(next.has_value(), right.has_value()) << "seed " << seed << " step " << step;
      for (Index node = 0; node < slow.nodes.size(); ++node) {
        if (node != 0 && slow.nodes[node].task.empty() && slow.nodes[node].children.empty())
          continue;
        ASSERT_NEAR(fast.Share(node), slow.Share(node), 1e-9)
            << "seed " << seed << " node " << node;
      }
      if (next.has_value()) {
        ASSERT_EQ(*next, *right) << "seed " << seed << " step " << step;
        fast.Start(*next);
        ++slow.nodes[*next].tasks;
      }
      if (!next.has_value() || rng.Chance(0.2)) {
        const Index leaf = leaves[rng.Below(leaves.size())];
        fast.End(leaf);
        if (slow.nodes[leaf].tasks > 0) --slow.nodes[leaf].tasks;
      }
    }
  }
}

}  // namespace
}  // namespace muster::testing
