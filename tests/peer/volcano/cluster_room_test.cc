// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The sum that follows the ledger, against sums over all nodes.
#include "lib/peer/volcano/action/cluster_room.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/base/rng.h"
#include "lib/part/attempt.h"
#include "lib/part/victims.h"
#include "tests/part/loop.h"

namespace muster {
namespace {

using testing::Loop;

constexpr int kRoomNodes = 20, kRoomTasks = 60;

// Nodes that run tasks of one and two cpu. Some have no limit on tasks. `owing`: some hold more
// than they have.
void FillNodes(Cluster& cluster, Rng& rng, bool owing) {
  const auto accept = [](const absl::Status& status) { ASSERT_TRUE(status.ok()) << status; };
  accept(cluster.AddQueue({.name = "q"}));
  for (int n = 0; n < kRoomNodes; ++n) {
    NodeSpec node{.name = absl::StrCat("n", n), .capacity = {{"cpu", owing ? 4 : 200}}};
    if (n % 3 != 0) node.capacity.emplace_back("pods", 100);
    accept(cluster.AddNode(node));
  }
  for (int t = 0; t < kRoomTasks; ++t) {
    accept(
        cluster.AddJob({.name = absl::StrCat("j", t), .queue = "q", .phase = JobPhase::kRunning}));
    TaskSpec task{.name = absl::StrCat("t", t), .job = absl::StrCat("j", t)};
    task.shape.request = {{"cpu", static_cast<int64_t>(rng.Below(2)) + 1}};
    task.status = TaskStatus::kRunning;
    task.node = absl::StrCat("n", rng.Below(kRoomNodes));
    accept(cluster.AddTask(task));
  }
}

TEST(ClusterRoomTest, FollowsTheLedger) {
  size_t owing_sums = 0, plain_sums = 0;
  for (uint64_t seed = 0; seed < 40; ++seed) {
    Rng rng(seed);
    Loop loop("volcano",
              [&](Cluster& cluster) { FillNodes(cluster, rng, /*owing=*/seed % 2 == 1); });
    ActionContext& context = loop.context();
    const Ledger& ledger = context.ledger;
    ClusterRoom room(context);
    for (int round = 0; round < 20; ++round) {
      const auto nodes = context.domains.nodes(context.domains.root());
      EXPECT_EQ(room.Sum(), RoomOf(ledger, nodes)) << "seed " << seed << ", round " << round;
      bool owing = false;
      for (const NodeIndex n : nodes) {
        owing |= ledger.node(n, kIdle)[kCpu] + ledger.node(n, kReleasing)[kCpu] < 0;
      }
      (owing ? owing_sums : plain_sums) += 1;
      Attempt attempt(context);
      for (uint64_t i = rng.Below(6); i-- > 0;) {
        const TaskIndex t(static_cast<uint32_t>(rng.Below(kRoomTasks)));
        if (ledger.status(t) != TaskStatus::kReleasing) Evict(context, t, kNone);
      }
      if (rng.Chance(0.5)) attempt.Keep();
    }
  }
  EXPECT_GT(owing_sums, 100U);
  EXPECT_GT(plain_sums, 100U);
}

// A node without a limit on tasks has room for any number.
TEST(ClusterRoomTest, SumsStopAtEnough) {
  Rng rng(1);
  Loop loop("volcano", [&](Cluster& cluster) { FillNodes(cluster, rng, /*owing=*/false); });
  ClusterRoom room(loop.context());
  EXPECT_EQ(room.Sum()[kPods], kEnoughRoom);
  EXPECT_LT(room.Sum()[kCpu], 200 * 1000 * kRoomNodes);
}

}  // namespace
}  // namespace muster
