// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// How fast traces are replayed, without reading them. Rows:
//   replay/easy/<log>            KTH-SP2, CTC-SP2, SDSC-SP2 (159,686 jobs together), RICC (447,794)
//   replay/<profile>/philly      82,229 jobs, 352 nodes, 11 queues
//   replay/<profile>/openb       pods that come and go as recorded; openb_filling: that come and
//                                stay
//   replay/easy/synthetic/N      N jobs of 1 to 64 processors; bytes_per_million_jobs of trace and
//                                result, peak_bytes of the process. 10 million are of 1 to 4,096
//                                nodes, whole ones, on 100,000
//   replay/<profile>/synthetic_nodes/N   N jobs of one task of 1 to 8 cpus on 100,000 nodes of 8,
//                                        by cycles
//   replay/<profile>/speeds/N    N gangs of 1 to 8 GPUs, of three models with speeds on three types
//                                of node, 300 nodes of 8 GPUs
// Recorded traces come from MUSTER_TRACES or ../shared/traces; rows without their trace are
// left out.
#include "bench/replay_bench.h"

#include <benchmark/benchmark.h>
#include <malloc.h>
#include <sys/resource.h>

#include <bit>
#include <cmath>
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

// Gives the last result.
absl::StatusOr<ReplayResult> Play(benchmark::State& state, const Trace& trace,
                                  const std::string& policy) {
  ReplayOptions options;
  options.series_interval = -1;
  int64_t events = 0, passes = 0;
  absl::StatusOr<ReplayResult> result = absl::UnknownError("not played");
  for (auto _ : state) {
    result = Replay(trace, policy, options);
    if (!result.ok()) {
      state.SkipWithError(std::string(result.status().message()).c_str());
      return result;
    }
    events += result->events;
    passes += result->passes;
  }
  state.counters["events_per_s"] =
      benchmark::Counter(static_cast<double>(events), benchmark::Counter::kIsRate);
  state.counters["passes_per_s"] =
      benchmark::Counter(static_cast<double>(passes), benchmark::Counter::kIsRate);
  return result;
}

void Register(const std::string& name, const std::string& policy, absl::StatusOr<Trace> trace) {
  if (!trace.ok()) return;
  const auto shared = std::make_shared<const Trace>(*std::move(trace));
  benchmark::RegisterBenchmark(("replay/" + policy + "/" + name).c_str(),
                               [=](benchmark::State& state) {
                                 const auto result = Play(state, *shared, policy);
                                 benchmark::DoNotOptimize(&result);
                               })
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

// Jobs of 2^0 to 2^(sizes - 1) processors, of a machine that is nine tenths busy.
Trace Synthetic(int64_t jobs, int64_t processors, uint64_t sizes) {
  constexpr double kMu = 6.5, kSigma = 1.5;
  const double mean_run = std::exp(kMu + kSigma * kSigma / 2);
  const double mean_size =
      static_cast<double>((int64_t{1} << sizes) - 1) / static_cast<double>(sizes);
  const double gap = mean_run * mean_size / (0.9 * static_cast<double>(processors));
  Trace trace;
  trace.processors = processors;
  Rng rng(1);
  double now = 0;
  for (int64_t i = 0; i < jobs; ++i) {
    now += rng.Exponential(gap);
    const auto run = 1 + static_cast<int64_t>(rng.LogNormal(kMu, kSigma));
    TraceJob job;
    job.submit = static_cast<int64_t>(now);
    job.run = run;
    job.estimate = run * static_cast<int64_t>(1 + rng.Below(5));
    job.tasks = int64_t{1} << rng.Below(sizes);
    if (!AddJob(job, &trace).ok()) std::abort();
  }
  return trace;
}

// The same jobs, each one task that requests as many cpus as it had processors, on nodes of 8.
Trace SyntheticNodes(int64_t jobs, int64_t nodes) {
  constexpr int64_t kCpus = 8;
  constexpr uint64_t kSizes = 4;
  Trace trace = Synthetic(jobs, nodes * kCpus, kSizes);
  trace.processors = 0;
  for (uint64_t size = 0; size < kSizes; ++size) {
    trace.shapes.push_back({.request = {{"cpu", int64_t{1} << size}}});
  }
  for (size_t row = 0; row < trace.size(); ++row) {
    trace.shape[row] = static_cast<uint32_t>(std::countr_zero(trace.tasks[row]));
    trace.tasks[row] = 1;
  }
  for (int64_t i = 0; i < nodes; ++i) {
    trace.machine.nodes.push_back({.name = "n" + std::to_string(i), .capacity = {{"cpu", kCpus}}});
  }
  return trace;
}

// Gangs of one task a GPU. The types and models differ by factors of 2 to 10.
Trace SyntheticSpeeds(int64_t jobs) {
  constexpr int64_t kGpus = 8;
  constexpr uint64_t kSizes = 4, kModels = 3;
  constexpr int64_t kNodesOfType = 100;
  constexpr int64_t kSpeed[kModels][3] = {{10, 4, 1}, {6, 4, 3}, {8, 4, 2}};
  // As if half of the nodes were there: most types are slower than run times count.
  Trace trace = Synthetic(jobs, 3 * kNodesOfType * kGpus / 2, kSizes);
  trace.processors = 0;
  for (uint64_t model = 0; model < kModels; ++model) {
    const std::string name = "m" + std::to_string(model);
    trace.shapes.push_back({.request = {{"nvidia.com/gpu", 1}}, .labels = {{"model", name}}});
    for (size_t type = 0; type < 3; ++type) {
      trace.speeds.push_back({.model = name,
                              .type = "t" + std::to_string(type),
                              .workers = 1,
                              .speed = kSpeed[model][type] * 1'000'000});
    }
  }
  Rng rng(2);
  for (uint32_t& shape : trace.shape) shape = static_cast<uint32_t>(rng.Below(kModels));
  for (int64_t i = 0; i < 3 * kNodesOfType; ++i) {
    trace.machine.nodes.push_back({.name = "n" + std::to_string(i),
                                   .capacity = {{"nvidia.com/gpu", kGpus}},
                                   .labels = {{"gpu-model", "t" + std::to_string(i % 3)}}});
  }
  return trace;
}

double HeapBytes() {
  const struct mallinfo2 info = mallinfo2();
  return static_cast<double>(info.uordblks + info.hblkhd);
}

double PeakBytes() {
  struct rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) * 1024;
}

template <class Make>
void RegisterSynthetic(const std::string& name, const std::string& policy, int64_t jobs,
                       Make make) {
  benchmark::RegisterBenchmark(
      ("replay/" + policy + "/" + name + "/" + std::to_string(jobs)).c_str(),
      [=](benchmark::State& state) {
        const double before = HeapBytes();
        const Trace trace = make();
        const absl::StatusOr<ReplayResult> result = Play(state, trace, policy);
        state.counters["bytes_per_million_jobs"] =
            (HeapBytes() - before) * 1e6 / static_cast<double>(jobs);
        state.counters["peak_bytes"] = PeakBytes();
      })
      ->Unit(benchmark::kMillisecond)
      ->Iterations(1);
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
  constexpr int64_t kMillion = 1'000'000, kNodes = 100'000;
  RegisterSynthetic("synthetic", "easy", kMillion, [] { return Synthetic(kMillion, 4096, 7); });
  RegisterSynthetic("synthetic", "easy", 10 * kMillion,
                    [] { return Synthetic(10 * kMillion, kNodes, 13); });
  for (const char* profile : {"muster", "volcano"}) {
    RegisterSynthetic("synthetic_nodes", profile, kNodes,
                      [] { return SyntheticNodes(kNodes, kNodes); });
  }
  for (const char* profile : {"muster", "volcano", "tiresias", "themis", "gavel"}) {
    RegisterSynthetic("speeds", profile, 5'000, [] { return SyntheticSpeeds(5'000); });
  }
  for (const int64_t jobs : {3 * kNodes, 10 * kMillion}) {
    RegisterSynthetic("synthetic_nodes", "easy", jobs,
                      [jobs] { return SyntheticNodes(jobs, kNodes); });
  }
}

}  // namespace muster::bench
