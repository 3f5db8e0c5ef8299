// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The promises of profile muster about evictions, on random trees of queues, checked from the
// outside in exact integers:
//   - every eviction for another queue moves the books towards what is deserved: the giver held more than it deserves,
//     loses nothing it deserves of what is scarce and nothing it is guaranteed, and the taker stays within what it
//     deserves;
//   - a task that was evicted and comes back evicts no other;
//   - no cheaper set would have sufficed, by trying all sets.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "absl/numeric/int128.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "lib/model/access.h"
#include "muster/schedule.h"
#include "tests/support/fair_tree.h"
#include "tests/support/random_world.h"
#include "tests/support/validator.h"
#include "tests/support/world_loop.h"

namespace muster::testing {
namespace {

using absl::int128;

// What an eviction for another queue is about.
struct Ways {
  std::vector<QueueIndex> giver, taker;  // upwards, to below where they meet
};
Ways WaysOf(const Books& books, QueueIndex giver, QueueIndex taker) {
  std::set<QueueIndex> above_taker;
  for (QueueIndex q = taker; q != kNone; q = books.ParentOf(q)) above_taker.insert(q);
  Ways ways;
  QueueIndex q = giver;
  for (; q != kNone && above_taker.count(q) == 0; q = books.ParentOf(q)) ways.giver.push_back(q);
  for (QueueIndex t = taker; t != q; t = books.ParentOf(t)) ways.taker.push_back(t);
  return ways;
}

// The books without the first so many of the evicted, and what queues then deserve.
struct Stage {
  Cluster cluster;
  Snapshot snapshot;
  std::vector<Row> deserved;
};

// Evictions for one task, which is then nominated.
struct Step {
  TaskIndex beneficiary;
  std::vector<TaskIndex> victims;
};

// Why the step is none towards what is deserved at that stage; empty: it is.
std::string WrongStep(const Tables& tables, const Books& now, const Stage& stage,
                      const Step& step) {
  const Tables& then = TablesOf(stage.snapshot);
  const Books counted(then);
  const auto wanted = now.RequestOf(step.beneficiary);
  const QueueIndex taker = now.QueueOf(step.beneficiary);
  const auto deserved = [&](QueueIndex q, DimensionIndex d) { return stage.deserved[q][d]; };
  Books after = now;
  for (TaskIndex v : step.victims) after.Charge(v, -1);
  for (DimensionIndex d = 0; d < tables.dimension_count(); ++d) {
    if (d == kPods || wanted[d] <= 0) continue;
    if (now.own(taker, d) + wanted[d] > deserved(taker, d)) return "the taker has enough";
  }
  for (TaskIndex v : step.victims) {
    const Ways ways = WaysOf(now, now.QueueOf(v), taker);
    if (ways.giver.empty()) return "the giver is above the taker";
    const QueueIndex top = ways.giver.back(), giver = ways.giver.front();
    bool was_above = false;
    for (DimensionIndex d = 0; d < tables.dimension_count(); ++d) {
      if (d == kPods) continue;
      if (wanted[d] > 0) {
        for (QueueIndex q : ways.taker) {
          if (now.tree(q, d) + wanted[d] > deserved(q, d)) return "the taker's side has enough";
        }
        // But for one of them all could go and the queue would still hold too much.
        for (TaskIndex last : step.victims) {
          const std::vector<QueueIndex> way = WaysOf(now, now.QueueOf(last), taker).giver;
          was_above |= !way.empty() && way.back() == top &&
                       after.tree(top, d) + now.RequestOf(last)[d] > deserved(top, d);
        }
      }
      if (now.RequestOf(v)[d] <= 0) continue;
      // An inner queue's own jobs come before its children: they keep what they request as far as
      // it is deserved.
      const int64_t own = std::min(counted.OwnDemand(giver, d), deserved(giver, d));
      int128 all = counted.OwnDemand(giver, d);
      for (QueueIndex child : then.queues.children[giver]) all += counted.Demand(child, d);
      const bool inner = !then.queues.children[giver].empty();
      if (inner && all > deserved(giver, d) && after.own(giver, d) < own) {
        return "an inner queue's own jobs lose what they come first for";
      }
      for (QueueIndex q : ways.giver) {
        const int64_t guaranteed = tables.queues.guaranteed.at(q, d);
        if (guaranteed != kAbsent && after.tree(q, d) < guaranteed) return "below its guarantee";
        int128 used = 0;
        for (QueueIndex s : ChildrenOf(then, then.queues.parent[q])) {
          used += std::max(counted.Demand(s, d), counted.tree(s, d));
        }
        const bool scarce = used > ToDivide(counted, stage.deserved, then.queues.parent[q], d);
        if (scarce && after.tree(q, d) < deserved(q, d)) return "below what it deserves";
      }
    }
    if (!was_above) return "the giver held no more than it deserves";
  }
  return "";
}

std::vector<Step> StepsFrom(const Plan& plan) {
  std::vector<Step> steps;
  for (const Eviction& d : plan.evictions()) {
    if (steps.empty() || steps.back().beneficiary != d.beneficiary) {
      steps.push_back({d.beneficiary, {}});
    }
    steps.back().victims.push_back(d.task);
  }
  return steps;
}

TEST(FairEvict, EveryEvictionMovesTowardsWhatIsDeserved) {
  int64_t reclaimed = 0;
  for (uint64_t seed = 0; seed < WorldCount(1500) && !HasFailure(); ++seed) {
    SCOPED_TRACE(absl::StrCat("seed ", seed));
    const ClusterSpec world = RandomTree(seed, {});
    const Snapshot snapshot = MakeCluster(world).Freeze();
    const Tables& tables = TablesOf(snapshot);
    const absl::StatusOr<Plan> plan = Schedule(snapshot, "muster");
    ASSERT_TRUE(plan.ok()) << plan.status();
    const std::vector<Step> steps = StepsFrom(*plan);
    if (steps.empty()) continue;
    // What is deserved is counted anew between rounds: before some of the steps.
    std::vector<Stage> stages;
    Cluster without = MakeCluster(world);
    for (const Step& step : steps) {
      Stage& stage = stages.emplace_back();
      stage.snapshot = without.Freeze();
      stage.deserved = DeservedIn(stage.snapshot);
      for (TaskIndex v : step.victims) {
        ASSERT_TRUE(without.RemoveTask(snapshot.task_name(v)).ok());
      }
    }
    Books books(tables);
    size_t next = 0, round = 0;
    for (const Decision& d : plan->decisions()) {
      if (d.kind == DecisionKind::kEvict && next < steps.size() &&
          d.task == steps[next].victims[0]) {
        const Step& step = steps[next];
        const bool within = books.QueueOf(step.victims[0]) == books.QueueOf(step.beneficiary);
        if (!within) {
          ++reclaimed;
          std::string wrong;
          for (size_t stage = round; stage <= next; ++stage) {
            wrong = WrongStep(tables, books, stages[stage], step);
            if (!wrong.empty()) continue;
            round = stage;
            break;
          }
          EXPECT_EQ(wrong, "") << "eviction of " << plan->task_name(d.task);
        }
        for (TaskIndex v : step.victims) {
          EXPECT_EQ(books.QueueOf(v) == books.QueueOf(step.beneficiary), within);
        }
        ++next;
      }
      if (d.kind == DecisionKind::kEvict) books.Charge(d.task, -1);
      if (d.kind == DecisionKind::kBind || d.kind == DecisionKind::kNominate) {
        books.Charge(d.task, 1);
      }
    }
    EXPECT_EQ(next, steps.size());
  }
  if (WorldCount(1500) >= 1000) EXPECT_GT(reclaimed, 100);
}

TEST(FairEvict, TheNextCycleEvictsNobody) {
  for (uint64_t seed = 0; seed < WorldCount(600); ++seed) {
    for (const bool ended : {false, true}) {
      const std::vector<std::string> violations =
          NextCycleViolations(RandomTree(seed, {}), "muster", ended);
      ASSERT_TRUE(violations.empty()) << "seed " << seed << ": " << violations[0];
    }
  }
}

// The world goes on: evicted tasks wait again, nominated ones start in the next cycle. A task that
// came back may fill a hole elsewhere, and so let its queue give more to those that have less than
// they deserve; but it takes from none, and it comes to an end.
TEST(FairEvict, WhoComesBackEvictsNobodyInTurn) {
  constexpr int kMostCycles = 6;
  int64_t disturbed = 0, again = 0;
  for (uint64_t seed = 0; seed < WorldCount(1500) && !HasFailure(); ++seed) {
    SCOPED_TRACE(absl::StrCat("seed ", seed));
    const ClusterSpec world = RandomTree(seed, {.priorities = false, .gangs = seed % 2 == 0});
    Cluster cluster = MakeCluster(world);
    std::set<std::string> came_back;
    int cycle = 0;
    for (bool quiet = false; !quiet && cycle < kMostCycles; ++cycle) {
      const absl::StatusOr<Plan> plan = cluster.Schedule("muster");
      ASSERT_TRUE(plan.ok()) << plan.status();
      const std::span<const Eviction> evictions = plan->evictions();
      quiet = evictions.empty();
      disturbed += cycle == 0 && !quiet;
      again += cycle == 1 && !quiet;
      ASSERT_TRUE(cluster.Apply(*plan).ok());
      for (const Eviction& d : evictions) {
        const std::string name(plan->task_name(d.task)), taker(plan->task_name(d.beneficiary));
        EXPECT_EQ(came_back.count(taker), 0u)
            << taker << " evicts " << name << " in cycle " << cycle << "\n"
            << AsScenario(world, "muster");
        ASSERT_TRUE(cluster.SetTaskStatus(name, TaskStatus::kPending).ok());
      }
      for (const Eviction& d : evictions) came_back.emplace(plan->task_name(d.task));
    }
    EXPECT_LT(cycle, kMostCycles) << AsScenario(world, "muster");
  }
  if (WorldCount(1500) >= 1000) {
    EXPECT_GT(disturbed, 50);
    EXPECT_LT(again, disturbed / 2);
  }
  RecordProperty("again", std::to_string(again));
}

// --- victims

TaskSpec Running(const char* name, const char* job, int64_t cpu) {
  TaskSpec task{.name = name, .job = job, .status = TaskStatus::kRunning, .node = "n"};
  task.shape.request = {{"cpu", cpu}};
  return task;
}
std::vector<std::string> EvictedFrom(const ClusterSpec& world) {
  const absl::StatusOr<Plan> plan = Schedule(MakeCluster(world).Freeze(), "muster");
  EXPECT_TRUE(plan.ok()) << plan.status();
  std::vector<std::string> names;
  for (const Eviction& d : plan->evictions()) names.emplace_back(plan->task_name(d.task));
  return names;
}

// 8 cpus, of which a and b deserve 4 each. a's own jobs hold 2, its child 6: the child gives,
// although it is older.
TEST(FairEvict, TheOwnJobsOfAnInnerQueueGiveLast) {
  ClusterSpec world;
  world.nodes = {{.name = "n", .capacity = {{"cpu", 8}}}};
  world.queues = {{.name = "default"}, {.name = "a"}, {.name = "b"}, {.name = "c", .parent = "a"}};
  world.jobs = {{.name = "own", .queue = "a", .created = 9},
                {.name = "below", .queue = "c"},
                {.name = "asks", .queue = "b"}};
  for (const char* name : {"own-0", "own-1"}) {
    world.tasks.push_back(Running(name, "own", 1));
    world.tasks.back().created = 9;
  }
  for (const char* name : {"c-0", "c-1", "c-2"}) world.tasks.push_back(Running(name, "below", 2));
  for (const char* name : {"b-0", "b-1"}) {
    world.tasks.push_back(Running(name, "asks", 2));
    world.tasks.back().status = TaskStatus::kPending;
    world.tasks.back().node.clear();
  }
  EXPECT_EQ(EvictedFrom(world), (std::vector<std::string>{"c-2", "c-1"}));
}

// Two small ones come first in line; but one large one is enough.
TEST(FairEvict, OneThatSufficesGoesBeforeSeveral) {
  ClusterSpec world;
  world.nodes = {{.name = "n", .capacity = {{"cpu", 8}}}};
  world.queues = {{.name = "default"}, {.name = "a"}, {.name = "b"}};
  world.jobs = {{.name = "has", .queue = "a"}, {.name = "asks", .queue = "b"}};
  world.tasks = {Running("large", "has", 4), Running("mid", "has", 2), Running("s0", "has", 1),
                 Running("s1", "has", 1), Running("new", "asks", 2)};
  world.tasks[4].status = TaskStatus::kPending;
  world.tasks[4].node.clear();
  for (size_t i = 2; i < 4; ++i) world.tasks[i].created = 9;
  EXPECT_EQ(EvictedFrom(world), std::vector<std::string>{"mid"});
}

// Three small ones come first in line; but a small one and a large one are enough, and fewer.
TEST(FairEvict, TheFewestGoWhereOneDoesNotSuffice) {
  ClusterSpec world;
  world.nodes = {{.name = "n", .capacity = {{"cpu", 8}}}};
  world.queues = {{.name = "default"}, {.name = "a"}, {.name = "b"}};
  world.jobs = {{.name = "has", .queue = "a"}, {.name = "asks", .queue = "b"}};
  world.tasks = {Running("l0", "has", 2), Running("l1", "has", 2), Running("s0", "has", 1),
                 Running("s1", "has", 1), Running("s2", "has", 1), Running("new", "asks", 4)};
  world.tasks[5].status = TaskStatus::kPending;
  world.tasks[5].node.clear();
  for (size_t i = 2; i < 5; ++i) world.tasks[i].created = 9;
  EXPECT_EQ(EvictedFrom(world), (std::vector<std::string>{"s2", "l1"}));
}

// The number counts before the priority, the priority before the age.
TEST(FairEvict, OfEqualNumbersTheLowestAndYoungestGo) {
  ClusterSpec world;
  world.nodes = {{.name = "n", .capacity = {{"cpu", 6}}}};
  world.queues = {{.name = "default"}, {.name = "a"}, {.name = "b", .weight = 2}};
  world.jobs = {{.name = "low", .queue = "a", .priority = 1},
                {.name = "high", .queue = "a", .priority = 2},
                {.name = "asks", .queue = "b"}};
  world.tasks = {Running("old", "low", 1), Running("young", "low", 1), Running("large", "low", 2),
                 Running("other", "high", 2), Running("new", "asks", 4)};
  world.tasks[4].status = TaskStatus::kPending;
  world.tasks[4].node.clear();
  world.tasks[1].created = 9;
  world.tasks[2].created = 5;
  // large and young make 3 of 4; large and other suffice, and so do all three of low. Two are
  // fewer.
  EXPECT_EQ(EvictedFrom(world), (std::vector<std::string>{"large", "other"}));
  // With less to request, two of low suffice, and not the oldest.
  world.tasks[4].shape.request = {{"cpu", 3}};
  EXPECT_EQ(EvictedFrom(world), (std::vector<std::string>{"young", "large"}));
}

// So many cpus of low priority, each of a job of its own or all of one; then two tasks of 10. Their
// queue can spare 20, for which a task requests: those that come first in line use it up, and only
// the two behind them make room.
ClusterSpec SpentByTheFirst(int64_t low, bool alike) {
  ClusterSpec world;
  world.nodes = {{.name = "n", .capacity = {{"cpu", low + 20}}}};
  world.queues = {
      {.name = "default"}, {.name = "a", .weight = low}, {.name = "b", .weight = int64_t{20}}};
  world.jobs = {{.name = "high", .queue = "a", .priority = 1}, {.name = "asks", .queue = "b"}};
  world.tasks = {Running("h0", "high", 10), Running("h1", "high", 10), Running("new", "asks", 20)};
  world.tasks[2].status = TaskStatus::kPending;
  world.tasks[2].node.clear();
  for (int64_t i = 0; i < low; ++i) {
    const std::string job = absl::StrCat("low-", alike ? 0 : i);
    if (!alike || i == 0) world.jobs.push_back({.name = job, .queue = "a"});
    world.tasks.push_back(Running(absl::StrCat("l", i).c_str(), job.c_str(), 1));
  }
  return world;
}

TEST(FairEvict, ThoseBehindGoWhereTheFirstCannotAllBeSpared) {
  const std::vector<std::string> both = {"h0", "h1"}, nobody;
  const auto evicted = [](int64_t low, bool alike) {
    std::vector<std::string> names = EvictedFrom(SpentByTheFirst(low, alike));
    std::sort(names.begin(), names.end());
    return names;
  };
  EXPECT_EQ(evicted(11, /*alike=*/false), both);
  EXPECT_EQ(evicted(14, /*alike=*/true), both);
  // More than 16 could go: there is no search.
  EXPECT_EQ(evicted(15, /*alike=*/true), nobody);
  // More than 10,000 sets would have to be looked at: the cheapest of those is one of the large
  // tasks and ten small ones.
  EXPECT_EQ(evicted(14, /*alike=*/false).size(), 11);
}

struct Price {
  int64_t victims = 0, priority = 0, age = 0;
  NodeIndex node = kNone;
  friend auto operator<=>(const Price&, const Price&) = default;  // NOLINT(modernize-use-nullptr)
};

// Tasks of no gang: all sets on all nodes are tried.
TEST(FairEvict, NobodyCheaperWouldHaveSufficed) {
  int64_t steps_seen = 0, several = 0;
  for (uint64_t seed = 0; seed < WorldCount(1500) && !HasFailure(); ++seed) {
    SCOPED_TRACE(absl::StrCat("seed ", seed));
    const ClusterSpec world = RandomTree(seed, {.gangs = false});
    const Snapshot snapshot = MakeCluster(world).Freeze();
    const Tables& tables = TablesOf(snapshot);
    const absl::StatusOr<Plan> plan = Schedule(snapshot, "muster:actions=reclaim");
    ASSERT_TRUE(plan.ok()) << plan.status();
    const std::vector<Step> steps = StepsFrom(*plan);
    if (steps.empty()) continue;
    // The first step was taken on the books as they are.
    const Step& step = steps[0];
    const Books books(tables);
    const auto wanted = books.RequestOf(step.beneficiary);
    const QueueIndex taker = books.QueueOf(step.beneficiary);
    Stage stage{Cluster(), snapshot, DeservedIn(snapshot)};
    const auto price_of = [&](const std::vector<TaskIndex>& victims, NodeIndex node) {
      Price price{static_cast<int64_t>(victims.size()), std::numeric_limits<int64_t>::min(),
                  std::numeric_limits<int64_t>::min(), node};
      for (TaskIndex v : victims) {
        const int64_t priority = tables.jobs.spec[tables.tasks.job[v]].priority;
        price.priority = std::max(price.priority, priority);
        price.age = std::max(price.age, -tables.tasks.created[v]);
      }
      return price;
    };
    const Price taken = price_of(step.victims, tables.tasks.node[step.victims[0]]);
    ++steps_seen;
    several += taken.victims > 1;
    Price best = taken;
    for (NodeIndex n = 0; n < tables.nodes.alive.size(); ++n) {
      std::vector<TaskIndex> there, candidates;
      Row idle(tables.nodes.allocatable.row(n).begin(), tables.nodes.allocatable.row(n).end());
      for (TaskIndex t = 0; t < tables.tasks.alive.size(); ++t) {
        if (tables.tasks.node[t] != n) continue;
        for (DimensionIndex d = 0; d < idle.size(); ++d) {
          if (d != kPods) idle[d] -= books.RequestOf(t)[d];
        }
        if (books.QueueOf(t) != taker) candidates.push_back(t);
      }
      ASSERT_LE(candidates.size(), 16u);
      for (uint32_t set = 1; set < 1u << candidates.size(); ++set) {
        std::vector<TaskIndex> victims;
        Row free = idle;
        for (size_t i = 0; i < candidates.size(); ++i) {
          if ((set >> i & 1) == 0) continue;
          victims.push_back(candidates[i]);
          for (DimensionIndex d = 0; d < free.size(); ++d)
            free[d] += books.RequestOf(candidates[i])[d];
        }
        if (static_cast<int64_t>(victims.size()) > taken.victims) continue;
        bool fits = true;
        for (DimensionIndex d = 0; d < free.size(); ++d) fits &= d == kPods || wanted[d] <= free[d];
        Books left = books;
        for (TaskIndex v : victims) left.Charge(v, -1);
        for (QueueIndex q = taker; q != kNone; q = books.ParentOf(q)) {
          for (DimensionIndex d = 0; d < free.size(); ++d) {
            const int64_t limit = tables.queues.limit.at(q, d);
            fits &= limit == kAbsent || wanted[d] <= 0 || left.tree(q, d) + wanted[d] <= limit;
          }
        }
        if (!fits) continue;
        const Price price = price_of(victims, n);
        if (price < best && WrongStep(tables, books, stage, {step.beneficiary, victims}).empty()) {
          best = price;
        }
      }
    }
    EXPECT_EQ(best, taken) << plan->task_name(step.beneficiary) << " takes "
                           << plan->task_name(step.victims[0]) << "\n"
                           << AsScenario(world, "muster:actions=reclaim");
  }
  RecordProperty("steps", std::to_string(steps_seen));
  RecordProperty("of_several", std::to_string(several));
  if (WorldCount(1500) >= 1000) EXPECT_GT(several, 50);
  if (WorldCount(1500) >= 1000) EXPECT_GT(steps_seen, 200);
}

}  // namespace
}  // namespace muster::testing
