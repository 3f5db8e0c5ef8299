// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Grows a column to `size` rows; the new ones hold `value`.
//
//   GrowTo(nodes.size(), NodeIndex(kNone), home_);
//
// The same as column.resize(size, value), at the cost of the bytes. For columns of indices GCC 12
// compiles resize, with or without a value, into a loop that loads the first new row again for
// every other one, and each load may wait for a store. So rows are copied from a block.
#ifndef MUSTER_BASE_GROW_H_
#define MUSTER_BASE_GROW_H_

#include <algorithm>
#include <cstddef>
#include <type_traits>
#include <vector>

namespace muster {

template <class T>
void GrowTo(size_t size, T value, std::vector<T>& column) {
  static_assert(std::is_trivially_copyable_v<T>);
  constexpr size_t kBlock = 256;
  size_t missing = size - std::min(size, column.size());
  if (missing == 0) return;
  T block[kBlock];
  std::fill_n(block, std::min(missing, kBlock), value);
  if (size > column.capacity()) column.reserve(std::max(size, 2 * column.size()));
  while (missing > 0) {
    const size_t rows = std::min(missing, kBlock);
    column.insert(column.end(), block, block + rows);
    missing -= rows;
  }
}

}  // namespace muster

#endif  // MUSTER_BASE_GROW_H_
