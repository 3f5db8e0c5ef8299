// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// NodeTimeline against sums over all changes.
#include "lib/peer/batch/node_timeline.h"

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

#include "gtest/gtest.h"
#include "lib/base/rng.h"

namespace muster {
namespace {

struct Change {
  int64_t time;
  std::array<int64_t, 2> amounts;
  int sign;
};

int64_t Slow(const std::vector<Change>& changes, size_t d, int64_t from, int64_t to) {
  int64_t least = std::numeric_limits<int64_t>::max();
  for (int64_t time = from; time < std::max(to, from + 1); ++time) {
    int64_t amount = 0;
    for (const Change& change : changes) {
      if (change.time <= time) amount += change.sign * change.amounts[d];
    }
    least = std::min(least, amount);
  }
  return least;
}

TEST(NodeTimeline, ReturnsTheLeastAmount) {
  Rng rng(7);
  const auto below = [&](uint64_t limit) { return static_cast<int64_t>(rng.Below(limit)); };
  for (int world = 0; world < 200; ++world) {
    NodeTimeline timeline(2);
    std::vector<Change> changes;
    for (int step = 0; step < 30; ++step) {
      if (rng.Below(2) == 0) {
        changes.push_back({below(20), {below(9), below(9)}, rng.Below(2) == 0 ? 1 : -1});
        timeline.Add(changes.back().time, changes.back().amounts, changes.back().sign);
      }
      const int64_t from = below(22) - 1, to = from + below(12);
      for (size_t d = 0; d < 2; ++d) {
        ASSERT_EQ(timeline.Least(d, from, to), Slow(changes, d, from, to))
            << "world " << world << ", step " << step;
      }
    }
  }
}

}  // namespace
}  // namespace muster
