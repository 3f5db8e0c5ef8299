// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Rounds of Koordinator's descheduler and of its co-location, as plans over a frozen cluster. Rows:
//   peer/koordinator/rebalance/<nodes>/<tasks of a node>   a tenth of the nodes is too busy
//   peer/koordinator/colocate/<nodes>/<tasks of a node>    half of the tasks is best-effort
//
// Counters. moves, evictions, offers: of the plan.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "muster/muster.h"

namespace muster::bench {
namespace {

Snapshot MeasuredNodes(benchmark::State& state) {
  Cluster cluster;
  const auto add = [&](const absl::Status& status) {
    if (!status.ok()) state.SkipWithError(std::string(status.message()).c_str());
  };
  for (int64_t j = 0; j < 100; ++j) add(cluster.AddJob({.name = absl::StrCat("j", j)}));
  for (int64_t n = 0; n < state.range(0); ++n) {
    const bool is_hot = n % 10 == 0;
    NodeSpec node{.name = absl::StrCat("n", n),
                  .capacity = {{"cpu", 64},
                               {"memory", "256Gi"},
                               {"pods", 110},
                               {"kubernetes.io/batch-cpu", 16'000},
                               {"kubernetes.io/batch-memory", "64Gi"}}};
    node.usage = NodeUsage{.cpu = is_hot ? 80 : 10 + n % 20, .memory = is_hot ? 75 : 20};
    add(cluster.AddNode(node));
    for (int64_t t = 0; t < state.range(1); ++t) {
      TaskSpec task{.name = absl::StrCat("t", n, "-", t), .job = absl::StrCat("j", (n + t) % 100)};
      task.shape.request = {{"cpu", 1}, {"memory", "1Gi"}};
      if (t % 2 == 0) {
        task.shape.request = {{"kubernetes.io/batch-cpu", 1000}};
        task.shape.labels = {{"koordinator.sh/qosClass", "BE"}};
      }
      task.status = TaskStatus::kRunning;
      task.node = node.name;
      task.usage =
          TaskUsage{.amounts = {{"cpu", absl::StrCat(150 + 10 * (t % 7), "m")}, {"memory", "1Gi"}}};
      add(cluster.AddTask(task));
    }
  }
  return cluster.Freeze();
}

void RunPlans(benchmark::State& state, const char* profile) {
  const Snapshot snapshot = MeasuredNodes(state);
  absl::StatusOr<Plan> plan;
  for (auto _ : state) {
    plan = Schedule(snapshot, profile);
    if (!plan.ok()) return state.SkipWithError(std::string(plan.status().message()).c_str());
  }
  state.counters["moves"] = static_cast<double>(plan->moves().size());
  state.counters["evictions"] = static_cast<double>(plan->evictions().size());
  state.counters["offers"] = static_cast<double>(plan->offers().size());
}

BENCHMARK_CAPTURE(RunPlans, rebalance, "koordinator:actions=rebalance,rebalance(abnormal=1,pace=0)")
    ->Name("peer/koordinator/rebalance")
    ->Args({1'000, 30})
    ->Args({5'000, 30})
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(RunPlans, colocate,
                  "koordinator:actions=colocate,colocate(satisfaction_low=60,busy=10)")
    ->Name("peer/koordinator/colocate")
    ->Args({1'000, 30})
    ->Args({5'000, 30})
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace muster::bench
