// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Grows a column to `size` rows; the new ones hold `value`.
//
//   GrowTo(nodes.size(), NodeIndex(kNone), home_);
//
// The same as column.resize(size, value), at the cost of the bytes. For columns of indices GCC 12
// compiles resize with a value into a loop that stores one byte and loads four at every row, and
// each load waits for its store: growing the ledger's columns so took an eighth of a preemption.
#ifndef MUSTER_BASE_GROW_H_
#define MUSTER_BASE_GROW_H_

#include <algorithm>
#include <cstddef>
#include <vector>

namespace muster {

template <class T>
void GrowTo(size_t size, T value, std::vector<T>& column) {
  const size_t known = column.size();
  if (known >= size) return;
  column.resize(size);
  std::fill(column.begin() + static_cast<std::ptrdiff_t>(known), column.end(), value);
}

}  // namespace muster

#endif  // MUSTER_BASE_GROW_H_
