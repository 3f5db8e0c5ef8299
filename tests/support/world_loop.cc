// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "tests/support/world_loop.h"

#include <cstdlib>
#include <optional>

#include "gtest/gtest.h"
#include "tests/support/against_reference.h"
#include "tests/support/random_world.h"

namespace muster::testing {
namespace {

uint64_t FromEnvironment(const char* name, uint64_t usual) {
  const char* text = std::getenv(name);
  return text == nullptr ? usual : std::strtoull(text, nullptr, 10);
}

}  // namespace

uint64_t WorldCount(uint64_t usual) { return FromEnvironment("MUSTER_WORLDS", usual); }
uint64_t FirstSeed(uint64_t usual) { return FromEnvironment("MUSTER_SEED", usual); }

void ExpectAgreement(uint64_t worlds, absl::FunctionRef<ComparedWorld(uint64_t seed)> make) {
  const uint64_t first = FirstSeed(1);
  const uint64_t most = FromEnvironment("MUSTER_DIFFERENCES", 1);
  uint64_t differences = 0;
  for (uint64_t seed = first; seed < first + worlds; ++seed) {
    const ComparedWorld made = make(seed);
    const std::optional<Cluster> cluster = TryCluster(made.world);
    ASSERT_TRUE(cluster.has_value()) << "seed " << seed << ": a refused cluster was made";
    if (DifferenceFromReference(cluster->Freeze(), made.profile).empty()) continue;
    ADD_FAILURE() << "MUSTER_SEED=" << seed << " MUSTER_WORLDS=1\n"
                  << ReportDifference(made.world, made.profile);
    if (++differences == most) return;
  }
}

}  // namespace muster::testing
