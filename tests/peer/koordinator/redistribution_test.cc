// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/koordinator/quota/redistribution.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "lib/base/rng.h"
#include "lib/peer/koordinator/quota/min_scaling.h"
#include "lib/reference/peer/koordinator/elastic_quota.h"
#include "lib/share/sparse.h"

namespace muster {
namespace {

struct Claimant {
  std::string name = {};
  int64_t request = 0, weight = 0, min = 0, guarantee = 0;
  bool lends = true;
};

// In the order of `children`, whatever their names.
std::vector<int64_t> Runtimes(int64_t total, const std::vector<Claimant>& children,
                              Rounding rounding = Rounding::kLargestRemainder) {
  std::vector<size_t> order(children.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return children[a].name < children[b].name; });
  std::vector<int64_t> request, weight, min, guarantee, runtime(children.size());
  std::vector<uint8_t> lends;
  for (size_t i : order) {
    request.push_back(children[i].request);
    weight.push_back(children[i].weight);
    min.push_back(children[i].min);
    guarantee.push_back(children[i].guarantee);
    lends.push_back(children[i].lends);
  }
  Redistribution().Run(total, rounding, {request, weight, min, guarantee, lends}, runtime);
  std::vector<int64_t> runtimes(children.size());
  for (size_t i = 0; i < order.size(); ++i) runtimes[order[i]] = runtime[i];
  return runtimes;
}

using Amounts = std::vector<int64_t>;

// Koordinator's own examples.
TEST(Redistribution, GivesMinimumsAndTheRestByWeight) {
  std::vector<Claimant> children = {{.name = "1", .request = 5, .weight = 40, .min = 10},
                                    {.name = "2", .request = 20, .weight = 60, .min = 15},
                                    {.name = "3", .request = 40, .weight = 50, .min = 20},
                                    {.name = "4", .request = 70, .weight = 80, .min = 15}};
  EXPECT_EQ(Runtimes(100, children), (Amounts{5, 20, 35, 40}));
  children[3].weight = 0;
  EXPECT_EQ(Runtimes(100, children), (Amounts{5, 20, 40, 15}));
  children[3].guarantee = 45;
  EXPECT_EQ(Runtimes(100, children), (Amounts{5, 20, 30, 45}));
}

TEST(Redistribution, HandsOutEveryUnitOfADonor) {
  std::vector<Claimant> children = {{.name = "donor", .request = 0, .weight = 1, .min = 3}};
  const std::vector<std::string> names = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"};
  for (size_t i = 0; i < 10; ++i) {
    children.push_back({.name = names[i], .request = 100, .weight = 1, .min = i < 8 ? 8 : 7});
  }
  const Amounts runtimes = Runtimes(81, children);
  int64_t sum = 0;
  for (size_t i = 0; i < runtimes.size(); ++i) {
    sum += runtimes[i];
    EXPECT_GE(runtimes[i], i == 0 ? 0 : children[i].min);
  }
  EXPECT_EQ(sum, 81);
  EXPECT_EQ(runtimes[0], 0);
}

TEST(Redistribution, SmallerNamesTakeWhatDivisionsLeave) {
  EXPECT_EQ(Runtimes(200000, {{.name = "c", .request = 100000, .weight = 1},
                              {.name = "a", .request = 100000, .weight = 1},
                              {.name = "b", .request = 100000, .weight = 1}}),
            (Amounts{66666, 66667, 66667}));
}

TEST(Redistribution, NearestRoundingMayLoseAndMakeUnits) {
  std::vector<Claimant> ten;
  for (int i = 0; i < 10; ++i) ten.push_back({.name = "x", .request = 100, .weight = 1});
  EXPECT_EQ(Runtimes(3, ten, Rounding::kNearest), Amounts(10, 0));
  EXPECT_EQ(Runtimes(200000,
                     {{.name = "a", .request = 100000, .weight = 1},
                      {.name = "b", .request = 100000, .weight = 1},
                      {.name = "c", .request = 100000, .weight = 1}},
                     Rounding::kNearest),
            (Amounts{66667, 66667, 66667}));
}

TEST(Redistribution, KeepsWhatIsNotLent) {
  EXPECT_EQ(Runtimes(100, {{.name = "a", .request = 0, .weight = 1, .min = 30, .lends = false},
                           {.name = "b", .request = 100, .weight = 1}}),
            (Amounts{30, 70}));
}

TEST(Redistribution, LargestAmountsNeitherWrapNorHang) {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  const Amounts runtimes = Runtimes(kMost, {{.name = "a", .request = kMost, .weight = kMost / 2},
                                            {.name = "b", .request = kMost, .weight = kMost / 2}});
  EXPECT_EQ(runtimes[0] - runtimes[1], 1);
  EXPECT_EQ(Runtimes(-5, {{.name = "a", .request = 7, .weight = 1, .min = 4}}), Amounts{4});
  EXPECT_EQ(Runtimes(5, {}), Amounts{});
}

TEST(Redistribution, MinimumsScaleByTheirExactSum) {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  Sparse most;
  most.Set(0, kMost);
  SparseSum both = most;
  both.Add(most);
  // What shows of the sum is no more than the total; half of the sum is.
  EXPECT_EQ(both.at(0), kMost);
  EXPECT_EQ(ScaledMin(most, {}, both, most).at(0), int64_t{1} << 62);
  both.Subtract(most);
  EXPECT_EQ(ScaledMin(most, {}, both, most).at(0), kMost);
}

TEST(Redistribution, AgreesWithItsTwin) {
  Rng rng(20);
  for (int world = 0; world < 3000; ++world) {
    std::vector<std::string> names;
    for (uint64_t i = 0, n = 1 + rng.Below(9); i < n; ++i) {
      names.push_back(std::string(1, static_cast<char>('a' + rng.Below(26))) + std::to_string(i));
    }
    std::vector<Claimant> children;
    std::vector<reference::QuotaChild> twins;
    for (const std::string& name : names) {
      const auto amount = [&] { return static_cast<int64_t>(rng.Below(rng.Chance(0.3) ? 3 : 90)); };
      children.push_back({.name = name,
                          .request = amount(),
                          .weight = amount(),
                          .min = amount(),
                          .lends = rng.Chance(0.7)});
      const Claimant& child = children.back();
      twins.push_back({name, child.request, child.weight, child.min, child.lends});
    }
    const int64_t total = static_cast<int64_t>(rng.Below(400)) - 20;
    EXPECT_EQ(Runtimes(total, children), reference::HandOut(total, twins)) << "world " << world;
  }
}

TEST(Redistribution, AgreesWithItsTwinOnAmountsOfAnySize) {
  Rng rng(21);
  for (int world = 0; world < 2000; ++world) {
    std::vector<Claimant> children;
    std::vector<reference::QuotaChild> twins;
    const auto amount = [&] { return static_cast<int64_t>(rng.Next() >> (1 + rng.Below(62))); };
    for (uint64_t i = 0, n = 1 + rng.Below(7); i < n; ++i) {
      const std::string name(1, static_cast<char>('a' + i));
      const int64_t request = amount();
      children.push_back(
          {.name = name, .request = request, .weight = amount(), .min = request / 9});
      twins.push_back({name, request, children.back().weight, request / 9, true});
    }
    const int64_t total = amount();
    EXPECT_EQ(Runtimes(total, children), reference::HandOut(total, twins)) << "world " << world;
  }
}

// Several resources at once, of any sizes side by side.
TEST(Redistribution, RowsAgreeWithTheTwinInEveryLane) {
  Rng rng(22);
  Redistribution redistribution;
  for (int world = 0; world < 3000; ++world) {
    const size_t lanes = rng.Chance(0.5) ? 4 : 8;
    const size_t count = rng.Below(rng.Chance(0.1) ? 70 : 9);
    const uint32_t which = static_cast<uint32_t>(rng.Below(uint64_t{1} << lanes));
    std::vector<int64_t> rows(4 * lanes * count, -1), totals(lanes);
    std::vector<uint8_t> lends(count);
    for (uint8_t& lent : lends) lent = rng.Chance(0.7) ? 1 : 0;
    std::vector<std::vector<reference::QuotaChild>> twins(lanes);
    for (size_t l = 0; l < lanes; ++l) {
      // From a few units to the end of 64 bits; weights that are alike, or end with the same zeros.
      const uint64_t bits = rng.Chance(0.7) ? 10 : 5 + rng.Below(58), zeros = rng.Below(bits);
      const uint64_t same = rng.Next() >> (64 - bits);
      const double alike = rng.Chance(0.3) ? 0.9 : 0.1;
      const auto amount = [&] { return static_cast<int64_t>(rng.Next() >> (64 - bits)); };
      for (size_t i = 0; i < count; ++i) {
        const int64_t request = rng.Chance(0.1) ? 0 : amount();
        const int64_t weight = static_cast<int64_t>(
            (rng.Chance(alike) ? same : rng.Next() >> (64 - bits)) >> zeros << zeros);
        const int64_t floor = rng.Chance(0.5) ? 0 : amount() / 4;
        twins[l].push_back(
            {std::string(1, static_cast<char>('0' + i)), request, weight, floor, lends[i] != 0});
        int64_t* const row = &rows[4 * lanes * i + l];
        row[0] = request;
        row[lanes] = weight;
        row[2 * lanes] = floor;
        totals[l] = SaturatingAdd(totals[l], request / 3 * 2);
      }
      if (rng.Chance(0.2)) totals[l] = amount() - 3;
    }
    redistribution.Run(totals, which, Rounding::kLargestRemainder, {rows.data(), lanes, lends});
    for (size_t l = 0; l < lanes; ++l) {
      const std::vector<int64_t> expected = reference::HandOut(totals[l], twins[l]);
      for (size_t i = 0; i < count; ++i) {
        EXPECT_EQ(rows[4 * lanes * i + 3 * lanes + l], which >> l & 1 ? expected[i] : -1)
            << "world " << world << ", lane " << l << ", child " << i;
      }
    }
  }
}

TEST(Redistribution, RowsRoundAsTheyAreTold) {
  // Three of a weight and 200,000 between them, beside a resource that is not asked about.
  std::vector<int64_t> rows;
  for (int i = 0; i < 3; ++i) {
    rows.insert(rows.end(), {100000, 7, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, -1, -1, -1, -1});
  }
  const std::vector<uint8_t> lends(3, 1);
  const Amounts totals = {200000, 7, 0, 0};
  const auto runtimes = [&](size_t lane) {
    return Amounts{rows[12 + lane], rows[28 + lane], rows[44 + lane]};
  };
  Redistribution().Run(totals, 1, Rounding::kNearest, {rows.data(), 4, lends});
  EXPECT_EQ(runtimes(0), (Amounts{66667, 66667, 66667}));
  Redistribution().Run(totals, 1, Rounding::kLargestRemainder, {rows.data(), 4, lends});
  EXPECT_EQ(runtimes(0), (Amounts{66667, 66667, 66666}));
  EXPECT_EQ(runtimes(1), Amounts(3, -1));
}

TEST(Redistribution, WeightsThatNobodyCanAddUp) {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  std::vector<Claimant> children;
  for (const char* name : {"a", "b", "c", "d"}) {
    children.push_back({.name = name, .request = kMost, .weight = kMost});
  }
  EXPECT_EQ(Runtimes(10, children), (Amounts{3, 3, 2, 2}));
  children[0].weight = kMost - 1;  // the smallest remainder
  EXPECT_EQ(Runtimes(10, children), (Amounts{2, 3, 3, 2}));
  // No weight, or less: no more than the minimum.
  children[1].weight = 0;
  children[2].weight = -7;
  EXPECT_EQ(Runtimes(10, children), (Amounts{5, 0, 0, 5}));
}

TEST(MinScaling, SharesWhatIsLeftInProportion) {
  const auto amounts = [](int64_t amount) {
    Sparse sparse;
    sparse.Set(0, amount);
    return sparse;
  };
  // 200 cores over three minimums of 100.
  EXPECT_EQ(ScaledMin(amounts(200000), {}, amounts(300000), amounts(100000)).at(0), 66666);
  // 50 / 50 / 50, one of which does not scale.
  EXPECT_EQ(ScaledMin(amounts(200), amounts(50), amounts(100), amounts(50)).at(0), 50);
  EXPECT_EQ(ScaledMin(amounts(100), amounts(50), amounts(100), amounts(50)).at(0), 25);
  EXPECT_EQ(ScaledMin(amounts(50), amounts(50), amounts(100), amounts(50)).at(0), 0);
  // A resource that the total does not name is left alone.
  EXPECT_EQ(ScaledMin({}, {}, amounts(100), amounts(50)).at(0), 50);
}

}  // namespace
}  // namespace muster
