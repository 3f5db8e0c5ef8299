// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What queues remember from plan to plan.
#include "lib/peer/kueue/queue_memory.h"

#include <cstdint>
#include <string>

#include "gtest/gtest.h"

namespace muster::kueue {
namespace {

// A queue of three flavors with one workload that requests `cpu`.
struct QueuePlan {
  explicit QueuePlan(int cpu) {
    for (const char* const flavor : {"a", "b", "c"}) world.SetFlavor({.name = flavor});
    QueueSpec queue{.name = "q"};
    queue.rules.emplace();
    queue.rules->groups = {{.resources = {"cpu"},
                            .flavors = {{.flavor = "a", .nominal = {{"cpu", 4}}},
                                        {.flavor = "b", .nominal = {{"cpu", 4}}},
                                        {.flavor = "c", .nominal = {{"cpu", 4}}}}}};
    world.SetQueue(queue);
    JobSpec job{.name = "w", .queue = "q"};
    job.groups = {{.name = "main", .count = 1, .shape = {.request = {{"cpu", cpu}}}}};
    w = world.SetWorkload(job, {});
    world.Settle();
    scheduler.Push(w);
  }
  void Remember(MemorySlot* slot) {
    EXPECT_TRUE(memory.HasNews(*slot));
    memory.Remember(slot);
  }

  World world;
  Scheduler scheduler{&world};
  QueueMemory memory{&world, &scheduler};
  WorkloadIndex w = kNothing;
};

MemorySlot Remembered(int64_t cycle, int32_t position) {
  QueuePlan plan(2);
  ScanProgress progress;
  progress.tried = {{{plan.world.Resource("cpu"), position}}};
  progress.cycle = cycle;
  plan.world.workloads[plan.w].progress = progress;
  plan.scheduler.cycle = 3;
  plan.scheduler.pending(0).set_preemptor({.workload = plan.w, .generation = 1, .sticky = true});
  MemorySlot slot;
  plan.Remember(&slot);
  return slot;
}

TEST(QueueMemory, TheSearchOfTheLastCycleGoesOn) {
  QueuePlan next(2);
  next.memory.Recall(Remembered(3, 1));
  const auto& progress = next.world.workloads[next.w].progress;
  ASSERT_TRUE(progress.has_value());
  const std::vector<std::pair<ResourceIndex, int32_t>> tried = {{next.world.Resource("cpu"), 1}};
  EXPECT_EQ(progress->tried[0], tried);
  EXPECT_FALSE(IsOutdated(*progress, next.world.queues[0].generation, next.scheduler.cycle + 1,
                          next.world.workloads[next.w].hash, /*preserve=*/true));
  // What was recalled and not tried is remembered as it was.
  MemorySlot again;
  next.Remember(&again);
  EXPECT_EQ(again, Remembered(3, 1));
}

TEST(QueueMemory, OtherSearchesBeginAnew) {
  for (const auto& [cycle, position] : {std::pair(int64_t{2}, 1), std::pair(int64_t{3}, 2)}) {
    QueuePlan next(2);
    next.memory.Recall(Remembered(cycle, position));
    EXPECT_FALSE(next.world.workloads[next.w].progress.has_value());
  }
  QueuePlan other(3);
  other.memory.Recall(Remembered(3, 1));
  EXPECT_FALSE(other.world.workloads[other.w].progress.has_value());
}

TEST(QueueMemory, APreemptorStaysInFrontUntilItsSpecChangesOrItHasQuota) {
  QueuePlan next(2);
  next.memory.Recall(Remembered(3, 1));
  EXPECT_TRUE(next.scheduler.pending(0).preemptor().sticky);
  EXPECT_EQ(next.scheduler.pending(0).preemptor().workload, next.w);
  QueuePlan other(3);
  other.memory.Recall(Remembered(3, 1));
  EXPECT_FALSE(other.scheduler.pending(0).preemptor().sticky);
  next.scheduler.Run();
  ASSERT_TRUE(next.world.workloads[next.w].holds);
  MemorySlot slot = Remembered(3, 1);
  next.Remember(&slot);
  EXPECT_TRUE(slot.empty());
}

}  // namespace
}  // namespace muster::kueue
