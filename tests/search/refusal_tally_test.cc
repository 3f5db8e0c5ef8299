// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/search/refusal_tally.h"

#include <string>

#include "gtest/gtest.h"

namespace muster {
namespace {

// More than sixteen bits tell apart.
TEST(RefusalTally, CountsAsManyReasonsAsThereAreNodes) {
  constexpr int kReasons = 70'000;
  RefusalTally tally;
  for (int round = 1; round <= 2; ++round) {
    for (int i = 0; i < kReasons; ++i) {
      tally.Add(tally.NumberOf({RefusalCode::kTaint, kNone, std::to_string(i)}), 1);
    }
    const std::vector<Refusal> refusals = tally.Sorted();
    ASSERT_EQ(refusals.size(), kReasons);
    for (const Refusal& refusal : refusals) ASSERT_EQ(refusal.nodes, round) << refusal.detail;
  }
  tally.Add(RefusalTally::kFits, 1);
  EXPECT_EQ(tally.Sorted().size(), kReasons);
}

}  // namespace
}  // namespace muster
