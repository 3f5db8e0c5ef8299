// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Ascend NPUs: numbers worked out by hand, and random machines against the slow twin.
#include "lib/peer/volcano/cards/ascend.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "lib/base/rng.h"
#include "lib/peer/volcano/cards/card_request.h"
#include "lib/peer/volcano/cards/vgpu.h"
#include "lib/reference/peer/volcano/cards.h"
#include "tests/support/world_loop.h"

namespace muster::testing {
namespace {

AscendMachine Npus(int cards) {
  AscendMachine machine{
      .type = "Ascend310P",
      .model = {"Ascend310P", 21527, 24576, {{"vir01", 3072}, {"vir02", 6144}, {"vir04", 12288}}},
      .cards = {}};
  for (int i = 0; i < cards; ++i) {
    AscendCard card;
    card.id = "npu" + std::to_string(i);
    card.most_tasks = 7;
    card.memory = 21527;
    card.cores = 8;
    machine.cards.push_back(card);
  }
  return machine;
}

AscendRequest AskingNpus(int64_t count, int64_t memory, int64_t cores = 0) {
  AscendRequest request;
  request.containers.push_back({.count = count, .memory = memory, .percent = {}, .cores = cores});
  return request;
}

TEST(Ascend, Templates) {
  const AscendModel model = Npus(0).model;
  EXPECT_EQ(RoundToTemplate(model, 0), (std::pair<int64_t, std::string>(3072, "vir01")));
  EXPECT_EQ(RoundToTemplate(model, 6145), (std::pair<int64_t, std::string>(12288, "vir04")));
  EXPECT_EQ(RoundToTemplate(model, 24576), (std::pair<int64_t, std::string>(21527, "")));
  EXPECT_EQ(RoundToTemplate(model, 24577), (std::pair<int64_t, std::string>(0, "")));
}

TEST(Ascend, Choices) {
  AscendMachine machine = Npus(2);
  AddAscend({"a", 12288, 4}, 1, &machine);
  AddAscend({"a", 12288, 4}, 1, &machine);
  EXPECT_EQ(machine.cards[1].used_memory, 12288);
  const AscendAnswer packed = ChooseAscend(machine, AskingNpus(1, 6000), CardOrder::kPack);
  EXPECT_EQ(packed.containers[0].cards, std::vector<int>{1});
  EXPECT_EQ(packed.containers[0].memory, 6144);
  EXPECT_DOUBLE_EQ(packed.score, 100 * (12288.0 / 21527));
  const AscendAnswer spread = ChooseAscend(machine, AskingNpus(1, 6000), CardOrder::kSpread);
  EXPECT_EQ(spread.containers[0].cards, std::vector<int>{0});
  EXPECT_EQ(spread.score, 100);
  const auto refusal = [&](const AscendRequest& request) {
    return ChooseAscend(machine, request, CardOrder::kPack).refusal;
  };
  EXPECT_EQ(refusal(AskingNpus(2, 6000)), AscendRefusal::kPartOfSeveral);
  EXPECT_EQ(refusal(AskingNpus(2, 20000)), AscendRefusal::kNoRoom);
  EXPECT_EQ(refusal(AskingNpus(1, 99999)), AscendRefusal::kNone);  // becomes 0
  AscendRequest by_cores = AskingNpus(1, 100, 10);
  by_cores.by_cores = true;
  EXPECT_EQ(refusal(by_cores), AscendRefusal::kNoRoom);
  machine.cards[0].shares_cores = true;
  EXPECT_EQ(ChooseAscend(machine, by_cores, CardOrder::kPack).containers[0].memory, 100);
  RemoveAscend("a", &machine);
  EXPECT_EQ(refusal(AskingNpus(2, 20000)), AscendRefusal::kNone);
  machine.cards.clear();
  EXPECT_EQ(refusal(AskingNpus(1, 1)), AscendRefusal::kNoCards);
}

TEST(Ascend, Networks) {
  AscendMachine machine = Npus(5);
  machine.type = "Ascend910B";
  for (size_t i = 0; i < 5; ++i) machine.cards[i].network = i < 2 ? 0 : 1;
  const AscendAnswer answer = ChooseAscend(machine, AskingNpus(3, 21527), CardOrder::kPack);
  EXPECT_EQ(answer.containers[0].cards, (std::vector<int>{2, 3, 4}));
  EXPECT_EQ(answer.score, 10);
}

TEST(Ascend, RefusesWhatIsNoMachine) {
  AscendMachine machine = Npus(2);
  EXPECT_TRUE(CheckAscend(machine).ok());
  machine.cards[1].id = "npu0";
  EXPECT_EQ(CheckAscend(machine).message(), "Ascend card \"npu0\": is named twice");
  machine.cards[0].used_memory = 21528;
  EXPECT_EQ(CheckAscend(machine).message(),
            "Ascend card \"npu0\": more memory is in use than it has");
  machine.cards[0].tasks = -1;
  EXPECT_EQ(CheckAscend(machine).message(), "Ascend card \"npu0\": -1 is below 0");
  machine.model.templates[2].memory = 1;
  EXPECT_EQ(CheckAscend(machine).message(),
            "Ascend model \"Ascend310P\": template \"vir04\" is smaller than the one before it");
}

constexpr CardOrder kAscendOrders[] = {CardOrder::kLastFirst, CardOrder::kPack, CardOrder::kSpread};
constexpr const char* kAscendOrderNames[] = {"", "binpack", "spread"};

TEST(Ascend, RandomTasksAgainstTheTwin) {
  const uint64_t count = WorldCount(3000);
  uint64_t given = 0;
  for (uint64_t seed = 0; seed < count; ++seed) {
    Rng rng(seed);
    const auto below = [&](uint64_t n) { return static_cast<int>(rng.Below(n)); };
    AscendMachine machine = Npus(1 + below(8));
    reference::NpuQuestion question{.containers = {},
                                    .order = "",
                                    .templates = {3072, 6144, 12288},
                                    .allocatable = 21527,
                                    .capacity = 24576};
    if (rng.Chance(0.5)) machine.type = "Ascend910B", question.named_networks = true;
    const bool networks = rng.Chance(0.8);
    std::vector<reference::Npu> slow;
    for (AscendCard& card : machine.cards) {
      card.most_tasks = 1 + below(4);
      card.cores = rng.Chance(0.5) ? 100 : 8 * below(3);
      card.shares_cores = rng.Chance(0.7);
      if (networks || rng.Chance(0.8)) card.network = below(3);
      card.tasks = below(3);
      card.used_memory = card.tasks * 3072;
      card.used_cores = rng.Chance(0.2) ? card.cores : 0;
      slow.push_back({.memory = static_cast<int>(card.memory),
                      .cores = static_cast<int>(card.cores),
                      .most_tasks = static_cast<int>(card.most_tasks),
                      .tasks = static_cast<int>(card.tasks),
                      .used_memory = static_cast<int>(card.used_memory),
                      .used_cores = static_cast<int>(card.used_cores),
                      .shares_cores = card.shares_cores,
                      .network = card.network.value_or(-1)});
    }
    AscendRequest request;
    request.by_cores = question.by_cores = rng.Chance(0.3);
    for (int n = 1 + below(2); n > 0; --n) {
      CardRequest container{.count = below(4),
                            .memory = 5000 * below(6),
                            .percent = {},
                            .cores = rng.Chance(0.2) ? 100 : 2 * below(4)};
      if (container.memory == 0) container.percent = 100;
      request.containers.push_back(container);
      question.containers.push_back(
          {static_cast<int>(container.count), static_cast<int>(container.memory),
           static_cast<int>(container.percent.value_or(-1)), static_cast<int>(container.cores)});
    }
    const size_t order = rng.Below(3);
    question.order = kAscendOrderNames[order];
    const AscendAnswer fast = ChooseAscend(machine, request, kAscendOrders[order]);
    const auto right = reference::ChooseNpus(question, slow);
    ASSERT_EQ(fast.ok(), right.has_value()) << "seed " << seed;
    if (!right.has_value()) continue;
    ++given;
    ASSERT_EQ(fast.score, right->score) << "seed " << seed;
    std::vector<std::pair<int, std::vector<int>>> same;
    for (const AscendAnswer::Container& container : fast.containers) {
      same.emplace_back(static_cast<int>(container.memory), container.cards);
    }
    ASSERT_EQ(same, right->containers) << "seed " << seed;
  }
  EXPECT_GT(given, count / 5);
  EXPECT_LT(given, count);
}

}  // namespace
}  // namespace muster::testing
