// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/share/matrix_game.h"

#include <algorithm>
#include <cstddef>

#include "absl/numeric/int128.h"

namespace muster {
namespace {

using Wide = absl::int128;

constexpr int kPlaces = 40;  // binary places of a cell
constexpr int64_t kOneCell = int64_t{1} << kPlaces, kMostCell = int64_t{1} << 62;
constexpr int64_t kSmallCell = int64_t{1} << 12;  // below it a cell counts as 0
constexpr int kMostSteps = 1000;

int64_t ToCell(Wide value) {
  return static_cast<int64_t>(std::clamp<Wide>(value, -kMostCell, kMostCell));
}

// maximise the sum of gains, with loads within 1 in each row. Columns are scaled by their largest
// load; behind them come the slacks of rows, and the right hand side.
class Simplex {
 public:
  explicit Simplex(const std::vector<std::vector<int64_t>>& columns)
      : rows_(columns.front().size()), columns_(columns.size()), width_(columns_ + rows_ + 1) {
    int64_t least = INT64_MAX;
    for (const auto& column : columns) {
      largest_.push_back(*std::max_element(column.begin(), column.end()));
      least = std::min(least, largest_.back());
    }
    cells_.assign((rows_ + 1) * width_, 0);
    for (size_t k = 0; k < columns_; ++k) {
      for (size_t i = 0; i < rows_; ++i) {
        at(i, k) = ToCell(Wide(columns[k][i]) * kOneCell / largest_[k]);
      }
      at(rows_, k) = ToCell(Wide(least) * kOneCell / largest_[k]);
      gain_.push_back(at(rows_, k));
    }
    for (size_t i = 0; i < rows_; ++i) {
      at(i, columns_ + i) = at(i, width_ - 1) = kOneCell;
      basis_.push_back(columns_ + i);
    }
  }

  void Solve() {
    for (int step = 0; step < kMostSteps; ++step) {
      size_t entering = width_;
      int64_t gain = kSmallCell;
      for (size_t k = 0; k + 1 < width_; ++k) {
        if (at(rows_, k) > gain) gain = at(rows_, entering = k);
      }
      if (entering == width_) return;
      size_t leaving = rows_;
      for (size_t i = 0; i < rows_; ++i) {
        if (at(i, entering) < kSmallCell) continue;
        if (leaving == rows_ ||
            Wide(Right(i)) * at(leaving, entering) < Wide(Right(leaving)) * at(i, entering)) {
          leaving = i;
        }
      }
      if (leaving == rows_) return;
      Pivot(leaving, entering);
    }
  }

  GameMix Mix() {
    GameMix mix;
    std::vector<Wide> parts(columns_, 0);
    for (size_t i = 0; i < rows_; ++i) {
      if (basis_[i] < columns_) parts[basis_[i]] = (Wide(Right(i)) * gain_[basis_[i]]) >> kPlaces;
    }
    mix.columns = Whole(parts);
    parts.assign(rows_, 0);
    for (size_t i = 0; i < rows_; ++i) {
      parts[i] = std::max<int64_t>(-at(rows_, columns_ + i), 0);
    }
    mix.rows = Whole(parts);
    return mix;
  }

 private:
  int64_t& at(size_t row, size_t column) { return cells_[row * width_ + column]; }
  int64_t Right(size_t row) { return std::max<int64_t>(at(row, width_ - 1), 0); }

  void Pivot(size_t leaving, size_t entering) {
    const int64_t pivot = at(leaving, entering);
    for (size_t k = 0; k < width_; ++k) {
      at(leaving, k) = ToCell((Wide(at(leaving, k)) << kPlaces) / pivot);
    }
    at(leaving, entering) = kOneCell;
    for (size_t i = 0; i <= rows_; ++i) {
      const int64_t factor = at(i, entering);
      if (i == leaving || factor == 0) continue;
      for (size_t k = 0; k < width_; ++k) {
        at(i, k) = ToCell(at(i, k) - ((Wide(factor) * at(leaving, k)) >> kPlaces));
      }
      at(i, entering) = 0;
    }
    basis_[leaving] = entering;
  }

  // Scales parts to a sum of kWholeMix. What is lost by rounding goes to the largest.
  static std::vector<int64_t> Whole(const std::vector<Wide>& parts) {
    Wide sum = 0;
    for (const Wide& part : parts) sum += part;
    std::vector<int64_t> whole(parts.size(), 0);
    int64_t left = kWholeMix;
    size_t largest = 0;
    for (size_t i = 0; i < parts.size() && sum > 0; ++i) {
      whole[i] = static_cast<int64_t>(parts[i] * kWholeMix / sum);
      left -= whole[i];
      if (parts[i] > parts[largest]) largest = i;
    }
    whole[largest] += left;
    return whole;
  }

  const size_t rows_, columns_, width_;
  std::vector<int64_t> cells_, largest_, gain_;
  std::vector<size_t> basis_;  // by row
};

}  // namespace

GameMix SolveGame(const std::vector<std::vector<int64_t>>& columns) {
  Simplex simplex(columns);
  simplex.Solve();
  return simplex.Mix();
}

}  // namespace muster
