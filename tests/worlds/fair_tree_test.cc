// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The promises of profile muster on random trees of queues, checked from the outside in exact
// integers:
//   - what queues deserve is the weighted max-min division of what their parent has, at every level, between floors
//     (guaranteed) and ceilings (requested, at most the limit);
//   - progressive filling serves the smallest dominant share for its weight, the condition of DRF.
// fair_evict_test.cc has what is promised of evictions. Products are compared in 128 bits: no
// rounding hides a difference.
#include "tests/support/fair_tree.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/numeric/int128.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "lib/model/access.h"
#include "muster/schedule.h"
#include "tests/support/random_world.h"
#include "tests/support/world_loop.h"

namespace muster::testing {
namespace {

using absl::int128;

void ExpectMaxMin(const Tables& tables, const Books& books, const std::vector<Row>& deserved,
                  QueueIndex parent, DimensionIndex d) {
  const std::vector<QueueIndex> family = ChildrenOf(tables, parent);
  const int64_t total = ToDivide(books, deserved, parent, d);
  int128 given = 0, asked = 0, floors = 0;
  for (QueueIndex q : family) {
    given += deserved[q][d];
    asked += books.Demand(q, d);
    floors += books.Floor(q, d);
  }
  const bool promises_fit = floors <= total;
  EXPECT_LE(given, std::min<int128>(asked, total));
  // Amounts are rounded down: less than one unit for each is left.
  EXPECT_GT(given + static_cast<int64_t>(family.size()), std::min<int128>(asked, total));
  for (QueueIndex q : family) {
    const int64_t x = deserved[q][d], floor = books.Floor(q, d), ceiling = books.Demand(q, d);
    EXPECT_GE(x, 0);
    EXPECT_LE(x, promises_fit ? ceiling : floor);
    if (promises_fit) EXPECT_GE(x, floor);
    // A queue that could use more has no less for its weight than any that has more than it was
    // promised.
    const int64_t most = promises_fit ? ceiling : floor;
    if (x >= most) continue;
    for (QueueIndex other : family) {
      const int64_t y = deserved[other][d], v = tables.queues.spec[q].weight,
                    w = tables.queues.spec[other].weight;
      const int64_t least = promises_fit || w == 0 ? books.Floor(other, d) : 0;
      if (other == q || y <= least) continue;
      if (v == 0) {
        // Without weight it comes after all others, and equal among its like.
        if (w == 0) EXPECT_LE(y, x + 1);
        continue;
      }
      if (w == 0) {
        // It has what rounding left over, at most.
        EXPECT_LT(y - least, static_cast<int64_t>(family.size()));
        continue;
      }
      EXPECT_LE(int128(y) * v, (int128(x) + 1) * w)
          << tables.queues.names.name(q) << " against " << tables.queues.names.name(other);
    }
  }
}

TEST(FairTree, DeservedIsMaxMinAtEveryLevel) {
  for (uint64_t seed = 0; seed < WorldCount(1500) && !HasFailure(); ++seed) {
    SCOPED_TRACE(absl::StrCat("seed ", seed));
    const Snapshot snapshot = MakeCluster(RandomTree(seed, {})).Freeze();
    const Tables& tables = TablesOf(snapshot);
    const Books books(tables);
    const std::vector<Row> deserved = DeservedIn(snapshot);
    for (DimensionIndex d = 0; d < tables.dimension_count(); ++d) {
      ExpectMaxMin(tables, books, deserved, kNone, d);
      for (QueueIndex q = 0; q < tables.queues.alive.size(); ++q) {
        if (!tables.queues.children[q].empty()) ExpectMaxMin(tables, books, deserved, q, d);
      }
    }
  }
}

// Dominant share over weight as a fraction: of the dimension in which it is largest.
std::pair<int128, int128> DominantOf(const Tables& tables, const Books& books, QueueIndex q) {
  std::pair<int128, int128> largest{0, 1};
  for (DimensionIndex d = 0; d < tables.dimension_count(); ++d) {
    if (d == kPods || books.Total(d) <= 0) continue;
    const std::pair<int128, int128> share{books.tree(q, d),
                                          int128(books.Total(d)) * tables.queues.spec[q].weight};
    if (share.first * largest.second > largest.first * share.second) largest = share;
  }
  return largest;
}

// Tasks of one cpu on one node, no gangs, no bounds: each place goes to a queue of the smallest
// dominant share for its weight among siblings that request more, at every level.
TEST(FairTree, FillingServesTheSmallestDominantShare) {
  int64_t served = 0;
  for (uint64_t seed = 0; seed < WorldCount(1500) && !HasFailure(); ++seed) {
    SCOPED_TRACE(absl::StrCat("seed ", seed));
    const TreeKnobs knobs{.gangs = false, .bounds = false, .full = seed % 2 == 0, .alike = true};
    const Snapshot snapshot = MakeCluster(RandomTree(seed, knobs)).Freeze();
    const Tables& tables = TablesOf(snapshot);
    const absl::StatusOr<Plan> plan = Schedule(snapshot, "muster:actions=allocate");
    ASSERT_TRUE(plan.ok()) << plan.status();
    Books books(tables);
    // Per queue how many tasks there and below it find places from here on: those request more.
    std::vector<int64_t> wants(tables.queues.alive.size(), 0);
    const auto count = [&](TaskIndex t, int64_t sign) {
      for (QueueIndex q = books.QueueOf(t); q != kNone; q = books.ParentOf(q)) wants[q] += sign;
    };
    for (const Bind& bind : plan->binds()) count(bind.task, 1);
    for (const Bind& bind : plan->binds()) {
      for (QueueIndex q = books.QueueOf(bind.task); q != kNone; q = books.ParentOf(q)) {
        const auto mine = DominantOf(tables, books, q);
        for (QueueIndex other : ChildrenOf(tables, books.ParentOf(q))) {
          if (other == q || wants[other] == 0) continue;
          const auto theirs = DominantOf(tables, books, other);
          EXPECT_LE(mine.first * theirs.second, theirs.first * mine.second)
              << tables.queues.names.name(q) << " before " << tables.queues.names.name(other);
        }
      }
      books.Charge(bind.task, 1);
      count(bind.task, -1);
      ++served;
    }
  }
  if (WorldCount(1500) >= 1000) EXPECT_GT(served, 1000);
}

}  // namespace
}  // namespace muster::testing
