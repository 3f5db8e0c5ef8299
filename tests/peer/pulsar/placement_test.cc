// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/pulsar/placement.h"

#include <cmath>
#include <string>

#include "gtest/gtest.h"

namespace muster::pulsar {
namespace {

Broker WithCpu(std::string name, double cpu) {
  return {.name = std::move(name), .cpu = {cpu, 100}, .traffic = {1, 1, 1, 1}, .bundles = {"x"}};
}

TEST(RateScore, CountsBundlesOnTheirWay) {
  const Broker calm = WithCpu("a", 50), busy = WithCpu("b", 90);
  RateCandidate candidate{&calm, 10, 20};
  candidate.preallocated = {{0, 0, 3, 4}};
  EXPECT_EQ(RateScore(candidate, {}, 0.85), 37);
  EXPECT_TRUE(std::isinf(RateScore({&busy}, {}, 0.85)));
}

TEST(BestByRate, AllThatAreLeastOrAllThatAreOverloaded) {
  EXPECT_EQ(BestByRate({{"a", 2}, {"b", 1}, {"c", 1}}), (Names{"b", "c"}));
  const double inf = HUGE_VAL;
  EXPECT_EQ(BestByRate({{"a", inf}, {"b", inf}}), (Names{"a", "b"}));
}

TEST(UsagePlacement, AveragesAdvanceWithEachCall) {
  UsagePlacement placement({}, 0.5, 0.15);
  Broker a = WithCpu("a", 80);
  const Broker b = WithCpu("b", 20);
  EXPECT_EQ(placement.Best({&a, &b}), (Names{"b"}));
  a.cpu.used = 0;
  EXPECT_EQ(placement.Best({&a, &b}), (Names{"a", "b"}));  // 0.4 and 0.2: both near the mean
  EXPECT_EQ(placement.Best({&a, &b}), (Names{"a", "b"}));
  placement.SetActive({"a"});
  EXPECT_FALSE(placement.averages().contains("b"));
}

TEST(BestByLoad, BrokersWithoutReportDoNotCount) {
  const HashMap<std::string, double> loads = {{"a", 0.9}, {"b", 0.1}};
  EXPECT_EQ(BestByLoad({"a", "b", "c"}, loads, 0.1), (Names{"b"}));
  EXPECT_EQ(BestByLoad({"c", "d"}, loads, 0.1), (Names{"c", "d"}));
}

TEST(RoundRobin, KeepsItsOrderWhileTheSizeIsTheSame) {
  RoundRobin turns;
  EXPECT_EQ(turns.Next({"a", "b"}), "a");
  EXPECT_EQ(turns.Next({"b", "a"}), "b");
  EXPECT_EQ(turns.Next({"c", "b"}), "c");  // "a" is gone: the copy is renewed
  EXPECT_EQ(turns.Next({}), "");
}

TEST(Filters, KeepWhatTheRuleAllows) {
  const HashMap<std::string, int64_t> counts = {{"a", 2}, {"b", 1}};
  EXPECT_EQ(KeepEven({"a", "b"}, counts), (Names{"b"}));
  EXPECT_EQ(KeepEven({"a", "b", "c"}, counts), (Names{"c"}));
  EXPECT_EQ(KeepWithinTopics({"a", "b"}, counts, 1), (Names{"b"}));
  EXPECT_EQ(KeepWithinTopics({"a", "b"}, counts, 0), (Names{"a", "b"}));
  EXPECT_EQ(KeepBelowTopics({"a", "b"}, counts, 1), Names());
  EXPECT_EQ(KeepApart({"a", "b", "c"}, counts, {{"a", "x"}, {"b", "y"}, {"c", "x"}}), (Names{"b"}));
}

}  // namespace
}  // namespace muster::pulsar
