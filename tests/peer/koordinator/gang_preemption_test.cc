// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Room for whole gangs: the rules on small nodes, against a plain reading on random ones, and
// within the profile.
#include "lib/peer/koordinator/gangs/gang_preemption.h"

#include <algorithm>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/base/rng.h"
#include "tests/peer/koordinator/small_cluster.h"

namespace muster::testing {
namespace {

using koordinator::GangNode;
using koordinator::GangRoom;
using koordinator::GangVictim;
using koordinator::MakeGangRoom;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

// One resource. Sizes of victims by node, of pods by number.
struct Units {
  std::vector<int64_t> free;
  std::vector<GangNode> nodes;
  std::vector<std::vector<int64_t>> victims;
  std::vector<int64_t> pods;
};

class UnitRooms : public koordinator::GangRooms {
 public:
  explicit UnitRooms(const Units& units) : units_(units), free_(units.free) {}
  void MoveVictim(size_t node, size_t victim, int sign) override {
    free_[node] -= sign * units_.victims[node][victim];
  }
  void MovePod(size_t pod, size_t node, int sign) override {
    free_[node] -= sign * units_.pods[pod];
  }
  bool Fits(size_t pod, size_t node) override { return units_.pods[pod] <= free_[node]; }
  const std::vector<int64_t>& free() const { return free_; }

 private:
  const Units& units_;
  std::vector<int64_t> free_;
};

GangRoom RoomIn(const Units& units) {
  UnitRooms rooms(units);
  const GangRoom found = MakeGangRoom(units.pods.size(), units.nodes, &rooms);
  EXPECT_EQ(rooms.free(), units.free);
  return found;
}

TEST(GangRoom, PodsGoTogetherToTheCheapestNodeWhileTheyFit) {
  Units units{.free = {0, 0},
              .nodes = {{{{"x", "j", 5}, {"y", "j", 5}}}, {{{"z", "k", 1}, {"w", "l", 1}}}},
              .victims = {{1, 1}, {1, 1}},
              .pods = {1, 1}};
  // The first node costs the rank of 5, the second nothing.
  EXPECT_THAT(RoomIn(units).places, ElementsAre(1, 1));
  units.pods = {1, 1, 1};
  EXPECT_THAT(RoomIn(units).places, ElementsAre(1, 1, 0));
  EXPECT_THAT(RoomIn(units).victims, ElementsAre(Pair(0, 1), Pair(1, 0), Pair(1, 1)));
  units.pods = {1, 1, 1, 1, 1};
  EXPECT_THAT(RoomIn(units).places, IsEmpty());
}

TEST(GangRoom, AJobCostsOnceByItsFirstVictim) {
  // Of the first node: ranks 1 and 2. Of the second: rank 2, whatever its other victims have.
  const Units units{
      .free = {0, 0},
      .nodes = {{{{"a", "j", 2}, {"b", "k", 3}}}, {{{"c", "m", 3}, {"d", "m", 3}, {"e", "m", 1}}}},
      .victims = {{1, 1}, {1, 1, 1}},
      .pods = {2}};
  EXPECT_THAT(RoomIn(units).places, ElementsAre(1));
  EXPECT_THAT(RoomIn(units).victims, ElementsAre(Pair(1, 1), Pair(1, 2)));
}

TEST(GangRoom, WhatNeedNotLeaveComesBack) {
  const Units units{.free = {1},
                    .nodes = {{{{"a", "", 1}, {"b", "", 2}, {"c", "", 2}}}},
                    .victims = {{1, 4, 1}},
                    .pods = {2, 2}};
  // Of seven units the pods take four: b does not come back, c and a do.
  EXPECT_THAT(RoomIn(units).victims, ElementsAre(Pair(0, 1)));
}

// --- a plain reading

GangRoom Plainly(const Units& units) {
  std::set<int32_t> ranks;
  for (const GangNode& node : units.nodes) {
    for (const GangVictim& victim : node.victims) ranks.insert(victim.priority);
  }
  const auto cost_of = [&](const GangNode& node) {
    int64_t cost = 0;
    for (size_t v = 0; v < node.victims.size(); ++v) {
      bool is_first = true;
      for (size_t u = 0; u < v; ++u) is_first &= node.victims[u].job != node.victims[v].job;
      if (!is_first) continue;
      for (const int32_t rank : ranks) cost += rank < node.victims[v].priority;
    }
    return cost;
  };
  std::vector<int64_t> room = units.free;
  for (size_t n = 0; n < room.size(); ++n) {
    for (const int64_t size : units.victims[n]) room[n] += size;
  }
  const std::vector<int64_t> whole = room;
  std::vector<bool> is_out(room.size(), false);
  GangRoom found;
  for (const int64_t pod : units.pods) {
    size_t best = room.size();
    for (size_t n = 0; n < room.size(); ++n) {
      is_out[n] = is_out[n] || pod > room[n];
      if (is_out[n]) continue;
      if (best == room.size() || cost_of(units.nodes[n]) < cost_of(units.nodes[best])) best = n;
    }
    if (best == room.size()) return {};
    room[best] -= pod;
    found.places.push_back(best);
  }
  for (size_t n = 0; n < room.size(); ++n) {
    int64_t need = 0, held = 0;
    for (size_t p = 0; p < units.pods.size(); ++p) need += found.places[p] == n ? units.pods[p] : 0;
    std::vector<std::tuple<int32_t, std::string, std::string, size_t>> order;
    for (size_t v = 0; v < units.nodes[n].victims.size(); ++v) {
      const GangVictim& victim = units.nodes[n].victims[v];
      order.emplace_back(-victim.priority, victim.job, victim.name, v);
    }
    std::sort(order.begin(), order.end());
    for (const auto& [priority, job, name, v] : order) {
      if (need > 0 && held + units.victims[n][v] + need > whole[n]) {
        found.victims.emplace_back(n, v);
      } else {
        held += units.victims[n][v];
      }
    }
  }
  return found;
}

TEST(GangRoom, RandomNodesAgainstAPlainReading) {
  int placed = 0, refused = 0;
  for (uint64_t seed = 0; seed < 3000; ++seed) {
    Rng rng(seed);
    const auto below = [&](uint64_t n) { return static_cast<int64_t>(rng.Below(n)); };
    Units units;
    for (uint64_t n = 1 + rng.Below(5); n > 0; --n) {
      units.free.push_back(below(3));
      units.nodes.emplace_back();
      units.victims.emplace_back();
      for (uint64_t v = rng.Below(5); v > 0; --v) {
        units.nodes.back().victims.push_back({"v" + std::to_string(rng.Below(100)),
                                              std::string(1, "abc"[rng.Below(3)]),
                                              static_cast<int32_t>(rng.Below(4))});
        units.victims.back().push_back(1 + below(3));
      }
    }
    for (uint64_t p = 1 + rng.Below(5); p > 0; --p) units.pods.push_back(1 + below(3));
    const GangRoom found = RoomIn(units), right = Plainly(units);
    ASSERT_EQ(found.places, right.places) << seed;
    ASSERT_EQ(found.victims, right.victims) << seed;
    ++(found.places.empty() ? refused : placed);
  }
  EXPECT_GT(placed, 500);
  EXPECT_GT(refused, 500);
}

// --- the profile

constexpr char kOn[] = "gang_preemption=on,quota=off";

class GangPreemption : public KoordinatorProfile {
 protected:
  void SetUp() override {
    for (const char* node : {"a", "b"}) {
      Node(node, 2, {.labels = {{"kubernetes.io/hostname", node}}});
      for (const char* number : {"0", "1"}) {
        Pod(std::string(node) + number, "1", {.node = node});
      }
    }
  }
  // A gang of more important pods of one core each.
  void Important(const std::string& name, int pods, JobSpec job = {}) {
    job.name = name;
    job.min_available = pods;
    Accept(cluster_.AddJob(job));
    for (int i = 0; i < pods; ++i) {
      Pod(name + std::to_string(i), "1", {.job = name, .priority = 1000});
    }
  }
};

TEST_F(GangPreemption, AllPodsOfAGangMakeRoomAtOnce) {
  Important("g", 3);
  EXPECT_EQ(Live(0, kOn),
            "evict a0 a; evict a1 a; evict b1 b; nominate g0 a; nominate g1 a; nominate g2 b");
  for (const char* victim : {"a0", "a1", "b1"}) Accept(cluster_.RemoveTask(victim));
  EXPECT_EQ(Live(100, kOn), "bind g2 b; bind g0 a; bind g1 a");
}

TEST_F(GangPreemption, AGangThatCannotBecomeWholeEvictsNothing) {
  Important("g", 5);
  EXPECT_EQ(Plan(kOn), "");
  EXPECT_THAT(Why("g0", kOn), HasSubstr("preemption: 0/2 nodes are available: 2 Insufficient cpu"));
  EXPECT_EQ(Plan("quota=off").find("evict"), 0U);  // each pod for itself
}

TEST_F(GangPreemption, WhileVictimsLeaveNothingMoreIsEvicted) {
  Important("g", 3);
  EXPECT_EQ(Live(0, kOn),
            "evict a0 a; evict a1 a; evict b1 b; nominate g0 a; nominate g1 a; nominate g2 b");
  Accept(cluster_.RemoveTask("a0"));  // the room wakes the pods
  EXPECT_THAT(Why("g0", kOn, 100) + Why("g1", kOn, 100) + Why("g2", kOn, 100),
              HasSubstr("not eligible due to terminating pod on the nominated node."));
  EXPECT_EQ(Live(100, kOn).find("evict"), std::string::npos);
}

// Only a pod that is terminating since a preemption blocks a gang; with quotas any one does.
TEST_F(GangPreemption, APodThatLeavesForAnotherReasonBlocksNoGang) {
  Accept(cluster_.AddJob({.name = "g", .min_available = 2}));
  Pod("g0", "1", {.job = "g", .nominated_node = "a", .priority = 1000});
  Pod("g1", "1", {.job = "g", .priority = 1000});
  TaskSpec leaving{.name = "a0", .status = TaskStatus::kReleasing, .node = "a"};
  leaving.shape.request = {{"cpu", 1}, {"memory", "1Gi"}};
  Accept(cluster_.UpdateTask(leaving));
  EXPECT_THAT(Plan(kOn), HasSubstr("nominate g0"));
  EXPECT_THAT(Why("g0", "quota=on"), HasSubstr("not eligible due to a terminating pod"));
  leaving.shape.labels = {{"kube-scheduler/preempted", "true"}};
  Accept(cluster_.UpdateTask(leaving));
  EXPECT_EQ(Plan(kOn), "");
  EXPECT_THAT(Why("g0", kOn) + Why("g1", kOn), HasSubstr("not eligible due to terminating pod"));
}

// g0 is less important than g1 and gets the last free node before it.
TEST_F(GangPreemption, PodsOfTheGangThatWaitAreNoVictims) {
  Node("c", 1);
  Accept(cluster_.AddJob({.name = "g", .min_available = 2}));
  Pod("g0", "1", {.job = "g", .priority = 10});
  Pod("g1", "2", {.job = "g", .priority = 20});
  EXPECT_EQ(Live(0, kOn), "evict a0 a; evict a1 a; nominate g1 a; nominate g0 c");
}

TEST_F(GangPreemption, LessImportantPodsOfTheGangKeepTheirNomination) {
  Accept(cluster_.AddJob({.name = "g", .min_available = 2}));
  Pod("g0", "1", {.job = "g", .priority = 20});
  Pod("g1", "1", {.job = "g", .priority = 10});
  EXPECT_EQ(Live(0, kOn), "evict a0 a; evict a1 a; nominate g0 a; nominate g1 a");
}

TEST_F(GangPreemption, PodsOfTheGangKeepApartWhereTheyMust) {
  TaskSpec apart{.job = "g", .priority = 1000};
  apart.shape.labels = {{"app", "g"}};
  apart.shape.required_anti_affinity = {{.topology_key = "kubernetes.io/hostname",
                                         .selector = Selector{.match_labels = {{"app", "g"}}}}};
  Accept(cluster_.AddJob({.name = "g", .min_available = 2}));
  for (const char* name : {"g0", "g1"}) Pod(name, "1", apart);
  EXPECT_EQ(Plan(kOn), "evict a1 a; evict b1 b; nominate g0 a; nominate g1 b");
  Pod("g2", "1", apart);
  EXPECT_EQ(Plan(kOn), "");
  EXPECT_THAT(Why("g0", kOn), HasSubstr("preemption: 0/2 nodes are available: 2 node(s) didn't "
                                        "match pod anti-affinity rules."));
}

TEST_F(GangPreemption, PodsOfTheGangSpreadWhereTheyMust) {
  TaskSpec spread{.job = "g", .priority = 1000};
  spread.shape.labels = {{"app", "g"}};
  spread.shape.spread = {{.topology_key = "kubernetes.io/hostname",
                          .selector = Selector{.match_labels = {{"app", "g"}}}}};
  Accept(cluster_.AddJob({.name = "g", .min_available = 2}));
  for (const char* name : {"g0", "g1"}) Pod(name, "1", spread);
  EXPECT_EQ(Plan(kOn), "evict a1 a; evict b1 b; nominate g0 a; nominate g1 b");
}

// The gang runs: its pods fail one by one, and the second could make room.
TEST_F(GangPreemption, AGroupTriesOnceInAPlan) {
  Node("c", 2);
  Accept(cluster_.AddJob({.name = "g", .min_available = 2}));
  for (const char* name : {"g0", "g1"}) {
    Pod(name, "1", {.job = "g", .node = "c", .priority = 1000});
  }
  Pod("g2", "3", {.job = "g", .priority = 1000});
  Pod("g3", "1", {.job = "g", .priority = 1000});
  EXPECT_EQ(Plan(kOn), "");
  EXPECT_THAT(Why("g2", kOn), HasSubstr("preemption: 0/3 nodes are available:"));
  EXPECT_THAT(Why("g3", kOn), HasSubstr("preemption: preemption already attempted by g2 with "
                                        "message 0/3 nodes are available:"));
  Accept(cluster_.RemoveTask("g2"));
  EXPECT_EQ(Plan(kOn), "evict a1 a; nominate g3 a");
}

TEST_F(GangPreemption, ATraceHasTheWholeAttempt) {
  Important("g", 3);
  Live(0, std::string(kOn) + ",trace=on,cycles=1");
  const MemorySlot* trace = cluster_.memory().Find("kube-trace");
  ASSERT_NE(trace, nullptr);
  EXPECT_THAT(
      std::string(trace->Text("cycle")),
      AllOf(HasSubstr("\"pod\": \"g0\""), HasSubstr("\"deleted\": [\"a0\", \"a1\", \"b1\"]"),
            HasSubstr("\"nominations\": [[\"g0\", \"a\"], [\"g1\", \"a\"], "
                      "[\"g2\", \"b\"]]")));
}

TEST_F(GangPreemption, EqualPodsAreNoVictims) {
  JobSpec job{.name = "g", .min_available = 2};
  Accept(cluster_.AddJob(job));
  for (const char* name : {"g0", "g1"}) Pod(name, "1", {.job = "g"});
  EXPECT_EQ(Plan(kOn), "");
  EXPECT_THAT(Why("g0", kOn), HasSubstr("preemption: 0/2 nodes are available: 2 no potential "
                                        "victims."));
}

}  // namespace
}  // namespace muster::testing
