// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The slow twin of BestOf: every assignment of tasks to nodes, judged by counting everything anew.
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "lib/base/rng.h"
#include "lib/model/access.h"
#include "lib/model/tables.h"
#include "lib/reference/kube/selectors.h"
#include "muster/bound.h"
#include "muster/schedule.h"
#include "tests/support/random_world.h"

namespace muster {
namespace {

// Judges one assignment: a node for each task that waits, or kNone.
class Assignment {
 public:
  Assignment(const Tables& tables, const std::vector<TaskIndex>& waiting)
      : tables_(tables), waiting_(waiting) {}

  bool Keeps(const std::vector<NodeIndex>& nodes) const {
    return KeepsNodes(nodes) && KeepsRoom(nodes) && KeepsLimits(nodes) && KeepsGangs(nodes);
  }

 private:
  std::span<const int64_t> Request(TaskIndex t) const {
    return tables_.classes.request.row(tables_.tasks.task_class[t]);
  }
  bool Runs(TaskIndex t) const {
    return tables_.tasks.alive[t] && IsAllocated(tables_.tasks.status[t]);
  }

  bool KeepsNodes(const std::vector<NodeIndex>& nodes) const {
    for (size_t i = 0; i < nodes.size(); ++i) {
      if (nodes[i] == kNone) continue;
      const TaskShape& shape = tables_.classes.shape[tables_.tasks.task_class[waiting_[i]]];
      const NodeSpec& node = tables_.nodes.spec[nodes[i]];
      if (!tables_.nodes.alive[nodes[i]]) return false;
      if (node.unschedulable && !reference::ToleratesUnschedulable(shape)) return false;
      if (reference::FirstUntolerated(shape, node) != nullptr) return false;
      if (!reference::MatchesNode(shape, node)) return false;
    }
    return true;
  }

  bool KeepsRoom(const std::vector<NodeIndex>& nodes) const {
    for (NodeIndex n = 0; n < tables_.nodes.alive.size(); ++n) {
      for (DimensionIndex d = 0; d < tables_.dimension_count(); ++d) {
        const int64_t has = tables_.nodes.allocatable.at(n, d);
        int64_t holds = 0, comes = 0;
        for (TaskIndex t = 0; t < tables_.tasks.alive.size(); ++t) {
          const bool there = Runs(t) || (tables_.tasks.alive[t] &&
                                         tables_.tasks.status[t] == TaskStatus::kUnknown);
          if (there && tables_.tasks.node[t] == n) holds += Request(t)[d];
        }
        for (size_t i = 0; i < nodes.size(); ++i) {
          if (nodes[i] == n) comes += Request(waiting_[i])[d];
        }
        if (comes == 0 || (d == kPods && has == kAbsent)) continue;
        if (holds + comes > OrZero(has)) return false;
      }
    }
    return true;
  }

  bool IsBelow(JobIndex job, QueueIndex queue) const {
    QueueIndex q = tables_.jobs.queue[job];
    while (q != kNone && q != queue) q = tables_.queues.parent[q];
    return q == queue;
  }

  bool KeepsLimits(const std::vector<NodeIndex>& nodes) const {
    for (QueueIndex q = 0; q < tables_.queues.alive.size(); ++q) {
      for (DimensionIndex d = 0; d < tables_.dimension_count(); ++d) {
        const int64_t limit = tables_.queues.limit.at(q, d);
        if (limit == kAbsent) continue;
        int64_t holds = 0, comes = 0;
        for (TaskIndex t = 0; t < tables_.tasks.alive.size(); ++t) {
          const JobIndex job = tables_.tasks.job[t];
          if (Runs(t) && job != kNone && IsBelow(job, q)) holds += Request(t)[d];
        }
        for (size_t i = 0; i < nodes.size(); ++i) {
          if (nodes[i] != kNone && IsBelow(tables_.tasks.job[waiting_[i]], q)) {
            comes += Request(waiting_[i])[d];
          }
        }
        if (comes > 0 && holds + comes > limit) return false;
      }
    }
    return true;
  }

  bool KeepsGangs(const std::vector<NodeIndex>& nodes) const {
    std::map<JobIndex, int64_t> placed;
    for (size_t i = 0; i < nodes.size(); ++i) {
      if (nodes[i] != kNone) ++placed[tables_.tasks.job[waiting_[i]]];
    }
    for (const auto& [job, count] : placed) {
      int64_t there = 0;
      for (TaskIndex t : tables_.jobs.tasks[job]) {
        const auto at = std::find(waiting_.begin(), waiting_.end(), t);
        const bool comes =
            at != waiting_.end() && nodes[static_cast<size_t>(at - waiting_.begin())] != kNone;
        const TaskStatus status = tables_.tasks.status[t];
        const bool waits = status == TaskStatus::kPending || status == TaskStatus::kNominated;
        const bool light = waits && tables_.classes.best_effort[tables_.tasks.task_class[t]];
        there += Runs(t) || status == TaskStatus::kSucceeded || light || comes;
      }
      if (there < tables_.jobs.spec[job].min_available) return false;
    }
    return true;
  }

  const Tables& tables_;
  const std::vector<TaskIndex>& waiting_;
};

std::vector<TaskIndex> WaitingOf(const Tables& tables) {
  std::vector<TaskIndex> waiting;
  for (TaskIndex t = 0; t < tables.tasks.alive.size(); ++t) {
    const TaskStatus status = tables.tasks.status[t];
    const bool waits = status == TaskStatus::kPending || status == TaskStatus::kNominated;
    if (tables.tasks.alive[t] && waits && tables.tasks.job[t] != kNone &&
        (tables.tasks.flags[t] & kTaskGated) == 0) {
      waiting.push_back(t);
    }
  }
  return waiting;
}

int64_t BruteForce(const Tables& tables, const std::vector<TaskIndex>& waiting) {
  const Assignment judge(tables, waiting);
  const auto choices = static_cast<uint32_t>(tables.nodes.alive.size() + 1);
  std::vector<uint32_t> digit(waiting.size(), 0);
  int64_t best = 0;
  for (;;) {
    std::vector<NodeIndex> nodes;
    int64_t placed = 0;
    for (uint32_t d : digit) {
      nodes.push_back(d == 0 ? NodeIndex(kNone) : NodeIndex(d - 1));
      placed += d != 0;
    }
    if (placed > best && judge.Keeps(nodes)) best = placed;
    size_t at = 0;
    while (at < digit.size() && digit[at] + 1 == choices) digit[at++] = 0;
    if (at == digit.size()) return best;
    ++digit[at];
  }
}

TEST(BestWorlds, IsThatOfAllAssignments) {
  int64_t worlds = 0, above = 0, tight = 0;
  for (uint64_t seed = 0; seed < 3000; ++seed) {
    testing::WorldKnobs knobs;
    knobs.nodes = 3;
    knobs.queues = 3;
    knobs.jobs = 3;
    knobs.tasks = 3;
    knobs.between_tasks = false;
    knobs.rooted = seed % 4 == 0;
    const Snapshot snapshot = testing::MakeCluster(testing::RandomWorld(seed, knobs)).Freeze();
    const Tables& tables = TablesOf(snapshot);
    const std::vector<TaskIndex> waiting = WaitingOf(tables);
    if (waiting.empty() || waiting.size() > 5) continue;
    const absl::StatusOr<Best> best = BestOf(snapshot);
    if (absl::IsUnimplemented(best.status())) continue;
    ASSERT_TRUE(best.ok()) << best.status();
    ASSERT_TRUE(best->proven);
    ASSERT_EQ(best->tasks, BruteForce(tables, waiting)) << "seed " << seed;
    const absl::StatusOr<Bound> bound = BoundOf(snapshot, {.work = 100'000});
    ASSERT_TRUE(bound.ok());
    ASSERT_LE(best->tasks, bound->tasks) << "seed " << seed;
    tight += best->tasks == bound->tasks;
    above += best->tasks > 0;
    ++worlds;
  }
  EXPECT_GT(worlds, 500);
  EXPECT_GT(above, worlds / 4);
  // The relaxation is rarely more than the best.
  EXPECT_GT(tight, worlds * 3 / 4);
}

TEST(Best, StopsWhenTheWorkIsSpent) {
  ClusterSpec world;
  for (int n = 0; n < 4; ++n) {
    world.nodes.push_back({.name = "n" + std::to_string(n), .capacity = {{"cpu", 5 + n}}});
  }
  for (int j = 0; j < 8; ++j) {
    JobSpec job = {.name = "j" + std::to_string(j), .min_available = 2};
    job.groups = {{.name = "w", .count = 2, .shape = {.request = {{"cpu", 2 + j % 3}}}}};
    world.jobs.push_back(job);
  }
  const Snapshot snapshot = testing::MakeCluster(world).Freeze();
  const absl::StatusOr<Best> cut = BestOf(snapshot, {.work = 10});
  ASSERT_TRUE(cut.ok());
  EXPECT_FALSE(cut->proven);
  const absl::StatusOr<Best> best = BestOf(snapshot);
  ASSERT_TRUE(best.ok());
  EXPECT_TRUE(best->proven);
  EXPECT_LE(cut->tasks, best->tasks);
  EXPECT_GT(best->work, 10);
}

TEST(Best, RefusesManyTasks) {
  ClusterSpec world;
  JobSpec job = {.name = "j"};
  job.groups = {{.name = "w", .count = 1001, .shape = {.request = {{"cpu", 1}}}}};
  world.jobs = {job};
  EXPECT_EQ(BestOf(testing::MakeCluster(world).Freeze()).status().message(),
            "tasks: 1001 wait; must be 1000 at most");
}

}  // namespace
}  // namespace muster
