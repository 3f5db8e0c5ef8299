// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/mesos/sorter.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace muster::mesos {
namespace {

constexpr uint32_t kA = 0, kB = 1, kC = 2, kD = 3;

Load Cpus(int64_t cpus) { return {.own = {{cpus * 1000}}}; }

class SorterTest : public ::testing::Test {
 protected:
  SorterTest() { totals_.amounts[0] = 100'000; }

  void Add(const std::string& path, uint32_t client) {
    sorter_.Add(path, client);
    sorter_.SetActive(client, true);
  }
  std::vector<uint32_t> Walk() {
    std::vector<uint32_t> clients;
    sorter_.Start();
    for (uint32_t client; (client = sorter_.Next()) != kNone;) clients.push_back(client);
    return clients;
  }

  Totals totals_;
  Sorter sorter_{SortBy::kDrf, &totals_};
};

using Clients = std::vector<uint32_t>;

TEST_F(SorterTest, ByShareThenCountThenPath) {
  Add("b", kB);
  Add("a", kA);
  EXPECT_EQ(Walk(), (Clients{kA, kB}));
  sorter_.Allocated(kA, 0, Cpus(1));
  EXPECT_EQ(Walk(), (Clients{kB, kA}));
  sorter_.Unallocated(kA, 0, Cpus(1));  // the count stays
  EXPECT_EQ(Walk(), (Clients{kB, kA}));
}

TEST_F(SorterTest, AWalkIsASnapshot) {
  Add("a/x", kA);
  Add("a/y", kB);
  Add("c", kC);
  sorter_.Start();
  EXPECT_EQ(sorter_.Next(), kA);
  sorter_.Allocated(kA, 0, Cpus(50));  // moves a behind c, and a/x behind a/y
  EXPECT_EQ(sorter_.Next(), kB);
  EXPECT_EQ(sorter_.Next(), kC);
  EXPECT_EQ(sorter_.Next(), kNone);
  EXPECT_EQ(Walk(), (Clients{kC, kB, kA}));
}

TEST_F(SorterTest, ALeafWithChildrenIsOneOfThem) {
  Add("a", kA);
  sorter_.Allocated(kA, 0, Cpus(10));
  Add("b", kB);
  sorter_.Allocated(kB, 0, Cpus(6));
  Add("a/c", kC);
  EXPECT_EQ(Walk(), (Clients{kB, kC, kA}));
  sorter_.Remove(kC);
  EXPECT_EQ(Walk(), (Clients{kB, kA}));
  sorter_.Remove(kA);
  EXPECT_EQ(sorter_.AllocatedInAll()[0], 6'000);
}

TEST_F(SorterTest, WeightsOfParentsHoldFromTheFirstWalkOn) {
  Add("a/x", kA);
  Add("b/y", kB);
  sorter_.Allocated(kA, 0, Cpus(10));
  sorter_.Allocated(kB, 0, Cpus(10));
  sorter_.SetWeight("b", 2);
  EXPECT_EQ(Walk(), (Clients{kB, kA}));
  sorter_.SetWeight("a", 4);  // no client: too late
  EXPECT_EQ(Walk(), (Clients{kB, kA}));
  Add("a", kD);
  sorter_.SetWeight("a", 4);
  EXPECT_EQ(Walk(), (Clients{kD, kA, kB}));
}

TEST_F(SorterTest, SharedItemsCountOnceAnAgent) {
  Add("a", kA);
  const Load volume = {.shared = {{.kind = 7, .amount = 5'000, .form = Form::kSolid}}};
  sorter_.Allocated(kA, 1, volume);
  sorter_.Allocated(kA, 1, volume);
  EXPECT_EQ(sorter_.AllocatedTo(kA)[0], 5'000);
  sorter_.Allocated(kA, 2, volume);
  EXPECT_EQ(sorter_.AllocatedInAll()[0], 10'000);
  sorter_.Unallocated(kA, 1, volume);
  EXPECT_EQ(sorter_.AllocatedTo(kA)[0], 10'000);
  sorter_.Unallocated(kA, 1, volume);
  EXPECT_EQ(sorter_.AllocatedTo(kA)[0], 5'000);
}

TEST(RandomSorter, OnlyActiveClientsBySharedOutWeights) {
  const Totals totals;
  Rng random(3);
  Sorter sorter(SortBy::kRandom, &totals, &random);
  sorter.SetWeight("b", 3);
  for (const auto& [path, client] : {std::pair{"a/x", kA}, {"a/y", kB}, {"b", kC}, {"d", kD}}) {
    sorter.Add(path, client);
    sorter.SetActive(client, client != kD);
  }
  int first[4] = {};
  for (int i = 0; i < 8'000; ++i) {
    sorter.Start();
    ++first[sorter.Next()];
  }
  EXPECT_NEAR(first[kA], 1'000, 100);
  EXPECT_NEAR(first[kB], 1'000, 100);
  EXPECT_NEAR(first[kC], 6'000, 150);
  EXPECT_EQ(first[kD], 0);
}

}  // namespace
}  // namespace muster::mesos
