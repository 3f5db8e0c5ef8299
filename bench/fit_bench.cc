// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// How fast exact places are chosen. Rows:
//   cpus/{full,spread}/64_of_256, cpus/scattered/100_of_256   a CPU set on a machine of 2 sockets x
//                                                             4 zones x 16 cores x 2 CPUs
//   devices/{whole,part}/1000_of_8           one task asks 1,000 machines of eight GPUs, half of
//                                            them in use: filter and score
//   zones/<strategy>/{wide,gpu,three}        one task asks 1,000 machines of eight zones: check and score, as the peer was
//                                            measured; ratio: its time of both over ours
//   bundles/<strategy>/<bundles>_on_<nodes>  a group of alike bundles on machines in different use
// twin_ratio: the slow twin's time over ours. scattered: every third CPU is taken, so that only the
// last resort is left.
#include <benchmark/benchmark.h>

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "bench/thread_clock.h"
#include "lib/fit/zoned_node.h"
#include "lib/peer/koordinator/device/cpu_accumulator.h"
#include "lib/peer/koordinator/device/device_allocator.h"
#include "lib/peer/ray/bundles.h"
#include "lib/reference/fit/zones.h"
#include "lib/reference/peer/koordinator/cpus.h"
#include "lib/reference/peer/koordinator/device_worlds.h"
#include "lib/reference/peer/ray/bundles.h"

namespace muster::bench {
namespace {

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
  DeviceAccount& gpus = machine.book(DeviceKind::kGpu);
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
  const DeviceClaim request = *ReadDeviceRequest({{{name, amount}}});
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

// The generator with which the peer's figures were made.
int64_t Draw(uint64_t* x, uint64_t n) {
  *x = *x * 6364136223846793005u + 1442695040888963407u;
  return static_cast<int64_t>((*x >> 33) % n);
}

using Amounts = std::vector<std::pair<size_t, int64_t>>;  // cpu, memory, a GPU

void Zones(benchmark::State& state, ZoneStrategy strategy, const char* name,
           const std::vector<Amounts>& containers, double recorded) {
  static constexpr const char* kNames[] = {"cpu", "memory", "vendor/gpu"};
  constexpr int64_t kGi = int64_t{1} << 30;
  std::vector<ZonedNode> nodes;
  reference::ZoneWorld slow{.on_machine = {"cpu", "memory", "vendor/gpu"}};
  uint64_t x = 1;
  for (int i = 0; i < 1'000; ++i) {
    std::vector<Zone> zones;
    slow.zones.clear();
    for (int id = 0; id < 8; ++id) {
      Zone zone{.id = id, .available = {1000 * Draw(&x, 17), kGi * Draw(&x, 65), Draw(&x, 2)}};
      reference::ZoneWorld::Zone copy{.id = id};
      for (size_t r = 0; r < 3; ++r) copy.available[kNames[r]] = zone.available[r];
      for (int to = 0; to < 8; ++to) {
        copy.distances[to] = to == id ? 10 : to / 4 == id / 4 ? 12 : 32;
        zone.distances.emplace_back(to, copy.distances[to]);
      }
      zones.push_back(zone);
      slow.zones.push_back(copy);
    }
    nodes.push_back(*ZonedNode::Make({.policy = ZonePolicy::kSingle}, zones, {true, true, true}));
  }
  ZonedTask task{.guaranteed = true};
  for (const Amounts& container : containers) {
    ZonedRequest request;
    slow.parts.emplace_back();
    for (const auto& [r, amount] : container) {
      const int64_t scaled = r == 0 ? 1000 * amount : r == 1 ? kGi * amount : amount;
      request.push_back({r, scaled, ZonedResourceOf(kNames[r])});
      slow.parts.back().request[kNames[r]] = scaled;
    }
    task.parts.emplace_back(ZonedTask::Part::kMain, request);
  }
  const ZoneScoring scoring{.strategy = strategy, .weights = {}};
  double spent = -Seconds();
  for (auto _ : state) {
    for (const ZonedNode& node : nodes) {
      benchmark::DoNotOptimize(node.Check(task));
      benchmark::DoNotOptimize(node.Score(task, scoring));
    }
  }
  spent = (spent + Seconds()) / static_cast<double>(state.iterations());
  state.counters["ratio"] = recorded / spent;
  const double before = Seconds();
  benchmark::DoNotOptimize(slow.Check());
  benchmark::DoNotOptimize(slow.Score(name));
  state.counters["twin_ratio"] = (Seconds() - before) * 1'000 / spent;
}

const std::vector<Amounts>& Wide() {
  static const std::vector<Amounts> containers = {{{0, 24}, {1, 40}}};
  return containers;
}
const std::vector<Amounts>& WithGpu() {
  static const std::vector<Amounts> containers = {{{0, 4}, {1, 8}, {2, 1}}};
  return containers;
}
const std::vector<Amounts>& Three() {
  static const std::vector<Amounts> containers = {
      {{0, 2}, {1, 4}}, {{0, 2}, {1, 4}}, {{0, 2}, {1, 4}}};
  return containers;
}

constexpr ZoneStrategy kLeast = ZoneStrategy::kLeastAllocated;
constexpr ZoneStrategy kBalanced = ZoneStrategy::kBalanced;
constexpr ZoneStrategy kFewest = ZoneStrategy::kFewestZones;
BENCHMARK_CAPTURE(Zones, lw, kLeast, "least", Wide(), 108.4e-3)->Name("zones/least/wide");
BENCHMARK_CAPTURE(Zones, lg, kLeast, "least", WithGpu(), 119.0e-3)->Name("zones/least/gpu");
BENCHMARK_CAPTURE(Zones, lt, kLeast, "least", Three(), 149.0e-3)->Name("zones/least/three");
BENCHMARK_CAPTURE(Zones, bg, kBalanced, "balanced", WithGpu(), 111.8e-3)
    ->Name("zones/balanced/gpu");
BENCHMARK_CAPTURE(Zones, fw, kFewest, "fewest", Wide(), 184.8e-3)->Name("zones/fewest/wide");
BENCHMARK_CAPTURE(Zones, fg, kFewest, "fewest", WithGpu(), 135.4e-3)->Name("zones/fewest/gpu");
BENCHMARK_CAPTURE(Zones, ft, kFewest, "fewest", Three(), 147.1e-3)->Name("zones/fewest/three");

void Bundles(benchmark::State& state, BundleStrategy strategy, const char* name, size_t bundles,
             size_t machines) {
  std::vector<BundleNode> nodes;
  reference::BundleWorld slow;
  uint64_t x = 1;
  for (size_t i = 0; i < machines; ++i) {
    nodes.push_back({{80'000, 640'000}, {80'000, 10'000 * (32 + Draw(&x, 33))}});
    slow.total.push_back(nodes.back().total);
    slow.available.push_back(nodes.back().available);
  }
  const std::vector<Bundle> group(bundles, Bundle{.request = {10'000, 80'000}});
  double spent = -Seconds();
  for (auto _ : state) {
    benchmark::DoNotOptimize(PlaceBundles(nodes, group, {.strategy = strategy}));
  }
  spent = (spent + Seconds()) / static_cast<double>(state.iterations());
  state.counters["bundles_per_s"] = static_cast<double>(bundles) / spent;
  std::set<size_t> all;
  for (size_t i = 0; i < machines; ++i) all.insert(i);
  slow.bundles.assign(bundles, {10'000, 80'000});
  slow.allowed.assign(bundles, all);
  std::string why;
  const double before = Seconds();
  benchmark::DoNotOptimize(slow.Place(name, &why));
  state.counters["twin_ratio"] = (Seconds() - before) / spent;
}

BENCHMARK_CAPTURE(Bundles, pack, BundleStrategy::kPack, "pack", 40, 1'000)
    ->Name("bundles/pack/40_on_1000");
BENCHMARK_CAPTURE(Bundles, spread, BundleStrategy::kSpread, "spread", 40, 1'000)
    ->Name("bundles/spread/40_on_1000");
BENCHMARK_CAPTURE(Bundles, strict_pack, BundleStrategy::kStrictPack, "strict pack", 4, 1'000)
    ->Name("bundles/strict_pack/4_on_1000");
BENCHMARK_CAPTURE(Bundles, strict_spread, BundleStrategy::kStrictSpread, "strict spread", 1'000,
                  10'000)
    ->Name("bundles/strict_spread/1000_on_10000");

}  // namespace
}  // namespace muster::bench
