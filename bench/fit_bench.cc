// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// How fast exact places are chosen. Rows:
//   cpus/{full,spread}/64_of_256, cpus/scattered/100_of_256   a CPU set on a machine of 2 sockets x 4 zones x 16 cores x 2 CPUs
// twin_ratio: the slow twin's time over ours. scattered: every third CPU is taken, so that only the last resort is left.
#include <benchmark/benchmark.h>
#include <time.h>

#include <optional>
#include <string>
#include <vector>

#include "lib/fit/cpu_accumulator.h"
#include "lib/reference/cpus.h"

namespace muster::bench {
namespace {

double Seconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

void Cpus(benchmark::State& state, CpuBind bind, bool scattered) {
  std::vector<LogicalCpu> machine;
  reference::CpuQuestion slow;
  CpuSet available;
  for (int cpu = 0; cpu < 256; ++cpu) {
    const int core = cpu / 2;
    machine.push_back({.cpu = cpu, .core = core, .zone = core / 16, .socket = core / 64});
    slow.machine.push_back({cpu, core, core / 16, core / 64});
    if (scattered && cpu % 3 == 0) continue;
    available.Add(cpu);
    slow.available.insert(cpu);
  }
  const CpuTopology topology = *CpuTopology::Make(machine);
  const CpuRequest request{.count = scattered ? 100 : 64, .bind = bind};
  slow.count = request.count;
  slow.full_cores = bind == CpuBind::kFullCores;
  const CpuUse use;
  double spent = -Seconds();
  for (auto _ : state) {
    benchmark::DoNotOptimize(TakeCpus(topology, use, available, request));
  }
  spent = (spent + Seconds()) / static_cast<double>(state.iterations());
  const double before = Seconds();
  benchmark::DoNotOptimize(reference::TakeCpus(slow));
  state.counters["twin_ratio"] = (Seconds() - before) / spent;
}

BENCHMARK_CAPTURE(Cpus, full, CpuBind::kFullCores, false)->Name("cpus/full/64_of_256");
BENCHMARK_CAPTURE(Cpus, spread, CpuBind::kSpread, false)->Name("cpus/spread/64_of_256");
BENCHMARK_CAPTURE(Cpus, scattered, CpuBind::kFullCores, true)->Name("cpus/scattered/100_of_256");

}  // namespace
}  // namespace muster::bench
