// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/part/attempt.h"

#include <stdexcept>

#include "tests/part/loop.h"

namespace muster {
namespace {

using testing::Loop;

// Two nodes and a gang of two.
void FillForAttempts(Cluster& cluster) {
  ASSERT_TRUE(cluster.AddNodes(2, {.name = "n", .capacity = {{"cpu", 4}}}).ok());
  ASSERT_TRUE(
      cluster
          .AddJob({.name = "gang",
                   .min_available = 2,
                   .groups = {{.name = "w", .count = 2, .shape = {.request = {{"cpu", 1}}}}}})
          .ok());
}

class AttemptTest : public ::testing::Test {
 protected:
  void Place(TaskIndex task, NodeIndex node = 0) {
    loop_.context().ledger.Move(task, TaskStatus::kPlaced, node);
  }
  TaskStatus status(TaskIndex task) { return loop_.context().ledger.status(task); }

  Loop loop_{"volcano", FillForAttempts};
};

TEST_F(AttemptTest, IsUndoneAtTheEndOfItsScope) {
  {
    const Attempt attempt(loop_.context());
    Place(0);
    Place(1);
    EXPECT_EQ(attempt.moves().size(), 2U);
  }
  EXPECT_EQ(status(0), TaskStatus::kPending);
  EXPECT_EQ(status(1), TaskStatus::kPending);
  EXPECT_TRUE(loop_.context().decisions.list().empty());
}

TEST_F(AttemptTest, CommittedMovesAreDecisions) {
  {
    Attempt attempt(loop_.context());
    Place(0);
    attempt.Commit();
  }
  EXPECT_EQ(status(0), TaskStatus::kBinding);
  ASSERT_EQ(loop_.context().decisions.list().size(), 1U);
  EXPECT_EQ(loop_.context().decisions.list()[0].kind, DecisionKind::kBind);
}

TEST_F(AttemptTest, WhatAnInnerOneKeepsIsUndoneWithTheOuterOne) {
  {
    Attempt outer(loop_.context());
    Place(0);
    {
      Attempt inner(loop_.context());
      Place(1);
      inner.Keep();
    }
    EXPECT_EQ(status(1), TaskStatus::kPlaced);
    EXPECT_EQ(outer.moves().size(), 2U);
  }
  EXPECT_EQ(status(0), TaskStatus::kPending);
  EXPECT_EQ(status(1), TaskStatus::kPending);
}

TEST_F(AttemptTest, StartsOver) {
  Attempt attempt(loop_.context());
  Place(0);
  attempt.StartOver();
  EXPECT_EQ(status(0), TaskStatus::kPending);
  Place(1);
  attempt.Commit();
  EXPECT_EQ(status(0), TaskStatus::kPending);
  EXPECT_EQ(status(1), TaskStatus::kBinding);
}

// The handler discards the books; a second exception from here would end the process.
TEST_F(AttemptTest, ExceptionsPass) {
  EXPECT_THROW(
      {
        const Attempt attempt(loop_.context());
        Place(0);
        throw std::runtime_error("no memory");
      },
      std::runtime_error);
  EXPECT_EQ(status(0), TaskStatus::kPlaced);
}

TEST_F(AttemptTest, GangsAreCommittedOnceTheyHaveTheirPlaces) {
  ActionContext& context = loop_.context();
  {
    Attempt nothing(context);
    EXPECT_FALSE(CommitIfPipelined(context, 0, "preempt", &nothing));
  }
  EXPECT_EQ(context.reasons.of_job(0), nullptr);
  {
    Attempt half(context);
    Place(0);
    EXPECT_FALSE(CommitIfPipelined(context, 0, "preempt", &half));
  }
  EXPECT_EQ(status(0), TaskStatus::kPending);
  ASSERT_NE(context.reasons.of_job(0), nullptr);
  EXPECT_EQ(context.reasons.of_job(0)->policy, "preempt");
  EXPECT_EQ(context.reasons.of_job(0)->placed, 1);
  EXPECT_EQ(context.reasons.of_job(0)->needed, 2);
  Attempt whole(context);
  Place(0);
  Place(1, 1);
  EXPECT_TRUE(CommitIfPipelined(context, 0, "preempt", &whole));
  EXPECT_EQ(context.decisions.list().size(), 2U);
}

TEST_F(AttemptTest, RecordedMovesAreMadeOnceMore) {
  RecordedMoves recorded;
  {
    const Attempt attempt(loop_.context());
    Place(0);
    loop_.context().ledger.Move(1, TaskStatus::kNominated, 1);
    recorded = RecordedMoves(attempt.moves());
  }
  EXPECT_EQ(status(0), TaskStatus::kPending);
  Attempt again(loop_.context());
  recorded.Replay(loop_.context());
  EXPECT_EQ(status(0), TaskStatus::kPlaced);
  EXPECT_EQ(status(1), TaskStatus::kNominated);
  again.Commit();
  ASSERT_EQ(loop_.context().decisions.list().size(), 2U);
  EXPECT_FALSE(loop_.context().decisions.list()[1].after_eviction);
}

// --- what lives as long as the context

struct Counter : CycleMemory {
  explicit Counter(ActionContext&) {}
  int count = 0;
};
struct Other : CycleMemory {
  explicit Other(ActionContext&) {}
  int count = 7;
};

TEST_F(AttemptTest, MemoriesAreOneAType) {
  ActionContext& context = loop_.context();
  context.memory<Counter>().count = 3;
  EXPECT_EQ(context.memory<Other>().count, 7);
  EXPECT_EQ(context.memory<Counter>().count, 3);
}

TEST_F(AttemptTest, TheLastDomainChosenCounts) {
  Decisions& decisions = loop_.context().decisions;
  decisions.ChooseDomain({.job = 0, .domain = "a"});
  decisions.ChooseDomain({.job = 0, .sub_group = "s", .domain = "b"});
  decisions.ChooseDomain({.job = 0, .domain = "c"});
  const std::vector<ChosenDomain> domains = decisions.TakeDomains();
  ASSERT_EQ(domains.size(), 2U);
  EXPECT_EQ(domains[0].domain, "b");
  EXPECT_EQ(domains[1].domain, "c");
}

}  // namespace
}  // namespace muster
