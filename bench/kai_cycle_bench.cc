// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Actions of profile kai on the clusters that KAI Scheduler was timed on. Rows:
//   peer/kai/gangs/<nodes>          empty nodes, gangs of 8 one-GPU tasks; allocate
//   peer/kai/reclaim/1000           full nodes of 50 queues, 100 gangs of 8 in the 50 others; reclaim
//   peer/kai/preempt/1000           full nodes of 100 queues, 50 gangs of 16 above them; preempt
//   peer/kai/consolidation/<nodes>  6 tasks a node, 40 tasks that need a whole node; consolidation
//                                   with any number of victims
// Nodes have 8 GPUs; queue i of 100 is below department i % 10, and has an even part of the GPUs as
// quota and weight 1; a task needs 1 cpu and 1 GB beside its GPU.
//
// Counters. placed, evicted, moved: decisions. ratio: the recorded CPU time of the peer's action
// over that of a whole plan, opening and closing included.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>

#include "absl/strings/str_cat.h"
#include "bench/thread_clock.h"
#include "bench/workloads.h"

namespace muster::bench {
namespace {

constexpr int64_t kQueues = 100, kDepartments = 10, kGpus = 8;

class KaiCluster {
 public:
  explicit KaiCluster(int64_t nodes) {
    for (int64_t n = 0; n < nodes; ++n) {
      Must(cluster_.AddNode({.name = Node(n),
                             .capacity = {{"cpu", 20'000},
                                          {"memory", 20'000'000'000},
                                          {"nvidia.com/gpu", kGpus},
                                          {"pods", 1'000}}}));
    }
    const int64_t quota = kGpus * nodes / kQueues;
    for (int64_t d = 0; d < kDepartments; ++d) {
      AddQueue(absl::StrCat("dept-", d), "", quota * kQueues / kDepartments,
               kQueues / kDepartments);
    }
    for (int64_t q = 0; q < kQueues; ++q) {
      AddQueue(Queue(q), absl::StrCat("dept-", q % kDepartments), quota, 1);
    }
  }

  // Adds a gang of tasks that need `gpus` each; on `node`, it runs there.
  void AddGang(int64_t queue, int32_t priority, int64_t tasks, int64_t gpus, int64_t node = -1) {
    const std::string job = absl::StrCat("job-", jobs_);
    Must(cluster_.AddJob({.name = job,
                          .queue = Queue(queue),
                          .priority = priority,
                          .min_available = tasks,
                          .created = jobs_++}));
    for (int64_t t = 0; t < tasks; ++t) {
      TaskSpec task{.name = absl::StrCat(job, "-", t), .job = job};
      task.shape.request = {{"cpu", 1}, {"memory", 1'000'000'000}, {"nvidia.com/gpu", gpus}};
      if (node >= 0) {
        task.status = TaskStatus::kRunning;
        task.node = Node(node);
      }
      Must(cluster_.AddTask(task));
    }
  }

  Snapshot Freeze() { return cluster_.Freeze(); }

 private:
  static std::string Node(int64_t n) { return absl::StrCat("node-", 100'000 + n); }
  static std::string Queue(int64_t q) { return absl::StrCat("q-", 100 + q); }
  static void Must(const absl::Status& status) {
    if (status.ok()) return;
    std::cerr << "kai_cycle_bench: " << status << "\n";
    std::abort();
  }
  void AddQueue(const std::string& name, const std::string& parent, int64_t quota, int64_t weight) {
    Must(cluster_.AddQueue({.name = name,
                            .parent = parent,
                            .weight = weight,
                            .deserved = Resources{{"nvidia.com/gpu", quota}}}));
  }

  Cluster cluster_;
  int64_t jobs_ = 0;
};

void Measure(benchmark::State& state, const Snapshot& snapshot, const std::string& profile,
             double peer_seconds) {
  double seconds = 0;
  for (auto _ : state) {
    const double start = Seconds();
    const Plan plan = MustSchedule(snapshot, profile);
    seconds += Seconds() - start;
    state.counters["placed"] = static_cast<double>(plan.binds().size() + plan.nominations().size());
    state.counters["evicted"] = static_cast<double>(plan.evictions().size());
  }
  if (peer_seconds > 0) {
    state.counters["ratio"] = peer_seconds * static_cast<double>(state.iterations()) / seconds;
  }
}

void Gangs(benchmark::State& state) {
  const int64_t nodes = state.range(0), gangs = state.range(1);
  KaiCluster cluster(nodes);
  for (int64_t j = 0; j < gangs; ++j) cluster.AddGang(j % kQueues, 50, 8, 1);
  Measure(state, cluster.Freeze(), "kai:actions=allocate",
          nodes == 500     ? 3.15
          : nodes == 1'000 ? 13.6
                           : 88.6);
}

void Reclaim(benchmark::State& state) {
  KaiCluster cluster(1'000);
  for (int64_t j = 0; j < 1'000; ++j) cluster.AddGang(j % 50, 50, 8, 1, j);
  for (int64_t k = 0; k < 100; ++k) cluster.AddGang(50 + k % 50, 50, 8, 1);
  Measure(state, cluster.Freeze(), "kai:actions=reclaim", 2.40);
}

void Preempt(benchmark::State& state) {
  KaiCluster cluster(1'000);
  for (int64_t j = 0; j < 1'000; ++j) cluster.AddGang(j % kQueues, 50, 8, 1, j);
  for (int64_t k = 0; k < 50; ++k) cluster.AddGang(k, 75, 16, 1);
  Measure(state, cluster.Freeze(), "kai:actions=preempt", 1.23);
}

void Consolidation(benchmark::State& state) {
  const int64_t nodes = state.range(0);
  KaiCluster cluster(nodes);
  for (int64_t k = 0; k < 6 * nodes; ++k) cluster.AddGang(k % kQueues, 50, 1, 1, k / 6);
  for (int64_t k = 0; k < 40; ++k) cluster.AddGang(k, 50, 1, kGpus);
  Measure(state, cluster.Freeze(), "kai:actions=consolidation,kai-rules(consolidation_victims=-1)",
          nodes == 500 ? 22.4 : 5.0);
}

BENCHMARK(Gangs)
    ->Name("peer/kai/gangs")
    ->Args({500, 500})
    ->Args({1'000, 1'000})
    ->Args({5'000, 1'000})
    ->Unit(benchmark::kMillisecond);
BENCHMARK(Reclaim)->Name("peer/kai/reclaim/1000")->Unit(benchmark::kMillisecond);
BENCHMARK(Preempt)->Name("peer/kai/preempt/1000")->Unit(benchmark::kMillisecond);
BENCHMARK(Consolidation)
    ->Name("peer/kai/consolidation")
    ->Arg(100)
    ->Arg(500)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace muster::bench
