// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Lists that are kept between gangs, against lists that are made anew, on books that change.
#include "lib/peer/volcano/action/kept_victims.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/base/go_sort.h"
#include "lib/base/rng.h"
#include "lib/part/attempt.h"
#include "lib/part/victims.h"
#include "lib/peer/volcano/action/room_later.h"
#include "tests/part/loop.h"

namespace muster {
namespace {

using testing::Loop;

constexpr int kNodes = 70, kJobs = 40;

// Full nodes of two sizes, some with a label that some tasks select; jobs of three queues that run
// up to six tasks and need some of them.
void FillWithGangs(Cluster& cluster, Rng& rng) {
  const auto accept = [](const absl::Status& status) { ASSERT_TRUE(status.ok()) << status; };
  for (const char* queue : {"a", "b", "c"}) accept(cluster.AddQueue({.name = queue}));
  for (int n = 0; n < kNodes; ++n) {
    const int64_t cpu = n % 7 == 0 ? 8 : 4;
    NodeSpec node{.name = absl::StrCat("n", n), .capacity = {{"cpu", cpu}, {"pods", 10}}};
    if (n % 3 == 0) node.labels = {{"disk", "ssd"}};
    accept(cluster.AddNode(node));
  }
  for (int j = 0; j < kJobs; ++j) {
    const int64_t count = static_cast<int64_t>(rng.Below(6)) + 1;
    JobSpec job{.name = absl::StrCat("j", j), .queue = std::string(1, "abc"[rng.Below(3)])};
    job.priority = static_cast<int32_t>(rng.Below(3));
    job.min_available = static_cast<int64_t>(rng.Below(static_cast<uint64_t>(count) + 1));
    job.created = static_cast<int64_t>(rng.Below(5));
    job.phase = JobPhase::kRunning;
    accept(cluster.AddJob(job));
    for (int64_t t = 0; t < count; ++t) {
      TaskSpec task{.name = absl::StrCat("j", j, "-", t), .job = job.name};
      task.shape.request = {{"cpu", static_cast<int64_t>(rng.Below(2)) + 1}};
      if (rng.Chance(0.3)) task.shape.node_selector = {{"disk", "ssd"}};
      task.status = rng.Chance(0.8) ? TaskStatus::kRunning : TaskStatus::kBound;
      task.node = absl::StrCat("n", rng.Below(kNodes));
      task.priority = static_cast<int32_t>(rng.Below(2));
      task.preemptable = rng.Chance(0.9);
      accept(cluster.AddTask(task));
    }
  }
}

// All sets for the job, made anew and sorted.
std::vector<VictimSet> SetsAnew(const ActionContext& context, const VictimRules& rules,
                                JobIndex job, const std::vector<int64_t>& need) {
  std::vector<VictimSet> sets;
  for (JobIndex other = 0; other < kJobs; ++other) {
    if (!rules.MayTakeFrom(job, other)) continue;
    std::vector<TaskIndex> tasks = context.tables.jobs.tasks[other];
    std::erase_if(tasks, [&](TaskIndex t) { return !rules.MayGo(t); });
    if (!tasks.empty()) AddVictimSets(context, other, tasks, &sets);
  }
  for (VictimSet& set : sets) set.worth = WorthOf(context, set, need);
  GoSort(sets, [&](const VictimSet& a, const VictimSet& b) { return rules.Before(job, a, b); });
  return sets;
}

void ExpectBeginsWith(const std::vector<VictimSet>& all, const std::vector<VictimSet>& first,
                      size_t limit) {
  ASSERT_EQ(first.size(), std::min(limit, all.size()));
  for (size_t i = 0; i < first.size(); ++i) {
    EXPECT_EQ(first[i].job, all[i].job);
    EXPECT_EQ(first[i].whole, all[i].whole);
    EXPECT_EQ(first[i].tasks, all[i].tasks);
  }
}

// Evicts a few tasks; in half of all cases for good.
void ChangeBooks(ActionContext& context, Rng& rng) {
  Attempt attempt(context);
  const auto tasks = static_cast<uint32_t>(context.tables.tasks.alive.size());
  for (uint64_t i = rng.Below(6); i-- > 0;) {
    const TaskIndex t(static_cast<uint32_t>(rng.Below(tasks)));
    if (context.ledger.status(t) != TaskStatus::kReleasing) Evict(context, t, kNone);
  }
  if (rng.Chance(0.5)) attempt.Keep();
}

TEST(KeptVictimsTest, ListsBeginAsListsMadeAnew) {
  size_t listed = 0;
  for (uint64_t seed = 0; seed < 40; ++seed) {
    Rng rng(seed);
    Loop loop("volcano", [&](Cluster& cluster) { FillWithGangs(cluster, rng); });
    ActionContext& context = loop.context();
    const VictimRules rules(context, /*from_other_queues=*/seed % 2 == 1);
    ASSERT_TRUE(rules.ComparesKeys());
    KeptVictims kept(context, rules);
    std::vector<int64_t> need(context.ledger.dimensions(), 0);
    need[kCpu] = 3000;
    for (int round = 0; round < 15; ++round) {
      SCOPED_TRACE(absl::StrCat("seed ", seed, ", round ", round));
      const JobIndex job(static_cast<uint32_t>(rng.Below(kJobs)));
      kept.NoteTurn(job);
      const std::vector<VictimSet> all = SetsAnew(context, rules, job, need);
      for (const size_t limit : {size_t{1}, size_t{4}, rng.Below(12), size_t{1000}}) {
        ExpectBeginsWith(all, kept.First(job, need, limit), limit);
      }
      listed += all.size();
      ChangeBooks(context, rng);
    }
  }
  EXPECT_GT(listed, 3000U);
}

// Trees of queues and callers' policies may compare in other ways.
TEST(KeptVictimsTest, OnlyKnownOrdersAreKept) {
  const auto kept = [](const char* tiers, bool from_other_queues) {
    Loop loop(absl::StrCat("volcano:tiers=", tiers), [](Cluster&) {});
    return VictimRules(loop.context(), from_other_queues).ComparesKeys();
  };
  EXPECT_TRUE(kept("priority+gang+drf+sla+capacity", false));
  EXPECT_FALSE(kept("priority+gang+tdm", false));
  EXPECT_TRUE(kept("priority+proportion+tdm", true));
  EXPECT_FALSE(kept("priority+capacity", true));
  EXPECT_FALSE(kept("priority+drf(hierarchy=on)", true));
}

TEST(RoomLaterTest, VisitsTheFirstOfAlikeNodesWithRoom) {
  size_t visits = 0;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    Rng rng(seed);
    Loop loop("volcano", [&](Cluster& cluster) { FillWithGangs(cluster, rng); });
    ActionContext& context = loop.context();
    RoomLater room(context);
    for (int round = 0; round < 15; ++round) {
      const TaskIndex task(static_cast<uint32_t>(rng.Below(context.tables.tasks.alive.size())));
      const ClassIndex c = context.ClassOf(task);
      const auto keep = [&](NodeIndex n) { return n % 5 != 0; };
      std::vector<NodeIndex> expected, visited;
      std::vector<StateIndex> states;
      for (NodeIndex n = 0; n < kNodes; ++n) {
        if (!keep(n) || !context.search.FitsFutureIdle(c, n)) continue;
        const StateIndex state = context.search.StateOf(n);
        if (std::ranges::find(states, state) != states.end()) continue;
        states.push_back(state);
        expected.push_back(n);
      }
      room.ForEach(c, keep, [&](NodeIndex n) { visited.push_back(n); });
      EXPECT_EQ(visited, expected) << "seed " << seed << ", round " << round;
      visits += visited.size();
      ChangeBooks(context, rng);
    }
  }
  EXPECT_GT(visits, 1000U);
}

}  // namespace
}  // namespace muster
