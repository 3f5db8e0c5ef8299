// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Merging NUMA hints with scores: numbers worked out by hand, and random hints against the slow
// twin.
#include "lib/peer/koordinator/device/scored_hints.h"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "lib/base/rng.h"
#include "lib/fit/numa_hints.h"
#include "lib/reference/peer/koordinator/scored_hints.h"
#include "tests/support/world_loop.h"

namespace muster::testing {
namespace {

ScoredHint Hint(uint64_t zones, bool preferred, int64_t score = 0) {
  return {.zones = zones, .preferred = preferred, .score = score};
}

ScoredChoice Merge(NumaPolicy policy, std::vector<ScoredHints> resources,
                   std::vector<ZoneState> alone = {}, uint64_t zones = 0b11) {
  return MergeScoredHints(policy, zones, resources, alone).value();
}

TEST(ScoredHints, ScoresBreakTies) {
  const ScoredHints low{{Hint(1, true, 5), Hint(2, true, 7)}};
  EXPECT_EQ(Merge(NumaPolicy::kRestricted, {low}).hint, Hint(2, true, 7));
  const ScoredHints high{{Hint(2, true, 7), Hint(1, true, 5)}};
  EXPECT_EQ(Merge(NumaPolicy::kRestricted, {high}).hint, Hint(1, true, 5));  // lower, and later
  EXPECT_EQ(Merge(NumaPolicy::kRestricted, {low, low}).hint, Hint(2, true, 14));
}

TEST(ScoredHints, DifferentZonesAreNotPreferred) {
  const ScoredHints wide{{Hint(3, true)}}, narrow{{Hint(1, true)}};
  const ScoredChoice choice = Merge(NumaPolicy::kRestricted, {wide, narrow});
  EXPECT_FALSE(choice.admitted);
  EXPECT_EQ(*choice.hint.zones, 1u);
  EXPECT_TRUE(choice.hint.unsatisfied);
  EXPECT_EQ(Merge(NumaPolicy::kBestEffort, {wide, narrow}).hint, Hint(3, false));
}

TEST(ScoredHints, WhatCannotBeHad) {
  const ScoredHints none{std::vector<ScoredHint>()};
  EXPECT_EQ(Merge(NumaPolicy::kRestricted, {none}).hint, Hint(3, false));
  EXPECT_EQ(Merge(NumaPolicy::kSingleZone, {none}).hint, ScoredHint{});
  EXPECT_EQ(Merge(NumaPolicy::kBestEffort, {none}).hint, Hint(3, false));
  EXPECT_TRUE(Merge(NumaPolicy::kBestEffort, {none}).admitted);
  EXPECT_TRUE(Merge(NumaPolicy::kNone, {none}).admitted);
  EXPECT_EQ(Merge(NumaPolicy::kSingleZone, {std::nullopt}).hint, ScoredHint{.preferred = true});
}

TEST(ScoredHints, ZonesToOneself) {
  const ScoredHints either{{Hint(1, true), Hint(2, true)}}, both{{Hint(3, true)}};
  const std::vector<ZoneState> states = {ZoneState::kShared, ZoneState::kSingle};
  EXPECT_EQ(Merge(NumaPolicy::kRestricted, {either}, states).hint, Hint(2, true));
  EXPECT_FALSE(Merge(NumaPolicy::kRestricted, {both}, states).admitted);
  EXPECT_TRUE(Merge(NumaPolicy::kRestricted, {both}, {ZoneState::kShared}).admitted);
}

TEST(ScoredHints, RefusesWhatWouldTakeForever) {
  const std::vector<ScoredHints> many(4, std::vector<ScoredHint>(100, Hint(3, true)));
  EXPECT_EQ(MergeScoredHints(NumaPolicy::kBestEffort, 3, many, {}).status().message(),
            "NUMA hints: more than 16777216 combinations");
}

reference::Scored Slow(const ScoredHint& hint) {
  reference::Scored slow{.any = !hint.zones.has_value(),
                         .preferred = hint.preferred,
                         .unsatisfied = hint.unsatisfied,
                         .score = static_cast<int>(hint.score)};
  for (int zone = 0; zone < 64; ++zone) {
    if (hint.zones.value_or(0) >> zone & 1) slow.zones.insert(zone);
  }
  return slow;
}

TEST(ScoredHints, RandomHintsAgainstTheTwin) {
  const uint64_t count = WorldCount(4000);
  const std::pair<NumaPolicy, const char*> policies[] = {
      {NumaPolicy::kNone, "none"},
      {NumaPolicy::kBestEffort, "best-effort"},
      {NumaPolicy::kRestricted, "restricted"},
      {NumaPolicy::kSingleZone, "single-numa-node"}};
  const char* const states[] = {"idle", "single", "shared"};
  uint64_t admitted = 0;
  for (uint64_t seed = 0; seed < count; ++seed) {
    Rng rng(seed);
    const uint64_t zones = (uint64_t{2} << rng.Below(4)) - 1;
    std::vector<ScoredHints> resources(rng.Below(4));
    std::vector<std::optional<std::vector<reference::Scored>>> slow(resources.size());
    for (size_t i = 0; i < resources.size(); ++i) {
      if (rng.Chance(0.1)) continue;
      resources[i].emplace();
      slow[i].emplace();
      for (uint64_t n = rng.Chance(0.05) ? 0 : 1 + rng.Below(6); n > 0; --n) {
        ScoredHint hint{.preferred = rng.Chance(0.6), .unsatisfied = rng.Chance(0.1)};
        if (!rng.Chance(0.1)) hint.zones = rng.Below(2 * zones);
        hint.score = static_cast<int64_t>(rng.Below(4));
        resources[i]->push_back(hint);
        slow[i]->push_back(Slow(hint));
      }
    }
    std::vector<ZoneState> alone;
    std::vector<std::string> slow_alone;
    for (int zone = 0; zone < 4 && seed % 2 == 0; ++zone) {
      const size_t state = rng.Below(3);
      alone.push_back(static_cast<ZoneState>(state));
      slow_alone.emplace_back(states[state]);
    }
    const auto& [policy, name] = policies[rng.Below(4)];
    const ScoredChoice fast = MergeScoredHints(policy, zones, resources, alone).value();
    const reference::ScoredMerge right =
        reference::MergeScored(name, Slow(Hint(zones, false)).zones, slow, slow_alone);
    ASSERT_EQ(Slow(fast.hint), right.best) << "seed " << seed << " " << name;
    ASSERT_EQ(fast.admitted, right.admitted) << "seed " << seed << " " << name;
    admitted += fast.admitted ? 1 : 0;
  }
  EXPECT_GT(admitted, count / 4);
  EXPECT_LT(admitted, count);
}

}  // namespace
}  // namespace muster::testing
