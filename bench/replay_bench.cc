// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// How fast traces are replayed, without reading them. Rows:
//   replay/easy/<log>            KTH-SP2, CTC-SP2, SDSC-SP2 (159,686 jobs together), RICC (447,784)
//   replay/<profile>/philly      82,229 jobs, 352 nodes, 11 queues
//   replay/<profile>/openb       pods that come and go as recorded; openb_filling: that come and stay
//   replay/easy/synthetic/1000000   jobs of 1 to 64 processors; bytes_per_million_jobs of trace and result
// Recorded traces come from MUSTER_TRACES or ../shared/traces; rows whose trace is not there are left out.
#include "bench/replay_bench.h"

#include <benchmark/benchmark.h>
#include <malloc.h>

#include <cstdlib>
#include <fstream>
#include <memory>
#include <optional>
#include <sstream>
#include <string>

#include "lib/base/rng.h"
#include "muster/replay.h"

namespace muster::bench {
namespace {

std::optional<std::string> Load(const std::string& path) {
  const char* folder = std::getenv("MUSTER_TRACES");
  std::ifstream file((folder != nullptr ? std::string(folder) : "../shared/traces") + "/" + path,
                     std::ios::binary);
  if (!file) return std::nullopt;
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

void Play(benchmark::State& state, const Trace& trace, const std::string& policy) {
  ReplayOptions options;
  options.series_interval = -1;
  int64_t events = 0, passes = 0;
  for (auto _ : state) {
    const absl::StatusOr<ReplayResult> result = Replay(trace, policy, options);
    if (!result.ok()) {
      state.SkipWithError(std::string(result.status().message()).c_str());
      return;
    }
    events += result->events;
    passes += result->passes;
  }
  state.counters["events_per_s"] =
      benchmark::Counter(static_cast<double>(events), benchmark::Counter::kIsRate);
  state.counters["passes_per_s"] =
      benchmark::Counter(static_cast<double>(passes), benchmark::Counter::kIsRate);
}

void Register(const std::string& name, const std::string& policy, absl::StatusOr<Trace> trace) {
  if (!trace.ok()) return;
  const auto shared = std::make_shared<const Trace>(*std::move(trace));
  benchmark::RegisterBenchmark(("replay/" + policy + "/" + name).c_str(),
                               [=](benchmark::State& state) { Play(state, *shared, policy); })
      ->Unit(benchmark::kMillisecond);
}

absl::StatusOr<Trace> Openb(bool filling) {
  const auto nodes = Load("openb/openb_node_list_gpu_node.csv");
  const auto pods = Load("openb/pods/openb_pod_list_default.csv.gz");
  const auto arrivals = Load("openb/orders/arrivals_default.csv.gz");
  const auto rank = Load("openb/orders/noderank_default.csv.gz");
  if (!nodes || !pods || !arrivals || !rank) return absl::NotFoundError("openb");
  OpenbFiles files = {{"nodes", *nodes}, {"pods", *pods}, {}, {}};
  if (filling) {
    files.arrivals = {"arrivals", *arrivals};
    files.node_rank = {"rank", *rank};
  }
  return ReadOpenb(files);
}

absl::StatusOr<Trace> Philly() {
  const auto jobs = Load("philly/philly_jobs.csv.gz"), clusters = Load("philly/vc_nodes.csv");
  if (!jobs || !clusters) return absl::NotFoundError("philly");
  return ReadPhilly({{"jobs", *jobs}, {"clusters", *clusters}});
}

Trace Synthetic(int64_t jobs) {
  Trace trace;
  trace.processors = 4096;
  Rng rng(1);
  double now = 0;
  for (int64_t i = 0; i < jobs; ++i) {
    now += rng.Exponential(14);
    const auto run = 1 + static_cast<int64_t>(rng.LogNormal(6.5, 1.5));
    TraceJob job;
    job.submit = static_cast<int64_t>(now);
    job.run = run;
    job.estimate = run * static_cast<int64_t>(1 + rng.Below(5));
    job.tasks = int64_t{1} << rng.Below(7);
    if (!AddJob(job, &trace).ok()) std::abort();
  }
  return trace;
}

double HeapBytes() {
  const struct mallinfo2 info = mallinfo2();
  return static_cast<double>(info.uordblks + info.hblkhd);
}

void PlaySynthetic(benchmark::State& state, int64_t jobs) {
  const double before = HeapBytes();
  const Trace trace = Synthetic(jobs);
  Play(state, trace, "easy");
  const absl::StatusOr<ReplayResult> result = Replay(trace, "easy");
  state.counters["bytes_per_million_jobs"] =
      (HeapBytes() - before) * 1e6 / static_cast<double>(jobs);
}

}  // namespace

void RegisterReplays() {
  struct Log {
    const char* name;
    int64_t processors;
  };
  for (const Log& log : {Log{"KTH-SP2", 100}, Log{"CTC-SP2", 338}, Log{"SDSC-SP2", 128}}) {
    const auto bytes = Load(std::string("hpc_easy_golden/") + log.name + ".csv.gz");
    if (!bytes) continue;
    Register(log.name, "easy", ReadHpc({log.name, *bytes}, {.processors = log.processors}));
  }
  if (const auto bytes = Load("hpc_swf/RICC-2010-2.swf.gz")) {
    Register("RICC", "easy", ReadSwf({"RICC", *bytes}, {.processors = 8192}));
  }
  for (const char* profile : {"volcano", "muster", "easy"}) {
    Register("philly", profile, Philly());
    Register("openb", profile, Openb(/*filling=*/false));
    Register("openb_filling", profile, Openb(/*filling=*/true));
  }
  benchmark::RegisterBenchmark("replay/easy/synthetic/1000000", [](benchmark::State& state) {
    PlaySynthetic(state, 1000000);
  })->Unit(benchmark::kMillisecond);
}

}  // namespace muster::bench
