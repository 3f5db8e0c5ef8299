// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Which reservations a task may take from, by hand.
#include "lib/peer/koordinator/reservation/reservation_match.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

ReservationAsker Web() {
  return {
      .object = {.uid = "u", .name = "web-0", .name_space = "team"},
      .labels = {{"app", "web"}},
      .controllers = {{.object = {.uid = "c", .name = "web"}, .kind = "Set", .controls = true}}};
}

ReservationOffered Offered() {
  ReservationOffered offered;
  offered.name = "r";
  offered.labels = {{"pool", "a"}};
  offered.owners = {{.selector = Selector{.match_labels = {{"app", "web"}}}}};
  offered.total.Set(0, 4000);
  return offered;
}

ReservationWish Wish(const std::string& pool) {
  ReservationWish wish;
  wish.shape.node_selector = {{"pool", pool}};
  return wish;
}

TEST(ReservationMatch, OwnersAreTasksThatAgreeWithAllThatIsSet) {
  EXPECT_FALSE(IsOwner({}, Web()));
  const auto owns = [](const OwnerRule& owner) { return IsOwner({&owner, 1}, Web()); };
  EXPECT_TRUE(owns({}));
  EXPECT_TRUE(owns({.object = ObjectReference{.name = "web-0", .name_space = "team"}}));
  EXPECT_FALSE(owns({.object = ObjectReference{.name = "web-0", .name_space = "other"}}));
  EXPECT_FALSE(owns({.object = ObjectReference{.uid = "v"}}));
  EXPECT_FALSE(owns({.object = ObjectReference{.version = "v1"}}));
  EXPECT_TRUE(owns({.controller = ControllerReference{.object = {.name = "web"}}}));
  EXPECT_TRUE(owns({.controller = ControllerReference{.kind = "Set", .controls = true}}));
  EXPECT_FALSE(owns({.controller = ControllerReference{.kind = "Set", .controls = false}}));
  EXPECT_FALSE(owns({.controller = ControllerReference{.kind = "Job"}}));
  // The namespace of a controller is that of the task.
  EXPECT_FALSE(owns({.controller = ControllerReference{.object = {.name_space = "other"}}}));
  EXPECT_FALSE(owns({.object = ObjectReference{.name = "web-0"},
                     .selector = Selector{.match_labels = {{"app", "db"}}}}));
}

TEST(ReservationMatch, TheFirstRuleThatFailsCounts) {
  ReservationAsker task = Web();
  ReservationOffered offered = Offered();
  EXPECT_EQ(MatchReservation(task, offered, {}), ReservationMatch::kMatched);
  offered.is_unschedulable = true;
  EXPECT_EQ(MatchReservation(task, offered, {}), ReservationMatch::kUnschedulable);
  task.ignores = true;
  EXPECT_EQ(MatchReservation(task, offered, {}), ReservationMatch::kIgnored);
  task.ignores = false;
  offered.owners_can_be_read = false;
  EXPECT_EQ(MatchReservation(task, offered, {}), ReservationMatch::kNotOwner);
}

TEST(ReservationMatch, TaintsRepelTasksWithAnAffinityAlone) {
  ReservationAsker task = Web();
  ReservationOffered offered = Offered();
  offered.taints = {{"soft", "", TaintEffect::kPreferNoSchedule},
                    {"k", "v", TaintEffect::kNoSchedule}};
  EXPECT_EQ(MatchReservation(task, offered, {}), ReservationMatch::kMatched);
  task.wish = Wish("a");
  EXPECT_EQ(MatchReservation(task, offered, {}), ReservationMatch::kTaint);
  EXPECT_EQ(FirstRepelling(task, offered)->key, "k");
  task.wish->shape.tolerations = {{.key = "k", .op = TolerationOp::kExists}};
  EXPECT_EQ(MatchReservation(task, offered, {}), ReservationMatch::kMatched);
}

TEST(ReservationMatch, AnUnschedulableReservationCanBeTolerated) {
  ReservationAsker task = Web();
  ReservationOffered offered = Offered();
  offered.is_unschedulable = true;
  task.wish = Wish("a");
  EXPECT_EQ(MatchReservation(task, offered, {}), ReservationMatch::kUnschedulable);
  task.wish->shape.tolerations = {
      {.key = "node.kubernetes.io/unschedulable", .op = TolerationOp::kExists}};
  EXPECT_EQ(MatchReservation(task, offered, {}), ReservationMatch::kMatched);
}

TEST(ReservationMatch, LabelsOfTheReservationStandOverThoseOfItsNode) {
  ReservationAsker task = Web();
  task.wish = Wish("a");
  const ReservationOffered offered = Offered();
  EXPECT_EQ(MatchReservation(task, offered, {{"pool", "b"}}), ReservationMatch::kMatched);
  task.wish = Wish("b");
  EXPECT_EQ(MatchReservation(task, offered, {{"pool", "b"}}), ReservationMatch::kAffinity);
  task.wish->shape.node_selector = {{"zone", "z"}};
  EXPECT_EQ(MatchReservation(task, offered, {{"zone", "z"}}), ReservationMatch::kMatched);
  EXPECT_EQ(MatchReservation(task, offered, {}), ReservationMatch::kAffinity);
}

TEST(ReservationMatch, ANameIsEnough) {
  ReservationAsker task = Web();
  ReservationOffered offered = Offered();
  offered.is_unschedulable = true;
  offered.taints = {{"k", "v", TaintEffect::kNoSchedule}};
  task.wish = Wish("nowhere");
  task.wish->name = "r";
  EXPECT_EQ(MatchReservation(task, offered, {}), ReservationMatch::kNamed);
  EXPECT_EQ(MatchRunningTask(task, offered, {}, true), ReservationMatch::kMatched);
  task.exact = {0};
  task.request.Set(0, 2000);
  EXPECT_EQ(MatchReservation(task, offered, {}), ReservationMatch::kNotExact);
  task.wish->name = "s";
  EXPECT_EQ(MatchReservation(task, offered, {}), ReservationMatch::kOtherName);
}

TEST(ReservationMatch, ExactAmountsEndAtAResourceThatNeitherHas) {
  Sparse request, total;
  request.Set(0, 4000);
  total.Set(0, 4000);
  total.Set(1, 1);
  const auto exact = [&](std::vector<size_t> resources) {
    return IsExact(request, total, resources);
  };
  EXPECT_TRUE(exact({}));
  EXPECT_TRUE(exact({0}));
  EXPECT_FALSE(exact({0, 1}));
  EXPECT_TRUE(exact({2, 1}));
  EXPECT_FALSE(exact({1, 2}));
}

TEST(ReservationMatch, RunningTasksNeedNoOwnerInTheCluster) {
  ReservationAsker task = Web();
  ReservationOffered offered = Offered();
  offered.owners.clear();
  offered.is_unschedulable = true;
  EXPECT_EQ(MatchRunningTask(task, offered, {}, true), ReservationMatch::kNotOwner);
  EXPECT_EQ(MatchRunningTask(task, offered, {}, false), ReservationMatch::kMatched);
  task.is_readable = false;
  EXPECT_EQ(MatchRunningTask(task, offered, {}, false), ReservationMatch::kUnreadable);
}

TEST(ReservationMatch, NodesNamedByAffinity) {
  const auto named = [](std::vector<std::vector<std::vector<std::string>>> terms) {
    TaskShape shape;
    shape.required_node_affinity.emplace();
    for (const auto& lists : terms) {
      NodeTerm& term = shape.required_node_affinity->emplace_back();
      for (const auto& names : lists) {
        term.match_fields.push_back({"metadata.name", RequirementOp::kIn, names});
      }
    }
    return NodesNamedBy(shape);
  };
  EXPECT_TRUE(NodesNamedBy({}).names.empty());
  EXPECT_EQ(named({{{"b", "a"}}, {{"c"}}}).names, (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(named({{{"b", "a"}, {"b"}}}).names, std::vector<std::string>{"b"});
  EXPECT_TRUE(named({{{"a"}}, {}}).names.empty());
  EXPECT_TRUE(named({{{"a"}, {"b"}}}).conflict);
  EXPECT_FALSE(named({{}, {{"a"}, {"b"}}}).conflict);
}

}  // namespace
}  // namespace muster
