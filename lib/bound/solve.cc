// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/bound/solve.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "absl/numeric/int128.h"

namespace muster {
namespace {

constexpr int kPriceBits = 40;
constexpr double kPriceUnit = 0x1p-40;
constexpr double kLargestPrice = 0x1p62;
// Iterations from one look at the proof to the next.
constexpr int kRound = 40;
constexpr double kNearEnough = 1e-6;

double Square(double x) { return x * x; }

// Both are 0 or more.
absl::int128 CappedSum128(absl::int128 a, absl::int128 b) {
  const absl::int128 most = std::numeric_limits<absl::int128>::max();
  return b > most - a ? most : a + b;
}

}  // namespace

int64_t Proven(const BoundProgram& program, size_t which, const std::vector<int64_t>& prices) {
  absl::int128 sum = 0;
  for (size_t i = 0; i < program.capacity.size(); ++i) {
    sum = CappedSum128(sum, absl::int128(program.capacity[i]) * prices[i]);
  }
  for (size_t c = 0; c < program.most.size(); ++c) {
    absl::int128 left = absl::int128(program.value[which][c]) << kPriceBits;
    for (uint32_t e = program.first[c]; e < program.first[c + 1] && left > 0; ++e) {
      left -= absl::int128(program.amount[e]) * prices[program.row[e]];
    }
    if (left > 0) sum = CappedSum128(sum, left * program.most[c]);
  }
  const absl::int128 steps = sum >> kPriceBits;
  const absl::int128 most = std::numeric_limits<int64_t>::max();
  return static_cast<int64_t>(std::min(steps, most));
}

PriceSearch::PriceSearch(const BoundProgram& program) : program_(program) {}

// x of a column is a part of its `most`. A row is divided by its largest entry, the objective by
// its largest value.
void PriceSearch::Scale(size_t objective) {
  const size_t columns = program_.most.size(), rows = program_.capacity.size();
  entry_.assign(program_.row.size(), 0);
  row_scale_.assign(rows, 0);
  value_.assign(columns, 0);
  value_scale_ = 0;
  for (size_t c = 0; c < columns; ++c) {
    const auto most = static_cast<double>(program_.most[c]);
    value_[c] = static_cast<double>(program_.value[objective][c]) * most;
    value_scale_ = std::max(value_scale_, value_[c]);
    for (uint32_t e = program_.first[c]; e < program_.first[c + 1]; ++e) {
      entry_[e] = static_cast<double>(program_.amount[e]) * most;
      row_scale_[program_.row[e]] = std::max(row_scale_[program_.row[e]], entry_[e]);
    }
  }
  if (value_scale_ == 0) value_scale_ = 1;
  capacity_.assign(rows, 0);
  row_step_.assign(rows, 0);
  column_step_.assign(columns, 0);
  for (size_t i = 0; i < rows; ++i) {
    capacity_[i] = static_cast<double>(program_.capacity[i]) / row_scale_[i];
  }
  for (size_t c = 0; c < columns; ++c) {
    value_[c] /= value_scale_;
    for (uint32_t e = program_.first[c]; e < program_.first[c + 1]; ++e) {
      entry_[e] /= row_scale_[program_.row[e]];
      column_step_[c] += entry_[e];
      row_step_[program_.row[e]] += entry_[e];
    }
  }
  for (double& step : column_step_) step = step > 0 ? 1 / step : 1;
  for (double& step : row_step_) step = step > 0 ? 1 / step : 1;
}

void PriceSearch::Step(const Point& from, Point* to) {
  const size_t columns = program_.most.size(), rows = program_.capacity.size();
  std::vector<double> used(rows, 0);  // A (2 x' - x)
  for (size_t c = 0; c < columns; ++c) {
    double left = value_[c];
    for (uint32_t e = program_.first[c]; e < program_.first[c + 1]; ++e) {
      left -= entry_[e] * from.y[program_.row[e]];
    }
    const double x = std::clamp(from.x[c] + column_step_[c] / weight_ * left, 0.0, 1.0);
    to->x[c] = x;
    const double ahead = 2 * x - from.x[c];
    for (uint32_t e = program_.first[c]; e < program_.first[c + 1]; ++e) {
      used[program_.row[e]] += entry_[e] * ahead;
    }
  }
  for (size_t i = 0; i < rows; ++i) {
    to->y[i] = std::max(0.0, from.y[i] + weight_ * row_step_[i] * (used[i] - capacity_[i]));
  }
  work_ += static_cast<int64_t>(program_.row.size() + columns + rows);
}

void PriceSearch::Try(size_t objective, const std::vector<double>& y, BoundProof* best) {
  std::vector<int64_t> prices(y.size());
  for (size_t i = 0; i < y.size(); ++i) {
    const double price = y[i] * value_scale_ / row_scale_[i] / kPriceUnit;
    prices[i] = static_cast<int64_t>(std::min(price, kLargestPrice));
  }
  const int64_t steps = Proven(program_, objective, prices);
  work_ += static_cast<int64_t>(program_.row.size());
  if (steps >= best->steps) return;
  best->steps = steps;
  best->prices = std::move(prices);
}

double PriceSearch::Floor(const std::vector<double>& x) const {
  std::vector<double> used(capacity_.size(), 0);
  double value = 0, over = 1;
  for (size_t c = 0; c < x.size(); ++c) {
    value += value_[c] * x[c];
    for (uint32_t e = program_.first[c]; e < program_.first[c + 1]; ++e) {
      used[program_.row[e]] += entry_[e] * x[c];
    }
  }
  for (size_t i = 0; i < used.size(); ++i) {
    if (used[i] <= capacity_[i]) continue;
    if (capacity_[i] == 0) return 0;
    over = std::max(over, used[i] / capacity_[i]);
  }
  return value / over * value_scale_;
}

double PriceSearch::Gap(const Point& point) const {
  double proven = 0, has = 0, excess = 0;
  std::vector<double> used(capacity_.size(), 0);
  for (size_t c = 0; c < point.x.size(); ++c) {
    double left = value_[c];
    has += value_[c] * point.x[c];
    for (uint32_t e = program_.first[c]; e < program_.first[c + 1]; ++e) {
      left -= entry_[e] * point.y[program_.row[e]];
      used[program_.row[e]] += entry_[e] * point.x[c];
    }
    proven += std::max(left, 0.0);
  }
  for (size_t i = 0; i < used.size(); ++i) {
    proven += capacity_[i] * point.y[i];
    excess += std::max(used[i] - capacity_[i], 0.0) * std::max(point.y[i], 1e-3);
  }
  return proven - has + 2 * excess;
}

BoundProof PriceSearch::Find(size_t objective, int64_t work) {
  const size_t columns = program_.most.size(), rows = program_.capacity.size();
  const int64_t until = work_ + work;
  Scale(objective);
  BoundProof best{std::vector<int64_t>(rows, 0), 0};
  best.steps = Proven(program_, objective, best.prices);
  Point last{std::vector<double>(columns, 0), std::vector<double>(rows, 0)};
  Point next = last, start = last, sum = last;
  weight_ = 1;
  double least_gap = std::numeric_limits<double>::infinity(), floor = 0;
  int64_t steps = 0;
  while (work_ < until && rows > 0) {
    for (int i = 0; i < kRound; ++i) {
      Step(last, &next);
      std::swap(last, next);
      for (size_t c = 0; c < columns; ++c) sum.x[c] += last.x[c];
      for (size_t r = 0; r < rows; ++r) sum.y[r] += last.y[r];
    }
    steps += kRound;
    Point mean = sum;
    for (double& x : mean.x) x /= static_cast<double>(steps);
    for (double& y : mean.y) y /= static_cast<double>(steps);
    Try(objective, last.y, &best);
    Try(objective, mean.y, &best);
    floor = std::max({floor, Floor(last.x), Floor(mean.x)});
    work_ += static_cast<int64_t>(4 * program_.row.size());
    const auto proven = static_cast<double>(best.steps);
    if (proven <= floor * (1 + kNearEnough) || proven <= std::ceil(floor - kNearEnough)) break;
    const double of_last = Gap(last), of_mean = Gap(mean);
    const double gap = std::min(of_last, of_mean);
    if (gap > 0.3 * least_gap && steps < 4000) continue;
    // Begins again from the better point.
    least_gap = gap;
    if (of_mean < of_last) last = mean;
    double walked_x = 0, walked_y = 0;
    for (size_t c = 0; c < columns; ++c) walked_x += Square(last.x[c] - start.x[c]);
    for (size_t r = 0; r < rows; ++r) walked_y += Square(last.y[r] - start.y[r]);
    if (walked_x > 1e-20 && walked_y > 1e-20) {
      weight_ = std::sqrt(weight_ * std::sqrt(walked_y / walked_x));
      weight_ = std::clamp(weight_, 1e-5, 1e5);
    }
    start = last;
    sum = Point{std::vector<double>(columns, 0), std::vector<double>(rows, 0)};
    steps = 0;
  }
  return best;
}

}  // namespace muster
