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

TEST_F(Page, ShowsNodesQueuesAndWhatWaits) {
  const std::string html = Of({"volcano"});
  EXPECT_THAT(html, HasSubstr("<title>a &amp; b</title>"));
  EXPECT_THAT(html, HasSubstr("2 nodes"));
  EXPECT_THAT(html, HasSubstr("title=\"n1\ncpu: 3 of 4\npods: 1 of 10\n1 task\""));
  EXPECT_THAT(html, HasSubstr("cpu: 3, limit 6"));
  EXPECT_THAT(html, HasSubstr("1 job waits"));
  EXPECT_THAT(html, Not(HasSubstr("decide differently"))) << "one plan has nothing to differ from";
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
