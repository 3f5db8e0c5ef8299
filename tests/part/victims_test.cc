// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/part/victims.h"

#include <algorithm>
#include <string>
#include <vector>

#include "tests/part/loop.h"

namespace muster {
namespace {

using testing::Loop;

// A full node of 4 cpus, on which tasks of 1, 2 and 1 run (t0 is the least important), and a task
// that wants 2.
void FillForVictims(Cluster& cluster) {
  ASSERT_TRUE(cluster.AddNode({.name = "n", .capacity = {{"cpu", 4}}}).ok());
  const auto add = [&](const char* name, int32_t priority, int64_t cpu, bool runs) {
    ASSERT_TRUE(cluster.AddJob({.name = name, .priority = priority, .min_available = 1}).ok());
    TaskSpec task{.name = name, .job = name, .shape = {.request = {{"cpu", cpu}}}};
    task.priority = priority;
    if (runs) {
      task.status = TaskStatus::kRunning;
      task.node = "n";
    }
    ASSERT_TRUE(cluster.AddTask(task).ok());
  };
  add("t0", 0, 1, true);
  add("t1", 1, 2, true);
  add("t2", 2, 1, true);
  add("new", 9, 2, false);
}

class VictimsTest : public ::testing::Test {
 protected:
  bool Fits() { return context_.search.FitsFutureIdle(context_.ClassOf(new_), 0); }

  Loop loop_{"volcano", FillForVictims};
  ActionContext& context_ = loop_.context();
  const TaskIndex t0_ = loop_.task("t0"), t1_ = loop_.task("t1"), t2_ = loop_.task("t2");
  const TaskIndex new_ = loop_.task("new");
};

TEST_F(VictimsTest, CandidatesAreThoseOfTheNodeThatMayGo) {
  std::vector<TaskIndex> tasks = {new_};
  ListTasksOn(
      context_, 0, [&](TaskIndex t) { return t != t1_; }, &tasks);
  EXPECT_EQ(tasks, (std::vector{t0_, t2_}));
}

TEST_F(VictimsTest, SumsAreBounds) {
  EXPECT_TRUE(CouldMakeRoom(context_, new_, 0));
  EXPECT_FALSE(VictimsSuffice(context_, new_, 0, {}));
  EXPECT_FALSE(VictimsSuffice(context_, new_, 0, {t0_}));
  EXPECT_TRUE(VictimsSuffice(context_, new_, 0, {t0_, t2_}));
}

TEST_F(VictimsTest, EvictsInOrderUntilItFits) {
  Attempt attempt(context_);
  VictimOrder order(context_);
  order.Start(new_, std::vector{t2_, t1_, t0_});
  std::vector<TaskIndex> gone;
  EXPECT_TRUE(EvictUntil(
      context_, new_, &order, [&] { return Fits(); }, &gone));
  EXPECT_EQ(gone, (std::vector{t0_, t1_}));
  Nominate(context_, new_, 0, /*after_eviction=*/true);
  attempt.Commit();
  const std::vector<Decision>& decisions = context_.decisions.list();
  ASSERT_EQ(decisions.size(), 3U);
  EXPECT_EQ(decisions[0].kind, DecisionKind::kEvict);
  EXPECT_EQ(decisions[0].beneficiary, new_);
  EXPECT_EQ(decisions[2].kind, DecisionKind::kNominate);
  EXPECT_TRUE(decisions[2].after_eviction);
}

TEST_F(VictimsTest, AllOfThemMayBeTooFew) {
  const Attempt attempt(context_);
  VictimOrder order(context_);
  order.Start(new_, std::vector{t0_});
  std::vector<TaskIndex> gone;
  EXPECT_FALSE(EvictUntil(
      context_, new_, &order, [&] { return Fits(); }, &gone));
  EXPECT_EQ(gone, std::vector{t0_});
}

TEST_F(VictimsTest, TrialsLeaveNoTrace) {
  const Ledger::Moment before = context_.ledger.moment();
  const bool in_view = context_.ledger.in_view(t1_);
  {
    TrialEvictions trial(context_);
    trial.Evict(t0_);
    EXPECT_FALSE(Fits());
    trial.Clear();
    EXPECT_EQ(context_.ledger.status(t0_), TaskStatus::kRunning);
    trial.Evict(t1_);
    EXPECT_TRUE(Fits());
  }
  EXPECT_EQ(context_.ledger.status(t1_), TaskStatus::kRunning);
  EXPECT_EQ(context_.ledger.in_view(t1_), in_view);  // an attempt's undone eviction is out of it
  EXPECT_TRUE(context_.ledger.SameAs(before));
}

TEST_F(VictimsTest, TheNeedlessAreSpared) {
  const auto fits = [&] { return Fits(); };
  EXPECT_EQ(WithoutNeedless(context_, std::vector{t0_, t1_}, fits), std::vector{t1_});
  EXPECT_EQ(WithoutNeedless(context_, std::vector{t2_, t0_}, fits), (std::vector{t0_, t2_}));
  EXPECT_EQ(WithoutNeedless(context_, std::vector{t0_, t1_, t2_}, [] { return true; }),
            std::vector<TaskIndex>());
  EXPECT_EQ(context_.ledger.status(t0_), TaskStatus::kRunning);
}

}  // namespace
}  // namespace muster
