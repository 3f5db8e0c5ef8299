// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Kueue's cycles on the workloads with which the peer was measured. Counter `ratio` is the peer's
// recorded CPU time divided by ours; cycles, admissions and evictions are counted.
//
//   peer/kueue/drain/15000        all of it pending at the start; nothing is evicted
//   peer/kueue/drain/50000
//   peer/kueue/reclaim/classical  500 workloads reclaim from queues that borrow, 5,000 admitted
//   peer/kueue/reclaim/fair
//   peer/kueue/own/classical      500 workloads evict others of their own queue
//   peer/kueue/own/fair
//
// Timed are the cycles, and the events between them: ends, releases and returns.
#include <algorithm>
#include <cstdint>
#include <queue>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "bench/thread_clock.h"
#include "benchmark/benchmark.h"
#include "lib/peer/kueue/cycle.h"

namespace muster {
namespace {

using kueue::Scheduler;
using kueue::WorkloadIndex;
using kueue::World;

struct Tally {
  int64_t cycles = 0, admitted = 0, evicted = 0;
};

void Report(benchmark::State& state, const Tally& tally, double peer_seconds, double seconds) {
  state.SetIterationTime(seconds);
  state.counters["cycles"] = static_cast<double>(tally.cycles);
  state.counters["admitted"] = static_cast<double>(tally.admitted);
  state.counters["evicted"] = static_cast<double>(tally.evicted);
  state.counters["ratio"] = peer_seconds / seconds;
}

// A ClusterQueue with one flavor of cpu.
QueueSpec QueueOf(const std::string& name, const std::string& cohort, int64_t cpu,
                  std::optional<int64_t> borrow_limit) {
  QueueSpec queue{.name = name, .parent = cohort};
  FlavorQuota quota{.flavor = "rf", .nominal = {{"cpu", cpu}}};
  if (borrow_limit) quota.borrow_limit = {{"cpu", *borrow_limit}};
  QueueRules rules;
  rules.groups = {{.resources = {"cpu"}, .flavors = {quota}}};
  rules.preemption.within_queue = VictimScope::kLowerPriority;
  rules.preemption.reclaim = VictimScope::kAny;
  queue.rules = rules;
  return queue;
}

JobSpec JobOf(const std::string& name, const std::string& queue, int64_t cpu, int32_t priority,
              int64_t created) {
  JobSpec job{.name = name, .queue = queue, .priority = priority, .created = created};
  job.groups = {{.name = "main", .shape = {.request = {{"cpu", cpu}}}}};
  job.groups[0].by_count = ByCount{.count = 1};
  return job;
}

// Adds the jobs, with uids in the order of their names.
std::vector<WorkloadIndex> AddJobs(World* world, std::vector<JobSpec> jobs) {
  std::vector<const JobSpec*> by_name;
  for (const JobSpec& job : jobs) by_name.push_back(&job);
  std::sort(by_name.begin(), by_name.end(),
            [](const JobSpec* a, const JobSpec* b) { return a->name < b->name; });
  for (size_t i = 0; i < by_name.size(); ++i) {
    jobs[static_cast<size_t>(by_name[i] - jobs.data())].uid_rank = static_cast<int64_t>(i);
  }
  std::vector<WorkloadIndex> rows;
  for (const JobSpec& job : jobs) rows.push_back(world->SetWorkload(job, {}));
  return rows;
}

struct Kind {
  const char* name;
  int64_t count, cpu, priority, run, every;  // times in milliseconds
};

// 5 cohorts of 6 queues. Runs until nothing is left.
Tally Drain(World* world, Scheduler* scheduler, const std::vector<int64_t>& run) {
  using End = std::pair<int64_t, WorkloadIndex>;
  std::priority_queue<End, std::vector<End>, std::greater<>> ends;
  Tally tally;
  while (true) {
    const kueue::CycleResult result = scheduler->Run();
    ++tally.cycles;
    bool progress = false;
    for (const kueue::Entry& e : result.entries) {
      if (e.status != kueue::EntryStatus::kAssumed) continue;
      progress = true;
      ++tally.admitted;
      ends.emplace(world->now + run[e.workload], e.workload);
    }
    if (progress) continue;
    if (ends.empty()) return tally;
    world->now = ends.top().first;
    std::vector<kueue::Queue> touched;
    while (!ends.empty() && ends.top().first <= world->now) {
      const WorkloadIndex w = ends.top().second;
      ends.pop();
      const kueue::Queue root = world->tree.Root(world->workloads[w].queue);
      scheduler->Release(w);
      if (std::find(touched.begin(), touched.end(), root) == touched.end()) {
        touched.push_back(root);
      }
    }
    for (const kueue::Queue root : touched) scheduler->Return(world->tree.children(root)[0]);
  }
}

void DrainBurst(benchmark::State& state, std::vector<Kind> kinds, double peer_seconds) {
  for (auto _ : state) {
    World world;
    Scheduler scheduler(&world);
    world.SetFlavor({.name = "rf"});
    std::vector<JobSpec> jobs;
    std::vector<int64_t> run;
    for (int c = 0; c < 5; ++c) {
      const std::string cohort = absl::StrCat("cohort-", c);
      world.SetQueue({.name = cohort});
      for (int q = 0; q < 6; ++q) {
        const std::string name = absl::StrCat(cohort, "-", q);
        world.SetQueue(QueueOf(name, cohort, 20, 100));
        for (const Kind& kind : kinds) {
          for (int64_t i = 0; i < kind.count; ++i) {
            jobs.push_back(JobOf(absl::StrFormat("%s-%05d-%d-%d", kind.name, i, c, q), name,
                                 kind.cpu, static_cast<int32_t>(kind.priority),
                                 (i + 1) * kind.every / 1000 * 1000));
            run.push_back(kind.run);
          }
        }
      }
    }
    const std::vector<WorkloadIndex> rows = AddJobs(&world, std::move(jobs));
    world.Settle();
    for (const WorkloadIndex w : rows) scheduler.Push(w);
    const double before = bench::Seconds();
    const Tally tally = Drain(&world, &scheduler, run);
    Report(state, tally, peer_seconds, bench::Seconds() - before);
  }
}

struct Eviction {
  bool own = false, fair = false;
  double peer_seconds = 0;
};

// 50 queues of 100 cpu in one cohort with 5,000 workloads admitted; 500 urgent ones come.
void Evict(benchmark::State& state, const Eviction& kind) {
  for (auto _ : state) {
    World world;
    Scheduler scheduler(&world);
    world.config.fair_sharing = kind.fair;
    world.SetFlavor({.name = "rf"});
    world.SetQueue({.name = "all"});
    std::vector<JobSpec> jobs;
    for (int q = 0; q < 50; ++q) {
      const std::string name = absl::StrFormat("cq-%02d", q);
      world.SetQueue(QueueOf(name, "all", 100, std::nullopt));
      const int64_t admitted = kind.own ? 100 : q % 2 == 0 ? 150 : 50;
      for (int64_t i = 0; i < admitted; ++i) {
        const int64_t n = static_cast<int64_t>(jobs.size());
        JobSpec job =
            JobOf(absl::StrFormat("admitted-%05d", n), name, 1, static_cast<int32_t>(n % 10), n);
        job.admission =
            JobAdmission{.time = 10000 + n * 7919 % 5000, .groups = {{"main", 1, {{"cpu", "rf"}}}}};
        jobs.push_back(std::move(job));
      }
    }
    for (int64_t i = 0; i < 500; ++i) {
      const int64_t q = kind.own ? i % 50 : 2 * (i % 25) + 1;
      jobs.push_back(JobOf(absl::StrFormat("pending-%05d", i), absl::StrFormat("cq-%02d", q),
                           kind.own ? 4 : 2, 1000, 20000 + i));
    }
    const std::vector<WorkloadIndex> rows = AddJobs(&world, std::move(jobs));
    world.Settle();
    for (const WorkloadIndex w : rows) {
      if (!world.workloads[w].holds) scheduler.Push(w);
    }
    world.now = 30000;
    const double before = bench::Seconds();
    Tally tally;
    while (tally.admitted < 500) {
      const kueue::CycleResult result = scheduler.Run();
      ++tally.cycles;
      for (const kueue::Entry& e : result.entries) {
        tally.admitted += e.status == kueue::EntryStatus::kAssumed;
        if (e.requeue != kueue::RequeueReason::kPendingPreemption) continue;
        for (const kueue::Victim& v : e.victims) {
          if (!world.workloads[v.workload].holds) continue;
          scheduler.Release(v.workload);
          scheduler.Push(v.workload);
          ++tally.evicted;
        }
      }
      scheduler.Return(world.FindQueue("cq-00"));
      ++world.now;
    }
    Report(state, tally, kind.peer_seconds, bench::Seconds() - before);
  }
}

const std::vector<Kind> kSmallDrain = {{"small", 350, 1, 50, 200, 100},
                                       {"medium", 100, 5, 100, 500, 500},
                                       {"large", 50, 20, 200, 1000, 1200}};
const std::vector<Kind> kLargeDrain = {{"small", 1167, 1, 50, 200, 100},
                                       {"medium", 333, 5, 100, 500, 500},
                                       {"large", 167, 20, 200, 1000, 1200}};

BENCHMARK_CAPTURE(DrainBurst, a, kSmallDrain, 8.285)
    ->Name("peer/kueue/drain/15000")
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(DrainBurst, b, kLargeDrain, 78.161)
    ->Name("peer/kueue/drain/50000")
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(Evict, a, Eviction{false, false, 32.764})
    ->Name("peer/kueue/reclaim/classical")
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(Evict, b, Eviction{false, true, 39.042})
    ->Name("peer/kueue/reclaim/fair")
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(Evict, c, Eviction{true, false, 0.628})
    ->Name("peer/kueue/own/classical")
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(Evict, d, Eviction{true, true, 0.745})
    ->Name("peer/kueue/own/fair")
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace muster
