// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Kept sums against sums of doubles in order, also where these round.
#include "lib/policy/kept_sums.h"

#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "lib/base/rng.h"

namespace muster {
namespace {

TEST(KeptSums, AreSumsInOrder) {
  for (const int64_t most : {int64_t{1000}, int64_t{1} << 53}) {
    Rng rng(7);
    KeptSums sums;
    sums.Resize(2, 3);
    std::map<uint32_t, std::pair<size_t, std::vector<int64_t>>> parts;
    bool rounded = false;
    for (int step = 0; step < 2000; ++step) {
      const auto member = static_cast<uint32_t>(rng.Below(40));
      const auto row = static_cast<size_t>(rng.Below(2));
      std::vector<int64_t> amounts;
      if (!rng.Chance(0.3)) {
        for (int d = 0; d < 3; ++d) {
          amounts.push_back(static_cast<int64_t>(rng.Below(static_cast<uint64_t>(most))));
        }
      }
      sums.Put(member, row, amounts);
      parts[member] = {row, amounts};
      for (size_t r = 0; r < 2; ++r) {
        for (size_t d = 0; d < 3; ++d) {
          double sum = 0, backwards = 0;
          for (const auto& [m, part] : parts) {
            if (part.first == r && !part.second.empty()) {
              sum += static_cast<double>(part.second[d]);
            }
          }
          for (auto at = parts.rbegin(); at != parts.rend(); ++at) {
            if (at->second.first == r && !at->second.second.empty()) {
              backwards += static_cast<double>(at->second.second[d]);
            }
          }
          rounded |= sum != backwards;
          ASSERT_EQ(sums.Sum(r, d), sum) << step;
        }
      }
    }
    EXPECT_EQ(rounded, most > 1000);
  }
}

}  // namespace
}  // namespace muster
