// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/model/rows.h"

#include <algorithm>
#include <utility>

namespace muster {

void RowTable::AddDimensions(size_t dimensions, int64_t fill) {
  if (dimensions <= dimensions_) return;
  if (dimensions > stride_) Widen(std::max(dimensions, stride_ < 8 ? 0 : stride_ + stride_ / 2));
  for (size_t i = 0; i < size_; ++i) {
    std::fill(cells_.begin() + static_cast<std::ptrdiff_t>(i * stride_ + dimensions_),
              cells_.begin() + static_cast<std::ptrdiff_t>(i * stride_ + dimensions), fill);
  }
  dimensions_ = dimensions;
}

void RowTable::Widen(size_t stride) {
  std::vector<int64_t> wider;
  wider.reserve(size_ * stride);
  for (size_t i = 0; i < size_; ++i) {
    const std::span<const int64_t> cells = row(i);
    wider.insert(wider.end(), cells.begin(), cells.end());
    wider.insert(wider.end(), stride - dimensions_, kAbsent);
  }
  cells_ = std::move(wider);
  stride_ = stride;
}

void RowTable::Compact(std::span<const uint8_t> keep) {
  size_t kept = 0;
  for (size_t i = 0; i < keep.size(); ++i) {
    if (!keep[i]) continue;
    if (kept != i) std::ranges::copy(row(i), row(kept).begin());
    ++kept;
  }
  size_ = kept;
  cells_.resize(kept * stride_);
}

}  // namespace muster
