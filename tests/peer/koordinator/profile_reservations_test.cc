// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Reservations under profile koordinator, one small cluster a rule.
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/peer/koordinator/small_cluster.h"

namespace muster::testing {
namespace {

using ::testing::HasSubstr;

TEST_F(KoordinatorProfile, ReservedRoomIsForOwners) {
  Node("a", 4);
  Reserve("r", "a", 3);
  Pod("p", "2");
  EXPECT_EQ(Plan(), "");
  EXPECT_EQ(
      Why("p", "quota=off"),
      "0/1 nodes are available: 1 Insufficient cpu. preemption: 0/1 nodes are available: 1 No "
      "preemption victims found for incoming pod.");
  Pod("q", "2", Owner());
  EXPECT_EQ(Plan(), "bind q a");
  // What the reservation does not hold is for all pods.
  Pod("s", "1");
  EXPECT_EQ(Plan(), "bind q a; bind s a");
}

TEST_F(KoordinatorProfile, AnOwnerGoesWhereItsReservationIs) {
  for (const char* node : {"a", "b", "c"}) Node(node, 4);
  Reserve("r", "b", 2);
  Pod("q", "1", Owner());
  EXPECT_EQ(Plan(), "bind q b");
  EXPECT_NE(Plan("reservation=off"), "bind q b");
}

// A reservation with the least order goes first, else the one that is filled best.
TEST_F(KoordinatorProfile, OrderedReservationsGoFirst) {
  for (const char* node : {"a", "b", "c"}) Node(node, 4);
  Reserve("wide", "a", 4);
  Reserve("tight", "b", 1);
  Pod("q", "1", Owner());
  EXPECT_EQ(Plan(), "bind q b");
  Reserve("last", "c", 4, {.order = 9});
  EXPECT_EQ(Plan(), "bind q c");
}

// An aligned reservation is completed from the rest of the node, a restricted one is not.
TEST_F(KoordinatorProfile, ThePolicyTellsWhatElseAnOwnerMayUse) {
  Node("a", 4);
  Reserve("r", "a", 2);
  Pod("q", "3", Owner());
  EXPECT_EQ(Plan(), "bind q a");
  Reserve("r", "a", 2, {.policy = ReservationPolicy::kRestricted});
  EXPECT_EQ(Plan(), "");
  EXPECT_THAT(Why("q"), HasSubstr("0/1 nodes are available: 1 Insufficient cpu by node, 1 "
                                  "Reservation(s) Insufficient cpu."));
}

TEST_F(KoordinatorProfile, AReservationServesOneTaskOrSeveral) {
  Node("a", 4);
  Reserve("r", "a", 4);
  Pod("q0", "1", Owner());
  Pod("q1", "1", Owner());
  // What the first one left of the reservation is still kept.
  EXPECT_EQ(Plan(), "bind q0 a");
  Reserve("r", "a", 4, {.allocate_once = false});
  EXPECT_EQ(Plan(), "bind q0 a; bind q1 a");
  Pod("p", "1");
  EXPECT_EQ(Plan(), "bind q0 a; bind q1 a");
}

// The memory keeps which tasks hold a reservation, and so does the reservation itself.
TEST_F(KoordinatorProfile, HoldersCountOnceInALaterPlan) {
  Node("a", 4);
  Reserve("r", "a", 3, {.allocate_once = false});
  Pod("q0", "2", Owner());
  EXPECT_EQ(Live(0), "bind q0 a");
  Pod("p", "1");
  Pod("q1", "1", Owner());
  EXPECT_EQ(Plan("", 1), "bind p a; bind q1 a");
  // Without either, the node keeps all of the reservation beside its holder.
  cluster_.SetMemory({});
  EXPECT_EQ(Plan("", 1), "bind q1 a");
  Reserve("r", "a", 3, {.allocate_once = false, .holders = {"q0"}});
  EXPECT_EQ(Plan("", 1), "bind p a; bind q1 a");
}

TEST_F(KoordinatorProfile, WhatHasNotBegunOrHasEndedKeepsNothing) {
  Node("a", 2);
  Pod("p", "2");
  Reserve("r", "a", 2, {.expires = 50});
  EXPECT_EQ(Plan("", 49), "");
  EXPECT_EQ(Plan("", 50), "bind p a");
  Reserve("r", "a", 2, {.phase = ReservationPhase::kSucceeded});
  EXPECT_EQ(Plan(), "bind p a");
  Reserve("r", "a", 2, {.unschedulable = true});
  EXPECT_EQ(Plan(), "");
  Accept(cluster_.RemoveTask("p"));
  Pod("q", "2", Owner());
  EXPECT_EQ(Plan(), "");
}

// Reservations have no events: that they changed wakes what waits.
TEST_F(KoordinatorProfile, ReservationsThatChangeWakePods) {
  Node("a", 2);
  Reserve("r", "a", 2);
  Pod("p", "2");
  EXPECT_EQ(Live(0), "");
  EXPECT_EQ(Live(30), "");
  Accept(cluster_.RemoveReservation("r"));
  EXPECT_EQ(Live(60), "bind p a");
  Pod("q", "1", Owner());
  Accept(cluster_.RemoveTask("p"));
  Pod("s", "2", {.node = "a"});
  EXPECT_EQ(Live(90), "");
  Reserve("r", "a", 1, {.allocate_once = false, .holders = {"s"}});
  EXPECT_EQ(Live(120), "");
}

TEST_F(KoordinatorProfile, OwnersAreNamedByTaskJobNamespaceAndLabels) {
  Node("a", 2);
  Accept(cluster_.AddJob({.name = "j"}));
  Pod("q", "2", {.job = "j"});
  const auto plan_for = [&](const ReservationOwner& owner) {
    Reserve("r", "a", 2, {.owners = {owner}});
    return Plan();
  };
  EXPECT_EQ(plan_for({.task = "q"}), "bind q a");
  EXPECT_EQ(plan_for({.task = "p"}), "");
  EXPECT_EQ(plan_for({.job = "j"}), "bind q a");
  EXPECT_EQ(plan_for({.job = "k"}), "");
  EXPECT_EQ(plan_for({.name_space = "default"}), "bind q a");
  EXPECT_EQ(plan_for({.name_space = "other"}), "");
  EXPECT_EQ(plan_for({.selector = Selector{.match_labels = {{"app", "x"}}}}), "");
  EXPECT_EQ(plan_for({}), "bind q a");
}

// What a victim held of a reservation stays reserved: only an owner gains by its leave.
TEST_F(KoordinatorProfile, AVictimLeavesItsRoomToTheReservation) {
  Node("a", 2);
  Pod("q0", "2", {.node = "a", .priority = 1});
  Reserve("r", "a", 2, {.allocate_once = false, .holders = {"q0"}});
  Pod("p", "2", {.priority = 9});
  for (const char* options : {"quota=off", "spare_default=off"}) {
    EXPECT_EQ(Plan(options), "") << options;
    TaskSpec owner = Owner();
    owner.priority = 9;
    Pod("q1", "2", owner);
    EXPECT_EQ(Plan(options), "evict q0 a; nominate q1 a") << options;
    Accept(cluster_.RemoveTask("q1"));
  }
}

TEST_F(KoordinatorProfile, AGangThatIsUndoneGivesItsReservationsBack) {
  Node("a", 3);
  Reserve("r", "a", 2, {.owners = {{.job = "g"}, {.job = "h"}}, .allocate_once = false});
  Gang("g", 4, 4);
  Gang("h", 2, 2);
  EXPECT_EQ(Plan(), "bind h1 a; bind h0 a");
}

}  // namespace
}  // namespace muster::testing
