// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Shares of GPUs, partitions, exclusive rules and GPU share: numbers worked out by hand, and random
// machines against the slow twin.
#include "lib/peer/volcano/cards/vgpu.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "lib/base/rng.h"
#include "lib/peer/volcano/cards/card_request.h"
#include "lib/peer/volcano/cards/exclusive_cards.h"
#include "lib/peer/volcano/cards/gpu_share.h"
#include "lib/peer/volcano/cards/mig.h"
#include "lib/reference/peer/volcano/cards.h"
#include "tests/support/world_loop.h"

namespace muster::testing {
namespace {

VgpuMachine Machine(int cards) {
  VgpuMachine machine;
  for (int i = 0; i < cards; ++i) {
    VgpuCard card;
    card.uuid = "GPU-" + std::to_string(i);
    card.type = "NVIDIA-A100";
    card.memory = 16384;
    card.most_tasks = 4;
    machine.cards.push_back(card);
  }
  return machine;
}

VgpuRequest Asking(int64_t count, int64_t memory, int64_t cores) {
  VgpuRequest request;
  request.containers.push_back({.count = count, .memory = memory, .percent = {}, .cores = cores});
  return request;
}

// The cards of the first container, or why there are none.
std::string Chosen(const VgpuAnswer& answer) {
  const char* const refusals[] = {"", "other mode", "too few cards", "no such uuid", "no room"};
  std::string text = refusals[static_cast<size_t>(answer.refusal)];
  if (!answer.ok()) return text;
  for (const VgpuGrant& grant : answer.containers[0]) text += std::to_string(grant.card);
  return text;
}

TEST(Vgpu, Orders) {
  VgpuMachine machine = Machine(3);
  machine.cards[1].tasks = 1;
  machine.cards[1].used_memory = 4096;
  const VgpuRequest request = Asking(1, 4096, 25);
  const VgpuAnswer packed = ChooseCards(machine, request, CardOrder::kPack);
  EXPECT_EQ(Chosen(packed), "1");
  EXPECT_EQ(packed.score, 50);
  const VgpuAnswer spread = ChooseCards(machine, request, CardOrder::kSpread);
  EXPECT_EQ(Chosen(spread), "0");
  EXPECT_EQ(spread.score, 0);  // with the device on it no card is without tasks
  EXPECT_EQ(Chosen(ChooseCards(machine, request, CardOrder::kLastFirst)), "2");
  EXPECT_EQ(Chosen(ChooseCards(machine, Asking(2, 1, 1), CardOrder::kPack)), "10");
  EXPECT_EQ(Chosen(ChooseCards(machine, Asking(4, 1, 1), CardOrder::kPack)), "too few cards");
}

TEST(Vgpu, RulesOfACard) {
  VgpuMachine machine = Machine(2);
  const auto chosen = [&](const VgpuRequest& request, std::span<const int> barred = {}) {
    return Chosen(ChooseCards(machine, request, CardOrder::kPack, barred));
  };
  VgpuRequest named = Asking(1, 1, 1);
  named.use_uuids = {"GPU-1"};
  EXPECT_EQ(chosen(named), "1");
  named.use_uuids = {"GPU-7"};
  EXPECT_EQ(chosen(named), "no such uuid");
  named.use_uuids.clear();
  named.avoid_uuids = {"GPU-0"};
  EXPECT_EQ(chosen(named), "1");
  VgpuRequest typed = Asking(1, 1, 1);
  typed.use_types = {"h100", "a100"};
  EXPECT_EQ(chosen(typed), "0");
  typed.avoid_types = {"A100"};  // not looked at beside use_types
  EXPECT_EQ(chosen(typed), "0");
  typed.use_types.reset();
  EXPECT_EQ(chosen(typed), "no room");
  VgpuRequest moded = Asking(1, 1, 1);
  moded.mode = "mig";
  EXPECT_EQ(chosen(moded), "other mode");
  const int barred[] = {0};
  EXPECT_EQ(chosen(Asking(1, 1, 1), barred), "1");

  machine.cards[0].tasks = 1;
  machine.cards[0].used_cores = 100;
  EXPECT_EQ(chosen(Asking(1, 1, 0)), "1");    // nothing of what is all taken
  EXPECT_EQ(chosen(Asking(1, 1, 100)), "1");  // all of what is empty
  machine.cards[1].used_memory = 16384 - 1638;
  VgpuRequest part = Asking(1, 0, 10);
  part.containers[0].percent = 10;
  EXPECT_EQ(chosen(part), "1");
  part.containers[0].percent = 11;
  EXPECT_EQ(chosen(part), "no room");
}

TEST(Vgpu, GroupsApart) {
  VgpuMachine machine = Machine(2);
  VgpuRequest request = Asking(1, 4096, 25);
  request.group = "ns/job";
  request.apart_from_group = true;
  EXPECT_EQ(Chosen(TakeCards("a", request, CardOrder::kPack, &machine)), "0");
  EXPECT_EQ(Chosen(TakeCards("b", request, CardOrder::kPack, &machine)), "1");
  EXPECT_EQ(Chosen(TakeCards("c", request, CardOrder::kPack, &machine)), "no room");
  EXPECT_EQ(machine.cards[0].tasks, 1);
  EXPECT_EQ(machine.cards[1].used_memory, 4096);
  EXPECT_TRUE(HasGroup(machine.cards[0], "ns/job"));
  EXPECT_FALSE(HasGroup(machine.cards[0], ""));
  request.apart_from_group = false;
  EXPECT_EQ(Chosen(TakeCards("c", request, CardOrder::kPack, &machine)), "0");
  EXPECT_TRUE(RemoveHolder({"a", "", 4096, 25}, {}, 1, &machine.cards[0]));
  EXPECT_FALSE(RemoveHolder({"a", "", 4096, 25}, {}, 1, &machine.cards[0]));
  EXPECT_EQ(machine.cards[0].used_memory, 4096);
  AddHolder({"c", "", 1, 1}, {}, 1, &machine.cards[0]);  // it has the card already
  EXPECT_EQ(machine.cards[0].tasks, 1);
}

TEST(Vgpu, ARequestOfNoCardCountsOnOne) {
  VgpuMachine machine = Machine(1);
  EXPECT_EQ(Chosen(TakeCards("a", Asking(0, 100, 1), CardOrder::kPack, &machine)), "");
  EXPECT_EQ(machine.cards[0].tasks, 1);
  EXPECT_EQ(machine.cards[0].used_memory, 100);
  EXPECT_TRUE(machine.cards[0].holders.empty());
}

TEST(Vgpu, RefusesWhatIsNoMachine) {
  VgpuMachine machine = Machine(2);
  machine.cards[1].uuid = "GPU-0";
  EXPECT_EQ(CheckCards(machine).message(), "card 1: its UUID \"GPU-0\" is that of card 0");
  machine.cards[1] = machine.cards[0];
  machine.cards[1].uuid = "";
  machine.cards[1].memory = -1;
  EXPECT_EQ(CheckCards(machine).message(), "card 1: -1 is below 0");
  machine.cards[1].memory = 1;
  machine.cards[1].used_cores = 101;
  EXPECT_EQ(CheckCards(machine).message(), "card 1: 101 used cores are not in 0 .. 100");
  machine.cards.pop_back();
  machine.mode = "mig";
  EXPECT_EQ(CheckCards(machine).message(), "card 0: is in partitions, and no geometry is known");
  machine.memory_factor = 0;
  EXPECT_EQ(CheckCards(machine).message(), "cards: a memory factor of 0 is below 1");
}

TEST(CardRequest, Amounts) {
  const CardNames names{.count = "n", .memory = "m", .percent = "p", .cores = "c"};
  EXPECT_FALSE(ReadCardRequest({{"c", 5}}, {{"n", 1}}, names)->has_value());
  const CardRequest by_memory = **ReadCardRequest({{"m", 7}}, {{"c", 5}}, names);
  EXPECT_EQ(by_memory.count, 1);
  EXPECT_EQ(by_memory.memory, 7);
  EXPECT_EQ(by_memory.cores, 5);
  EXPECT_FALSE(by_memory.percent.has_value());
  EXPECT_EQ(ReadCardRequest({{"n", 2}}, {}, names)->value().percent, 100);
  EXPECT_EQ(ReadCardRequest({{"n", 2}}, {{"m", 3}}, names)->value().memory, 3);
  EXPECT_EQ(ReadCardRequest({{"n", 2}, {"p", 30}}, {}, names)->value().percent, 30);
  EXPECT_EQ(ReadCardRequest({{"n", -1}}, {}, names).status().message(),
            "card request: \"n\": -1 is not in 0 .. 2147483647");
}

TEST(Mig, Instances) {
  const std::vector<MigGeometry> allowed = {{"a", {{"big", 40, 1}, {"small", 10, 2}}},
                                            {"b", {{"whole", 80, 1}}}};
  MigUse use;
  EXPECT_EQ(FindInstance(use, allowed, 8)->slot, (MigSlot{0, 1}));
  EXPECT_EQ(FindInstance(use, allowed, 60)->slot, (MigSlot{1, 0}));
  EXPECT_FALSE(FindInstance(use, allowed, 81).has_value());
  EXPECT_EQ(AddInstance(allowed, {0, 1}, &use), 10);
  EXPECT_EQ(FindInstance(use, allowed, 8)->slot, (MigSlot{0, 2}));
  EXPECT_FALSE(FindInstance(use, allowed, 30).has_value());  // none of that kind is in use
  EXPECT_FALSE(FindInstance(use, allowed, 60).has_value());  // it is cut otherwise
  EXPECT_EQ(AddInstance(allowed, {0, 2}, &use), 10);
  EXPECT_FALSE(FindInstance(use, allowed, 8).has_value());
  EXPECT_EQ(RemoveInstance(allowed, {0, 1}, &use), 10);
  EXPECT_EQ(RemoveInstance(allowed, {0, 2}, &use), 10);
  EXPECT_EQ(RemoveInstance(allowed, {0, 2}, &use), 0);
  EXPECT_EQ(use.geometry, 0);
  EXPECT_EQ(FindInstance(use, allowed, 30)->slot, (MigSlot{0, 0}));
  EXPECT_FALSE(AddInstance(allowed, {0, 3}, &use).has_value());
  EXPECT_FALSE(AddInstance(allowed, {2, 0}, &use).has_value());
  EXPECT_FALSE(RemoveInstance(allowed, {0, -1}, &use).has_value());
}

TEST(ExclusiveCards, RulesBarTheirOwn) {
  ExclusiveCards exclusive({{{"app", "train"}, {"team", "ml"}}, {{"kind", "serve"}}});
  const CardLabels train = {{"app", "train"}, {"team", "ml"}, {"x", "y"}};
  const CardLabels serve = {{"kind", "serve"}};
  EXPECT_FALSE(FollowsRule({}, {}));
  EXPECT_EQ(exclusive.RulesOf(train), std::vector<int>{0});
  EXPECT_TRUE(exclusive.RulesOf({{"app", "train"}}).empty());
  VgpuMachine machine = Machine(2);
  const auto take = [&](const char* task, const CardLabels& labels) {
    const VgpuAnswer answer =
        TakeCards(task, Asking(1, 1000, 10), CardOrder::kPack, &machine, exclusive.Barred(labels));
    if (answer.ok()) exclusive.Track(task, labels, machine);
    return Chosen(answer);
  };
  EXPECT_EQ(take("t1", train), "0");
  EXPECT_EQ(take("s1", serve), "0");
  EXPECT_EQ(take("t2", train), "1");
  EXPECT_EQ(take("t3", train), "no room");
  EXPECT_EQ(take("other", {{"app", "train"}}), "0");
  const auto leave = [&](const char* task, size_t card) {
    RemoveHolder({task, "", 1000, 10}, {}, 1, &machine.cards[card]);
    exclusive.Untrack(task, machine);
  };
  leave("t2", 1);
  EXPECT_EQ(exclusive.Barred(train), std::vector<int>{0});
  leave("t1", 0);  // s1, which follows the other rule, is still there
  EXPECT_EQ(exclusive.Barred(train), std::vector<int>{0});
  leave("s1", 0);
  EXPECT_TRUE(exclusive.Barred(serve).empty());
}

TEST(GpuShare, MemoryAndNumber) {
  const int unhealthy[] = {2};
  std::vector<SharedGpu> gpus = MakeSharedGpus(4003, 4, unhealthy).value();
  ASSERT_EQ(gpus.size(), 3u);
  EXPECT_EQ(gpus[2].id, 3);
  EXPECT_EQ(gpus[2].memory, 1000);
  gpus[0].holders = {{"a", 3000, false}};
  gpus[1].holders = {{"b", 600, true}, {"c", 500, false}};
  EXPECT_EQ(IdleMemory(gpus[0]), 0);
  EXPECT_EQ(IdleMemory(gpus[1]), 500);
  EXPECT_EQ(GpusByMemory(gpus, 500), (std::vector<int>{1, 3}));
  EXPECT_EQ(GpusByMemory(gpus, 501), std::vector<int>{3});
  EXPECT_EQ(GpusByNumber(gpus, 1), std::vector<int>{3});
  EXPECT_TRUE(GpusByNumber(gpus, 2).empty());
  EXPECT_TRUE(GpusByNumber(gpus, -1).empty());
  const int64_t containers[] = {1, 3}, init_containers[] = {5, 2};
  EXPECT_EQ(AmountOfTask(containers, {}), 4);
  EXPECT_EQ(AmountOfTask(containers, init_containers), 5);
  EXPECT_EQ(MakeSharedGpus(1, 0, {}).status().message(),
            "shared GPUs: a number of 0 is not in 1 .. 4096");
}

// --- random worlds ---

constexpr CardOrder kVgpuOrders[] = {CardOrder::kLastFirst, CardOrder::kPack, CardOrder::kSpread};
constexpr const char* kVgpuOrderNames[] = {"", "binpack", "spread"};

struct VgpuWorld {
  VgpuMachine machine;
  std::vector<reference::GpuCard> slow;
};

VgpuWorld RandomMachine(Rng& rng) {
  VgpuWorld world;
  const auto below = [&](uint64_t n) { return static_cast<int>(rng.Below(n)); };
  if (rng.Chance(0.4)) world.machine.mode = "mig";
  world.machine.memory_factor = 1 + below(2);
  const char* const types[] = {"NVIDIA-A100", "NVIDIA-H100", "NVIDIA-a100-PCIE", "MLU"};
  const std::vector<MigGeometry> geometries = {{"a", {{"3g", 40, 1}, {"1g", 10, 4}}},
                                               {"b", {{"2g", 20, 3}, {"1g", 10, 1}}},
                                               {"c", {{"7g", 80, 1}}}};
  for (int n = 1 + below(8); n > 0; --n) {
    VgpuCard card;
    card.uuid = "GPU-" + std::to_string(n);
    card.type = types[rng.Chance(0.1) ? below(4) : below(3)];
    card.memory = 80;
    card.most_tasks = 1 + below(6);
    reference::GpuCard& slow = world.slow.emplace_back();
    slow.uuid = card.uuid;
    slow.type = card.type;
    slow.memory = 80;
    slow.most_tasks = static_cast<int>(card.most_tasks);
    if (world.machine.mode == "mig") {
      card.geometries = geometries;
      for (const MigGeometry& geometry : geometries) {
        auto& cut = slow.cuts.emplace_back();
        for (const MigInstance& kind : geometry.instances) {
          cut.push_back({kind.name, static_cast<int>(kind.memory), kind.count});
        }
      }
    }
    world.machine.cards.push_back(card);
  }
  return world;
}

void ExpectSame(const VgpuWorld& world, uint64_t seed) {
  for (size_t i = 0; i < world.slow.size(); ++i) {
    const VgpuCard& fast = world.machine.cards[i];
    const reference::GpuCard& slow = world.slow[i];
    ASSERT_EQ(fast.tasks, slow.tasks) << "seed " << seed << " card " << i;
    ASSERT_EQ(fast.used_memory, slow.used_memory) << "seed " << seed << " card " << i;
    ASSERT_EQ(fast.used_cores, slow.used_cores) << "seed " << seed << " card " << i;
  }
}

TEST(Vgpu, RandomTasksAgainstTheTwin) {
  const uint64_t count = WorldCount(1500);
  uint64_t given = 0, asked = 0;
  for (uint64_t seed = 0; seed < count; ++seed) {
    Rng rng(seed);
    const auto below = [&](uint64_t n) { return static_cast<int>(rng.Below(n)); };
    VgpuWorld world = RandomMachine(rng);
    const bool partitions = world.machine.mode == "mig";
    for (int task = 0; task < 8; ++task) {
      VgpuRequest request;
      reference::CardQuestion slow;
      // Two containers might cut one card in two ways, which no machine would report.
      for (int n = partitions ? 1 : 1 + below(2); n > 0; --n) {
        CardRequest container{.count = below(3),
                              .memory = below(25),
                              .percent = {},
                              .cores = rng.Chance(0.1) ? 100 : 5 * below(10)};
        if (rng.Chance(0.2)) container.percent = below(50);
        request.containers.push_back(container);
        slow.containers.push_back(
            {static_cast<int>(container.count), static_cast<int>(container.memory),
             static_cast<int>(container.percent.value_or(-1)), static_cast<int>(container.cores)});
      }
      for (int n = 0; n < 8; ++n) {
        const std::string uuid = "GPU-" + std::to_string(1 + n);
        if (rng.Chance(0.05)) {
          request.use_uuids.push_back(uuid);
          slow.use_uuids.insert(uuid);
        } else if (rng.Chance(0.05)) {
          request.avoid_uuids.push_back(uuid);
          slow.avoid_uuids.insert(uuid);
        }
      }
      if (rng.Chance(0.2))
        request.use_types = {"a100", "nothing"}, slow.use_types = {"A100", "NOTHING"};
      if (rng.Chance(0.2)) request.avoid_types = {"h100"}, slow.avoid_types = {"H100"};
      request.group = rng.Chance(0.5) ? "ns/g" : "";
      request.apart_from_group = rng.Chance(0.5);
      if (request.apart_from_group) slow.apart_from = request.group;
      std::vector<int> barred;
      if (rng.Chance(0.2)) barred.push_back(below(4));
      slow.barred.insert(barred.begin(), barred.end());
      const size_t order = rng.Below(3);
      slow.order = kVgpuOrderNames[order];

      ++asked;
      const VgpuAnswer filtered = ChooseCards(world.machine, request, kVgpuOrders[order], barred);
      const std::string uid = "t" + std::to_string(task);
      const VgpuAnswer fast = TakeCards(uid, request, kVgpuOrders[order], &world.machine, barred);
      const auto right = reference::ChooseGpus(
          slow, partitions, static_cast<int>(world.machine.memory_factor), &world.slow);
      ASSERT_EQ(fast.ok(), right.has_value()) << "seed " << seed << " task " << task;
      ASSERT_EQ(filtered.ok(), right.has_value()) << "seed " << seed;
      ExpectSame(world, seed);
      if (!right.has_value()) continue;
      ++given;
      ASSERT_EQ(fast.score, right->score) << "seed " << seed << " task " << task;
      ASSERT_EQ(filtered.score, right->score) << "seed " << seed;
      std::vector<std::vector<reference::CardChoice::Given>> same;
      for (const auto& grants : fast.containers) {
        auto& list = same.emplace_back();
        for (const VgpuGrant& grant : grants) {
          list.push_back(
              {grant.card, static_cast<int>(grant.memory), static_cast<int>(grant.cores)});
          reference::GpuCard& card = world.slow[static_cast<size_t>(grant.card)];
          auto& held = card.held[uid];
          held.group = request.group;
          held.memory += static_cast<int>(grant.memory);
          held.cores += static_cast<int>(grant.cores);
          if (!grant.slot.has_value()) continue;
          list.back().cut = grant.slot->geometry;
          list.back().position = grant.slot->position;
          // The machine reports its instances later, and may let go of them again.
          VgpuCard& partitioned = world.machine.cards[static_cast<size_t>(grant.card)];
          AddInstance(partitioned.geometries, *grant.slot, &partitioned.mig);
          card.cut = grant.slot->geometry;
          card.instances.insert(grant.slot->position);
          if (rng.Chance(0.3)) {
            RemoveInstance(partitioned.geometries, *grant.slot, &partitioned.mig);
            card.instances.erase(grant.slot->position);
          }
        }
      }
      ASSERT_EQ(same, right->containers) << "seed " << seed << " task " << task;
    }
  }
  EXPECT_GT(given, asked / 4);
  EXPECT_LT(given, asked);
}

}  // namespace
}  // namespace muster::testing
