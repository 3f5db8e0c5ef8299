// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Reservations of a node, worked out by hand: resource 0 is cpu, 1 is memory, 2 is a device.
#include "lib/peer/koordinator/reservation/reservation_fit.h"

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "lib/peer/koordinator/reservation/pre_allocation.h"
#include "lib/peer/koordinator/reservation/reservation_choice.h"
#include "lib/peer/koordinator/scores/resource_scores.h"

namespace muster::testing {
namespace {

Sparse AmountsOf(std::initializer_list<std::pair<size_t, int64_t>> amounts) {
  Sparse sparse;
  for (const auto& [resource, amount] : amounts) sparse.Set(resource, amount);
  return sparse;
}

constexpr ReservationRules kRules{.always = 0b11};

// 32 cpu, of which tasks hold 20 and a reservation 10.
ReservedNode FullNode() {
  return {.capacity = AmountsOf({{0, 32}, {1, 64}}),
          .requested = AmountsOf({{0, 30}, {1, 20}}),
          .tasks = 3,
          .most_tasks = 10,
          .matched = 1};
}

Reserved TenCpus(Reserved::Policy policy) {
  return {.policy = policy, .total = AmountsOf({{0, 10}}), .names = 0b1};
}

TEST(ReservationFit, AlignedIsCompletedByTheNode) {
  const std::vector<Reserved> matched = {TenCpus(Reserved::Policy::kAligned)};
  EXPECT_TRUE(FilterByReservations(AmountsOf({{0, 12}}), FullNode(), matched, kRules).fits);
  const ReservationAnswer over =
      FilterByReservations(AmountsOf({{0, 13}}), FullNode(), matched, kRules);
  EXPECT_FALSE(over.fits);
  EXPECT_EQ(over.node.resources, 0b1u);
}

TEST(ReservationFit, RestrictedHoldsAllThatItReserves) {
  const std::vector<Reserved> matched = {TenCpus(Reserved::Policy::kRestricted)};
  ReservationRules required = kRules;
  required.required = true;
  // Memory is not reserved, so the node gives it.
  EXPECT_EQ(FilterByReservations(AmountsOf({{0, 10}, {1, 44}}), FullNode(), matched, required)
                .reservation,
            0u);
  const ReservationAnswer over =
      FilterByReservations(AmountsOf({{0, 11}}), FullNode(), matched, required);
  EXPECT_FALSE(over.fits);
  EXPECT_TRUE(over.node.none());
  ASSERT_EQ(over.reservations.size(), 1u);
  EXPECT_EQ(over.reservations[0].resources, 0b1u);
}

TEST(ReservationFit, TheNodeAloneDoesUnlessReservationsAreRequired) {
  ReservationRules rules = kRules;
  const Sparse request = AmountsOf({{0, 2}, {1, 4}});
  EXPECT_EQ(FilterByReservations(request, FullNode(), {}, rules).reservation, kNoReservation);
  EXPECT_TRUE(FilterByReservations(request, FullNode(), {}, rules).fits);
  rules.required = true;
  EXPECT_FALSE(FilterByReservations(request, FullNode(), {}, rules).fits);
}

TEST(ReservationFit, WithoutAffinityAReservationOfOtherResourcesIsPassedOver) {
  const std::vector<Reserved> matched = {TenCpus(Reserved::Policy::kAligned)};
  ReservedNode node = FullNode();
  node.requested = AmountsOf({{0, 40}});  // overcommitted: zero cpu does not fit either
  ReservationRules rules = kRules;
  EXPECT_FALSE(FilterByReservations(AmountsOf({{1, 4}}), node, matched, rules).fits);
  rules.has_affinity = true;
  EXPECT_TRUE(FilterByReservations(AmountsOf({{1, 4}}), node, matched, rules).fits);
}

TEST(ReservationFit, DefaultReservationsShareWithTheirLikeAlone) {
  using Policy = Reserved::Policy;
  EXPECT_TRUE(MayShareNode(Policy::kDefault, Policy::kDefault));
  EXPECT_TRUE(MayShareNode(Policy::kAligned, Policy::kRestricted));
  EXPECT_FALSE(MayShareNode(Policy::kDefault, Policy::kAligned));
  EXPECT_FALSE(MayShareNode(Policy::kRestricted, Policy::kDefault));
}

TEST(ReservationFit, VictimsAndTaskCounts) {
  Reserved reserved = TenCpus(Reserved::Policy::kRestricted);
  reserved.used = AmountsOf({{0, 9}});
  reserved.tasks = 1;
  reserved.most_tasks = 1;
  const Sparse request = AmountsOf({{0, 4}});
  EXPECT_TRUE(LacksOfReservation(request, reserved, 0).tasks);
  EXPECT_EQ(LacksOfReservation(request, reserved, 0).resources, 0b1u);
  EXPECT_EQ(LacksOfReservation(request, reserved, 0b1).resources, 0u);
  reserved.preempted = AmountsOf({{0, 3}});
  reserved.preempted_tasks = 1;
  EXPECT_TRUE(LacksOfReservation(request, reserved, 0).none());
  reserved.kept_back = AmountsOf({{0, 1}});
  EXPECT_EQ(LacksOfReservation(request, reserved, 0).resources, 0b1u);
  EXPECT_EQ(LeftOf(reserved), AmountsOf({{0, 0}}));
  ReservedNode full = FullNode();
  full.most_tasks = 2;
  EXPECT_TRUE(LacksOfNode(Sparse(), full, Sparse(), kRules).tasks);
}

TEST(ReservationFit, IgnoredResources) {
  const std::vector<std::string> names = {"a.com/gpu"}, groups = {"b.com", ""};
  EXPECT_TRUE(IgnoresResource("a.com/gpu", names, groups));
  EXPECT_FALSE(IgnoresResource("a.com/nic", names, groups));
  EXPECT_TRUE(IgnoresResource("b.com/nic", names, groups));
  EXPECT_FALSE(IgnoresResource("b.com", names, groups));
  EXPECT_FALSE(IgnoresResource("/nic", names, groups));
}

TEST(ReservationChoice, ScoreIsTheMeanShare) {
  Reserved reserved{.total = AmountsOf({{0, 4000}, {1, 8000}, {2, 0}}),
                    .used = AmountsOf({{0, 1000}}),
                    .names = 0b11};
  EXPECT_EQ(ReservationScore(AmountsOf({{0, 1000}, {1, 2000}}), reserved), (50 + 25) / 2);
  // More than there is counts as nothing.
  EXPECT_EQ(ReservationScore(AmountsOf({{0, 3001}, {1, 8000}}), reserved), 50);
  reserved.preempted = AmountsOf({{0, 1000}});
  EXPECT_EQ(ReservationScore(AmountsOf({{0, 1000}, {1, 2000}}), reserved), 25);
  EXPECT_EQ(ReservationScore(AmountsOf({{0, 1}}), {}), 0);
}

TEST(ReservationChoice, OrdersComeBeforeScores) {
  EXPECT_EQ(NominateReservation({}), kNoReservation);
  const std::vector<ReservationOffer> scored = {{0, 10}, {0, 40}, {0, 40}};
  EXPECT_EQ(NominateReservation(scored), 1u);
  const std::vector<ReservationOffer> ordered = {{0, 90}, {7, 0}, {5, 0}, {5, 10}};
  EXPECT_EQ(NominateReservation(ordered), 2u);
  const std::vector<ReservationNode> nodes = {{0, 100}, {3, 20}, {2, 10}};
  std::vector<int64_t> scores = ReservationNodeScores(nodes);
  EXPECT_EQ(scores, (std::vector<int64_t>{100, 20, 1000}));
  ScaleScores(scores);
  EXPECT_EQ(scores, (std::vector<int64_t>{10, 2, 100}));
}

TEST(PreAllocation, TheBestFillComesFirst) {
  const Reserved reserved{.total = AmountsOf({{0, 8}}), .names = 0b1};
  const std::vector<Sparse> tasks = {AmountsOf({{0, 3}}), AmountsOf({{0, 6}}), AmountsOf({{0, 3}}),
                                     AmountsOf({{0, 9}})};
  EXPECT_EQ(BestFillFirst(tasks, reserved), (std::vector<size_t>{1, 0, 2, 3}));
}

TEST(PreAllocation, OneTaskMustDo) {
  // A reservation of 8 cpu on a node with 2 free, where one task holds 5 and one 7.
  const ReservedNode node{.capacity = AmountsOf({{0, 14}}),
                          .requested = AmountsOf({{0, 12}}),
                          .tasks = 2,
                          .most_tasks = 10};
  const Reserved reserved{
      .policy = Reserved::Policy::kRestricted, .total = AmountsOf({{0, 8}}), .names = 0b1};
  const std::vector<Sparse> five = {AmountsOf({{0, 5}})};
  const std::vector<Sparse> both = {AmountsOf({{0, 5}}), AmountsOf({{0, 7}})};
  const Sparse request = AmountsOf({{0, 8}});
  PreAllocationOptions options{.rules = kRules};
  EXPECT_FALSE(FilterByPreAllocation(request, node, reserved, five, options).fits);
  const PreAllocationAnswer answer = FilterByPreAllocation(request, node, reserved, both, options);
  EXPECT_TRUE(answer.fits);
  EXPECT_EQ(answer.taken, (std::vector<size_t>{0, 1}));
}

TEST(PreAllocation, SeveralAddUpWhileTheReservationHoldsThem) {
  const ReservedNode node{.capacity = AmountsOf({{0, 14}}),
                          .requested = AmountsOf({{0, 14}}),
                          .tasks = 4,
                          .most_tasks = 10};
  const Reserved reserved{
      .policy = Reserved::Policy::kRestricted, .total = AmountsOf({{0, 8}}), .names = 0b1};
  const std::vector<Sparse> tasks = {AmountsOf({{0, 3}}), AmountsOf({{0, 6}}), AmountsOf({{1, 1}}),
                                     AmountsOf({{0, 5}})};
  PreAllocationOptions options{.rules = kRules, .takes_several = true};
  const PreAllocationAnswer answer =
      FilterByPreAllocation(AmountsOf({{0, 8}}), node, reserved, tasks, options);
  EXPECT_TRUE(answer.fits);
  EXPECT_EQ(answer.taken, (std::vector<size_t>{0, 3}));  // 6 more would be 9 of 8
  options.prefers_none = true;
  EXPECT_TRUE(
      FilterByPreAllocation(AmountsOf({{1, 0}}), node, reserved, tasks, options).taken.empty());
}

}  // namespace
}  // namespace muster::testing
