// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Profile kube-scheduler on the clusters that kube-scheduler 1.37.2 was timed on. Rows:
//   peer/kube-scheduler/basic/<nodes>/<pods>/<percentage>   pods of 16 shapes, 20 of one in a row
//   peer/kube-scheduler/distinct/<nodes>/<pods>/100         no two pods request the same
//   peer/kube-scheduler/spread/1000/500   10 zones, skew 1 over zones required, over nodes preferred
//   peer/kube-scheduler/anti/1000/500     10 labels, no two pods of a label on one node
//   peer/kube-scheduler/preempt/1000/200  16 pods fill each node, 200 pods above them
//   peer/kube-scheduler/arrival/<nodes>/<pods>   a pod comes to a living cluster with so many
// Nodes have 64 cpu, 256Gi and room for 256 pods; a pod requests {0.5, 1, 2, 4} cpu and
// {1, 2, 4, 8}Gi by SplitMix64(1 + pod / 20). Percentage 0 samples nodes as the peer does by
// default, 100 filters and scores all.
//
// Counters. decided: binds, or evictions. per_pod: seconds of a whole plan, opening and closing
// included, for each pod. ratio: the recorded CPU time of the peer for all pods over that of the
// plan.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "bench/thread_clock.h"
#include "bench/workloads.h"

namespace muster::bench {
namespace {

constexpr char kHostname[] = "kubernetes.io/hostname";
constexpr char kZone[] = "topology.kubernetes.io/zone";

uint64_t SplitMix64(uint64_t x) {
  x += 0x9E3779B97F4A7C15;
  x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9;
  x = (x ^ x >> 27) * 0x94D049BB133111EB;
  return x ^ x >> 31;
}

class PodCluster {
 public:
  PodCluster(int64_t nodes, bool zones) {
    for (int64_t n = 0; n < nodes; ++n) {
      NodeSpec node{.name = Node(n),
                    .capacity = {{"cpu", 64}, {"memory", "256Gi"}, {"pods", 256}},
                    .labels = {{kHostname, Node(n)}}};
      if (zones) node.labels.emplace_back(kZone, absl::StrCat("z", n % 10));
      Must(cluster_.AddNode(node));
    }
  }

  static std::string Node(int64_t n) { return absl::StrFormat("node-%05d", n); }
  // The pod with the requests of the workload; others fill in what it lacks.
  static TaskSpec Pod(int64_t i) {
    const uint64_t h = SplitMix64(1 + static_cast<uint64_t>(i) / 20);
    constexpr const char* kCpus[] = {"500m", "1", "2", "4"};
    constexpr const char* kMemories[] = {"1Gi", "2Gi", "4Gi", "8Gi"};
    TaskSpec pod{.name = absl::StrFormat("pod-%06d", i)};
    pod.shape.request = {{"cpu", kCpus[h % 4]}, {"memory", kMemories[(h >> 8) % 4]}};
    pod.shape.labels = {{"app", "x"}};
    pod.created = i;
    return pod;
  }
  void Add(const TaskSpec& pod) { Must(cluster_.AddTask(pod)); }
  Snapshot Freeze() { return cluster_.Freeze(); }
  Plan Schedule(const std::string& profile, int64_t now) {
    ScheduleOptions options;
    options.now = now;
    absl::StatusOr<Plan> plan = cluster_.Schedule(profile, options);
    Must(plan.status());
    return *std::move(plan);
  }
  void Apply(const Plan& plan) { Must(cluster_.Apply(plan).status()); }

 private:
  static void Must(const absl::Status& status) {
    if (status.ok()) return;
    std::cerr << "kube_scheduler_bench: " << status << "\n";
    std::abort();
  }

  Cluster cluster_;
};

void Measure(benchmark::State& state, const Snapshot& snapshot, int64_t percentage, int64_t pods,
             double peer_seconds) {
  const std::string profile =
      absl::StrCat("kube-scheduler:schedule(percentage=", percentage, ",ticks=1000)");
  double seconds = 0;
  for (auto _ : state) {
    const double start = Seconds();
    const Plan plan = MustSchedule(snapshot, profile);
    seconds += Seconds() - start;
    state.counters["decided"] = static_cast<double>(
        plan.evictions().empty() ? plan.binds().size() : plan.evictions().size());
  }
  const double each = seconds / static_cast<double>(state.iterations());
  state.counters["per_pod"] = each / static_cast<double>(pods);
  if (peer_seconds > 0) state.counters["ratio"] = peer_seconds / each;
}

void Basic(benchmark::State& state) {
  const int64_t nodes = state.range(0), pods = state.range(1), percentage = state.range(2);
  PodCluster cluster(nodes, /*zones=*/false);
  for (int64_t i = 0; i < pods; ++i) cluster.Add(PodCluster::Pod(i));
  const double recorded = percentage == 0 ? (nodes == 5'000  ? 3.87
                                             : pods == 1'000 ? 3.39
                                                             : 39.4)
                                          : (nodes == 1'000 ? 7.50
                                             : pods == 200  ? 6.18
                                                            : 30.9);
  Measure(state, cluster.Freeze(), percentage, pods, recorded);
}

void Distinct(benchmark::State& state) {
  const int64_t nodes = state.range(0), pods = state.range(1);
  PodCluster cluster(nodes, /*zones=*/false);
  for (int64_t i = 0; i < pods; ++i) {
    TaskSpec pod = PodCluster::Pod(i);
    pod.shape.request[0] = {"cpu", absl::StrCat(500 + i, "m")};
    cluster.Add(pod);
  }
  Measure(state, cluster.Freeze(), 100, pods, 0);
}

void Spread(benchmark::State& state) {
  const int64_t nodes = state.range(0), pods = state.range(1);
  PodCluster cluster(nodes, /*zones=*/true);
  Selector app;
  app.match_labels = {{"app", "x"}};
  for (int64_t i = 0; i < pods; ++i) {
    TaskSpec pod = PodCluster::Pod(i);
    pod.shape.spread = {
        {.topology_key = kZone, .max_skew = 1, .required = true, .selector = app},
        {.topology_key = kHostname, .max_skew = 1, .required = false, .selector = app}};
    cluster.Add(pod);
  }
  Measure(state, cluster.Freeze(), 100, pods, 4.58);
}

void Anti(benchmark::State& state) {
  const int64_t nodes = state.range(0), pods = state.range(1);
  PodCluster cluster(nodes, /*zones=*/false);
  for (int64_t i = 0; i < pods; ++i) {
    TaskSpec pod = PodCluster::Pod(i);
    pod.shape.labels = {{"app", absl::StrCat("a", i % 10)}};
    AffinityTerm own;
    own.topology_key = kHostname;
    own.selector.emplace();
    own.selector->match_labels = pod.shape.labels;
    pod.shape.required_anti_affinity = {own};
    cluster.Add(pod);
  }
  Measure(state, cluster.Freeze(), 100, pods, 4.30);
}

void Preempt(benchmark::State& state) {
  const int64_t nodes = state.range(0), pods = state.range(1);
  PodCluster cluster(nodes, /*zones=*/false);
  const auto full = [](TaskSpec* pod, int32_t priority) {
    pod->shape.request = {{"cpu", 4}, {"memory", "16Gi"}};
    pod->priority = priority;
  };
  for (int64_t i = 0; i < 16 * nodes; ++i) {
    TaskSpec pod = PodCluster::Pod(1'000'000 + i);
    full(&pod, 10);
    pod.status = TaskStatus::kRunning;
    pod.node = PodCluster::Node(i / 16);
    pod.started = i;
    cluster.Add(pod);
  }
  for (int64_t i = 0; i < pods; ++i) {
    TaskSpec pod = PodCluster::Pod(i);
    full(&pod, 1'000);
    cluster.Add(pod);
  }
  Measure(state, cluster.Freeze(), 100, pods, 5.02);
}

void Arrival(benchmark::State& state) {
  const int64_t nodes = state.range(0), pods = state.range(1);
  constexpr char kProfile[] = "kube-scheduler:schedule(percentage=100,ticks=1000)";
  PodCluster cluster(nodes, /*zones=*/false);
  int64_t next = 0;
  while (next < pods) cluster.Add(PodCluster::Pod(next++));
  cluster.Apply(cluster.Schedule(kProfile, /*now=*/0));
  for (auto _ : state) {
    state.PauseTiming();
    cluster.Add(PodCluster::Pod(next++));
    state.ResumeTiming();
    const Plan plan = cluster.Schedule(kProfile, /*now=*/next);
    state.PauseTiming();
    if (plan.binds().size() != 1) state.SkipWithError("the pod found no node");
    cluster.Apply(plan);
    state.ResumeTiming();
  }
}

BENCHMARK(Basic)
    ->Name("peer/kube-scheduler/basic")
    ->Args({1'000, 1'000, 100})
    ->Args({1'000, 1'000, 0})
    ->Args({5'000, 200, 100})
    ->Args({5'000, 1'000, 100})
    ->Args({5'000, 1'000, 0})
    ->Args({1'000, 10'000, 0})
    ->Unit(benchmark::kMillisecond);
BENCHMARK(Distinct)
    ->Name("peer/kube-scheduler/distinct")
    ->Args({5'000, 1'000, 100})
    ->Unit(benchmark::kMillisecond);
BENCHMARK(Spread)
    ->Name("peer/kube-scheduler/spread")
    ->Args({1'000, 500})
    ->Unit(benchmark::kMillisecond);
BENCHMARK(Anti)
    ->Name("peer/kube-scheduler/anti")
    ->Args({1'000, 500})
    ->Unit(benchmark::kMillisecond);
BENCHMARK(Arrival)
    ->Name("peer/kube-scheduler/arrival")
    ->Args({5'000, 20'000})
    ->Unit(benchmark::kMillisecond);
BENCHMARK(Preempt)
    ->Name("peer/kube-scheduler/preempt")
    ->Args({1'000, 200})
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace muster::bench
