// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// YARN's fair scheduler fills 1,000 nodes with 10,000 containers, heartbeat by heartbeat, as the
// peer was timed. Rows:
//   peer/yarn/fair/<policy>/<containers of a heartbeat>
// Ten leaves below the root have ten applications each. Shares are updated before the first
// heartbeat and after every 1,000; that is not in the figures, as it is not in the peer's.
//
// Counters. placed: containers. ratio: the recorded CPU time of the peer's heartbeats over ours.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "bench/thread_clock.h"
#include "lib/peer/yarn/fair/fair.h"

namespace muster::bench {
namespace {

namespace fair = yarn::fair;

constexpr int kNodes = 1'000, kLeaves = 10, kAppsOfLeaf = 10, kContainersOfApp = 100;

fair::FairScheduler MakeScheduler(fair::Policy policy, int64_t containers) {
  const fair::Options options{
      .assign_multiple = containers > 1, .dynamic_max_assign = false, .max_assign = containers};
  std::vector<fair::QueueConfig> queues = {{.path = "root", .leaf = false, .policy = policy}};
  for (int i = 0; i < kLeaves; ++i) {
    queues.push_back({.path = absl::StrCat("root.q", i), .policy = policy, .max_am_share = -1});
  }
  fair::FairScheduler scheduler = *fair::FairScheduler::Make(options, queues, {}, 0);
  for (int i = 0; i < kNodes; ++i) {
    const auto node =
        scheduler.AddNode(absl::StrFormat("n%04d", i), absl::StrCat("/r", i / 50), {65'536, 64});
    benchmark::DoNotOptimize(node);
  }
  for (int id = 1; id <= kLeaves * kAppsOfLeaf; ++id) {
    const yarn::AppIndex app = *scheduler.AddApp({.id = id,
                                                  .queue = queues[1 + (id - 1) % kLeaves].path,
                                                  .user = absl::StrCat("u", id % 7),
                                                  .unmanaged = true});
    const fair::AskSpec ask{
        .priority = 1, .place = "*", .size = {2'048, 1}, .count = kContainersOfApp};
    benchmark::DoNotOptimize(scheduler.SetAsks(app, {ask}).ok());
  }
  return scheduler;
}

void Fill(benchmark::State& state, fair::Policy policy, int64_t containers, double recorded) {
  constexpr size_t kAll = size_t{kLeaves} * kAppsOfLeaf * kContainersOfApp;
  double seconds = 0;
  size_t placed = 0;
  for (auto _ : state) {
    state.PauseTiming();
    fair::FairScheduler scheduler = MakeScheduler(policy, containers);
    state.ResumeTiming();
    for (placed = 0; placed < kAll;) {
      scheduler.Update();
      const double start = Seconds();
      for (yarn::NodeIndex node = 0; node < kNodes && placed < kAll; ++node) {
        placed += scheduler.Heartbeat(node)->size();
      }
      seconds += Seconds() - start;
    }
  }
  state.counters["placed"] = static_cast<double>(placed);
  state.counters["heartbeats_ms"] = seconds / static_cast<double>(state.iterations()) * 1e3;
  state.counters["ratio"] = recorded * static_cast<double>(state.iterations()) / seconds;
}

BENCHMARK_CAPTURE(Fill, fair_one, fair::Policy::kFair, 1, 0.53)->Name("peer/yarn/fair/fair/1");
BENCHMARK_CAPTURE(Fill, fair_ten, fair::Policy::kFair, 10, 0.27)->Name("peer/yarn/fair/fair/10");
BENCHMARK_CAPTURE(Fill, drf_one, fair::Policy::kDrf, 1, 0.25)->Name("peer/yarn/fair/drf/1");

}  // namespace
}  // namespace muster::bench
