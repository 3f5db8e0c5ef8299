// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Action preempt of profile yarn-capacity on clusters that a reader can check by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "muster/muster.h"

namespace muster {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kProfile =
    "yarn-capacity:actions=preempt(per_round=1,natural_termination=1,max_ignored=0)+heartbeat";

class YarnPreempt : public ::testing::Test {
 protected:
  // One node of eight, which queue a fills; a and b are guaranteed one half each.
  void SetUp() override {
    Must(cluster_.AddNode(
        {.name = "n", .capacity = {{"cpu", 8}, {"memory", "8Gi"}, {"pods", 100}}}));
    Must(cluster_.AddQueue({.name = "root"}));
    for (const char* queue : {"a", "b"}) {
      Must(cluster_.AddQueue({.name = queue, .parent = "root", .settings = Settings()}));
    }
    Must(cluster_.AddJob({.name = "old", .queue = "a", .created = 1}));
    for (int i = 0; i < 8; ++i) {
      Must(cluster_.AddTask({.name = "old" + std::to_string(i),
                             .job = "old",
                             .shape = {.request = {{"cpu", 1}, {"memory", "1Gi"}}},
                             .status = TaskStatus::kRunning,
                             .node = "n",
                             .created = 1,
                             .started = 10 + i}));
    }
    Must(cluster_.AddJob(
        {.name = "new",
         .queue = "b",
         .groups = {{.count = 3, .shape = {.request = {{"cpu", 1}, {"memory", "1Gi"}}}}},
         .created = 2}));
  }
  static Labels Settings() {
    return {{"yarn-capacity/capacity", "50"}, {"yarn-capacity/user-limit-factor", "2"}};
  }
  static void Must(const absl::Status& status) { ASSERT_TRUE(status.ok()) << status; }

  // What a cycle evicts; the cluster goes on with its plan.
  std::vector<std::string> Evicted(int64_t now, const char* profile = kProfile) {
    const absl::StatusOr<Plan> plan = cluster_.Schedule(profile, {.now = now});
    EXPECT_TRUE(plan.ok()) << plan.status();
    std::vector<std::string> names;
    if (!plan.ok()) return names;
    for (const Eviction& eviction : plan->evictions()) {
      names.emplace_back(plan->task_name(eviction.task));
    }
    Must(cluster_.Apply(*plan).status());
    return names;
  }
  void Set(const char* queue, const Labels& more) {
    Labels settings = Settings();
    settings.insert(settings.end(), more.begin(), more.end());
    Must(cluster_.UpdateQueue({.name = queue, .parent = "root", .settings = settings}));
  }

  Cluster cluster_;
};

TEST_F(YarnPreempt, EvictsTheNewestOfTheOtherQueueAfterTheWait) {
  EXPECT_THAT(Evicted(100), IsEmpty());
  EXPECT_THAT(Evicted(114), IsEmpty());
  EXPECT_THAT(Evicted(115), ElementsAre("old5", "old6", "old7"));
  EXPECT_THAT(Evicted(130), IsEmpty());  // they leave, and the others were never marked
}

TEST_F(YarnPreempt, ByDefaultARoundTakesATenthOfTheClusterAndAFifthOfWhatIsWanted) {
  const char* usual = "yarn-capacity:actions=preempt(max_wait=0,per_round=0.125)+heartbeat";
  EXPECT_THAT(Evicted(100, usual), IsEmpty());
  EXPECT_THAT(Evicted(101, usual), ElementsAre("old7"));
}

TEST_F(YarnPreempt, TheLeastImportantGoFirst) {
  for (int i = 0; i < 8; ++i) {
    Must(cluster_.UpdateTask({.name = "old" + std::to_string(i),
                              .job = "old",
                              .shape = {.request = {{"cpu", 1}, {"memory", "1Gi"}}},
                              .status = TaskStatus::kRunning,
                              .node = "n",
                              .priority = i,
                              .created = 1,
                              .started = 10 + i}));
  }
  Evicted(100);
  EXPECT_THAT(Evicted(115), ElementsAre("old0", "old1", "old2"));
}

TEST_F(YarnPreempt, TasksThatMayNotBePreemptedStay) {
  for (int i = 2; i < 8; ++i) {
    Must(cluster_.UpdateTask({.name = "old" + std::to_string(i),
                              .job = "old",
                              .shape = {.request = {{"cpu", 1}, {"memory", "1Gi"}}},
                              .status = TaskStatus::kRunning,
                              .node = "n",
                              .preemptable = false,
                              .created = 1,
                              .started = 10 + i}));
  }
  Evicted(100);
  EXPECT_THAT(Evicted(115), ElementsAre("old0", "old1"));
}

TEST_F(YarnPreempt, AQueueMayBeExempt) {
  Set("a", {{"yarn-capacity/disable_preemption", "true"}});
  Evicted(100);
  EXPECT_THAT(Evicted(115), IsEmpty());
  Set("a", {{"yarn-capacity/disable_preemption", "false"}});
  Must(cluster_.UpdateQueue(
      {.name = "root", .settings = {{"yarn-capacity/disable_preemption", "true"}}}));
  Evicted(200);
  EXPECT_THAT(Evicted(215), ElementsAre("old5", "old6", "old7"));  // its own setting counts
}

TEST_F(YarnPreempt, WithinAQueueTheMoreImportantApplicationTakes) {
  Must(cluster_.RemoveJob("new"));
  Must(cluster_.UpdateQueue({.name = "a",
                             .parent = "root",
                             .settings = {{"yarn-capacity/capacity", "100"},
                                          {"yarn-capacity/user-limit-factor", "2"},
                                          {"yarn-capacity/maximum-am-resource-percent", "1"}}}));
  Must(cluster_.UpdateQueue(
      {.name = "b", .parent = "root", .settings = {{"yarn-capacity/capacity", "0"}}}));
  Must(cluster_.AddJob(
      {.name = "urgent",
       .queue = "a",
       .priority = 5,
       .groups = {{.count = 1, .shape = {.request = {{"cpu", 1}, {"memory", "1Gi"}}}}},
       .created = 3}));
  const char* within =
      "yarn-capacity:actions=preempt(per_round=1,natural_termination=1,intra_queue=on,intra_limit="
      "1,"
      "intra_order=priority_first,max_wait=0)+heartbeat";
  Evicted(100, kProfile);
  EXPECT_THAT(Evicted(115, kProfile), IsEmpty());
  EXPECT_THAT(Evicted(200, within), IsEmpty());
  EXPECT_THAT(Evicted(201, within), ElementsAre("old7"));
}

TEST_F(YarnPreempt, AMarkBelongsToTheNode) {
  Must(cluster_.AddNode({.name = "m", .capacity = {{"cpu", 1}, {"memory", "1Gi"}, {"pods", 9}}}));
  Evicted(100);
  Must(cluster_.UpdateTask({.name = "old7",
                            .job = "old",
                            .shape = {.request = {{"cpu", 1}, {"memory", "1Gi"}}},
                            .status = TaskStatus::kRunning,
                            .node = "m",
                            .created = 1,
                            .started = 50}));
  const std::vector<std::string> evicted = Evicted(115);
  EXPECT_THAT(evicted, testing::Not(testing::Contains("old7")));
  EXPECT_FALSE(evicted.empty());
}

TEST_F(YarnPreempt, RefusesWrongOptionsByName) {
  EXPECT_EQ(cluster_.Schedule("yarn-capacity:actions=preempt(min_memory=2,max_memory=1)")
                .status()
                .message(),
            "action preempt, option max_memory: is 1; must be 0, or at least min_memory, 2");
  Set("a", {{"yarn-capacity/disable_preemption", "yes"}});
  EXPECT_THAT(std::string(cluster_.Schedule(kProfile).status().message()),
              HasSubstr("\"yarn-capacity/disable_preemption\": is \"yes\"; must be one of true, "
                        "false"));
}

}  // namespace
}  // namespace muster
