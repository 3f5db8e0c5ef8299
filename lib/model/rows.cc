// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/model/rows.h"

#include <algorithm>
#include <utility>

namespace muster {

void RowTable::AddDimensions(size_t dimensions, int64_t fill) {
  if (dimensions <= dimensions_) return;
  std::vector<int64_t> wider;
  wider.reserve(size_ * dimensions);
  for (size_t i = 0; i < size_; ++i) {
    const auto begin = cells_.begin() + static_cast<std::ptrdiff_t>(i * dimensions_);
    wider.insert(wider.end(), begin, begin + static_cast<std::ptrdiff_t>(dimensions_));
    wider.insert(wider.end(), dimensions - dimensions_, fill);
  }
  cells_ = std::move(wider);
  dimensions_ = dimensions;
}

void RowTable::Compact(std::span<const uint8_t> keep) {
  size_t kept = 0;
  for (size_t i = 0; i < keep.size(); ++i) {
    if (!keep[i]) continue;
    if (kept != i) std::ranges::copy(row(i), row(kept).begin());
    ++kept;
  }
  size_ = kept;
  cells_.resize(kept * dimensions_);
}

}  // namespace muster
