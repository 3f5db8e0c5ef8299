// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Nodes that are found to be alike without a look at their machine: random nodes, and copies of
// them in which one field is another.
#include "lib/ledger/device_states.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "lib/base/rng.h"
#include "tests/support/random_cpus.h"
#include "tests/support/random_world.h"

namespace muster {
namespace {

void ChangeOneField(Rng& rng, NodeSpec* node) {
  DeviceSpec& device = node->devices[rng.Below(node->devices.size())];
  switch (rng.Below(12)) {
    case 0:
      // A device of kind cpu has a number as its name.
      if (device.kind == node->devices.front().kind) {
        std::swap(device.name, node->devices.front().name);
      }
      break;
    case 1:
      device.kind = "nic";
      break;
    case 2:
      device.model = "other";
      break;
    case 3:
      device.zone = node->zones.back().name;
      break;
    case 4:
      device.links.emplace_back("rack-1");
      break;
    case 5:
      device.memory = 7;
      break;
    case 6:
      device.healthy = !device.healthy;
      break;
    case 7:
      node->allocatable = Resources{{"cpu", 1}};
      break;
    case 8:
      device.milli = 500;
      break;
    case 9:
      // What is reserved of cpu: capacity less what is allocatable.
      node->capacity = Resources{{"cpu", 100}};
      break;
    case 10:
      std::swap(node->zones.front().name, node->zones.back().name);
      break;
    default:
      node->alignment = Alignment::kSingleNumaNode;
      break;
  }
}

TEST(DeviceStates, NodesThatAreSurelyAlikeHaveOneState) {
  int64_t alike = 0, unlike = 0;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    Rng rng(seed);
    ClusterSpec world = testing::RandomWorld(seed, {.nodes = 12});
    testing::AddCpus(rng, &world);
    std::vector<NodeSpec> nodes;
    for (const NodeSpec& node : world.nodes) {
      nodes.push_back(node);
      nodes.push_back(node);
      nodes.back().name += "-copy";
      nodes.back().labels = {};
      if (!node.devices.empty() && !node.zones.empty()) {
        nodes.push_back(node);
        ChangeOneField(rng, &nodes.back());
      }
    }
    DeviceStates states({.strategy = DevicePick::kPack, .cpus = true});
    for (const NodeSpec& a : nodes) {
      for (const NodeSpec& b : nodes) {
        const bool same = states.Fresh(a) == states.Fresh(b);
        const bool surely = DeviceStates::SurelyAlike(a, b);
        ASSERT_LE(surely, same) << "seed " << seed << ": " << a.name << ", " << b.name;
        alike += surely && !a.devices.empty();
        unlike += !same;
      }
    }
  }
  EXPECT_GT(alike, 1000);
  EXPECT_GT(unlike, 1000);
}

}  // namespace
}  // namespace muster
