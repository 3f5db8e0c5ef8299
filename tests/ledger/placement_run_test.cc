// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Runs against single moves: in random worlds two ledgers make the same placements, one of them in
// runs and bound alike, the other task by task. All accounts, the log and the lists of nodes are
// equal then, and a rollback takes everything back.
#include "lib/ledger/placement_run.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "lib/base/rng.h"
#include "lib/ledger/device_book.h"
#include "lib/model/access.h"
#include "lib/model/cluster_impl.h"
#include "tests/ledger/recount.h"
#include "tests/support/random_devices.h"
#include "tests/support/random_domains.h"
#include "tests/support/random_world.h"

namespace muster::testing {
namespace {

// The log in words.
std::vector<std::string> WordsOf(const Ledger& ledger) {
  std::vector<std::string> words;
  for (const Ledger::Entry& e : ledger.log()) {
    words.push_back(absl::StrCat(e.task.value(), ": ", static_cast<int>(e.from), " on ",
                                 e.from_node.value(), " to ", static_cast<int>(e.to), " on ",
                                 e.to_node.value(), " views ", e.from_view, e.to_view, e.in_books));
  }
  return words;
}

// Two ledgers of one world.
struct Pair {
  Pair(const Tables& tables, const Accounting& rules)
      : in_runs(tables, rules), singly(tables, rules) {}

  void ExpectEqual() {
    EXPECT_EQ(FirstDifference(Read(singly), Read(in_runs)), "");
    EXPECT_EQ(WordsOf(in_runs), WordsOf(singly));
    for (NodeIndex n = 0; n < singly.tables().nodes.alive.size(); ++n) {
      EXPECT_TRUE(std::ranges::equal(in_runs.tasks_on(n), singly.tasks_on(n))) << "node " << n;
    }
  }
  // Places tasks of the job on random nodes. Returns how many were in runs.
  size_t Place(Rng& rng, JobIndex job) {
    const Tables& tables = singly.tables();
    PlacementRun run(in_runs);
    for (const TaskIndex task : tables.jobs.tasks[job]) {
      if (singly.status(task) == TaskStatus::kPending && rng.Chance(0.8)) (void)run.Add(task);
    }
    size_t placed = 0;
    for (; placed < run.size() && !rng.Chance(0.1); ++placed) {
      const auto node = static_cast<NodeIndex>(rng.Below(tables.nodes.alive.size()));
      if (!tables.nodes.alive[node]) break;
      const std::span<const int64_t> row = in_runs.node_row(node);
      std::vector<int64_t> expected(row.begin(), row.end());
      const std::span<const int64_t> change = run.change(run.kind(placed));
      for (size_t i = 0; i < expected.size(); ++i) expected[i] += change[i];
      run.Place(placed, node);
      EXPECT_TRUE(std::ranges::equal(in_runs.node_row(node), expected));
      EXPECT_EQ(in_runs.journal().back(), node);
      singly.Move(run.task(placed), TaskStatus::kPlaced, node);
    }
    run.End();
    return placed;
  }
  // Binds what the log has from `position` on. Returns how many were bound alike.
  size_t Bind(size_t position) {
    const size_t end = singly.log().size();
    size_t alike = 0;
    for (size_t i = position; i < end;) {
      const size_t bound = in_runs.BindAlike(i, end);
      for (size_t k = 0; k < std::max<size_t>(bound, 1); ++k, ++i) {
        const Ledger::Entry entry = singly.log()[i];
        if (entry.to != TaskStatus::kPlaced) continue;
        singly.Move(entry.task, TaskStatus::kBinding, entry.to_node);
        if (bound == 0) in_runs.Move(entry.task, TaskStatus::kBinding, entry.to_node);
      }
      alike += bound;
    }
    return alike;
  }

  Ledger in_runs, singly;
};

TEST(PlacementRun, LeavesTheBooksAsSingleMovesDo) {
  size_t placed = 0, bound = 0, kinds_of_books = 0;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(absl::StrCat("seed ", seed));
    Rng rng(seed);
    ClusterSpec world = RandomWorld(seed);
    if (seed % 2 == 0) AddDomains(rng, &world);
    if (seed % 3 == 0) AddDevices(rng, &world);
    const Cluster cluster = MakeCluster(world);
    const Tables& tables = TablesOf(cluster);
    if (tables.jobs.alive.empty() || tables.nodes.alive.empty()) continue;
    Accounting rules;
    if (seed % 4 == 0) rules.statuses[TaskStatus::kPlaced].evictable = 1;
    if (seed % 5 == 0) rules.statuses[TaskStatus::kPlaced].in_view = 0;
    if (seed % 3 == 0) rules.books.push_back(DeviceBook::Factory({}));
    kinds_of_books += rules.books.size();
    Pair pair(tables, rules);
    if (rng.Chance(0.5)) pair.ExpectEqual();  // builds the lists of nodes
    std::vector<std::pair<Ledger::Savepoint, Ledger::Savepoint>> saved;
    for (int step = 0; step < 8; ++step) {
      saved.emplace_back(pair.in_runs.Save(), pair.singly.Save());
      placed += pair.Place(rng, static_cast<JobIndex>(rng.Below(tables.jobs.alive.size())));
      EXPECT_TRUE(pair.in_runs.OnlyPlacementsSince(
          {saved.back().first.content, saved.back().first.release}));
      if (rng.Chance(0.6)) bound += pair.Bind(saved.back().first.position);
      if (rng.Chance(0.3)) {
        const auto back = saved[rng.Below(saved.size())];
        pair.in_runs.Rollback(back.first);
        pair.singly.Rollback(back.second);
        std::erase_if(
            saved, [&](const auto& later) { return later.first.position > back.first.position; });
      }
      pair.ExpectEqual();
      if (::testing::Test::HasFailure()) return;
    }
  }
  EXPECT_GT(placed, 1000u);
  EXPECT_GT(bound, 300u);
  EXPECT_GT(kinds_of_books, 0u);
}

TEST(PlacementRun, TakesNoTaskOfAnotherJobAndNoneThatHasAPlace) {
  ClusterSpec world;
  world.nodes.push_back({.name = "n", .capacity = {{"cpu", 8}, {"memory", 8}, {"pods", 9}}});
  world.queues.push_back({.name = "q"});
  for (const char* name : {"a", "b"}) {
    JobSpec job;
    job.name = name;
    job.queue = "q";
    job.groups.push_back({.name = "g", .count = 3});
    job.groups[0].shape.request = {{"cpu", 1}};
    world.jobs.push_back(std::move(job));
  }
  const Cluster cluster = MakeCluster(world);
  const Tables& tables = TablesOf(cluster);
  Ledger ledger(tables, Accounting{});
  const std::vector<TaskIndex> a(tables.jobs.tasks[0].begin(), tables.jobs.tasks[0].end());
  ledger.Move(a[0], TaskStatus::kPlaced, 0);
  PlacementRun run(ledger);
  EXPECT_FALSE(run.Add(a[0]));
  EXPECT_TRUE(run.Add(a[1]));
  EXPECT_FALSE(run.Add(tables.jobs.tasks[1][0]));
  EXPECT_TRUE(run.Add(a[2]));
  EXPECT_EQ(run.size(), 2u);
  EXPECT_EQ(run.kinds(), 1u);
  run.Place(0, 0);
  EXPECT_EQ(ledger.job(0)[TaskStatus::kPlaced], 1) << "the job follows when the run ends";
  run.End();
  EXPECT_EQ(ledger.job(0)[TaskStatus::kPlaced], 2);
  EXPECT_EQ(ledger.job(0).pending(), 1);
}

}  // namespace
}  // namespace muster::testing
