// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Groups of pods that wait for one another, by hand.
#include "lib/peer/scheduler_plugins/coscheduling.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace muster::scheduler_plugins {
namespace {

using Names = std::vector<std::string>;
using Permitted = PermitAnswer::Code;
using Failed = FailureAnswer::Code;

GroupPod Member(const std::string& name) { return {"team", name, "train"}; }

PodGroups Train(int64_t min_member, int pods, const CoschedulingOptions& options = {}) {
  PodGroups groups(options);
  groups.SetGroup("team/train", {.min_member = min_member, .created = 100});
  for (int i = 0; i < pods; ++i) groups.SetPod(Member(std::string(1, static_cast<char>('a' + i))));
  return groups;
}

TEST(MissingRoom, WhatIsDroppedStaysDroppedAndNegativeRoomAddsToTheNeed) {
  const std::vector<RoomNode> nodes = {
      {.allocatable = {{"cpu", 4}, {"memory", 10}}},
      {.allocatable = {{"cpu", 2}, {"pods", 1}}, .pods = {{"", {{"cpu", 5}, {"memory", 3}}}}},
  };
  EXPECT_EQ(MissingRoom(nodes, {{"cpu", 4}, {"memory", 10}}, "team/train"), Amounts());
  EXPECT_EQ(MissingRoom(nodes, {{"cpu", 5}, {"memory", 12}}, "team/train"),
            (Amounts{{"cpu", 4}, {"memory", 5}}));  // 1 + 3, 2 + 3
  EXPECT_EQ(MissingRoom(nodes, {{"gpu", 1}, {"pods", 1}}, "team/train"),
            (Amounts{{"gpu", 1}, {"pods", 1}}));
  EXPECT_EQ(MissingRoom({}, {{"cpu", 0}}, ""), (Amounts{{"cpu", 0}}));
}

TEST(MissingRoom, PodsOfTheGroupDoNotCount) {
  const std::vector<RoomNode> nodes = {
      {.allocatable = {{"cpu", 4}, {"pods", 1}}, .pods = {{"team/train", {{"cpu", 3}}}}}};
  EXPECT_EQ(MissingRoom(nodes, {{"cpu", 4}, {"pods", 1}}, "team/train"), Amounts());
  EXPECT_EQ(MissingRoom(nodes, {{"cpu", 4}, {"pods", 1}}, "team/other"),
            (Amounts{{"cpu", 3}, {"pods", 1}}));
}

TEST(PodGroups, QueueOrder) {
  PodGroups groups({});
  groups.SetGroup("team/train", {.min_member = 2, .created = 100});
  groups.SetGroup("team/late", {.min_member = 2, .created = 200});
  const WaitingPod train = {Member("z"), 0, 500}, late = {{"team", "a", "late"}, 0, 1};
  const WaitingPod alone = {{"team", "b"}, 0, 150}, absent = {{"team", "c", "none"}, 0, 160};
  EXPECT_EQ(groups.QueueTime(train), 100);
  EXPECT_EQ(groups.QueueTime(alone), 150);
  EXPECT_EQ(groups.QueueTime(absent), 160);
  EXPECT_TRUE(groups.IsBefore(train, alone));
  EXPECT_TRUE(groups.IsBefore(alone, late));
  EXPECT_FALSE(groups.IsBefore(late, alone));
  const WaitingPod urgent = {{"team", "y", "late"}, 1, 900};
  EXPECT_TRUE(groups.IsBefore(urgent, train));
  EXPECT_FALSE(groups.IsBefore(train, urgent));
  const WaitingPod sibling = {Member("a"), 0, 900};
  EXPECT_TRUE(groups.IsBefore(sibling, train));
  EXPECT_FALSE(groups.IsBefore(train, sibling));
  EXPECT_FALSE(groups.IsBefore(train, train));
}

TEST(PodGroups, AFailedGroupGoesBehind) {
  PodGroups groups = Train(2, 2);
  const WaitingPod train = {Member("a"), 0, 500}, alone = {{"team", "b"}, 0, 150};
  groups.MarkFailed("team/train", 400);
  EXPECT_EQ(groups.QueueTime(train), 400);
  EXPECT_TRUE(groups.IsBefore(alone, train));
  groups.ClearFailed("team/train");
  EXPECT_TRUE(groups.IsBefore(train, alone));
  groups.RemoveGroup("team/train");
  EXPECT_EQ(groups.QueueTime(train), 500);
}

TEST(PodGroups, CheckCountsPodsWithoutGates) {
  EXPECT_EQ(PodGroups({}).CheckGroup({"team", "x"}, {}, 0), GroupCheck::kPass);
  EXPECT_EQ(PodGroups({}).CheckGroup(Member("x"), {}, 0), GroupCheck::kPass);
  PodGroups groups = Train(3, 2);
  EXPECT_EQ(groups.CheckGroup(Member("a"), {}, 0), GroupCheck::kTooFewPods);
  GroupPod gated = Member("g");
  gated.is_gated = true;
  groups.SetPod(gated);
  EXPECT_EQ(groups.CheckGroup(Member("a"), {}, 0), GroupCheck::kGated);
  groups.SetPod(Member("c"));
  EXPECT_EQ(groups.CheckGroup(Member("a"), {}, 0), GroupCheck::kPass);
  groups.RemovePod(Member("c"));
  EXPECT_EQ(groups.CheckGroup(Member("a"), {}, 0), GroupCheck::kGated);
}

TEST(PodGroups, RoomIsCheckedOnceUntilTheTimeout) {
  PodGroups groups({.permit_timeout = 10});
  groups.SetGroup("team/train", {.min_member = 1, .min_resources = {{"cpu", 4}}});
  groups.SetPod(Member("a"));
  const std::vector<RoomNode> large = {{.allocatable = {{"cpu", 4}, {"pods", 1}}}};
  EXPECT_EQ(groups.CheckGroup(Member("a"), {}, 0), GroupCheck::kNoRoom);
  EXPECT_EQ(groups.CheckGroup(Member("a"), large, 0), GroupCheck::kPass);
  EXPECT_EQ(groups.CheckGroup(Member("a"), {}, 9), GroupCheck::kPass);
  EXPECT_EQ(groups.CheckGroup(Member("a"), {}, 10), GroupCheck::kNoRoom);
  EXPECT_EQ(groups.CheckGroup(Member("a"), large, 10), GroupCheck::kPass);
  groups.GiveUp(Member("a"), 11);
  EXPECT_EQ(groups.CheckGroup(Member("a"), {}, 12), GroupCheck::kNoRoom);
  const std::vector<RoomNode> full = {{.allocatable = {{"cpu", 4}}}};  // no pod more
  EXPECT_EQ(groups.CheckGroup(Member("a"), full, 12), GroupCheck::kNoRoom);
}

TEST(PodGroups, PodsWaitUntilEnoughHaveNodes) {
  PodGroups groups = Train(3, 4);
  EXPECT_EQ(groups.Permit({"team", "x"}).code, Permitted::kAllow);
  EXPECT_EQ(groups.Permit({"team", "x", "none"}).code, Permitted::kNoGroup);
  const PermitAnswer first = groups.Permit(Member("b"));
  EXPECT_EQ(first.code, Permitted::kWait);
  EXPECT_EQ(first.seconds, 60);
  EXPECT_EQ(first.pods, (Names{"a", "c", "d"}));
  const PermitAnswer second = groups.Permit(Member("a"));
  EXPECT_EQ(second.code, Permitted::kWait);
  EXPECT_EQ(second.pods, Names());
  groups.MarkFailed("team/train", 300);
  const PermitAnswer third = groups.Permit(Member("c"));
  EXPECT_EQ(third.code, Permitted::kAllow);
  EXPECT_EQ(third.pods, (Names{"a", "b"}));
  EXPECT_EQ(groups.QueueTime({Member("d")}), 100);  // no longer failed
  const PermitAnswer later = groups.Permit(Member("d"));
  EXPECT_EQ(later.code, Permitted::kAllow);
  EXPECT_EQ(later.pods, Names());
}

TEST(PodGroups, TimeoutOfTheGroupOrOfTheSettings) {
  PodGroups groups = Train(2, 2, {.permit_timeout = 0});
  EXPECT_EQ(groups.Permit(Member("a")).seconds, 60);
  PodGroups short_ones = Train(2, 2, {.permit_timeout = 5});
  EXPECT_EQ(short_ones.Permit(Member("a")).seconds, 5);
  groups.SetGroup("team/train", {.min_member = 2, .timeout = 7});
  EXPECT_EQ(groups.Permit(Member("a")).seconds, 7);
}

TEST(PodGroups, PodsThatRunCount) {
  PodGroups groups = Train(2, 2);
  GroupPod bound = Member("r");
  bound.has_node = true;
  groups.SetPod(bound);
  EXPECT_EQ(groups.Permit(Member("a")).code, Permitted::kAllow);
  groups.RemovePod(bound);
  EXPECT_EQ(groups.NothingFits(Member("b"), 0).code, Failed::kRejected);
}

TEST(PodGroups, AFewMissingPodsAreTolerated) {
  PodGroups groups({.tolerated_part = 0.5});
  groups.SetGroup("team/train", {.min_member = 4});
  EXPECT_EQ(groups.NothingFits({"team", "x"}, 0).code, Failed::kNoGroup);
  groups.Permit(Member("a"));
  const FailureAnswer rejected = groups.NothingFits(Member("b"), 7);
  EXPECT_EQ(rejected.code, Failed::kRejected);
  EXPECT_EQ(rejected.rejected, Names{"a"});
  EXPECT_EQ(groups.QueueTime({Member("b")}), 7);
  groups.Permit(Member("c"));
  EXPECT_EQ(groups.NothingFits(Member("b"), 8).code, Failed::kTolerated);
  groups.Permit(Member("d"));
  groups.Permit(Member("e"));
  EXPECT_EQ(groups.NothingFits(Member("b"), 8).code, Failed::kEnough);
}

TEST(PodGroups, BackoffIsNotExtended) {
  PodGroups groups = Train(2, 2, {.backoff = 10});
  EXPECT_EQ(groups.NothingFits(Member("a"), 100).code, Failed::kRejected);
  EXPECT_EQ(groups.CheckGroup(Member("a"), {}, 105), GroupCheck::kBackedOff);
  groups.NothingFits(Member("a"), 105);
  EXPECT_EQ(groups.CheckGroup(Member("a"), {}, 109), GroupCheck::kBackedOff);
  EXPECT_EQ(groups.CheckGroup(Member("a"), {}, 110), GroupCheck::kPass);
  groups.NothingFits(Member("a"), 110);
  EXPECT_EQ(groups.CheckGroup(Member("a"), {}, 119), GroupCheck::kBackedOff);
}

TEST(PodGroups, AGroupThatCannotBeCompleteIsNotBackedOff) {
  PodGroups groups = Train(3, 2, {.backoff = 10});
  groups.NothingFits(Member("a"), 100);
  EXPECT_EQ(groups.CheckGroup(Member("a"), {}, 101), GroupCheck::kTooFewPods);
}

TEST(PodGroups, OneThatGivesUpTakesTheOthersWithIt) {
  PodGroups groups = Train(3, 3);
  groups.Permit(Member("a"));
  groups.Permit(Member("b"));
  EXPECT_EQ(groups.GiveUp(Member("a"), 50), Names{"b"});
  EXPECT_EQ(groups.QueueTime({Member("a")}), 50);
  EXPECT_EQ(groups.GiveUp(Member("b"), 50), Names());
  EXPECT_EQ(groups.Permit(Member("a")).pods, (Names{"b", "c"}));  // the first again
  EXPECT_EQ(groups.GiveUp({"team", "x"}, 50), Names());
}

}  // namespace
}  // namespace muster::scheduler_plugins
