// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/base/gnu_sort.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "lib/base/rng.h"

namespace muster {
namespace {

using Item = std::pair<uint64_t, int>;  // a key, and the place that it came from

bool KeyLess(const Item& a, const Item& b) { return a.first < b.first; }

std::vector<Item> Sorted(std::vector<Item> list) {
  GnuSort(&list, KeyLess);
  return list;
}

TEST(GnuSort, KeepsTheOrderOfUpToSixteenEquals) {
  std::vector<Item> list;
  for (int i = 0; i < 16; ++i) list.emplace_back(i % 2, i);
  const std::vector<Item> sorted = Sorted(list);
  std::ranges::stable_sort(list, KeyLess);
  EXPECT_EQ(sorted, list);
}

// Seventeen equals, as GNU's library leaves them.
TEST(GnuSort, MovesMoreEqualsAsTheLibraryDoes) {
  std::vector<Item> list;
  for (int i = 0; i < 17; ++i) list.emplace_back(0, i);
  std::vector<int> places;
  for (const Item& item : Sorted(list)) places.push_back(item.second);
  EXPECT_EQ(places, (std::vector<int>{8, 16, 15, 14, 13, 12, 11, 10, 9, 0, 7, 6, 5, 4, 3, 2, 1}));
}

TEST(GnuSort, SortsListsOfAllShapes) {
  Rng rng(5);
  for (int round = 0; round < 2'000; ++round) {
    const size_t size = rng.Below(300), keys = 1 + rng.Below(40);
    std::vector<Item> list;
    for (size_t i = 0; i < size; ++i) {
      const uint64_t key = round % 3 == 0 ? i : round % 3 == 1 ? rng.Below(keys) : size - i;
      list.emplace_back(key, static_cast<int>(i));
    }
    std::vector<Item> sorted = Sorted(list);
    ASSERT_TRUE(std::ranges::is_sorted(sorted, KeyLess));
    std::ranges::sort(sorted);
    std::ranges::sort(list);
    ASSERT_EQ(sorted, list) << "an element was lost";
  }
}

// What is read of a list that is sorted from the front is what sorting all of it leaves there.
TEST(GnuSorted, HasTheSameAtTheFront) {
  Rng rng(11);
  for (int round = 0; round < 2'000; ++round) {
    const size_t size = 1 + rng.Below(400), keys = 1 + rng.Below(30);
    std::vector<Item> list;
    for (size_t i = 0; i < size; ++i) {
      const uint64_t key = round % 7 == 0 ? (i < size / 2 ? i : size - i) : rng.Below(keys);
      list.emplace_back(key, static_cast<int>(i));
    }
    const std::vector<Item> expected = Sorted(list);
    GnuSorted sorted(list, KeyLess);
    ASSERT_EQ(sorted.size(), size);
    for (size_t i = 0, read = rng.Below(size); i <= read; ++i) {
      ASSERT_EQ(sorted[i], expected[i]) << "round " << round;
    }
    ASSERT_EQ(std::move(sorted).Take(), expected) << "round " << round;
  }
}

// The front of a long list takes a fraction of the comparisons.
TEST(GnuSorted, SortsNoMoreThanIsRead) {
  Rng rng(13);
  std::vector<uint64_t> list;
  for (int i = 0; i < 10'000; ++i) list.push_back(rng.Below(64));
  int64_t compared = 0;
  GnuSorted sorted(list, [&compared](uint64_t a, uint64_t b) {
    ++compared;
    return a < b;
  });
  EXPECT_EQ(sorted[0], 0u);
  EXPECT_LT(compared, 40'000);
  EXPECT_EQ(std::move(sorted).Take().back(), 63u);
  EXPECT_GT(compared, 100'000);
}

#ifdef __GLIBCXX__
TEST(GnuSort, IsThatOfTheLibraryItself) {
  Rng rng(7);
  for (int round = 0; round < 5'000; ++round) {
    const size_t size = rng.Below(400), keys = 1 + rng.Below(30);
    std::vector<Item> list;
    for (size_t i = 0; i < size; ++i) {
      // Every seventh list rises and falls, which divides badly enough for the heap.
      const uint64_t key = round % 7 == 0 ? (i < size / 2 ? i : size - i) : rng.Below(keys);
      list.emplace_back(key, static_cast<int>(i));
    }
    std::vector<Item> expected = list;
    std::sort(expected.begin(), expected.end(), KeyLess);
    ASSERT_EQ(Sorted(list), expected) << "round " << round;
  }
}
#endif

}  // namespace
}  // namespace muster
