// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "gtest/gtest.h"
#include "lib/base/rng.h"
#include "lib/peer/yarn/fair/order.h"
#include "lib/peer/yarn/java_order.h"

namespace muster::yarn::fair {
namespace {

constexpr Resource kOrderTotal = {8'000, 8};

bool IsFirst(Policy policy, const Sibling& a, const Sibling& b) {
  const OrderKey a_key = KeyOf(policy, a, kOrderTotal), b_key = KeyOf(policy, b, kOrderTotal);
  EXPECT_EQ(Compare(a_key, b_key), -Compare(b_key, a_key));
  return Compare(a_key, b_key) < 0;
}

TEST(FairOrder, ASiblingWithoutDemandIsLast) {
  const Sibling idle{.min = {500, 0}};
  EXPECT_TRUE(IsFirst(Policy::kFair, {.usage = {9'000, 1}, .demand = {1, 1}}, idle));
}

TEST(FairOrder, NeedyOnesAreFirst) {
  const Sibling needy{.usage = {400, 0}, .min = {500, 0}, .demand = {900, 0}};
  const Sibling needier{.usage = {300, 0}, .min = {900, 0}, .demand = {900, 0}};
  const Sibling other{.usage = {1, 0}, .demand = {900, 0}};
  EXPECT_TRUE(IsFirst(Policy::kFair, needy, other));
  EXPECT_TRUE(IsFirst(Policy::kFair, needier, needy));
}

TEST(FairOrder, UsageIsMeasuredByWeight) {
  const Sibling light{.weight = 1, .usage = {200, 0}, .demand = {900, 0}};
  const Sibling heavy{.weight = 3, .usage = {500, 0}, .demand = {900, 0}};
  const Sibling none{.weight = 0, .usage = {0, 0}, .demand = {900, 0}};
  EXPECT_TRUE(IsFirst(Policy::kFair, heavy, light));
  EXPECT_TRUE(IsFirst(Policy::kFair, light, none));
}

TEST(FairOrder, TiesGoByStartAndName) {
  EXPECT_TRUE(IsFirst(Policy::kFifo, {.usage = {9, 9}, .start_time = 1}, {.start_time = 2}));
  EXPECT_TRUE(IsFirst(Policy::kFair, {.name_order = 1}, {.name_order = 2}));
}

TEST(DrfOrder, TheDominantShareDecidesThenTheOther) {
  EXPECT_TRUE(IsFirst(Policy::kDrf, {.usage = {4'000, 3}}, {.usage = {2'000, 5}}));
  EXPECT_TRUE(IsFirst(Policy::kDrf, {.usage = {4'000, 1}}, {.usage = {4'000, 2}}));
}

TEST(DrfOrder, NeedIsThatOfTheDominantType) {
  const Sibling needy{.usage = {2'000, 5}, .min = {0, 6}};
  EXPECT_TRUE(IsFirst(Policy::kDrf, needy, {.usage = {1'000, 1}}));
  const Sibling other_type{.usage = {2'000, 5}, .min = {3'000, 0}};
  EXPECT_FALSE(IsFirst(Policy::kDrf, other_type, {.usage = {1'000, 1}}));
}

std::vector<uint32_t> All(const std::vector<OrderKey>& keys) {
  Candidates candidates;
  for (uint32_t i = 0; i < keys.size(); ++i) candidates.Add(&keys[i], i);
  std::vector<uint32_t> order;
  for (uint32_t next; candidates.Next(&next);) order.push_back(next);
  return order;
}

TEST(Candidates, VisitsAllInOrder) {
  const std::vector<OrderKey> keys = {{.second = 3}, {.second = 1}, {.second = 2}};
  EXPECT_EQ(All(keys), (std::vector<uint32_t>{1, 2, 0}));
}

// 0/0 equals everything. Then names decide, and the three below are in a cycle.
TEST(Candidates, NaNIsPlacedAsByTheTree) {
  const OrderKey a = KeyOf(Policy::kDrf, {.usage = {2'000, 1}, .name_order = 0}, kOrderTotal);
  const OrderKey nan = KeyOf(Policy::kDrf, {.weight = 0, .name_order = 1}, kOrderTotal);
  const OrderKey b = KeyOf(Policy::kDrf, {.usage = {1'000, 1}, .name_order = 2}, kOrderTotal);
  EXPECT_FALSE(nan.comparable);
  EXPECT_EQ(All({a, nan, b}), (std::vector<uint32_t>{2, 0, 1}));
  EXPECT_EQ(All({nan, a, b}), (std::vector<uint32_t>{1, 0, 2}));
}

TEST(TreeOrder, IsASortForAnOrder) {
  Rng rng(7);
  for (int round = 0; round < 500; ++round) {
    std::vector<uint64_t> values(rng.Below(40));
    for (uint64_t& value : values) value = rng.Next();
    const auto compare = [&](size_t a, size_t b) {
      return values[a] < values[b] ? -1 : (values[a] > values[b] ? 1 : 0);
    };
    const std::vector<size_t> order = TreeOrder(values.size(), compare);
    EXPECT_EQ(order.size(), values.size());
    EXPECT_TRUE(std::ranges::is_sorted(order, {}, [&](size_t i) { return values[i]; }));
  }
}

TEST(JavaHeap, EqualItemsComeOutAsTheHeapHoldsThem) {
  const auto equal = [](int, int) { return 0; };
  JavaHeap<int> heap;
  for (int i = 0; i < 5; ++i) heap.Push(i, equal);
  std::vector<int> order;
  while (!heap.empty()) order.push_back(heap.Pop(equal));
  EXPECT_EQ(order, (std::vector<int>{0, 4, 3, 2, 1}));
}

TEST(HashTableOrder, GoesBySlotThenInsertion) {
  EXPECT_EQ(HashTableOrder({5u, 3u, 19u}), (std::vector<size_t>{1, 2, 0}));
  // Twelve keys make the table grow, and 19 gets a slot of its own.
  std::vector<uint32_t> hashes = {19, 3};
  for (uint32_t i = 4; i < 14; ++i) hashes.push_back(i);
  EXPECT_EQ(HashTableOrder(hashes).front(), 1u);
  EXPECT_EQ(HashTableOrder(hashes).back(), 0u);
}

}  // namespace
}  // namespace muster::yarn::fair
