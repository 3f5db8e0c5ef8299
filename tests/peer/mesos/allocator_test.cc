// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/mesos/allocator.h"

#include <memory>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "lib/peer/mesos/tasks.h"

namespace muster::mesos {
namespace {

using Roles = std::vector<std::string>;

Resource Some(std::string name, double amount, Roles reserved = {}) {
  return {.kind = {.name = std::move(name), .reservations = std::move(reserved)}, .amount = amount};
}

std::vector<Resource> Machine(double cpus, double mem) {
  return {Some("cpus", cpus), Some("mem", mem)};
}

class AllocatorTest : public ::testing::Test {
 protected:
  void Framework(const std::string& name, const Roles& roles, Capabilities capabilities = {}) {
    const FrameworkSpec spec{.name = name, .roles = roles, .capabilities = capabilities};
    ASSERT_TRUE(allocator_->AddFramework(spec).ok());
  }
  void Agent(const std::string& name, const std::vector<Resource>& resources) {
    ASSERT_TRUE(allocator_->AddAgent({.name = name, .resources = resources}).ok());
  }
  // The offers of a round over all agents: "agent>framework cpus/mem".
  std::vector<std::string> Round() {
    allocator_->ConsiderAll();
    offers_ = allocator_->Allocate();
    std::vector<std::string> texts;
    for (const Offer& offer : offers_) {
      const Amounts sum = ScalarSum(offer.resources);
      texts.push_back(allocator_->AgentName(offer.agent) + ">" +
                      allocator_->FrameworkName(offer.framework) + " " +
                      std::to_string(sum[0] / 1000) + "/" + std::to_string(sum[1] / 1000));
    }
    return texts;
  }
  void Decline(double seconds) {
    for (const Offer& offer : offers_) ASSERT_TRUE(allocator_->Recover(offer, seconds).ok());
  }

  std::unique_ptr<Allocator> allocator_ = *Allocator::Make({});
  std::vector<Offer> offers_;
};

using Texts = std::vector<std::string>;

TEST_F(AllocatorTest, AFilterHidesPartsOfWhatWasRefused) {
  Framework("f", {"r"});
  Agent("a", Machine(2, 1024));
  EXPECT_EQ(Round(), (Texts{"a>f 2/1024"}));
  Decline(10);
  EXPECT_EQ(Round(), Texts{});
  allocator_->SetNow(10);  // the last moment of the filter
  EXPECT_EQ(Round(), Texts{});
  allocator_->SetNow(10.5);
  EXPECT_EQ(Round(), (Texts{"a>f 2/1024"}));
}

TEST_F(AllocatorTest, AFilterLastsAnInterval) {
  Framework("f", {"r"});
  Agent("a", Machine(2, 1024));
  Round();
  Decline(0.001);
  allocator_->SetNow(1);
  EXPECT_EQ(Round(), Texts{});
  ASSERT_TRUE(allocator_->Revive("f", {}).ok());
  EXPECT_EQ(Round(), (Texts{"a>f 2/1024"}));
  Decline(0);
  EXPECT_EQ(Round(), (Texts{"a>f 2/1024"}));
}

TEST_F(AllocatorTest, MoreThanWasRefusedIsOffered) {
  Framework("f", {"r"});
  Agent("a", Machine(2, 1024));
  Round();
  Decline(100);
  ASSERT_TRUE(allocator_->UpdateAgent("a", Machine(3, 1024)).ok());
  EXPECT_EQ(Round(), (Texts{"a>f 3/1024"}));
}

TEST_F(AllocatorTest, SuppressedFrameworksGetNothing) {
  Framework("f", {"r"});
  Framework("g", {"r"});
  ASSERT_TRUE(allocator_->Suppress("f", {"r"}).ok());
  Agent("a", Machine(2, 1024));
  EXPECT_EQ(Round(), (Texts{"a>g 2/1024"}));
}

TEST_F(AllocatorTest, ReservationsAreForTheRoleAndThoseBelow) {
  Framework("f", {"a/b/c"});
  Framework("g", {"x"});
  Agent("n", {Some("cpus", 1, {"a"}), Some("mem", 64, {"a/b"}), Some("cpus", 2, {"x"})});
  EXPECT_EQ(Round(), (Texts{"n>f 1/64", "n>g 2/0"}));
}

TEST_F(AllocatorTest, AGuaranteeWithoutFrameworkHoldsBack) {
  ASSERT_TRUE(allocator_->SetQuota("q", {{"cpus", 2}, {"mem", 1024}}, {}).ok());
  Framework("f", {"r"});
  Agent("a", Machine(2, 1024));
  EXPECT_EQ(Round(), Texts{});
  Agent("b", Machine(2, 1024));
  EXPECT_EQ(Round(), (Texts{"a>f 2/1024"}));
}

TEST_F(AllocatorTest, RolesBelowALimitUseItUpOnlyForTheNextRound) {
  ASSERT_TRUE(allocator_->SetQuota("q", {}, {{"cpus", 2}}).ok());
  Framework("below", {"q/x"});
  Framework("top", {"q"});
  Agent("a", Machine(2, 100));
  Agent("b", Machine(2, 100));
  const Texts first = Round();
  EXPECT_EQ(first.size(), 2u);
  Agent("c", Machine(2, 100));
  ASSERT_TRUE(allocator_->Suppress("below", {}).ok());
  EXPECT_EQ(Round(), (Texts{"c>top 0/100"}));
}

TEST_F(AllocatorTest, IndivisibleDisksGoWholeOrNotAtAll) {
  ASSERT_TRUE(allocator_->SetQuota("q", {}, {{"disk", 50}}).ok());
  Framework("f", {"q"});
  Resource mount = Some("disk", 80);
  mount.kind.indivisible = true;
  Agent("a", {Some("cpus", 1), Some("mem", 64), mount});
  ASSERT_EQ(Round(), (Texts{"a>f 1/64"}));
  EXPECT_EQ(offers_[0].resources.size(), 2u);
}

TEST_F(AllocatorTest, RevocableAndSharedNeedCapabilities) {
  Resource spare = Some("cpus", 4), volume = Some("mem", 100);
  spare.kind.revocable = true;
  volume.kind.shared = true;
  Framework("plain", {"r"});
  Agent("a", {spare, volume});
  EXPECT_EQ(Round(), Texts{});
  Framework("all", {"r"}, {.shared = true, .revocable = true});
  EXPECT_EQ(Round(), (Texts{"a>all 4/100"}));
  EXPECT_EQ(Round(), (Texts{"a>all 0/100"}));  // shared resources are never used up
}

TEST_F(AllocatorTest, GpuAgentsAreForThoseThatKnowGpus) {
  Framework("plain", {"r"});
  Framework("gpu", {"r"}, {.gpus = true});
  Agent("a", {Some("cpus", 1), Some("mem", 64), Some("gpus", 1)});
  EXPECT_EQ(Round(), (Texts{"a>gpu 1/64"}));
}

TEST_F(AllocatorTest, WhatIsTooLittleIsNotOffered) {
  Framework("f", {"r"});
  Agent("a", {Some("cpus", 0.009), Some("mem", 31.999)});
  EXPECT_EQ(Round(), Texts{});
  ASSERT_TRUE(allocator_->UpdateAgent("a", {Some("cpus", 0.009), Some("mem", 32)}).ok());
  EXPECT_EQ(Round(), (Texts{"a>f 0/32"}));
}

TEST_F(AllocatorTest, OfferConstraintsExcludeAgents) {
  FrameworkSpec spec{.name = "f", .roles = {"r"}};
  spec.constraints = {{"r", {{{.attribute = "os", .match = Match::kTextEquals, .text = "linux"}}}}};
  ASSERT_TRUE(allocator_->AddFramework(spec).ok());
  Agent("a", Machine(1, 64));
  AgentSpec linux_agent{.name = "b", .resources = Machine(1, 64)};
  linux_agent.traits.attributes = {{"os", "linux"}};
  ASSERT_TRUE(allocator_->AddAgent(linux_agent).ok());
  EXPECT_EQ(Round(), (Texts{"b>f 1/64"}));
}

TEST_F(AllocatorTest, WhatLeavesIsForgotten) {
  Framework("f", {"r"});
  Agent("a", Machine(1, 64));
  Round();
  ASSERT_TRUE(allocator_->RemoveFramework("f").ok());
  EXPECT_TRUE(allocator_->Recover(offers_[0], 5).ok());
  Framework("f", {"s"});
  EXPECT_EQ(Round(), (Texts{"a>f 1/64"}));
  ASSERT_TRUE(allocator_->RemoveAgent("a").ok());
  EXPECT_TRUE(allocator_->Recover(offers_[0], 5).ok());
  EXPECT_EQ(Round(), Texts{});
}

TEST_F(AllocatorTest, RefusesWhatIsWrong) {
  EXPECT_FALSE(allocator_->AddFramework({.name = "f", .roles = {"a//b"}}).ok());
  EXPECT_FALSE(allocator_->AddFramework({.name = "a/b", .roles = {"r"}}).ok());
  EXPECT_FALSE(allocator_->AddAgent({.name = "a", .resources = Machine(-1, 0)}).ok());
  EXPECT_FALSE(allocator_->SetQuota("a/b", {{"cpus", 1}}, {}).ok());
  EXPECT_FALSE(allocator_->SetWeight("a", 0).ok());
  EXPECT_FALSE(allocator_->Suppress("f", {}).ok());
  EXPECT_FALSE(allocator_->Recover({.framework = 9}, {}).ok());
  Framework("f", {"r"});
  Agent("a", Machine(1, 64));
  Round();
  Decline(0);
  EXPECT_FALSE(allocator_->Recover(offers_[0], {}).ok());  // a second time
}

TEST_F(AllocatorTest, TasksTakeReservedResourcesFirst) {
  Framework("f", {"r"});
  Agent("a", {Some("cpus", 2), Some("cpus", 1, {"r"}), Some("mem", 64)});
  Round();
  const WaitingTask big{.needs = *allocator_->AmountsOf({{"cpus", 9}})};
  const WaitingTask small{.needs = *allocator_->AmountsOf({{"cpus", 1.5}})};
  const Taken taken = TakeTasks(offers_[0], std::vector{big, small, small, small});
  EXPECT_EQ(taken.tasks, (std::vector<size_t>{1, 2}));
  EXPECT_EQ(ScalarSum(taken.rest.resources)[1], 64'000);
  EXPECT_EQ(ScalarSum(taken.rest.resources)[0], 0);
  EXPECT_TRUE(allocator_->Recover(taken.rest, 5).ok());
}

}  // namespace
}  // namespace muster::mesos
