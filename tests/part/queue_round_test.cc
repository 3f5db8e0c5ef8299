// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/part/queue_round.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "tests/part/loop.h"

namespace muster {
namespace {

using testing::Loop;

// Queues a and b; jobs of a: low, high (priority 1); of b: other. The queue with the lesser share
// goes first.
void FillForRounds(Cluster& cluster) {
  ASSERT_TRUE(cluster.AddNode({.name = "n", .capacity = {{"cpu", 10}}}).ok());
  for (const char* queue : {"a", "b"}) ASSERT_TRUE(cluster.AddQueue({.name = queue}).ok());
  const auto add = [&](const char* name, const char* queue, int32_t priority) {
    ASSERT_TRUE(
        cluster
            .AddJob({.name = name,
                     .queue = queue,
                     .priority = priority,
                     .min_available = 1,
                     .groups = {{.name = "w", .count = 2, .shape = {.request = {{"cpu", 1}}}}}})
            .ok());
  };
  add("low", "a", 0);
  add("high", "a", 1);
  add("other", "b", 0);
}

TEST(QueueRound, QueuesAndJobsGoByTheirOrder) {
  Loop loop("volcano", FillForRounds);
  QueueRound round(loop.context());
  for (const JobIndex job : loop.context().waiting) round.AddJob(job);
  const QueueIndex a = loop.queue("a"), b = loop.queue("b");
  EXPECT_EQ(round.queues().size(), 2U);  // each once
  EXPECT_EQ(round.PopQueue(), a);
  EXPECT_EQ(round.PopJob(a), loop.job("high"));
  EXPECT_EQ(round.PopJob(a), loop.job("low"));
  EXPECT_FALSE(round.HasJobs(a));
  EXPECT_TRUE(round.HasJobs(b));
  EXPECT_EQ(round.PopQueue(), b);
  EXPECT_TRUE(round.empty());
}

TEST(QueueRound, SharesThatMovedCountAtTheNextPush) {
  Loop loop("volcano", FillForRounds);
  QueueRound round(loop.context());
  for (const JobIndex job : loop.context().waiting) round.AddJob(job);
  const QueueIndex a = round.PopQueue();
  const JobIndex job = round.PopJob(a);
  loop.context().ledger.Move(loop.tables().jobs.tasks[job][0], TaskStatus::kPlaced, 0);
  round.PushJob(job);
  round.PushQueue(a);
  EXPECT_EQ(round.PopQueue(), loop.queue("b"));
  EXPECT_EQ(round.PopQueue(), a);
  EXPECT_EQ(round.PopJob(a), loop.job("high"));
}

TEST(QueueRound, AQueueThatIsPushedTwiceComesTwice) {
  Loop loop("volcano", FillForRounds);
  QueueRound round(loop.context());
  round.PushQueue(1);
  round.PushQueue(1);
  round.AddQueue(1);  // it was pushed, not added
  round.AddQueue(1);
  EXPECT_EQ(round.queues().size(), 3U);
}

TEST(QueueRound, QueuesTakePartWithoutAStarvingJob) {
  Loop loop("volcano", FillForRounds);
  for (const char* job : {"low", "high"}) {
    loop.context().ledger.Move(loop.tables().jobs.tasks[loop.job(job)][0], TaskStatus::kPlaced, 0);
  }
  QueueRound round = StarvingRound(loop.context());
  EXPECT_EQ(round.queues().size(), 2U);
  EXPECT_TRUE(round.HasJobs(loop.queue("b")));
  EXPECT_FALSE(round.HasJobs(loop.queue("a")));
}

}  // namespace
}  // namespace muster
