// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Scores by kinds of resources, rates of evictions and steps of migrations, worked out by hand.
#include <cstdint>
#include <vector>

#include "gtest/gtest.h"
#include "lib/peer/koordinator/rebalance/eviction_rates.h"
#include "lib/peer/koordinator/rebalance/migration_steps.h"
#include "lib/peer/koordinator/scores/resource_scores.h"

namespace muster::testing {
namespace {

using koordinator::Advance;
using koordinator::EvictionRates;
using koordinator::MigrationAct;
using koordinator::MigrationFailure;
using koordinator::MigrationSight;
using koordinator::MigrationStage;
using koordinator::MigrationState;

TEST(ResourceScores, EachResourceByItsOwnStrategy) {
  const StrategyShare shares[] = {
      {.requested = 32, .capacity = 96, .weight = 1},
      {.requested = 6, .capacity = 8, .weight = 2, .prefer_full = true}};
  EXPECT_EQ(ScoreByStrategies(shares), (66 + 2 * 75) / 3);
  EXPECT_EQ(ScoreByStrategies({}), 100);
  const StrategyShare over[] = {{.requested = 9, .capacity = 8},
                                {.requested = 9, .capacity = 8, .prefer_full = true},
                                {.requested = 1, .capacity = 0}};
  EXPECT_EQ(ScoreByStrategies(over), 100 / 3);
}

TEST(ResourceScores, ScarceResourcesAreAvoided) {
  EXPECT_EQ(ScoreWithoutScarce(0, 0), 100);
  EXPECT_EQ(ScoreWithoutScarce(2, 1), 50);
  EXPECT_EQ(ScoreWithoutScarce(3, 0), 100);
}

TEST(ResourceScores, TheBestScoreBecomesAHundred) {
  const auto scaled = [](std::vector<int64_t> scores) {
    ScaleScores(scores);
    return scores;
  };
  EXPECT_EQ(scaled({200, 10, 0}), (std::vector<int64_t>{100, 5, 0}));
  EXPECT_EQ(scaled({10}), (std::vector<int64_t>{100}));
  EXPECT_EQ(scaled({0, 0}), (std::vector<int64_t>{0, 0}));
  EXPECT_TRUE(scaled({}).empty());
}

TEST(ResourceScores, RequestsCountTheLeastAndWhatRunsAlong) {
  const ContainerRequest containers[] = {{.amount = 2000}, {}};
  EXPECT_EQ(RequestWithLeast(containers, {}, 100, 0), 2100);
  const ContainerRequest large[] = {{.amount = 5000}};
  EXPECT_EQ(RequestWithLeast(containers, large, 100, 10), 5010);
  const ContainerRequest along[] = {{.amount = 1000, .restarts = true}, {.amount = 3000}};
  EXPECT_EQ(RequestWithLeast(containers, along, 100, 0), 3100);
}

TEST(EvictionRates, TokensComeBack) {
  constexpr int64_t kSecond = 1'000'000'000;
  EvictionRates rates;
  EXPECT_FALSE(rates.Exceeded("a", 0));
  rates.Track("a", 0.5, 0, 0);
  EXPECT_TRUE(rates.Exceeded("a", kSecond));
  EXPECT_FALSE(rates.Exceeded("a", 2 * kSecond));
  EXPECT_FALSE(rates.Exceeded("b", 0));
  rates.Track("b", 1, 2, 0);
  EXPECT_FALSE(rates.Exceeded("b", 0));  // two at once
  rates.Track("b", 1, 2, 0);
  rates.Track("b", 1, 2, 0);  // no token is taken
  EXPECT_TRUE(rates.Exceeded("b", kSecond - 1));
  EXPECT_FALSE(rates.Exceeded("b", kSecond));
}

TEST(MigrationSteps, RoomFirst) {
  MigrationState state;
  MigrationSight sight;
  sight.task = {.id = "a", .node = "n1"};
  EXPECT_EQ(Advance(sight, &state), MigrationAct::kReserve);
  EXPECT_EQ(state.stage, MigrationStage::kRunning);
  state.reserved = true;
  EXPECT_EQ(Advance(sight, &state), MigrationAct::kWait);
  sight.reservation = {
      .phase = MigrationSight::Reservation::Phase::kAvailable, .scheduled = true, .node = "n2"};
  EXPECT_EQ(Advance(sight, &state), MigrationAct::kEvict);
  EXPECT_EQ(state.node, "n2");
  EXPECT_EQ(Advance(sight, &state), MigrationAct::kWait);
  sight.task.reset();
  EXPECT_EQ(Advance(sight, &state), MigrationAct::kWait);
  EXPECT_TRUE(state.evicted);
  sight.reservation->bound = "b";
  EXPECT_EQ(Advance(sight, &state), MigrationAct::kWait);
  sight.reservation->bound_ready = true;
  EXPECT_EQ(Advance(sight, &state), MigrationAct::kNone);
  EXPECT_EQ(state.stage, MigrationStage::kSucceeded);
}

TEST(MigrationSteps, EvictsDirectly) {
  MigrationState state;
  MigrationSight sight;
  sight.reserves = false;
  sight.task = {.id = "a", .node = "n1"};
  EXPECT_EQ(Advance(sight, &state), MigrationAct::kEvict);
  sight.task->same = false;  // its successor of the same name
  EXPECT_EQ(Advance(sight, &state), MigrationAct::kNone);
  EXPECT_EQ(state.stage, MigrationStage::kSucceeded);
}

TEST(MigrationSteps, Failures) {
  const auto failure = [](const MigrationSight& sight, bool reserved) {
    MigrationState state;
    state.reserved = reserved;
    Advance(sight, &state);
    return state.failure;
  };
  using Phase = MigrationSight::Reservation::Phase;
  MigrationSight sight;
  EXPECT_EQ(failure(sight, false), MigrationFailure::kMissingTask);
  sight.task_named = false;
  EXPECT_EQ(failure(sight, false), MigrationFailure::kNoTaskNamed);
  sight.task_named = true;
  sight.task = {.id = "a", .node = "n1"};
  sight.reservation = {.phase = Phase::kAvailable, .scheduled = true, .node = "n1"};
  EXPECT_EQ(failure(sight, true), MigrationFailure::kForbidden);
  sight.reservation->node = "n2";
  sight.reservation->phase = Phase::kSucceeded;
  EXPECT_EQ(failure(sight, true), MigrationFailure::kForbidden);
  sight.reservation = {.phase = Phase::kFailed};
  EXPECT_EQ(failure(sight, true), MigrationFailure::kUnschedulable);
  sight.reservation->expired = true;
  EXPECT_EQ(failure(sight, true), MigrationFailure::kExpired);
  sight.ttl = sight.age = 5;
  EXPECT_EQ(failure(sight, true), MigrationFailure::kTimeout);
  sight.paused = true;
  EXPECT_EQ(failure(sight, true), MigrationFailure::kNone);
}

TEST(MigrationSteps, TasksThatWaitGetTheRoom) {
  MigrationState state;
  state.reserved = true;
  MigrationSight sight;
  sight.task = {.id = "a"};
  sight.reservation = {.phase = MigrationSight::Reservation::Phase::kAvailable,
                       .scheduled = true,
                       .for_pending = true,
                       .node = "n2"};
  EXPECT_EQ(Advance(sight, &state), MigrationAct::kWait);
  sight.task->scheduled = true;
  Advance(sight, &state);
  EXPECT_EQ(state.stage, MigrationStage::kSucceeded);
}

}  // namespace
}  // namespace muster::testing
