// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The history in slots against the history of pools: equal bits after equal jobs, over many cycles
// and through text.
#include "lib/policy/history_slots.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/rng.h"
#include "lib/model/memory_data.h"
#include "muster/types.h"
#include "tests/support/world_loop.h"

namespace muster {
namespace {

constexpr MemoryDecl kDeclared[] = {kHistorySlot, kRecentSlot};

TEST(HistorySlots, EqualsTheHistoryOfPools) {
  // A name may look like other fields of a key.
  const std::string users[] = {"", "ann", "5 ann", "60 5 ann", "b"};
  for (uint64_t seed = 1; seed <= testing::WorldCount(20); ++seed) {
    Rng rng(seed);
    RunHistory pool;
    Memory memory;
    RecentRuns recent;
    const EventLog events;
    for (int cycle = 0; cycle < 300; ++cycle) {
      MemorySlots slots(memory, kDeclared, events, /*one_event=*/false);
      recent.Open(slots);
      HistorySlots history(slots, recent);
      if (rng.Below(10) == 0) {  // a cycle that is cut: what it learnt is forgotten
        history.Learn({users[1], 60, 1}, 7);
        continue;
      }
      for (uint64_t ended = rng.Below(4); ended > 0; --ended) {
        const auto user = static_cast<uint32_t>(rng.Below(5));
        const auto estimate = static_cast<int64_t>(60 * (1 + rng.Below(3)));
        const auto size = static_cast<int64_t>(1 + rng.Below(5));
        const auto run = static_cast<int64_t>(rng.Below(200));
        pool.Learn({user == 0 ? kNone : user, estimate, size}, run);
        history.Learn({users[user], estimate, size}, run);
      }
      const auto user = static_cast<uint32_t>(rng.Below(5));
      const auto estimate = static_cast<int64_t>(60 * (1 + rng.Below(4)));
      const auto size = static_cast<int64_t>(1 + rng.Below(6));
      ASSERT_EQ(history.Length({users[user], estimate, size}),
                pool.Length({user == 0 ? kNone : user, estimate, size}))
          << "seed " << seed << " cycle " << cycle;
      recent.Close(slots);
      memory = std::move(slots).After();
      if (cycle % 50 == 49) memory = *Memory::Parse(memory.ToText());
    }
    EXPECT_FALSE(memory.Find("history")->empty());
  }
}

TEST(HistorySlots, KeepsABoundedNumberOfSums) {
  constexpr int kEach = 4000;
  RunHistory pool;
  Memory memory;
  RecentRuns recent;
  const EventLog events;
  size_t most = 0;
  for (int cycle = 0; cycle < 20; ++cycle) {
    MemorySlots slots(memory, kDeclared, events, /*one_event=*/false);
    recent.Open(slots);
    HistorySlots history(slots, recent);
    for (int i = 0; i < kEach; ++i) {  // users that ask once
      const std::string user = absl::StrCat("u", cycle, "-", i);
      EXPECT_GT(history.Length({user, 60, 1}), 0);
    }
    pool.Learn({0, 60, 1 + cycle % 3}, 10 * cycle);
    history.Learn({"ann", 60, 1 + cycle % 3}, 10 * cycle);
    ASSERT_EQ(history.Length({"ann", 60, 1}), pool.Length({0, 60, 1})) << "cycle " << cycle;
    recent.Close(slots);
    memory = std::move(slots).After();
    most = std::max(most, recent.kept());
  }
  EXPECT_GT(most, RecentRuns::kMostKept);  // in the cycle before it starts anew
  EXPECT_LE(most, RecentRuns::kMostKept + 3 * (kEach + 1) + 2);
}

// Whatever a memory holds, a guess is a number, and nothing breaks.
TEST(HistorySlots, ReadsNonsense) {
  const Memory none;
  const EventLog events;
  MemorySlots writing(none, kDeclared, events, /*one_event=*/false);
  writing.Remember("history").Set("0", {-0.1, -1e300, std::string("x")});
  writing.Remember("history-recent").Set("x", {std::string("y")});
  writing.Remember("history-recent").Set("y", {int64_t{-5}, int64_t{-1}, kAbsent, int64_t{0}});
  const Memory memory = std::move(writing).After();
  MemorySlots slots(memory, kDeclared, events, /*one_event=*/false);
  RecentRuns recent;
  recent.Open(slots);
  HistorySlots history(slots, recent);
  EXPECT_GE(history.Length({"ann", 100, 1}), 0);
  for (int i = 0; i < 600; ++i) history.Learn({"ann", 100, 1}, 50);
  EXPECT_GT(history.Length({"ann", 100, 1}), 0);
}

}  // namespace
}  // namespace muster
