// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// FillRates by hand, and on random cases with a check of each proof that trusts nothing of it.
#include "lib/share/rate_filling.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "absl/numeric/int128.h"
#include "gtest/gtest.h"
#include "lib/base/rng.h"

namespace muster {
namespace {

using Wide = absl::int128;

std::vector<double> Levels(const RatePlan& plan) {
  std::vector<double> levels;
  for (const int64_t level : plan.level) levels.push_back(static_cast<double>(level) / kWholeTime);
  return levels;
}
void ExpectLevels(const RatePlan& plan, const std::vector<double>& levels) {
  ASSERT_EQ(plan.level.size(), levels.size());
  for (size_t m = 0; m < levels.size(); ++m) {
    EXPECT_LE(Levels(plan)[m], levels[m] * 1.005) << m;
    EXPECT_GE(Levels(plan)[m], levels[m] * 0.995) << m;
  }
}

TEST(RateFilling, TwoJobsShareTwoMachines) {
  // Job 0 spends x on the fast machine: 1 + 3 x = 2 - x.
  const RatePlan plan =
      FillRates({{.rate = {4000, 1000}}, {.rate = {2000, 1000}}}, /*machines=*/{1, 1});
  ExpectLevels(plan, {1750, 1750});
  EXPECT_NEAR(static_cast<double>(plan.time[0][0]) / kWholeTime, 0.25, 0.005);
  EXPECT_NEAR(static_cast<double>(plan.time[1][1]) / kWholeTime, 0.25, 0.005);
}

TEST(RateFilling, AllAreAtTheirCapsWhereThereIsEnough) {
  const RatePlan plan =
      FillRates({{.rate = {400, 100}}, {.rate = {200, 100}, .width = 2}}, /*machines=*/{8, 8});
  EXPECT_EQ(plan.level, plan.bound);
  EXPECT_EQ(plan.level, (std::vector<int64_t>{400 * kWholeTime, 200 * kWholeTime}));
  EXPECT_EQ(plan.time[0], (std::vector<int64_t>{kWholeTime, 0}));
  EXPECT_TRUE(plan.prices.empty());
}

TEST(RateFilling, JobsThatAreBoundLeaveTheOthersToRise) {
  // Three share type 0; one that runs there, too, is better off on type 1, alone. The last is slow
  // everywhere.
  const RatePlan plan = FillRates({{.rate = {9000, 0}},
                                   {.rate = {9000, 0}},
                                   {.rate = {9000, 0}},
                                   {.rate = {9000, 6000}},
                                   {.rate = {0, 1000}}},
                                  /*machines=*/{1, 2});
  ExpectLevels(plan, {3000, 3000, 3000, 6000, 1000});
  EXPECT_GE(plan.bound[0], 3000 * kWholeTime);
  EXPECT_GE(plan.bound[3], 6000 * kWholeTime);
  EXPECT_EQ(plan.bound[4], 1000 * kWholeTime);
}

TEST(RateFilling, WideJobsTakeMoreMachines) {
  // 4 machines: x of both with 4 x + 4 x = 4.
  ExpectLevels(FillRates({{.rate = {1000}, .width = 4}, {.rate = {1000}, .width = 4}}, {4}),
               {500, 500});
  // Eight equal jobs of one machine, as one entry, beside one of two machines.
  ExpectLevels(FillRates({{.rate = {1000}, .count = 8}, {.rate = {1000}, .width = 2}}, {4}),
               {400, 400});
}

TEST(RateFilling, JobsThatRunNowhereHoldNoneBack) {
  const RatePlan plan = FillRates({{.rate = {0, 0}}, {.rate = {1000, 0}}, {.rate = {0, 1000}}},
                                  /*machines=*/{1, 0});
  EXPECT_EQ(plan.level, (std::vector<int64_t>{0, 1000 * kWholeTime, 0}));
  EXPECT_TRUE(FillRates({}, {1}).time.empty());
  EXPECT_TRUE(FillRates({{.rate = {}}}, {}).time[0].empty());
}

// --- random cases

struct RateCase {
  std::vector<RateJob> jobs;
  std::vector<int64_t> machines;
};

RateCase DrawCase(uint64_t seed) {
  Rng rng(seed);
  RateCase drawn;
  const size_t types = 1 + rng.Below(rng.Chance(0.3) ? 10 : 4), jobs = 1 + rng.Below(40);
  for (size_t j = 0; j < types; ++j) {
    drawn.machines.push_back(rng.Chance(0.1) ? 0 : int64_t{1} << rng.Below(9));
  }
  const uint64_t kind = rng.Below(4);
  for (size_t m = 0; m < jobs; ++m) {
    RateJob job{.rate = {}, .width = int64_t{1} << rng.Below(5)};
    if (rng.Chance(0.2)) job.count = 1 + static_cast<int64_t>(rng.Below(5));
    for (size_t j = 0; j < types; ++j) {
      const uint64_t wild = 1 + rng.Below(uint64_t{1} << (6 + rng.Below(20)));
      const uint64_t rate = kind == 0   ? 1'000'000 * (j + 1) + rng.Below(500'000)
                            : kind == 1 ? wild
                            : kind == 2 ? 1'000'000
                                        : 1'000'000 * rng.Below(4);
      job.rate.push_back(static_cast<int64_t>(rate) * job.width);
    }
    drawn.jobs.push_back(std::move(job));
  }
  return drawn;
}

// The least price of a level, in price times kWholeTime, rounded down: each type, and each pair.
Wide LeastCost(const RateJob& job, const std::vector<int64_t>& machines,
               const std::vector<int64_t>& prices, int64_t level) {
  Wide least = absl::Int128Max();
  for (size_t j = 0; j < machines.size(); ++j) {
    if (machines[j] == 0 || Wide(job.rate[j]) * kWholeTime < level || job.rate[j] == 0) continue;
    least = std::min(least, Wide(prices[j]) * level / job.rate[j]);
    for (size_t k = 0; k < machines.size(); ++k) {
      if (machines[k] == 0 || Wide(job.rate[k]) * kWholeTime >= level) continue;
      const Wide time = (level - Wide(job.rate[k]) * kWholeTime) / (job.rate[j] - job.rate[k]);
      const Wide rest = kWholeTime - time - 1;
      least = std::min(least, std::max<Wide>(time * prices[j] + rest * prices[k], 0));
    }
  }
  return least * job.width * job.count;
}

TEST(RateFilling, PlansKeepConstraintsAndBoundsAreProven) {
  int phases = 0;
  for (uint64_t seed = 0; seed < 1000; ++seed) {
    const auto [jobs, machines] = DrawCase(seed);
    const RatePlan plan = FillRates(jobs, machines);
    std::vector<Wide> taken(machines.size(), 0);
    int64_t highest = 0;
    for (size_t m = 0; m < jobs.size(); ++m) {
      int64_t whole = 0, cap = 0;
      Wide level = 0;
      for (size_t j = 0; j < machines.size(); ++j) {
        ASSERT_GE(plan.time[m][j], 0);
        whole += plan.time[m][j];
        level += Wide(plan.time[m][j]) * (machines[j] > 0 ? jobs[m].rate[j] : 0);
        taken[j] += Wide(plan.time[m][j]) * jobs[m].width * jobs[m].count;
        if (machines[j] > 0) cap = std::max(cap, jobs[m].rate[j] * kWholeTime);
      }
      EXPECT_LE(whole, kWholeTime) << seed;
      EXPECT_EQ(level, plan.level[m]) << seed;
      EXPECT_LE(plan.bound[m], cap);
      EXPECT_GE(Wide(plan.level[m]) * 100, Wide(plan.bound[m]) * 99) << "seed " << seed;
      highest = std::max(highest, plan.bound[m]);
      // No job is left below the first bound, unless it is at its cap.
      EXPECT_GE(Wide(plan.level[m]) * 100, Wide(std::min(cap, plan.least)) * 99) << seed;
    }
    for (size_t j = 0; j < machines.size(); ++j) {
      EXPECT_LE(taken[j], Wide(machines[j]) * kWholeTime) << seed;
    }
    if (plan.prices.empty()) continue;
    phases += highest > plan.least;
    Wide cost = 0, all = 0;
    for (const RateJob& job : jobs) {
      int64_t cap = 0;
      for (size_t j = 0; j < machines.size(); ++j) {
        if (machines[j] > 0) cap = std::max(cap, job.rate[j] * kWholeTime);
      }
      const int64_t level = std::min(cap, plan.least);
      if (level > 0) cost += LeastCost(job, machines, plan.prices, level);
    }
    for (size_t j = 0; j < machines.size(); ++j) all += Wide(plan.prices[j]) * machines[j];
    // What the two roundings of this check can lose.
    EXPECT_GT(cost + (cost >> 20), all * kWholeTime) << "seed " << seed;
  }
  EXPECT_GT(phases, 100);
}

}  // namespace
}  // namespace muster
