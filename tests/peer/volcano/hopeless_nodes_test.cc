// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What is kept of nodes on which victims were too few, against a look at all nodes, on books that
// change.
#include "lib/peer/volcano/action/hopeless_nodes.h"

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

constexpr int kFewNodes = 12, kRunningJobs = 20, kWaitingJobs = 16;

// Nodes that running jobs nearly fill, and jobs that wait, of few kinds.
void FillNearly(Cluster& cluster, Rng& rng) {
  const auto accept = [](const absl::Status& status) { ASSERT_TRUE(status.ok()) << status; };
  for (const char* queue : {"a", "b"}) accept(cluster.AddQueue({.name = queue}));
  for (int n = 0; n < kFewNodes; ++n) {
    accept(cluster.AddNode({.name = absl::StrCat("n", n), .capacity = {{"cpu", 6}, {"pods", 10}}}));
  }
  for (int j = 0; j < kRunningJobs + kWaitingJobs; ++j) {
    JobSpec job{.name = absl::StrCat("j", j), .queue = std::string(1, "ab"[rng.Below(2)])};
    job.priority = static_cast<int32_t>(rng.Below(3));
    job.min_available = 1;
    job.phase = JobPhase::kRunning;
    accept(cluster.AddJob(job));
    for (int t = 0; t < 2; ++t) {
      TaskSpec task{.name = absl::StrCat(job.name, "-", t), .job = job.name};
      const bool runs = j < kRunningJobs;
      task.shape.request = {{"cpu", static_cast<int64_t>(rng.Below(2)) + (runs ? 1 : 3)}};
      task.priority = job.priority;
      if (runs) {
        task.status = rng.Chance(0.8) ? TaskStatus::kRunning : TaskStatus::kBound;
        task.node = absl::StrCat("n", rng.Below(kFewNodes));
        task.preemptable = rng.Chance(0.9);
      }
      accept(cluster.AddTask(task));
    }
  }
}

// Returns whether the node has too little with all that may go for the task.
bool HasTooFew(const ActionContext& context, TaskIndex task, NodeIndex node) {
  const Tables& tables = context.tables;
  std::vector<TaskIndex> candidates;
  ListTasksOn(
      context, node,
      [&](TaskIndex t) {
        const TaskStatus status = context.ledger.status(t);
        return (status == TaskStatus::kRunning || status == TaskStatus::kBound) &&
               (tables.tasks.flags[t] & kTaskPreemptable) != 0 &&
               tables.tasks.job[t] != tables.tasks.job[task] &&
               context.QueueOf(t) == context.QueueOf(task);
      },
      &candidates);
  return !VictimsSuffice(context, task, node, context.dispatcher.Preemptable(task, candidates));
}

// Evicts a task or promises a node to one; in half of all cases for good.
void MoveOne(ActionContext& context, Rng& rng) {
  Attempt attempt(context);
  const TaskIndex t(static_cast<uint32_t>(rng.Below(context.tables.tasks.alive.size())));
  const TaskStatus status = context.ledger.status(t);
  if (status == TaskStatus::kPending) {
    Nominate(context, t, NodeIndex(static_cast<uint32_t>(rng.Below(kFewNodes))), true);
  } else if (status == TaskStatus::kRunning || status == TaskStatus::kBound) {
    Evict(context, t, kNone);
  }
  if (rng.Chance(0.5)) attempt.Keep();
}

TEST(HopelessNodes, NamesOnlyNodesWithTooLittle) {
  int64_t kept = 0, enough = 0;
  for (uint64_t seed = 0; seed < 60; ++seed) {
    Rng rng(seed);
    Loop loop("volcano", [&](Cluster& cluster) { FillNearly(cluster, rng); });
    ActionContext& context = loop.context();
    HopelessNodes nodes(context, Point::kPreemptable);
    for (int round = 0; round < 40; ++round) {
      SCOPED_TRACE(absl::StrCat("seed ", seed, ", round ", round));
      const TaskIndex task(static_cast<uint32_t>(2 * kRunningJobs + rng.Below(2 * kWaitingJobs)));
      HopelessNodes::Kind* const known = nodes.Of(task);
      ASSERT_NE(known, nullptr);
      for (NodeIndex node = 0; node < kFewNodes; ++node) {
        const bool too_few = HasTooFew(context, task, node);
        if (known->Has(node)) {
          EXPECT_TRUE(too_few);
          ++kept;
        } else if (too_few) {
          known->Note(node);
        } else {
          ++enough;
        }
      }
      MoveOne(context, rng);
    }
  }
  EXPECT_GT(kept, 5000);
  EXPECT_GT(enough, 1000);
}

TEST(HopelessNodes, KeepsNothingWherePoliciesLookAtTheBooks) {
  Rng rng(1);
  Loop loop("volcano:tiers=priority+gang+conformance/proportion",
            [&](Cluster& cluster) { FillNearly(cluster, rng); });
  HopelessNodes nodes(loop.context(), Point::kPreemptable);
  EXPECT_EQ(nodes.Of(TaskIndex(2 * kRunningJobs)), nullptr);
}

}  // namespace
}  // namespace muster
