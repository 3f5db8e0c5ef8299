// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include <string>

#include "gtest/gtest.h"
#include "tests/support/plan_words.h"

namespace muster::testing {
namespace {

constexpr int64_t kHour = 3600;
constexpr int64_t kDays = 20000 * 24 * kHour;  // some midnight

std::string TdmProfile(const std::string& options, const std::string& actions = "allocate") {
  return "volcano:actions=" + actions + ",tiers=tdm" +
         (options.empty() ? "" : "(" + options + ")") + "/gang(without=preemptable)+predicates";
}

void TdmNode(Cluster& cluster, const std::string& name, const std::string& zone, int cpu = 10) {
  Labels labels;
  if (!zone.empty()) labels.emplace_back("volcano.sh/revocable-zone", zone);
  Accept(cluster.AddNode({.name = name,
                          .capacity = {{"cpu", cpu}, {"memory", 1000}, {"pods", 99}},
                          .labels = labels}));
}

void Task(Cluster& cluster, const std::string& name, const std::string& job, bool revocable,
          bool preemptable = false, int cpu = 1) {
  Accept(cluster.AddTask({.name = name,
                          .job = job,
                          .shape = {.request = {{"cpu", cpu}}, .revocable = revocable},
                          .preemptable = preemptable}));
}

TEST(Tdm, LentNodesAreForRevocableTasksWhileTheirWindowIsOpen) {
  Cluster cluster;
  TdmNode(cluster, "own", "");
  TdmNode(cluster, "lent", "night");
  Accept(cluster.AddJob({.name = "j", .phase = JobPhase::kAdmitted}));
  Task(cluster, "batch", "j", true);
  Task(cluster, "web", "j", false);
  const std::string night = TdmProfile("from.night=600,to.night=1260");  // 10:00 to 21:00
  const auto at = [&](int64_t second) { return Decide(cluster, night, kDays + second); };
  EXPECT_EQ(at(12 * kHour), "bind batch lent; bind web own");
  EXPECT_EQ(at(10 * kHour - 1), "bind batch own; bind web own");
  EXPECT_EQ(at(10 * kHour), "bind batch lent; bind web own");
  EXPECT_EQ(at(21 * kHour), "bind batch lent; bind web own");
  EXPECT_EQ(at(21 * kHour + 1), "bind batch own; bind web own");
  EXPECT_EQ(Decide(cluster, night, -12 * kHour), "bind batch lent; bind web own");
  EXPECT_EQ(Decide(cluster, night, -kHour), "bind batch own; bind web own");
}

TEST(Tdm, AWindowOverMidnightIsClosedAgainAfterIt) {
  Cluster cluster;
  TdmNode(cluster, "lent", "z");
  Accept(cluster.AddJob({.name = "j", .phase = JobPhase::kAdmitted}));
  Task(cluster, "t", "j", true);
  const std::string late = TdmProfile("from.z=1200,to.z=360");  // 20:00 to 6:00
  EXPECT_EQ(Decide(cluster, late, kDays + 23 * kHour), "bind t lent");
  EXPECT_EQ(Decide(cluster, late, kDays + 1 * kHour), "");
  EXPECT_EQ(Decide(cluster, TdmProfile("from.z=0,to.z=0"), kDays + 5 * kHour), "bind t lent");
}

TEST(Tdm, AZoneThatNobodyDeclaredIsNeverOpen) {
  Cluster cluster;
  TdmNode(cluster, "lent", "z");
  Accept(cluster.AddJob({.name = "j", .phase = JobPhase::kAdmitted}));
  Task(cluster, "t", "j", true);
  EXPECT_EQ(Decide(cluster, TdmProfile(""), kDays), "");
  EXPECT_EQ(Decide(cluster, TdmProfile("from.y=0,to.y=0"), kDays), "");
  EXPECT_EQ(Decide(cluster, TdmProfile("from.z=0"), kDays), "");
  EXPECT_EQ(Decide(cluster, TdmProfile("without=fit"), kDays), "bind t lent");
}

TEST(Tdm, SaysWhyNot) {
  Cluster cluster;
  TdmNode(cluster, "a", "now");
  TdmNode(cluster, "b", "later");
  Accept(cluster.AddJob({.name = "j", .phase = JobPhase::kAdmitted}));
  Task(cluster, "t", "j", false);
  const absl::StatusOr<Plan> plan =
      Schedule(cluster.Freeze(), TdmProfile("from.now=0,to.now=0,from.later=1,to.later=2"));
  ASSERT_TRUE(plan.ok()) << plan.status();
  const std::string why = *plan->Explain("t");
  EXPECT_NE(why.find("1 node: node selector or affinity (lent to revocable tasks)"),
            std::string::npos)
      << why;
  EXPECT_NE(why.find("1 node: node selector or affinity (not lent at this hour)"),
            std::string::npos)
      << why;
}

TEST(Tdm, JobsThatMayBePreemptedGoLast) {
  Cluster cluster;
  TdmNode(cluster, "n", "", 1);
  Accept(cluster.AddJob({.name = "a", .phase = JobPhase::kAdmitted, .preemptable = true}));
  Accept(cluster.AddJob({.name = "b", .phase = JobPhase::kAdmitted}));
  Task(cluster, "a0", "a", false);
  Task(cluster, "b0", "b", false);
  EXPECT_EQ(Decide(cluster, TdmProfile("")), "bind b0 n");
  EXPECT_EQ(Decide(cluster, TdmProfile("without=job_order")), "bind a0 n");
}

TEST(Tdm, BatchTasksLeaveLentNodesWhenTheWindowCloses) {
  Cluster cluster;
  TdmNode(cluster, "own", "");
  TdmNode(cluster, "day", "day");
  TdmNode(cluster, "night", "night");
  TdmNode(cluster, "nobody", "nobody");
  Accept(cluster.AddJob({.name = "j", .phase = JobPhase::kRunning, .max_unavailable = "2"}));
  for (const char* node : {"own", "day", "night", "nobody"}) {
    for (int i = 0; i < 3; ++i) {
      const std::string name = node + std::to_string(i);
      Task(cluster, name, "j", true, /*preemptable=*/i > 0);
      testing::Run(cluster, name, node);
    }
  }
  const std::string profile =
      TdmProfile("from.day=480,to.day=1200,from.night=0,to.night=360", "shuffle");
  EXPECT_EQ(Decide(cluster, profile, kDays + 2 * kHour), "evict day1 day; evict day2 day");
  EXPECT_EQ(Decide(cluster, profile, kDays + 12 * kHour), "evict night1 night; evict night2 night");
  // Each zone counts by itself what the job can lack.
  EXPECT_EQ(Decide(cluster, profile, kDays + 7 * kHour),
            "evict day1 day; evict day2 day; evict night1 night; evict night2 night");
  EXPECT_EQ(
      Decide(cluster, TdmProfile("from.day=480,to.day=1200,without=victims", "shuffle"), kDays),
      "");
  Accept(cluster.SetTaskStatus("own0", TaskStatus::kReleasing));
  EXPECT_EQ(Decide(cluster, profile, kDays + 2 * kHour), "evict day1 day");
}

// A full node of `batch` running tasks of one job, and a task that requests the room of three.
struct Crowd {
  explicit Crowd(const JobSpec& batch, bool asker_is_batch = false, const std::string& zone = "") {
    TdmNode(cluster, "n", zone, 5);
    Accept(cluster.AddJob(batch));
    for (int i = 0; i < 5; ++i) {
      const std::string name = "b" + std::to_string(i);
      Task(cluster, name, batch.name, false, /*preemptable=*/i < 4);
      Run(cluster, name, "n");
    }
    Accept(cluster.AddJob({.name = "web", .min_available = 3, .phase = JobPhase::kAdmitted}));
    for (int i = 0; i < 3; ++i)
      Task(cluster, "w" + std::to_string(i), "web", false, asker_is_batch);
  }
  std::string Victims() {
    std::string out;
    const std::string words = Decide(cluster, TdmProfile("", "preempt"));
    for (size_t at = words.find("evict "); at != std::string::npos;
         at = words.find("evict ", at + 1))
      out += words.substr(at + 6, 2) + " ";
    return out;
  }
  Cluster cluster;
};

// Three may go, those named first, and of these the last goes first; then two may, then one.
TEST(Tdm, AJobLosesWhatItCanLack) {
  EXPECT_EQ(Crowd({.name = "j", .phase = JobPhase::kRunning, .max_unavailable = "3"}).Victims(),
            "b2 b1 b0 ");
  EXPECT_EQ(Crowd({.name = "j", .phase = JobPhase::kRunning, .max_unavailable = "60%"}).Victims(),
            "b2 b1 b0 ");
  EXPECT_EQ(Crowd({.name = "j", .phase = JobPhase::kRunning, .min_running = "2"}).Victims(),
            "b2 b1 b0 ");
  // Two are too few for the gang, which then takes none.
  EXPECT_EQ(Crowd({.name = "j", .phase = JobPhase::kRunning, .max_unavailable = "2"}).Victims(),
            "");
  EXPECT_EQ(Crowd({.name = "j", .phase = JobPhase::kRunning, .min_running = "41%"}).Victims(), "");
}

TEST(Tdm, BatchTasksPreemptNobodyAndNobodyIsPreemptedOnLentNodes) {
  const JobSpec batch{.name = "j", .phase = JobPhase::kRunning, .max_unavailable = "5"};
  EXPECT_EQ(Crowd(batch).Victims(), "b3 b2 b1 ");
  EXPECT_EQ(Crowd(batch, /*asker_is_batch=*/true).Victims(), "");
}

}  // namespace
}  // namespace muster::testing
