// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// How fast GPUs are packed, without reading the trace. Rows:
//   openb/<policy>/default/42   10,866 arrivals at 1,213 nodes
//   openb/425                   all runs of the study's table of counts: 17 lists, 5 policies, 5
//                               seeds
//   fit/share/1000x8            100,000 tasks that share GPUs, 1,000 machines of 8, best fit;
//                               .../fgd: few fragments
// twin_ratio: the slow twin's time a decision, over the first 50, over ours. simulator_ratio: the
// study's simulator takes 1,926 s for the row. The trace is in MUSTER_TRACES or ../shared/traces;
// without it its rows are skipped.
#include "bench/packing_bench.h"

#include <benchmark/benchmark.h>

#include <cstdlib>
#include <fstream>
#include <memory>
#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_split.h"
#include "bench/thread_clock.h"
#include "lib/base/rng.h"
#include "lib/peer/fgd/gpu_packer.h"
#include "lib/reference/peer/fgd/gpu_packing.h"
#include "muster/packing.h"

namespace muster::bench {
namespace {

constexpr double kSimulatorSeconds = 1926;
constexpr size_t kTwinDecisions = 50;

std::optional<std::string> Load(const std::string& path) {
  const char* folder = std::getenv("MUSTER_TRACES");
  std::ifstream file(
      (folder != nullptr ? std::string(folder) : "../shared/traces") + "/openb/" + path,
      std::ios::binary);
  if (!file) return std::nullopt;
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::optional<PackingTrace> Openb(const std::string& list, int64_t seed) {
  const auto nodes = Load("openb_node_list_gpu_node.csv"),
             pods = Load("pods/openb_pod_list_" + list + ".csv.gz"),
             arrivals = Load("orders/arrivals_" + list + ".csv.gz"),
             rank = Load("orders/noderank_" + list + ".csv.gz");
  if (!nodes || !pods || !arrivals || !rank) return std::nullopt;
  absl::StatusOr<PackingTrace> trace = ReadOpenbPacking(
      {{"nodes", *nodes}, {"pods", *pods}, {"arrivals", *arrivals}, {"rank", *rank}},
      {.seed = seed});
  if (!trace.ok()) return std::nullopt;
  return *std::move(trace);
}

// Of the twin, a decision. `order`: positions in the list, as they arrive.
double TwinSeconds(const std::string& policy, std::vector<reference::Packing::Machine> machines,
                   const std::vector<reference::PackingTask>& list,
                   std::span<const uint32_t> order) {
  reference::Packing twin(policy, std::move(machines), list, 0);
  const double before = Seconds();
  for (uint32_t i : order.first(kTwinDecisions)) benchmark::DoNotOptimize(twin.Place(list[i]));
  return (Seconds() - before) / static_cast<double>(kTwinDecisions);
}

double TwinSeconds(const PackingTrace& trace, const std::string& policy) {
  std::vector<reference::PackingTask> shapes, list;
  for (const PackingShape& s : trace.shapes) {
    shapes.push_back({s.cpu_milli, s.memory_mebi, s.gpu_milli, s.gpus});
    if (!s.models.empty()) shapes.back().models = absl::StrSplit(s.models, '|');
  }
  for (uint32_t shape : trace.shape) list.push_back(shapes[shape]);
  std::vector<reference::Packing::Machine> machines(trace.nodes.size());
  for (size_t i = 0; i < machines.size(); ++i) {
    const PackingNode& node = trace.nodes[i];
    machines[trace.rank[i]] = {node.cpu_milli, node.memory_mebi,
                               std::vector<int64_t>(static_cast<size_t>(node.gpus), kWholeGpu),
                               node.model};
  }
  return TwinSeconds(policy, std::move(machines), list, trace.arrivals);
}

void Play(benchmark::State& state, const std::string& policy) {
  const std::optional<PackingTrace> trace = Openb("default", 42);
  if (!trace.has_value()) {
    state.SkipWithError("openb is not there; set MUSTER_TRACES to its folder");
    return;
  }
  double spent = -Seconds();
  for (auto _ : state) {
    benchmark::DoNotOptimize(ReplayPacking(*trace, policy, {.curves = false}));
  }
  spent = (spent + Seconds()) / static_cast<double>(state.iterations());
  const auto decisions = static_cast<double>(trace->arrivals.size());
  state.counters["decisions_per_s"] = decisions / spent;
  state.counters["twin_ratio"] = TwinSeconds(*trace, policy) * decisions / spent;
  if (policy == "fgd") state.counters["simulator_ratio"] = kSimulatorSeconds / spent;
}

void PlayTable(benchmark::State& state) {
  std::vector<PackingTrace> traces;
  for (const char* list :
       {"default", "cpu050", "cpu100", "cpu200", "cpu250", "gpushare40", "gpushare60", "gpushare80",
        "gpushare100", "gpuspec10", "gpuspec20", "gpuspec25", "gpuspec33", "multigpu20",
        "multigpu30", "multigpu40", "multigpu50"}) {
    for (int64_t seed = 42; seed < 47; ++seed) {
      std::optional<PackingTrace> trace = Openb(list, seed);
      if (!trace.has_value()) {
        state.SkipWithError("openb is not there; set MUSTER_TRACES to its folder");
        return;
      }
      traces.push_back(*std::move(trace));
    }
  }
  double decisions = 0, twin = 0, spent = -Seconds();
  for (auto _ : state) {
    for (const PackingTrace& trace : traces) {
      for (std::string_view policy : PackingPolicies()) {
        if (policy == "fgd:random") continue;
        benchmark::DoNotOptimize(ReplayPacking(trace, policy, {.curves = false}));
        decisions += static_cast<double>(trace.arrivals.size());
      }
    }
  }
  spent += Seconds();
  for (std::string_view policy : PackingPolicies()) {
    if (policy != "fgd:random") twin += TwinSeconds(traces[0], std::string(policy));
  }
  state.counters["decisions_per_s"] = decisions / spent;
  state.counters["twin_ratio"] = twin / 5 * decisions / spent;
}

void Share(benchmark::State& state, PackingPolicy policy, const char* twin) {
  Rng rng(1);
  std::vector<GpuTaskKind> kinds;
  std::vector<GpuTaskType> types;
  std::vector<reference::PackingTask> list;
  for (int32_t i = 0; i < 10; ++i) {
    const GpuTaskType type{200 + 100 * i, 1, 25 + 10 * i, 1};
    types.push_back(type);
    list.push_back({type.cpu_milli, type.memory, type.gpu_milli, type.gpus});
    kinds.push_back({type.cpu_milli, type.gpu_milli, 1, "", ~0ULL, 1});
  }
  std::vector<uint32_t> arrivals;
  for (int i = 0; i < 100000; ++i) arrivals.push_back(static_cast<uint32_t>(rng.Below(10)));
  const std::vector<GpuMachine> machines(1000, {96000, 1 << 20, 8, 0});
  int64_t placed = 0;
  double spent = -Seconds();
  for (auto _ : state) {
    GpuPacker packer(policy, machines, types, GpuFragments(TypicalTasks(kinds), 1), 0, false);
    for (uint32_t type : arrivals) placed += packer.Place(type).machine >= 0;
  }
  spent = (spent + Seconds()) / static_cast<double>(state.iterations());
  const auto decisions = static_cast<double>(arrivals.size());
  state.counters["tasks_per_s"] = decisions / spent;
  const reference::Packing::Machine machine{96000, 1 << 20, std::vector<int64_t>(8, kWholeGpu), ""};
  state.counters["twin_ratio"] =
      TwinSeconds(twin, std::vector(machines.size(), machine), list, arrivals) * decisions / spent;
  state.counters["placed"] = static_cast<double>(placed) / static_cast<double>(state.iterations());
}

BENCHMARK_CAPTURE(Share, fgd, PackingPolicy::kFragments, "fgd")
    ->Name("fit/share/1000x8/fgd")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(Share, best_fit, PackingPolicy::kBestFit, "fgd:best-fit")
    ->Name("fit/share/1000x8")
    ->Unit(benchmark::kMillisecond);
BENCHMARK(PlayTable)->Name("openb/425")->Unit(benchmark::kMillisecond);

}  // namespace

void RegisterPacking() {
  for (std::string_view policy : PackingPolicies()) {
    const std::string name(policy);
    benchmark::RegisterBenchmark(("openb/" + name + "/default/42").c_str(),
                                 [name](benchmark::State& state) { Play(state, name); })
        ->Unit(benchmark::kMillisecond);
  }
}

}  // namespace muster::bench
