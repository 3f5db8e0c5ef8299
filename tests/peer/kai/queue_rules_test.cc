// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Order of queues, capacity gates, reclaim and minimum run times, by hand.
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/peer/kai/capacity_gate.h"
#include "lib/peer/kai/min_runtime.h"
#include "lib/peer/kai/queue_order.h"
#include "lib/peer/kai/reclaim_rules.h"

namespace muster::testing {
namespace {

constexpr KaiAmounts kOneGpu = {0, 0, 1};

// Deserved, fair share, allocated; of GPUs alone, without limit.
KaiShare Gpus(double deserved, double fair, double allocated) {
  return {.deserved = deserved,
          .fair_share = fair,
          .max_allowed = kKaiUnlimited,
          .over_quota_weight = 1,
          .allocated = allocated};
}

uint32_t Add(KaiQueueTree* tree, const std::string& name, uint32_t parent, const KaiShare& gpus) {
  const uint32_t q = tree->Add({.name = name, .parent = parent, .priority = 0});
  tree->share[q][kKaiGpu] = gpus;
  return q;
}

TEST(KaiQueueOrder, FirstRuleThatTellsThemApart) {
  struct Row {
    KaiShare left, right;
    int64_t left_priority;
    int winner;
  };
  const Row rows[] = {
      {Gpus(2, 99, 20), Gpus(2, 2, 0), 0, 1},   // the right one is within its quota
      {Gpus(2, 99, 20), Gpus(2, 2, 0), 1, 1},   // ... and that comes before priority
      {Gpus(2, 99, 20), Gpus(2, 2, 3), 1, -1},  // overused in GPUs alone does not count
      {Gpus(2, 99, 20), Gpus(2, 80, 3), 0, 1},  // 20/99 against 3/80
      {Gpus(2, 9, 3), Gpus(2, 0, 3), 0, -1},    // 3/9 against 3/2
      {Gpus(4, 4, 0), Gpus(2, 2, 0), 0, 1},     // the smaller allocatable share
      {Gpus(2, 2, 0), Gpus(2, 2, 0), 0, 1},     // equal: the right one
  };
  for (const Row& row : rows) {
    KaiQueueTree tree;
    Add(&tree, "left", kKaiNone, row.left);
    Add(&tree, "right", kKaiNone, row.right);
    tree.queues[0].priority = row.left_priority;
    EXPECT_EQ(CompareKaiQueues(tree, {.queue = 0}, {.queue = 1}, {}), row.winner)
        << &row - &rows[0];
  }
}

TEST(KaiQueueOrder, JobsAndVictimsCount) {
  KaiQueueTree tree;
  Add(&tree, "left", kKaiNone, Gpus(0, 10, 4));
  Add(&tree, "right", kKaiNone, Gpus(0, 10, 4));
  const KaiAmounts small = {0, 0, 1}, large = {0, 0, 2};
  EXPECT_EQ(CompareKaiQueues(tree, {.queue = 0, .job = &small}, {.queue = 1, .job = &large}, {}),
            -1);
  EXPECT_EQ(CompareKaiQueues(tree, {.queue = 0, .job = &large}, {.queue = 1, .job = &small}, {}),
            1);
  const std::vector<KaiAmounts> victims = {small, large};
  EXPECT_EQ(CompareKaiQueues(tree, {.queue = 0, .victims = victims}, {.queue = 1}, {}), -1);
  // A resource without any allocatable share: a queue that would use it goes last.
  const KaiAmounts with_cpu = {100, 0, 1};
  EXPECT_EQ(CompareKaiQueues(tree, {.queue = 0, .job = &with_cpu}, {.queue = 1, .job = &large}, {}),
            1);
}

TEST(KaiQueueOrder, DominantShares) {
  KaiShares shares;
  shares[kKaiCpu] = {.deserved = 1000};
  shares[kKaiCpu].max_allowed = kKaiUnlimited;
  shares[kKaiGpu] = {.deserved = kKaiUnlimited};
  shares[kKaiGpu].max_allowed = kKaiUnlimited;
  EXPECT_EQ(KaiDominantShare(shares, {500, 0, 7}, {0, 0, 10}), 0.7);   // of the cluster
  EXPECT_EQ(KaiDominantShare(shares, {500, 3, 0}, {0, 0, 10}), 3000);  // nothing allocatable
}

TEST(KaiCapacityGate, NamesTheFirstFullQueue) {
  KaiQueueTree tree;
  const uint32_t top = Add(&tree, "top", kKaiNone, Gpus(3, 0, 3));
  const uint32_t leaf = Add(&tree, "leaf", top, Gpus(5, 0, 2));
  tree.share[top][kKaiGpu].max_allowed = 3;
  tree.share[leaf][kKaiCpu].max_allowed = -1;
  tree.share[top][kKaiGpu].allocated_not_preemptible = 2.5;
  KaiGate gate = KaiJobOverCapacity(tree, leaf, true, kOneGpu);
  EXPECT_EQ(gate.queue, top);
  EXPECT_EQ(KaiGateReason(gate), "OverLimit");
  EXPECT_EQ(KaiGateMessage(tree, gate, kOneGpu),
            "top quota has reached the allowable limit of GPUs. Limit is 3 GPUs, currently 3 GPUs "
            "allocated and workload requested 1 GPUs");
  tree.share[top][kKaiGpu].max_allowed = kKaiUnlimited;
  EXPECT_TRUE(KaiJobOverCapacity(tree, leaf, true, kOneGpu).open());
  gate = KaiJobOverCapacity(tree, leaf, false, {0, 0, 0.6});
  EXPECT_EQ(KaiGateReason(gate), "NonPreemptibleOverQuota");
  EXPECT_EQ(KaiGateMessage(tree, gate, {0, 0, 0.6}),
            "Non-preemptible workload is over quota. Workload requested 0.6 GPUs, but top quota is "
            "3 GPUs, while 2.5 GPUs are already allocated for non-preemptible pods. Use a "
            "preemptible workload to go over quota.");
  // Nothing requested of a full resource: not checked.
  EXPECT_TRUE(KaiJobOverCapacity(tree, leaf, false, {0, 0, 0}).open());
}

TEST(KaiCapacityGate, NumbersAsThePeerWritesThem) {
  EXPECT_EQ(KaiHumanized(1100, 1000), "1.1");
  EXPECT_EQ(KaiHumanized(1, 3), "0.333");
  EXPECT_EQ(KaiHumanized(2, 3), "0.666");  // cut off
  EXPECT_EQ(KaiHumanized(100, 1), "100");
  EXPECT_EQ(KaiHumanized(0, 1), "0");
  EXPECT_EQ(KaiHumanized(kKaiUnlimited, 1), "Unlimited");
}

TEST(KaiReclaim, GateOfTheLeaf) {
  KaiQueueTree tree;
  const uint32_t q = Add(&tree, "q", kKaiNone, Gpus(1, 2, 1));
  const KaiReclaimer reclaimer = {q, true, KaiChunkOf(kOneGpu, 1)};
  EXPECT_TRUE(KaiCanReclaim(tree, reclaimer));
  tree.share[q][kKaiGpu].allocated_not_preemptible = 1;
  EXPECT_FALSE(KaiCanReclaim(tree, {q, false, reclaimer.request}));
  tree.share[q][kKaiGpu].allocated = 1.5;
  EXPECT_FALSE(KaiCanReclaim(tree, reclaimer));
}

// One department with two projects; p1 wants a GPU of p2.
bool Reclaims(const KaiShare& p1, const KaiShare& p2, bool preemptible = true) {
  KaiQueueTree tree;
  const uint32_t top = Add(&tree, "d", kKaiNone, Gpus(5, 5, p1.allocated + p2.allocated));
  const uint32_t a = Add(&tree, "p1", top, p1), b = Add(&tree, "p2", top, p2);
  const std::vector<KaiVictims> victims = {{b, {KaiChunkOf(kOneGpu, 1)}}};
  return KaiReclaimIsFair(tree, {a, preemptible, KaiChunkOf(kOneGpu, 1)}, victims, 1);
}

TEST(KaiReclaim, WithinADepartment) {
  EXPECT_TRUE(Reclaims(Gpus(3, 3, 2), Gpus(2, 2, 3)));   // above its fair share
  EXPECT_FALSE(Reclaims(Gpus(3, 3, 2), Gpus(2, 2, 2)));  // at it
  EXPECT_TRUE(Reclaims(Gpus(3, 3, 2), Gpus(2, 3, 3)));   // above its quota, p1 below its own
  EXPECT_FALSE(Reclaims(Gpus(2, 2, 2), Gpus(2, 3, 3)));
  // Both above their fair shares: p1 must stay emptier. 4/3 against 2/2.
  EXPECT_FALSE(Reclaims(Gpus(0, 3, 3), Gpus(0, 2, 3)));
}

TEST(KaiReclaim, LevelByLevel) {
  // Two departments; the left one is full by another leaf of its own.
  KaiQueueTree tree;
  const uint32_t left = Add(&tree, "l", kKaiNone, Gpus(1, 1, 1));
  const uint32_t right = Add(&tree, "r", kKaiNone, Gpus(1, 1, 2));
  const uint32_t leaf = Add(&tree, "l1", left, Gpus(1, 1, 0));
  Add(&tree, "l2", left, Gpus(0, 0, 1));
  const uint32_t victim = Add(&tree, "r1", right, Gpus(1, 1, 2));
  const KaiReclaimer reclaimer = {leaf, true, KaiChunkOf(kOneGpu, 1)};
  std::vector<KaiVictims> victims = {{victim, {KaiChunkOf(kOneGpu, 1)}}};
  EXPECT_FALSE(KaiReclaimIsFair(tree, reclaimer, victims, 1));  // 2/1 against 1/1
  tree.share[left][kKaiGpu].allocated = 0;
  EXPECT_TRUE(KaiReclaimIsFair(tree, reclaimer, victims, 1));
  EXPECT_TRUE(KaiMayBeVictim(tree, reclaimer, victim));
  victims[0].chunks.push_back(KaiChunkOf(kOneGpu, 1));
  EXPECT_FALSE(KaiReclaimIsFair(tree, reclaimer, victims, 1));  // the second chunk is its own share
  tree.share[right][kKaiGpu].allocated = 0.5;
  EXPECT_FALSE(KaiMayBeVictim(tree, reclaimer, victim));
}

// Two departments of one queue each: what the left one deserves, and what the right one holds.
TEST(KaiReclaim, WhoseVictimsMayGo) {
  KaiQueueTree tree;
  const uint32_t left = Add(&tree, "left", kKaiNone, Gpus(2, 2, 0));
  const uint32_t right = Add(&tree, "right", kKaiNone, Gpus(1, 3, 3));
  const uint32_t a = Add(&tree, "a", left, Gpus(2, 2, 0));
  const uint32_t sibling = Add(&tree, "sibling", left, Gpus(0, 0, 1));
  const uint32_t b = Add(&tree, "b", right, Gpus(9, 9, 3));
  const KaiReclaimer one{a, true, KaiChunkOf(kOneGpu, 1)};
  const KaiReclaimer three{a, true, KaiChunkOf({0, 0, 3}, 3)};
  EXPECT_TRUE(KaiMaySomeGo(tree));
  EXPECT_TRUE(KaiMayGo(tree, one, sibling));  // it holds more than its share
  EXPECT_TRUE(KaiMayGo(tree, one, b));        // `left` stays within 2, `right` is beyond 1
  EXPECT_FALSE(KaiMayGo(tree, three, b));     // `left` does not, and `right` is within its share
  tree.share[right][kKaiGpu].allocated = 1;   // exactly what it deserves
  EXPECT_FALSE(KaiMayGo(tree, one, b));
  EXPECT_TRUE(KaiMaySomeGo(tree));  // `sibling` does
  tree.share[sibling][kKaiGpu].allocated = 0;
  EXPECT_FALSE(KaiMaySomeGo(tree));
  tree.share[right][kKaiGpu].fair_share = 0;
  tree.share[right][kKaiGpu].allocated = 2;
  EXPECT_TRUE(KaiMaySomeGo(tree));
  EXPECT_TRUE(KaiMayGo(tree, three, b));  // beyond what it deserves and its share
}

TEST(KaiMinRuntime, NearestAndWhereThePathsPart) {
  KaiQueueTree tree;
  const uint32_t prod = tree.Add({.name = "prod", .reclaim_min_runtime = 30});
  const uint32_t dev = tree.Add({.name = "dev", .preempt_min_runtime = 5});
  const uint32_t a = tree.Add({.name = "a", .parent = prod, .reclaim_min_runtime = 25});
  const uint32_t b = tree.Add({.name = "b", .parent = prod});
  const uint32_t c = tree.Add({.name = "c", .parent = dev});
  EXPECT_EQ(KaiPreemptMinRuntime(tree, c, 1), 5);
  EXPECT_EQ(KaiPreemptMinRuntime(tree, a, 1), 1);
  const auto reclaim = [&](KaiResolve method, uint32_t reclaimer, uint32_t victim) {
    return KaiReclaimMinRuntime(tree, method, reclaimer, victim, 1);
  };
  EXPECT_EQ(reclaim(KaiResolve::kQueue, c, a), 25);
  EXPECT_EQ(reclaim(KaiResolve::kCommonAncestor, c, a), 30);  // the victim's top queue
  EXPECT_EQ(reclaim(KaiResolve::kCommonAncestor, b, a), 25);  // the child of their parent
  EXPECT_EQ(reclaim(KaiResolve::kCommonAncestor, a, b), 30);  // unset there: the parent
  EXPECT_EQ(reclaim(KaiResolve::kCommonAncestor, a, c), 1);
  EXPECT_TRUE(KaiIsProtected(100, 104, 5));
  EXPECT_FALSE(KaiIsProtected(100, 105, 5));
  EXPECT_FALSE(KaiIsProtected({}, 0, 5));
  EXPECT_TRUE(KaiKeepsMinimum(std::vector<KaiElasticLoss>{{2, 4, 2}}));
  EXPECT_FALSE(KaiKeepsMinimum(std::vector<KaiElasticLoss>{{2, 4, 2}, {2, 4, 3}}));
}

}  // namespace
}  // namespace muster::testing
