// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// A session that lives with its cluster, looks only at jobs of which something changed, and is
// requested its books between cycles, against one that is made for each cycle and looks at all.
// Profile muster keeps jobs that wait in lines (lib/peer/muster/fair_lines.h).
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "lib/base/rng.h"
#include "lib/model/access.h"
#include "lib/model/cluster_impl.h"
#include "lib/profile/profile.h"
#include "lib/session/session.h"
#include "muster/schedule.h"
#include "tests/support/random_edits.h"
#include "tests/support/random_world.h"

namespace muster::testing {
namespace {

class Following : public ::testing::TestWithParam<const char*> {};

// What waits, and for what.
std::vector<std::pair<TaskIndex, Reason>> Waiting(const PlanData& plan) {
  std::vector<std::pair<TaskIndex, Reason>> waiting;
  for (const PendingTask& pending : plan.pending) {
    waiting.emplace_back(pending.task, plan.reasons[pending.reason]);
  }
  return waiting;
}

// A phase, a start time or an estimate that changes names jobs and tasks, and leaves all accounts
// as they are.
void ChangeNoAccount(const Tables& tables, Editor& editor, Rng& rng) {
  const auto job = static_cast<JobIndex>(rng.Below(tables.jobs.alive.size() + 1));
  if (job < tables.jobs.alive.size() && tables.jobs.alive[job]) {
    const JobPhase phases[] = {JobPhase::kPending, JobPhase::kAdmitted, JobPhase::kRunning};
    if (rng.Chance(0.5)) {
      editor.SetPhase(job, phases[rng.Below(3)]);
    } else {
      editor.SetEstimate(job, static_cast<int64_t>(rng.Below(100)));
    }
  }
  const auto task = static_cast<TaskIndex>(rng.Below(tables.tasks.alive.size() + 1));
  if (task < tables.tasks.alive.size() && tables.tasks.alive[task]) {
    editor.SetStarted(task, static_cast<int64_t>(rng.Below(100)));
  }
}

TEST_P(Following, PlansAsIfItLookedAtEverything) {
  const absl::StatusOr<ProfileConfig> config = ResolveProfile(GetParam());
  ASSERT_TRUE(config.ok()) << config.status();
  int64_t applied = 0, waited = 0;
  for (uint64_t seed = 0; seed < 80; ++seed) {
    Rng rng(seed);
    const WorldKnobs knobs{.nodes = 8, .queues = 4, .jobs = 10, .tasks = 4};
    Cluster cluster = MakeCluster(RandomWorld(seed, knobs));
    RandomEdits edits(cluster, rng, knobs);
    Session following(TablesOf(cluster), *config, SpeedOptions());
    for (int cycle = 0; cycle < 12; ++cycle) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", cycle " + std::to_string(cycle));
      for (uint64_t round = rng.Below(4); round > 0; --round) {
        edits.Step();
        if (rng.Chance(0.5)) {
          ChangeNoAccount(TablesOf(cluster), ImplOf(cluster).editor, rng);
        }
        if (rng.Chance(0.3)) (void)following.SyncedBooks(TablesOf(cluster));
      }
      const Tables& tables = TablesOf(cluster);
      ScheduleOptions options;
      options.now = cycle;
      auto plan = std::make_shared<PlanData>(following.Run(tables, options));
      const PlanData expected = Session(tables, *config, SpeedOptions()).Run(tables, options);
      ASSERT_EQ(plan->decisions, expected.decisions);
      ASSERT_EQ(plan->tentative, expected.tentative);
      ASSERT_EQ(Waiting(*plan), Waiting(expected));
      waited += static_cast<int64_t>(expected.pending.size());
      if (rng.Chance(0.3)) continue;
      plan->names = CopyNames(tables, *plan);
      const absl::StatusOr<ApplyReport> report = cluster.Apply(PlanOf(plan));
      ASSERT_TRUE(report.ok()) << report.status();
      applied += report->applied;
    }
  }
  EXPECT_GT(applied, 500);
  EXPECT_GT(waited, 500);
}

// A backlog of jobs that are mostly alike, over three queues and two priorities, beside a few that
// are not. Jobs come and end, and rows of jobs that wait change.
class Backlog {
 public:
  explicit Backlog(Rng& rng) : rng_(rng) {
    for (int i = 0; i < 3; ++i) {
      EXPECT_TRUE(cluster_.AddNode({.name = absl::StrCat("n", i), .capacity = {{"cpu", 8}}}).ok());
    }
    for (const char* queue : {"a", "b", "c"}) {
      EXPECT_TRUE(cluster_.AddQueue({.name = queue}).ok());
    }
  }
  Cluster& cluster() { return cluster_; }

  void Step(int64_t now) {
    const ClusterSpec is = cluster_.Describe();
    std::vector<std::string> running;
    for (const TaskSpec& task : is.tasks) {
      if (!task.node.empty()) running.push_back(task.name);
    }
    for (uint64_t ends = rng_.Below(4); ends > 0 && !running.empty(); --ends) {
      (void)cluster_.RemoveTask(running[rng_.Below(running.size())]);
    }
    for (uint64_t comes = rng_.Below(6); comes > 0; --comes) Come(now);
    if (is.jobs.empty()) return;
    JobSpec job = is.jobs[rng_.Below(is.jobs.size())];
    const uint64_t change = rng_.Below(8);
    if (change == 0) job.priority = 1 - job.priority;
    if (change == 1) job.queue = rng_.Chance(0.5) ? "a" : "b";
    if (change == 2) job.estimate = 1 + static_cast<int64_t>(rng_.Below(3)) * 10;
    if (change == 3) ++job.min_available;
    if (change < 4) (void)cluster_.UpdateJob(job);
    if (change == 4) (void)cluster_.RemoveJob(job.name);
    if (change == 5 && !is.tasks.empty()) {
      TaskSpec task = is.tasks[rng_.Below(is.tasks.size())];
      if (!task.gates.empty() || rng_.Chance(0.5)) {
        task.gates.clear();
      } else {
        task.gates = {"closed"};
      }
      (void)cluster_.UpdateTask(task);
    }
  }

 private:
  void Come(int64_t now) {
    const std::string name = absl::StrCat("j", ++names_);
    const auto tasks = static_cast<int64_t>(1 + rng_.Below(3));
    JobSpec job{.name = name, .queue = std::string(1, "abc"[rng_.Below(3)])};
    job.priority = static_cast<int32_t>(rng_.Below(2));
    job.min_available = tasks - (tasks > 1 && rng_.Chance(0.1));
    job.created = now - static_cast<int64_t>(rng_.Below(30));
    if (rng_.Chance(0.7)) job.estimate = 1 + static_cast<int64_t>(rng_.Below(3)) * 10;
    EXPECT_TRUE(cluster_.AddJob(job).ok());
    const int64_t cpu = std::vector<int64_t>{1, 2, 5, 8}[rng_.Below(4)];
    for (int64_t i = 0; i < tasks; ++i) {
      EXPECT_TRUE(cluster_
                      .AddTask({.name = absl::StrCat(name, "-", i),
                                .job = name,
                                .shape = {.request = {{"cpu", cpu}}}})
                      .ok());
    }
  }

  Rng& rng_;
  Cluster cluster_;
  int64_t names_ = 0;
};

class Lines : public ::testing::TestWithParam<const char*> {};

// Without reasons, on what it kept of the cycle before, against a session that looks at all jobs
// and explains what waits.
TEST_P(Lines, StandAsIfJobsWerePutIntoThemAnew) {
  const absl::StatusOr<ProfileConfig> config = ResolveProfile(GetParam());
  ASSERT_TRUE(config.ok()) << config.status();
  int64_t placed = 0, waited = 0;
  for (uint64_t seed = 0; seed < 40; ++seed) {
    Rng rng(seed);
    Backlog backlog(rng);
    Cluster& cluster = backlog.cluster();
    Session following(TablesOf(cluster), *config, SpeedOptions());
    following.set_explains(seed % 4 == 0);
    for (int cycle = 0; cycle < 60; ++cycle) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", cycle " + std::to_string(cycle));
      backlog.Step(cycle);
      const Tables& tables = TablesOf(cluster);
      ScheduleOptions options;
      options.now = cycle;
      auto plan = std::make_shared<PlanData>(following.Run(tables, options));
      const PlanData expected = Session(tables, *config, SpeedOptions()).Run(tables, options);
      ASSERT_EQ(plan->decisions, expected.decisions);
      ASSERT_EQ(plan->tentative, expected.tentative);
      ASSERT_EQ(plan->memory, expected.memory);
      placed += static_cast<int64_t>(expected.decisions.size());
      waited += static_cast<int64_t>(expected.pending.size());
      if (rng.Chance(0.2)) continue;
      plan->names = CopyNames(tables, *plan);
      ASSERT_TRUE(cluster.Apply(PlanOf(plan)).ok());
    }
  }
  EXPECT_GT(placed, 1500);
  EXPECT_GT(waited, 50000);
}

INSTANTIATE_TEST_SUITE_P(Profiles, Lines,
                         ::testing::Values("muster", "muster:allocate(promise=first)",
                                           "muster:allocate(promise=queue,age_limit=20)",
                                           "muster:reclaim(exchange=0),preempt(exchange=0)",
                                           "muster:-due", "transwarp", "volcano"),
                         [](const auto& info) { return absl::StrCat("Profile", info.index); });

// Carries the plan out: what it binds runs from `now` on. Returns false if it does something else.
bool OnlyStarts(Cluster& cluster, const std::shared_ptr<PlanData>& plan, int64_t now) {
  plan->names = CopyNames(TablesOf(cluster), *plan);
  EXPECT_TRUE(cluster.Apply(PlanOf(plan)).ok());
  bool starts = !plan->decisions.empty();
  for (const Decision& decision : plan->decisions) {
    starts &= decision.kind == DecisionKind::kBind;
    if (decision.kind != DecisionKind::kBind) continue;
    const std::string_view task = plan->names->task(decision.task);
    EXPECT_TRUE(cluster.SetTaskStatus(task, TaskStatus::kRunning).ok());
    ImplOf(cluster).editor.SetStarted(decision.task, now);
  }
  return starts;
}

class SettlingWorlds : public ::testing::TestWithParam<const char*> {};

// The cycle after one that has settled, against the promise that it decides nothing.
TEST_P(SettlingWorlds, LeaveNothingToDo) {
  const absl::StatusOr<ProfileConfig> config = ResolveProfile(GetParam());
  ASSERT_TRUE(config.ok()) << config.status();
  int64_t settled = 0, started = 0;
  for (uint64_t seed = 0; seed < 80; ++seed) {
    Rng rng(seed);
    Backlog backlog(rng);
    Cluster& cluster = backlog.cluster();
    Session session(TablesOf(cluster), *config, SpeedOptions());
    session.set_explains(false);
    for (int cycle = 0; cycle < 60; ++cycle) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", cycle " + std::to_string(cycle));
      backlog.Step(cycle);
      ScheduleOptions options;
      options.now = cycle;
      auto plan = std::make_shared<PlanData>(session.Run(TablesOf(cluster), options));
      const bool has_settled = session.settled();
      if (!OnlyStarts(cluster, plan, cycle)) continue;
      ++started;
      if (!has_settled) continue;
      ++settled;
      const PlanData next = session.Run(TablesOf(cluster), options);
      for (const Decision& decision : next.decisions) {
        ASSERT_EQ(decision.kind, DecisionKind::kPhase);
      }
    }
  }
  EXPECT_GT(started, 100);
  EXPECT_GT(settled, started / 20);
}

INSTANTIATE_TEST_SUITE_P(Profiles, SettlingWorlds,
                         ::testing::Values("muster", "muster:allocate(promise=off)",
                                           "muster:reclaim(exchange=0),preempt(exchange=0)"),
                         [](const auto& info) { return absl::StrCat("Profile", info.index); });

// A cycle at time 100 in which a job of queue "rich" starts on 3 of 9 cpus, beside a young task of
// 1 cpu and one that is dear to lose. A job of queue "poor", created now, waits for 4 cpus. It
// could pay for what has just started, and for nothing else. Returns whether the cycle has settled,
// and how many tasks the next one evicts.
std::pair<bool, int64_t> AfterAStart(int64_t just_started) {
  constexpr int64_t kNow = 100;
  Cluster cluster;
  EXPECT_TRUE(cluster.AddNode({.name = "n", .capacity = {{"cpu", 9}}}).ok());
  const auto add = [&](const std::string& name, const std::string& queue, int64_t cpu,
                       std::optional<int64_t> started) {
    JobSpec job{.name = name, .queue = queue, .created = kNow};
    if (started) job.phase = JobPhase::kRunning;
    EXPECT_TRUE(cluster.AddJob(job).ok());
    TaskSpec task{.name = name, .job = name, .shape = {.request = {{"cpu", cpu}}}};
    task.preemptable = name != "old";
    if (started) {
      task.status = TaskStatus::kRunning;
      task.node = "n";
      task.started = *started;
    }
    EXPECT_TRUE(cluster.AddTask(task).ok());
  };
  for (const char* queue : {"rich", "poor"}) EXPECT_TRUE(cluster.AddQueue({.name = queue}).ok());
  add("old", "rich", 4, 0);
  add("dear", "rich", 1, 0);
  add("young", "rich", 1, just_started);
  add("starts", "rich", 3, std::nullopt);
  add("waits", "poor", 4, std::nullopt);
  Session session(TablesOf(cluster), *ResolveProfile("muster"), SpeedOptions());
  session.set_explains(false);
  ScheduleOptions options;
  options.now = kNow;
  auto plan = std::make_shared<PlanData>(session.Run(TablesOf(cluster), options));
  const bool settled = session.settled();
  EXPECT_TRUE(OnlyStarts(cluster, plan, kNow));
  int64_t evicted = 0;
  for (const Decision& decision : session.Run(TablesOf(cluster), options).decisions) {
    evicted += decision.kind == DecisionKind::kEvict;
  }
  return {settled, evicted};
}

TEST(Settling, CountsWhatHasJustStartedAmongTheVictims) {
  // The job cannot pay for a task that has run: what starts frees 3 of the 4 cpus.
  EXPECT_EQ(AfterAStart(/*just_started=*/0), std::pair(true, int64_t{0}));
  EXPECT_EQ(AfterAStart(/*just_started=*/100), std::pair(false, int64_t{2}));
}

// Gangs of three of which one task finds room: each of them would be tried, were it not in a line.
TEST(LikeJobs, TakeNoMoreWorkIfTheyAreMany) {
  const absl::StatusOr<ProfileConfig> config = ResolveProfile("muster");
  ASSERT_TRUE(config.ok()) << config.status();
  std::vector<int64_t> work;
  for (const int64_t jobs : {10, 1000}) {
    Cluster cluster;
    ASSERT_TRUE(cluster.AddNode({.name = "n", .capacity = {{"cpu", 1}}}).ok());
    for (int64_t j = 0; j < jobs; ++j) {
      const std::string name = absl::StrCat("j", j);
      ASSERT_TRUE(cluster.AddJob({.name = name, .min_available = 3}).ok());
      for (int64_t i = 0; i < 3; ++i) {
        ASSERT_TRUE(cluster
                        .AddTask({.name = absl::StrCat(name, "-", i),
                                  .job = name,
                                  .shape = {.request = {{"cpu", 1}}}})
                        .ok());
      }
    }
    Session session(TablesOf(cluster), *config, SpeedOptions());
    session.set_explains(false);
    work.push_back(session.Run(TablesOf(cluster), {}).work);
  }
  EXPECT_EQ(work[0], work[1]);
}

INSTANTIATE_TEST_SUITE_P(Profiles, Following,
                         ::testing::Values("muster", "volcano:+preempt,+reclaim", "kube-batch",
                                           "easy"),
                         [](const auto& info) {
                           std::string name = info.param;
                           name = name.substr(0, name.find(':'));
                           std::erase(name, '-');
                           return name;
                         });

}  // namespace
}  // namespace muster::testing
