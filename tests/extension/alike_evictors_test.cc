// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Policies that claim to judge evictors alike do: in random worlds with twins of jobs, tasks that
// are equal in all that the claim names get equal answers about the same candidates, while tasks
// are evicted and evictions are undone. Such pairs must occur, and so must victims.
#include "lib/extension/alike_evictors.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "lib/base/rng.h"
#include "lib/ledger/ledger.h"
#include "lib/model/access.h"
#include "lib/model/cluster_impl.h"
#include "lib/profile/profile.h"
#include "tests/support/random_world.h"

namespace muster {
namespace {

// Adds to each job another one, of which all tasks wait.
ClusterSpec WithTwins(ClusterSpec world) {
  const std::vector<JobSpec> jobs = world.jobs;
  const std::vector<TaskSpec> tasks = world.tasks;
  for (JobSpec job : jobs) {
    job.name += "-twin";
    world.jobs.push_back(job);
  }
  for (TaskSpec task : tasks) {
    if (task.job.empty()) continue;
    task.job += "-twin";
    task.name += "-twin";
    task.status = TaskStatus::kPending;
    task.node.clear();
    world.tasks.push_back(task);
  }
  return world;
}

std::vector<std::vector<ActivePolicy>> TiersOf(const ProfileConfig& config) {
  std::vector<std::vector<ActivePolicy>> tiers;
  for (const auto& tier : config.tiers) {
    tiers.emplace_back();
    for (const ConfiguredPolicy& policy : tier) {
      tiers.back().push_back({policy.decl.make(policy.options), policy.points});
    }
  }
  return tiers;
}

class Evictors {
 public:
  Evictors(const Tables& tables, const ProfileConfig& config)
      : tables_(tables),
        ledger_(tables, config.accounting),
        phases_(tables.jobs.alive.size(), JobPhase::kRunning),
        dispatcher_(TiersOf(config), config.rules) {
    dispatcher_.Open(cycle_);
  }

  const Dispatcher& dispatcher() const { return dispatcher_; }
  Ledger& ledger() { return ledger_; }

  bool Runs(TaskIndex t) const {
    const TaskStatus status = ledger_.status(t);
    return tables_.tasks.alive[t] && tables_.tasks.job[t] != kNone &&
           (status == TaskStatus::kRunning || status == TaskStatus::kBound);
  }
  bool AreAlike(TaskIndex a, TaskIndex b) const {
    const TaskTable& tasks = tables_.tasks;
    const JobIndex left = tasks.job[a], right = tasks.job[b];
    return HoldsNothing(left) && HoldsNothing(right) &&
           tasks.task_class[a] == tasks.task_class[b] && tasks.priority[a] == tasks.priority[b] &&
           tasks.flags[a] == tasks.flags[b] &&
           tables_.jobs.queue[left] == tables_.jobs.queue[right] &&
           tables_.jobs.spec[left].priority == tables_.jobs.spec[right].priority;
  }
  // Returns a task like this one, of another job.
  std::optional<TaskIndex> AnotherLike(TaskIndex t) const {
    for (TaskIndex other = 0; other < tables_.tasks.alive.size(); ++other) {
      if (!tables_.tasks.alive[other] || tables_.tasks.job[other] == kNone) continue;
      if (tables_.tasks.job[other] != tables_.tasks.job[t] && AreAlike(t, other)) return other;
    }
    return std::nullopt;
  }

 private:
  bool HoldsNothing(JobIndex job) const {
    return ledger_.job(job).allocated() == 0 &&
           std::ranges::all_of(ledger_.job_allocated(job), [](int64_t a) { return a == 0; });
  }

  const Tables& tables_;
  Ledger ledger_;
  std::vector<JobPhase> phases_;
  Dispatcher dispatcher_;
  const internal::CycleData data_{tables_, ledger_, 0, phases_};
  const Cycle cycle_{&data_};
};

TEST(AlikeEvictors, GetEqualAnswersOnTheSameBooks) {
  const char* const specs[] = {"volcano",
                               "volcano:tiers=gang+drf/priority+conformance+cdp",
                               "volcano:tiers=tdm+pdb/capacity+drf+gang",
                               "volcano:tiers=pdb(whole_plan=on)+proportion",
                               "volcano:tiers=capacity(hierarchy=on)+drf",
                               "kube-batch"};
  int64_t claims = 0, named = 0;
  for (uint64_t seed = 0; seed < 600; ++seed) {
    Rng rng(seed);
    const std::optional<Cluster> cluster =
        testing::TryCluster(WithTwins(testing::RandomWorld(seed, {.jobs = 12})));
    if (!cluster) continue;
    const Tables& tables = TablesOf(*cluster);
    Evictors world(tables, *ResolveProfile(specs[seed % std::size(specs)]));
    const Dispatcher& dispatcher = world.dispatcher();
    const Ledger::Savepoint opening = world.ledger().Save();
    for (int step = 0; step < 20 && tables.tasks.alive.size() > 0; ++step) {
      SCOPED_TRACE(absl::StrCat("seed ", seed, ", step ", step));
      const auto task = static_cast<TaskIndex>(rng.Below(tables.tasks.alive.size()));
      if (!tables.tasks.alive[task] || tables.tasks.job[task] == kNone) continue;
      std::vector<TaskIndex> candidates;
      for (TaskIndex t = 0; t < tables.tasks.alive.size(); ++t) {
        if (world.Runs(t) && rng.Chance(0.7)) candidates.push_back(t);
      }
      if (const std::optional<TaskIndex> other = world.AnotherLike(task)) {
        for (const Point point : {Point::kPreemptable, Point::kReclaimable}) {
          if (!JudgeEvictorsAlike(dispatcher, point)) continue;
          const bool reclaims = point == Point::kReclaimable;
          const std::vector<TaskIndex> victims = reclaims
                                                     ? dispatcher.Reclaimable(task, candidates)
                                                     : dispatcher.Preemptable(task, candidates);
          ASSERT_EQ(victims, reclaims ? dispatcher.Reclaimable(*other, candidates)
                                      : dispatcher.Preemptable(*other, candidates));
          ++claims;
          named += static_cast<int64_t>(victims.size());
        }
      }
      if (rng.Chance(0.2)) {
        world.ledger().Rollback(opening);
      } else if (!candidates.empty()) {
        const TaskIndex victim = candidates[rng.Below(candidates.size())];
        world.ledger().Move(victim, TaskStatus::kReleasing, world.ledger().node_of(victim));
      }
    }
  }
  EXPECT_GT(claims, 1000);
  EXPECT_GT(named, 1000);
}

// Policies that claim to judge by rows give equal answers about a task whatever has moved since.
TEST(AlikeEvictors, JudgeByRowsWhateverHasMoved) {
  const char* const specs[] = {"volcano", "volcano:tiers=priority/conformance",
                               "volcano:tiers=gang+priority+conformance", "kube-batch"};
  int64_t answers = 0, named = 0, spared = 0, others = 0;
  for (uint64_t seed = 0; seed < 400; ++seed) {
    Rng rng(seed);
    const std::optional<Cluster> cluster =
        testing::TryCluster(testing::RandomWorld(seed, {.jobs = 12}));
    if (!cluster) continue;
    const Tables& tables = TablesOf(*cluster);
    Evictors world(tables, *ResolveProfile(specs[seed % std::size(specs)]));
    const Dispatcher& dispatcher = world.dispatcher();
    if (!JudgeByRows(dispatcher, Point::kPreemptable)) {
      ++others;
      continue;
    }
    std::vector<TaskIndex> running;
    for (TaskIndex t = 0; t < tables.tasks.alive.size(); ++t) {
      if (world.Runs(t)) running.push_back(t);
    }
    const auto answers_now = [&] {
      std::vector<std::vector<TaskIndex>> all;
      for (TaskIndex t = 0; t < tables.tasks.alive.size(); ++t) {
        if (!tables.tasks.alive[t] || tables.tasks.job[t] == kNone) continue;
        all.push_back(dispatcher.Preemptable(t, running));
        named += static_cast<int64_t>(all.back().size());
        spared += static_cast<int64_t>(running.size() - all.back().size());
      }
      return all;
    };
    const std::vector<std::vector<TaskIndex>> before = answers_now();
    for (const TaskIndex victim : running) {
      if (!rng.Chance(0.5)) continue;
      world.ledger().Move(victim, TaskStatus::kReleasing, world.ledger().node_of(victim));
    }
    ASSERT_EQ(before, answers_now()) << "seed " << seed;
    answers += static_cast<int64_t>(before.size());
  }
  EXPECT_GT(answers, 1000);
  EXPECT_GT(named, 1000);
  EXPECT_GT(spared, 1000);
  EXPECT_GT(others, 50);
}

}  // namespace
}  // namespace muster
