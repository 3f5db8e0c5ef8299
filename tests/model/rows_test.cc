// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/model/rows.h"

#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/base/rng.h"

namespace muster {
namespace {

// A table of vectors that are copied whole.
struct Plain {
  size_t dimensions = 0;
  std::vector<std::vector<int64_t>> rows;
};

void ExpectEqual(const RowTable& table, const Plain& plain) {
  ASSERT_EQ(table.size(), plain.rows.size());
  ASSERT_EQ(table.dimensions(), plain.dimensions);
  for (size_t i = 0; i < plain.rows.size(); ++i) {
    ASSERT_THAT(table.row(i), ::testing::ElementsAreArray(plain.rows[i]));
  }
}

// Rows have spare cells from some number of dimensions on. No reader sees them.
TEST(RowTable, IsATableOfVectors) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    Rng rng(seed);
    RowTable table;
    Plain plain;
    for (int step = 0; step < 60; ++step) {
      switch (rng.Below(4)) {
        case 0: {
          plain.dimensions += rng.Below(4);
          const int64_t fill = rng.Chance(0.5) ? kAbsent : 0;
          for (auto& row : plain.rows) row.resize(plain.dimensions, fill);
          table.AddDimensions(plain.dimensions, fill);
          break;
        }
        case 1:
          plain.rows.emplace_back(plain.dimensions, kAbsent);
          table.AppendAbsent();
          break;
        case 2: {
          std::vector<int64_t>& row = plain.rows.emplace_back();
          for (size_t d = 0; d < plain.dimensions; ++d) {
            row.push_back(static_cast<int64_t>(rng.Below(100)));
          }
          table.Append(row);
          break;
        }
        case 3: {
          std::vector<uint8_t> keep;
          std::vector<std::vector<int64_t>> kept;
          for (const auto& row : plain.rows) {
            keep.push_back(rng.Chance(0.9));
            if (keep.back()) kept.push_back(row);
          }
          plain.rows = kept;
          table.Compact(keep);
          break;
        }
      }
      ExpectEqual(table, plain);
    }
  }
}

}  // namespace
}  // namespace muster
