// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Unlike tasks onto unlike nodes, worked out by hand.
#include "lib/fit/gang_packing.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace muster::testing {
namespace {

// One resource; every node takes every shape.
std::string Pack(const std::vector<int64_t>& sizes, const std::vector<int64_t>& rooms,
                 const std::vector<PackTask>& tasks, const PackNeed& need, int64_t tries = 1000) {
  std::vector<PackShape> shapes;
  for (int64_t size : sizes) shapes.push_back({{size}, {size}});
  std::vector<PackNode> nodes;
  for (int64_t room : rooms) nodes.push_back({{room}, std::vector<bool>(sizes.size(), true)});
  std::string words;
  for (const PackStep& step : PackGang(shapes, nodes, tasks, need, tries)) {
    absl::StrAppend(&words, words.empty() ? "" : " ", step.task, ">", step.node);
  }
  return words;
}

TEST(GangPacking, TheLargestGoesFirst) {
  EXPECT_EQ(Pack({2, 5}, {5, 2}, {{0}, {1}}, {.all = 2}), "1>0 0>1");
}

TEST(GangPacking, GoesBackWhereItWasWrong) {
  // 4 and 3 in the first node leave 3 and 3 for the second: 4 3 | 3 2 needs the 4 to go with a 3.
  EXPECT_EQ(Pack({4, 3, 2}, {7, 5}, {{0}, {1}, {1}, {2}}, {.all = 4}), "0>0 1>0 2>1 3>1");
  EXPECT_EQ(Pack({4, 3, 2}, {6, 6}, {{0}, {1}, {1}, {2}}, {.all = 4}), "0>0 1>1 2>1 3>0");
  EXPECT_EQ(Pack({5, 4, 3}, {7, 5}, {{0}, {1}, {2}}, {.all = 3}), "0>1 1>0 2>0");
  EXPECT_EQ(Pack({5, 4, 3}, {6, 5}, {{0}, {1}, {2}}, {.all = 3}), "");
}

TEST(GangPacking, LeavesOutWhomItCanDoWithout) {
  EXPECT_EQ(Pack({9, 3}, {5}, {{0}, {1}}, {.all = 1}), "1>0");
  // One of each group, and three in all.
  EXPECT_EQ(Pack({3, 2}, {7}, {{0, 0}, {0, 0}, {1, 1}, {1, 1}}, {.all = 3, .of_group = {1, 1}}),
            "0>0 2>0 3>0");
  EXPECT_EQ(Pack({3, 2}, {4}, {{0, 0}, {1, 1}}, {.all = 1, .of_group = {0, 1}}), "1>0");
}

TEST(GangPacking, EndsWithItsTries) {
  const std::vector<PackTask> tasks = {{0}, {1}, {2}};
  EXPECT_EQ(Pack({5, 4, 3}, {7, 5}, tasks, {.all = 3}, 2), "");
  EXPECT_EQ(Pack({5, 4, 3}, {7, 5}, tasks, {.all = 3}, 10), "0>1 1>0 2>0");
  // The first way takes three tries, and only that one is there.
  EXPECT_EQ(Pack({5, 4, 3}, {5, 7}, tasks, {.all = 3}, 3), "0>0 1>1 2>1");
  EXPECT_EQ(Pack({5, 4, 3}, {5, 7}, tasks, {.all = 3}, 2), "");
}

TEST(GangPacking, AsksNodesWhatTheyTake) {
  const std::vector<PackShape> shapes = {{{1}, {1}}, {{1}, {1}}};
  const std::vector<PackNode> nodes = {{{1}, {false, true}}, {{1}, {true, false}}};
  const std::vector<PackTask> tasks = {{0}, {1}};
  const std::vector<PackStep> steps = PackGang(shapes, nodes, tasks, {.all = 2}, 10);
  ASSERT_EQ(steps.size(), 2U);
  EXPECT_EQ(steps[0].node, 1U);
  EXPECT_EQ(steps[1].node, 0U);
}

std::string Words(const std::vector<PackStep>& steps) {
  std::string words;
  for (const PackStep& step : steps) {
    absl::StrAppend(&words, words.empty() ? "" : " ", step.task, ">", step.node);
  }
  return words;
}

// A book is how many parts are left; a task of shape 0 takes one.
TEST(GangPacking, AsksWhatPartsNodesHave) {
  const auto one_less = [](size_t, uint32_t book) { return book == 0 ? kNoParts : book - 1; };
  const std::vector<PackShape> shapes = {{{1}, {1}, true}, {{1}, {1}}};
  const std::vector<PackTask> tasks = {{0}, {0}, {1}, {1}};
  const auto pack = [&](const std::vector<PackNode>& nodes, int64_t all, int64_t tries) {
    return Words(PackGang(shapes, nodes, tasks, {.all = all}, tries, one_less));
  };
  const std::vector<bool> both = {true, true};
  EXPECT_EQ(pack({{{3}, both, 1}, {{1}, both, 1}}, 4, 4), "0>0 1>1 2>0 3>0");
  // Alike but for their parts: the second one is looked at all the same, and no try is spent on the
  // first.
  EXPECT_EQ(pack({{{2}, both, 0}, {{2}, both, 2}}, 4, 4), "0>1 1>1 2>0 3>0");
  EXPECT_EQ(pack({{{4}, both, 1}, {{4}, both, 0}}, 4, 1000), "");
  // What went back gave its part back: the first way puts both with parts on the first node.
  EXPECT_EQ(pack({{{2}, both, 2}, {{2}, {true, false}, 1}}, 3, 100), "0>0 1>1 2>0");
  EXPECT_EQ(pack({{{3}, both, 2}, {{1}, {true, false}, 1}}, 4, 100), "0>0 1>1 2>0 3>0");
}

TEST(GangPacking, PartsCountInSizes) {
  std::vector<PackShape> shapes = {{{1}, {1}}, {{1}, {1}}};
  const std::vector<PackNode> nodes = {{{2}, {true, true}}};
  const std::vector<PackTask> tasks = {{0}, {1}};
  EXPECT_EQ(Words(PackGang(shapes, nodes, tasks, {.all = 2}, 10)), "0>0 1>0");
  shapes[1].size = 1;
  EXPECT_EQ(Words(PackGang(shapes, nodes, tasks, {.all = 2}, 10)), "1>0 0>0");
}

// 2,000 like tasks of one kind and one of another: the search has no depth to run out of.
TEST(GangPacking, LongGangs) {
  std::vector<PackTask> tasks(2000, PackTask{0});
  tasks.push_back({1});
  const std::string words = Pack({1, 2}, {1000, 1002}, tasks, {.all = 2001}, 5000);
  EXPECT_EQ(words.substr(0, 6), "2000>0");
  EXPECT_EQ(Pack({1, 2}, {1000, 1001}, tasks, {.all = 2001}, 5000), "");
}

}  // namespace
}  // namespace muster::testing
