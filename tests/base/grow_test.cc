// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/base/grow.h"

#include <cstddef>
#include <vector>

#include "gtest/gtest.h"
#include "muster/types.h"

namespace muster {
namespace {

// Sizes on both sides of the block that rows are copied from, and of a vector's own growth.
TEST(GrowTest, IsResizeWithAValue) {
  const std::vector<size_t> sizes = {0, 1, 2, 255, 256, 257, 512, 513, 5000};
  for (size_t from : sizes) {
    for (size_t to : sizes) {
      std::vector<NodeIndex> expected;
      for (size_t i = 0; i < from; ++i) expected.push_back(NodeIndex(i));
      std::vector<NodeIndex> column = expected;
      if (to > from) expected.resize(to, kNone);
      GrowTo(to, NodeIndex(kNone), column);
      EXPECT_EQ(column, expected) << from << " to " << to;
    }
  }
}

// A cluster gets rows one by one: each must not copy all others.
TEST(GrowTest, GrowsByFactors) {
  std::vector<NodeIndex> column;
  size_t moves = 0;
  for (size_t size = 1; size <= 10'000; ++size) {
    const size_t capacity = column.capacity();
    GrowTo(size, NodeIndex(kNone), column);
    moves += column.capacity() != capacity;
  }
  EXPECT_LE(moves, 15u);
}

}  // namespace
}  // namespace muster
