// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Devices of reservations and zones, worked out by hand on a machine of two GPUs.
#include "lib/peer/koordinator/device/device_loans.h"

#include "gtest/gtest.h"

namespace muster::testing {
namespace {

constexpr size_t kGpuKind = 0;

DeviceAmounts Part(int64_t percent) {
  DeviceAmounts amounts;
  amounts.Set(DeviceResource::kCore, percent);
  amounts.Set(DeviceResource::kRatio, percent);
  return amounts;
}

class DeviceLoansTest : public ::testing::Test {
 protected:
  DeviceLoansTest() {
    for (int minor = 0; minor < 2; ++minor) {
      DeviceAccount& book = machine_.book(DeviceKind::kGpu);
      book.devices.push_back({.minor = minor, .total = Part(100), .zone = minor, .bus = "b"});
      book.used.emplace_back();
    }
  }

  // A reservation of part of GPU 0, of which an owner has some.
  DeviceLoans Reserve(int64_t percent, int64_t owned, bool restricted) {
    DeviceHoldings holdings;
    holdings["r"][kGpuKind][0] = Part(percent);
    if (owned > 0) holdings["o"][kGpuKind][0] = Part(owned);
    machine_.book(DeviceKind::kGpu).used[0] = Part(percent + owned);
    const DeviceReservation reservation{
        .name = "res", .task = "r", .owners = {"o"}, .restricted = restricted};
    return LoansOfReservations(holdings, std::span(&reservation, 1), {});
  }

  static DeviceClaim Share(int64_t percent) {
    const std::pair<std::string, int64_t> amounts[] = {
        {"koordinator.sh/gpu-core", percent}, {"koordinator.sh/gpu-memory-ratio", percent}};
    return *ReadDeviceRequest(amounts);
  }

  static int MinorOf(const DeviceLoanAnswer& answer) {
    return answer.grants.has_value() ? (*answer.grants)[kGpuKind].at(0).minor : -1;
  }

  MachineDevices machine_;
  const DeviceVictims none_;
};

TEST_F(DeviceLoansTest, SharesAddAndSubtract) {
  DeviceShares shares;
  shares[kGpuKind][0] = Part(50);
  DeviceShares less;
  less[kGpuKind][0] = Part(50);
  less[kGpuKind][1] = Part(10);
  SubtractShares(less, /*down_to_zero=*/false, &shares);
  EXPECT_EQ(shares[kGpuKind].count(0), 0u);
  EXPECT_EQ(shares[kGpuKind][1].at(DeviceResource::kCore), -10);
  AddShares(less, &shares);
  EXPECT_TRUE(shares[kGpuKind][1].IsZero());
  DeviceShares part;
  AddSharesOf(shares, less, &part);
  EXPECT_EQ(part[kGpuKind].size(), 2u);
  EXPECT_TRUE(IsEmpty(DeviceShares()));
}

TEST_F(DeviceLoansTest, WhatOwnersLeaveIsLent) {
  const DeviceLoans loans = Reserve(50, 20, false);
  ASSERT_EQ(loans.matched.size(), 1u);
  EXPECT_EQ(loans.matched[0].remained[kGpuKind].at(0), Part(30));
  EXPECT_EQ(loans.allocated[kGpuKind].at(0), Part(20));
  const DeviceClaim claim = Share(60);
  const DeviceTrial trial{.machine = machine_, .claim = claim, .loans = loans, .victims = none_};
  // 100 - (70 - 20 - 30) = 80 is free for a taker that may be topped up.
  EXPECT_EQ(MinorOf(ChooseFromLoans(trial, {}, loans.matched)), 0);
}

TEST_F(DeviceLoansTest, RestrictedLoansGiveTheirOwnOnly) {
  const DeviceLoans loans = Reserve(50, 20, true);
  const DeviceClaim large = Share(60), small = Share(30);
  const DeviceTrial trial{.machine = machine_, .claim = large, .loans = loans, .victims = none_};
  EXPECT_FALSE(ChooseFromLoans(trial, {}, loans.matched).grants.has_value());
  EXPECT_TRUE(ChooseFromLoans(trial, {.needs_loan = true}, loans.matched).must_come_from_loan);
  const DeviceTrial fits{.machine = machine_, .claim = small, .loans = loans, .victims = none_};
  EXPECT_EQ(MinorOf(ChooseFromLoans(fits, {}, loans.matched)), 0);
  EXPECT_EQ(MinorOf(FilterDevices(trial, {})), 0);  // what it reserves counts as free
}

TEST_F(DeviceLoansTest, TakeOversCoverTheirTask) {
  DeviceHoldings holdings;
  holdings["t"][kGpuKind][0] = Part(100);
  machine_.book(DeviceKind::kGpu).used[0] = Part(100);
  const std::vector<std::string> tasks = {"t"};
  const DeviceLoans loans = LoansOfTasks(holdings, tasks, "res", /*restricted=*/true);
  const DeviceClaim claim = Share(200);
  const DeviceTrial trial{.machine = machine_, .claim = claim, .loans = loans, .victims = none_};
  const DeviceLoanAnswer answer = ChooseFromLoans(trial, {.needs_loan = true}, loans.matched);
  ASSERT_TRUE(answer.ok());
  EXPECT_TRUE(GrantsInclude(*answer.grants, loans.matched[0].allocatable));
}

TEST_F(DeviceLoansTest, NamedDevicesAreTaken) {
  const DeviceLoans loans;
  const DeviceClaim claim = Share(100);
  const DeviceTrial trial{.machine = machine_, .claim = claim, .loans = loans, .victims = none_};
  DeviceTaker taker;
  taker.named.emplace();
  (*taker.named)[kGpuKind].push_back({.minor = 1, .amounts = Part(100), .function = {}});
  EXPECT_EQ(MinorOf(ReserveDevices(trial, taker, "")), 1);
  EXPECT_EQ(HintOfNamed(machine_, *taker.named)->zones, 0b10u);
  machine_.book(DeviceKind::kGpu).used[1] = Part(50);
  EXPECT_FALSE(ReserveDevices(trial, taker, "").ok());
}

TEST_F(DeviceLoansTest, HintsOfZones) {
  const DeviceLoans loans;
  const DeviceClaim one = Share(100), two = Share(200), three = Share(300);
  const auto hints = [&](const DeviceClaim& claim) {
    return HintsOfDevices({.machine = machine_, .claim = claim, .loans = loans, .victims = none_},
                          {});
  };
  ASSERT_EQ(hints(one).hints.size(), 1u);
  EXPECT_EQ(hints(one).hints[0].second,
            (std::vector<ScoredHint>{{.zones = 0b01, .preferred = true, .score = 500},
                                     {.zones = 0b10, .preferred = true},
                                     {.zones = 0b11, .score = 500}}));
  EXPECT_EQ(hints(two).hints[0].second.size(), 1u);
  EXPECT_TRUE(hints(three).few_in_zones);
}

TEST_F(DeviceLoansTest, ScoresOfLoans) {
  const DeviceLoans loans = Reserve(50, 0, true);
  const DeviceClaim claim = Share(25);
  DeviceScorer scorer{.prefer_full = true, .weights = {}};
  scorer.weights.Set(DeviceResource::kRatio, 1);
  const DeviceTrial trial{
      .machine = machine_, .claim = claim, .scorer = &scorer, .loans = loans, .victims = none_};
  EXPECT_EQ(ScoreDevices(trial, ""), 12);  // 25 of 200
  EXPECT_EQ(ScoreLoan(trial, "res"), 75);  // of GPU 0 alone, which has 50 left
  EXPECT_EQ(ScoreLoan(trial, "another"), 0);
}

TEST_F(DeviceLoansTest, TemplatesOfShares) {
  ShareTemplates templates;
  templates["m"]["half"] = Part(50);
  templates["m"]["whole"] = Part(100);
  DeviceAmounts core;
  core.Set(DeviceResource::kCore, 50);
  EXPECT_TRUE(MatchingTemplates(templates, core, /*strict=*/true).empty());
  const auto matching = MatchingTemplates(templates, core, /*strict=*/false);
  EXPECT_EQ(matching.at("m"), std::vector<std::string>{"half"});
  DeviceClaim claim = Share(50);
  claim.templates = matching;
  EXPECT_EQ(ChooseDevices(machine_, claim, nullptr, true).reason, DeviceReason::kNoTemplate);
  machine_.model = "m";
  const DeviceAnswer answer = ChooseDevices(machine_, claim, nullptr, true);
  ASSERT_TRUE(answer.ok());
  EXPECT_EQ(answer.grants[kGpuKind].at(0).share_template, "half");
}

}  // namespace
}  // namespace muster::testing
