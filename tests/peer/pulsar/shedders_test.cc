// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/pulsar/shedders.h"

#include <algorithm>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "lib/base/rng.h"
#include "lib/peer/pulsar/avg_shedder.h"

namespace muster::pulsar {
namespace {

using Names = std::vector<std::string>;

// Bundle k carries `bytes[k]`, half of them in, and one message for every ten bytes.
void AddBroker(std::string name, double cpu, const std::vector<double>& bytes, Cluster* cluster) {
  Broker broker{.name = std::move(name), .cpu = {cpu, 100}};
  for (size_t k = 0; k < bytes.size(); ++k) {
    const Traffic traffic{bytes[k] / 2, bytes[k] / 2, bytes[k] / 20, bytes[k] / 20};
    const std::string bundle = broker.name + std::to_string(k);
    broker.bundles.push_back(bundle);
    cluster->bundles.push_back({bundle, traffic, traffic});
    broker.traffic.bytes_in += traffic.bytes_in;
    broker.traffic.bytes_out += traffic.bytes_out;
    broker.traffic.rate_in += traffic.rate_in;
    broker.traffic.rate_out += traffic.rate_out;
  }
  cluster->brokers.push_back(std::move(broker));
}

Cluster TwoBrokers(double high, double low) {
  Cluster cluster;
  AddBroker("a", high, {4e8, 3e8, 3e8}, &cluster);
  AddBroker("b", low, {1e7}, &cluster);
  return cluster;
}

TEST(ThresholdShedder, UnloadsDownToTheMeanAndItsThreshold) {
  ThresholdShedder shedder({.threshold = 0.1});
  const std::vector<Unload> unloads = shedder.Shed(TwoBrokers(90, 10));
  ASSERT_EQ(unloads.size(), 1u);
  EXPECT_EQ(unloads[0].broker, "a");
  EXPECT_EQ(unloads[0].bundles, (Names{"a0"}));  // 0.35 of 1e9 is wanted
}

TEST(ThresholdShedder, AveragesAreRememberedUntilABrokerLeaves) {
  ThresholdShedder shedder({.history = 0.5});
  shedder.Shed(TwoBrokers(50, 50));
  EXPECT_TRUE(shedder.Shed(TwoBrokers(60, 50)).empty());
  EXPECT_NEAR(shedder.averages().find("a")->second, 0.55, 1e-6);
  shedder.SetActive({"b"});
  EXPECT_FALSE(shedder.averages().contains("a"));
}

TEST(ThresholdShedder, TheLowerBoundaryWakesTheMostLoaded) {
  Cluster cluster;
  for (const char* name : {"a", "b", "c"}) AddBroker(name, 50, {4e8, 4e8}, &cluster);
  AddBroker("d", 30, {1e7}, &cluster);
  EXPECT_TRUE(ThresholdShedder({}).Shed(cluster).empty());
  const std::vector<Unload> unloads = ThresholdShedder({.lower_boundary = true}).Shed(cluster);
  ASSERT_EQ(unloads.size(), 1u);
  EXPECT_EQ(unloads[0].bundles, (Names{"a0"}));
}

TEST(ShedOverload, LooksAtOneBrokerAlone) {
  EXPECT_TRUE(ShedOverload(TwoBrokers(84, 0), {}).empty());
  const std::vector<Unload> unloads = ShedOverload(TwoBrokers(90, 89), {});
  ASSERT_EQ(unloads.size(), 1u);  // the last bundle of a broker stays
  EXPECT_EQ(unloads[0].bundles, (Names{"a0"}));
}

TEST(ShedUniform, TakesWhatFitsInAPartOfTheLead) {
  // A fifth of the lead by rate is about 2e7 messages; no bundle is that small.
  EXPECT_TRUE(ShedUniform(TwoBrokers(0, 0), {}).empty());
  const std::vector<Unload> unloads = ShedUniform(TwoBrokers(0, 0), {.most_unloaded = 0.8});
  ASSERT_EQ(unloads.size(), 1u);
  EXPECT_EQ(unloads[0].bundles, (Names{"a0", "a1"}));
  const UniformRules one{.most_unloaded = 0.8, .most_bundles = 1};
  EXPECT_EQ(ShedUniform(TwoBrokers(0, 0), one)[0].bundles, (Names{"a0"}));
}

TEST(AvgShedder, WaitsForEnoughHitsAndRemembersDestinations) {
  AvgShedder shedder({.most_unloaded = 0.5});
  const Cluster cluster = TwoBrokers(90, 10);
  EXPECT_TRUE(shedder.Shed(cluster, {"a", "b"}).empty());
  const std::vector<Unload> unloads = shedder.Shed(cluster, {"a", "b"});
  ASSERT_EQ(unloads.size(), 1u);
  EXPECT_EQ(unloads[0].bundles, (Names{"a0"}));
  const Bundle& bundle = cluster.bundles[0];
  EXPECT_EQ(*shedder.PlaceOf(bundle, {"a", "b"}), "b");
  EXPECT_EQ(shedder.PlaceOf(bundle, {"a"}), nullptr);
  shedder.Forget(bundle.name);
  EXPECT_EQ(shedder.DestinationOf(bundle), nullptr);
}

TEST(AvgShedder, BundlesOfEqualTrafficShareADestination) {
  AvgShedder shedder({.high_hits = 1, .most_unloaded = 0.35});
  const Cluster cluster = TwoBrokers(90, 10);
  ASSERT_EQ(shedder.Shed(cluster, {"a", "b"})[0].bundles, (Names{"a1"}));
  EXPECT_EQ(*shedder.DestinationOf(cluster.bundles[2]), "b");
}

// Whatever the loads are, a bundle leaves the broker that has it, and only once.
TEST(Shedders, UnloadOnlyWhatABrokerHas) {
  Rng rng(5);
  for (int round = 0; round < 500; ++round) {
    Cluster cluster;
    const uint64_t brokers = 1 + rng.Below(8);
    for (uint64_t b = 0; b < brokers; ++b) {
      std::vector<double> bytes(rng.Below(6));
      for (double& amount : bytes) amount = static_cast<double>(rng.Below(100)) * 1e6;
      AddBroker(std::string(1, static_cast<char>('a' + b)), static_cast<double>(rng.Below(120)),
                bytes, &cluster);
    }
    for (const Bundle& bundle : cluster.bundles) {
      if (rng.Chance(0.2)) cluster.recently_unloaded.push_back(bundle.name);
    }
    ThresholdShedder threshold({.least_bytes = 0, .lower_boundary = true});
    for (const auto& unloads : {threshold.Shed(cluster), ShedOverload(cluster, {}),
                                ShedUniform(cluster, {.most_unloaded = 0.9})}) {
      for (const Unload& unload : unloads) {
        ASSERT_FALSE(unload.bundles.empty());
        for (const std::string& bundle : unload.bundles) {
          EXPECT_EQ(bundle.substr(0, 1), unload.broker);
          EXPECT_EQ(std::ranges::count(unload.bundles, bundle), 1);
          EXPECT_EQ(std::ranges::count(cluster.recently_unloaded, bundle), 0);
        }
      }
    }
  }
}

}  // namespace
}  // namespace muster::pulsar
