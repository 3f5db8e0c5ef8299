// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Action preempt of profile yarn-capacity with priorities: room for reservations of queues below
// their guarantee, from queues of lower priority that hold no more than theirs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "muster/muster.h"

namespace muster {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::string ProfileOf(const std::string& options) {
  return "yarn-capacity:actions=preempt(per_round=1," + options + ")+heartbeat";
}

class YarnPriorities : public ::testing::Test {
 protected:
  // Two nodes of four. Queue low, with one half, holds one of each; queue high, with the other half
  // and a higher priority, requests a whole node.
  void SetUp() override {
    for (const char* node : {"m", "n"}) {
      Must(cluster_.AddNode(
          {.name = node, .capacity = {{"cpu", 4}, {"memory", "4Gi"}, {"pods", 100}}}));
    }
    AddQueues("priority-utilization", 1);
    AddTask("on-m", "early", "m", 20);
    AddTask("on-n", "late", "n", 10);
    Must(cluster_.AddJob({.name = "whole",
                          .queue = "high",
                          .groups = {{.count = 1, .shape = {.request = Sized(4)}}},
                          .created = 9}));
  }
  void AddQueues(const std::string& order, int32_t priority) {
    Must(cluster_.AddQueue(
        {.name = "root", .settings = {{"yarn-capacity/ordering-policy", order}}}));
    const Labels settings = {{"yarn-capacity/capacity", "50"},
                             {"yarn-capacity/maximum-am-resource-percent", "1"},
                             {"yarn-capacity/user-limit-factor", "2"}};
    Must(cluster_.AddQueue({.name = "low", .parent = "root", .settings = settings}));
    Must(cluster_.AddQueue(
        {.name = "high", .parent = "root", .priority = priority, .settings = settings}));
  }
  static Resources Sized(int cpu) { return {{"cpu", cpu}, {"memory", std::to_string(cpu) + "Gi"}}; }
  void AddTask(const std::string& name, const std::string& job, const std::string& node,
               int64_t started, bool preemptable = true, const std::string& queue = "low") {
    if (!cluster_.AddJob({.name = job, .queue = queue, .created = ++jobs_}).ok()) --jobs_;
    Must(cluster_.AddTask({.name = name,
                           .job = job,
                           .shape = {.request = Sized(1)},
                           .status = TaskStatus::kRunning,
                           .node = node,
                           .preemptable = preemptable,
                           .created = 1,
                           .started = started}));
  }
  static void Must(const absl::Status& status) { ASSERT_TRUE(status.ok()) << status; }

  // What a cycle decides; the cluster goes on with its plan.
  std::vector<std::string> Decided(int64_t now, const std::string& profile) {
    const absl::StatusOr<Plan> plan = cluster_.Schedule(profile, {.now = now});
    EXPECT_TRUE(plan.ok()) << plan.status();
    std::vector<std::string> words;
    if (!plan.ok()) return words;
    for (const Eviction& eviction : plan->evictions()) {
      words.push_back("evict " + std::string(plan->task_name(eviction.task)));
    }
    for (const Bind& bind : plan->binds()) {
      words.push_back("bind " + std::string(plan->node_name(bind.node)));
    }
    Must(cluster_.Apply(*plan).status());
    return words;
  }
  // What cycles decide from the reservation on, which is made at 100, until 200.
  std::vector<std::string> DecidedLater(const std::string& profile) {
    EXPECT_THAT(Decided(100, profile), IsEmpty());
    std::vector<std::string> all;
    for (const int64_t now : {159, 160, 174, 175, 200}) {
      for (const std::string& words : Decided(now, profile)) {
        all.push_back(std::to_string(now) + " " + words);
      }
    }
    return all;
  }

  Cluster cluster_;
  int64_t jobs_ = 0;
};

// The mark at 160, when the reservation is a minute old, and the wait of a mark.
TEST_F(YarnPriorities, AReservationTakesFromAQueueOfLowerPriorityOnItsNode) {
  EXPECT_THAT(DecidedLater(ProfileOf("priorities=on")), ElementsAre("175 evict on-m"));
  Must(cluster_.RemoveTask("on-m"));
  EXPECT_THAT(Decided(201, ProfileOf("priorities=on")), ElementsAre("bind m"));
}

TEST_F(YarnPriorities, TheDelayIsAnOption) {
  const std::string profile = ProfileOf("priorities=on,priorities_delay=0,max_wait=0");
  EXPECT_THAT(Decided(100, profile), IsEmpty());  // the round came before the reservation
  EXPECT_THAT(Decided(101, profile), IsEmpty());
  EXPECT_THAT(Decided(102, profile), ElementsAre("evict on-m"));
}

TEST_F(YarnPriorities, WithoutTheOptionAQueueWithinItsGuaranteeGivesNothing) {
  EXPECT_THAT(DecidedLater(ProfileOf("reserved=on,natural_termination=1,max_ignored=0")),
              IsEmpty());
}

TEST_F(YarnPriorities, EqualPrioritiesTakeNothing) {
  QueueSpec high = cluster_.Describe().queues.back();
  ASSERT_EQ(high.name, "high");
  high.priority = 0;
  Must(cluster_.UpdateQueue(high));
  EXPECT_THAT(DecidedLater(ProfileOf("priorities=on")), IsEmpty());
}

TEST_F(YarnPriorities, PrioritiesCountOnlyBelowAParentThatRespectsThem) {
  Must(cluster_.UpdateQueue({.name = "root"}));
  EXPECT_THAT(DecidedLater(ProfileOf("priorities=on")), IsEmpty());
}

TEST_F(YarnPriorities, AQueueAtItsGuaranteeTakesNothing) {
  Must(cluster_.AddNode({.name = "o", .capacity = {{"cpu", 4}, {"memory", "4Gi"}, {"pods", 9}}}));
  for (int i = 0; i < 4; ++i) AddTask("own" + std::to_string(i), "own", "o", 1, true, "high");
  // Six are the guarantee now.
  EXPECT_THAT(DecidedLater(ProfileOf("priorities=on")), ElementsAre("175 evict on-m"));
  for (int i = 4; i < 6; ++i) AddTask("own" + std::to_string(i), "own", "n", 1, true, "high");
  Must(cluster_.AddTask({.name = "again",
                         .job = "early",
                         .shape = {.request = Sized(1)},
                         .status = TaskStatus::kRunning,
                         .node = "m",
                         .created = 1,
                         .started = 300}));
  for (const int64_t now : {300, 400}) {
    EXPECT_THAT(Decided(now, ProfileOf("priorities=on")), IsEmpty());
  }
}

TEST_F(YarnPriorities, TheOldestContainersGoFirstWhateverTheirApplications) {
  Must(cluster_.RemoveJob("whole"));
  AddTask("second", "late", "m", 10);  // of a younger application than on-m, and started earlier
  AddTask("beside", "late", "n", 10);
  Must(cluster_.AddJob({.name = "part",
                        .queue = "high",
                        .groups = {{.count = 1, .shape = {.request = Sized(3)}}},
                        .created = 9}));
  EXPECT_THAT(DecidedLater(ProfileOf("priorities=on")), ElementsAre("175 evict second"));
}

TEST_F(YarnPriorities, AReservationMovesToWhereThereIsAWay) {
  Must(cluster_.RemoveTask("on-m"));
  AddTask("fixed", "early", "m", 20, /*preemptable=*/false);
  EXPECT_THAT(DecidedLater(ProfileOf("priorities=on")), IsEmpty());
  for (const int64_t now : {300, 301}) {
    EXPECT_THAT(Decided(now, ProfileOf("priorities=on,move_reservations=on")), IsEmpty());
  }
  EXPECT_THAT(Decided(316, ProfileOf("priorities=on,move_reservations=on")),
              ElementsAre("evict on-n"));
  Must(cluster_.RemoveTask("on-n"));
  EXPECT_THAT(Decided(317, ProfileOf("priorities=on")), ElementsAre("bind n"));
}

}  // namespace
}  // namespace muster
