// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// A page shows what plans hold, and runs nothing that a name contains.
#include "lib/advice/page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lib/model/access.h"
#include "muster/muster.h"

namespace muster {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class Page : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(cluster_.AddNodes(2, {.name = "n", .capacity = {{"cpu", 4}, {"pods", 10}}}).ok());
    ASSERT_TRUE(cluster_.AddQueue({.name = "a<b>&\"c\"", .limit = Resources{{"cpu", 6}}}).ok());
    ASSERT_TRUE(cluster_
                    .AddJob({.name = "<script>",
                             .queue = "a<b>&\"c\"",
                             .min_available = 1,
                             .groups = {{.count = 2, .shape = {.request = {{"cpu", 3}}}}}})
                    .ok());
    ASSERT_TRUE(cluster_
                    .AddJob({.name = "fits",
                             .min_available = 2,
                             .groups = {{.count = 2, .shape = {.request = {{"cpu", 2}}}}}})
                    .ok());
  }

  std::string Of(const std::vector<std::string>& profiles) {
    const Snapshot snapshot = cluster_.Freeze();
    std::vector<PagePlan> plans;
    for (const std::string& profile : profiles) {
      PagePlan& page = plans.emplace_back();
      page.profile = profile;
      absl::StatusOr<Plan> plan = Schedule(snapshot, profile);
      if (plan.ok()) {
        page.plan = *std::move(plan);
      } else {
        page.refused = std::string(plan.status().message());
      }
    }
    return WritePage(TablesOf(snapshot), "a & b", plans);
  }

  Cluster cluster_;
};

TEST_F(Page, ShowsTasksWithoutAJobThatWait) {
  ASSERT_TRUE(cluster_.AddTask({.name = "pod", .shape = {.request = {{"cpu", 99}}}}).ok());
  EXPECT_THAT(Of({"kube-scheduler"}), HasSubstr(" 1 task without a job</h3>"));
  EXPECT_THAT(Of({"kube-scheduler"}), HasSubstr("<tr><td>pod</td><td></td><td><pre>pod: no node"));
  EXPECT_THAT(Of({"volcano"}), Not(HasSubstr("without a job")));
}

// Pods of one ReplicaSet wait for one reason; one of them tells about all.
TEST_F(Page, TasksWithoutAJobThatWaitForOneReasonAreOneRow) {
  for (const char* name : {"p1", "p2", "p3", "p4", "p5"}) {
    ASSERT_TRUE(cluster_.AddTask({.name = name, .shape = {.request = {{"cpu", 99}}}}).ok());
  }
  ASSERT_TRUE(cluster_.AddTask({.name = "q", .shape = {.request = {{"gpu", 1}}}}).ok());
  const std::string html = Of({"kube-scheduler"});
  EXPECT_THAT(html, HasSubstr(", 6 tasks without a job</h3>"));
  EXPECT_THAT(html, HasSubstr("<tr><td>p1, p2, p3 and 2 more</td><td></td><td><pre>p1: no node"));
  EXPECT_THAT(html, HasSubstr("<tr><td>q</td>"));
  EXPECT_THAT(html, Not(HasSubstr("<pre>p2")));
  const Snapshot snapshot = cluster_.Freeze();
  PagePlan page{.profile = "kube-scheduler", .plan = *Schedule(snapshot, "kube-scheduler")};
  page.diagnoses = {{"p1", {.remedies = {{.words = "grow", .starts = 1}}}},
                    {"q", {.remedies = {{.words = "grow", .starts = 1}}}}};
  const std::string told = WritePage(TablesOf(snapshot), "t", {&page, 1});
  EXPECT_THAT(told, HasSubstr("<br>of p1:<br>&#8594; grow: 1 task starts"));
  EXPECT_THAT(told, Not(HasSubstr("<br>of q:")));
}

TEST_F(Page, ShowsNodesQueuesAndWhatWaits) {
  const std::string html = Of({"volcano"});
  EXPECT_THAT(html, HasSubstr("<title>a &amp; b</title>"));
  EXPECT_THAT(html, HasSubstr("2 nodes"));
  EXPECT_THAT(html, HasSubstr("title=\"n1\ncpu: 3 of 4\npods: 1 of 10\n1 task\""));
  EXPECT_THAT(html, HasSubstr("cpu: 3, limit 6"));
  EXPECT_THAT(html, HasSubstr("1 job waits"));
  EXPECT_THAT(html, Not(HasSubstr("decide differently"))) << "one plan has nothing to differ from";
}

// Queues of Kueue hold quota, and the table of queues has nothing of it.
TEST_F(Page, SaysWhatIsHeldWhereNothingIsPlaced) {
  const Snapshot snapshot = cluster_.Freeze();
  PagePlan page{.profile = "kueue", .plan = *Schedule(snapshot, "kueue"), .places = false};
  EXPECT_THAT(WritePage(TablesOf(snapshot), "t", {&page, 1}),
              HasSubstr("kueue places no tasks: what is held is of tasks that run, and not the "
                        "quota that jobs were admitted with.</p>"));
  EXPECT_THAT(Of({"muster"}), Not(HasSubstr("places no tasks")));
}

TEST_F(Page, NamesAreTextAndNeverMarkup) {
  const std::string html = Of({"volcano"});
  EXPECT_THAT(html, Not(HasSubstr("<script")));
  EXPECT_THAT(html, HasSubstr("&lt;script&gt;"));
  EXPECT_THAT(html, HasSubstr("a&lt;b&gt;&amp;&quot;c&quot;"));
}

TEST_F(Page, ComparesPlansAndNamesThoseThatWereRefused) {
  const std::string html = Of({"volcano", "fcfs", "no-such-profile"});
  EXPECT_THAT(html, HasSubstr("no-such-profile: no plan"));
  EXPECT_THAT(html, HasSubstr("decide differently"));
  EXPECT_THAT(html, HasSubstr("other jobs have equal numbers"));
}

TEST_F(Page, OfNothingIsAPage) {
  const Cluster empty;
  const Snapshot snapshot = empty.Freeze();
  const std::vector<PagePlan> plans = {
      {.profile = "volcano", .plan = *Schedule(snapshot, "volcano")}};
  const std::string html = WritePage(TablesOf(snapshot), "", plans);
  EXPECT_THAT(html, HasSubstr("0 nodes"));
  EXPECT_THAT(html, HasSubstr("0 jobs wait"));
}

}  // namespace
}  // namespace muster
