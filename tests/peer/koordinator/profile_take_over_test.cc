// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Reservations that wait for a node under profile koordinator, and pods that they take over.
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/peer/koordinator/small_cluster.h"

namespace muster::testing {
namespace {

using ::testing::HasSubstr;

class TakeOver : public KoordinatorProfile {
 protected:
  // A reservation that waits, for pods with the label `app` `etl`, and the task that stands for it.
  void Waits(const std::string& name, int cpu, const Labels& labels = {},
             ReservationSpec reservation = {}) {
    reservation.name = name;
    reservation.shape.request = {{"cpu", cpu}};
    reservation.shape.labels = labels;
    reservation.owners = {{.selector = Selector{.match_labels = {{"app", "etl"}}}}};
    Accept(cluster_.SetReservation(reservation));
    TaskSpec task;
    task.shape.labels = {{"koordinator/reserves", name}};
    task.priority = 100;
    Pod("stand-in-" + name, std::to_string(cpu).c_str(), task);
  }
  // The same, which takes pods over.
  void Takes(const std::string& name, int cpu, Labels labels = {}) {
    if (labels.empty()) labels = {{"koordinator/pre-allocation", "Default"}};
    Waits(name, cpu, labels, {.allocate_once = false, .policy = ReservationPolicy::kRestricted});
  }
  void Running(const std::string& name, const char* cpu, const std::string& node,
               const Labels& labels = {{"app", "etl"}}) {
    TaskSpec task;
    task.node = node;
    task.shape.labels = labels;
    Pod(name, cpu, task);
  }
};

TEST_F(TakeOver, AReservationThatWaitsGetsANodeAndServesItsOwnersAtOnce) {
  Node("a", 4);
  Waits("r", 3);
  Pod("p", "2");
  Pod("q", "2", Owner());
  // The rest of the node is too little for p, but q takes from the reservation.
  EXPECT_EQ(Plan(), "bind stand-in-r a; bind q a");
  EXPECT_EQ(Live(0), "bind stand-in-r a; bind q a");
  // The room of the reservation and what its holder has count once, in later plans, too.
  Pod("s", "1");
  EXPECT_EQ(Plan("", 60), "bind s a");
  Pod("t", "1");
  EXPECT_EQ(Plan("", 60), "bind s a");
  EXPECT_EQ(Plan("reservation=off", 60), "") << "without the plug-in the task is one of all";
}

TEST_F(TakeOver, AReservationThatWasPlacedServesInALaterPlan) {
  Node("a", 4);
  Node("b", 4);
  Waits("r", 4);
  EXPECT_EQ(Live(0), "bind stand-in-r a");
  Pod("p", "4");
  Pod("q", "3", Owner());
  EXPECT_EQ(Live(60), "bind p b; bind q a");
}

TEST_F(TakeOver, AnExpiredReservationGetsNoNode) {
  Node("a", 4);
  Waits("r", 2, {}, {.expires = 50});
  EXPECT_EQ(Plan("", 49), "bind stand-in-r a");
  EXPECT_EQ(Plan("", 50), "");
  EXPECT_THAT(Why("stand-in-r", "", 50), HasSubstr("the reservation has expired"));
}

TEST_F(TakeOver, ItTakesAPodOverWhereTheNodeIsFull) {
  Node("a", 4);
  Running("old", "3", "a");
  Takes("r", 4);
  EXPECT_EQ(Live(0), "bind stand-in-r a");
  // The pod holds three cores of the reservation, which has one left for another owner.
  Pod("p", "1");
  Pod("q", "1", Owner());
  EXPECT_EQ(Live(60), "bind q a");
  Accept(cluster_.RemoveTask("old"));
  Pod("q3", "3", Owner());
  EXPECT_EQ(Live(120), "bind q3 a");
  EXPECT_EQ(Live(180), "");
}

TEST_F(TakeOver, WithoutPreAllocationTheNodeIsFull) {
  Node("a", 4);
  Running("old", "3", "a");
  Waits("r", 4);
  EXPECT_EQ(Plan(), "");
  EXPECT_THAT(Why("stand-in-r"), HasSubstr("1 Insufficient cpu"));
}

TEST_F(TakeOver, AReservationEvictsNothing) {
  Node("a", 4);
  Running("low", "3", "a", {});
  Waits("r", 4);
  for (const char* options : {"", "spare_default=off", "quota=off"}) {
    EXPECT_EQ(Plan(options), "") << options;
  }
  EXPECT_THAT(Why("stand-in-r"), HasSubstr("a reservation evicts nothing."));
  Pod("p", "4", {.priority = 100});
  EXPECT_EQ(Plan("quota=off"), "evict low a; nominate p a") << "other pods do";
}

TEST_F(TakeOver, AReservationIsNotEvicted) {
  Node("a", 4);
  Waits("r", 4);
  EXPECT_EQ(Live(0), "bind stand-in-r a");
  Pod("p", "4", {.priority = 1000});
  for (const char* options : {"", "spare_default=off", "quota=off"}) {
    EXPECT_EQ(Plan(options, 60), "") << options;
  }
}

TEST_F(TakeOver, OnlyPodsThatOwnersSelectAreTakenOver) {
  Node("a", 4);
  Running("old", "3", "a", {{"app", "web"}});
  Takes("r", 4);
  EXPECT_EQ(Plan(), "");
}

TEST_F(TakeOver, OneThatTakesPodsOverIsRestricted) {
  Node("a", 4);
  Waits("r", 4, {{"koordinator/pre-allocation", "Default"}});
  EXPECT_EQ(Plan(), "");
  EXPECT_THAT(Why("stand-in-r"),
              HasSubstr("only a reservation of allocate policy Restricted takes over pods"));
}

// Of single pods one must do. The one that fills the reservation best is taken over.
TEST_F(TakeOver, OneOrSeveralPodsAreTakenOver) {
  const Labels several = {{"koordinator/pre-allocation", "Default"},
                          {"koordinator/pre-allocation-several", "true"}};
  Node("a", 4);
  Running("old0", "1", "a");
  Running("old1", "2", "a");
  Running("web", "1", "a", {});
  Takes("r", 3);
  EXPECT_EQ(Plan(), "");
  EXPECT_THAT(Why("stand-in-r"), HasSubstr("1 Insufficient cpu by node"));
  Accept(cluster_.RemoveTask("stand-in-r"));
  Takes("r", 3, several);
  EXPECT_EQ(Live(0), "bind stand-in-r a");
  // Both hold all of it.
  Pod("q", "1", Owner());
  EXPECT_EQ(Live(60), "");
}

TEST_F(TakeOver, APodLargerThanTheReservationIsPassedOver) {
  Node("a", 4);
  Running("old", "4", "a");
  Takes("r", 3);
  EXPECT_EQ(Plan(), "");
  EXPECT_THAT(Why("stand-in-r"), HasSubstr("1 Reservation(s) Insufficient cpu"));
}

TEST_F(TakeOver, PreAllocationMayBeRequired) {
  Node("a", 4);
  Takes("r", 2,
        {{"koordinator/pre-allocation", "Default"},
         {"scheduling.koordinator.sh/pre-allocation-required", "true"}});
  EXPECT_EQ(Plan(), "");
  EXPECT_THAT(Why("stand-in-r"),
              HasSubstr("node(s) no pod match reservation with pre allocation required"));
  Node("b", 4);
  Running("old", "1", "b");
  EXPECT_EQ(Plan(), "bind stand-in-r b");
}

// The node with the fewest pods to take over is best, unless free room does.
TEST_F(TakeOver, NodesOfFewTakeOversAreBetter) {
  const Labels several = {{"koordinator/pre-allocation", "Default"},
                          {"koordinator/pre-allocation-several", "true"}};
  Node("a", 4);
  Node("b", 4);
  for (const char* name : {"a0", "a1", "a2"}) Running(name, "1", "a");
  Running("b0", "3", "b");
  Takes("r", 4, several);
  EXPECT_EQ(Plan(), "bind stand-in-r b");
  Node("c", 8);
  Running("c0", "1", "c");
  EXPECT_EQ(Live(0, "free_room_first=on"), "bind stand-in-r c");
  // Nothing was taken over there.
  Pod("q", "4", Owner());
  EXPECT_EQ(Live(60), "bind q c");
}

TEST_F(TakeOver, OfTheClusterMarkedPodsAreTakenOver) {
  const auto marked = [](const char* priority) {
    return Labels{{"pod.koordinator.sh/is-pre-allocatable", "true"},
                  {"koordinator/pre-allocatable-priority", priority}};
  };
  Node("a", 4);
  Running("low", "2", "a", marked("1"));
  Running("high", "1", "a", marked("7"));
  Running("own", "1", "a");
  Takes(
      "r", 3,
      {{"koordinator/pre-allocation", "Cluster"}, {"koordinator/pre-allocation-several", "true"}});
  EXPECT_EQ(Plan(), "");
  EXPECT_THAT(Why("stand-in-r"), HasSubstr("pre-allocation of mode Cluster is off"));
  EXPECT_EQ(Live(0, "cluster_pre_allocation=on"), "bind stand-in-r a");
  Pod("q", "1", Owner());
  EXPECT_EQ(Live(60), "");
  Accept(cluster_.RemoveTask("high"));
  EXPECT_EQ(Live(120), "bind q a") << "it held a core of the reservation";
}

// Those without a policy share a node with their like alone.
TEST_F(TakeOver, PoliciesThatDifferDoNotShareANode) {
  Node("a", 4);
  Reserve("r0", "a", 1);
  Waits("r", 1);
  EXPECT_EQ(Plan(), "bind stand-in-r a");
  Waits("s", 1, {{"koordinator/allocate-policy", "Aligned"}});
  EXPECT_EQ(Plan(), "bind stand-in-r a");
  EXPECT_THAT(Why("stand-in-s"), HasSubstr("1 node(s) reservation allocate policy conflict"));
  Reserve("r0", "a", 1, {.policy = ReservationPolicy::kRestricted});
  EXPECT_EQ(Plan(), "bind stand-in-s a");
}

// The caller sets those to available, with what they keep.
TEST_F(TakeOver, OneWithDevicesServesOwnersLater) {
  NodeSpec node;
  node.devices = {{.name = "gpu-0", .kind = "gpu"}};
  node.name = "a";
  node.capacity = {{"cpu", 4}, {"memory", "8Gi"}, {"pods", 10}, {"nvidia.com/gpu", 1}};
  Accept(cluster_.AddNode(node));
  Waits("r", 4);
  Accept(cluster_.RemoveTask("stand-in-r"));
  TaskSpec task;
  task.shape.labels = {{"koordinator/reserves", "r"}};
  task.name = "stand-in-r";
  task.shape.request = {{"cpu", 4}, {"nvidia.com/gpu", 1}};
  Accept(cluster_.AddTask(task));
  EXPECT_EQ(Live(0), "bind stand-in-r a");
  Pod("q", "1", Owner());
  EXPECT_EQ(Live(60), "");
}

TEST_F(TakeOver, AStandInIsOfOneReservationThatWaits) {
  Node("a", 4);
  Waits("r", 1);
  TaskSpec task;
  task.shape.labels = {{"koordinator/reserves", "r"}};
  Pod("twin", "1", task);
  EXPECT_THAT(Refused(), HasSubstr("task \"twin\", label koordinator/reserves: reservation \"r\" "
                                   "has such a task already, \"stand-in-r\""));
  Accept(cluster_.RemoveTask("twin"));
  Accept(cluster_.RemoveTask("stand-in-r"));
  Pod("stand-in-r", "500m", task);
  EXPECT_THAT(Refused(), HasSubstr("reservation \"r\" reserves more than the task requests"));
  Accept(cluster_.RemoveTask("stand-in-r"));
  Pod("stand-in-r", "1", task);
  Reserve("r", "a", 1);
  EXPECT_THAT(Refused(), HasSubstr("reservation \"r\" does not wait for a node"));
  Accept(cluster_.RemoveReservation("r"));
  EXPECT_THAT(Refused(), HasSubstr("reservation \"r\" does not exist"));
  EXPECT_EQ(Refused("reservation=off"), "");
  Accept(cluster_.RemoveTask("stand-in-r"));
  Waits("s", 1, {{"koordinator/pre-allocation", "All"}});
  EXPECT_THAT(Refused(), HasSubstr("reservation \"s\", label koordinator/pre-allocation: \"All\" "
                                   "is not Default or Cluster"));
}

}  // namespace
}  // namespace muster::testing
