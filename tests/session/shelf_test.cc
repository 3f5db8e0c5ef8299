// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Cycles over snapshots write their books into the memory of the cycle before. What they decide
// must not know of it: clusters that grow, shrink and are planned for under several profiles get
// the plans that a cluster which had no cycle before gets.
#include "lib/model/shelf.h"

#include <memory>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "lib/model/access.h"
#include "lib/model/tables.h"
#include "muster/cluster.h"
#include "muster/schedule.h"
#include "tests/support/random_edits.h"
#include "tests/support/random_world.h"

namespace muster::testing {
namespace {

std::string DigestUnder(const Snapshot& snapshot, const char* profile) {
  const absl::StatusOr<Plan> plan = Schedule(snapshot, profile);
  EXPECT_TRUE(plan.ok()) << plan.status();
  return plan.ok() ? plan->Digest() : "";
}

TEST(ShelfTest, PlansDoNotKnowOfIt) {
  int64_t found = 0;
  for (uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Rng rng(seed);
    Cluster cluster = MakeCluster(RandomWorld(seed));
    RandomEdits editor(cluster, rng);
    std::vector<Snapshot> kept;
    for (int round = 0; round < 6; ++round) {
      for (uint64_t edit = rng.Below(6); edit > 0; --edit) editor.Step();
      kept.push_back(cluster.Freeze());
      // Of now and of before, in turns: the memory fits none of them.
      for (const char* profile : {"volcano:+preempt,+reclaim", "muster", "kube-batch"}) {
        const Snapshot& snapshot = kept[rng.Below(kept.size())];
        auto bare = std::make_shared<Tables>(TablesOf(snapshot));
        bare->shelf = std::make_shared<Shelf>();
        EXPECT_EQ(DigestUnder(snapshot, profile), DigestUnder(SnapshotOf(bare), profile));
        std::unique_ptr<Attachment> spare = TablesOf(snapshot).shelf->Take();
        found += spare != nullptr;
        TablesOf(snapshot).shelf->Put(std::move(spare));
      }
    }
    if (HasFailure()) return;
  }
  EXPECT_EQ(found, 40 * 6 * 3) << "nothing was used again: the test sees nothing";
}

TEST(ShelfTest, HoldsOneThing) {
  struct Thing : Attachment {
    explicit Thing(int* living) : living(living) { ++*living; }
    ~Thing() override { --*living; }
    int* living;
  };
  int living = 0;
  {
    Shelf shelf;
    EXPECT_EQ(shelf.Take(), nullptr);
    shelf.Put(std::make_unique<Thing>(&living));
    shelf.Put(std::make_unique<Thing>(&living));
    EXPECT_EQ(living, 1);
    const std::unique_ptr<Attachment> taken = shelf.Take();
    EXPECT_NE(taken, nullptr);
    EXPECT_EQ(shelf.Take(), nullptr);
    shelf.Put(std::make_unique<Thing>(&living));
    EXPECT_EQ(living, 2);
  }
  EXPECT_EQ(living, 0);
}

}  // namespace
}  // namespace muster::testing
