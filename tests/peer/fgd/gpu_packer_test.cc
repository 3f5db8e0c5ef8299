// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/fgd/gpu_packer.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "absl/strings/str_join.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/peer/fgd/change_list.h"
#include "lib/reference/peer/fgd/gpu_packing.h"
#include "tests/support/world_loop.h"

namespace muster {
namespace {

constexpr struct {
  const char* name;
  PackingPolicy policy;
} kPolicies[] = {{"fgd", PackingPolicy::kFragments},
                 {"fgd:best-fit", PackingPolicy::kBestFit},
                 {"fgd:dotprod", PackingPolicy::kDotProduct},
                 {"fgd:gpu-packing", PackingPolicy::kGpuPacking},
                 {"fgd:gpu-clustering", PackingPolicy::kGpuClustering},
                 {"fgd:random", PackingPolicy::kRandom}};

TEST(SigmoidScore, IsTheFormulaEverywhere) {
  const SigmoidScore score;
  EXPECT_EQ(score(0), 50);
  EXPECT_EQ(score(-1e-9), 49);
  EXPECT_EQ(score(1e-9), 50);
  EXPECT_EQ(score(-1e9), 0);
  EXPECT_EQ(score(1e9), 100);
  Rng rng(7);
  for (int i = 0; i < 20000; ++i) {
    const double d = (rng.Unit() - 0.5) * (rng.Chance(0.5) ? 16000 : rng.Chance(0.5) ? 100 : 1e-10);
    ASSERT_EQ(score(d), SigmoidFormula(d)) << d;
  }
  // A few doubles on both sides of where the number changes.
  for (int number = 1; number < 100; ++number) {
    double d = -1000 * std::log(100.0 / number - 1);
    for (int i = 0; i < 8; ++i) d = std::nextafter(d, -1e9);
    for (int i = 0; i < 16; ++i, d = std::nextafter(d, 1e9)) {
      ASSERT_EQ(score(d), SigmoidFormula(d)) << number << " " << d;
    }
  }
}

TEST(ChangeList, NamesEachThatChangedOnceTheNewestFirst) {
  Rng rng(3);
  for (int world = 0; world < 50; ++world) {
    const size_t things = 1 + rng.Below(9);
    ChangeList changes(things);
    std::vector<size_t> log;
    for (int step = 0; step < 40; ++step) {
      const auto then = static_cast<uint32_t>(rng.Below(log.size() + 1));
      std::vector<size_t> expected, seen;
      for (size_t i = log.size(); i > then; --i) {
        if (std::count(expected.begin(), expected.end(), log[i - 1]) == 0) {
          expected.push_back(log[i - 1]);
        }
      }
      changes.Since(then, [&](size_t i) { seen.push_back(i); });
      ASSERT_EQ(seen, expected) << then << " of " << log.size();
      ASSERT_EQ(changes.now(), log.size());
      const size_t thing = rng.Below(things);
      ASSERT_EQ(changes.Changed(thing), std::count(log.begin(), log.end(), thing) > 0);
      changes.Note(thing);
      log.push_back(thing);
    }
  }
}

TEST(TypicalTasks, AreTheMostFrequentUpToNinetyFivePercentAndTiesGoByWhatIsAskedFor) {
  const std::vector<GpuTaskKind> kinds = {
      {.cpu_milli = 1, .gpu_milli = 500, .gpus = 1, .count = 10},
      {.cpu_milli = 2, .count = 60},
      {.cpu_milli = 1, .gpu_milli = 600, .gpus = 1, .models = "A", .model_mask = 1, .count = 10},
      {.cpu_milli = 1, .gpu_milli = 600, .gpus = 1, .models = "B", .model_mask = 2, .count = 15},
      {.cpu_milli = 9, .gpu_milli = 1000, .gpus = 2, .count = 5},
  };
  const std::vector<TypicalTask> typical = TypicalTasks(kinds);
  ASSERT_EQ(typical.size(), 4U);
  EXPECT_EQ(typical[0].cpu_milli, 2);
  EXPECT_EQ(typical[1].model_mask, 2U);
  EXPECT_EQ(typical[2].gpu_milli, 600);
  EXPECT_EQ(typical[3].gpu_milli, 500);
  EXPECT_DOUBLE_EQ(typical[0].weight, 60.0 / 95);
  EXPECT_TRUE(TypicalTasks({}).empty());

  const std::vector<TypicalTask> all = TypicalTasks(kinds, /*percent=*/100);
  ASSERT_EQ(all.size(), 5U);
  EXPECT_EQ(all[4].cpu_milli, 9);
  EXPECT_DOUBLE_EQ(all[0].weight, 60.0 / 100);
  EXPECT_EQ(TypicalTasks(kinds, /*percent=*/100, /*most=*/2).size(), 2U);
}

TEST(GpuFragments, CountWhatTheUsualTasksCannotUse) {
  // Half request half a GPU and 4 cpus, half two whole GPUs of model 1.
  GpuFragments fragments({{4000, 500, 1, ~0ULL, 0.5}, {1000, 1000, 2, 2, 0.5}}, 2);
  const auto amount = [&](int32_t model, int64_t cpu, GpuLefts left) {
    return fragments.Amount(fragments.StateOf(model, 3, left), fragments.LevelOf(cpu));
  };
  EXPECT_EQ(amount(1, 4000, {1000, 1000, 400}), 0.5 * 400 + 0.5 * 400);
  EXPECT_EQ(amount(0, 4000, {1000, 1000, 400}), 0.5 * 400 + 0.5 * 2400);
  EXPECT_EQ(amount(1, 3999, {1000, 1000, 400}), 0.5 * 2400 + 0.5 * 400);
  EXPECT_EQ(amount(1, 4000, {400, 1000, 600}), 0.5 * 400 + 0.5 * 2000);
  EXPECT_EQ(amount(1, 4000, {0, 0, 0}), 0);
  EXPECT_EQ(amount(1, 4000, {400, 1000, 600}), amount(1, 9000, {1000, 600, 400}));
}

TEST(PackingScore, HasTheWorkedNumbers) {
  PackedMachine empty{.cpu_milli = 96000, .gpus = 8, .total = 8000, .whole = 8, .most = 1000};
  empty.left.fill(1000);
  PackedMachine used = empty;
  used.left[0] = 400;
  used.total = 7400;
  used.whole = 7;
  used.tags = 1;
  const GpuTaskType part{.cpu_milli = 4000, .gpu_milli = 300, .gpus = 1};
  const GpuTaskType big{.cpu_milli = 4000, .gpu_milli = 500, .gpus = 1};
  const GpuTaskType two{.cpu_milli = 8000, .gpu_milli = 1000, .gpus = 2};
  const GpuTaskType none{.cpu_milli = 8000};
  const auto score = [](PackingPolicy policy, const GpuTaskType& task, const PackedMachine& m) {
    return PackingScore(policy, task, m);
  };
  using enum PackingPolicy;
  EXPECT_EQ(score(kBestFit, two, empty), 28);     // 1 - (88/256 + 6/16) = 0.28125
  EXPECT_EQ(score(kDotProduct, two, empty), 85);  // 1 - (0.75 / 16 + 1 / 4) / 2 = 0.8515625
  EXPECT_EQ(score(kGpuPacking, part, empty), 25);
  EXPECT_EQ(score(kGpuPacking, part, used), 96);
  EXPECT_EQ(score(kGpuPacking, big, used), 49);
  EXPECT_EQ(score(kGpuPacking, two, used), 48);
  EXPECT_EQ(score(kGpuPacking, none, used), 0);
  EXPECT_EQ(score(kGpuClustering, part, empty), 25);
  EXPECT_EQ(score(kGpuClustering, part, used), 76);
  EXPECT_EQ(score(kGpuClustering, two, used), 1);
  used.tags |= 1U << 2;
  EXPECT_EQ(score(kGpuClustering, two, used), 51);
  EXPECT_EQ(score(kGpuClustering, none, used), 0);
}

// A small cluster, tasks on a coarse grid so that ties and exact fits are common, and far more of
// them than fit.
struct World {
  std::vector<GpuMachine> machines;
  std::vector<GpuTaskType> types;
  std::vector<std::vector<std::string>> models;  // by type
  std::vector<uint32_t> list, arrivals;          // types
};

World RandomPackingWorld(Rng& rng) {
  World world;
  const uint64_t machines = 1 + rng.Below(rng.Chance(0.2) ? 150 : 12);
  const auto models = static_cast<int32_t>(1 + rng.Below(4));
  for (uint64_t i = 0; i < machines; ++i) {
    world.machines.push_back({static_cast<int64_t>(rng.Below(12) * 8000),
                              static_cast<int64_t>(rng.Below(9) * 64),
                              static_cast<int32_t>(rng.Chance(0.1) ? 16 : rng.Below(9)),
                              static_cast<int32_t>(rng.Below(static_cast<uint64_t>(models)))});
  }
  const uint64_t types = 1 + rng.Below(14);
  const bool chosen = rng.Chance(0.5);
  for (uint64_t i = 0; i < types; ++i) {
    GpuTaskType type{.cpu_milli = static_cast<int64_t>(rng.Below(9) * 1500),
                     .memory = static_cast<int64_t>(rng.Below(5) * 16)};
    std::vector<std::string> names;
    if (!rng.Chance(0.2)) {
      type.gpus = rng.Chance(0.7) ? 1 : static_cast<int32_t>(1 + rng.Below(5));
      type.gpu_milli =
          type.gpus > 1 || rng.Chance(0.3) ? 1000 : static_cast<int32_t>(50 + 50 * rng.Below(19));
      if (chosen && rng.Chance(0.5)) {
        type.model_mask = 0;
        for (int32_t m = 0; m < models; ++m) {
          if (!rng.Chance(0.5)) continue;
          type.model_mask |= uint64_t{1} << m;
          names.push_back(std::to_string(m));
        }
        if (names.empty()) type.model_mask = ~0ULL;
      }
    }
    world.types.push_back(type);
    world.models.push_back(names);
  }
  const auto draw = [&](uint64_t count, std::vector<uint32_t>* out) {
    for (uint64_t i = 0; i < count; ++i) {
      out->push_back(static_cast<uint32_t>(rng.Below(rng.Chance(0.5) ? types : 1 + types / 4)));
    }
  };
  draw(1 + rng.Below(60), &world.list);
  draw(machines * (10 + rng.Below(20)), &world.arrivals);
  return world;
}

void ComparePacking(uint64_t seed) {
  Rng rng(seed);
  const World world = RandomPackingWorld(rng);
  std::vector<reference::PackingTask> tasks, list;
  std::vector<GpuTaskKind> kinds;
  for (size_t i = 0; i < world.types.size(); ++i) {
    const GpuTaskType& t = world.types[i];
    tasks.push_back({t.cpu_milli, t.memory, t.gpu_milli, t.gpus, world.models[i]});
    const std::string words = absl::StrJoin(world.models[i], "|");
    const int64_t count = std::count(world.list.begin(), world.list.end(), i);
    const auto known = std::find_if(kinds.begin(), kinds.end(), [&](const GpuTaskKind& k) {
      return k.cpu_milli == t.cpu_milli && k.gpu_milli == t.gpu_milli && k.gpus == t.gpus &&
             k.models == words;
    });
    if (known != kinds.end()) {
      known->count += count;
    } else if (count > 0) {
      kinds.push_back({t.cpu_milli, t.gpu_milli, t.gpus, words, t.model_mask, count});
    }
  }
  for (uint32_t type : world.list) list.push_back(tasks[type]);
  std::vector<reference::Packing::Machine> machines;
  for (const GpuMachine& m : world.machines) {
    machines.push_back({m.cpu_milli, m.memory,
                        std::vector<int64_t>(static_cast<size_t>(m.gpus), 1000),
                        std::to_string(m.model)});
  }
  for (const auto& [name, policy] : kPolicies) {
    reference::Packing slow(name, machines, list, seed);
    GpuFragments fragments(TypicalTasks(kinds), 4);
    ASSERT_EQ(fragments.typical().size(), slow.typical().size());
    for (size_t i = 0; i < slow.typical().size(); ++i) {
      ASSERT_EQ(fragments.typical()[i].weight, slow.typical()[i].weight);
    }
    GpuPacker fast(policy, world.machines, world.types, std::move(fragments), seed,
                   /*measured=*/true);
    for (size_t i = 0; i < world.arrivals.size(); ++i) {
      const auto want = slow.Place(tasks[world.arrivals[i]]);
      const GpuPlace got = fast.Place(world.arrivals[i]);
      ASSERT_EQ(got.machine, want.has_value() ? static_cast<int32_t>(want->machine) : -1)
          << name << " seed " << seed << " arrival " << i;
      uint32_t gpus = 0;
      if (want.has_value()) {
        for (size_t gpu : want->gpus) gpus |= 1U << gpu;
      }
      ASSERT_EQ(got.gpus, gpus) << name << " seed " << seed << " arrival " << i;
      if (!want.has_value()) continue;
      // The last bit counts: a number may hang on it.
      ASSERT_EQ(fast.Amount(want->machine), slow.Fragments(slow.machines()[want->machine]))
          << name << " seed " << seed << " arrival " << i;
    }
  }
}

TEST(GpuPacker, DecidesAsTheTwinOnRandomClusters) {
  const uint64_t count = testing::WorldCount(150);
  for (uint64_t seed = 0; seed < count && !::testing::Test::HasFatalFailure(); ++seed) {
    ComparePacking(seed);
  }
}

TEST(GpuPacker, WithoutMachinesNothingFits) {
  GpuPacker packer(PackingPolicy::kFragments, {}, {{.cpu_milli = 1}}, GpuFragments({}, 1), 0, true);
  EXPECT_EQ(packer.Place(0).machine, -1);
  EXPECT_EQ(packer.Place(0).machine, -1);
}

TEST(GpuPacker, TiesGoToTheFirstMachineAndWholeGpusAreTheFirstFree) {
  const std::vector<GpuMachine> machines(3, {.cpu_milli = 64000, .memory = 1, .gpus = 4});
  GpuPacker packer(PackingPolicy::kGpuPacking, machines,
                   {{.gpu_milli = 400, .gpus = 1}, {.gpu_milli = 1000, .gpus = 2}},
                   GpuFragments({}, 1), 0, false);
  GpuPlace place = packer.Place(0);
  EXPECT_EQ(place.machine, 0);
  EXPECT_EQ(place.gpus, 0b1U);
  place = packer.Place(1);
  EXPECT_EQ(place.machine, 0);
  EXPECT_EQ(place.gpus, 0b110U);
  EXPECT_EQ(packer.machine(0).total, 1600);
}

}  // namespace
}  // namespace muster
