// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/part/domain_search.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/part/loop.h"

namespace muster {
namespace {

using testing::Loop;

// A block of the racks r0, r1, r2: two nodes each, those of r2 larger; and a gang of three that
// takes a cpu a task.
void FillForDomains(Cluster& cluster) {
  ASSERT_TRUE(cluster.AddDomain({.name = "block", .tier = 2}).ok());
  for (int rack = 0; rack < 3; ++rack) {
    const std::string name = absl::StrCat("r", rack);
    ASSERT_TRUE(cluster.AddDomain({.name = name, .parent = "block", .tier = 1}).ok());
    NodeSpec node{.name = name + "-", .capacity = {{"cpu", rack == 2 ? 2 : 1}}};
    node.domain = name;
    ASSERT_TRUE(cluster.AddNodes(2, node).ok());
  }
  ASSERT_TRUE(
      cluster
          .AddJob({.name = "gang",
                   .min_available = 3,
                   .groups = {{.name = "w", .count = 3, .shape = {.request = {{"cpu", 1}}}}},
                   .topology = TopologyWish{.highest_tier = 1}})
          .ok());
}

class DomainSearchTest : public ::testing::Test {
 protected:
  DomainMemory MemoryOfGang() {
    return {context_, &twins_, {0, kNone}, TaskQueue(context_.dispatcher, {0, 1, 2})};
  }

  Loop loop_{"volcano", FillForDomains};
  ActionContext& context_ = loop_.context();
  DomainTwins twins_{context_};
  const DomainIndex r0_ = loop_.domain("r0"), r1_ = loop_.domain("r1"), r2_ = loop_.domain("r2");
  const DomainIndex block_ = loop_.domain("block");
};

TEST_F(DomainSearchTest, TheNarrowestTierComesFirst) {
  EXPECT_EQ(DomainsUpTo(context_, 1), (std::vector{r0_, r1_, r2_}));
  EXPECT_EQ(DomainsUpTo(context_, 2), (std::vector{r0_, r1_, r2_, block_}));
  const DomainIndex root = context_.domains.root();
  EXPECT_EQ(DomainsUpTo(context_, context_.domains.tier(root)),
            (std::vector{r0_, r1_, r2_, block_, root}));
  EXPECT_TRUE(IsLeafDomain(context_.domains, r0_));
  EXPECT_FALSE(IsLeafDomain(context_.domains, block_));
  EXPECT_FALSE(IsLeafDomain(context_.domains, root));
}

TEST_F(DomainSearchTest, TwinsFareAlike) {
  DomainMemory memory = MemoryOfGang();
  EXPECT_TRUE(memory.tells_of_twins());
  EXPECT_EQ(memory.Tell(r0_), std::nullopt);
  memory.Learn(r0_, false, 0);
  EXPECT_EQ(memory.Tell(r1_), false);
  EXPECT_EQ(memory.Tell(r2_), std::nullopt);
  memory.Learn(r2_, true, 0);
  EXPECT_EQ(memory.Tell(r2_), true);
}

TEST_F(DomainSearchTest, WhatHoldsNoMoreThanWasPlacedInVainFailsToo) {
  DomainMemory memory = MemoryOfGang();
  memory.Learn(block_, false, 2);  // no leaf: nothing is known of twins
  EXPECT_EQ(memory.Tell(r0_), false);
  EXPECT_EQ(memory.Tell(r2_), std::nullopt);  // it has room for 4
}

TEST_F(DomainSearchTest, ADefaultMemoryLearnsNothing) {
  DomainMemory memory;
  memory.Learn(r0_, false, 9);
  EXPECT_EQ(memory.Tell(r0_), std::nullopt);
}

TEST_F(DomainSearchTest, TheHighestScoreIsTheBestAndTheFirstByNameOfEqualOnes) {
  DomainTries<int> tries(context_.domains);
  EXPECT_TRUE(tries.empty());
  tries.AddTwin(r2_).score = 1;
  tries.Add(r1_, {}, 5).score = 2;
  tries.Add(r0_, {}, 6).score = 2;
  EXPECT_EQ(tries.best().domain, r0_);
  EXPECT_EQ(tries.best().left, 6);
  tries.all()[0].score = 3;
  EXPECT_EQ(tries.best().domain, r2_);
  EXPECT_FALSE(tries.best().left.has_value());
}

TEST_F(DomainSearchTest, SlotsAreThoseOfNoSubGroupFirst) {
  EXPECT_EQ((SubGroup{4, kNone}).slot(), 0U);
  EXPECT_EQ((SubGroup{4, 2}).slot(), 3U);
  for (const size_t slot : {0, 1, 7}) EXPECT_EQ(SubGroup::AtSlot(4, slot).slot(), slot);
}

}  // namespace
}  // namespace muster
