// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Max-min fair time on machines of several types, for jobs that are faster on some than on others.
//
//   const std::vector<RateJob> jobs = {{.rate = {400, 100}}, {.rate = {200, 100}, .width = 2}};
//   const RatePlan plan = FillRates(jobs, /*machines=*/{8, 8});
//   plan.time[1][0];     // in kWholeTime: the part of its time that job 1 spends on type 0
//
// Idea. A job that spends the part x_j of its time on type j has the level sum_j rate_j x_j. The
// least level of all jobs shall be as high as it can be, with
//   sum_j x_j <= 1 of each job, sum over jobs of width * x_j <= machines of type j.
// Then the jobs that hold each other there are bound to this level, and the least level of the
// others shall be as high as it can be, and so on (water filling). A job with all its time on its
// fastest type is at its cap, and holds no other back.
//
// Prices prove it. Let machines of type j have the price p_j, and let all have cost(p). The
// cheapest way of a job to a level is a mix of at most two types: a point of the lower hull of
// (0, 0) and the points (rate_j, p_j). If all jobs together cannot pay for a level, then no plan
// reaches it. So each choice of prices bounds the level from above, and the best prices are as low
// as the best plan is high. Of a type with a price above 0 all machines are taken then, by jobs
// that would pay more for a higher level. They are bound; types that cost nothing stay open to the
// others. So there are no more phases than types.
//
// How. Prices are found by cutting planes. Each answer of all jobs to prices is one load of the
// types, a column of a matrix game (matrix_game.h) in which the mix of answers wants little load
// and the prices want much. Its solution gives the next prices; they lower the bound, or the
// answer to them is a new column. Answers reach all but one part in 200 (types + 1) of a bound
// below caps. It ends when their mix loads no type by one such part too much, or after 400
// answers: scaled down, it is a plan. Where a later phase cannot even reach the level of the one
// before, types and jobs go to the earlier one.
//
// Guarantee. A plan keeps both constraints, exactly. `bound` is proven by prices, in integers that
// are rounded so that it never falls short: while the jobs that were bound before keep what they
// had in that phase, no plan has a higher least level of the others. The levels of a plan were
// within 1 % of their bounds in all random cases tried, and the least level within 1 % of the
// optimum (tests/share/rate_filling_test.cc). Where rates differ much, a higher level can hang on a
// thousandth of a machine: then jobs may be bound one phase too early.
//
// All is integers: equal inputs give equal plans on every machine. Ties: the order of types.
//
// Cost. O(jobs x types) for an answer, and some twenty times as much where it lowers the bound.
// Jobs of random rates take some 30 answers with 4 types and 150 with 10 (`share/rates` of
// bench/policy_bench.cc). Memory: O(jobs x types).
#ifndef MUSTER_SHARE_RATE_FILLING_H_
#define MUSTER_SHARE_RATE_FILLING_H_

#include <cstdint>
#include <vector>

namespace muster {

inline constexpr int64_t kWholeTime = int64_t{1} << 30;
inline constexpr int64_t kMostRate = int64_t{1} << 32;

// REQUIRES: one rate for each type, from 0 (it does not run there) to kMostRate; width from 1 to
// 2^20; count from 1 on, 2^31 at most in all.
struct RateJob {
  std::vector<int64_t> rate;
  int64_t width = 1;  // machines that it takes
  int64_t count = 1;  // so many jobs are equal
};

struct RatePlan {
  std::vector<std::vector<int64_t>> time;  // by job and type, in kWholeTime
  // By job, in rate times kWholeTime: what the plan reaches, and what no plan exceeds.
  std::vector<int64_t> level, bound;
  // By type: the prices of a machine that prove the first bound, `least`. All jobs together pay
  // more than all machines cost to be at `least` or, where that is lower, at their caps. Empty: all
  // jobs are at their caps.
  std::vector<int64_t> prices;
  int64_t least = 0;
};

// REQUIRES: from 0 to 2^20 machines of each type, at most 2^10 types.
RatePlan FillRates(const std::vector<RateJob>& jobs, const std::vector<int64_t>& machines);

}  // namespace muster

#endif  // MUSTER_SHARE_RATE_FILLING_H_
