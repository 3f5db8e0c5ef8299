// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// How fast what-if answers. Rows:
//   what_if/cluster/<profile>/<queues>    a weight changes, on a living cluster: ten tasks a queue,
//                                         ten queues a parent
//   what_if/snapshot/<profile>/<queues>   the same of a snapshot, which is added up first
// Counters. ratio: the time to change the weight of a copy for real, and to open a cycle on it,
// over ours.
#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "bench/thread_clock.h"
#include "muster/what_if.h"

namespace muster::bench {
namespace {

ClusterSpec Grown(int64_t queues) {
  ClusterSpec world;
  for (int64_t n = 0; n < queues / 10; ++n) {
    world.nodes.push_back({.name = absl::StrCat("n", n),
                           .capacity = {{"cpu", 64}, {"memory", "256Gi"}, {"nvidia.com/gpu", 8}}});
  }
  world.queues.push_back({.name = "default"});
  for (int64_t q = 0; q < queues; ++q) {
    QueueSpec queue{.name = absl::StrCat("q", q), .weight = 1 + q % 5};
    if (q >= queues / 10) queue.parent = absl::StrCat("q", q % (queues / 10));
    world.queues.push_back(queue);
    if (queue.parent.empty()) continue;
    const std::string job = absl::StrCat("j", q);
    world.jobs.push_back({.name = job, .queue = queue.name});
    for (int64_t t = 0; t < 10; ++t) {
      TaskSpec task{.name = absl::StrCat(job, "-", t), .job = job};
      task.shape.request = {{"cpu", 1 + q % 3}, {"memory", "4Gi"}};
      if (t < 2) {
        task.status = TaskStatus::kRunning;
        task.node = absl::StrCat("n", (10 * q + t) % (queues / 10));
      }
      world.tasks.push_back(task);
    }
  }
  return world;
}

void Ask(benchmark::State& state, const char* profile, bool living) {
  const int64_t queues = state.range(0);
  const std::string last = absl::StrCat("q", queues - 1);
  const ClusterSpec world = Grown(queues);
  Cluster cluster;
  if (!cluster.Reconcile(world).ok()) return state.SkipWithError("refused");
  const Snapshot snapshot = cluster.Freeze();
  const std::vector<WhatIfChange> changes = {{.queue = QueueEdit{.name = last, .weight = 9}}};
  const double before = Seconds();
  for (auto _ : state) {
    const auto outlook =
        living ? WhatIf(cluster, profile, changes) : WhatIf(snapshot, profile, changes);
    if (!outlook.ok()) return state.SkipWithError("refused");
    benchmark::DoNotOptimize(outlook->queues.data());
  }
  const double ours = (Seconds() - before) / static_cast<double>(state.iterations());
  const double start = Seconds();
  Cluster copy;
  QueueSpec changed = world.queues.back();
  changed.weight = 9;
  ScheduleOptions options;
  options.work_budget = 0;
  if (!copy.Reconcile(world).ok() || !copy.UpdateQueue(changed).ok() ||
      !copy.Schedule(profile, options).ok()) {
    return state.SkipWithError("refused");
  }
  state.counters["ratio"] = (Seconds() - start) / ours;
}

BENCHMARK_CAPTURE(Ask, muster, "muster", true)
    ->Name("what_if/cluster/muster")
    ->Arg(100)
    ->Arg(10'000);
BENCHMARK_CAPTURE(Ask, volcano, "volcano", true)
    ->Name("what_if/cluster/volcano")
    ->Arg(100)
    ->Arg(10'000);
BENCHMARK_CAPTURE(Ask, frozen, "muster", false)
    ->Name("what_if/snapshot/muster")
    ->Arg(100)
    ->Arg(10'000);

}  // namespace
}  // namespace muster::bench
