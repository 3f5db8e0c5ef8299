// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What one more policy or action costs a cycle of `volcano`. Rows:
//   policy/<name>/1000    1,000 nodes, 10,000 tasks in gangs of 20, 100 queues, 100 classes,
//                         dressed so that the policy has an effect; cdp and pdb: full nodes
//                         and preempt
//   action/<name>/1000    1,000 nodes that are full
//   share/rates/<types>   fair parts of time of 1,000 kinds of jobs on so many types of GPUs
// Counters. without_ms: the same cluster without the policy or the action. twin_ratio: the slow
// twin's time a placement, on as many nodes with 100 tasks, over ours. CPU time of this one thread.
#include "bench/policy_bench.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "bench/thread_clock.h"
#include "bench/workloads.h"
#include "lib/base/rng.h"
#include "lib/model/access.h"
#include "lib/model/tables.h"
#include "lib/model/words.h"
#include "lib/reference/reference.h"
#include "lib/share/rate_filling.h"
#include "muster/muster.h"
#include "tests/support/reference_profile.h"

namespace muster::bench {
namespace {

constexpr int64_t kNodes = 1000;

int64_t Moves(const Plan& plan) {
  return static_cast<int64_t>(
      std::count_if(plan.decisions().begin(), plan.decisions().end(), [](const Decision& decision) {
        return decision.kind == DecisionKind::kBind || decision.kind == DecisionKind::kNominate ||
               decision.kind == DecisionKind::kEvict;
      }));
}

void Compare(benchmark::State& state, const Cluster& cluster, const Cluster* for_twin,
             const std::string& profile, const std::string& without) {
  const Snapshot snapshot = cluster.Freeze();
  int64_t moves = 0;
  double seconds = 0;
  for (auto _ : state) {
    const double start = Seconds();
    const Plan plan = MustSchedule(snapshot, profile);
    seconds += Seconds() - start;
    moves = Moves(plan);
  }
  seconds /= static_cast<double>(state.iterations());
  double start = Seconds();
  benchmark::DoNotOptimize(MustSchedule(snapshot, without));
  state.counters["without_ms"] = 1000 * (Seconds() - start);
  state.counters["moves"] = static_cast<double>(moves);
  if (for_twin == nullptr) return;
  const Snapshot small = for_twin->Freeze();
  const ReferenceProfile twin = testing::ReferenceProfileOf(*ResolveProfile(profile));
  start = Seconds();
  const PlanData slow = ReferenceSchedule(TablesOf(small), twin, 0);
  const double each = (Seconds() - start) / 100;
  state.counters["twin_ratio"] =
      each / (seconds / static_cast<double>(std::max<int64_t>(moves, 1)));
}

struct Row {
  std::string spec;  // the policy with its options
  Dress dress;
};

void Usage(int64_t n, NodeSpec* node) {
  node->usage = NodeUsage{.cpu = 20 + n % 60, .memory = 10 + n % 70, .measured = 0};
}

// Eight zones, one of which each task fits in.
void Zones(int64_t, NodeSpec* node) {
  node->alignment = Alignment::kSingleNumaNode;
  for (int z = 0; z < 8; ++z) {
    ZoneSpec& zone = node->zones.emplace_back();
    zone.name = "node-" + std::to_string(z);
    zone.capacity = {{"cpu", 8}, {"memory", "32Gi"}};
    zone.available = zone.capacity;
    for (int to = 0; to < 8; ++to) {
      zone.distances.emplace_back("node-" + std::to_string(to), to == z ? 10 : 12 + (z + to) % 2);
    }
  }
}

void Guarantee(int64_t, JobSpec* job) { job->groups[0].shape.guaranteed_qos = true; }

// The same zones of four cores with two CPUs each.
void Cpus(int64_t n, NodeSpec* node) {
  Zones(n, node);
  node->alignment = Alignment::kRestricted;
  for (int cpu = 0; cpu < 64; ++cpu) {
    node->devices.push_back(
        {.name = std::to_string(cpu),
         .kind = "cpu",
         .zone = "node-" + std::to_string(cpu / 8),
         .links = {"core-" + std::to_string(cpu / 2), "socket-" + std::to_string(cpu / 32)}});
  }
}

void AlignWhole(int64_t g, JobSpec* job) {
  TaskShape& shape = job->groups[0].shape;
  shape.guaranteed_qos = true;
  shape.alignment = Alignment::kRestricted;
  shape.containers = {{.request = {{"cpu", 1 + g % 6}}}};
}

std::vector<Row> Rows() {
  return {
      {"nodegroup(strict=off)",
       {.node =
            [](int64_t n, NodeSpec* node) {
              if (n % 4 == 0) node->labels = {{"volcano.sh/nodegroup-name", "batch"}};
            }}},
      {"due", {}},
      {"attained", {}},
      {"finish-time", {}},
      {"joborder(by=saf)", {}},
      {"joborder(by=las)", {}},
      {"resource-strategy-fit", {}},
      {"resourcequota", {}},
      {"sampling", {}},
      {"shards(name=a)",
       {.node = [](int64_t n, NodeSpec* node) { node->shard = n % 8 == 0 ? "b" : "a"; }}},
      {"shards(name=a,soft=on)",
       {.node = [](int64_t n, NodeSpec* node) { node->shard = n % 2 == 0 ? "b" : "a"; }}},
      {"sla(waiting_time=60)", {}},
      {"task-topology",
       {.job =
            [](int64_t g, JobSpec* job) {
              if (g % 5 == 0) job->group_topology = GroupTopology{.together = {{"worker"}}};
            }}},
      {"tdm(from.night=0,to.night=600)",
       {.node =
            [](int64_t n, NodeSpec* node) {
              if (n % 8 == 0) node->labels = {{"volcano.sh/revocable-zone", "night"}};
            }}},
      {"usage", {.node = Usage}},
      {"load-aware", {.node = Usage}},
      {"numa-aware", {.node = Cpus, .job = AlignWhole}},
      {"zones", {.node = Zones, .job = Guarantee}},
      {"zones(strategy=fewest)", {.node = Zones, .job = Guarantee}},
  };
}

void ShareRates(benchmark::State& state) {
  const auto types = static_cast<size_t>(state.range(0));
  Rng rng(1);
  std::vector<RateJob> jobs(1000);
  int64_t gpus = 0;
  for (RateJob& job : jobs) {
    job.width = int64_t{1} << rng.Below(4);
    gpus += job.width;
    for (size_t type = 0; type < types; ++type) {
      const auto gain = static_cast<int64_t>(1 + rng.Below(4 * type + 1));
      job.rate.push_back((gain << 16) * job.width);
    }
  }
  const std::vector<int64_t> machines(types, gpus / static_cast<int64_t>(2 * types));
  for (auto _ : state) benchmark::DoNotOptimize(FillRates(jobs, machines));
}

}  // namespace

void RegisterPolicies() {
  const auto add = [](const std::string& name, auto body) {
    benchmark::RegisterBenchmark(name.c_str(), body)->Unit(benchmark::kMillisecond);
  };
  for (const Row& row : Rows()) {
    add("policy/" + row.spec + "/" + std::to_string(kNodes), [row](benchmark::State& state) {
      const Cluster for_twin = MakeAllocation({kNodes, 100, 5, 100}, row.dress);
      Compare(state, MakeAllocation({kNodes, 10 * kNodes, 100, 100}, row.dress), &for_twin,
              "volcano:+" + row.spec, "volcano");
    });
  }
  benchmark::RegisterBenchmark("share/rates", ShareRates)
      ->Arg(4)
      ->Arg(10)
      ->Unit(benchmark::kMillisecond);
  for (const std::string victims : {"cdp", "pdb"}) {
    add("policy/" + victims + "/" + std::to_string(kNodes), [victims](benchmark::State& state) {
      Compare(state, MakePreemption(kNodes), nullptr, "volcano:+preempt,+" + victims,
              "volcano:+preempt");
    });
  }
  add("policy/elastic-quota/" + std::to_string(kNodes), [](benchmark::State& state) {
    Compare(state, MakeAllocation({kNodes, 10 * kNodes, 100, 100}, {}), nullptr,
            "volcano:-proportion,+elastic-quota", "volcano:-proportion");
  });
  for (const std::string strategy : {"pack", "spread", "strict_spread"}) {
    add("action/ray/" + strategy + "/" + std::to_string(kNodes),
        [strategy](benchmark::State& state) {
          const Dress dress{.job = [strategy](int64_t, JobSpec* job) {
            job->bundle_strategy = *ParseWord<BundleStrategy>(strategy);
          }};
          const Cluster for_twin = MakeAllocation({kNodes, 100, 5, 100}, dress);
          Compare(state, MakeAllocation({kNodes, 10 * kNodes, 100, 100}, dress), &for_twin, "ray",
                  "volcano");
        });
  }
  add("action/gangpreempt/" + std::to_string(kNodes), [](benchmark::State& state) {
    Compare(state, MakePreemption(kNodes), nullptr, "volcano:+gangpreempt", "volcano");
  });
  add("action/gangreclaim/" + std::to_string(kNodes), [](benchmark::State& state) {
    Compare(state, MakeReclaim(kNodes), nullptr, "volcano:+gangreclaim", "volcano");
  });
  add("action/shuffle/" + std::to_string(kNodes), [](benchmark::State& state) {
    Compare(state, MakeRunning(kNodes, {.node = Usage}), nullptr,
            "volcano:+shuffle,+rescheduling(cpu_low=30,memory_low=30,cpu_high=70,memory_high=70)",
            "volcano");
  });
}

}  // namespace muster::bench
