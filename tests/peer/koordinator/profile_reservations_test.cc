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

// As the peer's message ends.
TEST_F(KoordinatorProfile, WhyNoReservationServesIsCounted) {
  Node("a", 4);
  Reserve("r", "a", 2, {.policy = ReservationPolicy::kRestricted});
  Reserve("s", "a", 1, {.unschedulable = true});
  Pod("q", "3", Owner());
  EXPECT_THAT(Why("q"), HasSubstr("1 Reservation(s) is unschedulable, 2 Reservation(s) matched "
                                  "owner total"));
  TaskSpec task = Owner();
  task.shape.labels.emplace_back("koordinator/reservation-name", "t");
  Pod("n", "1", task);
  EXPECT_THAT(Why("n"), HasSubstr("2 Reservation(s) didn't match the requested reservation name, 2 "
                                  "Reservation(s) matched owner total"));
  Pod("p", "4");
  EXPECT_THAT(Why("p"), ::testing::Not(HasSubstr("Reservation(s)")));
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

TEST_F(KoordinatorProfile, OwnersMayBeControllersOfJobs) {
  Node("a", 2);
  Accept(cluster_.AddJob(
      {.name = "j",
       .settings = {{"koordinator/owner", "lab/web"}, {"koordinator/owner_kind", "ReplicaSet"}}}));
  Pod("q", "2", {.job = "j"});
  const auto plan_for = [&](const ReservationOwner& owner) {
    Reserve("r", "a", 2, {.owners = {owner}});
    return Plan();
  };
  EXPECT_EQ(plan_for({.job = "ReplicaSet web"}), "bind q a");
  EXPECT_EQ(plan_for({.job = "* web"}), "bind q a");
  EXPECT_EQ(plan_for({.job = "j"}), "bind q a");
  EXPECT_EQ(plan_for({.job = "StatefulSet web"}), "");
  EXPECT_EQ(plan_for({.job = "ReplicaSet j"}), "");
  EXPECT_EQ(plan_for({.job = "web"}), "") << "no job has this name";
  EXPECT_EQ(plan_for({.job = "* web", .name_space = "other"}), "");
}

TEST_F(KoordinatorProfile, ATaskMaySelectReservations) {
  for (const char* node : {"a", "b"}) Node(node, 4);
  ReservationSpec gold;
  gold.shape.labels = {{"tier", "gold"}, {"size", "4"}};
  Reserve("r", "b", 2, gold);
  TaskSpec owner = Owner();
  Pod("q", "1", owner);
  const auto plan_for = [&](const char* key, const char* text) {
    owner.shape.labels = {{"app", "etl"}, {std::string("koordinator/reservation-") + key, text}};
    Accept(cluster_.RemoveTask("q"));
    Pod("q", "1", owner);
    return Plan();
  };
  for (const char* text :
       {"*", "tier in (gold,silver)", "tier notin (silver),!old", "old;size>3", "size<5,tier"}) {
    EXPECT_EQ(plan_for("affinity", text), "bind q b") << text;
  }
  for (const char* text : {"tier in (silver)", "!tier", "old", "size>4", "tier,old;", ""}) {
    EXPECT_EQ(plan_for("affinity", text), "") << text;
  }
  EXPECT_EQ(
      Why("q", "quota=off"),
      "0/2 nodes are available: 2 node(s) no reservations match reservation affinity. preemption: "
      "0/2 nodes are available: 2 Preemption is not helpful for scheduling., 1 Reservation(s) "
      "didn't "
      "match affinity rules, 1 Reservation(s) matched owner total");
  EXPECT_EQ(plan_for("name", "r"), "bind q b");
  EXPECT_EQ(plan_for("name", "s"), "");
  EXPECT_EQ(plan_for("exact", "cpu"), "bind q a") << "it may still go elsewhere";
  EXPECT_EQ(plan_for("exact", "memory"), "bind q b") << "neither has memory";
  // Without an affinity taints repel no owner.
  gold.taints = {{.key = "k", .value = "v", .effect = TaintEffect::kNoSchedule}};
  Reserve("r", "b", 2, gold);
  EXPECT_EQ(plan_for("exact", "memory"), "bind q b");
  EXPECT_EQ(plan_for("affinity", "*"), "");
  for (const char* text : {"k=v:NoSchedule", "k:NoSchedule", "k", "*", "x,k=v"}) {
    EXPECT_EQ(plan_for("tolerations", text), "bind q b") << text;
  }
  for (const char* text : {"k=w", "k:NoExecute", "x"}) {
    EXPECT_EQ(plan_for("tolerations", text), "") << text;
  }
}

// A task that selects reservations has no place where there is none.
TEST_F(KoordinatorProfile, ATaskThatSelectsReservationsWaitsForOne) {
  Node("a", 4);
  TaskSpec owner = Owner();
  owner.shape.labels.emplace_back("koordinator/reservation-affinity", "*");
  Pod("q", "1", owner);
  EXPECT_EQ(Live(0), "");
  Reserve("r", "a", 2);
  EXPECT_EQ(Live(30), "bind q a");
}

TEST_F(KoordinatorProfile, ATaskMayIgnoreReservations) {
  Node("a", 2);
  Reserve("r", "a", 2);
  TaskSpec task;
  task.shape.labels = {{"scheduling.koordinator.sh/reservation-ignored", "true"}};
  Pod("p", "2", task);
  EXPECT_EQ(Plan(), "bind p a");
  EXPECT_EQ(Live(0), "bind p a");
  // The reservation is as it was: no task holds it yet.
  Pod("q", "1", Owner());
  EXPECT_EQ(Plan(), "");
  Reserve("r", "a", 2, {.holders = {"p"}});
  EXPECT_EQ(Plan(), "");
}

TEST_F(KoordinatorProfile, WishesThatMeanNothingAreRefused) {
  Node("a", 4);
  const auto refused = [&](const char* key, const char* text) {
    TaskSpec task;
    task.shape.labels = {{std::string("koordinator/reservation-") + key, text}};
    Pod("p", "1", task);
    const std::string words = Refused();
    EXPECT_EQ(Refused("reservation=off"), "");
    Accept(cluster_.RemoveTask("p"));
    return words;
  };
  EXPECT_EQ(refused("affinity", "tier in ("),
            "action schedule: task \"p\", label koordinator/reservation-affinity: \"tier in (\" is "
            "not \"*\", or KEY in (VALUE,...), KEY, !KEY, KEY>NUMBER, ...");
  for (const char* text : {"a b", "a,", "size>x", "a in b", "*,a"}) {
    EXPECT_NE(refused("affinity", text), "") << text;
  }
  EXPECT_THAT(refused("tolerations", "k:Never"), HasSubstr("is not KEY=VALUE:EFFECT,... or"));
  EXPECT_THAT(refused("exact", "cpu,"), HasSubstr("is not RESOURCE,..."));
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
