// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Bitset against std::vector<bool>, at sizes around the words' edges.
#include "lib/base/bitset.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

namespace muster {
namespace {

std::vector<bool> BitsOf(const Bitset& set) {
  std::vector<bool> bits;
  for (size_t i = 0; i < set.size(); ++i) bits.push_back(set.Test(i));
  return bits;
}

std::vector<size_t> RowsOf(const Bitset& set) {
  std::vector<size_t> rows;
  for (size_t i = set.FindNext(0); i < set.size(); i = set.FindNext(i + 1)) rows.push_back(i);
  return rows;
}

TEST(BitsetTest, SetsAndFinds) {
  Bitset set(130);
  EXPECT_FALSE(set.Any());
  EXPECT_EQ(set.FindNext(0), 130u);
  for (size_t i : {0, 63, 64, 129}) set.Set(i);
  EXPECT_TRUE(set.Any());
  EXPECT_EQ(set.Count(), 4u);
  EXPECT_EQ(RowsOf(set), (std::vector<size_t>{0, 63, 64, 129}));
  EXPECT_EQ(set.FindNext(65), 129u);
  EXPECT_EQ(set.FindNext(130), 130u);
  EXPECT_EQ(set.FindNext(100000), 130u);
  set.Reset(63);
  EXPECT_FALSE(set.Test(63));
  EXPECT_EQ(set.FindNext(1), 64u);
  set.ResetAll();
  EXPECT_FALSE(set.Any());
}

TEST(BitsetTest, AnEmptySetIsHarmless) {
  Bitset set;
  set.SetAll();
  EXPECT_FALSE(set.Any());
  EXPECT_EQ(set.FindNext(0), 0u);
  EXPECT_EQ(set.Count(), 0u);
}

TEST(BitsetTest, BitsBeyondTheSizeStayZero) {
  for (size_t size : {1, 63, 64, 65, 127, 128, 129}) {
    Bitset set(size, true);
    EXPECT_EQ(set.Count(), size);
    set.SetAll();
    EXPECT_EQ(set.Count(), size);
    set.Resize(size - 1);
    set.Resize(size + 70);
    EXPECT_EQ(set.Count(), size - 1) << "what was cut off does not come back";
    EXPECT_EQ(set.FindNext(size - 1), set.size());
  }
}

TEST(BitsetTest, ResizeAgreesWithAVectorOfBool) {
  const std::vector<std::pair<size_t, bool>> steps = {{5, true},   {3, false},  {64, false},
                                                      {100, true}, {128, true}, {65, false},
                                                      {64, false}, {192, true}, {200, false}};
  Bitset set;
  std::vector<bool> bits;
  for (const auto& [size, value] : steps) {
    set.Resize(size, value);
    bits.resize(size, value);
    ASSERT_EQ(BitsOf(set), bits) << size;
  }
}

TEST(BitsetTest, CombinesLikeSets) {
  constexpr size_t kSize = 200;
  Bitset a(kSize), b(kSize);
  std::vector<bool> both(kSize), either(kSize), only_a(kSize);
  for (size_t i = 0; i < kSize; ++i) {
    const bool in_a = i % 3 == 0, in_b = i % 5 == 0;
    if (in_a) a.Set(i);
    if (in_b) b.Set(i);
    both[i] = in_a && in_b;
    either[i] = in_a || in_b;
    only_a[i] = in_a && !in_b;
  }
  Bitset set = a;
  EXPECT_EQ(BitsOf(set &= b), both);
  set = a;
  EXPECT_EQ(BitsOf(set |= b), either);
  set = a;
  EXPECT_EQ(BitsOf(set.AndNot(b)), only_a);
  EXPECT_FALSE(set == a);
  set = a;
  EXPECT_TRUE(set == a);
  EXPECT_EQ(a.words().size(), 4u);
  EXPECT_EQ(a.words()[0] & 0xF, 0b1001u);
}

}  // namespace
}  // namespace muster
