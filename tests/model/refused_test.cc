// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// One bad event stops nothing, and its words are kept until a later event of its object.
#include "lib/model/refused.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "muster/cluster.h"
#include "muster/muster.h"

namespace muster {
namespace {

TaskSpec Pod(std::string name, std::string cpu) {
  return {.name = std::move(name),
          .job = "train",
          .group = "w",
          .shape = {.request = {{"cpu", Quantity(std::move(cpu))}}}};
}

Cluster WithGang() {
  Cluster cluster;
  EXPECT_TRUE(cluster.AddNode({.name = "n", .capacity = {{"cpu", 8}}}).ok());
  EXPECT_TRUE(
      cluster.AddJob({.name = "train", .min_available = 1, .groups = {{.name = "w"}}}).ok());
  return cluster;
}

std::vector<std::string> Objects(const Cluster& cluster) {
  std::vector<std::string> objects;
  for (const RefusedEvent& event : cluster.RefusedEvents()) objects.push_back(event.object);
  return objects;
}

TEST(RefusedEvents, StopNoOther) {
  Cluster cluster = WithGang();
  const std::vector<Delta> deltas = {
      {1, Pod("a", "1")},
      {1, Pod("b", "one")},
      {1, TaskSpec{.name = "", .job = "train"}},
      {1, Pod("c", "1")},
      {1, Pod("a", "2")},
      {1, TaskSpec{.name = "waits", .job = "later"}},
      {1, Removal{Removal::Kind::kTask, "\xff"}},
  };
  const std::vector<DeltaResult> results = cluster.ApplyDeltas(deltas);
  ASSERT_EQ(results.size(), deltas.size());
  const DeltaOutcome expected[] = {DeltaOutcome::kApplied, DeltaOutcome::kRefused,
                                   DeltaOutcome::kRefused, DeltaOutcome::kApplied,
                                   DeltaOutcome::kStale,   DeltaOutcome::kWaiting,
                                   DeltaOutcome::kRefused};
  for (size_t i = 0; i < results.size(); ++i) {
    EXPECT_EQ(results[i].outcome, expected[i]) << i;
    EXPECT_EQ(results[i].refusal.empty(), expected[i] != DeltaOutcome::kRefused) << i;
  }
  EXPECT_TRUE(results[1].refusal.starts_with("task \"b\"")) << results[1].refusal;
  EXPECT_EQ(cluster.Describe().tasks.size(), 2u);
  // Names that cannot be one are not listed.
  const std::vector<RefusedEvent> refused = {{"task \"b\"", results[1].refusal}};
  EXPECT_EQ(cluster.RefusedEvents(), refused);
}

TEST(RefusedEvents, AreExplained) {
  Cluster cluster = WithGang();
  const std::vector<Delta> deltas = {{1, Pod("a", "1")}, {1, Pod("b", "one")}};
  const std::string why = cluster.ApplyDeltas(deltas)[1].refusal;
  const std::string line = absl::StrCat("the last event of task \"b\" was refused: ", why, "\n");
  const Snapshot snapshot = cluster.Freeze();
  for (const absl::StatusOr<Plan>& plan :
       {cluster.Schedule("volcano"), Schedule(snapshot, "volcano"),
        cluster.Clone().Schedule("volcano")}) {
    ASSERT_TRUE(plan.ok());
    EXPECT_EQ(plan->Explain("b").value_or(""), line);
    // The job of the task has the words, too, behind its own.
    const std::string job = plan->Explain("train").value_or("");
    EXPECT_TRUE(job.ends_with(line)) << job;
    EXPECT_GT(job.size(), line.size());
    EXPECT_EQ(plan->Explain("a").value_or("").find("refused"), std::string::npos);
    EXPECT_FALSE(plan->Explain("nothing").ok());
  }
}

TEST(RefusedEvents, AreForgottenWithALaterEvent) {
  Cluster cluster = WithGang();
  const auto refuse = [&](const std::string& name) {
    EXPECT_FALSE(cluster.ApplyDelta({5, Pod(name, "one")}).ok());
  };
  for (const char* name : {"c", "a", "b"}) refuse(name);
  using Names = std::vector<std::string>;
  EXPECT_EQ(Objects(cluster), (Names{"task \"c\"", "task \"a\"", "task \"b\""}));
  refuse("c");  // the newest one counts
  EXPECT_EQ(Objects(cluster), (Names{"task \"a\"", "task \"b\"", "task \"c\""}));
  EXPECT_TRUE(cluster.ApplyDelta({5, Pod("a", "1")}).ok());
  EXPECT_EQ(Objects(cluster), (Names{"task \"b\"", "task \"c\""}));
  EXPECT_TRUE(cluster.ApplyDelta({6, Removal{Removal::Kind::kTask, "b"}}).ok());
  EXPECT_EQ(Objects(cluster), (Names{"task \"c\""}));
  // A later one than the refused is refused; an older one is stale and settles nothing.
  EXPECT_TRUE(cluster.ApplyDelta({7, Pod("d", "1")}).ok());
  EXPECT_FALSE(cluster.ApplyDelta({8, Pod("d", "one")}).ok());
  EXPECT_EQ(cluster.ApplyDelta({6, Pod("d", "1")}).value_or(DeltaOutcome::kApplied),
            DeltaOutcome::kStale);
  EXPECT_EQ(Objects(cluster), (Names{"task \"c\"", "task \"d\""}));
  const Snapshot before = cluster.Freeze();
  ASSERT_TRUE(cluster.Reconcile(cluster.Describe()).ok());
  EXPECT_TRUE(cluster.RefusedEvents().empty());
  EXPECT_TRUE(Schedule(before, "volcano")->Explain("c").ok());
  EXPECT_FALSE(cluster.Schedule("volcano")->Explain("c").ok());
}

TEST(RefusedEvents, AreBounded) {
  Cluster cluster = WithGang();
  const auto most = static_cast<int>(kMostRefused);
  for (int i = 0; i < most + 5; ++i) {
    EXPECT_FALSE(cluster.ApplyDelta({1, Pod(absl::StrCat("t", i), "one")}).ok());
  }
  const std::vector<std::string> objects = Objects(cluster);
  ASSERT_EQ(objects.size(), kMostRefused);
  EXPECT_EQ(objects.front(), "task \"t5\"");
  EXPECT_EQ(objects.back(), absl::StrCat("task \"t", most + 4, "\""));
}

TEST(RefusedEvents, MoveNoPlan) {
  Cluster cluster = WithGang(), same = WithGang();
  EXPECT_TRUE(cluster.ApplyDelta({1, Pod("a", "1")}).ok());
  EXPECT_TRUE(same.ApplyDelta({1, Pod("a", "1")}).ok());
  EXPECT_FALSE(cluster.ApplyDelta({2, Pod("a", "one")}).ok());
  EXPECT_EQ(cluster.Schedule("volcano")->Digest(), same.Schedule("volcano")->Digest());
}

TEST(RefusedEvents, AreInTheNextPlanOfTheSameRows) {
  Cluster cluster = WithGang();
  ASSERT_TRUE(cluster.AddTask(Pod("a", "16")).ok());
  ASSERT_TRUE(cluster.Schedule("volcano").ok());
  ASSERT_FALSE(cluster.ApplyDelta({1, Pod("a", "one")}).ok());
  const auto explained = [&cluster] { return *cluster.Schedule("volcano")->Explain("a"); };
  EXPECT_THAT(explained(), ::testing::HasSubstr("was refused"));
  ASSERT_TRUE(cluster.ApplyDelta({2, Removal{Removal::Kind::kTask, "other"}}).ok());
  EXPECT_THAT(explained(), ::testing::HasSubstr("was refused"));
  ASSERT_TRUE(cluster.ApplyDelta({2, Pod("a", "16")}).ok());
  EXPECT_THAT(explained(), ::testing::Not(::testing::HasSubstr("was refused")));
}

}  // namespace
}  // namespace muster
