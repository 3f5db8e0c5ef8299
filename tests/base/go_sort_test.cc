// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// GoSort against recordings of Go's sort.Slice (go1.26), most of them under a "less" that is no
// order. A recording is a sum over the numbers as they lay afterwards.
#include "lib/base/go_sort.h"

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gtest/gtest.h"

namespace muster {
namespace {

std::vector<int> Numbers(uint64_t n, uint64_t kind) {
  uint64_t x = n * 7 + kind;
  std::vector<int> numbers(n);
  for (size_t i = 0; i < n; ++i) {
    x = x * 6364136223846793005 + 1442695040888963407;
    numbers[i] = static_cast<int>((x >> 33) % 1000);
    if (kind == 3) numbers[i] = static_cast<int>(i) * 10 + numbers[i] % 3;
  }
  return numbers;
}

bool Before(uint64_t kind, int p, int q) {
  if (kind == 0) return p / 10 < q / 10;  // many are equal
  if (kind == 1) return p % 10 < q % 10 || p / 10 < q / 10 || p < q;
  if (kind == 2) return p % 2 == 0;
  return p % 7 < q % 7 || p < q;
}

TEST(GoSortTest, LeavesWhatGoLeaves) {
  const struct {
    uint64_t n, kind, sum;
  } recordings[] = {
      {5, 0, 1266427212316096731U},     {5, 1, 15544633732615759973U},
      {5, 2, 7786711681418811006U},     {5, 3, 13164198742857070268U},
      {13, 0, 17165621736921682818U},   {13, 1, 17916215094085831749U},
      {13, 2, 16606277876622453280U},   {13, 3, 13545041302941933842U},
      {40, 0, 12481522517449240883U},   {40, 1, 1391947509137636641U},
      {40, 2, 4687409022411084229U},    {40, 3, 11711813694171196874U},
      {60, 0, 15985802437090396900U},   {60, 1, 13969759395171960736U},
      {60, 2, 4107069613171664158U},    {60, 3, 8019814911711034533U},
      {200, 0, 10120971151357220611U},  {200, 1, 3009795826933797524U},
      {200, 2, 13526734501500299055U},  {200, 3, 6263752164423059533U},
      {1000, 0, 7225933259551966097U},  {1000, 1, 15558987366186618509U},
      {1000, 2, 13579705612532789226U}, {1000, 3, 797168508691416458U},
  };
  for (const auto& [n, kind, sum] : recordings) {
    std::vector<int> numbers = Numbers(n, kind);
    GoSort(numbers, [kind = kind](int p, int q) { return Before(kind, p, q); });
    uint64_t digest = 1469598103934665603;
    for (int number : numbers) digest = (digest ^ static_cast<uint64_t>(number)) * 1099511628211;
    EXPECT_EQ(digest, sum) << n << " numbers, less of kind " << kind;
  }
}

TEST(GoSortTest, NothingAndOne) {
  std::vector<int> numbers;
  GoSort(numbers, [](int p, int q) { return p < q; });
  EXPECT_TRUE(numbers.empty());
  numbers = {3};
  GoSort(numbers, [](int, int) { return true; });
  EXPECT_EQ(numbers, std::vector<int>{3});
}

}  // namespace
}  // namespace muster
