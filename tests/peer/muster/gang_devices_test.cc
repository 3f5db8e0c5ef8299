// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Tasks of a gang at a node's devices, worked out by hand.
#include "lib/peer/muster/gang_devices.h"

#include <optional>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "lib/fit/gang_packing.h"
#include "lib/model/access.h"
#include "muster/muster.h"

namespace muster::testing {
namespace {

using Shapes = std::vector<uint32_t>;

class GangDevicesTest : public ::testing::Test {
 protected:
  // GPUs of these models, and a class for each request.
  void Make(const std::vector<std::string>& models, const std::vector<DeviceRequest>& requests) {
    NodeSpec node{.name = "n", .capacity = {{"cpu", 10}}};
    for (const std::string& model : models) {
      node.devices.push_back(
          {.name = "gpu" + std::to_string(node.devices.size()), .kind = "gpu", .model = model});
    }
    Cluster cluster;
    ASSERT_TRUE(cluster.AddNode(node).ok());
    ASSERT_TRUE(cluster.AddJob({.name = "j"}).ok());
    for (const DeviceRequest& request : requests) {
      ASSERT_TRUE(cluster
                      .AddTask({.name = "t" + std::to_string(classes_.size()),
                                .job = "j",
                                .shape = {.request = {{"cpu", 1}}, .devices = {request}}})
                      .ok());
      classes_.push_back(static_cast<ClassIndex>(classes_.size()));
    }
    snapshot_.emplace(cluster.Freeze());
    for (TaskIndex t = 0; t < classes_.size(); ++t)
      classes_[t] = TablesOf(*snapshot_).tasks.task_class[t];
  }

  // The order in which tasks of these shapes, put there one by one, come; empty: they do not fit.
  Shapes OrderOf(const Shapes& shapes, bool later = false) {
    DeviceStates states({.strategy = DevicePick::kPack});
    GangDevices devices(TablesOf(*snapshot_), states, classes_, later);
    uint32_t load = devices.AddNode(0, states.Fresh(TablesOf(*snapshot_).nodes.spec[0]));
    for (uint32_t shape : shapes) {
      load = devices.With(shape, load);
      if (load == kNoParts) return {};
    }
    const auto order = devices.Order(load);
    return {order.begin(), order.end()};
  }

  std::optional<Snapshot> snapshot_;
  std::vector<ClassIndex> classes_;
};

TEST_F(GangDevicesTest, WhoCannotTakeAnyModelComesFirst) {
  Make({"a", "b"}, {{.kind = "gpu"}, {.kind = "gpu", .models = {"a"}}});
  for (const bool later : {false, true}) {
    EXPECT_EQ(OrderOf({0, 1}, later), Shapes({1, 0}));
    EXPECT_EQ(OrderOf({1, 0}, later), Shapes({1, 0}));
    EXPECT_EQ(OrderOf({0, 0}, later), Shapes({0, 0}));
    EXPECT_EQ(OrderOf({1, 1}, later), Shapes());
    EXPECT_EQ(OrderOf({0, 1, 0}, later), Shapes());
  }
}

// The first order of all that serve: of the tasks of three shapes, 2 must come before 0.
TEST_F(GangDevicesTest, TheFirstOrderByShapes) {
  Make({"a", "b", "c"},
       {{.kind = "gpu"}, {.kind = "gpu", .models = {"b"}}, {.kind = "gpu", .models = {"a"}}});
  EXPECT_EQ(OrderOf({0, 1, 2}), Shapes({1, 2, 0}));
  EXPECT_EQ(OrderOf({0, 1}), Shapes({0, 1}));
}

// 10 tasks of these two shapes can come in 120 orders, 11 in more than are tried: then the last one
// comes last.
TEST_F(GangDevicesTest, ManyTasksComeAsTheyWerePut) {
  std::vector<std::string> models(12, "b");
  models[0] = "a";
  Make(models, {{.kind = "gpu"}, {.kind = "gpu", .models = {"b"}}});
  Shapes put = {0, 0, 0, 1, 1, 1, 1, 1, 1, 1};
  EXPECT_EQ(OrderOf(put), put);
  put.insert(put.end(), {1, 0});
  EXPECT_EQ(OrderOf(put), put);
  put.push_back(1);
  EXPECT_EQ(OrderOf(put), Shapes());
}

// Half of what there is of model a, a third of all; shares of one device, and of two.
TEST_F(GangDevicesTest, SizesAreMillionthsOfWhatIsFreeAndWouldDo) {
  Make({"a", "a", "b"}, {{.kind = "gpu"},
                         {.kind = "gpu", .models = {"a"}},
                         {.kind = "gpu", .count = 2, .milli = 300},
                         {.kind = "nic"}});
  DeviceStates states({.strategy = DevicePick::kPack});
  GangDevices devices(TablesOf(*snapshot_), states, classes_, /*later=*/false);
  const DeviceStateIndex state = states.Fresh(TablesOf(*snapshot_).nodes.spec[0]);
  devices.With(0, devices.AddNode(0, state));
  EXPECT_EQ(devices.SizeOf(0), 333'333);
  EXPECT_EQ(devices.SizeOf(1), 500'000);
  EXPECT_EQ(devices.SizeOf(2), 200'000);
  EXPECT_EQ(devices.SizeOf(3), 0);
  devices.AddNode(0, state);
  EXPECT_EQ(devices.SizeOf(1), 250'000);
}

// A task that would get a CPU there, but not the two GPUs it requests.
TEST_F(GangDevicesTest, CpusAreNotWhatWasAskedFor) {
  NodeSpec node{.name = "n", .capacity = {{"cpu", 1}}};
  node.zones = {{.name = "z"}};
  node.alignment = Alignment::kBestEffort;
  node.devices = {{.name = "0", .kind = "cpu", .zone = "z", .links = {"core-0", "socket-0"}},
                  {.name = "g", .kind = "gpu"}};
  Cluster cluster;
  ASSERT_TRUE(cluster.AddNode(node).ok());
  ASSERT_TRUE(cluster.AddJob({.name = "j"}).ok());
  for (const int64_t gpus : {1, 2}) {
    TaskSpec task{.name = "t" + std::to_string(gpus), .job = "j"};
    task.shape = {.request = {{"cpu", 1}}, .guaranteed_qos = true};
    task.shape.devices = {{.kind = "gpu", .count = gpus}};
    ASSERT_TRUE(cluster.AddTask(task).ok());
  }
  const Snapshot snapshot = cluster.Freeze();
  const Tables& tables = TablesOf(snapshot);
  const std::vector<ClassIndex> classes = {tables.tasks.task_class[0], tables.tasks.task_class[1]};
  DeviceStates states({.strategy = DevicePick::kPack, .cpus = true});
  GangDevices devices(tables, states, classes, /*later=*/false);
  const uint32_t load = devices.AddNode(0, states.Fresh(tables.nodes.spec[0]));
  EXPECT_NE(devices.With(0, load), kNoParts);
  EXPECT_EQ(devices.With(1, load), kNoParts);
}

}  // namespace
}  // namespace muster::testing
