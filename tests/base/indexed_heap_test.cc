// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// IndexedHeap against a std::set under random pushes, pops, removals and key changes.
#include "lib/base/indexed_heap.h"

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

namespace muster {
namespace {

struct ByKey {
  const std::vector<int64_t>* key;
  bool operator()(uint32_t a, uint32_t b) const {
    return (*key)[a] != (*key)[b] ? (*key)[a] < (*key)[b] : a < b;
  }
};

TEST(IndexedHeapTest, TiesGoToTheSmallerId) {
  const std::vector<int64_t> key = {5, 5, 1, 5};
  IndexedHeap<ByKey> heap(ByKey{&key});
  for (uint32_t id : {3, 1, 2, 0}) heap.Push(id);
  EXPECT_EQ(heap.Top(), 2u);
  EXPECT_EQ(heap.size(), 4u);
  EXPECT_EQ(heap.Pop(), 2u);
  EXPECT_FALSE(heap.Contains(2));
  EXPECT_EQ(heap.Pop(), 0u);
  EXPECT_EQ(heap.Pop(), 1u);
  EXPECT_EQ(heap.Pop(), 3u);
  EXPECT_TRUE(heap.empty());
}

TEST(IndexedHeapTest, UpdateMovesBothWays) {
  std::vector<int64_t> key = {10, 20, 30, 40, 50};
  IndexedHeap<ByKey> heap(ByKey{&key});
  for (uint32_t id = 0; id < 5; ++id) heap.Push(id);
  key[4] = 5;
  heap.Update(4);
  EXPECT_EQ(heap.Top(), 4u);
  key[4] = 25;
  heap.Update(4);
  EXPECT_EQ(heap.Pop(), 0u);
  EXPECT_EQ(heap.Pop(), 1u);
  EXPECT_EQ(heap.Pop(), 4u);
}

TEST(IndexedHeapTest, ClearForgetsEveryId) {
  const std::vector<int64_t> key = {1, 2, 3};
  IndexedHeap<ByKey> heap(ByKey{&key});
  EXPECT_FALSE(heap.Contains(7)) << "never pushed, beyond the index";
  heap.Push(2);
  heap.Push(1);
  heap.Clear();
  EXPECT_TRUE(heap.empty());
  EXPECT_FALSE(heap.Contains(2));
  heap.Push(2);
  EXPECT_EQ(heap.Top(), 2u);
}

TEST(IndexedHeapTest, AgreesWithASortedSet) {
  constexpr uint32_t kIds = 60;
  std::vector<int64_t> key(kIds, 0);
  IndexedHeap<ByKey> heap(ByKey{&key});
  std::set<std::pair<int64_t, uint32_t>> sorted;
  uint64_t state = 11;
  for (int i = 0; i < 200000; ++i) {
    state = state * 6364136223846793005 + 1442695040888963407;
    const uint32_t id = static_cast<uint32_t>(state >> 33) % kIds;
    const int64_t value = static_cast<int64_t>(state >> 20) % 16;  // few values, many ties
    const bool inside = sorted.contains({key[id], id});
    ASSERT_EQ(heap.Contains(id), inside);
    switch ((state >> 60) % 4) {
      case 0:
      case 1:
        sorted.erase({key[id], id});
        key[id] = value;
        sorted.insert({value, id});
        if (inside) {
          heap.Update(id);
        } else {
          heap.Push(id);
        }
        break;
      case 2:
        if (inside) {
          heap.Remove(id);
          sorted.erase({key[id], id});
        }
        break;
      default:
        if (!sorted.empty()) {
          ASSERT_EQ(heap.Pop(), sorted.begin()->second);
          sorted.erase(sorted.begin());
        }
    }
    ASSERT_EQ(heap.size(), sorted.size());
    if (!sorted.empty()) {
      ASSERT_EQ(heap.Top(), sorted.begin()->second);
    }
  }
}

}  // namespace
}  // namespace muster
