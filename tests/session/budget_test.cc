// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// A cycle that is cut short: by every budget there is, and by a caller's stop. What is left of the
// plan is a beginning of the whole one, no gang is cut in two, and the count of work says how to
// get the same again.
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "lib/model/access.h"
#include "lib/model/tables.h"
#include "muster/schedule.h"
#include "tests/support/random_world.h"

namespace muster::testing {
namespace {

Plan MustSchedule(const Snapshot& snapshot, const std::string& profile,
                  const ScheduleOptions& options) {
  const absl::StatusOr<Plan> plan = Schedule(snapshot, profile, options);
  EXPECT_TRUE(plan.ok()) << plan.status();
  return plan.ok() ? *plan : Plan();
}

// Phases close a cycle, however far it came.
std::vector<Decision> WithoutPhases(const Plan& plan) {
  std::vector<Decision> decisions(plan.decisions().begin(), plan.decisions().end());
  std::erase_if(decisions, [](const Decision& d) { return d.kind == DecisionKind::kPhase; });
  for (Decision& d : decisions) d.index = 0;  // the caller leaves some out, which moves the others
  return decisions;
}

bool IsPrefix(const std::vector<Decision>& part, const std::vector<Decision>& whole) {
  return part.size() <= whole.size() && std::equal(part.begin(), part.end(), whole.begin());
}

// The gangs that hold some of what they need, but not all: by their tasks' statuses, with the
// plan's binds.
std::string GangCutInTwo(const Tables& tables, const Plan& plan) {
  std::map<JobIndex, int64_t> bound;
  for (const Bind& bind : plan.binds()) ++bound[tables.tasks.job[bind.task]];
  for (const auto& [job, count] : bound) {
    int64_t there = count;
    for (TaskIndex t : tables.jobs.tasks[job]) {
      there +=
          IsAllocated(tables.tasks.status[t]) || tables.tasks.status[t] == TaskStatus::kSucceeded;
      // Tasks that request nothing count as soon as they wait for backfill.
      there += tables.tasks.status[t] == TaskStatus::kPending &&
               tables.classes.best_effort[tables.tasks.task_class[t]];
    }
    if (there < tables.jobs.spec[job].min_available)
      return std::string(tables.jobs.names.name(job));
  }
  return "";
}

const char* const kSpecs[] = {"volcano:+preempt,+reclaim",
                              "volcano:actions=reclaim+preempt+allocate+backfill",
                              "volcano:actions=allocate+backfill", "muster"};

class Budgets : public ::testing::TestWithParam<const char*> {};

TEST_P(Budgets, CutAtGangsAndReproduce) {
  const std::string profile = GetParam();
  int64_t cuts = 0;
  for (uint64_t seed = 0; seed < 60; ++seed) {
    const Snapshot snapshot = MakeCluster(RandomWorld(seed)).Freeze();
    const Plan whole = MustSchedule(snapshot, profile, {});
    EXPECT_TRUE(whole.complete());
    EXPECT_EQ(whole.cursor(), 0u);
    const std::vector<Decision> all = WithoutPhases(whole);
    // Backfill takes nominations of tasks without requests back and tries them again: the one
    // exception.
    const auto taken_back = [&](const Decision& d) {
      return d.kind == DecisionKind::kNominate &&
             TablesOf(snapshot).classes.best_effort[TablesOf(snapshot).tasks.task_class[d.task]] &&
             std::find(all.begin(), all.end(), d) == all.end();
    };
    size_t longest = 0;
    for (int64_t budget = 0; budget <= whole.work(); ++budget) {
      SCOPED_TRACE(absl::StrCat("seed ", seed, ", budget ", budget, " of ", whole.work()));
      ScheduleOptions options;
      options.work_budget = budget;
      const Plan part = MustSchedule(snapshot, profile, options);
      std::vector<Decision> some = WithoutPhases(part);
      std::erase_if(some, taken_back);
      ASSERT_TRUE(IsPrefix(some, all)) << part.ToText() << "whole:\n" << whole.ToText();
      ASSERT_EQ(GangCutInTwo(TablesOf(snapshot), part), "");
      ASSERT_GE(some.size(), longest) << "more budget, less done";
      longest = std::max(longest, some.size());
      cuts += !part.complete();
      ScheduleOptions again;
      again.work_budget = part.work();
      if (!part.complete()) {
        ASSERT_EQ(MustSchedule(snapshot, profile, again).Digest(), part.Digest());
      }
    }
    ScheduleOptions enough;
    enough.work_budget = whole.work();
    EXPECT_EQ(MustSchedule(snapshot, profile, enough).Digest(), whole.Digest()) << "seed " << seed;
  }
  EXPECT_GT(cuts, 200);
}

TEST_P(Budgets, TheCallerMaySayStop) {
  const std::string profile = GetParam();
  for (uint64_t seed = 0; seed < 60; ++seed) {
    const Snapshot snapshot = MakeCluster(RandomWorld(seed)).Freeze();
    const Plan whole = MustSchedule(snapshot, profile, {});
    for (int patience = 0; patience < 6; ++patience) {
      SCOPED_TRACE(absl::StrCat("seed ", seed, ", patience ", patience));
      int asked = 0;
      ScheduleOptions options;
      options.should_stop = [&] { return asked++ >= patience; };
      const Plan part = MustSchedule(snapshot, profile, options);
      ASSERT_LE(asked, patience + 1) << "asked on after the answer was stop";
      ASSERT_EQ(part.complete(), asked <= patience);
      ASSERT_EQ(GangCutInTwo(TablesOf(snapshot), part), "");
      if (part.complete()) {
        ASSERT_EQ(part.Digest(), whole.Digest());
      } else {
        ScheduleOptions budget;
        budget.work_budget = part.work();
        ASSERT_EQ(MustSchedule(snapshot, profile, budget).Digest(), part.Digest());
      }
    }
  }
}

// Cut, apply, go on from the cursor: it ends, and the actions before the cursor are not run again.
TEST_P(Budgets, TheCursorGoesOn) {
  const std::string profile = GetParam();
  for (uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(absl::StrCat("seed ", seed));
    Cluster cluster = MakeCluster(RandomWorld(seed));
    ScheduleOptions options;
    options.work_budget = 3;
    for (int cycle = 0; cycle < 200; ++cycle) {
      const absl::StatusOr<Plan> plan = cluster.Schedule(profile, options);
      ASSERT_TRUE(plan.ok()) << plan.status();
      if (options.cursor > 0 && profile == kSpecs[0]) {
        for (const Decision& decision : plan->decisions()) {
          ASSERT_NE(decision.kind, DecisionKind::kAdmit) << "admit had ended";
        }
      }
      ASSERT_TRUE(cluster.Apply(*plan).ok());
      if (plan->complete()) {
        ASSERT_EQ(plan->cursor(), 0u);
        break;
      }
      ASSERT_GE(plan->cursor(), options.cursor);
      // Where a cycle's budget did not suffice for one turn's worth of decisions, take more.
      if (plan->cursor() == options.cursor) *options.work_budget *= 2;
      options.cursor = plan->cursor();
      ASSERT_LT(cycle, 199) << "it does not end";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Specs, Budgets, ::testing::ValuesIn(kSpecs));

// Without possible victims, a waiting job costs its turn at what is free, and no more.
TEST(Work, NobodyIsAskedToGoWhereNobodyCan) {
  Cluster cluster;
  ASSERT_TRUE(cluster.AddNode({.name = "n", .capacity = {{"cpu", 4}}}).ok());
  const auto add = [&](const std::string& name, int64_t cpu, int32_t priority) {
    return cluster.AddJob({.name = name,
                           .priority = priority,
                           .min_available = 1,
                           .groups = {{.count = 1, .shape = {.request = {{"cpu", cpu}}}}}});
  };
  ASSERT_TRUE(add("first", 4, 0).ok());
  ASSERT_TRUE(cluster.SetTaskStatus("first-0", TaskStatus::kRunning, "n").ok());
  for (int i = 0; i < 50; ++i) ASSERT_TRUE(add(absl::StrCat("job", i), 1 + i % 3, 0).ok());
  const auto work = [&](const std::string& profile) {
    const Plan plan = MustSchedule(cluster.Freeze(), profile, {});
    EXPECT_EQ(plan.pending().size(), 50u);
    EXPECT_TRUE(plan.evictions().empty());
    return plan.work();
  };
  EXPECT_EQ(work("muster"), work("muster:actions=allocate(promise=head)"));
  // Once a greater job is there, the one that holds the node is looked at.
  ASSERT_TRUE(add("greater", 8, 1).ok());
  const Plan plan = MustSchedule(cluster.Freeze(), "muster", {});
  const Plan without = MustSchedule(cluster.Freeze(), "muster:actions=allocate(promise=head)", {});
  EXPECT_GT(plan.work(), without.work());
}

TEST(Budget, RefusesNonsense) {
  const Snapshot snapshot;
  ScheduleOptions options;
  options.work_budget = -1;
  EXPECT_EQ(Schedule(snapshot, "volcano", options).status().message(),
            "options: work_budget is negative; must be 0 or more");
  options = {};
  options.cursor = 3;
  EXPECT_EQ(Schedule(snapshot, "volcano", options).status().message(),
            "options: cursor is beyond the actions of the profile");
  options = {};
  options.speed.memory_limit = -1;
  EXPECT_EQ(Schedule(snapshot, "volcano", options).status().message(),
            "options: speed.memory_limit is negative; must be 0 or more");
}

}  // namespace
}  // namespace muster::testing
