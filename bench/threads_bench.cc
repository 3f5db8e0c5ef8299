// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What threads are worth (docs/threads.md). Rows:
//   threads/wake/<threads>          as many pieces of nothing, in wall time: what one use of an
//                                   executor costs
//   threads/books/<nodes>           a cycle that decides nothing: what its own books would cost a
//                                   thread that tries something within a cycle
//   threads/capacity/<threads>      nodes needed, of two types, by a full cluster of 400
//   threads/one_type/<threads>      the same of one type
//   threads/remedies/<threads>      what would start a gang that waits there
//   threads/rehearsal/<threads>     two plans of it
//   threads/futures/<threads>       32 futures of it, by cycles
// Rows of calls are CPU time: of all that runs on the calling thread, and, for pieces, of the
// thread that has most of them, where each goes to the thread that is free first. So figures are
// those of cores that nothing else uses, on a busy machine, too. `all_cores` is the CPU time of all
// threads.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bench/thread_clock.h"
#include "lib/base/pieces.h"
#include "lib/scenario/generate.h"
#include "lib/scenario/scenario.h"
#include "muster/forecast.h"
#include "muster/muster.h"

namespace muster {
namespace {

constexpr char kProfile[] = "volcano";

// Ends the program where a row cannot be made.
void Must(const absl::Status& status) {
  if (!status.ok()) std::abort();
}

Cluster Full(int64_t nodes = 400) {
  GenerateOptions options;
  options.nodes = nodes;
  options.load = 1.4;
  options.gang = 8;
  options.occupancy = 0.2;
  options.gpu = 0;
  Cluster cluster;
  Must(Fill(Generate(options).value(), &cluster));
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

void Skip(const absl::Status& status, benchmark::State& state) {
  state.SkipWithError(std::string(status.message()).c_str());
}

// Runs pieces in order and notes how long threads would take that share them.
class Dealt : public Executor {
 public:
  explicit Dealt(int64_t width) : width_(width) {}
  int64_t width() const override { return width_; }
  void Run(int64_t count, const std::function<void(int64_t)>& piece) override {
    std::vector<double> busy(static_cast<size_t>(width_));
    const double begin = bench::Seconds();
    double last = begin;
    for (int64_t i = 0; i < count; ++i) {
      piece(i);
      const double now = bench::Seconds();
      *std::ranges::min_element(busy) += now - last;
      last = now;
    }
    saved_ += last - begin - *std::ranges::max_element(busy);
  }
  // Runs one iteration of a row. Returns false where the call fails: the row has its error then.
  template <class F>
  bool Time(benchmark::State& state, const F& call) {
    saved_ = 0;
    const double begin = bench::Seconds();
    const absl::Status status = call();
    const double all = bench::Seconds() - begin;
    if (!status.ok()) return Skip(status, state), false;
    state.SetIterationTime(all - saved_);
    state.counters["all_cores"] = benchmark::Counter(all);
    return true;
  }

 private:
  const int64_t width_;
  double saved_ = 0;
};

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
    const absl::StatusOr<Plan> plan = Schedule(snapshot, kProfile, {.work_budget = 0});
    if (!plan.ok()) return Skip(plan.status(), state);
  }
}
BENCHMARK(Books)->Name("threads/books")->Arg(1000)->Arg(10'000)->UseRealTime();

void Capacity(benchmark::State& state, size_t offers) {
  const Cluster cluster = Full();
  Dealt threads(state.range(0));
  const std::vector<NodeOffer> list = Offers(offers);
  for (auto _ : state) {
    const bool timed = threads.Time(state, [&] {
      return NeedNodes(cluster, kProfile, list, {.most = 256, .executor = &threads}).status();
    });
    if (!timed) return;
  }
}
void TwoTypes(benchmark::State& state) { Capacity(state, 2); }
void OneType(benchmark::State& state) { Capacity(state, 1); }
BENCHMARK(TwoTypes)->Name("threads/capacity")->Arg(1)->Arg(2)->UseManualTime();
BENCHMARK(OneType)->Name("threads/one_type")->Arg(1)->Arg(2)->UseManualTime();

void Remedies(benchmark::State& state) {
  const Cluster cluster = Full();
  Dealt threads(state.range(0));
  const absl::StatusOr<Plan> plan = Schedule(cluster.Freeze(), kProfile);
  if (!plan.ok() || plan->pending().empty()) return state.SkipWithError("nothing waits");
  const std::string task(plan->task_name(plan->pending().front().task));
  for (auto _ : state) {
    const bool timed = threads.Time(
        state, [&] { return Diagnose(cluster, kProfile, task, {.executor = &threads}).status(); });
    if (!timed) return;
  }
}
BENCHMARK(Remedies)->Name("threads/remedies")->Arg(1)->Arg(2)->UseManualTime();

void Rehearsals(benchmark::State& state) {
  const Cluster cluster = Full();
  Dealt threads(state.range(0));
  const std::vector<WhatIfChange> changes = {
      {.add_nodes = NewNodes{.count = 4, .node = Offers(1)[0].node}}};
  for (auto _ : state) {
    const bool timed = threads.Time(
        state, [&] { return Rehearse(cluster, kProfile, changes, {}, &threads).status(); });
    if (!timed) return;
  }
}
BENCHMARK(Rehearsals)->Name("threads/rehearsal")->Arg(1)->Arg(2)->UseManualTime();

Trace Past(int64_t jobs) {
  Trace trace;
  trace.processors = 64;
  for (int64_t i = 0; i < jobs; ++i) {
    const TraceJob job = {
        .submit = i * 60, .run = 60 + i * 7919 % 3000, .estimate = 3600, .tasks = 1 + i * 31 % 6};
    Must(AddJob(job, &trace));
  }
  return trace;
}

void Futures(benchmark::State& state) {
  Dealt threads(state.range(0));
  const Cluster cluster = Full(40);
  const Trace past = Past(200);
  const ForecastOptions options = {.now = 100'000, .arrivals = false, .executor = &threads};
  for (auto _ : state) {
    const bool timed =
        threads.Time(state, [&] { return Forecast(cluster, kProfile, past, options).status(); });
    if (!timed) return;
  }
}
BENCHMARK(Futures)->Name("threads/futures")->Arg(1)->Arg(2)->UseManualTime();

}  // namespace
}  // namespace muster
