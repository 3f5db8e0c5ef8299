// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/part/net_change.h"

#include <gmock/gmock.h>

#include "tests/part/loop.h"

namespace muster {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Three nodes, and a task that runs on the first.
void FillForChanges(Cluster& cluster) {
  ASSERT_TRUE(cluster.AddNodes(3, {.name = "n", .capacity = {{"cpu", 4}}}).ok());
  ASSERT_TRUE(cluster.AddJob({.name = "j"}).ok());
  for (const char* name : {"runs", "waits"}) {
    const bool runs = name[0] == 'r';
    ASSERT_TRUE(cluster
                    .AddTask({.name = name,
                              .job = "j",
                              .shape = {.request = {{"cpu", 1}}},
                              .status = runs ? TaskStatus::kRunning : TaskStatus::kPending,
                              .node = runs ? "n0" : ""})
                    .ok());
  }
}

class NetChange : public ::testing::Test {
 protected:
  static constexpr TaskIndex kRuns = 0, kWaits = 1;

  void Evict() { loop_.context().ledger.Move(kRuns, TaskStatus::kReleasing, 0); }
  void Place(TaskIndex task, NodeIndex node) {
    loop_.context().ledger.Move(task, TaskStatus::kPlaced, node);
  }
  void Commit() {
    loop_.context().decisions.Commit(before_);
    before_ = loop_.context().ledger.Save();
  }
  PlanData Net() {
    PlanData plan;
    plan.decisions = loop_.context().decisions.TakeList();
    plan.by_kind = loop_.context().decisions.TakeByKind();
    KeepNetChange(loop_.context().ledger, &plan);
    ListByKind(&plan);
    return plan;
  }

  testing::Loop loop_{"muster", FillForChanges};
  Ledger::Savepoint before_ = loop_.context().ledger.Save();
};

TEST_F(NetChange, ATaskBoundToItsNodeAgainHasNoDecision) {
  Evict();
  Place(kRuns, 0);
  Commit();
  EXPECT_THAT(Net().decisions, IsEmpty());
}

TEST_F(NetChange, ATaskBoundElsewhereMoves) {
  Evict();
  loop_.context().decisions.NoteEviction(kRuns, kWaits);
  Place(kWaits, 0);
  Place(kRuns, 2);
  Commit();
  const PlanData plan = Net();
  EXPECT_THAT(plan.by_kind.moves, ElementsAre(Move{kRuns, 0, 2, /*nominated=*/false, kWaits}));
  EXPECT_THAT(plan.by_kind.binds, ElementsAre(Bind{kWaits, 0}));
  EXPECT_THAT(plan.by_kind.evictions, IsEmpty());
  // It stands where the bind stood.
  ASSERT_EQ(plan.decisions.size(), 2u);
  EXPECT_EQ(plan.decisions[1].kind, DecisionKind::kMove);
}

TEST_F(NetChange, APromiseElsewhereIsAMoveThatWaits) {
  Evict();
  loop_.context().ledger.Promise(kRuns, 1);
  Commit();
  EXPECT_THAT(Net().by_kind.moves, ElementsAre(Move{kRuns, 0, 1, /*nominated=*/true, kNone}));
}

TEST_F(NetChange, APromiseThatWasWithdrawnLeavesTheEviction) {
  Evict();
  loop_.context().ledger.Promise(kRuns, 1);
  Commit();
  loop_.context().ledger.Promise(kRuns, kNone);
  const PlanData plan = Net();
  EXPECT_THAT(plan.by_kind.moves, IsEmpty());
  EXPECT_THAT(plan.by_kind.nominations, IsEmpty());
  EXPECT_THAT(plan.by_kind.evictions, ElementsAre(Eviction{kRuns, 0, kNone}));
}

TEST_F(NetChange, APlaceThatWasNotCommittedDoesNotCount) {
  Evict();
  Commit();
  Place(kRuns, 2);
  const PlanData plan = Net();
  EXPECT_THAT(plan.by_kind.evictions, ElementsAre(Eviction{kRuns, 0, kNone}));
  EXPECT_EQ(plan.decisions.size(), 1u);
}

TEST_F(NetChange, OnlyTheLastEvictionOfATaskCounts) {
  Evict();
  loop_.context().decisions.NoteEviction(kRuns, kNone);
  Place(kRuns, 0);
  Commit();
  Evict();
  loop_.context().decisions.NoteEviction(kRuns, kWaits);
  Commit();
  const PlanData plan = Net();
  EXPECT_THAT(plan.by_kind.evictions, ElementsAre(Eviction{kRuns, 0, kWaits}));
  EXPECT_EQ(plan.decisions.size(), 1u);
}

TEST_F(NetChange, OtherTasksKeepTheirDecisions) {
  Place(kWaits, 1);
  Commit();
  const PlanData plan = Net();
  EXPECT_THAT(plan.by_kind.binds, ElementsAre(Bind{kWaits, 1}));
}

}  // namespace
}  // namespace muster
