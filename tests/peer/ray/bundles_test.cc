// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Bundles of groups on machines, worked out by hand and against the slow twin; machines for single
// tasks.
#include "lib/peer/ray/bundles.h"

#include <iterator>
#include <numeric>
#include <string>
#include <utility>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/base/rng.h"
#include "lib/peer/ray/node_choice.h"
#include "lib/reference/peer/ray/bundles.h"

namespace muster::testing {
namespace {

using ::testing::ElementsAre;
using Outcome = BundlePlan::Outcome;

std::vector<BundleNode> Empty(const std::vector<BundleAmounts>& totals) {
  std::vector<BundleNode> nodes;
  for (const BundleAmounts& total : totals) nodes.push_back({total, total});
  return nodes;
}

BundlePlan Place(const std::vector<BundleNode>& nodes, const std::vector<BundleAmounts>& requests,
                 const BundleOptions& options) {
  std::vector<Bundle> bundles;
  for (const BundleAmounts& request : requests) bundles.push_back({request});
  return *PlaceBundles(nodes, bundles, options);
}

TEST(Bundles, PackFillsTheEmptiestNodeFirst) {
  const BundleOptions pack{.strategy = BundleStrategy::kPack};
  EXPECT_THAT(Place(Empty({{4}, {6}}), {{1}, {2}, {3}}, pack).nodes, ElementsAre(1, 1, 1));
  EXPECT_THAT(Place(Empty({{4}, {6}}), {{2}, {5}, {2}}, pack).nodes, ElementsAre(0, 1, 0));
  EXPECT_EQ(Place(Empty({{6}}), {{1}, {2}, {3}, {5}}, pack).outcome, Outcome::kFailed);
  EXPECT_EQ(Place(Empty({{6}}), {{7}}, pack).outcome, Outcome::kInfeasible);
}

TEST(Bundles, SpreadComesBackWhenAllNodesAreUsed) {
  const BundleOptions spread{.strategy = BundleStrategy::kSpread};
  EXPECT_THAT(Place(Empty({{4}, {6}}), {{1}, {1}, {1}}, spread).nodes, ElementsAre(1, 0, 1));
  const BundleOptions strict{.strategy = BundleStrategy::kStrictSpread};
  EXPECT_EQ(Place(Empty({{4}, {6}}), {{1}, {1}, {1}}, strict).outcome, Outcome::kInfeasible);
  EXPECT_THAT(Place(Empty({{4}, {6}}), {{1}, {1}}, strict).nodes, ElementsAre(1, 0));
  const BundleOptions again{.strategy = BundleStrategy::kStrictSpread,
                            .used_already = {true, false}};
  EXPECT_EQ(Place(Empty({{4}, {6}}), {{1}, {1}}, again).outcome, Outcome::kInfeasible);
  EXPECT_THAT(Place(Empty({{4}, {6}}), {{1}}, again).nodes, ElementsAre(1));
}

TEST(Bundles, StrictPackTriesTheWishedNode) {
  BundleOptions options{.strategy = BundleStrategy::kStrictPack};
  const std::vector<BundleNode> nodes = Empty({{8}, {2}, {4}});
  EXPECT_THAT(Place(nodes, {{2}, {2}}, options).nodes, ElementsAre(0, 0));
  options.wished = 2;
  EXPECT_THAT(Place(nodes, {{2}, {2}}, options).nodes, ElementsAre(2, 2));
  options.wished = 1;  // too small
  EXPECT_THAT(Place(nodes, {{2}, {2}}, options).nodes, ElementsAre(0, 0));
  EXPECT_EQ(Place(nodes, {{9}}, options).outcome, Outcome::kInfeasible);
  EXPECT_EQ(Place({{{8}, {3}}}, {{4}}, options).outcome, Outcome::kFailed);
}

// Racks of 18 and 2 nodes among nodes without one.
std::vector<BundleNode> Racks(std::vector<std::string_view>* domains) {
  std::vector<BundleNode> nodes;
  for (int i = 0; i < 40; ++i) {
    nodes.push_back({{4, 2}, {4, 2}});
    domains->push_back(i % 2 == 1 ? "" : i < 36 ? "rack-1" : "rack-2");
  }
  return nodes;
}

TEST(Bundles, AGroupGoesToOneDomain) {
  BundleOptions options{.strategy = BundleStrategy::kStrictSpread};
  std::vector<BundleNode> nodes = Racks(&options.domains);
  const std::vector<BundleAmounts> requests(15, {4, 2});
  const BundlePlan plan = Place(nodes, requests, options);
  ASSERT_EQ(plan.outcome, Outcome::kPlaced);
  options.used_already.assign(nodes.size(), false);
  for (const size_t node : plan.nodes) {
    EXPECT_EQ(options.domains[node], "rack-1");
    EXPECT_FALSE(options.used_already[node]);
    options.used_already[node] = true;
    nodes[node].available = {0, 0};
  }
  // The rest of the group joins the rest of the rack, for which the other one has no room either.
  options.domain = "rack-1";
  EXPECT_THAT(Place(nodes, {{4, 2}, {4, 2}, {4, 2}}, options).nodes, ElementsAre(30, 32, 34));
  EXPECT_EQ(Place(nodes, std::vector<BundleAmounts>(4, {4, 2}), options).outcome,
            Outcome::kInfeasible);
  options.domain = "rack-2";
  EXPECT_EQ(Place(nodes, std::vector<BundleAmounts>(16, {4, 2}), options).outcome,
            Outcome::kInfeasible);
  options.domain = "rack-3";
  EXPECT_EQ(Place(nodes, {{1, 1}}, options).outcome, Outcome::kInfeasible);
}

TEST(Bundles, DomainsGoByValueAndFailOnlyWhereRoomMayCome) {
  BundleOptions options{.strategy = BundleStrategy::kPack, .domains = {"b", "a", "b"}};
  EXPECT_THAT(Place(Empty({{9}, {3}, {9}}), {{2}}, options).nodes, ElementsAre(1));
  EXPECT_THAT(Place(Empty({{9}, {3}, {9}}), {{2}, {2}}, options).nodes, ElementsAre(0, 0));
  // 3 would hold each, but not the sum; in b there is room later.
  EXPECT_EQ(Place({{{9}, {1}}, {{3}, {3}}, {{9}, {1}}}, {{2}, {2}}, options).outcome,
            Outcome::kFailed);
  EXPECT_EQ(Place(Empty({{9}, {3}, {9}}), {{10}, {2}}, options).outcome, Outcome::kInfeasible);
  options.domains = {"", "", ""};
  EXPECT_EQ(Place(Empty({{9}, {3}, {9}}), {{2}}, options).outcome, Outcome::kInfeasible);
  options.domains = {"a"};
  const std::vector<Bundle> one = {{.request = {1}}};
  EXPECT_EQ(PlaceBundles(Empty({{9}, {3}, {9}}), one, options).status().message(),
            "domains: 1 nodes of 3");
}

TEST(Bundles, BadInput) {
  const BundleOptions options;
  const std::vector<Bundle> one = {{.request = {1}}};
  EXPECT_EQ(PlaceBundles(Empty({{1}}), {}, options).status().message(), "a group of no bundles");
  EXPECT_FALSE(PlaceBundles(Empty({{-1}}), one, options).ok());
  EXPECT_EQ(PlaceBundles(std::vector<BundleNode>{{{1}, {2}}}, one, options).status().message(),
            "node 0: more is free than there is");
  const std::vector<Bundle> odd = {{.request = {1}, .nodes = {true, true}}};
  EXPECT_EQ(PlaceBundles(Empty({{1}}), odd, options).status().message(), "bundle 0: 2 nodes of 1");
  EXPECT_EQ(PlaceBundles({}, one, options)->outcome, Outcome::kInfeasible);
}

TEST(DeviceParts, APartComesFromTheFullestDeviceThatHasIt) {
  DeviceParts parts(3, 10);
  parts.Take(6);
  parts.Take(7);
  EXPECT_TRUE(parts.Holds(10));
  parts.Take(3);  // of the device with 3 left, not of that with 4
  EXPECT_TRUE(parts.Holds(4));
  parts.Take(10);
  EXPECT_TRUE(parts.Holds(4));
  EXPECT_FALSE(parts.Holds(5));
  EXPECT_FALSE(parts.Holds(10));
  EXPECT_TRUE(parts.HoldsWhenFree(30));
  EXPECT_FALSE(parts.HoldsWhenFree(15));
  EXPECT_FALSE(parts.HoldsWhenFree(40));
  EXPECT_TRUE(parts.Freed().Holds(30));
}

TEST(DeviceParts, AnOverfullNodeHasNoneLeft) {
  DeviceParts parts(3, 10);
  parts.TakeWhatIsThere(15);  // two devices
  EXPECT_TRUE(parts.Holds(10));
  EXPECT_FALSE(parts.Holds(20));
  parts.TakeWhatIsThere(50);
  EXPECT_FALSE(parts.Holds(1));
  parts.TakeWhatIsThere(1);
  EXPECT_FALSE(parts.Holds(1));
  EXPECT_TRUE(DeviceParts().Holds(15));  // nothing is counted
}

// Makes the first resource one of devices of ten each, some of them in use.
void KeepByDevice(Rng& rng, std::vector<BundleNode>* nodes, std::vector<Bundle>* bundles,
                  reference::BundleWorld* slow) {
  constexpr int64_t kUnit = 10;
  const int64_t requests[] = {0, 3, 4, 5, 6, 7, 10, 10, 15, 20};
  slow->unit = kUnit;
  for (size_t i = 0; i < nodes->size(); ++i) {
    BundleNode& node = (*nodes)[i];
    const auto devices = static_cast<int64_t>(rng.Below(4));
    node.devices = DeviceParts(devices, kUnit);
    std::vector<int64_t> free(static_cast<size_t>(devices), kUnit);
    for (uint64_t k = rng.Below(4); k > 0; --k) {
      const int64_t request = requests[rng.Below(std::size(requests))];
      ASSERT_EQ(node.devices.Holds(request), reference::DevicesHold(free, kUnit, request));
      if (!node.devices.Holds(request)) continue;
      node.devices.Take(request);
      reference::TakeDevices(kUnit, request, &free);
    }
    node.total[0] = slow->total[i][0] = devices * kUnit;
    node.available[0] = std::accumulate(free.begin(), free.end(), int64_t{0});
    slow->available[i][0] = node.available[0];
    slow->devices.push_back(std::move(free));
  }
  for (size_t b = 0; b < bundles->size(); ++b) {
    const int64_t request = requests[rng.Below(std::size(requests))];
    (*bundles)[b].request[0] = slow->bundles[b][0] = request;
  }
}

TEST(Bundles, RandomGroupsAgainstTheTwin) {
  static constexpr const char* kNames[] = {"pack", "spread", "strict pack", "strict spread"};
  static constexpr const char* kOutcomes[] = {"", "infeasible", "failed"};
  int seen[4][3] = {};
  for (uint64_t seed = 0; seed < 4000; ++seed) {
    Rng rng(seed);
    const auto below = [&](uint64_t n) { return static_cast<int64_t>(rng.Below(n)); };
    reference::BundleWorld slow;
    std::vector<BundleNode> nodes(1 + rng.Below(6));
    for (BundleNode& node : nodes) {
      node.total = {below(4), 4 + below(9)};
      node.available = node.total;
      for (int64_t& amount : node.available) amount -= below(static_cast<uint64_t>(amount / 2 + 1));
      slow.total.push_back(node.total);
      slow.available.push_back(node.available);
    }
    std::vector<Bundle> bundles(1 + rng.Below(6));
    for (Bundle& bundle : bundles) {
      bundle.request = {rng.Chance(0.3) ? 1 + below(2) : 0, 1 + below(5)};
      slow.bundles.push_back(bundle.request);
      slow.allowed.emplace_back();
      const bool is_limited = rng.Chance(0.2);
      for (size_t i = 0; i < nodes.size(); ++i) {
        const bool allows = !is_limited || rng.Chance(0.7);
        if (is_limited) bundle.nodes.push_back(allows);
        if (allows) slow.allowed.back().insert(i);
      }
    }
    if (rng.Chance(0.5)) KeepByDevice(rng, &nodes, &bundles, &slow);
    const size_t strategy = rng.Below(4);
    BundleOptions options{.strategy = static_cast<BundleStrategy>(strategy + 1)};
    if (rng.Chance(0.3))
      slow.wished = static_cast<int>(*(options.wished = rng.Below(nodes.size())));
    if (rng.Chance(0.3)) {
      options.used_already.assign(nodes.size(), false);
      options.used_already[0] = true;
      slow.used_already.insert(0);
    }
    if (rng.Chance(0.4)) {
      const char* const names[] = {"", "x", "y"};
      for (size_t i = 0; i < nodes.size(); ++i) {
        slow.domains.emplace_back(options.domains.emplace_back(names[rng.Below(3)]));
      }
      if (rng.Chance(0.2)) slow.domain = options.domain = "y";
    }
    std::string why;
    const std::vector<size_t> right = slow.Place(kNames[strategy], &why);
    const BundlePlan plan = *PlaceBundles(nodes, bundles, options);
    ASSERT_EQ(kOutcomes[static_cast<size_t>(plan.outcome)], why) << "seed " << seed;
    ASSERT_EQ(plan.nodes, right) << "seed " << seed << ", " << kNames[strategy];
    ++seen[strategy][static_cast<size_t>(plan.outcome)];
  }
  for (const auto& outcomes : seen) {
    for (int count : outcomes) EXPECT_GT(count, 0);
  }
}

// --- machines for single tasks

TEST(MachineChoice, HybridStaysWhileTheNodeIsNotBusy) {
  std::vector<BundleNode> nodes = Empty({{10}, {10}, {10}});
  MachineChoice choice(nodes, {.counted = {0}});
  Rng rng(1);
  const ChoiceWishes local{.preferred = 1};
  EXPECT_EQ(choice.Hybrid({1}, local, &rng), 1u);
  nodes[1].available = {6};  // 40 % used: below the threshold
  EXPECT_EQ(choice.Hybrid({1}, local, &rng), 1u);
  nodes[1].available = {4};
  EXPECT_EQ(choice.Hybrid({1}, local, &rng), 0u);
  for (BundleNode& node : nodes) node.available = {0};
  EXPECT_EQ(choice.Hybrid({1}, local, &rng), 1u);  // it waits there
  EXPECT_EQ(choice.Hybrid({1}, {.preferred = 1, .needs_room = true}, &rng), std::nullopt);
  EXPECT_EQ(choice.Hybrid({11}, local, &rng), std::nullopt);
  EXPECT_EQ(choice.Hybrid({1}, {.preferred = 0, .avoids_preferred = true}, &rng), 1u);
}

TEST(MachineChoice, DrawsFromTheBest) {
  const std::vector<BundleNode> nodes = Empty({{10}, {10}, {10}, {10}});
  MachineChoice choice(nodes, {.counted = {0}});
  Rng rng(7);
  int seen[4] = {};
  for (int i = 0; i < 200; ++i) ++seen[*choice.Hybrid({1}, {.top_fraction = 0.5F}, &rng)];
  EXPECT_GT(seen[0], 50);
  EXPECT_GT(seen[1], 50);
  EXPECT_EQ(seen[2] + seen[3], 0);
  for (int i = 0; i < 200; ++i) ++seen[*choice.Any({1}, {}, &rng)];
  EXPECT_GT(seen[2], 20);
  EXPECT_EQ(choice.Any({11}, {}, &rng), std::nullopt);
}

TEST(MachineChoice, InTurnAndCertain) {
  std::vector<BundleNode> nodes = Empty({{2}, {2}, {2}});
  nodes[1].available = {0};
  MachineChoice choice(nodes, {.counted = {0}});
  Rng rng(1);
  EXPECT_EQ(choice.InTurn({1}, {}), 0u);
  EXPECT_EQ(choice.InTurn({1}, {}), 2u);
  EXPECT_EQ(choice.InTurn({1}, {}), 0u);
  EXPECT_EQ(choice.Certain({1}, 1, false, false, {}, &rng), 1u);
  EXPECT_EQ(choice.Certain({1}, 1, true, false, {}, &rng), std::nullopt);
  EXPECT_EQ(choice.Certain({1}, 1, true, true, {}, &rng), 0u);
  EXPECT_EQ(choice.Certain({1}, std::nullopt, false, true, {}, &rng), 0u);
}

TEST(MachineChoice, KeepsOffAccelerators) {
  const std::vector<BundleNode> nodes = Empty({{1, 4}, {0, 2}});
  MachineChoice choice(nodes, {.counted = {1}, .accelerator = 0});
  Rng rng(1);
  const ChoiceWishes wishes{.preferred = 0, .avoids_accelerators = true};
  EXPECT_EQ(choice.Hybrid({0, 1}, wishes, &rng), 1u);
  EXPECT_EQ(choice.Hybrid({0, 3}, wishes, &rng), 0u);  // no other holds it
  EXPECT_EQ(choice.Hybrid({1, 1}, wishes, &rng), 0u);
}

}  // namespace
}  // namespace muster::testing
