// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Ports and images, and what the rules between tasks have in common: check vectors and traps, one
// by one.
#include "lib/kube/inter_task.h"

#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "inter_world.h"

namespace muster::testing {
namespace {

// --- host ports

TEST(InterPortsTest, ConflictsByNumberProtocolAndAddress) {
  const auto conflict = [](const HostPort& wanted, const HostPort& used) {
    InterWorld world;
    world.Node("n0", {});
    world.Node("n1", {});
    TaskShape there = Shape({{"name", "there"}}), shape;
    there.host_ports = {used};
    shape.host_ports = {wanted};
    world.Running("there", there, "n0");
    world.Pending("new", shape);
    return world.Fit("new") == "port ok";
  };
  EXPECT_TRUE(conflict({"0.0.0.0", Protocol::kTcp, 80}, {"0.0.0.0", Protocol::kTcp, 80}));
  EXPECT_TRUE(conflict({"0.0.0.0", Protocol::kTcp, 80}, {"10.0.0.1", Protocol::kTcp, 80}));
  EXPECT_TRUE(conflict({"10.0.0.1", Protocol::kTcp, 80}, {"0.0.0.0", Protocol::kTcp, 80}));
  EXPECT_TRUE(conflict({"10.0.0.1", Protocol::kTcp, 80}, {"10.0.0.1", Protocol::kTcp, 80}));
  EXPECT_TRUE(conflict({"", Protocol::kTcp, 80}, {"10.0.0.1", Protocol::kTcp, 80}));
  EXPECT_FALSE(conflict({"10.0.0.1", Protocol::kTcp, 80}, {"10.0.0.2", Protocol::kTcp, 80}));
  EXPECT_FALSE(conflict({"::", Protocol::kTcp, 80}, {"10.0.0.1", Protocol::kTcp, 80}));
  EXPECT_FALSE(conflict({"0.0.0.0", Protocol::kTcp, 80}, {"0.0.0.0", Protocol::kUdp, 80}));
  EXPECT_FALSE(conflict({"0.0.0.0", Protocol::kTcp, 80}, {"0.0.0.0", Protocol::kTcp, 81}));
}

TEST(InterPortsTest, AreFreedByEvictionAndTakenByPlacement) {
  InterWorld world;
  world.Node("n0", {});
  world.Node("n1", {});
  TaskShape shape;
  shape.host_ports = {{"", Protocol::kTcp, 80}};
  world.Running("there", shape, "n0");
  world.Pending("new", shape);
  InterTask rules({});
  rules.Open(world.tables(), world.ledger());
  const ClassIndex c = world.task_class("new");
  EXPECT_EQ(world.Fit(rules, c), "port ok");
  world.ledger().Move(world.task("there"), TaskStatus::kReleasing, world.node("n0"));
  EXPECT_EQ(world.Fit(rules, c), "ok ok");
  world.Place("new", "n1");
  EXPECT_EQ(world.Fit(rules, c), "ok port");
}

TEST(InterPortsTest, ComeFirstButAHardRefusalOfALaterFilterRemainsHard) {
  InterWorld world;
  ThreeZones(world);
  TaskShape shape = Shape(kWeb);
  shape.host_ports = {{"", Protocol::kTcp, 80}};
  world.Running("there", shape, "a0");
  shape.required_affinity = {Term("kubernetes.io/hostname", kDb)};
  world.Pending("affine", shape);
  shape.required_affinity.clear();
  shape.spread = {Spread("zone", kWeb, 1, true)};
  world.Pending("spread", shape);
  EXPECT_EQ(world.Fit("affine"), "port! affinity! affinity! affinity!");
  EXPECT_EQ(world.Fit("spread"), "port spread ok label!");
}

// --- images

NodeSpec NodeWithImage(const std::string& name, const std::string& image, int64_t mebibytes) {
  NodeSpec node;
  node.name = name;
  if (!image.empty()) node.images = {{{image}, mebibytes << 20}};
  return node;
}

TaskShape WithImages(const std::vector<std::string>& images) {
  TaskShape shape;
  for (const std::string& image : images) {
    ContainerSpec container;
    container.image = image;
    shape.containers.push_back(container);
  }
  return shape;
}

TEST(ImageSpreadTest, CheckVectors) {
  InterWorld one;
  one.Node(NodeWithImage("n0", "app:1", 500));
  one.Pending("new", WithImages({"app:1"}));
  EXPECT_EQ(one.Score("new", ImageScore()), (Scores{48}));

  InterWorld four;
  four.Node(NodeWithImage("n0", "app:1", 500));
  four.Node(NodeWithImage("n1", "", 0));
  four.Node(NodeWithImage("n2", "app:1", 500));
  four.Node(NodeWithImage("n3", "", 0));
  four.Pending("one", WithImages({"app:1"}));
  four.Pending("two", WithImages({"app:1", "other"}));
  EXPECT_EQ(four.Score("one", ImageScore()), (Scores{23, 0, 23, 0}));
  EXPECT_EQ(four.Score("two", ImageScore()), (Scores{11, 0, 11, 0}));

  InterWorld small;
  small.Node(NodeWithImage("n0", "app:1", 40));
  small.Node(NodeWithImage("n1", "", 0));
  small.Pending("new", WithImages({"app:1"}));
  EXPECT_EQ(small.Score("new", ImageScore()), (Scores{0, 0}));
  EXPECT_FALSE(small.ScoreDepends("new", ImageScore()));
}

TEST(ImageSpreadTest, UntaggedNamesAreLatestAndAPortIsNoTag) {
  InterWorld world;
  world.Node(NodeWithImage("n0", "host:5000/app:latest", 500));
  world.Node(NodeWithImage("n1", "app@sha256:1", 500));
  world.Pending("untagged", WithImages({"host:5000/app"}));
  world.Pending("digest", WithImages({"app@sha256:1"}));
  EXPECT_EQ(world.Score("untagged", ImageScore()), (Scores{23, 0}));
  EXPECT_EQ(world.Score("digest", ImageScore()), (Scores{0, 23}));
}

TEST(ImageSpreadTest, TheFirstNodeTellsTheSizeAndTwiceCountsTwice) {
  InterWorld world;
  world.Node(NodeWithImage("n0", "app:1", 500));
  world.Node(NodeWithImage("n1", "app:1", 9000));
  world.Pending("once", WithImages({"app:1"}));
  world.Pending("twice", WithImages({"app:1", "app:1"}));
  EXPECT_EQ(world.Score("once", ImageScore()), (Scores{48, 48}));
  EXPECT_EQ(world.Score("twice", ImageScore()), (Scores{49, 49}));
}

TEST(ImageSpreadTest, ANodeThatListsAnImageTwiceHasItOnce) {
  InterWorld world;
  NodeSpec node = NodeWithImage("n0", "app:1", 500);
  node.images.push_back(node.images[0]);
  world.Node(node);
  world.Pending("new", WithImages({"app:1"}));
  EXPECT_EQ(world.Score("new", ImageScore()), (Scores{48}));
}

TEST(ImageSpreadTest, HugeImagesStopAtAHundred) {
  InterWorld world;
  NodeSpec node = NodeWithImage("n0", "app:1", 1);
  node.images[0].size = INT64_MAX;
  world.Node(node);
  world.Pending("new", WithImages({"app:1"}));
  EXPECT_EQ(world.Score("new", ImageScore()), (Scores{100}));
  InterTaskOptions old = ImageScore();
  old.rules = kKubernetes116;
  EXPECT_EQ(world.Score("new", old), (Scores{0}));
}

// --- the whole

TEST(InterTaskTest, ClassesThatNoTermMentionsKeepTheFastPath) {
  InterWorld world;
  ThreeZones(world);
  TaskShape shy = Shape(kDb);
  shy.required_anti_affinity = {Term("zone", kDb)};
  world.Pending("shy", shy);
  world.Pending("plain", Shape(kWeb));
  InterTaskOptions all;
  all.affinity_weight = all.spread_weight = all.image_weight = 1;
  EXPECT_TRUE(world.FitDepends("shy", all));
  EXPECT_FALSE(world.FitDepends("plain", all));
  EXPECT_FALSE(world.ScoreDepends("plain", all));
  EXPECT_FALSE(world.ScoreDepends("shy", all));
}

TEST(InterTaskTest, RulesThatAreOffDoNothing) {
  InterWorld world;
  ThreeZones(world);
  TaskShape shape = Shape(kWeb);
  shape.host_ports = {{"", Protocol::kTcp, 80}};
  shape.required_anti_affinity = {Term("zone", kWeb)};
  shape.spread = {Spread("zone", kWeb, 1, true)};
  world.Running("there", shape, "a0");
  world.Pending("new", shape);
  InterTaskOptions options;
  EXPECT_EQ(world.Fit("new", options), "port anti ok label!");
  options.host_ports = false;
  EXPECT_EQ(world.Fit("new", options), "anti anti ok label!");
  options.affinity = false;
  EXPECT_EQ(world.Fit("new", options), "spread spread ok label!");
  options.spread = false;
  EXPECT_EQ(world.Fit("new", options), "ok ok ok ok");
  EXPECT_FALSE(world.FitDepends("new", options));
}

TEST(InterTaskTest, NodesAlreadyRefusedAreLeftAlone) {
  InterWorld world;
  ThreeZones(world);
  TaskShape shape = Shape(kWeb);
  shape.spread = {Spread("none", kWeb, 1, true)};
  world.Pending("new", shape);
  InterTask rules({});
  rules.Open(world.tables(), world.ledger());
  const std::vector<NodeIndex> nodes = {0, 1};
  std::vector<uint8_t> fits = {0, 1}, hard = {0, 0};
  std::vector<RefusalCode> codes(2, RefusalCode::kTaint);
  rules.Fit(world.task_class("new"), nodes, fits, codes, hard);
  EXPECT_EQ(codes, (std::vector<RefusalCode>{RefusalCode::kTaint, RefusalCode::kSpreadLabel}));
  EXPECT_EQ(hard, (std::vector<uint8_t>{0, 1}));
}

TEST(InterTaskTest, NodesThatAreNotReadyAreThere) {
  InterWorld world;
  NodeSpec down;
  down.name = "down";
  down.labels = {{"zone", "a"}};
  down.ready = false;
  world.Node(down);
  world.Node("up", {{"zone", "a"}});
  world.Running("web", Shape(kWeb), "down");
  TaskShape shape;
  shape.required_anti_affinity = {Term("zone", kWeb)};
  world.Pending("new", shape);
  EXPECT_EQ(world.Fit("new"), "anti anti");
  EXPECT_EQ(world.Fit("new", Old()), "anti anti");
}

}  // namespace
}  // namespace muster::testing
