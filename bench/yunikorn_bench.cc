// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Profile yunikorn on the clusters that YuniKorn's core was timed on. Rows:
//   peer/yunikorn/<sort>/<pods>/<queues>   5,000 nodes, 100 applications, pods of 5 shapes in turn,
//                                          all fit; <sort> is the order of nodes
//   peer/yunikorn/backlog                  1,000 pods of twenty times those shapes: 600 fit a node,
//                                          400 fit none
//   peer/yunikorn/idle/frozen              the 400 that are left on the nodes as they then are
//   peer/yunikorn/idle/living              the same on a living cluster in which nothing changed
//   peer/yunikorn/idle/time                only the time moved on, by a second, and the plan before
//                                          was carried out: the memory is its own
//   peer/yunikorn/idle/row                 and a pod ended that ran, or came back to its place
// Node i is "node-%05d" with 32 cores, 128 GiB and 110 pods. Queues guarantee half of the cluster
// in even parts. Pod k belongs to application k % 100, which is in queue k % 100 % queues.
//
// Counters. placed: binds. ratio: the recorded CPU time of the peer's loop over that of a whole
// plan, in which the partition is also built from the tables. The rows of 50,000 pods and 100
// queues, which the peer did not finish, and of binpacking over 100 queues have no ratio.
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

constexpr int64_t kNodes = 5'000, kApplications = 100, kNow = 1'000'000;

class YuniKornCluster {
 public:
  YuniKornCluster(int64_t queues, int64_t pods, int64_t scale) {
    for (int64_t n = 0; n < kNodes; ++n) {
      Must(cluster_.AddNode({.name = absl::StrFormat("node-%05d", n),
                             .capacity = {{"cpu", 32}, {"memory", "128Gi"}, {"pods", 110}}}));
    }
    for (int64_t q = 0; q < queues; ++q) {
      QueueSpec queue{.name = absl::StrCat("q", q)};
      queue.guaranteed = Resources{{"cpu", absl::StrCat(kNodes * 32'000 / (2 * queues), "m")},
                                   {"memory", kNodes * ((int64_t{128} << 30) / (2 * queues))}};
      Must(cluster_.AddQueue(queue));
    }
    for (int64_t a = 0; a < kApplications; ++a) {
      JobSpec job{.name = absl::StrFormat("app-%04d", a), .queue = absl::StrCat("q", a % queues)};
      job.owner = JobOwner{.user = "u", .groups = {"g"}};
      Must(cluster_.AddJob(job));
    }
    constexpr int64_t kMilli[] = {500, 1'000, 1'000, 2'000, 4'000}, kGibi[] = {1, 2, 4, 4, 8};
    for (int64_t k = 0; k < pods; ++k) {
      const int64_t shape = k / kApplications % 5;
      TaskSpec task{.name = absl::StrFormat("pod-%06d", k),
                    .job = absl::StrFormat("app-%04d", k % kApplications)};
      task.shape.request = {{"cpu", absl::StrCat(kMilli[shape] * scale, "m")},
                            {"memory", absl::StrCat(kGibi[shape] * scale, "Gi")}};
      task.created = k;
      Must(cluster_.AddTask(task));
    }
  }

  Cluster& cluster() { return cluster_; }

 private:
  static void Must(const absl::Status& status) {
    if (status.ok()) return;
    std::cerr << "yunikorn_bench: " << status << "\n";
    std::abort();
  }

  Cluster cluster_;
};

Plan PlanOf(const absl::StatusOr<Plan>& plan) {
  if (plan.ok()) return *plan;
  std::cerr << "yunikorn_bench: " << plan.status() << "\n";
  std::abort();
}

template <class Make>
void MeasureYuniKorn(benchmark::State& state, double peer_seconds, Make make) {
  double seconds = 0;
  for (auto _ : state) {
    const double start = Seconds();
    const Plan plan = make();
    seconds += Seconds() - start;
    state.counters["placed"] = static_cast<double>(plan.binds().size());
  }
  if (peer_seconds <= 0) return;
  state.counters["ratio"] = peer_seconds * static_cast<double>(state.iterations()) / seconds;
}

void FillYuniKorn(benchmark::State& state, const std::string& sort, int64_t pods, int64_t queues,
                  double peer_seconds) {
  YuniKornCluster made(queues, pods, 1);
  const Snapshot snapshot = made.cluster().Freeze();
  const std::string profile = absl::StrCat("yunikorn:schedule(node_sort=", sort, ")");
  MeasureYuniKorn(state, peer_seconds,
                  [&] { return PlanOf(Schedule(snapshot, profile, {.now = kNow})); });
}

void BacklogYuniKorn(benchmark::State& state) {
  YuniKornCluster made(10, 1'000, 20);
  const Snapshot snapshot = made.cluster().Freeze();
  MeasureYuniKorn(state, 26.5,
                  [&] { return PlanOf(Schedule(snapshot, "yunikorn", {.now = kNow})); });
}

enum class Idle { kFrozen, kLiving, kTime, kRow };

void IdleYuniKorn(benchmark::State& state, Idle kind) {
  YuniKornCluster made(10, 1'000, 20);
  ScheduleOptions options{.now = kNow};
  Cluster& cluster = made.cluster();
  if (!cluster.Apply(PlanOf(cluster.Schedule("yunikorn", options))).ok()) std::abort();
  (void)PlanOf(cluster.Schedule("yunikorn", options));
  const Snapshot snapshot = cluster.Freeze();
  bool ended = false;
  double seconds = 0;
  for (auto _ : state) {
    if (kind == Idle::kTime || kind == Idle::kRow) ++options.now;
    if (kind == Idle::kRow) {
      state.PauseTiming();
      ended = !ended;
      const TaskStatus status = ended ? TaskStatus::kSucceeded : TaskStatus::kRunning;
      if (!cluster.SetTaskStatus("pod-000000", status, "node-00000").ok()) std::abort();
      state.ResumeTiming();
    }
    const double start = Seconds();
    const Plan plan = PlanOf(kind == Idle::kFrozen ? Schedule(snapshot, "yunikorn", options)
                                                   : cluster.Schedule("yunikorn", options));
    seconds += Seconds() - start;
    state.counters["placed"] = static_cast<double>(plan.binds().size());
    if (kind == Idle::kFrozen || kind == Idle::kLiving) continue;
    state.PauseTiming();
    if (!cluster.Apply(plan).ok()) std::abort();
    state.ResumeTiming();
  }
  state.counters["ratio"] = 0.65 * static_cast<double>(state.iterations()) / seconds;
}

BENCHMARK_CAPTURE(FillYuniKorn, a, "fair", 10'000, 10, 1.736)->Name("peer/yunikorn/fair/10000/10");
BENCHMARK_CAPTURE(FillYuniKorn, b, "binpacking", 10'000, 10, 6.149)
    ->Name("peer/yunikorn/binpacking/10000/10");
BENCHMARK_CAPTURE(FillYuniKorn, c, "fair", 10'000, 100, 16.835)
    ->Name("peer/yunikorn/fair/10000/100");
BENCHMARK_CAPTURE(FillYuniKorn, g, "binpacking", 10'000, 100, 0)
    ->Name("peer/yunikorn/binpacking/10000/100");
BENCHMARK_CAPTURE(FillYuniKorn, d, "fair", 50'000, 10, 11.817)->Name("peer/yunikorn/fair/50000/10");
BENCHMARK_CAPTURE(FillYuniKorn, e, "binpacking", 50'000, 10, 137.7)
    ->Name("peer/yunikorn/binpacking/50000/10");
BENCHMARK_CAPTURE(FillYuniKorn, f, "fair", 50'000, 100, 0)->Name("peer/yunikorn/fair/50000/100");
BENCHMARK(BacklogYuniKorn)->Name("peer/yunikorn/backlog");
BENCHMARK_CAPTURE(IdleYuniKorn, frozen, Idle::kFrozen)->Name("peer/yunikorn/idle/frozen");
BENCHMARK_CAPTURE(IdleYuniKorn, living, Idle::kLiving)->Name("peer/yunikorn/idle/living");
BENCHMARK_CAPTURE(IdleYuniKorn, time, Idle::kTime)->Name("peer/yunikorn/idle/time");
BENCHMARK_CAPTURE(IdleYuniKorn, row, Idle::kRow)->Name("peer/yunikorn/idle/row");

}  // namespace
}  // namespace muster::bench
