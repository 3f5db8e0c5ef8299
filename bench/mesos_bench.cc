// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Rounds of Mesos' allocator, on the cluster that its own benchmark of declined offers has. Rows:
//   peer/mesos/decline/<agents>/<frameworks>
// All frameworks have one role. A part of each agent is in use, the rest is offered; everything is
// declined for good before the next round. A call is one round over all agents, the calls are the
// rounds one after the other.
//   peer/mesos/profile/<agents>/<frameworks>
// A plan of profile mesos over a frozen cluster: each framework has two waiting tasks, and declines
// the rest of its offers.
//
// Counters. offers: of the last round. ratio: the recorded time of the peer's round over ours; the
// profile's row has none.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "bench/thread_clock.h"
#include "lib/peer/mesos/mesos.h"
#include "muster/muster.h"

namespace muster::bench {
namespace {

using mesos::Resource;

constexpr int64_t kFirstPort = 31'000, kLastPort = 32'000;
constexpr double kForGood = 2'147'483'647;

Resource Ports(std::vector<std::pair<int64_t, int64_t>> ranges) {
  return {.kind = {.name = "ports", .ranges = true}, .ranges = std::move(ranges)};
}

std::vector<Resource> Scalars(double cpus, double mem, double disk) {
  return {{.kind = {.name = "cpus"}, .amount = cpus},
          {.kind = {.name = "mem"}, .amount = mem},
          {.kind = {.name = "disk"}, .amount = disk}};
}

// Sixteen ranges with gaps between them.
Resource UsedPorts() {
  std::vector<std::pair<int64_t, int64_t>> ranges;
  for (int64_t i = 0; i < 16; ++i) {
    const int64_t first = kFirstPort + i * 62;
    ranges.push_back({first, first + 60});
  }
  return Ports(std::move(ranges));
}

std::unique_ptr<mesos::Allocator> MakeAllocator(int64_t agents, int64_t frameworks) {
  std::unique_ptr<mesos::Allocator> allocator = *mesos::Allocator::Make({.shuffle_seed = 1});
  const auto name_of = [](int64_t i) { return absl::StrCat("framework-", i); };
  for (int64_t i = 0; i < frameworks; ++i) {
    (void)allocator->AddFramework({.name = name_of(i), .roles = {"*"}});
  }
  std::vector<Resource> total = Scalars(24, 4096, 4096), used = Scalars(16, 2014, 1024);
  total.push_back(Ports({{kFirstPort, kLastPort}}));
  used.push_back(UsedPorts());
  for (int64_t i = 0; i < agents; ++i) {
    (void)allocator->AddAgent({.name = absl::StrCat("agent-", i),
                               .resources = total,
                               .used = {{name_of(i % frameworks), "*", used}}});
  }
  return allocator;
}

void Decline(benchmark::State& state, double recorded) {
  const std::unique_ptr<mesos::Allocator> allocator = MakeAllocator(state.range(0), state.range(1));
  std::vector<mesos::Offer> offers;
  double seconds = 0;
  for (auto _ : state) {
    state.PauseTiming();
    for (const mesos::Offer& offer : offers) (void)allocator->Recover(offer, kForGood);
    offers.clear();
    allocator->ConsiderAll();
    state.ResumeTiming();
    const double start = Seconds();
    offers = allocator->Allocate();
    seconds += Seconds() - start;
  }
  state.counters["offers"] = static_cast<double>(offers.size());
  state.counters["ratio"] = recorded * static_cast<double>(state.iterations()) / seconds;
}

void MesosPlans(benchmark::State& state) {
  Cluster cluster;
  const auto add = [&](const absl::Status& status) {
    if (!status.ok()) state.SkipWithError(std::string(status.message()).c_str());
  };
  for (int64_t i = 0; i < state.range(0); ++i) {
    add(cluster.AddNode({.name = absl::StrCat("agent-", i),
                         .capacity = {{"cpu", 24}, {"memory", "4Gi"}, {"pods", 100}}}));
  }
  add(cluster.AddQueue({.name = "all"}));
  for (int64_t i = 0; i < state.range(1); ++i) {
    const std::string name = absl::StrCat("framework-", i);
    add(cluster.AddJob({.name = name, .queue = "all"}));
    for (int64_t t = 0; t < 2; ++t) {
      add(cluster.AddTask({.name = absl::StrCat(name, "-", t),
                           .job = name,
                           .shape = {.request = {{"cpu", 3}, {"memory", "512Mi"}}}}));
    }
  }
  const Snapshot snapshot = cluster.Freeze();
  size_t offers = 0;
  for (auto _ : state) {
    const absl::StatusOr<Plan> plan = Schedule(snapshot, "mesos");
    offers = plan->offers().size();
  }
  state.counters["offers"] = static_cast<double>(offers);
}

BENCHMARK(MesosPlans)
    ->Name("peer/mesos/profile")
    ->Args({1'000, 300})
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(Decline, few, 1.06)->Name("peer/mesos/decline")->Args({10'000, 1'000});
BENCHMARK_CAPTURE(Decline, many, 2.47)->Name("peer/mesos/decline")->Args({10'000, 3'000});

}  // namespace
}  // namespace muster::bench
