// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Numbers of jobs order as the policies that have them: in random worlds, pairs of jobs are
// compared both ways while tasks move, and numbers are kept as long as the job's account.
#include "lib/extension/keyed_jobs.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "lib/base/hash_map.h"
#include "lib/base/rng.h"
#include "lib/ledger/ledger.h"
#include "lib/model/access.h"
#include "lib/model/cluster_impl.h"
#include "lib/profile/profile.h"
#include "tests/support/random_world.h"

namespace muster {
namespace {

TEST(KeyedJobs, NumbersCompareAsThePoliciesDo) {
  const char* const specs[] = {"volcano", "volcano:tiers=drf(missing=on)+gang/priority",
                               "volcano:tiers=drf(overfull_nodes=off)",
                               "volcano:tiers=gang(best_effort_counts=off)"};
  int64_t compared = 0, unequal = 0;
  for (uint64_t seed = 0; seed < 400; ++seed) {
    Rng rng(seed);
    const Cluster cluster = testing::MakeCluster(testing::RandomWorld(seed));
    const Tables& tables = TablesOf(cluster);
    if (tables.jobs.alive.empty() || tables.tasks.alive.empty()) continue;
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
    const JobOrderKeys order(dispatcher);
    ASSERT_TRUE(order.known());
    HashMap<JobIndex, std::pair<uint64_t, JobKeys>> kept;
    const auto keys_of = [&](JobIndex job) {
      auto& [stamp, keys] = kept.try_emplace(job, ~uint64_t{0}, JobKeys()).first->second;
      if (stamp != ledger.job_stamp(job)) keys = order.Of(job);
      stamp = ledger.job_stamp(job);
      return keys;
    };
    for (int step = 0; step < 40; ++step) {
      SCOPED_TRACE(absl::StrCat("seed ", seed, ", step ", step));
      const auto a = static_cast<JobIndex>(rng.Below(tables.jobs.alive.size()));
      const auto b = static_cast<JobIndex>(rng.Below(tables.jobs.alive.size()));
      const int order_of_pair = dispatcher.CompareJobs(a, b);
      const int expected = (order_of_pair > 0) - (order_of_pair < 0);
      ASSERT_EQ(keys_of(a).Compare(keys_of(b)), expected);
      ++compared;
      unequal += expected != 0;
      const auto task = static_cast<TaskIndex>(rng.Below(tables.tasks.alive.size()));
      if (!tables.tasks.alive[task]) continue;
      if (ledger.status(task) == TaskStatus::kRunning) {
        ledger.Move(task, TaskStatus::kReleasing, ledger.node_of(task));
      } else if (ledger.status(task) == TaskStatus::kPending && !tables.nodes.alive.empty()) {
        ledger.Move(task, TaskStatus::kPlaced,
                    static_cast<NodeIndex>(rng.Below(tables.nodes.alive.size())));
      }
    }
  }
  EXPECT_GT(compared, 5000);
  EXPECT_GT(unequal, 500);
}

TEST(KeyedJobs, OrdersWithoutNumbersAreNotKnown) {
  for (const char* spec : {"volcano:tiers=sla+gang", "volcano:tiers=tdm"}) {
    const ProfileConfig config = *ResolveProfile(spec);
    std::vector<std::vector<ActivePolicy>> tiers(1);
    for (const ConfiguredPolicy& policy : config.tiers[0]) {
      tiers[0].push_back({policy.decl.make(policy.options), policy.points});
    }
    const Dispatcher dispatcher(std::move(tiers), config.rules);
    EXPECT_FALSE(JobOrderKeys(dispatcher).known()) << spec;
  }
}

}  // namespace
}  // namespace muster
