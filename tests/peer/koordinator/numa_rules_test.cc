// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Nodes of NUMA zones: books, placements, reservations, hints and scores, worked out by hand on a
// machine of two sockets with four cores of two threads each.
#include "lib/peer/koordinator/numa/numa_rules.h"

#include "gtest/gtest.h"

namespace muster::testing {
namespace {

constexpr size_t kCpuResource = 0, kMemoryResource = 1;

Sparse AmountsOf(int64_t milli, int64_t memory = 0) {
  Sparse amounts;
  amounts.Set(kCpuResource, milli);
  if (memory > 0) amounts.Set(kMemoryResource, memory);
  return amounts;
}

CpuSet SetOf(std::string_view text) { return *CpuSet::Parse(text); }

class NumaRules : public ::testing::Test {
 protected:
  NumaRules() {
    std::vector<LogicalCpu> cpus;
    for (int cpu = 0; cpu < 16; ++cpu) cpus.push_back({cpu, cpu / 2 % 4, cpu / 8, cpu / 8});
    site_.node = NodeOfCpus(*CpuTopology::Make(cpus), cpus);
    site_.node.zones = {{0, AmountsOf(8000, 32)}, {1, AmountsOf(8000, 32)}};
    site_.books = &books_;
    site_.allocatable = AmountsOf(16000, 64);
  }

  NumaClaim Bound(int64_t cpus, BindPolicy required = BindPolicy::kUnset) const {
    NumaClaim claim;
    claim.requests = AmountsOf(cpus * 1000);
    claim.need = NeedOfTask({.strict = true, .required = required, .milli = cpus * 1000},
                            BindPolicy::kFullCores);
    return claim;
  }

  NumaFilter Filter(const NumaClaim& claim, const NumaLoans& loans = {}) const {
    return FilterByNuma(site_, claim, loans, "", {}, nullptr, {});
  }

  NumaSite site_;
  NumaBooks books_;
};

TEST_F(NumaRules, BooksCountHoldersAndStates) {
  books_.Hold(site_.node, {.task = "a", .cpus = SetOf("0-3"), .amounts = {{0, AmountsOf(4000)}}});
  books_.Add(site_.node, {.task = "a", .cpus = SetOf("4-7")});  // ignored
  EXPECT_EQ(books_.FreeCpus(site_.node, {}).ToString(), "4-15");
  EXPECT_EQ(books_.StateOf(0), ZoneState::kSingle);
  EXPECT_EQ(books_.StateOf(1), ZoneState::kIdle);
  books_.Hold(site_.node, {.task = "b", .cpus = SetOf("6-9"), .exclusive = CpuExclusive::kCore});
  EXPECT_EQ(books_.StateOf(0), ZoneState::kShared);
  EXPECT_EQ(books_.StateOf(1), ZoneState::kShared);
  EXPECT_EQ(books_.Held(site_.node, {}).use.core_exclusive.ToString(), "6-9");
  EXPECT_EQ(books_.Free(site_.node, {}).at(0).at(kCpuResource), 4000);
  EXPECT_EQ(books_.Free(site_.node, {{0, AmountsOf(3000)}}).at(0).at(kCpuResource), 7000);
  const CpuSet returned = SetOf("6-7");
  EXPECT_EQ(books_.FreeCpus(site_.node, std::span(&returned, 1)).ToString(), "4-7,10-15");
  books_.Release("b");
  EXPECT_EQ(books_.StateOf(0), ZoneState::kSingle);
  EXPECT_EQ(books_.Find("b"), nullptr);
  EXPECT_EQ(books_.Find("a")->cpus.ToString(), "0-3");
}

TEST_F(NumaRules, SharedCpusHaveSeveralHolders) {
  site_.node.most_holders = 2;
  books_.Hold(site_.node, {.task = "a", .cpus = SetOf("0-3")});
  books_.Hold(site_.node, {.task = "b", .cpus = SetOf("2-3")});
  EXPECT_EQ(books_.FreeCpus(site_.node, {}).ToString(), "0-1,4-15");
  EXPECT_EQ(books_.Held(site_.node, {}).use.sharers, (std::vector<int32_t>{1, 1, 2, 2}));
}

TEST_F(NumaRules, BoundCpusAreAmplified) {
  site_.node.ratio = 1.5;
  books_.Hold(site_.node, {.task = "a", .cpus = SetOf("0-3"), .amounts = {{0, AmountsOf(4000)}}});
  EXPECT_EQ(books_.HeldAmounts(site_.node, {}).at(0).at(kCpuResource), 6000);
  EXPECT_EQ(books_.HeldAmounts(site_.node, {}).count(1), 0u);
}

TEST_F(NumaRules, AmountsAreSpreadEvenly) {
  NumaRequest request{.amounts = AmountsOf(5000, 12), .zones = 0b11};
  ZoneAnswer answer = PlaceInZones(site_.node, books_, request, {});
  ASSERT_TRUE(answer.ok());
  EXPECT_EQ(answer.grant.amounts.at(0), AmountsOf(2500, 6));
  EXPECT_EQ(answer.grant.amounts.at(1), AmountsOf(2500, 6));
  books_.Hold(site_.node, {.task = "a", .amounts = {{0, AmountsOf(7000)}}});
  answer = PlaceInZones(site_.node, books_, request, {});
  EXPECT_EQ(answer.grant.amounts.at(0).at(kCpuResource), 1000);
  EXPECT_EQ(answer.grant.amounts.at(1).at(kCpuResource), 4000);
  request.zones = 0b01;
  EXPECT_EQ(PlaceInZones(site_.node, books_, request, {}).reason, NumaReason::kFewInZones);
  site_.node.zones.clear();
  EXPECT_EQ(PlaceInZones(site_.node, books_, request, {}).reason, NumaReason::kNoZones);
}

TEST_F(NumaRules, FullCoresOfBothZones) {
  NumaRequest request{.amounts = AmountsOf(6000),
                      .cpus = 6,
                      .binds = true,
                      .policy = BindPolicy::kFullCores,
                      .required = true,
                      .zones = 0b11};
  const ZoneAnswer answer = PlaceInZones(site_.node, books_, request, {});
  ASSERT_TRUE(answer.ok());
  EXPECT_EQ(answer.grant.cpus.ToString(), "0-1,8-11");  // three cores: one and two
  request.policy = BindPolicy::kSpread;
  request.zones = {};
  EXPECT_EQ(PlaceInZones(site_.node, books_, request, {}).grant.cpus.ToString(), "0,2,4,6,8,10");
  books_.Hold(site_.node, {.task = "a", .cpus = SetOf("0,2,4,6,8,10,12,14")});
  request.policy = BindPolicy::kFullCores;
  EXPECT_EQ(PlaceInZones(site_.node, books_, request, {}).reason, NumaReason::kFewCpus);
  request.required = false;
  EXPECT_EQ(PlaceInZones(site_.node, books_, request, {}).grant.cpus.ToString(), "1,3,5,7,9,11");
}

TEST_F(NumaRules, ReservationsLendWhatOwnersLeave) {
  books_.Hold(site_.node, {.task = "r", .cpus = SetOf("4-7"), .amounts = {{0, AmountsOf(4000)}}});
  books_.Hold(site_.node,
              {.task = "owner", .cpus = SetOf("4-5"), .amounts = {{0, AmountsOf(2000)}}});
  const NumaReservation reservation{.name = "res", .task = "r", .owners = {"owner"}};
  const NumaLoans loans = LoansOfReservations(books_, std::span(&reservation, 1), {});
  ASSERT_EQ(loans.matched.size(), 1u);
  EXPECT_EQ(loans.matched[0].remained.at(0), AmountsOf(2000));
  EXPECT_EQ(loans.remained_cpus.ToString(), "6-7");
  EXPECT_EQ(loans.allocated_cpus.ToString(), "4-7");
  const NumaLoans others = LoansOfReservations(books_, {}, std::span(&reservation, 1));
  EXPECT_EQ(others.unmatched_used.at(0), AmountsOf(2000));
  EXPECT_TRUE(others.matched.empty());

  NumaRequest request{.amounts = AmountsOf(2000), .cpus = 2, .binds = true};
  NumaLoanAnswer answer = PlaceFromLoans(site_.node, books_, request, {}, loans, loans.matched, {});
  ASSERT_TRUE(answer.grant.has_value());
  EXPECT_EQ(answer.grant->cpus.ToString(), "6-7");
  answer = PlaceOnNode(site_.node, books_, request, loans, {});
  EXPECT_EQ(answer.grant->cpus.ToString(), "8,10");  // spread
}

TEST_F(NumaRules, RestrictedReservationsGiveOnlyTheirOwn) {
  books_.Hold(site_.node, {.task = "r", .cpus = SetOf("4-7")});
  const NumaReservation reservation{.name = "res", .task = "r", .restricted = true};
  const NumaLoans loans = LoansOfReservations(books_, std::span(&reservation, 1), {});
  NumaRequest request{.amounts = AmountsOf(4000), .cpus = 4, .binds = true};
  const auto place = [&](bool needs_loan) {
    return PlaceFromLoans(site_.node, books_, request, {.needs_loan = needs_loan}, loans,
                          loans.matched, {});
  };
  EXPECT_EQ(place(false).grant->cpus.ToString(), "4-7");
  request = {.amounts = AmountsOf(6000), .cpus = 6, .binds = true};
  EXPECT_FALSE(place(false).grant.has_value());
  EXPECT_TRUE(place(false).ok());
  EXPECT_EQ(place(true).reason, NumaReason::kNotReserved);
}

TEST_F(NumaRules, ReservationsMayTakeOverTasks) {
  books_.Hold(site_.node, {.task = "p", .cpus = SetOf("0-3")});
  const std::vector<std::string> tasks = {"p", "unknown"};
  const NumaLoans loans = LoansOfTasks(books_, tasks, "res", /*restricted=*/true);
  EXPECT_TRUE(loans.takes_over);
  ASSERT_EQ(loans.matched.size(), 1u);
  NumaRequest request{.amounts = AmountsOf(6000), .cpus = 6, .binds = true};
  const auto place = [&] {
    return PlaceFromLoans(site_.node, books_, request, {}, loans, loans.matched, {});
  };
  // More CPUs than the task has are no loan of it.
  EXPECT_FALSE(place().grant.has_value());
  request = {.amounts = AmountsOf(4000), .cpus = 4, .binds = true};
  EXPECT_EQ(place().grant->cpus.ToString(), "0-3");
}

TEST_F(NumaRules, VictimsLeaveAndStay) {
  const NumaHolding holding{.task = "v", .cpus = SetOf("0-3"), .amounts = {{0, AmountsOf(4000)}}};
  books_.Hold(site_.node, holding);
  books_.Hold(site_.node, {.task = "other", .cpus = SetOf("4-15")});
  NumaVictims victims;
  victims.node.emplace().GiveUp(holding);
  NumaRequest request{.amounts = AmountsOf(2000), .cpus = 2, .binds = true};
  EXPECT_EQ(PlaceOnNode(site_.node, books_, request, {}, victims).grant->cpus.ToString(), "0,2");
  victims.node->TakeBack(holding);
  EXPECT_FALSE(PlaceOnNode(site_.node, books_, request, {}, victims).ok());
  victims.node->TakeBack(holding);
  EXPECT_EQ(victims.node->removed().ToString(), "0-3");
  EXPECT_EQ(victims.node->amounts().at(0).at(kCpuResource), -4000);
}

TEST_F(NumaRules, FilterByPolicies) {
  EXPECT_TRUE(Filter(Bound(4)).ok());
  EXPECT_EQ(Filter(Bound(3, BindPolicy::kFullCores)).reason, NumaReason::kHalfCores);
  EXPECT_EQ(Filter(Bound(18, BindPolicy::kFullCores)).reason, NumaReason::kFewCpus);
  NumaClaim claim = Bound(4);
  claim.zone_policy = "SingleNUMANode";
  site_.zone_policy = "Restricted";
  EXPECT_EQ(Filter(claim).reason, NumaReason::kZonePolicy);
  site_.zone_policy = "";
  EXPECT_EQ(Filter(claim).zones->zones, 0b01u);
  books_.Hold(site_.node, {.task = "a", .cpus = SetOf("4-11")});
  EXPECT_EQ(Filter(claim).reason, NumaReason::kUnaligned);  // both zones are shared
  claim.alone = false;
  EXPECT_EQ(Filter(claim).zones->zones, 0b01u);
  site_.node.cpus.reset();
  EXPECT_EQ(Filter(claim).reason, NumaReason::kNoTopology);
}

TEST_F(NumaRules, HintsPreferTheFewestZones) {
  NumaClaim claim;
  claim.requests = AmountsOf(6000, 8);
  claim.need.milli = 6000;
  claim.zone_policy = "Restricted";
  books_.Hold(site_.node, {.task = "a", .amounts = {{0, AmountsOf(4000)}}});
  const ResourceHints hints = HintsOfZones(site_, claim, NeedAtSite(site_, claim), {}, {}, nullptr);
  ASSERT_EQ(hints.size(), 2u);
  EXPECT_EQ(hints[0].second, (std::vector<ScoredHint>{{.zones = 0b10, .preferred = true},
                                                      {.zones = 0b11, .preferred = true}}));
  claim.zone_policy = "BestEffort";
  EXPECT_FALSE(
      HintsOfZones(site_, claim, NeedAtSite(site_, claim), {}, {}, nullptr)[0].second[1].preferred);
  EXPECT_EQ(Filter(claim).zones, std::nullopt);  // tried when it is reserved
  const NumaFilter found = FindZonesAtLast(site_, claim, {}, {}, {}, nullptr, {});
  const NumaLoanAnswer answer = ReserveByNuma(site_, claim, found.zones, {}, "", {});
  EXPECT_EQ(answer.grant->amounts.at(1), AmountsOf(6000, 8));
}

TEST_F(NumaRules, ScoresByWhatTheTaskGets) {
  const NumaScorer full{.prefer_full = true, .weights = AmountsOf(1), .plain = 1};
  NumaClaim claim = Bound(4);
  EXPECT_EQ(ScoreByNuma(site_, claim, {}, {}, "", full), 25);  // of the node
  claim.zone_policy = "Restricted";
  const ScoredHint zone{.zones = 0b01};
  EXPECT_EQ(ScoreByNuma(site_, claim, zone, {}, "", full), 50);
  books_.Hold(site_.node, {.task = "a", .cpus = SetOf("8-9")});
  EXPECT_EQ(ScoreByNuma(site_, claim, zone, {}, "", full), 75);  // bound CPUs of all zones
  const NumaScorer least{.weights = AmountsOf(1), .plain = 1};
  EXPECT_EQ(ScoreByNuma(site_, claim, zone, {}, "", least), 25);
  EXPECT_EQ(ScoreByNuma(site_, Bound(40), zone, {}, "", least), 0);
}

TEST_F(NumaRules, NamedPlacesAreTakenExactly) {
  NumaClaim claim = Bound(2);
  claim.named = NumaGrant{.amounts = {{1, AmountsOf(2000)}}, .cpus = SetOf("10-11")};
  const NumaLoanAnswer answer = ReserveByNuma(site_, claim, {}, {}, "", {});
  ASSERT_TRUE(answer.grant.has_value());
  EXPECT_EQ(answer.grant->cpus.ToString(), "10-11");
  EXPECT_TRUE(Filter(claim).ok());
  claim.named->cpus = SetOf("2-3");
  EXPECT_EQ(Filter(claim).reason, NumaReason::kFewCpus);
}

TEST_F(NumaRules, NominatedLoansAreBinding) {
  books_.Hold(site_.node, {.task = "r", .cpus = SetOf("4-5"), .amounts = {{0, AmountsOf(2000)}}});
  const NumaReservation reservation{.name = "res", .task = "r", .restricted = true};
  const NumaLoans loans = LoansOfReservations(books_, std::span(&reservation, 1), {});
  NumaClaim claim = Bound(4);
  claim.zone_policy = "Restricted";
  const ScoredHint zone{.zones = 0b01};
  EXPECT_EQ(ReserveByNuma(site_, claim, zone, loans, "res", {}).reason, NumaReason::kNotNominated);
  EXPECT_EQ(FilterLoan(site_, claim, zone, loans, "res", {}), NumaReason::kNotNominated);
  EXPECT_TRUE(ReserveByNuma(site_, claim, zone, loans, "", {}).ok());
  claim.taker.needs_loan = true;
  EXPECT_EQ(ReserveByNuma(site_, claim, zone, loans, "", {}).reason, NumaReason::kNotNominated);
  EXPECT_EQ(FilterLoan(site_, claim, zone, loans, "res", {}), NumaReason::kNotReserved);
}

}  // namespace
}  // namespace muster::testing
