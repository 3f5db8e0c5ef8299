// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Which events changes leave, what the list does when it is full, and memories as values.
#include "lib/model/event_log.h"

#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "lib/model/access.h"
#include "lib/model/memory_data.h"
#include "lib/model/quiet_rows.h"
#include "tests/support/plan_words.h"

namespace muster::testing {
namespace {

ClusterEvent Named(const std::string& name) { return {ClusterEventKind::kNodeAdded, 0, name}; }

TEST(EventLog, SlotsSeeWhatCameSince) {
  EventLog log;
  EXPECT_FALSE(log.recording());
  log.Start();
  const uint64_t before = log.generation();
  log.Add(Named("a"), 9);
  log.Add(Named("b"), 9);
  ASSERT_EQ(log.Since(before).list.size(), 2u);
  EXPECT_EQ(log.Since(before + 1).list[0].name, "b");
  EXPECT_TRUE(log.Since(log.generation()).list.empty());
  EXPECT_FALSE(log.Since(log.generation()).everything);
  EXPECT_TRUE(log.Since(log.generation() + 1).everything) << "of another cluster";
  EXPECT_TRUE(log.Since(0).everything) << "never there";
  log.Forget(before + 1);
  EXPECT_TRUE(log.Since(before).everything);
  EXPECT_EQ(log.Since(before + 1).list.size(), 1u);
}

TEST(EventLog, TheOlderHalfGoes) {
  EventLog log;
  log.Start();
  const uint64_t before = log.generation();
  for (int i = 0; i < 5; ++i) log.Add(Named(std::to_string(i)), 4);
  EXPECT_TRUE(log.Since(before).everything);
  EXPECT_EQ(log.generation(), before + 5);
  EXPECT_EQ(log.Since(before + 2).list.size(), 3u);
  EXPECT_EQ(log.Since(before + 2).list[0].name, "2");
}

TEST(EventLog, OverflowIsSeenBySlotsOfEveryGeneration) {
  EventLog log;
  log.Start();
  log.Add(Named("a"), 9);
  const uint64_t end = log.generation();
  log.Overflow(0);
  EXPECT_TRUE(log.Since(end).everything);
  log.Overflow(100);
  EXPECT_TRUE(log.Since(100).everything);
  EXPECT_FALSE(log.Since(log.generation()).everything);
}

TEST(EventLog, EveryKindAndAspectHasAWordOfItsOwn) {
  std::set<std::string_view> words;
  for (int k = 0; k < kClusterEventKindCount; ++k) {
    words.insert(ClusterEventKindName(static_cast<ClusterEventKind>(k)));
  }
  EXPECT_EQ(words.size(), static_cast<size_t>(kClusterEventKindCount));
  words.clear();
  for (int bit = 0; bit < kEventAspectCount; ++bit) words.insert(EventAspectName(bit));
  EXPECT_EQ(words.size(), static_cast<size_t>(kEventAspectCount));
  EXPECT_FALSE(words.contains(""));
}

class Recorded : public ::testing::Test {
 protected:
  void SetUp() override {
    Accept(cluster_.AddNode({.name = "n", .capacity = {{"cpu", 4}, {"memory", 8}}}));
    Accept(cluster_.AddJob({.name = "j"}));
    Accept(cluster_.AddTask({.name = "t", .job = "j", .shape = {.request = {{"cpu", 1}}}}));
    ImplOf(cluster_).editor.RecordEvents();
    from_ = log().generation();
  }
  const EventLog& log() const { return TablesOf(cluster_).events; }
  // What came since the last call: "node_changed n capacity_grew", ...
  std::string News() {
    std::string words;
    for (const ClusterEvent& event : log().Since(from_).list) {
      if (!words.empty()) words += "; ";
      words += std::string(ClusterEventKindName(event.kind)) + " " + event.name;
      for (int bit = 0; bit < kEventAspectCount; ++bit) {
        if (event.aspects >> bit & 1) words += " " + std::string(EventAspectName(bit));
      }
      if (!event.node.empty()) words += " @" + event.node;
    }
    from_ = log().generation();
    return words;
  }
  Cluster cluster_;
  uint64_t from_ = 0;
};

// Rows that are taken back leave no event, however many they were and however full the log was.
TEST_F(Recorded, NothingOfRowsThatAreTakenBack) {
  const auto refused = [this](int jobs, int tasks) {
    RowsTogether rows(ImplOf(cluster_));
    Accept(rows.Update(NodeSpec{.name = "n", .capacity = {{"cpu", 9}}}));
    for (int i = 0; i < jobs; ++i) {
      JobSpec job{.name = "new" + std::to_string(i)};
      job.groups = {{.name = "w", .count = tasks}};
      Accept(rows.Add(job));
    }
    EXPECT_FALSE(rows.TakeBack(rows.Add(TaskSpec{.name = "t"})).ok());
  };
  const uint64_t first = from_;
  const auto names = [&] {
    std::string words;
    for (const ClusterEvent& event : log().Since(first).list) words += event.name + " ";
    return words;
  };
  for (int i = 0; i < 900; ++i) {
    Accept(cluster_.UpdateTask({.name = "t", .job = "j", .priority = i + 1}));
  }
  const std::string before = names();
  EXPECT_EQ(before.size(), 2u * 900);
  for (const auto& [jobs, tasks] :
       std::vector<std::pair<int, int>>{{0, 0}, {3, 2}, {40, 1}, {200, 0}, {2000, 0}, {1, 5000}}) {
    refused(jobs, tasks);
    EXPECT_EQ(names(), before) << jobs << " jobs of " << tasks;
  }
  Accept(cluster_.AddNode({.name = "m"}));
  EXPECT_EQ(names(), before + "m ");
}

TEST_F(Recorded, Nodes) {
  NodeSpec node{.name = "n", .capacity = {{"cpu", 5}, {"memory", 8}}};
  Accept(cluster_.UpdateNode(node));
  EXPECT_EQ(News(), "node_changed n capacity_grew");
  node.capacity = {{"cpu", 4}, {"memory", 9}};
  node.labels = {{"a", "b"}};
  Accept(cluster_.UpdateNode(node));
  EXPECT_EQ(News(), "node_changed n capacity_grew capacity_shrank labels");
  node.unschedulable = true;
  Accept(cluster_.UpdateNode(node));
  EXPECT_EQ(News(), "node_changed n became_unschedulable");
  node.unschedulable = false;
  node.taints = {{.key = "k", .effect = TaintEffect::kNoSchedule}};
  Accept(cluster_.UpdateNode(node));
  EXPECT_EQ(News(), "node_changed n taints became_schedulable");
  Accept(cluster_.UpdateNode(node));
  EXPECT_EQ(News(), "node_changed n other");
  Accept(cluster_.AddNode({.name = "m"}));
  Accept(cluster_.RemoveNode("m"));
  EXPECT_EQ(News(), "node_added m; node_removed m");
}

TEST_F(Recorded, Tasks) {
  Accept(cluster_.SetTaskStatus("t", TaskStatus::kBound, "n"));
  EXPECT_EQ(News(), "task_bound t @n");
  Accept(cluster_.SetTaskStatus("t", TaskStatus::kReleasing));
  EXPECT_EQ(News(), "task_changed t status");
  Accept(cluster_.SetTaskStatus("t", TaskStatus::kPending));
  EXPECT_EQ(News(), "task_ended t @n");
  Accept(cluster_.UpdateTask({.name = "t",
                              .job = "j",
                              .shape = {.request = {{"cpu", 2}}},
                              .priority = 3,
                              .gates = {"g"}}));
  EXPECT_EQ(News(), "task_changed t shape gates priority");
  Accept(cluster_.AddTask({.name = "u", .status = TaskStatus::kRunning, .node = "n"}));
  Accept(cluster_.RemoveTask("u"));
  EXPECT_EQ(News(), "task_added u @n; task_removed u @n");
  Accept(cluster_.RemoveTask("t"));
  EXPECT_EQ(News(), "task_removed t");
}

TEST_F(Recorded, QueuesJobsAndTheRest) {
  Accept(cluster_.AddQueue({.name = "q"}));
  Accept(cluster_.UpdateQueue({.name = "q", .weight = 2}));
  Accept(cluster_.RemoveQueue("q"));
  EXPECT_EQ(News(), "queue_added q; queue_changed q; queue_removed q");
  Accept(cluster_.UpdateJob({.name = "j", .priority = 1}));
  EXPECT_EQ(News(), "job_changed j other");
  Accept(cluster_.AddDomain({.name = "d"}));
  Accept(cluster_.RemoveDomain("d"));
  Accept(cluster_.SetNamespace({.name = "s"}));
  Accept(cluster_.SetDisruptionBudget({.name = "b", .name_space = "s"}));
  EXPECT_EQ(News(), "domain_added d; domain_removed d; namespace_set s; budget_set s/b");
  Accept(cluster_.RemoveJob("j"));
  EXPECT_EQ(News(), "task_removed t; job_removed j");
}

TEST_F(Recorded, RefusedCallsLeaveNone) {
  EXPECT_FALSE(cluster_.AddNode({.name = "n"}).ok());
  EXPECT_FALSE(cluster_.RemoveQueue("default").ok());
  EXPECT_FALSE(cluster_.SetTaskStatus("t", TaskStatus::kBound, "gone").ok());
  EXPECT_EQ(News(), "");
}

TEST(MemorySlot, CellsByTheirType) {
  MemorySlot slot;
  slot.Set("r", {int64_t{3}, 0.5, std::string("x")});
  EXPECT_EQ(slot.Integer("r"), 3);
  EXPECT_EQ(slot.Integer("r", 1, 7), 7) << "no integer";
  EXPECT_EQ(slot.Integer("r", 9, 8), 8) << "no cell";
  EXPECT_EQ(slot.Integer("s", 0, 9), 9) << "no row";
  EXPECT_EQ(slot.Real("r", 1), 0.5);
  EXPECT_EQ(slot.Text("r", 2), "x");
  slot.Set("r", {std::numeric_limits<double>::infinity(), std::nan("")});
  EXPECT_EQ(slot.Real("r", 0), std::numeric_limits<double>::max());
  EXPECT_EQ(slot.Real("r", 1, 5), 0);
  slot.Erase("none");
  slot.Erase("r");
  EXPECT_TRUE(slot.empty());
}

}  // namespace
}  // namespace muster::testing
