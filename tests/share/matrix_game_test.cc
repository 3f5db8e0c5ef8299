// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/share/matrix_game.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/numeric/int128.h"
#include "gtest/gtest.h"
#include "lib/base/rng.h"

namespace muster {
namespace {

using Loads = std::vector<std::vector<int64_t>>;

int64_t Sum(const std::vector<int64_t>& parts) {
  int64_t sum = 0;
  for (const int64_t part : parts) {
    EXPECT_GE(part, 0);
    sum += part;
  }
  return sum;
}

// The largest load of a row, and the least weighted load of a column.
double Above(const Loads& loads, const GameMix& mix) {
  absl::int128 most = 0;
  for (size_t i = 0; i < loads[0].size(); ++i) {
    absl::int128 sum = 0;
    for (size_t k = 0; k < loads.size(); ++k) sum += absl::int128(loads[k][i]) * mix.columns[k];
    most = std::max(most, sum);
  }
  return static_cast<double>(most) / static_cast<double>(kWholeMix);
}
double Below(const Loads& loads, const GameMix& mix) {
  absl::int128 least = absl::Int128Max();
  for (const auto& column : loads) {
    absl::int128 sum = 0;
    for (size_t i = 0; i < column.size(); ++i) sum += absl::int128(column[i]) * mix.rows[i];
    least = std::min(least, sum);
  }
  return static_cast<double>(least) / static_cast<double>(kWholeMix);
}

TEST(MatrixGame, SolvesGamesByHand) {
  // Both columns cost 4 * 2/3 and 8 * 1/3 under these weights.
  const Loads loads = {{4, 0}, {0, 8}};
  const GameMix mix = SolveGame(loads);
  EXPECT_NEAR(static_cast<double>(mix.rows[0]) / kWholeMix, 2.0 / 3, 1e-9);
  EXPECT_NEAR(static_cast<double>(mix.columns[0]) / kWholeMix, 2.0 / 3, 1e-9);
  EXPECT_NEAR(Above(loads, mix), 8.0 / 3, 1e-9);
  // The second column is better in each row.
  const GameMix pure = SolveGame({{3, 5}, {2, 4}});
  EXPECT_EQ(pure.columns, (std::vector<int64_t>{0, kWholeMix}));
  EXPECT_EQ(pure.rows, (std::vector<int64_t>{0, kWholeMix}));
  // One row: the least load.
  EXPECT_EQ(SolveGame({{7}, {5}, {6}}).columns, (std::vector<int64_t>{0, kWholeMix, 0}));
}

// Each side bounds the value of the game, so equal bounds prove both.
TEST(MatrixGame, BoundsMeetInRandomGames) {
  for (uint64_t seed = 0; seed < 500; ++seed) {
    Rng rng(seed);
    const size_t rows = 1 + rng.Below(10), columns = 1 + rng.Below(40);
    Loads loads(columns, std::vector<int64_t>(rows));
    for (auto& column : loads) {
      for (int64_t& load : column) {
        load = rng.Chance(0.3) ? 0 : static_cast<int64_t>(rng.Below(1u << (4 + rng.Below(20))));
      }
      column[rng.Below(rows)] += 1;
    }
    const GameMix mix = SolveGame(loads);
    EXPECT_EQ(Sum(mix.columns), kWholeMix);
    EXPECT_EQ(Sum(mix.rows), kWholeMix);
    const double above = Above(loads, mix), below = Below(loads, mix);
    EXPECT_LE(below, above * (1 + 1e-12));
    EXPECT_GE(below, above * (1 - 1e-4)) << "seed " << seed;
  }
}

}  // namespace
}  // namespace muster
