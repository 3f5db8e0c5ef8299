// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Action preempt of profile yarn-fair on clusters that a reader can check by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "muster/muster.h"

namespace muster {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr const char* kProfile = "yarn-fair:actions=preempt+heartbeat";

class YarnFairPreempt : public ::testing::Test {
 protected:
  // One node of eight, which queue a fills. Queue b has a job of three tasks, that is starved after
  // five seconds below half of its fair share of 4,096 MiB: it misses two containers.
  void SetUp() override {
    Must(cluster_.AddNode(
        {.name = "n", .capacity = {{"cpu", 8}, {"memory", "8Gi"}, {"pods", 100}}}));
    Must(cluster_.AddQueue(
        {.name = "root", .settings = {{"yarn-fair/fairSharePreemptionTimeout", "5"}}}));
    for (const char* queue : {"a", "b"}) Must(cluster_.AddQueue({.name = queue, .parent = "root"}));
    Must(cluster_.AddJob(
        {.name = "old", .queue = "a", .groups = {{.name = "am", .count = 0}}, .created = 1}));
    for (int i = 0; i < 8; ++i) Must(cluster_.AddTask(Old(i)));
    AddJob("new", "b", 3);
  }
  static void Must(const absl::Status& status) { ASSERT_TRUE(status.ok()) << status; }
  static TaskShape Shape() { return {.request = {{"cpu", 1}, {"memory", "1Gi"}}}; }
  static TaskSpec Old(int i) {
    return {.name = "old" + std::to_string(i),
            .job = "old",
            .shape = Shape(),
            .status = TaskStatus::kRunning,
            .node = "n",
            .created = 1,
            .started = 10 + i};
  }
  void AddJob(const std::string& name, const std::string& queue, int64_t count) {
    Must(cluster_.AddJob({.name = name,
                          .queue = queue,
                          .groups = {{.count = count, .shape = Shape()}},
                          .created = 2}));
  }
  void Set(const char* queue, const Labels& settings) {
    Must(cluster_.UpdateQueue({.name = queue,
                               .parent = queue == std::string_view("root") ? "" : "root",
                               .settings = settings}));
  }

  // What a cycle evicts. A snapshot decides the same and remembers the same. The cluster goes on
  // with the plan.
  std::vector<std::string> Evicted(int64_t now, const char* profile = kProfile) {
    const Snapshot snapshot = cluster_.Freeze();
    const absl::StatusOr<Plan> plan = cluster_.Schedule(profile, {.now = now});
    const absl::StatusOr<Plan> frozen = Schedule(snapshot, profile, {.now = now});
    EXPECT_TRUE(plan.ok() && frozen.ok()) << plan.status() << frozen.status();
    std::vector<std::string> names;
    if (!plan.ok() || !frozen.ok()) return names;
    EXPECT_EQ(plan->Digest(), frozen->Digest());
    EXPECT_EQ(plan->memory(), frozen->memory());
    for (const Eviction& eviction : plan->evictions()) {
      names.emplace_back(plan->task_name(eviction.task));
    }
    started_.clear();
    for (const Bind& bind : plan->binds()) started_.emplace_back(plan->task_name(bind.task));
    memory_ = plan->memory();
    Must(cluster_.Apply(*plan).status());
    return names;
  }
  bool IsForgotten(std::string_view slot) const {
    const MemorySlot* rows = memory_.Find(slot);
    return rows == nullptr || rows->empty();
  }
  void Remove(const std::vector<std::string>& tasks) {
    for (const std::string& task : tasks) Must(cluster_.RemoveTask(task));
  }

  Cluster cluster_;
  std::vector<std::string> started_;  // by the last cycle
  Memory memory_;                     // after it
};

TEST_F(YarnFairPreempt, EvictsTheNewestAfterTheTimeoutAndTheWait) {
  EXPECT_THAT(Evicted(100), IsEmpty());  // the job is new
  EXPECT_THAT(Evicted(104), IsEmpty());
  EXPECT_THAT(Evicted(105), IsEmpty());  // two tasks are marked
  EXPECT_THAT(Evicted(119), IsEmpty());
  EXPECT_THAT(Evicted(120), ElementsAre("old6", "old7"));
}

TEST_F(YarnFairPreempt, WithoutAWaitAtOnce) {
  constexpr const char* kAtOnce = "yarn-fair:actions=preempt(wait_before_kill=0)+heartbeat";
  EXPECT_THAT(Evicted(100, kAtOnce), IsEmpty());
  EXPECT_THAT(Evicted(105, kAtOnce), ElementsAre("old7", "old6"));
}

TEST_F(YarnFairPreempt, ByDefaultNothingIsEvictedWithoutATimeout) {
  Set("root", {});
  for (const int64_t now : {100, 1'000, 1'000'000}) EXPECT_THAT(Evicted(now), IsEmpty());
}

TEST_F(YarnFairPreempt, TimeoutsAndThresholdsAreInherited) {
  Set("root", {{"yarn-fair/fairSharePreemptionTimeout", "5"},
               {"yarn-fair/fairSharePreemptionThreshold", "0.25"}});
  Set("b", {{"yarn-fair/fairSharePreemptionTimeout", "50"}});
  Evicted(100);
  Evicted(149);
  EXPECT_THAT(Evicted(165), IsEmpty());  // marked only now
  EXPECT_THAT(Evicted(180), ElementsAre("old7"));
}

// All three that it requests are below the whole of its fair share.
TEST_F(YarnFairPreempt, AThresholdOfOneIsTheWholeFairShare) {
  Set("b", {{"yarn-fair/fairSharePreemptionThreshold", "1"}});
  Evicted(100);
  Evicted(105);
  EXPECT_THAT(Evicted(120), ElementsAre("old5", "old6", "old7"));
}

TEST_F(YarnFairPreempt, AMinimumShareHasATimeoutOfItsOwn) {
  Set("root", {});
  Set("b", {{"yarn-fair/minResources", "3072 mb, 3 vcores"},
            {"yarn-fair/minSharePreemptionTimeout", "7"}});
  Evicted(100);
  Evicted(106);
  EXPECT_THAT(Evicted(107), IsEmpty());
  EXPECT_THAT(Evicted(121), IsEmpty());
  EXPECT_THAT(Evicted(122), ElementsAre("old5", "old6", "old7"));
}

// The job requests 8,192 MiB, of which the minimum share is 3,072. It is noted with the excess,
// 5,120; the fifth victim would bring the other job below its fair share of 4,096.
TEST_F(YarnFairPreempt, AMinimumShareIsNotedWithTheExcess) {
  Must(cluster_.RemoveJob("new"));
  AddJob("new", "b", 8);
  Set("root", {});
  Set("b", {{"yarn-fair/minResources", "3072 mb, 3 vcores"},
            {"yarn-fair/minSharePreemptionTimeout", "0"}});
  EXPECT_THAT(Evicted(100), IsEmpty());
  EXPECT_THAT(Evicted(115), ElementsAre("old4", "old5", "old6", "old7"));
}

TEST_F(YarnFairPreempt, AQueueOrOneAboveItMayForbidIt) {
  for (const char* queue : {"a", "root"}) {
    cluster_ = Cluster();
    SetUp();
    Labels settings = {{"yarn-fair/allowPreemptionFrom", "false"}};
    if (queue == std::string_view("root")) {
      settings.emplace_back("yarn-fair/fairSharePreemptionTimeout", "5");
    }
    Set(queue, settings);
    for (const int64_t now : {100, 105, 120}) EXPECT_THAT(Evicted(now), IsEmpty()) << queue;
  }
}

TEST_F(YarnFairPreempt, NothingIsMarkedWhileTheClusterHasRoom) {
  constexpr const char* kNever = "yarn-fair:actions=preempt(utilization_threshold=1)+heartbeat";
  for (const int64_t now : {100, 105, 120}) EXPECT_THAT(Evicted(now, kNever), IsEmpty());
  constexpr const char* kFull = "yarn-fair:actions=preempt(utilization_threshold=0.99)+heartbeat";
  Evicted(125, kFull);  // starved since 100
  EXPECT_THAT(Evicted(140, kFull), ElementsAre("old6", "old7"));
}

TEST_F(YarnFairPreempt, TasksThatMayNotBePreemptedStay) {
  for (int i = 1; i < 8; ++i) {
    TaskSpec task = Old(i);
    task.preemptable = i == 3;
    Must(cluster_.UpdateTask(task));
  }
  Evicted(100);
  Evicted(105);
  EXPECT_THAT(Evicted(120), ElementsAre("old0", "old3"));
}

TEST_F(YarnFairPreempt, MastersGoLast) {
  for (const bool may : {true, false}) {
    cluster_ = Cluster();
    SetUp();
    Must(cluster_.UpdateJob({.name = "old",
                             .queue = "a",
                             .groups = {{.name = "am", .count = 0}},
                             .created = 1,
                             .settings = {{"yarn-fair/master", "am"}}}));
    for (int i = 0; i < 8; ++i) {
      TaskSpec task = Old(i);
      if (i == 7) task.group = "am";
      task.preemptable = i > 5;
      Must(cluster_.RemoveTask(task.name));
      Must(cluster_.AddTask(task));
    }
    const std::string profile = std::string("yarn-fair:actions=preempt(am_preemption=") +
                                (may ? "on" : "off") + ")+heartbeat";
    Evicted(100, profile.c_str());
    Evicted(105, profile.c_str());
    // The first container that is missed takes the newest of the others.
    const std::vector<std::string> evicted = Evicted(120, profile.c_str());
    if (may) {
      EXPECT_THAT(evicted, ElementsAre("old6", "old7"));
    } else {
      EXPECT_THAT(evicted, ElementsAre("old6"));
    }
  }
}

// A job of equal usage comes first by the name of its queue, but for the promise.
TEST_F(YarnFairPreempt, TheRoomIsPromisedToTheStarved) {
  for (const bool is_promised : {true, false}) {
    cluster_ = Cluster();
    SetUp();
    for (const int64_t now : {100, 105, 120}) {
      if (is_promised) Evicted(now);
    }
    Remove({"old6", "old7"});
    Must(cluster_.AddQueue({.name = "aa", .parent = "root"}));
    AddJob("rival", "aa", 5);
    Evicted(121);
    if (is_promised) {
      EXPECT_THAT(started_, ElementsAre("new-0", "new-1"));
      EXPECT_TRUE(IsForgotten("yarn-fair-promises"));  // it is used up
    } else {
      EXPECT_THAT(started_, ElementsAre("rival-0", "new-0"));
    }
  }
}

// Cycles are far apart: the promised room is given before the next check.
TEST_F(YarnFairPreempt, EvictsOnceForOneStarvation) {
  constexpr const char* kHalf = "yarn-fair:actions=preempt(utilization_threshold=0.5)+heartbeat";
  Evicted(100, kHalf);
  Evicted(105, kHalf);
  EXPECT_THAT(Evicted(1'000, kHalf), ElementsAre("old6", "old7"));
  for (const int64_t now : {1'009, 1'100, 2'000}) {
    EXPECT_THAT(Evicted(now, kHalf), IsEmpty()) << now;  // they still leave
  }
  Remove({"old6", "old7"});
  EXPECT_THAT(Evicted(2'500, kHalf), IsEmpty());
  EXPECT_THAT(started_, ElementsAre("new-0", "new-1"));
  EXPECT_TRUE(IsForgotten("yarn-fair-marks"));
  for (const int64_t now : {3'000, 4'000}) EXPECT_THAT(Evicted(now, kHalf), IsEmpty()) << now;
}

TEST_F(YarnFairPreempt, IsCheckedAgainAfterTheEvictedHaveLeft) {
  Evicted(100);
  Evicted(105);
  EXPECT_THAT(Evicted(120), ElementsAre("old6", "old7"));
  Remove({"old6", "old7"});
  // They come back: the host has started them again.
  for (int i = 6; i < 8; ++i) Must(cluster_.AddTask(Old(i)));
  EXPECT_THAT(Evicted(121), IsEmpty());
  EXPECT_THAT(Evicted(130), IsEmpty());
  EXPECT_THAT(Evicted(131), IsEmpty());  // marked again
  EXPECT_THAT(Evicted(145), IsEmpty());
  EXPECT_THAT(Evicted(146), ElementsAre("old6", "old7"));
}

TEST_F(YarnFairPreempt, AMarkBelongsToTheNode) {
  Evicted(100);
  Evicted(105);
  Must(cluster_.AddNode({.name = "m", .capacity = {{"cpu", 1}, {"memory", "1Gi"}, {"pods", 9}}}));
  TaskSpec moved = Old(7);
  moved.node = "m";
  Must(cluster_.UpdateTask(moved));
  EXPECT_THAT(Evicted(120), ElementsAre("old6"));
}

TEST_F(YarnFairPreempt, ForgetsWithTheRows) {
  Evicted(100);
  Evicted(105);
  for (const char* name : {"\"new\"", "\"old\"", "\"old7\"", "\"root.b\"", "\"n\""}) {
    EXPECT_THAT(memory_.ToText(), HasSubstr(name));
  }
  Must(cluster_.RemoveJob("new"));
  Must(cluster_.RemoveQueue("b"));
  Evicted(110, "yarn-fair");  // without the action, too
  for (const char* name : {"\"new\"", "\"root.b\""}) {
    EXPECT_THAT(memory_.ToText(), Not(HasSubstr(name)));
  }
  EXPECT_THAT(memory_.ToText(), HasSubstr("\"old7\""));
  EXPECT_THAT(Evicted(120), ElementsAre("old6", "old7"));  // as at the peer, marks are final
}

// Reports have no time of their own: what comes between two updates is known from the second on.
TEST_F(YarnFairPreempt, TimesBeginWithTheAction) {
  Evicted(100);
  Must(cluster_.AddQueue({.name = "c",
                          .parent = "root",
                          .settings = {{"yarn-fair/minResources", "1024 mb, 1 vcores"},
                                       {"yarn-fair/minSharePreemptionTimeout", "5"},
                                       {"yarn-fair/fairSharePreemptionTimeout", "1000"}}}));
  AddJob("late", "c", 1);
  Evicted(0, "yarn-fair");
  EXPECT_EQ(memory_.Find("yarn-fair-starvation")->Find("late"), nullptr);
  EXPECT_EQ(memory_.Find("yarn-fair-minimums")->Find("root.c"), nullptr);
  Set("root", {});
  Evicted(200);
  EXPECT_THAT(Evicted(204), IsEmpty());
  EXPECT_THAT(Evicted(205), IsEmpty());  // marked
  EXPECT_THAT(Evicted(220), ElementsAre("old7"));
}

TEST_F(YarnFairPreempt, RefusesWrongOptionsAndSettingsByName) {
  const auto refusal = [&](const char* profile) {
    return std::string(cluster_.Schedule(profile).status().message());
  };
  EXPECT_EQ(refusal("yarn-fair:actions=preempt(min_memory=2,max_memory=1)"),
            "action preempt, option max_memory: is 1; must be 0, or at least min_memory, 2");
  Set("a", {{"yarn-fair/allowPreemptionFrom", "no"}});
  EXPECT_THAT(refusal("yarn-fair"), HasSubstr("\"yarn-fair/allowPreemptionFrom\": is \"no\""));
  Set("a", {{"yarn-fair/minSharePreemptionTimeout", "-1"}});
  EXPECT_THAT(refusal("yarn-fair"),
              HasSubstr("\"yarn-fair/minSharePreemptionTimeout\": is \"-1\""));
  Set("a", {{"yarn-fair/fairSharePreemptionThreshold", "1.5"}});
  EXPECT_THAT(refusal("yarn-fair"),
              HasSubstr("\"yarn-fair/fairSharePreemptionThreshold\": is \"1.5\""));
}

}  // namespace
}  // namespace muster
