// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What reservations keep beside amounts under profile koordinator: CPUs, zones and devices.
#include <algorithm>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/peer/koordinator/numa_cluster.h"

namespace muster::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class KoordinatorLoans : public KoordinatorNuma {
 protected:
  // A reservation of CPUs of node a.
  void Keep(const std::string& name, int count, const std::string& cpus,
            ReservationSpec spec = {}) {
    spec.shape.labels = {{"koordinator/cpuset", cpus}};
    Reserve(name, "a", count, spec);
  }
  static ReservationSpec Labelled(const std::string& key, const std::string& value) {
    ReservationSpec spec;
    spec.shape.labels = {{key, value}};
    return spec;
  }
  // A pod of the strict class that owns reservations.
  void Own(const std::string& name, const char* cpu, TaskSpec task = {}) {
    task.shape.labels.emplace_back("app", "etl");
    Strict(name, cpu, task);
  }
  // The zone of which a pod holds something; -1: none.
  int64_t ZoneOf(const std::string& task) {
    const MemorySlot* slot = cluster_.memory().Find("koordinator-zones");
    return slot == nullptr ? -1 : slot->Integer(task, 1, -1);
  }
};

TEST_F(KoordinatorLoans, CpusGoToOwnersAlone) {
  Machine("a", 2);
  Keep("r", 2, "4,5");
  Strict("p", "2");
  EXPECT_EQ(Cpus(), "p: 0 1");
  Own("q", "2");
  EXPECT_EQ(Cpus(), "p: 0 1; q: 4 5");
  EXPECT_EQ(Cpus("reservation=off"), "p: 0 1; q: 4 5");
  Keep("r", 2, "0,1");
  EXPECT_EQ(Cpus(), "p: 4 5; q: 0 1");
  EXPECT_EQ(Cpus("reservation=off"), "p: 0 1; q: 4 5");
  // The others have six CPUs.
  Strict("s", "5");
  EXPECT_THAT(Plan(), Not(HasSubstr("bind s a")));
  Accept(cluster_.RemoveReservation("r"));
  EXPECT_THAT(Plan(), HasSubstr("bind p a; bind q a"));
}

TEST_F(KoordinatorLoans, AnAlignedReservationIsToppedUpFromTheNode) {
  Machine("a", 2);
  Keep("r", 2, "6,7");
  Own("q", "4");
  EXPECT_EQ(Cpus(), "q: 0 1 6 7");
}

TEST_F(KoordinatorLoans, ARestrictedReservationGivesItsCpusAlone) {
  Machine("a", 2);
  Keep("r", 2, "6,7", {.allocate_once = false, .policy = ReservationPolicy::kRestricted});
  Own("q", "1");
  EXPECT_EQ(LiveCpus(), "q: 6");
  Own("s", "1");
  EXPECT_EQ(LiveCpus(), "s: 7");
  // Nothing is left of it: the node serves owners as it serves all.
  Own("u", "2");
  EXPECT_EQ(LiveCpus(), "u: 0 1");
}

TEST_F(KoordinatorLoans, WhatHoldersHaveIsNotLentAgain) {
  Machine("a", 2);
  Keep("r", 4, "0,1,2,3", {.allocate_once = false});
  Own("q", "2");
  EXPECT_EQ(LiveCpus(), "q: 0 1");
  Own("s", "2");
  EXPECT_EQ(LiveCpus(), "s: 2 3");
  Accept(cluster_.RemoveTask("q"));
  Strict("p", "4");
  EXPECT_EQ(LiveCpus(), "p: 4 5 6 7");
  Own("u", "2");
  EXPECT_EQ(LiveCpus(), "u: 0 1");
}

TEST_F(KoordinatorLoans, ReservationsThatEndedKeepNoCpus) {
  Machine("a", 1);
  Keep("r", 2, "0,1", {.expires = 0});
  Strict("p", "2");
  EXPECT_EQ(Cpus(), "p: 0 1");
  Keep("r", 2, "0,1", {.phase = ReservationPhase::kSucceeded});
  EXPECT_EQ(Cpus(), "p: 0 1");
  Keep("r", 2, "0,1");
  EXPECT_EQ(Cpus(), "p: 2 3");
}

TEST_F(KoordinatorLoans, CpusThatTheNodeDoesNotListAreNone) {
  Machine("a", 1);
  Keep("r", 1, "9");
  Strict("p", "2");
  EXPECT_EQ(Cpus(), "p: 0 1");
}

TEST_F(KoordinatorLoans, TheReservationThatHasTheCpusIsTaken) {
  Machine("a", 2);
  // By its order the first comes before; it has one CPU of two.
  Keep("first", 2, "0", {.policy = ReservationPolicy::kRestricted, .order = 1});
  Keep("second", 2, "2,3", {.policy = ReservationPolicy::kRestricted, .order = 2});
  Own("q", "2");
  EXPECT_EQ(LiveCpus(), "q: 2 3");
  EXPECT_EQ(cluster_.memory().Find("koordinator-holders")->Text("q"), "second");
}

TEST_F(KoordinatorLoans, AVictimLeavesItsCpusToTheReservation) {
  Machine("a", 1);
  Keep("r", 2, "0,1", {.allocate_once = false, .holders = {"low"}});
  TaskSpec low{.node = "a", .priority = 9001};
  low.devices = {{.device = "0"}, {.device = "1"}};
  Own("low", "2", low);
  Hold("high", "a", {2, 3}, 9900);
  Strict("p", "2", {.priority = 9500});
  EXPECT_EQ(Plan("quota=off"), "");
  Own("q", "2", {.priority = 9500});
  EXPECT_EQ(Plan("quota=off"), "evict low a; nominate q a");
}

TEST_F(KoordinatorLoans, ZonesOfReservationsAreKept) {
  Machine("a", 2, KoordinatorNuma::Labelled("numa-topology-policy", "SingleNUMANode"));
  Reserve("r", "a", 3);
  Pod("p", "2");
  EXPECT_EQ(Live(0), "bind p a");
  EXPECT_EQ(ZoneOf("p"), 0);
  Accept(cluster_.RemoveTask("p"));
  Reserve("r", "a", 3, Labelled("koordinator/zone-amounts", "node-0:cpu=3,gone:cpu=1"));
  Pod("p", "2");
  EXPECT_EQ(Live(1), "bind p a");
  EXPECT_EQ(ZoneOf("p"), 1);
  TaskSpec owner;
  owner.shape.labels = {{"app", "etl"}};
  Pod("q", "3", owner);
  EXPECT_EQ(Live(2), "bind q a");
  EXPECT_EQ(ZoneOf("q"), 0);
}

TEST_F(KoordinatorLoans, AGangThatIsUndoneGivesReservedCpusBack) {
  Machine("a", 1);
  Accept(cluster_.AddJob({.name = "g", .priority = 2, .min_available = 3}));
  Keep("r", 2, "0,1", {.owners = {{.job = "g"}, {.task = "p"}}});
  for (const char* pod : {"g0", "g1", "g2"}) Strict(pod, "2", {.job = "g", .priority = 9600});
  Strict("p", "2");
  EXPECT_EQ(Cpus(), "p: 0 1");
}

// A gang of which some pods wait: they hold reserved CPUs in the next plan, too.
TEST_F(KoordinatorLoans, PodsThatWaitKeepReservedCpus) {
  Machine("a", 2);
  Accept(cluster_.AddJob({.name = "g", .min_available = 2}));
  Strict("g0", "2",
         {.job = "g", .status = TaskStatus::kWaiting, .node = "a", .waiting_group = "g"});
  Keep("r", 2, "4,5", {.owners = {{.task = "g0"}}, .holders = {"g0"}});
  Strict("g1", "2", {.job = "g"});
  Strict("p", "2", {.priority = 9900});
  EXPECT_EQ(Cpus(), "p: 0 1; g1: 2 3; g0: 4 5");
}

class KoordinatorDeviceLoans : public KoordinatorProfile {
 protected:
  void Gpus(int count) {
    NodeSpec node;
    for (int i = 0; i < count; ++i) {
      node.devices.push_back({.name = "g" + std::to_string(i),
                              .kind = "gpu",
                              .links = {"pcie-" + std::to_string(i / 2)},
                              .memory = "16Gi"});
    }
    Node("a", 64, node);
  }
  void Ask(const std::string& name, const DeviceRequest& request, TaskSpec task = {}) {
    task.shape.devices = {request};
    Pod(name, "1", task);
  }
  void Keep(const std::string& parts, ReservationSpec spec = {}) {
    spec.shape.labels = {{"koordinator/device-parts", parts}};
    Reserve("r", "a", 1, spec);
  }
  // "p g0 1000; p g1 1000"
  std::string Chosen(const std::string& options = "") {
    const absl::StatusOr<muster::Plan> plan = Schedule(cluster_.Freeze(), ProfileSpec(options), {});
    EXPECT_TRUE(plan.ok()) << plan.status();
    std::string words;
    for (const ChosenDevice& chosen : plan->devices()) {
      words += words.empty() ? "" : "; ";
      words += std::string(plan->task_name(chosen.task)) + " " + chosen.device + " " +
               std::to_string(chosen.milli);
    }
    return words;
  }
};

TEST_F(KoordinatorDeviceLoans, DevicesGoToOwnersAlone) {
  Gpus(4);
  Keep("g0,g1");
  Ask("p", {.kind = "gpu", .count = 2});
  EXPECT_EQ(Chosen(), "p g2 1000; p g3 1000");
  EXPECT_EQ(Chosen("reservation=off"), "p g0 1000; p g1 1000");
  Ask("s", {.kind = "gpu"});
  EXPECT_EQ(Chosen(), "p g2 1000; p g3 1000");
  Ask("q", {.kind = "gpu", .count = 2}, Owner());
  EXPECT_EQ(Chosen(), "p g2 1000; p g3 1000; q g0 1000; q g1 1000");
}

TEST_F(KoordinatorDeviceLoans, PartsOfADeviceAreKept) {
  Gpus(1);
  Keep("g0:600", {.allocate_once = false, .policy = ReservationPolicy::kRestricted});
  Ask("p", {.kind = "gpu", .milli = 500});
  EXPECT_EQ(Chosen(), "");
  Ask("s", {.kind = "gpu", .milli = 400});
  EXPECT_EQ(Chosen(), "s g0 400");
  TaskSpec owner = Owner();
  owner.priority = 5;
  Ask("q", {.kind = "gpu", .milli = 300}, owner);
  EXPECT_EQ(Chosen(), "q g0 300; s g0 400");
}

TEST_F(KoordinatorDeviceLoans, ExclusiveOwnersCountReservedDevicesAsFree) {
  Gpus(2);
  Keep("g1:500:8Gi");
  Ask("p", {.kind = "gpu", .exclusive = true});
  EXPECT_EQ(Chosen(), "p g0 1000");
  Accept(cluster_.RemoveTask("p"));
  Pod("h", "1", {.node = "a", .devices = {{.device = "g0", .milli = 100}}});
  Ask("q", {.kind = "gpu", .exclusive = true}, Owner());
  EXPECT_EQ(Chosen(), "q g1 1000");
  Ask("p", {.kind = "gpu", .exclusive = true}, {.priority = 9});
  EXPECT_EQ(Chosen(), "q g1 1000");
}

TEST_F(KoordinatorDeviceLoans, LabelsThatCannotBeReadAreRefused) {
  Gpus(1);
  const auto refused = [&](const std::string& key, const std::string& text) {
    ReservationSpec spec;
    spec.shape.labels = {{"koordinator/" + key, text}};
    Reserve("r", "a", 1, spec);
    const std::string message = Refused();
    const std::string place = "action schedule: reservation \"r\", label koordinator/" + key + ": ";
    EXPECT_TRUE(message.starts_with(place)) << message;
    return message.substr(std::min(place.size(), message.size()));
  };
  EXPECT_EQ(refused("cpuset", "0-x"), "\"0-x\" is no list of CPUs");
  EXPECT_EQ(refused("zone-amounts", "z0"), "\"z0\" is no zone with amounts");
  EXPECT_EQ(refused("zone-amounts", "z0:cpu"), "\"z0:cpu\" is no zone with amounts");
  EXPECT_EQ(refused("zone-amounts", "z0:cpu=-1"), "\"z0:cpu=-1\" has no amount of cpu");
  EXPECT_EQ(refused("zone-amounts", "z0:cpu=1,z0:cpu=1"), "\"z0:cpu=1\" is listed twice");
  EXPECT_EQ(refused("device-parts", "g0,"), "\"\" is no part of a device");
  EXPECT_EQ(refused("device-parts", "g0:0"), "\"g0:0\" has no thousandths from 1 to 1000");
  EXPECT_EQ(refused("device-parts", "g0:1001"), "\"g0:1001\" has no thousandths from 1 to 1000");
  EXPECT_EQ(refused("device-parts", "g0:1:x"), "\"g0:1:x\" has no bytes of memory");
  EXPECT_EQ(refused("device-parts", "g0,g0:1"), "\"g0:1\" is listed twice");
  EXPECT_EQ(Refused("reservation=off"), "");
}

TEST_F(KoordinatorDeviceLoans, AVictimLeavesItsDevicesToTheReservation) {
  Gpus(1);
  Keep("g0", {.allocate_once = false, .holders = {"low"}});
  Pod("low", "1", {.node = "a", .priority = 1, .devices = {{.device = "g0"}}});
  Ask("p", {.kind = "gpu"}, {.priority = 9});
  EXPECT_EQ(Plan("quota=off"), "");
  TaskSpec owner = Owner();
  owner.priority = 9;
  Ask("q", {.kind = "gpu"}, owner);
  EXPECT_EQ(Plan("quota=off"), "evict low a; nominate q a");
}

}  // namespace
}  // namespace muster::testing
