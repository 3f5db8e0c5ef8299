// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// A table of resource vectors: one dense int64 row per index over the snapshot's dimensions.
//
// A cell may be kAbsent: presence is kept in the cell itself, so any number of dimensions is
// possible and a row is one run of memory. With a new dimension each row gets a cell, which
// is O(rows). Beyond eight dimensions rows have spare cells, so that n dimensions, one after the
// other, do not copy the table n times.
#ifndef MUSTER_MODEL_ROWS_H_
#define MUSTER_MODEL_ROWS_H_

#include <cstdint>
#include <span>
#include <vector>

#include "muster/types.h"

namespace muster {

class RowTable {
 public:
  size_t size() const { return size_; }
  size_t dimensions() const { return dimensions_; }

  std::span<const int64_t> row(size_t index) const {
    return {cells_.data() + index * stride_, dimensions_};
  }
  std::span<int64_t> row(size_t index) { return {cells_.data() + index * stride_, dimensions_}; }
  int64_t at(size_t index, DimensionIndex d) const { return cells_[index * stride_ + d]; }

  void Append(std::span<const int64_t> row) {
    cells_.insert(cells_.end(), row.begin(), row.end());
    cells_.insert(cells_.end(), stride_ - dimensions_, kAbsent);
    ++size_;
  }
  void AppendAbsent() {
    cells_.insert(cells_.end(), stride_, kAbsent);
    ++size_;
  }
  // Widens every row; the new cells hold `fill`. O(rows) where these have spare cells, or O(table).
  void AddDimensions(size_t dimensions, int64_t fill = kAbsent);
  // Keeps the rows with a set flag, in their order. REQUIRES: keep.size() == size().
  void Compact(std::span<const uint8_t> keep);

 private:
  void Widen(size_t stride);

  size_t dimensions_ = 0;
  size_t stride_ = 0;  // cells from one row to the next
  size_t size_ = 0;
  std::vector<int64_t> cells_;
};

// Absent reads as zero.
inline int64_t OrZero(int64_t cell) { return cell == kAbsent ? 0 : cell; }

}  // namespace muster

#endif  // MUSTER_MODEL_ROWS_H_
