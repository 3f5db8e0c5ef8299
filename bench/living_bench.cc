// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Cycles of a busy cluster that is kept: 2,000 nodes, 20,000 running pods in jobs of 20 that leave
// no room, four queues of weights 1 to 4, three priorities, and a backlog of 100 gangs of ten. Each
// cycle 13 jobs end and 40 gangs arrive; evictions are carried out before the next. Rows:
//   living/<profile>         a cycle, following the changes included
//   living/level/<profile>   the same with one priority and queue: nothing can be evicted
// Counters. p99_ms over all iterations; waiting: tasks that the last plan left pending; placed,
// evicted: of one cycle.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "bench/thread_clock.h"
#include "muster/muster.h"

namespace muster::bench {
namespace {

constexpr int kNodes = 2'000, kRunningJobs = 1'000, kBacklog = 100;
constexpr int kEndings = 13, kArrivals = 40;

void MustBe(const absl::Status& status) {
  if (status.ok()) return;
  std::fprintf(stderr, "%s\n", status.ToString().c_str());
  std::abort();
}

class LivingCluster {
 public:
  // `priorities`: of so many levels; `queues`: of weights 1, 2, ...
  LivingCluster(int priorities, int queues) : priorities_(priorities), queues_(queues) {
    const Resources has = {{"cpu", 64}, {"memory", "256Gi"}, {"pods", 110}};
    MustBe(cluster_.AddNodes(kNodes, {.name = "n", .capacity = has}));
    for (int q = 0; q < queues_; ++q) {
      MustBe(cluster_.AddQueue({.name = absl::StrCat("q", q), .weight = q + 1}));
    }
    for (int j = 0; j < kRunningJobs; ++j) AddRunning();
    for (int j = 0; j < kBacklog; ++j) AddGang();
  }

  Cluster& cluster() { return cluster_; }

  // The oldest jobs end, and gangs arrive.
  void Step() {
    for (int i = 0; i < kEndings; ++i) {
      MustBe(cluster_.RemoveJob(jobs_.front()));
      jobs_.pop_front();
    }
    for (int i = 0; i < kArrivals; ++i) AddGang();
  }

  // Tasks that are evicted end at once; those that got a place run.
  void Apply(const Plan& plan) {
    std::vector<std::string> gone;
    for (const Eviction& eviction : plan.evictions())
      gone.emplace_back(plan.task_name(eviction.task));
    MustBe(cluster_.Apply(plan).status());
    for (const std::string& task : gone) MustBe(cluster_.RemoveTask(task));
  }

 private:
  // The number of the next job, which sets its queue and priority.
  JobSpec NextJob(int64_t tasks) {
    const int64_t number = next_++;
    JobSpec job{.name = absl::StrCat("ns/j", number), .queue = absl::StrCat("q", number % queues_)};
    job.min_available = tasks;
    job.priority = static_cast<int32_t>(10 * (number % priorities_));
    job.created = number;
    job.uid_rank = number;
    job.phase = JobPhase::kAdmitted;
    jobs_.push_back(job.name);
    GroupSpec group{.name = "w", .count = tasks};
    group.priority = job.priority;
    group.shape.name_space = "ns";
    // Five sizes of a pod: ten of the largest fill a node.
    const int64_t size = 2 + number % 5;
    group.shape.request = {{"cpu", size}, {"memory", absl::StrCat(4 * size, "Gi")}};
    job.groups.push_back(std::move(group));
    return job;
  }

  void AddGang() { MustBe(cluster_.AddJob(NextJob(10))); }

  void AddRunning() {
    JobSpec job = NextJob(20);
    job.phase = JobPhase::kRunning;
    job.min_available = 1;
    job.groups[0].count = 0;
    MustBe(cluster_.AddJob(job));
    for (int i = 0; i < 20; ++i) {
      TaskSpec task{.name = absl::StrCat(job.name, "-w-", i), .job = job.name, .group = "w"};
      task.shape = job.groups[0].shape;
      task.shape.request = {{"cpu", "6300m"}, {"memory", "24Gi"}};
      task.priority = job.priority;
      task.status = TaskStatus::kRunning;
      task.node = absl::StrCat("n", running_ % kNodes);
      task.ordinal = i;
      task.uid_rank = running_++;
      MustBe(cluster_.AddTask(task));
    }
  }

  const int priorities_, queues_;
  Cluster cluster_;
  std::deque<std::string> jobs_;  // the oldest first
  int64_t next_ = 0, running_ = 0;
};

void LivingCycles(benchmark::State& state, const char* profile, int priorities, int queues) {
  LivingCluster living(priorities, queues);
  std::vector<double> milliseconds;
  size_t placed = 0, evicted = 0, waiting = 0;
  for (auto _ : state) {
    living.Step();
    const double start = Seconds();
    const absl::StatusOr<Plan> plan = living.cluster().Schedule(profile);
    const double elapsed = Seconds() - start;
    MustBe(plan.status());
    state.SetIterationTime(elapsed);
    milliseconds.push_back(1e3 * elapsed);
    placed += plan->binds().size();
    evicted += plan->evictions().size();
    waiting = plan->pending().size();
    living.Apply(*plan);
  }
  const double cycles = static_cast<double>(state.iterations());
  std::ranges::sort(milliseconds);
  state.counters["p99_ms"] = milliseconds[milliseconds.size() * 99 / 100];
  state.counters["placed"] = static_cast<double>(placed) / cycles;
  state.counters["evicted"] = static_cast<double>(evicted) / cycles;
  state.counters["waiting"] = static_cast<double>(waiting);
}

#define LIVING(id, profile)                                  \
  BENCHMARK_CAPTURE(LivingCycles, id, profile, 3, 4)         \
      ->Name("living/" profile)                              \
      ->UseManualTime()                                      \
      ->Unit(benchmark::kMillisecond)                        \
      ->Iterations(40);                                      \
  BENCHMARK_CAPTURE(LivingCycles, level_##id, profile, 1, 1) \
      ->Name("living/level/" profile)                        \
      ->UseManualTime()                                      \
      ->Unit(benchmark::kMillisecond)                        \
      ->Iterations(40)
LIVING(plain, "volcano");
LIVING(evicting, "volcano:+preempt,+reclaim");
LIVING(own, "muster");
#undef LIVING

}  // namespace
}  // namespace muster::bench
