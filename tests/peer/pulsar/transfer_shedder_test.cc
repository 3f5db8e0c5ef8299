// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/pulsar/transfer_shedder.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace muster::pulsar {
namespace {

using Skip = TransferRound::Skip;

BrokerReport Report(std::string name, double load, const std::vector<double>& bytes) {
  BrokerReport report{.name = std::move(name), .load = load};
  report.bundles.emplace();
  for (size_t k = 0; k < bytes.size(); ++k) {
    report.bundles->push_back({"t/" + report.name + "/" + std::to_string(k), bytes[k], 0});
    report.bytes_in += bytes[k];
  }
  report.average_bytes = report.bytes_in;
  return report;
}

std::vector<std::string> BundlesOf(const TransferRound& round) {
  std::vector<std::string> names;
  for (const Transfer& transfer : round.transfers) names.push_back(transfer.bundle);
  return names;
}

TransferShedder::Rules Eager() { return {.hits = 0}; }

TEST(TransferShedder, WaitsForSeveralUnevenRounds) {
  TransferShedder shedder({.hits = 1});
  const std::vector<BrokerReport> reports = {Report("a", 1.0, {100, 200, 300}),
                                             Report("b", 0.1, {})};
  EXPECT_EQ(shedder.Shed(reports, {}).skip, Skip::kHitCount);
  EXPECT_EQ(shedder.hits(), 1);
  const TransferRound round = shedder.Shed(reports, {});
  EXPECT_EQ(round.skip, Skip::kNone);
  EXPECT_EQ(shedder.hits(), 0);
  EXPECT_EQ(BundlesOf(round), (std::vector<std::string>{"t/a/0"}));  // 270 may go, 300 is too much
  EXPECT_EQ(round.transfers[0].to, "b");
  EXPECT_TRUE(round.transfers[0].is_overload);
  EXPECT_LT(round.deviation, 0.45);
}

TEST(TransferShedder, SwapsABundleThatIsTooMuch) {
  TransferShedder shedder(Eager());
  const TransferRound round =
      shedder.Shed({Report("a", 0.9, {600, 1000}), Report("b", 0.3, {150, 250})}, {});
  EXPECT_EQ(BundlesOf(round), (std::vector<std::string>{"t/b/0", "t/a/0"}));
}

TEST(TransferShedder, SkipsRoundsWithAReason) {
  TransferShedder shedder(Eager());
  EXPECT_EQ(shedder.Shed({}, {}).skip, Skip::kNoBrokers);
  BrokerReport old = Report("a", 1.0, {});
  old.age = 10'000'000;
  EXPECT_EQ(shedder.Shed({old}, {}).skip, Skip::kOutdated);
  EXPECT_EQ(shedder.Shed({Report("a", 1.0, {})}, {.available = {"a", "b"}}).skip,
            Skip::kNoLoadData);
  EXPECT_EQ(shedder.Shed({Report("a", 1.0, {})}, {.unloaded_brokers = {{"a", 1'000}}}).skip,
            Skip::kCoolDown);
  EXPECT_EQ(shedder.Shed({Report("a", 1.0, {5}), Report("b", 0.0, {})}, {}).skip, Skip::kNoBundles);
}

TEST(TransferShedder, PoliciesKeepBundlesFromBrokers) {
  TransferShedder shedder(Eager());
  const std::vector<BrokerReport> reports = {Report("a", 1.0, {100, 200, 300}),
                                             Report("b", 0.1, {})};
  TransferWorld world{.available = {"a", "b"}};
  world.policies.emplace();
  EXPECT_EQ(shedder.Shed(reports, world).transfers.size(), 1u);
  world.policies->allowed = {{"t/a", {"a"}}};
  EXPECT_EQ(shedder.Shed(reports, world).skip, Skip::kNoBundles);
  world.policies = Policies{.isolated = {"t/a"}};
  EXPECT_EQ(shedder.Shed(reports, world).skip, Skip::kNoBundles);
}

}  // namespace
}  // namespace muster::pulsar
