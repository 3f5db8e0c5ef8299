// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// GoHeap against a hand-traced run and against recordings of Go's container/heap under comparators
// that are no order at all. A recording holds what came out and a sum over every comparison in the
// order of asking.
#include "lib/base/go_heap.h"

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

namespace muster {
namespace {

// Writes down every comparison it is requested.
struct Recorder {
  std::vector<std::pair<int, int>>* asked;
  bool operator()(int a, int b) const {
    asked->emplace_back(a, b);
    return a < b;
  }
};

using Pairs = std::vector<std::pair<int, int>>;

TEST(GoHeapTest, HandTraced) {
  Pairs asked;
  GoHeap<int, Recorder> heap(Recorder{&asked});
  heap.Push(5);
  EXPECT_EQ(asked, Pairs{});
  heap.Push(3);  // [5 3] -> [3 5]
  EXPECT_EQ(asked, (Pairs{{3, 5}}));
  heap.Push(4);  // [3 5 4]
  heap.Push(1);  // [3 5 4 1] -> [3 1 4 5] -> [1 3 4 5]
  EXPECT_EQ(asked, (Pairs{{3, 5}, {4, 3}, {1, 5}, {1, 3}}));
  EXPECT_EQ(heap.elements(), (std::vector<int>{1, 3, 4, 5}));
  asked.clear();
  EXPECT_EQ(heap.Pop(), 1);  // [5 3 4]: right 4 against left 3, then 3 against 5
  EXPECT_EQ(asked, (Pairs{{4, 3}, {3, 5}}));
  EXPECT_EQ(heap.elements(), (std::vector<int>{3, 5, 4}));
  asked.clear();
  EXPECT_EQ(heap.Pop(), 3);  // [4 5]: one child only
  EXPECT_EQ(asked, (Pairs{{5, 4}}));
  asked.clear();
  EXPECT_EQ(heap.Pop(), 4);
  EXPECT_EQ(heap.Pop(), 5);
  EXPECT_EQ(asked, Pairs{});
  EXPECT_TRUE(heap.empty());
}

// Equal elements: only a swap that a strict "less" demands happens, so the order out is not the
// order in.
TEST(GoHeapTest, TiesFollowTheSwaps) {
  const auto less = [](const std::pair<int, char>& a, const std::pair<int, char>& b) {
    return a.first < b.first;
  };
  GoHeap<std::pair<int, char>, decltype(less)> heap(less);
  for (char name : {'a', 'b', 'c', 'd'}) heap.Push({7, name});
  std::vector<char> order;
  while (!heap.empty()) order.push_back(heap.Pop().second);
  EXPECT_EQ(order, (std::vector<char>{'a', 'd', 'c', 'b'}));
}

TEST(GoHeapTest, InitSinksFromTheMiddle) {
  Pairs asked;
  GoHeap<int, Recorder> heap(Recorder{&asked});
  heap.Push(99);
  heap.Init({4, 3, 2, 1});
  EXPECT_EQ(asked, (Pairs{{1, 3}, {2, 1}, {1, 4}, {3, 4}}));
  EXPECT_EQ(heap.elements(), (std::vector<int>{1, 3, 2, 4}));
  heap.Clear();
  EXPECT_EQ(heap.size(), 0u);
  heap.Init({});
  EXPECT_TRUE(heap.empty());
}

TEST(GoHeapTest, HoldsWhatCannotBeCopied) {
  const auto less = [](const std::unique_ptr<int>& a, const std::unique_ptr<int>& b) {
    return *a < *b;
  };
  GoHeap<std::unique_ptr<int>, decltype(less)> heap(less);
  for (int value : {2, 1, 3}) heap.Push(std::make_unique<int>(value));
  EXPECT_EQ(*heap.Pop(), 1);
  EXPECT_EQ(*heap.Pop(), 2);
  EXPECT_EQ(*heap.Pop(), 3);
}

// The comparator of the recordings: a strict order, an order with both ways true, always true, few
// classes, one that changes with every question, one without transitivity.
struct Odd {
  int mode;
  uint64_t* sum;
  int* tick;
  bool operator()(int x, int y) const {
    *sum = (*sum ^ static_cast<uint64_t>(x * 1000 + y)) * 0x100000001b3;
    ++*tick;
    switch (mode) {
      case 0:
        return x < y;
      case 1:
        return x <= y;
      case 2:
        return true;
      case 3:
        return x % 4 < y % 4;
      case 4:
        return (x + *tick) % 7 < (y + *tick) % 7;
      default:
        return (x * 5 + y * 3) % 4 < 2;
    }
  }
};

TEST(GoHeapTest, AgreesWithRecordingsOfGo) {
  struct Recording {
    std::vector<int> popped;
    uint64_t sum;
  };
  const Recording recordings[] = {
      {{5,  6,  7,  7,  8,  8,  9,  9,  10, 11, 11, 12,  12,  14,  15,  16,  18,  19,  21,  22,
        25, 26, 28, 29, 31, 32, 33, 35, 36, 38, 39, 100, 100, 101, 101, 102, 102, 103, 104, 104},
       0xd0df732da619129c},
      {{5,  6,  7,  7,  8,  8,  9,  9,  10, 11, 11, 12,  12,  14,  15,  16,  18,  19,  21,  22,
        25, 26, 28, 29, 31, 32, 33, 35, 36, 38, 39, 100, 100, 101, 101, 102, 102, 103, 104, 104},
       0xa022d204c94301e2},
      {{102, 0,  5,   26, 11, 3,  4,   104, 1,  8, 103, 104, 33, 32, 4,  6,   7,  16, 9,   10,
        12,  36, 104, 2,  1,  21, 103, 35,  15, 2, 22,  5,   12, 14, 25, 104, 11, 31, 103, 103},
       0x636d012437673c0c},
      {{4,  104, 12, 100, 32, 16, 8,  21, 9,  5,   29, 1,  5, 1,  9,   101, 25, 33, 38, 26,
        10, 2,   14, 102, 2,  18, 22, 6,  19, 103, 35, 39, 3, 11, 103, 15,  7,  11, 31, 7},
       0x2f8a49f4357a5bee},
      {{8, 6,  31, 100, 103, 101, 4, 8, 9,  100, 26, 33, 25, 102, 32,  19, 104, 5, 22,  5,
        1, 12, 14, 103, 28,  35,  2, 4, 15, 7,   39, 36, 2,  7,   103, 16, 21,  9, 101, 11},
       0xb49fb1a8ae7517ed},
      {{28, 11, 7,  103, 11, 18,  4,  2,  7, 102, 103, 16, 104, 8,  15, 38, 0,   10, 6, 104,
        12, 36, 31, 39,  22, 103, 14, 26, 1, 25,  5,   29, 101, 35, 9,  21, 100, 32, 4, 12},
       0xc7ee0eea745ffe63},
  };
  for (int mode = 0; mode < 6; ++mode) {
    uint64_t sum = 0xcbf29ce484222325;
    int tick = 0;
    GoHeap<int, Odd> heap(Odd{mode, &sum, &tick});
    std::vector<int> start;
    for (int i = 0; i < 13; ++i) start.push_back(i * 7 % 13);
    heap.Init(std::move(start));
    for (int i = 13; i < 40; ++i) {
      heap.Push(i * 17 % 41);
      if (i % 3 == 0) heap.Push(100 + heap.Pop() % 5);
    }
    std::vector<int> popped;
    while (!heap.empty()) popped.push_back(heap.Pop());
    EXPECT_EQ(popped, recordings[mode].popped) << mode;
    EXPECT_EQ(sum, recordings[mode].sum) << mode;
  }
}

}  // namespace
}  // namespace muster
