// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Zero-sum games given by a small matrix, in integers.
//
//   // Columns choose; rows have weights such that the cheapest column is as dear as possible.
//   const GameMix mix = SolveGame({{2, 0}, {0, 4}});
//   mix.rows;       // 2/3 and 1/3 of kWholeMix: both columns cost 4/3
//   mix.columns;    // the same parts: no row has more than 4/3
//
// Each column has one load for each row. `columns` mixes columns such that the largest load of a
// row is as small as can be; `rows` weighs rows such that the least weighted load of a column is as
// large as can be. In exact arithmetic both are the value of the game.
//
// Guarantee. Parts are 0 or more, and add up to kWholeMix. So each answer bounds the value from its
// side, whatever was rounded; callers compute both bounds and know the gap. Equal matrices give
// equal answers on every machine.
//
// How. The simplex method from the corner without columns, the entries in fixed point with 40
// binary places. The column with the largest gain enters, of equal ones the first; the row with the
// least ratio leaves, of equal ones the first. It ends after kMostSteps, too, where rounding makes
// it go in circles.
//
// Cost. O(rows x (rows + columns)) a step; about as many steps as rows.
#ifndef MUSTER_SHARE_MATRIX_GAME_H_
#define MUSTER_SHARE_MATRIX_GAME_H_

#include <cstdint>
#include <vector>

namespace muster {

inline constexpr int64_t kWholeMix = int64_t{1} << 40;

struct GameMix {
  std::vector<int64_t> columns, rows;  // in kWholeMix
};

// REQUIRES: there are columns; all have as many loads, at least one, from 0 to 2^60; each column
// has a load above 0.
GameMix SolveGame(const std::vector<std::vector<int64_t>>& columns);

}  // namespace muster

#endif  // MUSTER_SHARE_MATRIX_GAME_H_
