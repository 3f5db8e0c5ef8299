// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// NUMA placement: numbers worked out by hand, recordings of the peer's accumulator, and random
// machines against the slow twin.
#include "lib/reference/fit/numa.h"

#include <bit>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "lib/base/rng.h"
#include "lib/fit/numa_hints.h"
#include "lib/fit/numa_task.h"
#include "lib/fit/static_cpus.h"
#include "tests/support/world_loop.h"

namespace muster::testing {
namespace {

NumaHint Hint(uint64_t zones, bool preferred = false) {
  return {.zones = zones, .preferred = preferred};
}

NumaChoice Merge(NumaPolicy policy, std::vector<NumaHints> resources, uint64_t zones = 0b11) {
  return MergeHints(policy, zones, resources).value();
}

TEST(NumaHints, CommonZones) {
  const NumaHints low{{Hint(0b01, true), Hint(0b11)}}, high{{Hint(0b10, true), Hint(0b11)}};
  const NumaChoice both_low = Merge(NumaPolicy::kSingleZone, {low, low});
  EXPECT_EQ(both_low.hint, Hint(0b01, true));
  EXPECT_TRUE(both_low.admitted);
  // Preferred zones that have nothing in common: the narrowest of the others.
  const NumaChoice apart = Merge(NumaPolicy::kRestricted, {low, high});
  EXPECT_EQ(apart.hint, Hint(0b01));
  EXPECT_FALSE(apart.admitted);
  EXPECT_TRUE(Merge(NumaPolicy::kBestEffort, {low, high}).admitted);
  // One zone each, and not the same.
  EXPECT_EQ(Merge(NumaPolicy::kSingleZone, {low, high}).hint, Hint(0b11));
}

const NumaHints kNoWay{std::vector<NumaHint>()};  // cannot be had

TEST(NumaHints, WhoDoesNotCareAndWhatCannotBeHad) {
  for (NumaPolicy policy :
       {NumaPolicy::kBestEffort, NumaPolicy::kRestricted, NumaPolicy::kSingleZone}) {
    EXPECT_EQ(Merge(policy, {}).hint, Hint(0b11, true));
    EXPECT_EQ(Merge(policy, {std::nullopt}).hint, Hint(0b11, true));
    EXPECT_TRUE(Merge(policy, {std::nullopt}).admitted);
    const NumaChoice none = Merge(policy, {kNoWay});
    EXPECT_EQ(none.hint, Hint(0b11));
    EXPECT_EQ(none.admitted, policy == NumaPolicy::kBestEffort);
  }
  const NumaChoice unasked = Merge(NumaPolicy::kNone, {kNoWay});
  EXPECT_EQ(unasked.hint, NumaHint{});
  EXPECT_TRUE(unasked.admitted);
  // Zones that the machine does not have.
  EXPECT_EQ(Merge(NumaPolicy::kBestEffort, {NumaHints{{Hint(0b100, true)}}}).hint, Hint(0b11));
}

TEST(NumaHints, RefusesTooManyZones) {
  EXPECT_EQ(MergeHints(NumaPolicy::kBestEffort, 0x1ffff, {}).status().message(),
            "NUMA hints: the machine has 17 zones, more than 16");
}

reference::ZoneHint Slow(const NumaHint& hint) {
  reference::ZoneHint slow{.any = !hint.zones.has_value(), .preferred = hint.preferred};
  for (int zone = 0; zone < 64; ++zone) {
    if (hint.zones.value_or(0) >> zone & 1) slow.zones.insert(zone);
  }
  return slow;
}

constexpr std::pair<NumaPolicy, const char*> kPolicies[] = {
    {NumaPolicy::kNone, "none"},
    {NumaPolicy::kBestEffort, "best-effort"},
    {NumaPolicy::kRestricted, "restricted"},
    {NumaPolicy::kSingleZone, "single-numa-node"}};

TEST(NumaHints, RandomHintsAgainstTheTwin) {
  const uint64_t count = WorldCount(3000);
  uint64_t admitted = 0;
  for (uint64_t seed = 0; seed < count; ++seed) {
    Rng rng(seed);
    uint64_t zones = 0;
    for (uint64_t n = 1 + rng.Below(4); n > 0; --n) zones |= uint64_t{1} << rng.Below(6);
    std::set<int> slow_zones = Slow(Hint(zones)).zones;
    std::vector<NumaHints> resources(rng.Below(4));
    std::vector<std::optional<std::vector<reference::ZoneHint>>> slow(resources.size());
    for (size_t i = 0; i < resources.size(); ++i) {
      if (rng.Chance(0.1)) continue;
      resources[i].emplace();
      slow[i].emplace();
      for (uint64_t n = rng.Below(6); n > 0; --n) {
        NumaHint hint{.preferred = rng.Chance(0.5)};
        if (!rng.Chance(0.1)) hint.zones = rng.Below(64);
        resources[i]->push_back(hint);
        slow[i]->push_back(Slow(hint));
      }
    }
    const auto& [policy, name] = kPolicies[rng.Below(4)];
    const NumaChoice fast = MergeHints(policy, zones, resources).value();
    const reference::ZoneMerge right = reference::MergeZones(name, slow_zones, slow);
    ASSERT_EQ(Slow(fast.hint), right.best) << "seed " << seed << " " << name;
    ASSERT_EQ(fast.admitted, right.admitted) << "seed " << seed << " " << name;
    admitted += fast.admitted;
  }
  EXPECT_GT(admitted, count / 4);
  EXPECT_LT(admitted, count);
}

// Cores, a zone to each socket; siblings are neighbors, or as far apart as there are cores.
std::vector<LogicalCpu> Machine(int sockets, int cores, int threads, bool apart, bool by_socket,
                                int zones_in_socket = 1) {
  std::vector<LogicalCpu> cpus;
  const int all = sockets * cores;
  for (int core = 0; core < all; ++core) {
    for (int thread = 0; thread < threads; ++thread) {
      cpus.push_back({.cpu = apart ? core + thread * all : core * threads + thread,
                      .core = by_socket ? core % cores : core,
                      .zone = core * zones_in_socket / cores,
                      .socket = core / cores});
    }
  }
  return cpus;
}

// Two sockets, each a zone of two cores of two CPUs: 0-3 | 4-7.
StaticCpus Small() { return StaticCpus::Make(Machine(2, 2, 2, false, false)).value(); }

CpuSet Cpus(const char* text) { return CpuSet::Parse(text).value(); }

TEST(StaticCpus, Hints) {
  using Hints = std::vector<NumaHint>;
  EXPECT_EQ(Small().Hints(Cpus("0-7"), 4), (Hints{Hint(1, true), Hint(2, true), Hint(3)}));
  EXPECT_EQ(Small().Hints(Cpus("1-7"), 4), (Hints{Hint(2, true), Hint(3)}));
  EXPECT_EQ(Small().Hints(Cpus("1-3,5-7"), 4), (Hints{Hint(3)}));
  EXPECT_EQ(Small().Hints(Cpus("0-7"), 6), (Hints{Hint(3, true)}));
  EXPECT_EQ(Small().Hints(Cpus("0-7"), 9), Hints());
  const StaticCpus wide = StaticCpus::Make(Machine(3, 1, 1, false, false)).value();
  EXPECT_EQ(wide.Hints(Cpus("0-2"), 2),
            (Hints{Hint(3, true), Hint(5, true), Hint(6, true), Hint(7)}));
}

TEST(StaticCpus, Allocate) {
  const auto allocated = [](const char* free, uint64_t zones, int count) {
    return Small().Allocate(Cpus(free), Hint(zones, true), count).ToString();
  };
  EXPECT_EQ(allocated("0-7", 1, 4), "0-3");
  EXPECT_EQ(allocated("1-7", 2, 4), "4-7");
  EXPECT_EQ(allocated("1-7", 1, 2), "2-3");
  EXPECT_EQ(allocated("1-7", 1, 4), "1-4");  // three of the zone, one of the other
  EXPECT_EQ(allocated("0-7", 1, 9), "");
  EXPECT_EQ(Small().Allocate(Cpus("0-7"), {}, 3).ToString(), "0-2");
}

TEST(StaticCpus, Reserved) {
  EXPECT_EQ(Small().WithoutReserved(Cpus("0-7"), 0).ToString(), "0-7");
  EXPECT_EQ(Small().WithoutReserved(Cpus("0-7"), 1).ToString(), "1-7");
  EXPECT_EQ(Small().WithoutReserved(Cpus("0-7"), 1500).ToString(), "2-7");
  EXPECT_EQ(Small().WithoutReserved(Cpus("4-9"), 2000).ToString(), "4-7");
  EXPECT_EQ(Small().WithoutReserved(Cpus("0-7"), 8001).ToString(), "0-7");  // cannot be: nothing is
}

TEST(StaticCpus, RefusesWhatIsNoMachine) {
  const auto message = [](std::vector<LogicalCpu> cpus) {
    return std::string(StaticCpus::Make(cpus).status().message());
  };
  EXPECT_EQ(message({{.cpu = 3}, {.cpu = 3}}), "CPU manager: CPU 3 is named twice");
  EXPECT_EQ(message({{.cpu = 1, .core = 8192}}), "CPU manager: CPU 1: 8192 is not in 0 .. 8191");
  EXPECT_EQ(message({{.cpu = 1, .zone = 64}}), "CPU manager: CPU 1: zone 64 is not in 0 .. 63");
  std::vector<LogicalCpu> scattered;
  for (int i = 0; i < 17; ++i) scattered.push_back({.cpu = i, .zone = i});
  EXPECT_EQ(message(scattered), "CPU manager: the machine has 17 zones, more than 16");
  const StaticCpus none = StaticCpus::Make({}).value();
  EXPECT_FALSE(none.Take(Cpus("0-3"), 1).has_value());
  EXPECT_TRUE(none.Hints(Cpus("0-3"), 1).empty());
  EXPECT_TRUE(none.Allocate(Cpus("0-3"), Hint(1), 1).empty());
}

// Volcano's own accumulator on machines of up to three sockets of up to twenty cores: sums over the
// ids it took.
TEST(StaticCpus, TakesWhatThePeerTakes) {
  const uint64_t recorded[] = {6096931334449606438U,  2693516053063754042U,  3357085448397014995U,
                               10794179660908087226U, 16503124566933802793U, 8758287363473317055U};
  uint64_t total = 1469598103934665603;
  const auto mix = [](uint64_t sum, uint64_t value) { return (sum ^ value) * 1099511628211; };
  for (uint64_t seed = 0; seed < 600; ++seed) {
    uint64_t x = seed * 77 + 1;
    const auto next = [&](int n) {
      x = x * 6364136223846793005 + 1442695040888963407;
      return static_cast<int>((x >> 33) % static_cast<uint64_t>(n));
    };
    const int sockets = 1 + next(3), cores = 1 + next(20), threads = 1 + next(2);
    const bool apart = next(2) == 1, by_socket = next(2) == 1;
    const int free = 1 + next(4);
    const std::vector<LogicalCpu> cpus = Machine(sockets, cores, threads, apart, by_socket);
    CpuSet available;
    for (const LogicalCpu& cpu : cpus) {
      if (next(5) <= free) available.Add(cpu.cpu);
    }
    const int count = 1 + next(available.size() + 1);
    const std::optional<CpuSet> taken = StaticCpus::Make(cpus)->Take(available, count);
    uint64_t sum = taken.has_value() ? 7 : 5;
    if (taken.has_value()) {
      taken->ForEach([&](int cpu) { sum = mix(sum, static_cast<uint64_t>(cpu) + 1); });
    }
    total = mix(total, sum);
    if (seed % 100 == 99) ASSERT_EQ(total, recorded[seed / 100]) << "up to seed " << seed;
  }
}

std::set<int> Numbers(const CpuSet& cpus) {
  std::set<int> numbers;
  cpus.ForEach([&](int cpu) { numbers.insert(cpu); });
  return numbers;
}

TEST(NumaTask, RandomTasksAgainstTheTwin) {
  const uint64_t count = WorldCount(1500);
  uint64_t placed = 0;
  for (uint64_t seed = 0; seed < count; ++seed) {
    Rng rng(seed);
    const auto below = [&](uint64_t n) { return static_cast<int>(rng.Below(n)); };
    const std::vector<LogicalCpu> cpus = Machine(1 + below(3), 2 + below(8), 1 + below(2),
                                                 rng.Chance(0.5), rng.Chance(0.5), 1 + below(2));
    const StaticCpus machine = StaticCpus::Make(cpus).value();
    reference::ManagedCpus slow;
    NumaMachine node{.cpus = &machine, .static_manager = true};
    const double free = rng.Unit();
    for (const LogicalCpu& cpu : cpus) {
      slow.machine[cpu.cpu] = {cpu.core, cpu.zone, cpu.socket};
      if (rng.Chance(free)) node.free.Add(cpu.cpu);
    }
    const auto& [policy, name] = kPolicies[1 + rng.Below(3)];
    node.policy = policy;
    node.reserved_milli = below(2) * 700 * below(4);
    NumaTask task;
    std::vector<int> milli;
    for (uint64_t n = 1 + rng.Below(3); n > 0; --n) {
      milli.push_back(rng.Chance(0.1) ? 1500 : 1000 * below(10));
      task.container_milli.push_back(milli.back());
    }
    const NumaAnswer fast = PlaceOnZones(node, task);
    const std::optional<std::set<int>> right = reference::PlaceContainers(
        slow, name, Numbers(node.free), static_cast<int>(node.reserved_milli), milli);
    ASSERT_EQ(fast.ok(), right.has_value()) << "seed " << seed;
    const NumaFit fit = FitOnZones(node, task);
    ASSERT_EQ(fit.ok, fast.ok()) << "seed " << seed;
    ASSERT_EQ(fit.zones, fast.ok() ? std::popcount(machine.ZonesOf(fast.cpus)) : 0)
        << "seed " << seed;
    if (!right.has_value()) continue;
    ++placed;
    ASSERT_EQ(Numbers(fast.cpus), *right) << "seed " << seed;
  }
  EXPECT_GT(placed, count / 4);
}

TEST(NumaTask, WhoIsAsked) {
  const StaticCpus cpus = Small();
  NumaMachine machine{.cpus = &cpus,
                      .policy = NumaPolicy::kRestricted,
                      .static_manager = true,
                      .free = Cpus("0-7")};
  NumaTask task{.policy = std::nullopt, .container_milli = {2000, -1, 500}};
  EXPECT_EQ(PlaceOnZones(machine, task).cpus.ToString(), "0-1");
  task.policy = NumaPolicy::kSingleZone;
  EXPECT_EQ(PlaceOnZones(machine, task).outcome, NumaOutcome::kOtherPolicy);
  task.policy = NumaPolicy::kRestricted;
  EXPECT_EQ(PlaceOnZones(machine, task).outcome, NumaOutcome::kPlaced);
  task.container_milli = {2000, 9000};
  EXPECT_EQ(PlaceOnZones(machine, task).outcome, NumaOutcome::kNotAdmitted);
  EXPECT_EQ(PlaceOnZones(machine, task).container, 1);
  machine.free = {};
  EXPECT_EQ(PlaceOnZones(machine, task).outcome, NumaOutcome::kNoCpus);
  machine.static_manager = false;
  EXPECT_EQ(PlaceOnZones(machine, task).outcome, NumaOutcome::kNotStatic);
  machine.cpus = nullptr;
  EXPECT_EQ(PlaceOnZones(machine, task).outcome, NumaOutcome::kNoTopology);
  task.policy = NumaPolicy::kNone;
  EXPECT_EQ(PlaceOnZones(machine, task).outcome, NumaOutcome::kNotAsked);
}

TEST(NumaTask, Scores) {
  using Scores = std::vector<int64_t>;
  EXPECT_EQ(NumaScores(std::vector<int>{1, 2, 3}), (Scores{67, 34, 0}));
  EXPECT_EQ(NumaScores(std::vector<int>{0, 0}), (Scores{100, 100}));
  EXPECT_EQ(NumaScores({}), Scores());
  EXPECT_EQ(Small().ZonesOf(Cpus("3-4,9")), 0b11u);
}

TEST(NumaTask, BookOfACycle) {
  NumaBook book;
  CpuSet free = Cpus("0-7");
  book.Choose(5, 1, Cpus("0-1"));
  book.Choose(5, 2, Cpus("4-5"));
  book.Choose(3, 1, Cpus("2-3"));
  book.Take(5, 1, &free);
  book.Take(3, 1, &free);
  book.Take(4, 1, &free);  // was never asked
  EXPECT_EQ(free.ToString(), "4-7");
  EXPECT_EQ(book.Holdings(),
            (std::vector<NumaBook::Holding>{{3, 1, Cpus("2-3")}, {5, 1, Cpus("0-1")}}));
  book.Release(5, 1, &free);
  EXPECT_EQ(free.ToString(), "0-1,4-7");
  EXPECT_EQ(book.Holdings().size(), 1u);
}

TEST(NumaTask, PendingUntilAllAreReported) {
  std::vector<PendingCpus> pending = {{{"u1", "ns", "p1"}, Cpus("0-1")},
                                      {{"u2", "ns", "p2"}, Cpus("3")}};
  const std::vector<NumaPod> one = {{"u1", "other", "p1"}};
  EXPECT_EQ(FreeAfterPending(Cpus("0-3"), one, &pending).ToString(), "2");
  EXPECT_EQ(pending.size(), 2u);
  const std::vector<NumaPod> both = {{"u1", "", ""}, {"u9", "ns", "p2"}};
  EXPECT_EQ(FreeAfterPending(Cpus("0-3"), both, &pending).ToString(), "0-3");
  EXPECT_TRUE(pending.empty());
}

}  // namespace
}  // namespace muster::testing
