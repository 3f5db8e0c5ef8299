// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What threads are worth (docs/threads.md). Rows, in wall time:
//   threads/wake/<threads>          as many pieces of nothing: what one use of an executor costs
//   threads/books/<nodes>           a cycle that decides nothing: what books of its own cost a thread
//                                   that was to try something within a cycle
//   threads/capacity/<threads>      nodes needed, of two types, by a full cluster of 400
//   threads/one_type/<threads>      the same of one type: numbers of nodes are asked for ahead
//   threads/remedies/<threads>      what would start a gang that waits there
//   threads/rehearsal/<threads>     two plans of it
//   threads/forecast/<threads>      32 futures of a trace of a pool, for each job that waits
#include <benchmark/benchmark.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "lib/base/pieces.h"
#include "lib/scenario/generate.h"
#include "lib/scenario/scenario.h"
#include "muster/forecast.h"
#include "muster/muster.h"

namespace muster {
namespace {

constexpr char kProfile[] = "volcano";

Cluster Full(int64_t nodes = 400) {
  GenerateOptions options;
  options.nodes = nodes;
  options.load = 1.4;
  options.gang = 8;
  options.occupancy = 0.2;
  Cluster cluster;
  const absl::StatusOr<Scenario> scenario = Generate(options);
  if (!scenario.ok() || !Fill(*scenario, &cluster).ok()) return Cluster();
  return cluster;
}

std::vector<NodeOffer> Offers(size_t count) {
  std::vector<NodeOffer> offers;
  for (size_t i = 0; i < count; ++i) {
    const auto cpu = static_cast<int64_t>(32 << i);
    offers.push_back({.node = {.name = i == 0 ? "small" : "large",
                               .capacity = {{"cpu", cpu}, {"memory", "512Gi"}, {"pods", 110}}},
                      .price = static_cast<double>(i + 1)});
  }
  return offers;
}

void Wake(benchmark::State& state) {
  const std::unique_ptr<Executor> threads = MakeThreads(state.range(0));
  std::vector<int64_t> touched(static_cast<size_t>(state.range(0)));
  for (auto _ : state) {
    RunPieces(threads.get(), touched.size(), [&](size_t i) { ++touched[i]; });
  }
}
BENCHMARK(Wake)->Name("threads/wake")->Arg(2)->Arg(8)->UseRealTime();

void Books(benchmark::State& state) {
  const Snapshot snapshot = Full(state.range(0)).Freeze();
  for (auto _ : state) {
    benchmark::DoNotOptimize(Schedule(snapshot, kProfile, {.work_budget = 0}));
  }
}
BENCHMARK(Books)->Name("threads/books")->Arg(1000)->Arg(10'000)->UseRealTime();

void Capacity(benchmark::State& state, size_t offers) {
  const Cluster cluster = Full();
  const std::unique_ptr<Executor> threads = MakeThreads(state.range(0));
  const std::vector<NodeOffer> list = Offers(offers);
  for (auto _ : state) {
    const auto needed =
        NeedNodes(cluster, kProfile, list, {.most = 256, .executor = threads.get()});
    if (!needed.ok()) state.SkipWithError(std::string(needed.status().message()).c_str());
  }
}
void TwoTypes(benchmark::State& state) { Capacity(state, 2); }
void OneType(benchmark::State& state) { Capacity(state, 1); }
BENCHMARK(TwoTypes)->Name("threads/capacity")->Arg(1)->Arg(2)->UseRealTime();
BENCHMARK(OneType)->Name("threads/one_type")->Arg(1)->Arg(2)->UseRealTime();

void Remedies(benchmark::State& state) {
  const Cluster cluster = Full();
  const std::unique_ptr<Executor> threads = MakeThreads(state.range(0));
  const absl::StatusOr<Plan> plan = Schedule(cluster.Freeze(), kProfile);
  if (!plan.ok() || plan->pending().empty()) return state.SkipWithError("nothing waits");
  const std::string task(plan->task_name(plan->pending().front().task));
  for (auto _ : state) {
    benchmark::DoNotOptimize(Diagnose(cluster, kProfile, task, {.executor = threads.get()}));
  }
}
BENCHMARK(Remedies)->Name("threads/remedies")->Arg(1)->Arg(2)->UseRealTime();

void Rehearsals(benchmark::State& state) {
  const Cluster cluster = Full();
  const std::unique_ptr<Executor> threads = MakeThreads(state.range(0));
  const std::vector<WhatIfChange> changes = {
      {.add_nodes = NewNodes{.count = 4, .node = Offers(1)[0].node}}};
  for (auto _ : state) {
    benchmark::DoNotOptimize(Rehearse(cluster, kProfile, changes, {}, threads.get()));
  }
}
BENCHMARK(Rehearsals)->Name("threads/rehearsal")->Arg(1)->Arg(2)->UseRealTime();

void Forecasts(benchmark::State& state) {
  const std::unique_ptr<Executor> threads = MakeThreads(state.range(0));
  Trace trace;
  trace.processors = 64;
  for (int64_t i = 0; i < 1000; ++i) {
    const TraceJob job = {
        .submit = i * 60, .run = 60 + i * 7919 % 3000, .estimate = 3600, .tasks = 1 + i * 31 % 6};
    if (!AddJob(job, &trace).ok()) return state.SkipWithError("the trace is refused");
  }
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        ForecastTrace(trace, "easy", {.every = 50, .executor = threads.get()}));
  }
}
BENCHMARK(Forecasts)->Name("threads/forecast")->Arg(1)->Arg(2)->UseRealTime();

}  // namespace
}  // namespace muster
