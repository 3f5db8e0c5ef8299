// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The division of the machine among queues: cases by hand, and the conditions of max-min fairness
// on random ones.
#include "lib/replay/deserved.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "gtest/gtest.h"
#include "lib/base/rng.h"
#include "tests/support/world_loop.h"

namespace muster {
namespace {

using Wanted = std::vector<std::vector<double>>;

void ExpectShares(const MachineDivision& division, const Wanted& wanted,
                  const DivisionAmounts& capacity, const std::vector<double>& expected) {
  const std::vector<double> deserved = division.Divide(wanted, capacity);
  ASSERT_EQ(deserved.size(), expected.size());
  for (size_t q = 0; q < expected.size(); ++q) EXPECT_NEAR(deserved[q], expected[q], 1e-9) << q;
}

TEST(Deserved, ByWeightUpToWhatIsRequested) {
  const MachineDivision two({{.parent = kNoParent, .weight = 3}, {.parent = kNoParent}});
  ExpectShares(two, {{100}, {100}}, {100}, {0.75, 0.25});
  ExpectShares(two, {{30}, {100}}, {100}, {0.3, 0.7});
  ExpectShares(two, {{30}, {20}}, {100}, {0.3, 0.2});
  ExpectShares(two, {{0}, {500}}, {100}, {0, 1});
  ExpectShares(two, {{5}, {5}}, {0}, {0, 0});
}

TEST(Deserved, GuaranteesAndLimits) {
  const MachineDivision two({{.parent = kNoParent, .guaranteed = {{60}}},
                             {.parent = kNoParent, .weight = 9, .limit = {{70}}}});
  ExpectShares(two, {{100}, {100}}, {100}, {0.6, 0.4});
  ExpectShares(two, {{10}, {100}}, {100}, {0.1, 0.7});
  // An amount that is not set binds nothing.
  const MachineDivision loose({{.parent = kNoParent, .guaranteed = {{-1, 50}}, .limit = {{-1, 60}}},
                               {.parent = kNoParent, .weight = 9}});
  ExpectShares(loose, {{90, 90}, {90, 90}}, {100, 100}, {0.5, 0.5});
}

TEST(Deserved, DominantResources) {
  // The example of the paper on dominant resources: 9 CPUs, 18 GB.
  const MachineDivision two({{.parent = kNoParent}, {.parent = kNoParent}});
  ExpectShares(two, {{900, 3600}, {2700, 900}}, {9, 18}, {2.0 / 3, 2.0 / 3});
  // What is full holds only those back that request it.
  const MachineDivision three(
      {{.parent = kNoParent}, {.parent = kNoParent}, {.parent = kNoParent}});
  ExpectShares(three, {{100, 0}, {100, 0}, {0, 100}}, {100, 100}, {0.5, 0.5, 1});
}

TEST(Deserved, Trees) {
  const MachineDivision tree({{.parent = kNoParent, .weight = 3},
                              {.parent = 0, .weight = 1},
                              {.parent = 0, .weight = 2},
                              {.parent = kNoParent, .weight = 1}});
  ExpectShares(tree, {{0}, {100}, {100}, {100}}, {100}, {0.75, 0.25, 0.5, 0.25});
  ExpectShares(tree, {{0}, {100}, {10}, {100}}, {100}, {0.75, 0.65, 0.1, 0.25});
}

// Nothing is overfull. A queue with less than it may have requests something full, of which no
// other has more for its weight unless by its guarantee.
TEST(Deserved, IsMaxMinFair) {
  constexpr double kClose = 1e-6;
  for (uint64_t seed = 1; seed <= testing::WorldCount(3000); ++seed) {
    Rng rng(seed);
    const size_t count = 1 + rng.Below(6), dimensions = 1 + rng.Below(3);
    std::vector<DivisionQueue> queues(count, {.parent = kNoParent});
    Wanted wanted(count);
    DivisionAmounts capacity;
    for (size_t d = 0; d < dimensions; ++d) capacity.push_back(100 + int64_t(rng.Below(900)));
    std::vector<double> dominant(count, 0.0);
    for (size_t q = 0; q < count; ++q) {
      queues[q].weight = 1 + static_cast<int64_t>(rng.Below(5));
      for (size_t d = 0; d < dimensions; ++d) {
        wanted[q].push_back(rng.Below(3) == 0 ? 0.0 : static_cast<double>(rng.Below(1000)));
        dominant[q] = std::max(dominant[q], wanted[q][d] / static_cast<double>(capacity[d]));
      }
      if (rng.Below(3) > 0) continue;
      // Together the guarantees fit.
      queues[q].guaranteed.emplace();
      for (size_t d = 0; d < dimensions; ++d) {
        queues[q].guaranteed->push_back(capacity[d] / static_cast<int64_t>(count));
      }
    }
    const std::vector<double> deserved = MachineDivision(queues).Divide(wanted, capacity);
    const auto holds = [&](size_t q, size_t d) {
      return dominant[q] == 0
                 ? 0
                 : wanted[q][d] / static_cast<double>(capacity[d]) * deserved[q] / dominant[q];
    };
    const auto floor_of = [&](size_t q) {
      if (!queues[q].guaranteed) return 0.0;
      double floor = dominant[q];
      for (size_t d = 0; d < dimensions; ++d) {
        if (wanted[q][d] == 0) continue;
        floor = std::min(
            floor, dominant[q] * static_cast<double>((*queues[q].guaranteed)[d]) / wanted[q][d]);
      }
      return floor;
    };
    std::vector<double> total(dimensions, 0.0);
    for (size_t d = 0; d < dimensions; ++d) {
      for (size_t q = 0; q < count; ++q) total[d] += holds(q, d);
      ASSERT_LE(total[d], 1 + kClose) << "seed " << seed;
    }
    for (size_t q = 0; q < count; ++q) {
      ASSERT_LE(deserved[q], dominant[q] + kClose) << "seed " << seed;
      ASSERT_GE(deserved[q], floor_of(q) - kClose) << "seed " << seed;
      if (deserved[q] >= dominant[q] - kClose) continue;
      bool is_held_back = false;
      for (size_t d = 0; d < dimensions; ++d) {
        if (wanted[q][d] == 0 || total[d] < 1 - kClose) continue;
        bool is_least = true;
        for (size_t p = 0; p < count; ++p) {
          if (p == q || wanted[p][d] == 0) continue;
          const auto level = [&](size_t of) {
            return deserved[of] / static_cast<double>(queues[of].weight);
          };
          is_least &= level(p) <= level(q) + kClose || deserved[p] <= floor_of(p) + kClose;
        }
        is_held_back |= is_least;
      }
      ASSERT_TRUE(is_held_back) << "queue " << q << ", seed " << seed;
    }
  }
}

}  // namespace
}  // namespace muster
