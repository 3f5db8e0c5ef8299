// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Tasks by count in advice: they have no rows, and count like those that have.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "lib/advice/counted_tasks.h"
#include "lib/advice/page.h"
#include "lib/model/access.h"
#include "muster/muster.h"

namespace muster {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr int64_t kMany = 100'000'000;

class Counted : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(cluster_.SetFlavor({.name = "spot"}).ok());
    QueueSpec queue{.name = "a"};
    queue.rules =
        QueueRules{.groups = {{.resources = {"cpu"},
                               .flavors = {{.flavor = "spot", .nominal = {{"cpu", 8}}}}}}};
    ASSERT_TRUE(cluster_.AddQueue(queue).ok());
  }

  void AddSweep(const std::string& name, int64_t count, int64_t created = 0, int32_t priority = 0,
                std::optional<int64_t> least = {}) {
    JobSpec job{.name = name, .queue = "a", .priority = priority};
    job.created = created;
    job.groups = {{.name = "w",
                   .shape = {.request = {{"cpu", 1}}},
                   .by_count = ByCount{.count = count, .min_count = least}}};
    ASSERT_TRUE(cluster_.AddJob(job).ok());
  }

  Diagnosis Of(const std::string& job) {
    const absl::StatusOr<Diagnosis> diagnosis = Diagnose(cluster_, "kueue", job);
    EXPECT_TRUE(diagnosis.ok()) << diagnosis.status();
    return diagnosis.ok() ? *diagnosis : Diagnosis();
  }

  Cluster cluster_;
};

const Remedy* OfKind(const Diagnosis& diagnosis, RemedyKind kind) {
  const auto found = std::ranges::find(diagnosis.remedies, kind, &Remedy::kind);
  return found == diagnosis.remedies.end() ? nullptr : &*found;
}

TEST_F(Counted, QuotaIsRaisedForThem) {
  AddSweep("sweep", 12);
  const Diagnosis diagnosis = Of("sweep");
  EXPECT_EQ(diagnosis.waiting, 12);
  EXPECT_THAT(diagnosis.reason, HasSubstr("sweep: "));
  const Remedy* const quota = OfKind(diagnosis, RemedyKind::kQuota);
  ASSERT_NE(quota, nullptr);
  EXPECT_EQ(quota->words, "raise the quota of queue \"a\" in flavor \"spot\": cpu 8 -> 12");
  EXPECT_EQ(quota->starts, 12);
  Cluster after = cluster_.Clone();
  ASSERT_TRUE(MakeChanges(quota->changes, &after).ok());
  ASSERT_EQ(after.Schedule("kueue")->admissions().size(), 1u);
  EXPECT_EQ(Diagnose(after, "kueue", "sweep")->waiting, 0);
}

// Quota for a part of the job would admit it, too, but what starts all of it comes before that.
TEST_F(Counted, AJobThatMayBeAdmittedInPartStartsWhole) {
  AddSweep("fills", 8, 1);
  AddSweep("sweep", 10, 2, 0, 3);
  ASSERT_TRUE(cluster_.Apply(*cluster_.Schedule("kueue")).ok());
  const Diagnosis diagnosis = Of("sweep");
  EXPECT_EQ(diagnosis.waiting, 10);
  const Remedy* const quota = OfKind(diagnosis, RemedyKind::kQuota);
  ASSERT_NE(quota, nullptr);
  EXPECT_EQ(quota->words, "raise the quota of queue \"a\" in flavor \"spot\": cpu 8 -> 18");
  EXPECT_EQ(quota->starts, 10);
}

// An open queue admits a part of the job, and nothing that is tried alone all of it.
TEST_F(Counted, AJobStartsInPartWhereNothingStartsAllOfIt) {
  AddSweep("sweep", 10, 0, 0, 3);
  QueueSpec queue = cluster_.Describe().queues.back();
  queue.state = QueueState::kClosed;
  ASSERT_TRUE(cluster_.UpdateQueue(queue).ok());
  const Diagnosis diagnosis = Of("sweep");
  EXPECT_EQ(diagnosis.waiting, 10);
  ASSERT_EQ(diagnosis.remedies.size(), 1u);
  EXPECT_EQ(diagnosis.remedies[0].kind, RemedyKind::kOpenQueue);
  EXPECT_EQ(diagnosis.remedies[0].starts, 8);
}

// A smaller request is made in the group, which has no rows to edit.
TEST_F(Counted, ASmallerRequest) {
  AddSweep("sweep", 4);
  JobSpec job{.name = "large", .queue = "a"};
  job.created = 1;
  job.groups = {{.name = "w", .shape = {.request = {{"cpu", 3}}}, .by_count = ByCount{.count = 4}}};
  ASSERT_TRUE(cluster_.AddJob(job).ok());
  const Diagnosis diagnosis = Of("large");
  const Remedy* const smaller = OfKind(diagnosis, RemedyKind::kSmallerRequest);
  ASSERT_NE(smaller, nullptr);
  EXPECT_EQ(smaller->words, "request less cpu for each task: 3 -> 1");
  EXPECT_EQ(smaller->starts, 4);
  EXPECT_EQ(smaller->others, 0);
}

// What helps one job at the cost of another has its price in `others`.
TEST_F(Counted, OthersThatAreNoLongerAdmitted) {
  AddSweep("first", 6, 1);
  AddSweep("second", 5, 2);
  const Diagnosis diagnosis = Of("second");
  EXPECT_EQ(diagnosis.waiting, 5);
  const Remedy* const priority = OfKind(diagnosis, RemedyKind::kPriority);
  ASSERT_NE(priority, nullptr);
  EXPECT_EQ(priority->starts, 5);
  EXPECT_EQ(priority->others, -6);
}

TEST_F(Counted, AHundredMillionTasksTakeNoRows) {
  AddSweep("sweep", kMany);
  const Diagnosis diagnosis = Of("sweep");
  EXPECT_EQ(diagnosis.waiting, kMany);
  const Remedy* const quota = OfKind(diagnosis, RemedyKind::kQuota);
  ASSERT_NE(quota, nullptr);
  EXPECT_EQ(quota->starts, kMany);
}

TEST_F(Counted, PlansAndPagesCountThem) {
  AddSweep("fits", 8, 1);
  AddSweep("waits", kMany, 2);
  const Snapshot snapshot = cluster_.Freeze();
  const Tables& tables = TablesOf(snapshot);
  const Plan plan = *Schedule(snapshot, "kueue");
  const std::vector<CountedWait> waits = CountedWaits(tables, plan);
  ASSERT_EQ(waits.size(), 1u);
  EXPECT_EQ(plan.job_name(waits[0].job), "waits");
  EXPECT_EQ(CountedWaiting(tables, plan), kMany);
  EXPECT_EQ(CountedWaiting(tables, plan, *tables.jobs.names.Find("fits")), 0);
  ASSERT_EQ(plan.admissions().size(), 1u);
  EXPECT_EQ(AdmittedTasks(tables, plan.admissions()[0], false), 8);
  const std::vector<WaitingRow> rows = WaitingRows(tables, plan);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].name, "waits");
  const std::vector<PagePlan> plans = {{.profile = "kueue", .plan = plan}};
  const std::string html = WritePage(tables, "", plans);
  EXPECT_THAT(html, HasSubstr("kueue: 1 admitted, 0 start"));
  EXPECT_THAT(html, HasSubstr("100000000 wait</summary>"));
  EXPECT_THAT(html, HasSubstr("1 job waits"));
}

// An admission that the plan takes back is that of all tasks by count that it held.
TEST_F(Counted, EvictionsOfThem) {
  QueueSpec queue = cluster_.Describe().queues.back();
  queue.rules->preemption.within_queue = VictimScope::kLowerPriority;
  ASSERT_TRUE(cluster_.UpdateQueue(queue).ok());
  AddSweep("low", 8);
  ASSERT_TRUE(cluster_.Apply(*cluster_.Schedule("kueue")).ok());
  AddSweep("high", 3, 1, 5);
  const Snapshot snapshot = cluster_.Freeze();
  const Plan plan = *Schedule(snapshot, "kueue");
  EXPECT_EQ(CountedEvictions(TablesOf(snapshot), plan), 8);
  EXPECT_EQ(CountedWaiting(TablesOf(snapshot), plan, *TablesOf(snapshot).jobs.names.Find("low")),
            8);
}

TEST_F(Counted, NodesNeeded) {
  AddSweep("sweep", 12);
  const NodeSpec node{.name = "n", .capacity = {{"cpu", 4}, {"pods", 9}}};
  const std::vector<NodeOffer> offers = {{.node = node}};
  const absl::StatusOr<NodesNeeded> needed = NeedNodes(cluster_, "kueue", offers);
  ASSERT_TRUE(needed.ok()) << needed.status();
  EXPECT_EQ(needed->waiting_before, 12);
  ASSERT_EQ(needed->alone.size(), 1u);
  EXPECT_EQ(needed->alone[0].count, 0);
  EXPECT_THAT(needed->alone[0].waits, HasSubstr("sweep: not admitted"));
  EXPECT_THAT(needed->cheapest, IsEmpty());
}

}  // namespace
}  // namespace muster
