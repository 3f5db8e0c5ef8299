// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What cycles remember: an action from outside that puts tasks to sleep and wakes them by events,
// and equal plans living, from a frozen snapshot, and from a scenario with memory and events.
#include <memory>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "lib/scenario/scenario.h"
#include "lib/scenario/state.h"
#include "muster/policy.h"
#include "tests/support/plan_words.h"

namespace muster::testing {
namespace {

// Tries each pending task once, and again only when a node came or a task gave back its place. Row
// NAME: how often it was tried in vain.
void RunSleepers(Workbench& bench, const Options&) {
  const Cycle& cycle = bench.cycle();
  const ClusterEvents events = cycle.EventsSince("sleepers");
  bool wakes = events.everything;
  for (const ClusterEvent& event : events.list) {
    wakes |= FreesNode(event) || event.kind == ClusterEventKind::kNodeAdded;
  }
  MemorySlot& asleep = cycle.Remember("sleepers");
  asleep.EraseIf([&](std::string_view task) { return !cycle.FindTask(task).has_value(); });
  for (const JobIndex job : bench.waiting()) {
    for (const TaskIndex task : bench.PendingTasks(job)) {
      const std::string_view name = cycle.task_name(task);
      if (asleep.Find(name) != nullptr && !wakes) continue;
      if (bench.ShouldStop()) return;
      const Workbench::Savepoint before = bench.Save();
      if (bench.Place(task) != kNone) {
        bench.Commit(before);
        asleep.Erase(name);
      } else {
        asleep.Set(name, {asleep.Integer(name) + 1});
      }
    }
  }
}

constexpr char kProfile[] = "muster:actions=sleepers,tiers=predicates";

std::shared_ptr<const Extensions> Sleepers(int32_t version = 1) {
  auto extensions = std::make_shared<Extensions>();
  extensions->actions.push_back({.name = "sleepers",
                                 .summary = "wakes tasks by events",
                                 .run = RunSleepers,
                                 .memory = {{"sleepers", version}}});
  return extensions;
}

class Remembering : public ::testing::Test {
 protected:
  void SetUp() override {
    Accept(cluster_.AddNode({.name = "n", .capacity = {{"cpu", 2}, {"pods", 9}}}));
    AddJob(cluster_, {.name = "a", .phase = JobPhase::kAdmitted}, 1, {{"cpu", 2}});
    testing::Run(cluster_, "a0", "n");
    AddJob(cluster_, {.name = "b", .phase = JobPhase::kAdmitted}, 1, {{"cpu", 2}});
    options_.extensions = Sleepers();
  }

  // A cycle of the living cluster, which is what one over its snapshot and one over its scenario
  // are, too.
  Plan Cycle() {
    const std::string state = SaveState(&cluster_);  // first: it numbers the rows anew
    const Snapshot frozen = cluster_.Freeze();
    const absl::StatusOr<Plan> snapshot = Schedule(frozen, kProfile, options_);
    EXPECT_TRUE(snapshot.ok()) << snapshot.status();
    const Scenario scenario = Describe(cluster_);
    const absl::StatusOr<Scenario> read = ParseScenario(WriteScenario(scenario));
    EXPECT_TRUE(read.ok()) << read.status();
    Cluster copy;
    Accept(Fill(*read, &copy));
    const absl::StatusOr<Plan> copied = copy.Schedule(kProfile, options_);
    EXPECT_TRUE(copied.ok()) << copied.status();
    Cluster standby;
    Accept(LoadState(state, &standby));
    const absl::StatusOr<Plan> stood_by = standby.Schedule(kProfile, options_);
    EXPECT_TRUE(stood_by.ok()) << stood_by.status();
    absl::StatusOr<Plan> living = cluster_.Schedule(kProfile, options_);
    EXPECT_TRUE(living.ok()) << living.status();
    EXPECT_EQ(snapshot->Digest(), living->Digest());
    EXPECT_EQ(stood_by->Digest(), living->Digest());
    // A file numbers the rows by its own order, so that indices differ and words do not.
    EXPECT_EQ(copied->ToText(), living->ToText());
    // Generations count the events of one cluster; a copy counts its own.
    const MemorySlot* kept = living->memory().Find("sleepers");
    const MemorySlot* of_copy = copied->memory().Find("sleepers");
    EXPECT_TRUE(kept == nullptr ? of_copy == nullptr : of_copy != nullptr && *of_copy == *kept);
    EXPECT_EQ(snapshot->memory().ToText(), living->memory().ToText());
    return *living;
  }
  Plan Apply() {
    Plan plan = Cycle();
    EXPECT_TRUE(cluster_.Apply(plan).ok());
    return plan;
  }
  int64_t TriesOf(const std::string& task) const {
    const MemorySlot* slot = cluster_.memory().Find("sleepers");
    return slot == nullptr ? -1 : slot->Integer(task);
  }

  Cluster cluster_;
  ScheduleOptions options_;
};

TEST_F(Remembering, OneEventWakesATaskAndAnotherDoesNot) {
  EXPECT_TRUE(Apply().binds().empty());
  EXPECT_EQ(TriesOf("b0"), 1);
  Apply();
  EXPECT_EQ(TriesOf("b0"), 1) << "nothing happened";
  Accept(cluster_.UpdateNode(
      {.name = "n", .capacity = {{"cpu", 2}, {"pods", 9}}, .labels = {{"zone", "a"}}}));
  Accept(cluster_.AddQueue({.name = "other"}));
  Apply();
  EXPECT_EQ(TriesOf("b0"), 1) << "labels and queues wake nothing";
  Accept(cluster_.AddNode({.name = "small", .capacity = {{"cpu", 1}, {"pods", 9}}}));
  Apply();
  EXPECT_EQ(TriesOf("b0"), 2) << "a node came";
  Accept(cluster_.SetTaskStatus("a0", TaskStatus::kSucceeded));
  EXPECT_EQ(Apply().binds().size(), 1u);
  EXPECT_EQ(TriesOf("b0"), 0);
}

TEST_F(Remembering, RowsThatGoAreForgottenAndSurviveRenumbering) {
  Apply();
  for (int i = 0; i < 3000; ++i) {
    Accept(cluster_.AddTask({.name = "x" + std::to_string(i), .shape = {.request = {{"cpu", 1}}}}));
    Accept(cluster_.RemoveTask("x" + std::to_string(i)));
  }
  Apply();
  EXPECT_EQ(TriesOf("b0"), 2) << "more events than the list holds: everything may have changed";
  Apply();
  EXPECT_EQ(TriesOf("b0"), 2);
  NumberAnew(&cluster_);
  Apply();
  EXPECT_EQ(TriesOf("b0"), 2) << "new indices are no event";
  Accept(cluster_.RemoveJob("b"));
  Apply();
  EXPECT_TRUE(cluster_.memory().Find("sleepers")->empty());
}

TEST_F(Remembering, ACutCycleAndAFailedOneLeaveTheMemory) {
  Apply();
  const std::string before = cluster_.memory().ToText();
  Accept(cluster_.AddNode({.name = "small", .capacity = {{"cpu", 1}, {"pods", 9}}}));
  options_.work_budget = 0;
  const Plan cut = Apply();
  EXPECT_FALSE(cut.complete());
  EXPECT_EQ(cut.memory().ToText(), before);
  EXPECT_EQ(cluster_.memory().ToText(), before);
  options_.work_budget.reset();
  options_.cursor = 7;
  EXPECT_FALSE(cluster_.Schedule(kProfile, options_).ok());
  EXPECT_EQ(cluster_.memory().ToText(), before);
  options_.cursor = 0;
  Apply();
  EXPECT_EQ(TriesOf("b0"), 2) << "the event was not lost";
}

TEST_F(Remembering, AnotherVersionIsRefused) {
  Apply();
  options_.extensions = Sleepers(2);
  const absl::StatusOr<Plan> plan = cluster_.Schedule(kProfile, options_);
  EXPECT_EQ(plan.status().message(),
            "memory: slots.sleepers.version: 1 is not known; this reads 2");
  // A profile without the slot carries it over.
  options_.extensions = nullptr;
  const absl::StatusOr<Plan> other = cluster_.Schedule("volcano", options_);
  ASSERT_TRUE(other.ok()) << other.status();
  EXPECT_TRUE(other->memory() == cluster_.memory());
}

TEST_F(Remembering, OneEventAtATime) {
  auto counts = std::make_shared<Extensions>();
  counts->actions.push_back({.name = "count",
                             .run =
                                 [](Workbench& bench, const Options&) {
                                   const ClusterEvents events = bench.cycle().EventsSince("seen");
                                   MemorySlot& seen = bench.cycle().Remember("seen");
                                   std::string words = events.everything ? "everything" : "";
                                   for (const ClusterEvent& event : events.list) {
                                     words += std::string(ClusterEventKindName(event.kind)) + " " +
                                              event.name + ";";
                                   }
                                   seen.Set("now", {words});
                                 },
                             .memory = {{"seen"}},
                             .turns = {TurnKind::kCycle, TurnKind::kEvent}});
  ScheduleOptions options;
  options.extensions = counts;
  const auto seen = [&] {
    const absl::StatusOr<Plan> plan = cluster_.Schedule("muster:actions=count", options);
    EXPECT_TRUE(plan.ok()) << plan.status();
    EXPECT_TRUE(cluster_.Apply(*plan).ok());
    return std::string(cluster_.memory().Find("seen")->Text("now"));
  };
  EXPECT_EQ(seen(), "everything");
  EXPECT_EQ(seen(), "job_changed a;") << "the phase that the first plan set";
  EXPECT_EQ(seen(), "");
  Accept(cluster_.AddQueue({.name = "x"}));
  Accept(cluster_.AddQueue({.name = "y"}));
  Accept(cluster_.RemoveTask("a0"));
  options.turn = OneEvent();
  EXPECT_EQ(seen(), "queue_added x;");
  EXPECT_EQ(seen(), "queue_added y;");
  options.turn = WholeCycle();
  Accept(cluster_.RemoveQueue("x"));
  EXPECT_EQ(seen(), "task_removed a0;job_changed a;queue_removed x;") << "a ended with its task";
  EXPECT_EQ(seen(), "");
  options.turn = OneEvent();
  EXPECT_EQ(seen(), "");
}

TEST_F(Remembering, AMemoryFromElsewhereHasSeenNothing) {
  Apply();
  Cluster other;
  Accept(other.AddNode({.name = "n", .capacity = {{"cpu", 1}, {"pods", 9}}}));
  AddJob(other, {.name = "b", .phase = JobPhase::kAdmitted}, 1, {{"cpu", 2}});
  other.SetMemory(cluster_.memory());
  const absl::StatusOr<Plan> plan = other.Schedule(kProfile, options_);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->memory().Find("sleepers")->Integer("b0"), 2);
}

TEST_F(Remembering, APlanMadeBeforeOtherChangesHasNotSeenThem) {
  const Snapshot frozen = cluster_.Freeze();
  Accept(cluster_.AddNode({.name = "late", .capacity = {{"cpu", 1}, {"pods", 9}}}));
  const absl::StatusOr<Plan> plan = Schedule(frozen, kProfile, options_);
  ASSERT_TRUE(plan.ok()) << plan.status();
  ASSERT_TRUE(cluster_.Apply(*plan).ok());
  Apply();
  EXPECT_EQ(TriesOf("b0"), 2) << "what happened before the first memory came is not known";
}

}  // namespace
}  // namespace muster::testing
