// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// How fast NUMA zones and shared cards are chosen, and what that is against the peers' own code.
// Rows:
//   numa/hints/8_zones, numa/merge/2_of_8_zones   hints of 64 CPUs on 8 zones; merging two full
//                                                 lists of hints
//   numa/cpus/64_of_256                           a CPU set as the static CPU manager takes it
//   numa/task/1000                                one task of two containers asks 1,000 machines of
//                                                 two zones
//   vgpu/{pack,spread}/1000_of_8, ascend/pack/1000_of_8   one task asks 1,000 machines of eight
//                                                         cards: filter and score
//   peer/koordinator/cpus/CPUSxTHREADS/FREE/NEED  the accumulator's workload; `ratio` is the peer's
//                                                 median over ours
//   peer/koordinator/devices/WHAT                 filtering 1,000 machines of eight GPUs, likewise,
//                                                 after a change of one of them
// twin_ratio: the slow twin's time over ours. Peers were measured on the same kind of machine, on
// one core.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "bench/thread_clock.h"
#include "lib/fit/numa_hints.h"
#include "lib/fit/numa_task.h"
#include "lib/fit/static_cpus.h"
#include "lib/peer/koordinator/device/cpu_accumulator.h"
#include "lib/peer/koordinator/device/device_allocator.h"
#include "lib/peer/koordinator/device/device_fleet.h"
#include "lib/peer/volcano/cards/ascend.h"
#include "lib/peer/volcano/cards/vgpu.h"
#include "lib/reference/fit/numa.h"
#include "lib/reference/peer/volcano/cards.h"

namespace muster::bench {
namespace {

// Seconds of one `ours`, of which the row is; each runs `times` times.
template <typename Ours>
double Measure(benchmark::State& state, double times, Ours ours) {
  const double before = Seconds();
  for (auto _ : state) ours();
  return (Seconds() - before) / static_cast<double>(state.iterations()) / times;
}

template <typename Twin>
void AgainstTwin(benchmark::State& state, double spent, Twin twin) {
  const double before = Seconds();
  twin();
  state.counters["twin_ratio"] = (Seconds() - before) / spent;
}

// 256 CPUs of 2 sockets x 4 zones x 16 cores x 2 CPUs, or as requested.
struct Machine {
  Machine(int cores, int threads, int cores_per_zone, int cores_per_socket) {
    std::vector<LogicalCpu> list;
    for (int cpu = 0; cpu < cores * threads; ++cpu) {
      const int core = cpu / threads;
      list.push_back({.cpu = cpu,
                      .core = core,
                      .zone = core / cores_per_zone,
                      .socket = core / cores_per_socket});
      slow.machine[cpu] = {core, core / cores_per_zone, core / cores_per_socket};
      free.Add(cpu);
      slow_free.insert(cpu);
    }
    fast = StaticCpus::Make(list);
    topology = CpuTopology::Make(list);
  }
  absl::StatusOr<StaticCpus> fast = absl::UnknownError("");
  absl::StatusOr<CpuTopology> topology = absl::UnknownError("");
  reference::ManagedCpus slow;
  CpuSet free;
  std::set<int> slow_free;
};

void NumaHintsOfCpus(benchmark::State& state) {
  const Machine machine(128, 2, 16, 64);
  const double spent =
      Measure(state, 1, [&] { benchmark::DoNotOptimize(machine.fast->Hints(machine.free, 64)); });
  AgainstTwin(state, spent,
              [&] { benchmark::DoNotOptimize(machine.slow.Hints(machine.slow_free, 64)); });
}
BENCHMARK(NumaHintsOfCpus)->Name("numa/hints/8_zones");

void NumaMerge(benchmark::State& state) {
  const Machine machine(128, 2, 16, 64);
  const std::vector<NumaHints> resources(2, machine.fast->Hints(machine.free, 64));
  const double spent = Measure(state, 1, [&] {
    benchmark::DoNotOptimize(MergeHints(NumaPolicy::kBestEffort, machine.fast->zones(), resources));
  });
  const std::vector<reference::ZoneHint> hints = machine.slow.Hints(machine.slow_free, 64);
  AgainstTwin(state, spent, [&] {
    benchmark::DoNotOptimize(
        reference::MergeZones("best-effort", {0, 1, 2, 3, 4, 5, 6, 7}, {hints, hints}));
  });
}
BENCHMARK(NumaMerge)->Name("numa/merge/2_of_8_zones");

void NumaCpus(benchmark::State& state) {
  const Machine machine(128, 2, 16, 64);
  const double spent =
      Measure(state, 1, [&] { benchmark::DoNotOptimize(machine.fast->Take(machine.free, 64)); });
  AgainstTwin(state, spent,
              [&] { benchmark::DoNotOptimize(machine.slow.Take(machine.slow_free, 64)); });
}
BENCHMARK(NumaCpus)->Name("numa/cpus/64_of_256");

void NumaPlace(benchmark::State& state) {
  const Machine machine(64, 2, 32, 32);
  std::vector<NumaMachine> machines;
  for (int i = 0; i < 1000; ++i) {
    machines.push_back({.cpus = &*machine.fast,
                        .policy = NumaPolicy::kSingleZone,
                        .static_manager = true,
                        .reserved_milli = 2000,
                        .free = machine.free});
  }
  const NumaTask task{.policy = {}, .container_milli = {8000, 4000}};
  const double spent = Measure(state, 1000, [&] {
    for (const NumaMachine& one : machines) benchmark::DoNotOptimize(PlaceOnZones(one, task));
  });
  AgainstTwin(state, spent, [&] {
    benchmark::DoNotOptimize(reference::PlaceContainers(machine.slow, "single-numa-node",
                                                        machine.slow_free, 2000, {8000, 4000}));
  });
}
BENCHMARK(NumaPlace)->Name("numa/task/1000");

void Vgpu(benchmark::State& state, CardOrder order, const char* name) {
  VgpuMachine machine;
  std::vector<reference::GpuCard> slow;
  for (int i = 0; i < 8; ++i) {
    VgpuCard card;
    card.uuid = "GPU-" + std::to_string(i);
    card.type = "NVIDIA-A100-SXM4-80GB";
    card.memory = 81920;
    card.most_tasks = 10;
    card.tasks = i % 3;
    card.used_memory = 8192 * card.tasks;
    card.used_cores = 20 * card.tasks;
    machine.cards.push_back(card);
    reference::GpuCard& one = slow.emplace_back();
    one.uuid = card.uuid;
    one.type = card.type;
    one.memory = 81920;
    one.most_tasks = 10;
    one.tasks = i % 3;
    one.used_memory = 8192 * one.tasks;
    one.used_cores = 20 * one.tasks;
  }
  VgpuRequest request;
  request.containers.push_back({.count = 2, .memory = 8192, .percent = {}, .cores = 25});
  request.use_types = {"A100"};
  const std::vector<VgpuMachine> machines(1000, machine);
  const double spent = Measure(state, 1000, [&] {
    for (const VgpuMachine& one : machines) {
      benchmark::DoNotOptimize(ChooseCards(one, request, order));
    }
  });
  reference::CardQuestion question;
  question.containers.push_back({.count = 2, .memory = 8192, .percent = -1, .cores = 25});
  question.order = name;
  question.use_types = {"A100"};
  AgainstTwin(state, spent,
              [&] { benchmark::DoNotOptimize(reference::ChooseGpus(question, false, 1, &slow)); });
}
BENCHMARK_CAPTURE(Vgpu, pack, CardOrder::kPack, "binpack")->Name("vgpu/pack/1000_of_8");
BENCHMARK_CAPTURE(Vgpu, spread, CardOrder::kSpread, "spread")->Name("vgpu/spread/1000_of_8");

void Ascend(benchmark::State& state) {
  AscendMachine machine;
  machine.type = "Ascend310P";
  machine.model = {"Ascend310P", 21527, 24576, {{"vir01", 3072}, {"vir02", 6144}}};
  std::vector<reference::Npu> slow;
  for (int i = 0; i < 8; ++i) {
    AscendCard card;
    card.id = std::to_string(i);
    card.most_tasks = 7;
    card.memory = 21527;
    card.cores = 8;
    card.tasks = i % 3;
    card.used_memory = 6144 * card.tasks;
    machine.cards.push_back(card);
    slow.push_back({.memory = 21527,
                    .cores = 8,
                    .most_tasks = 7,
                    .tasks = i % 3,
                    .used_memory = 6144 * (i % 3)});
  }
  AscendRequest request;
  request.containers.push_back({.count = 1, .memory = 5000, .percent = {}, .cores = 0});
  const std::vector<AscendMachine> machines(1000, machine);
  const double spent = Measure(state, 1000, [&] {
    for (const AscendMachine& one : machines) {
      benchmark::DoNotOptimize(ChooseAscend(one, request, CardOrder::kPack));
    }
  });
  reference::NpuQuestion question{.containers = {{.count = 1, .memory = 5000}},
                                  .order = "binpack",
                                  .templates = {3072, 6144},
                                  .allocatable = 21527,
                                  .capacity = 24576};
  AgainstTwin(state, spent,
              [&] { benchmark::DoNotOptimize(reference::ChooseNpus(question, slow)); });
}
BENCHMARK(Ascend)->Name("ascend/pack/1000_of_8");

// --- the peer's workloads: its generator, and its median in microseconds ---

struct Lcg {
  uint64_t x = 1;
  uint64_t Below(uint64_t n) {
    x = x * 6364136223846793005 + 1442695040888963407;
    return (x >> 33) % n;
  }
};

void PeerCpus(benchmark::State& state, int threads, bool half, int need, double peer_us) {
  const Machine machine(128, threads, 64, 64);
  CpuSet available = machine.free;
  Lcg lcg;
  for (int cpu = 0; half && cpu < 128 * threads; ++cpu) {
    if (lcg.Below(100) < 50) available.Remove(cpu);
  }
  const CpuRequest request{
      .count = need, .bind = CpuBind::kFullCores, .order = ZoneOrder::kFewestFree};
  const CpuUse use;
  const double spent = Measure(state, 1, [&] {
    benchmark::DoNotOptimize(TakeCpus(*machine.topology, use, available, request));
  });
  state.counters["ratio"] = peer_us * 1e-6 / spent;
}
BENCHMARK_CAPTURE(PeerCpus, a, 1, false, 16, 123)->Name("peer/koordinator/cpus/128x1/all/16");
BENCHMARK_CAPTURE(PeerCpus, b, 1, false, 48, 133)->Name("peer/koordinator/cpus/128x1/all/48");
BENCHMARK_CAPTURE(PeerCpus, c, 1, true, 16, 79)->Name("peer/koordinator/cpus/128x1/half/16");
BENCHMARK_CAPTURE(PeerCpus, d, 1, true, 48, 313)->Name("peer/koordinator/cpus/128x1/half/48");
BENCHMARK_CAPTURE(PeerCpus, e, 2, false, 16, 184)->Name("peer/koordinator/cpus/128x2/all/16");
BENCHMARK_CAPTURE(PeerCpus, f, 2, false, 48, 186)->Name("peer/koordinator/cpus/128x2/all/48");
BENCHMARK_CAPTURE(PeerCpus, g, 2, true, 16, 98)->Name("peer/koordinator/cpus/128x2/half/16");
BENCHMARK_CAPTURE(PeerCpus, h, 2, true, 48, 239)->Name("peer/koordinator/cpus/128x2/half/48");

// Two GPUs on a PCIe bus, four in a zone. Half are free, of the rest a third half used.
std::vector<MachineDevices> PeerMachines() {
  std::vector<MachineDevices> machines(1000);
  Lcg lcg;
  for (MachineDevices& machine : machines) {
    DeviceAccount& gpus = machine.book(DeviceKind::kGpu);
    for (int i = 0; i < 8; ++i) {
      gpus.devices.push_back({.minor = i, .zone = i / 4, .bus = std::to_string(i / 2)});
      const int64_t percent = lcg.Below(2) == 0 ? 0 : lcg.Below(3) == 0 ? 50 : 100;
      DeviceAmounts& used = gpus.used.emplace_back();
      for (const auto& [resource, total] : {std::pair{DeviceResource::kCore, int64_t{100}},
                                            {DeviceResource::kRatio, int64_t{100}},
                                            {DeviceResource::kMemory, int64_t{16} << 30}}) {
        gpus.devices.back().total.Set(resource, total);
        if (percent > 0) used.Set(resource, total * percent / 100);
      }
    }
  }
  return machines;
}

// A fleet filters for a task; before each, the machine before it has given its devices to another
// task, or got them back.
void PeerDevices(benchmark::State& state, const char* name, int64_t amount, double peer_ms) {
  DeviceFleet fleet(PeerMachines());
  const DeviceClaim request = *ReadDeviceRequest({{{name, amount}}});
  std::vector<DeviceVerdict> verdicts;
  DeviceGrants lent;
  bool lends = false;
  size_t m = 0;
  const double spent = Measure(state, 1, [&] {
    if (lends) {
      fleet.Release(m, lent);
      m = (m + 1) % fleet.size();
    } else {
      lent = ChooseDevices(fleet.machine(m), request, nullptr, /*final=*/true).grants;
      fleet.Take(m, lent);
    }
    lends = !lends;
    fleet.Filter(request, &verdicts);
  });
  state.counters["pass"] = static_cast<double>(std::count_if(
      verdicts.begin(), verdicts.end(), [](const DeviceVerdict& verdict) { return verdict.ok(); }));
  state.counters["ratio"] = peer_ms * 1e-3 / spent;
}
BENCHMARK_CAPTURE(PeerDevices, a, "nvidia.com/gpu", 1, 73.9)->Name("peer/koordinator/devices/1");
BENCHMARK_CAPTURE(PeerDevices, b, "nvidia.com/gpu", 2, 40.9)->Name("peer/koordinator/devices/2");
BENCHMARK_CAPTURE(PeerDevices, c, "nvidia.com/gpu", 4, 62.8)->Name("peer/koordinator/devices/4");
BENCHMARK_CAPTURE(PeerDevices, d, "nvidia.com/gpu", 8, 57.1)->Name("peer/koordinator/devices/8");
BENCHMARK_CAPTURE(PeerDevices, e, "koordinator.sh/gpu", 50, 48.1)
    ->Name("peer/koordinator/devices/half");

}  // namespace
}  // namespace muster::bench
