// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/replay/estimate_readers.h"

#include "gtest/gtest.h"
#include "lib/profile/profile.h"

namespace muster {
namespace {

TEST(EstimateReaders, OnlyProfilesThatWeighLossesReadCheckpoints) {
  const auto reads = [](const char* profile) { return ReadsCheckpoints(*ResolveProfile(profile)); };
  EXPECT_TRUE(reads("muster"));
  EXPECT_TRUE(reads("muster:actions=allocate+preempt(exchange=1)"));
  EXPECT_TRUE(reads("muster:actions=allocate+reclaim(by_loss=on)"));
  EXPECT_FALSE(reads("muster:actions=allocate+preempt"));
  EXPECT_FALSE(reads("volcano"));
  EXPECT_FALSE(reads("easy"));
}

}  // namespace
}  // namespace muster
