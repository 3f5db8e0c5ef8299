// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "tests/support/fair_tree.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "lib/base/rng.h"
#include "muster/schedule.h"

namespace muster::testing {

ClusterSpec RandomTree(uint64_t seed, const TreeKnobs& knobs) {
  Rng rng(seed);
  const auto below = [&rng](uint64_t n) { return static_cast<int64_t>(rng.Below(n)); };
  ClusterSpec world;
  const int64_t nodes = knobs.alike ? 1 : 1 + below(3);
  std::vector<Row> idle;
  for (int64_t n = 0; n < nodes; ++n) {
    const Row has = {knobs.alike ? 8 + below(24) : 3 + below(8), 4 + below(12), below(3)};
    idle.push_back(has);
    world.nodes.push_back({.name = absl::StrCat("n", n),
                           .capacity = {{"cpu", has[0]}, {"memory", has[1]}, {"gpu", has[2]}}});
  }
  world.queues.push_back({.name = "default"});
  const int64_t queues = 2 + below(6);
  for (int64_t q = 0; q < queues; ++q) {
    QueueSpec queue{.name = absl::StrCat("q", q)};
    if (q > 0 && rng.Below(2) == 0) queue.parent = absl::StrCat("q", below(q));
    queue.weight = 1 + below(4);
    if (knobs.bounds && rng.Below(12) == 0) queue.weight = 0;
    if (knobs.bounds && rng.Below(4) == 0) queue.guaranteed = Resources{{"cpu", below(4)}};
    if (knobs.bounds && rng.Below(6) == 0) queue.limit = Resources{{"cpu", 2 + below(8)}};
    world.queues.push_back(queue);
  }
  const int64_t jobs = 2 + below(8);
  for (int64_t j = 0; j < jobs; ++j) {
    JobSpec job{.name = absl::StrCat("j", j), .queue = absl::StrCat("q", below(queues))};
    job.created = below(5);
    if (knobs.priorities) job.priority = static_cast<int32_t>(below(3));
    const int64_t tasks = 1 + below(6);
    if (knobs.gangs && rng.Below(3) == 0) job.min_available = 1 + below(tasks);
    world.jobs.push_back(job);
    const Row wants = knobs.alike ? Row{1, below(2), 0} : Row{1 + below(4), below(4), below(8) / 7};
    const bool ran = knobs.full && rng.Below(3) != 0;
    for (int64_t t = 0; t < tasks; ++t) {
      TaskSpec& task = world.tasks.emplace_back();
      task.name = absl::StrCat("t", j, "-", t);
      task.job = job.name;
      task.created = below(5);
      task.shape.request = {{"cpu", wants[0]}, {"memory", wants[1]}, {"gpu", wants[2]}};
      for (int64_t n = 0; n < nodes && ran; ++n) {
        if (wants[0] > idle[n][0] || wants[1] > idle[n][1] || wants[2] > idle[n][2]) continue;
        for (DimensionIndex d = 0; d < 3; ++d) idle[n][d] -= wants[d];
        task.status = TaskStatus::kRunning;
        task.node = absl::StrCat("n", n);
        break;
      }
    }
  }
  return world;
}

Books::Books(const Tables& tables) : tables_(tables), dims_(tables.dimension_count()) {
  const size_t queues = tables.queues.alive.size();
  own_.assign(queues, Row(dims_, 0));
  tree_ = pending_ = own_;
  for (TaskIndex t = 0; t < tables.tasks.alive.size(); ++t) {
    if (!tables.tasks.alive[t] || tables.tasks.job[t] == kNone) continue;
    if (IsAllocated(tables.tasks.status[t])) Charge(t, 1);
    if (tables.tasks.status[t] == TaskStatus::kPending) Add(pending_[QueueOf(t)], t, 1);
  }
}

void Books::Charge(TaskIndex t, int64_t sign) {
  Add(own_[QueueOf(t)], t, sign);
  for (QueueIndex q = QueueOf(t); q != kNone; q = ParentOf(q)) Add(tree_[q], t, sign);
}

int64_t Books::Demand(QueueIndex q, DimensionIndex d) const {
  int64_t sum = OwnDemand(q, d);
  for (QueueIndex child : tables_.queues.children[q]) sum += Demand(child, d);
  const int64_t limit = tables_.queues.limit.at(q, d);
  return limit == kAbsent ? sum : std::min(sum, limit);
}

int64_t Books::Floor(QueueIndex q, DimensionIndex d) const {
  int64_t sum = 0;
  for (QueueIndex child : tables_.queues.children[q]) sum += Floor(child, d);
  return std::min(std::max(sum, OrZero(tables_.queues.guaranteed.at(q, d))), Demand(q, d));
}

int64_t Books::Total(DimensionIndex d) const {
  int64_t sum = 0;
  for (NodeIndex n = 0; n < tables_.nodes.alive.size(); ++n) {
    if (tables_.nodes.alive[n]) sum += OrZero(tables_.nodes.allocatable.at(n, d));
  }
  return sum;
}

void Books::Add(Row& row, TaskIndex t, int64_t sign) const {
  for (DimensionIndex d = 0; d < dims_; ++d) row[d] += sign * RequestOf(t)[d];
}

std::vector<Row> DeservedIn(const Snapshot& snapshot) {
  ScheduleOptions options;
  options.work_budget = 0;
  const absl::StatusOr<Plan> plan = Schedule(snapshot, "muster", options);
  EXPECT_TRUE(plan.ok()) << plan.status();
  std::vector<Row> deserved(snapshot.queue_count());
  for (const QueueShare& share : plan->shares()) {
    for (double amount : share.deserved) {
      deserved[share.queue].push_back(static_cast<int64_t>(amount));
    }
  }
  return deserved;
}

int64_t ToDivide(const Books& books, const std::vector<Row>& deserved, QueueIndex parent,
                 DimensionIndex d) {
  if (parent == kNone) return books.Total(d);
  return std::max<int64_t>(deserved[parent][d] - books.OwnDemand(parent, d), 0);
}

std::vector<QueueIndex> ChildrenOf(const Tables& tables, QueueIndex parent) {
  if (parent != kNone) return tables.queues.children[parent];
  std::vector<QueueIndex> roots;
  for (QueueIndex q = 0; q < tables.queues.alive.size(); ++q) {
    if (tables.queues.alive[q] && tables.queues.parent[q] == kNone) roots.push_back(q);
  }
  return roots;
}

}  // namespace muster::testing
