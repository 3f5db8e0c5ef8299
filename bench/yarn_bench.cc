// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// YARN's capacity scheduler and its preemption monitor, on the clusters that the peer was timed on.
// Rows:
//   peer/yarn/capacity/<parents>/<leaves of each>/<applications of a leaf>/<off-switch>/<dominant>
//     1,000 nodes, 10,000 containers by heartbeats in the order of nodes; 0 parents: leaves of root
//   peer/yarn/preempt                      one round over 5,000 containers of 5 queues
//
// Counters. chosen: containers placed or marked. ratio: the peer's recorded CPU time over ours.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "bench/thread_clock.h"
#include "lib/peer/yarn/yarn.h"

namespace muster::bench {
namespace {

void AddQueue(const std::string& path, float capacity, yarn::CapacitySettings* settings) {
  settings->queues.push_back(
      {.path = path,
       .user_limit_factor = 100,
       .partitions = {{.is_accessible = true, .capacity = capacity, .master_percent = 1}}});
}

// Returns the paths of the leaves.
std::vector<std::string> AddQueues(int64_t parents, int64_t leaves,
                                   yarn::CapacitySettings* settings) {
  AddQueue("root", 1, settings);
  std::vector<std::string> tops{"root"}, paths;
  if (parents > 0) {
    tops.clear();
    for (int64_t i = 0; i < parents; ++i) {
      tops.push_back(absl::StrCat("root.p", i));
      AddQueue(tops.back(), 1.0F / static_cast<float>(parents), settings);
    }
  }
  for (const std::string& top : tops) {
    for (int64_t i = 0; i < leaves; ++i) {
      paths.push_back(absl::StrCat(top, ".q", i));
      AddQueue(paths.back(), 1.0F / static_cast<float>(leaves), settings);
    }
  }
  return paths;
}

void AddNodes(const yarn::Resource& size, yarn::CapacityScheduler* scheduler) {
  for (int64_t i = 0; i < 1000; ++i) {
    scheduler->AddNode(
        {.name = absl::StrFormat("n%04d", i), .rack = absl::StrCat("/r", i / 50), .total = size});
  }
}

void Submit(uint32_t id, const std::string& queue, int64_t count,
            yarn::CapacityScheduler* scheduler) {
  const auto app = scheduler->Submit({.id = id, .queue = queue, .user = absl::StrCat("u", id % 7)});
  scheduler->Ask(*app, 1, {{yarn::kAnyPlace, {.size = {2048, 1}, .count = count}}});
}

double Place(int64_t most, yarn::CapacityScheduler* scheduler) {
  int64_t placed = 0;
  for (yarn::NodeIndex node = 0; placed < most; node = (node + 1) % 1000) {
    placed += static_cast<int64_t>(scheduler->Heartbeat(node).size());
  }
  return static_cast<double>(placed);
}

void Report(benchmark::State& state, double chosen, double seconds, double recorded) {
  state.counters["chosen"] = chosen;
  state.counters["ratio"] = recorded * static_cast<double>(state.iterations()) / seconds;
}

void CapacityHeartbeats(benchmark::State& state, double recorded) {
  double seconds = 0, placed = 0;
  for (auto _ : state) {
    yarn::CapacitySettings settings{.max_off_switch = state.range(3)};
    if (state.range(4) != 0) settings.calculator = yarn::Calculator::kDominant;
    const std::vector<std::string> leaves = AddQueues(state.range(0), state.range(1), &settings);
    auto scheduler = yarn::CapacityScheduler::Make(std::move(settings));
    AddNodes({65536, 64}, &*scheduler);
    uint32_t id = 0;
    for (int64_t a = 0; a < state.range(2); ++a) {
      for (const std::string& leaf : leaves) Submit(++id, leaf, 100, &*scheduler);
    }
    const double start = Seconds();
    placed = Place(10000, &*scheduler);
    seconds += Seconds() - start;
    state.SetIterationTime(Seconds() - start);
  }
  Report(state, placed, seconds, recorded);
}

void PreemptionRounds(benchmark::State& state, double recorded) {
  double seconds = 0, marked = 0;
  yarn::CapacitySettings settings;
  const std::vector<std::string> leaves = AddQueues(0, 10, &settings);
  auto scheduler = yarn::CapacityScheduler::Make(std::move(settings));
  AddNodes({10240, 64}, &*scheduler);
  for (uint32_t k = 0; k < 50; ++k) Submit(k + 1, leaves[k % 5], 100, &*scheduler);
  Place(5000, &*scheduler);
  for (uint32_t k = 0; k < 20; ++k) Submit(k + 51, leaves[5 + k % 5], 250, &*scheduler);
  for (auto _ : state) {
    yarn::PreemptionMonitor monitor({.per_round = 1, .natural_termination = 1});
    const double start = Seconds();
    marked = static_cast<double>(monitor.Run(&*scheduler, 0).marked.size());
    const double spent = Seconds() - start;
    seconds += spent;
    state.SetIterationTime(spent);
  }
  Report(state, marked, seconds, recorded);
}

BENCHMARK_CAPTURE(CapacityHeartbeats, , 1.36)
    ->Name("peer/yarn/capacity")
    ->Args({0, 10, 10, 1, 0})
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(CapacityHeartbeats, , 0.54)
    ->Name("peer/yarn/capacity")
    ->Args({0, 10, 10, 10, 0})
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(CapacityHeartbeats, , 0.58)
    ->Name("peer/yarn/capacity")
    ->Args({0, 10, 10, 1, 1})
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(CapacityHeartbeats, , 0.68)
    ->Name("peer/yarn/capacity")
    ->Args({10, 10, 1, 1, 0})
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(PreemptionRounds, , 0.016)
    ->Name("peer/yarn/preempt")
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace muster::bench
