// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Device requests, devices chosen by hand, and random machines against the slow twin.
#include "lib/peer/koordinator/device/device_allocator.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "lib/base/rng.h"
#include "lib/peer/koordinator/device/device_fleet.h"
#include "lib/reference/peer/koordinator/device_worlds.h"
#include "tests/support/world_loop.h"

namespace muster::testing {
namespace {

using R = DeviceResource;
using Amounts = std::vector<std::pair<std::string, int64_t>>;

DeviceAmounts Of(std::vector<std::pair<R, int64_t>> amounts) {
  DeviceAmounts out;
  for (const auto& [resource, amount] : amounts) out.Set(resource, amount);
  return out;
}

const DeviceAmounts kWholeGpu = Of({{R::kCore, 100}, {R::kMemory, 80}, {R::kRatio, 100}});

// Eight GPUs, two to a bus, four to a zone; a card on every bus.
MachineDevices Eight() {
  MachineDevices machine;
  for (int i = 0; i < 8; ++i) {
    const std::string bus(1, static_cast<char>('a' + i / 2));
    machine.book(DeviceKind::kGpu)
        .devices.push_back({.minor = i, .total = kWholeGpu, .zone = i / 4, .bus = bus});
    if (i % 2 == 0) {
      machine.book(DeviceKind::kRdma)
          .devices.push_back(
              {.minor = i / 2, .total = Of({{R::kRdma, 100}}), .zone = i / 4, .bus = bus});
    }
  }
  for (DeviceAccount& book : machine.books) book.used.resize(book.devices.size());
  return machine;
}

DeviceClaim Request(const Amounts& amounts) { return ReadDeviceRequest(amounts).value(); }

std::vector<int> Minors(const DeviceAnswer& answer, DeviceKind kind) {
  std::vector<int> minors;
  for (const DeviceGrant& grant : answer.grants[static_cast<size_t>(kind)]) {
    minors.push_back(grant.minor);
  }
  return minors;
}

std::vector<int> Gpus(const MachineDevices& machine, const DeviceClaim& request) {
  return Minors(ChooseDevices(machine, request, nullptr, true), DeviceKind::kGpu);
}

using Ids = std::vector<int>;

TEST(DeviceClaim, WhatItComesToForEachDevice) {
  const DeviceWish two = Request({{"nvidia.com/gpu", 2}, {"cpu", 3}}).of(DeviceKind::kGpu);
  EXPECT_EQ(two.count, 2);
  EXPECT_EQ(two.each, Of({{R::kCore, 100}, {R::kRatio, 100}}));
  EXPECT_FALSE(two.partial);
  const DeviceWish half = Request({{"koordinator.sh/gpu", 50}}).of(DeviceKind::kGpu);
  EXPECT_EQ(half.each, Of({{R::kCore, 50}, {R::kRatio, 50}}));
  EXPECT_TRUE(half.partial);
  const DeviceWish shared =
      Request({{"koordinator.sh/gpu.shared", 4}, {"koordinator.sh/gpu-memory", 20}})
          .of(DeviceKind::kGpu);
  EXPECT_EQ(shared.count, 4);
  EXPECT_EQ(shared.each, Of({{R::kMemory, 5}}));
  EXPECT_TRUE(Request({{"koordinator.sh/rdma", 0}}).of(DeviceKind::kRdma).total.IsZero());
}

TEST(DeviceClaim, RefusesWhatIsNoRequest) {
  const std::pair<Amounts, const char*> rows[] = {
      {{{"koordinator.sh/gpu", 150}},
       "device request: koordinator.sh/gpu 150: above 100, and no multiple of it"},
      {{{"koordinator.sh/rdma", 101}},
       "device request: koordinator.sh/rdma 101: above 100, and no multiple of it"},
      {{{"nvidia.com/gpu", 1}, {"amd.com/gpu", 1}},
       "device request: nvidia.com/gpu and amd.com/gpu are no request together"},
      {{{"koordinator.sh/gpu-core", 50}},
       "device request: koordinator.sh/gpu-core are no request together"},
      {{{"koordinator.sh/gpu.shared", 2}, {"koordinator.sh/gpu-memory-ratio", 51}},
       "device request: koordinator.sh/gpu-memory-ratio 51: no multiple of "
       "koordinator.sh/gpu.shared"},
      {{{"koordinator.sh/gpu.shared", 1}, {"koordinator.sh/gpu-memory-ratio", 101}},
       "device request: koordinator.sh/gpu-memory-ratio 101: more than 100 of each device"},
      {{{"koordinator.sh/fpga", -1}}, "device request: koordinator.sh/fpga -1: below 0"},
  };
  for (const auto& [amounts, message] : rows) {
    EXPECT_EQ(ReadDeviceRequest(amounts).status().message(), message);
  }
}

TEST(Devices, SmallestPartOfTheTree) {
  MachineDevices machine = Eight();
  EXPECT_EQ(Gpus(machine, Request({{"nvidia.com/gpu", 2}})), (Ids{0, 1}));
  EXPECT_EQ(Gpus(machine, Request({{"nvidia.com/gpu", 3}})), (Ids{0, 1, 2}));
  EXPECT_EQ(Gpus(machine, Request({{"nvidia.com/gpu", 8}})).size(), 8u);
  EXPECT_EQ(Gpus(machine, Request({{"nvidia.com/gpu", 9}})), Ids{});
  // What is begun is filled.
  machine.book(DeviceKind::kGpu).used[5] = Of({{R::kCore, 10}, {R::kMemory, 8}, {R::kRatio, 10}});
  EXPECT_EQ(Gpus(machine, Request({{"nvidia.com/gpu", 1}})), (Ids{4}));
  EXPECT_EQ(Gpus(machine, Request({{"nvidia.com/gpu", 2}})), (Ids{6, 7}));
  DeviceClaim near = Request({{"nvidia.com/gpu", 3}});
  near.scope = GpuScope::kBus;
  const DeviceAnswer answer = ChooseDevices(machine, near, nullptr, true);
  EXPECT_EQ(answer.reason, DeviceReason::kFewInScope);
  EXPECT_TRUE(answer.EvictionMayHelp());
}

TEST(Devices, PartitionsKeepLargeOnesWhole) {
  MachineDevices machine = Eight();
  machine.partitions = HopperPartitions();
  machine.honors_partitions = true;
  EXPECT_EQ(Gpus(machine, Request({{"nvidia.com/gpu", 3}})), Ids{});
  machine.book(DeviceKind::kGpu).used[4] = kWholeGpu;
  EXPECT_EQ(Gpus(machine, Request({{"nvidia.com/gpu", 1}})), (Ids{5}));
  EXPECT_EQ(Gpus(machine, Request({{"nvidia.com/gpu", 2}})), (Ids{6, 7}));
  EXPECT_EQ(Gpus(machine, Request({{"nvidia.com/gpu", 4}})), (Ids{0, 1, 2, 3}));
}

TEST(Devices, JointOnTheSameBuses) {
  MachineDevices machine = Eight();
  DeviceClaim request = Request({{"nvidia.com/gpu", 4}, {"koordinator.sh/rdma", 10}});
  request.joint = {DeviceKind::kGpu, DeviceKind::kRdma};
  request.joint_same_bus = true;
  machine.book(DeviceKind::kGpu).used[0] = kWholeGpu;
  DeviceAnswer answer = ChooseDevices(machine, request, nullptr, true);
  EXPECT_EQ(Minors(answer, DeviceKind::kGpu), (Ids{4, 5, 6, 7}));
  EXPECT_EQ(Minors(answer, DeviceKind::kRdma), (Ids{2, 3}));
  machine.book(DeviceKind::kRdma).used[3] = Of({{R::kRdma, 95}});
  answer = ChooseDevices(machine, request, nullptr, true);
  EXPECT_EQ(answer.reason, DeviceReason::kOffTheBus);
  EXPECT_EQ(answer.kind, DeviceKind::kRdma);
}

TEST(Devices, BooksTakeAndGiveBack) {
  MachineDevices machine = Eight();
  const DeviceAnswer half =
      ChooseDevices(machine, Request({{"koordinator.sh/gpu", 50}}), nullptr, true);
  ASSERT_TRUE(half.ok());
  EXPECT_EQ(half.grants[0][0].amounts, Of({{R::kCore, 50}, {R::kRatio, 50}, {R::kMemory, 40}}));
  Take(half.grants, &machine);
  EXPECT_EQ(machine.book(DeviceKind::kGpu).Free(0),
            Of({{R::kCore, 50}, {R::kMemory, 40}, {R::kRatio, 50}}));
  const DeviceScorer empty{.weights = Of({{R::kRatio, 1}})};
  EXPECT_EQ(ScoreMachine(machine, Request({{"koordinator.sh/gpu", 50}}), empty), 87);
  Release(half.grants, &machine);
  EXPECT_TRUE(machine.book(DeviceKind::kGpu).used[0].IsZero());
}

TEST(Devices, RefusesWhatIsNoMachine) {
  const auto broken = [](auto change) {
    MachineDevices machine = Eight();
    change(machine);
    return std::string(CheckDevices(machine).message());
  };
  EXPECT_EQ(broken([](MachineDevices&) {}), "");
  EXPECT_EQ(broken([](MachineDevices& m) { m.books[0].used.pop_back(); }),
            "GPUs: 8 devices, and 7 books");
  EXPECT_EQ(broken([](MachineDevices& m) { m.books[0].devices[7].minor = 64; }),
            "GPU 64: minors are 0 to 63");
  EXPECT_EQ(broken([](MachineDevices& m) { m.books[1].devices[1].minor = 0; }),
            "RDMA card 0: comes after 0; minors ascend, and each is there once");
  EXPECT_EQ(broken([](MachineDevices& m) { m.books[0].used[3].Set(R::kCore, -1); }),
            "GPU 3: an amount is below 0");
  EXPECT_EQ(broken([](MachineDevices& m) {
              m.books[1].devices[0].virtual_groups = {{{}, {"1"}}, {{}, {"2", "1"}}};
            }),
            "RDMA card 0: function \"1\" is there twice");
  EXPECT_EQ(broken([](MachineDevices& m) {
              m.partitions = {{.gpus = 2, .partitions = {{.minors = 7}}}};
            }),
            "partition of 2 GPUs: names 3");
}

const std::pair<R, const char*> kNamed[] = {
    {R::kCore, "core"}, {R::kMemory, "memory"}, {R::kRatio, "ratio"}, {R::kRdma, "rdma"}};

reference::Quantities Named(const DeviceAmounts& amounts) {
  reference::Quantities named;
  for (const auto& [resource, name] : kNamed) {
    if (amounts.has(resource)) named[name] = amounts.at(resource);
  }
  return named;
}

struct DevicesToAllocate {
  MachineDevices machine;
  DeviceClaim request;
  DeviceScorer scorer;
  reference::DeviceWorld slow;
};

DevicesToAllocate RandomWorld(uint64_t seed) {
  Rng rng(seed);
  const auto below = [&](uint64_t n) { return static_cast<int>(rng.Below(n)); };
  DevicesToAllocate world;
  const Amounts gpu_requests[] = {
      {{"nvidia.com/gpu", 1 + below(6)}},
      {{"koordinator.sh/gpu", 10 * (1 + below(9))}},
      {{"koordinator.sh/gpu-core", 30}, {"koordinator.sh/gpu-memory", 5 + below(60)}},
      {{"koordinator.sh/gpu.shared", 2}, {"koordinator.sh/gpu-memory-ratio", 2 * (1 + below(50))}}};
  Amounts amounts;
  if (rng.Chance(0.85)) amounts = gpu_requests[below(4)];
  if (amounts.empty() || rng.Chance(0.4)) {
    amounts.push_back({"koordinator.sh/rdma", rng.Chance(0.3) ? 200 : 1 + below(100)});
  }
  world.request = Request(amounts);
  const bool both = amounts.back().first == "koordinator.sh/rdma" && amounts.size() > 1;
  if (both && rng.Chance(0.6)) {
    world.request.joint = {DeviceKind::kGpu, DeviceKind::kRdma};
    if (rng.Chance(0.2)) std::swap(world.request.joint[0], world.request.joint[1]);
    world.request.joint_same_bus = rng.Chance(0.5);
  }
  if (rng.Chance(0.4)) world.request.scope = static_cast<GpuScope>(1 + below(3));
  world.request.by_partition = rng.Chance(0.2);
  world.request.first_partitions_only = rng.Chance(0.2);
  if (rng.Chance(0.5)) world.machine.partitions = HopperPartitions();
  for (GpuPartitions& table : world.machine.partitions) {
    for (GpuPartition& partition : table.partitions) partition.score = 1 + below(2);
  }
  const bool selects = rng.Chance(0.3), functions = rng.Chance(0.2);
  const LabelSelector fast{.rules = {{.key = "type", .values = {"fast"}}}};
  if (selects) world.request.of(DeviceKind::kRdma).selector = fast;
  if (functions) world.request.of(DeviceKind::kRdma).function_selector = fast;

  const bool placed = rng.Chance(0.85);
  const int gpus_per_bus = 1 + below(4);
  for (size_t k = 0; k < 2; ++k) {
    const int count = k == 0 ? below(9) : below(5);
    DeviceAccount& book = world.machine.books[k];
    for (int i = 0; i < count; ++i) {
      const int bus = k == 0 ? i / gpus_per_bus : i;
      Device device{.minor = i,
                    .healthy = rng.Chance(0.92),
                    .placed = placed,
                    .zone = bus / 2,
                    .bus = placed ? std::to_string(bus) : ""};
      if (device.healthy) device.total = k == 0 ? kWholeGpu : Of({{R::kRdma, 100}});
      device.labels = {{"type", rng.Chance(0.6) ? "fast" : "slow"}};
      if (k == 1 && rng.Chance(0.5)) {
        device.virtual_groups = {{{{"type", rng.Chance(0.6) ? "fast" : "slow"}}, {"2", "1"}}};
      }
      const int64_t used = rng.Chance(0.5) ? 0 : rng.Chance(0.4) ? 100 : below(100);
      book.devices.push_back(device);
      book.used.emplace_back();
      if (used == 0 || !device.healthy) continue;
      book.used.back() =
          k == 0 ? Of({{R::kCore, used}, {R::kMemory, used * 80 / 100}, {R::kRatio, used}})
                 : Of({{R::kRdma, used}});
      if (rng.Chance(0.3)) book.used_functions.insert({i, "1"});
    }
  }
  world.scorer = {.prefer_full = rng.Chance(0.5),
                  .weights = Of({{R::kMemory, 1}, {R::kRatio, 1 + below(3)}, {R::kRdma, 1}})};

  reference::DeviceWorld& slow = world.slow;
  const char* const names[] = {"gpu", "rdma"};
  for (size_t k = 0; k < 2; ++k) {
    reference::DeviceWorld::Kind& kind = slow.kinds[names[k]];
    const DeviceWish& wish = world.request.wishes[k];
    kind.each = Named(k == 0 ? wish.each : wish.total);
    kind.count = wish.count;
    if (k == 1 && wish.total.at(R::kRdma) > 100) {
      kind.count = wish.total.at(R::kRdma) / 100;
      kind.each = {{"rdma", 100}};
    }
    kind.wants_function = wish.function_selector.has_value() && !wish.total.IsZero();
    const DeviceAccount& book = world.machine.books[k];
    for (size_t i = 0; i < book.devices.size(); ++i) {
      const Device& device = book.devices[i];
      reference::DeviceWorld::One& one = kind.devices[device.minor];
      one = {.total = Named(device.total),
             .used = Named(book.used[i]),
             .zone = std::to_string(device.zone),
             .bus = device.bus,
             .matches = k == 0 || !selects || device.labels[0].second == "fast"};
      for (const Device::VirtualGroup& group : device.virtual_groups) {
        one.has_functions = true;
        if (group.labels[0].second != "fast") continue;
        one.functions.push_back("2");
        if (book.used_functions.count({device.minor, "1"}) == 0) one.functions.push_back("1");
      }
    }
  }
  for (const GpuPartitions& table : world.machine.partitions) {
    for (const GpuPartition& partition : table.partitions) {
      slow.groups.push_back({.gpus = {}, .score = partition.score});
      for (int i = 0; i < 8; ++i) {
        if (partition.minors >> i & 1) slow.groups.back().gpus.insert(i);
      }
    }
  }
  for (DeviceKind kind : world.request.joint)
    slow.joint.push_back(names[static_cast<size_t>(kind)]);
  slow.same_bus = world.request.joint_same_bus;
  slow.honor = world.request.by_partition;
  slow.first_groups_only = world.request.first_partitions_only;
  slow.partial = world.request.of(DeviceKind::kGpu).partial;
  slow.scope = static_cast<int>(world.request.scope);
  slow.weights = Named(world.scorer.weights);
  slow.prefer_full = world.scorer.prefer_full;
  return world;
}

TEST(Devices, RandomMachinesAgainstTheTwin) {
  const uint64_t count = WorldCount(20000);
  size_t placed = 0;
  for (uint64_t seed = 0; seed < count; ++seed) {
    DevicesToAllocate world = RandomWorld(seed);
    for (bool scored : {false, true}) {
      world.slow.scored = scored;
      const DeviceAnswer fast =
          ChooseDevices(world.machine, world.request, scored ? &world.scorer : nullptr, true);
      const auto right = reference::ChooseDevices(world.slow);
      ASSERT_EQ(fast.ok(), right.has_value()) << "seed " << seed;
      if (!fast.ok()) continue;
      ++placed;
      reference::Chosen chosen;
      for (size_t k = 0; k < 2; ++k) {
        const Ids minors = Minors(fast, static_cast<DeviceKind>(k));
        if (!minors.empty()) chosen[k == 0 ? "gpu" : "rdma"] = minors;
        ASSERT_EQ(fast.grants[k].empty() || world.request.wishes[k].function_selector.has_value(),
                  fast.grants[k].empty() || !fast.grants[k][0].function.empty());
      }
      ASSERT_EQ(chosen, *right) << "seed " << seed;
    }
  }
  EXPECT_GT(placed, count / 2);
}

TEST(DeviceFleet, VerdictsAreThoseOfEachMachine) {
  const uint64_t count = WorldCount(1000);
  size_t fits = 0, refused = 0;
  for (uint64_t seed = 0; seed < count; ++seed) {
    Rng rng(seed);
    std::vector<MachineDevices> machines;
    for (int m = 0; m < 12; ++m) {
      // Some are alike, and some are alike but for what one of their GPUs has in use.
      if (m > 0 && rng.Chance(0.5)) {
        machines.push_back(machines[rng.Below(machines.size())]);
        DeviceAccount& gpus = machines.back().book(DeviceKind::kGpu);
        if (!gpus.used.empty()) std::swap(gpus.used.front(), gpus.used.back());
      } else {
        machines.push_back(RandomWorld(rng.Next()).machine);
      }
      machines.back().honors_partitions = rng.Chance(0.1);
      if (rng.Chance(0.7)) machines.back().partitions.clear();
    }
    DeviceFleet fleet(machines);
    std::vector<std::pair<size_t, DeviceGrants>> taken;
    for (int step = 0; step < 6; ++step) {
      DevicesToAllocate world = RandomWorld(rng.Next());
      if (rng.Chance(0.6)) {
        world.request.scope = GpuScope::kAny;
        world.request.by_partition = false;
      }
      std::vector<DeviceVerdict> verdicts;
      fleet.Filter(world.request, &verdicts);
      ASSERT_EQ(verdicts.size(), machines.size());
      for (size_t m = 0; m < machines.size(); ++m) {
        const DeviceAnswer right = ChooseDevices(machines[m], world.request, nullptr, false);
        ASSERT_EQ(verdicts[m], (DeviceVerdict{right.reason, right.kind})) << "seed " << seed;
        ++(right.ok() ? fits : refused);
      }
      const size_t m = rng.Below(machines.size());
      if (rng.Chance(0.2)) {
        machines[m] = world.machine;
        fleet.Set(m, world.machine);
        std::erase_if(taken, [m](const auto& grants) { return grants.first == m; });
      } else if (!taken.empty() && rng.Chance(0.4)) {
        fleet.Release(taken.back().first, taken.back().second);
        Release(taken.back().second, &machines[taken.back().first]);
        taken.pop_back();
      } else if (verdicts[m].ok()) {
        const DeviceAnswer answer = ChooseDevices(machines[m], world.request, nullptr, true);
        if (!answer.ok()) continue;
        fleet.Take(m, answer.grants);
        Take(answer.grants, &machines[m]);
        taken.emplace_back(m, answer.grants);
      }
    }
  }
  EXPECT_GT(fits, count);
  EXPECT_GT(refused, count);
}

// Classes that no machine is in are forgotten.
TEST(DeviceFleet, ManyChangesLeaveVerdictsRight) {
  std::vector<MachineDevices> machines(2);
  for (MachineDevices& machine : machines) {
    machine.book(DeviceKind::kGpu).devices.push_back({.minor = 0, .total = kWholeGpu});
    machine.book(DeviceKind::kGpu).used.emplace_back();
  }
  DeviceFleet fleet(machines);
  const DeviceClaim half = Request({{"koordinator.sh/gpu", 50}});
  std::vector<DeviceVerdict> verdicts;
  for (int64_t percent = 0; percent <= 100; ++percent) {
    MachineDevices machine = machines[0];
    machine.book(DeviceKind::kGpu).used[0] = Of({{R::kCore, percent}, {R::kRatio, percent}});
    fleet.Set(1, machine);
    fleet.Filter(half, &verdicts);
    EXPECT_TRUE(verdicts[0].ok());
    EXPECT_EQ(verdicts[1].ok(), percent <= 50) << percent;
  }
}

}  // namespace
}  // namespace muster::testing
