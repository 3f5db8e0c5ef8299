// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Small clusters for tests of the fair scheduler.
//
//   FairWorld world({.assign_multiple = true}, {{.path = "root.a"}});
//   const NodeIndex node = world.Node("n", {8'192, 8});
//   const AppIndex app = world.App("root.a");
//   world.Ask(app, 3);                          // three containers of 1,024 MiB and a vcore
//   world.scheduler.Update();
//   EXPECT_EQ(world.Beat(node), (Apps{app}));   // which applications got containers, in order
#ifndef MUSTER_TESTS_PEER_YARN_FAIR_WORLD_H_
#define MUSTER_TESTS_PEER_YARN_FAIR_WORLD_H_

#include <cstdint>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "lib/peer/yarn/fair/fair.h"

namespace muster::yarn::fair {

using Apps = std::vector<AppIndex>;

struct FairWorld {
  explicit FairWorld(const Options& options, std::vector<QueueConfig> leaves,
                     Policy policy = Policy::kFair, const UserLimits& limits = {})
      : scheduler(*FairScheduler::Make(options, Queues(std::move(leaves), policy), limits, 0)) {}

  static std::vector<QueueConfig> Queues(std::vector<QueueConfig> leaves, Policy policy) {
    leaves.insert(leaves.begin(), {.path = "root", .leaf = false, .policy = policy});
    return leaves;
  }

  NodeIndex Node(const std::string& name, const Resource& total, const std::string& rack = "/r") {
    return *scheduler.AddNode(name, rack, total);
  }
  AppIndex App(const std::string& queue, const std::string& user = "ann") {
    return *scheduler.AddApp({.id = ++last_id, .queue = queue, .user = user, .unmanaged = true});
  }
  void Ask(AppIndex app, int64_t count, const Resource& size = {1'024, 1}) {
    Set(app, {{.priority = 1, .place = "*", .size = size, .count = count}});
  }
  void Set(AppIndex app, const std::vector<AskSpec>& asks) {
    EXPECT_TRUE(scheduler.SetAsks(app, asks).ok());
  }
  Apps Beat(NodeIndex node) {
    Apps apps;
    const auto allocations = scheduler.Heartbeat(node);
    for (const Allocation& allocation : *allocations) apps.push_back(allocation.app);
    return apps;
  }
  const struct App& operator[](AppIndex app) const { return scheduler.cluster().apps[app]; }
  bool IsReserved(NodeIndex node) const {
    return scheduler.cluster().nodes[node].reserved != kNone;
  }

  FairScheduler scheduler;
  int64_t last_id = 0;
};

}  // namespace muster::yarn::fair

#endif  // MUSTER_TESTS_PEER_YARN_FAIR_WORLD_H_
