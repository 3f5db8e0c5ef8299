// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What gates promise about placements to come, kept: in random worlds, tasks are placed one by one,
// and each gate is asked before each. Where the promise was "yes to all", none is refused; as many
// as leave the job unready leave it so. Promises must be made, too.
#include "lib/extension/gate_ahead.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "lib/base/rng.h"
#include "lib/extension/dispatcher.h"
#include "lib/ledger/ledger.h"
#include "lib/model/access.h"
#include "lib/model/cluster_impl.h"
#include "lib/profile/profile.h"
#include "tests/support/random_world.h"

namespace muster {
namespace {

TEST(GateAhead, PromisesAreKeptPlacementByPlacement) {
  const char* const specs[] = {"volcano", "volcano:tiers=gang(best_effort_counts=off)+proportion",
                               "volcano:tiers=gang(every_group=on)+proportion(least_amounts=on)",
                               "volcano:tiers=gang+capacity+proportion"};
  int64_t unready = 0, allowed = 0, refused = 0;
  for (uint64_t seed = 0; seed < 400; ++seed) {
    Rng rng(seed);
    const Cluster cluster = testing::MakeCluster(testing::RandomWorld(seed, {.tasks = 12}));
    const Tables& tables = TablesOf(cluster);
    if (tables.jobs.alive.empty() || tables.nodes.alive.empty()) continue;
    const ProfileConfig config = *ResolveProfile(specs[seed % std::size(specs)]);
    Ledger ledger(tables, config.accounting);
    std::vector<JobPhase> phases;
    for (const JobSpec& job : tables.jobs.spec) phases.push_back(job.phase);
    std::vector<std::vector<ActivePolicy>> tiers;
    for (const auto& tier : config.tiers) {
      tiers.emplace_back();
      for (const ConfiguredPolicy& policy : tier) {
        tiers.back().push_back({policy.decl.make(policy.options), policy.points});
      }
    }
    Dispatcher dispatcher(std::move(tiers), config.rules);
    const internal::CycleData data{tables, ledger, 0, phases};
    const Cycle cycle(&data);
    dispatcher.Open(cycle);
    for (JobIndex job = 0; job < tables.jobs.alive.size(); ++job) {
      if (!tables.jobs.alive[job] || rng.Chance(0.3)) continue;
      SCOPED_TRACE(absl::StrCat("seed ", seed, ", job ", job.value()));
      const QueueIndex queue = tables.jobs.queue[job];
      std::vector<TaskIndex> tasks;
      for (const TaskIndex task : tables.jobs.tasks[job]) {
        if (ledger.status(task) == TaskStatus::kPending) tasks.push_back(task);
      }
      if (!tasks.empty()) tasks.resize(1 + rng.Below(tasks.size()));
      const int64_t stays_unready = dispatcher.UnreadyAfter(job);
      const bool all = dispatcher.AllocatableAll(queue, tasks);
      int64_t placed = 0;
      for (const TaskIndex task : tasks) {
        const bool may = dispatcher.Allocatable(queue, task).ok();
        if (all) ASSERT_TRUE(may) << "task " << placed;
        refused += !may;
        if (placed <= stays_unready && stays_unready > 0)
          ASSERT_FALSE(dispatcher.Ready(job)) << placed;
        ledger.Move(task, TaskStatus::kPlaced,
                    static_cast<NodeIndex>(rng.Below(tables.nodes.alive.size())));
        ++placed;
      }
      unready += std::min(placed, stays_unready);
      allowed += all ? placed : 0;
    }
  }
  EXPECT_GT(unready, 100);
  EXPECT_GT(allowed, 300);
  EXPECT_GT(refused, 100);
}

}  // namespace
}  // namespace muster
