// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// How fast exact places are chosen. Rows:
//   cpus/{full,spread}/64_of_256, cpus/scattered/100_of_256   a CPU set on a machine of 2 sockets x 4 zones x 16 cores x 2 CPUs
//   devices/{whole,part}/1000_of_8           one task asks 1,000 machines of eight GPUs, half of them in use: filter and score
// twin_ratio: the slow twin's time over ours. scattered: every third CPU is taken, so that only the last resort is left.
#include <benchmark/benchmark.h>
#include <time.h>

#include <optional>
#include <string>
#include <vector>

#include "lib/fit/cpu_accumulator.h"
#include "lib/fit/device_allocator.h"
#include "lib/reference/cpus.h"
#include "lib/reference/device_worlds.h"

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

void Devices(benchmark::State& state, const char* name, int64_t amount) {
  MachineDevices machine;
  DeviceBook& gpus = machine.book(DeviceKind::kGpu);
  reference::DeviceWorld slow;
  reference::DeviceWorld::Kind& kind = slow.kinds["gpu"];
  for (int i = 0; i < 8; ++i) {
    const std::string bus = std::to_string(i / 2);
    gpus.devices.push_back({.minor = i, .zone = i / 4, .bus = bus});
    DeviceAmounts& total = gpus.devices.back().total;
    total.Set(DeviceResource::kCore, 100);
    total.Set(DeviceResource::kRatio, 100);
    gpus.used.push_back(i % 2 == 0 ? total : DeviceAmounts());
    kind.devices[i] = {.total = {{"core", 100}, {"ratio", 100}},
                       .used = {{"core", i % 2 == 0 ? 100 : 0}, {"ratio", i % 2 == 0 ? 100 : 0}},
                       .zone = std::to_string(i / 4),
                       .bus = bus};
  }
  const DeviceRequest request = *ReadDeviceRequest({{{name, amount}}});
  const DeviceWish& wish = request.of(DeviceKind::kGpu);
  kind.each = {{"core", wish.each.at(DeviceResource::kCore)},
               {"ratio", wish.each.at(DeviceResource::kRatio)}};
  kind.count = wish.count;
  slow.partial = wish.partial;
  slow.scored = false;
  DeviceScorer scorer;
  scorer.weights.Set(DeviceResource::kRatio, 1);
  const std::vector<MachineDevices> machines(1000, machine);
  double spent = -Seconds();
  for (auto _ : state) {
    for (const MachineDevices& one : machines) {
      benchmark::DoNotOptimize(ChooseDevices(one, request, nullptr, /*final=*/false));
      benchmark::DoNotOptimize(ScoreMachine(one, request, scorer));
    }
  }
  spent = (spent + Seconds()) / static_cast<double>(state.iterations()) / 1000;
  const double before = Seconds();
  benchmark::DoNotOptimize(reference::ChooseDevices(slow));
  state.counters["twin_ratio"] = (Seconds() - before) / spent;
}

BENCHMARK_CAPTURE(Devices, whole, "nvidia.com/gpu", 2)->Name("devices/whole/1000_of_8");
BENCHMARK_CAPTURE(Devices, part, "koordinator.sh/gpu", 50)->Name("devices/part/1000_of_8");

}  // namespace
}  // namespace muster::bench
