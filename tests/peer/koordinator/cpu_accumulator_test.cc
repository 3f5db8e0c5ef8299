// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Which CPUs a task gets: numbers worked out by hand, and random machines against the slow twin.
#include "lib/peer/koordinator/device/cpu_accumulator.h"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "lib/base/rng.h"
#include "lib/fit/cpu_topology.h"
#include "lib/reference/peer/koordinator/cpus.h"
#include "tests/support/world_loop.h"

namespace muster::testing {
namespace {

// Cores, zones and sockets in order; siblings are neighbors, or as far apart as there are cores.
std::vector<LogicalCpu> Machine(int sockets, int zones, int cores, int threads, bool apart) {
  std::vector<LogicalCpu> cpus;
  const int all = sockets * zones * cores;
  for (int core = 0; core < all; ++core) {
    for (int thread = 0; thread < threads; ++thread) {
      cpus.push_back({.cpu = apart ? core + thread * all : core * threads + thread,
                      .core = core,
                      .zone = core / cores,
                      .socket = core / cores / zones});
    }
  }
  return cpus;
}

// Two sockets of two zones of two cores of two CPUs: 0-3, 4-7 | 8-11, 12-15.
const CpuTopology& Small() {
  static const CpuTopology* const small =
      new CpuTopology(CpuTopology::Make(Machine(2, 2, 2, 2, false)).value());
  return *small;
}

CpuSet Set(const char* text) { return CpuSet::Parse(text).value(); }

std::string Taken(const char* available, const CpuRequest& request, const CpuUse& use = {}) {
  const std::optional<CpuSet> cpus = TakeCpus(Small(), use, Set(available), request);
  return cpus.has_value() ? cpus->ToString() : "none";
}

TEST(CpuAccumulator, FullCores) {
  EXPECT_EQ(Taken("0-15", {.count = 2}), "0-1");
  EXPECT_EQ(Taken("0-15", {.count = 4}), "0-3");
  EXPECT_EQ(Taken("0-15", {.count = 6}), "0-5");
  EXPECT_EQ(Taken("0-15", {.count = 12}), "0-11");
  EXPECT_EQ(Taken("0-15", {.count = 16}), "0-15");
  EXPECT_EQ(Taken("0-15", {.count = 17}), "none");
  EXPECT_EQ(Taken("0-15", {.count = 0}), "");
  // Halves of cores only: one by one after all.
  EXPECT_EQ(Taken("0,2,4,6", {.count = 2}), "0,2");
}

TEST(CpuAccumulator, MostOrFewestFree) {
  // Zone 0 has one core, zone 1 two, zones 2 and 3 one each.
  const char* available = "0-1,4-7,8-9,12-13";
  EXPECT_EQ(Taken(available, {.count = 2}), "4-5");
  EXPECT_EQ(Taken(available, {.count = 2, .order = ZoneOrder::kFewestFree}), "8-9");
  EXPECT_EQ(Taken(available, {.count = 4, .order = ZoneOrder::kFewestFree}), "4-7");
}

TEST(CpuAccumulator, Spread) {
  EXPECT_EQ(Taken("0-15", {.count = 2, .bind = CpuBind::kSpread}), "0,2");
  EXPECT_EQ(Taken("0-15", {.count = 3, .bind = CpuBind::kSpread}), "0-2");
  EXPECT_EQ(Taken("0-15", {.count = 6, .bind = CpuBind::kSpread}), "0-4,6");
  EXPECT_EQ(Taken("0-15", {.count = 10, .bind = CpuBind::kSpread}), "0-4,6,8,10,12,14");
}

TEST(CpuAccumulator, AloneIfPossible) {
  const CpuRequest alone{.count = 2, .bind = CpuBind::kSpread, .exclusive = CpuExclusive::kCore};
  EXPECT_EQ(Taken("0-7", alone, {.core_exclusive = Set("0")}), "4,6");
  EXPECT_EQ(Taken("0-15", alone, {.core_exclusive = Set("0")}),
            "8,10");  // its socket has more free
  EXPECT_EQ(Taken("0-15", alone, {.core_exclusive = Set("0,2,4,6,8,10,12")}), "0,2");

  const CpuRequest in_zone{.count = 2, .exclusive = CpuExclusive::kZone};
  EXPECT_EQ(Taken("0-15", in_zone, {.zone_exclusive = Set("0")}), "8-9");
  EXPECT_EQ(Taken("0-15", in_zone, {.core_exclusive = Set("0")}), "0-1");
  EXPECT_EQ(Taken("0-15", in_zone, {.zone_exclusive = Set("0,4,8,12")}), "0-1");
}

TEST(CpuAccumulator, FewestSharersFirst) {
  EXPECT_EQ(Taken("0-15", {.count = 2}, {.sharers = {1, 1}}), "2-3");
  EXPECT_EQ(Taken("0-15", {.count = 1, .bind = CpuBind::kSpread}, {.sharers = {1, 1}}), "2");
  EXPECT_EQ(Taken("0-15", {.count = 2, .bind = CpuBind::kSpread}, {.sharers = {1, 0, 0, 2}}),
            "1-2");
}

TEST(CpuAccumulator, PreferredFirst) {
  const auto taken = [](int count, const char* preferred) {
    return TakePreferredCpus(Small(), {}, Set("0-15"), Set(preferred), {.count = count})
        .value_or(CpuSet())
        .ToString();
  };
  EXPECT_EQ(taken(2, "12-13"), "12-13");
  EXPECT_EQ(taken(1, "12-13"), "12");
  EXPECT_EQ(taken(4, "12-13"), "0-1,12-13");
  EXPECT_EQ(taken(4, "100"), "0-3");
  EXPECT_EQ(taken(17, "12-13"), "");
}

TEST(CpuAccumulator, LastSocketsGiveACoreEach) {
  const CpuTopology machine = CpuTopology::Make(Machine(3, 1, 4, 2, false)).value();
  EXPECT_EQ(TakeCpus(machine, {}, Set("0-5,8-13,16-21"), {.count = 9})->ToString(),
            "0-5,8-9,16-17");
}

TEST(CpuTopology, RefusesWhatIsNoMachine) {
  const auto message = [](std::vector<LogicalCpu> cpus) {
    return std::string(CpuTopology::Make(cpus).status().message());
  };
  EXPECT_EQ(message({}), "CPU topology: there is no CPU");
  EXPECT_EQ(message({{.cpu = 3}, {.cpu = 3}}), "CPU topology: CPU 3 is named twice");
  EXPECT_EQ(message({{.cpu = -1}}), "CPU topology: CPU -1: -1 is not in 0 .. 8191");
  EXPECT_EQ(message({{.cpu = 0, .core = 2, .zone = 0}, {.cpu = 1, .core = 2, .zone = 1}}),
            "CPU topology: core 2 of socket 0 is in zones 0 and 1");
}

std::set<int> Numbers(const CpuSet& cpus) {
  std::set<int> numbers;
  cpus.ForEach([&](int cpu) { numbers.insert(cpu); });
  return numbers;
}

TEST(CpuAccumulator, RandomMachinesAgainstTheTwin) {
  const uint64_t count = WorldCount(4000);
  size_t placed = 0;
  for (uint64_t seed = 0; seed < count; ++seed) {
    Rng rng(seed);
    const auto below = [&](uint64_t n) { return static_cast<int>(rng.Below(n)); };
    const std::vector<LogicalCpu> machine =
        Machine(1 + below(4), 1 << below(3), 1 + below(5), 1 + below(3), rng.Chance(0.5));
    const CpuTopology topology = CpuTopology::Make(machine).value();

    reference::CpuQuestion slow;
    CpuSet available, preferred;
    CpuUse use;
    slow.shared = rng.Chance(0.3);
    const double free = rng.Chance(0.3) ? 0.98 : rng.Unit();
    const double prefer = rng.Chance(0.7) ? 0 : rng.Unit();
    for (const LogicalCpu& cpu : machine) {
      slow.machine.push_back({cpu.cpu, cpu.core, cpu.zone, cpu.socket});
      const bool is_free = rng.Chance(free);
      if (is_free) available.Add(cpu.cpu);
      if (rng.Chance(prefer)) preferred.Add(cpu.cpu);
      if (slow.shared && rng.Chance(0.5)) slow.sharers[cpu.cpu] = 1 + below(2);
      if (is_free && slow.sharers.count(cpu.cpu) == 0) continue;
      if (rng.Chance(0.1)) use.core_exclusive.Add(cpu.cpu);
      if (rng.Chance(0.05)) use.zone_exclusive.Add(cpu.cpu);
    }
    if (slow.shared) use.sharers.assign(machine.size(), 0);
    for (const auto& [cpu, sharers] : slow.sharers) use.sharers[static_cast<size_t>(cpu)] = sharers;
    const CpuRequest request{
        .count = below(static_cast<uint64_t>(available.size()) + 2),
        .bind = rng.Chance(0.5) ? CpuBind::kFullCores : CpuBind::kSpread,
        .exclusive = static_cast<CpuExclusive>(below(3)),
        .order = rng.Chance(0.5) ? ZoneOrder::kMostFree : ZoneOrder::kFewestFree};
    slow.available = Numbers(available);
    slow.preferred = Numbers(preferred);
    slow.alone_in_core = Numbers(use.core_exclusive);
    slow.alone_in_zone = Numbers(use.zone_exclusive);
    slow.count = request.count;
    slow.full_cores = request.bind == CpuBind::kFullCores;
    slow.fewest_free = request.order == ZoneOrder::kFewestFree;
    slow.core_alone = request.exclusive == CpuExclusive::kCore;
    slow.zone_alone = request.exclusive == CpuExclusive::kZone;

    const std::optional<CpuSet> fast =
        TakePreferredCpus(topology, use, available, preferred, request);
    const std::optional<std::set<int>> right = reference::TakeCpus(slow);
    ASSERT_EQ(fast.has_value(), right.has_value()) << "seed " << seed;
    if (!fast.has_value()) continue;
    ++placed;
    ASSERT_EQ(Numbers(*fast), *right) << "seed " << seed;
    ASSERT_GE(fast->size(), request.count);
    CpuSet outside = *fast;
    ASSERT_TRUE(outside.AndNot(available).empty()) << "seed " << seed;
  }
  EXPECT_GT(placed, count / 2);
}

}  // namespace
}  // namespace muster::testing
