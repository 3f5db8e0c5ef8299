// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The promises of profile muster on random trees of queues, checked from the outside in exact integers:
//   - what queues deserve is the weighted max-min division of what their parent has, at every level, between floors
//     (guaranteed) and ceilings (asked for, at most the limit);
//   - progressive filling serves the smallest dominant share for its weight, the condition of DRF;
//   - every eviction for another queue moves the books towards what is deserved: the giver held more than it deserves,
//     loses nothing it deserves of what is scarce and nothing it is guaranteed, and the taker stays within what it
//     deserves;
//   - who was evicted and comes back evicts nobody in turn;
//   - nobody cheaper would have sufficed, by trying everybody.
// Products are compared in 128 bits: no rounding hides a difference.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "absl/numeric/int128.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "lib/base/rng.h"
#include "lib/model/tables.h"
#include "muster/schedule.h"
#include "tests/support/random_world.h"
#include "tests/support/validator.h"

namespace muster::testing {
namespace {

using absl::int128;
using Row = std::vector<int64_t>;

uint64_t WorldCount(uint64_t otherwise) {
  const char* text = std::getenv("MUSTER_WORLDS");
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

struct TreeKnobs {
  bool priorities = true, gangs = true, bounds = true;  // bounds: guaranteed, limits, weight 0
  bool full = true;    // much runs already, some of it beyond what its queue deserves
  bool alike = false;  // tasks of one cpu on one node
};

ClusterSpec RandomTree(uint64_t seed, const TreeKnobs& knobs) {
  Rng rng(seed);
  const auto below = [&rng](uint64_t n) { return static_cast<int64_t>(rng.Below(n)); };
  ClusterSpec world;
  const int64_t nodes = knobs.alike ? 1 : 1 + below(3);
  std::vector<Row> idle;
  for (int64_t n = 0; n < nodes; ++n) {
    const Row has = {knobs.alike ? 8 + below(24) : 3 + below(8), 4 + below(12), below(3)};
    idle.push_back(has);
    world.nodes.push_back({.name = absl::StrCat("n", n),
                           .capacity = {{"cpu", has[0]}, {"memory", has[1]}, {"gpu", has[2]}}});
  }
  world.queues.push_back({.name = "default"});
  const int64_t queues = 2 + below(6);
  for (int64_t q = 0; q < queues; ++q) {
    QueueSpec queue{.name = absl::StrCat("q", q)};
    if (q > 0 && rng.Below(2) == 0) queue.parent = absl::StrCat("q", below(q));
    queue.weight = 1 + below(4);
    if (knobs.bounds && rng.Below(12) == 0) queue.weight = 0;
    if (knobs.bounds && rng.Below(4) == 0) queue.guaranteed = Resources{{"cpu", below(4)}};
    if (knobs.bounds && rng.Below(6) == 0) queue.limit = Resources{{"cpu", 2 + below(8)}};
    world.queues.push_back(queue);
  }
  const int64_t jobs = 2 + below(8);
  for (int64_t j = 0; j < jobs; ++j) {
    JobSpec job{.name = absl::StrCat("j", j), .queue = absl::StrCat("q", below(queues))};
    job.created = below(5);
    if (knobs.priorities) job.priority = static_cast<int32_t>(below(3));
    const int64_t tasks = 1 + below(6);
    if (knobs.gangs && rng.Below(3) == 0) job.min_available = 1 + below(tasks);
    world.jobs.push_back(job);
    const Row wants = knobs.alike ? Row{1, below(2), 0} : Row{1 + below(4), below(4), below(8) / 7};
    const bool ran = knobs.full && rng.Below(3) != 0;
    for (int64_t t = 0; t < tasks; ++t) {
      TaskSpec& task = world.tasks.emplace_back();
      task.name = absl::StrCat("t", j, "-", t);
      task.job = job.name;
      task.created = below(5);
      task.shape.request = {{"cpu", wants[0]}, {"memory", wants[1]}, {"gpu", wants[2]}};
      for (int64_t n = 0; n < nodes && ran; ++n) {
        if (wants[0] > idle[n][0] || wants[1] > idle[n][1] || wants[2] > idle[n][2]) continue;
        for (size_t d = 0; d < 3; ++d) idle[n][d] -= wants[d];
        task.status = TaskStatus::kRunning;
        task.node = absl::StrCat("n", n);
        break;
      }
    }
  }
  return world;
}

// The accounts of queues, counted from the tables alone.
class Books {
 public:
  explicit Books(const Tables& tables) : tables_(tables), dims_(tables.dimension_count()) {
    const size_t queues = tables.queues.alive.size();
    own_.assign(queues, Row(dims_, 0));
    tree_ = pending_ = own_;
    for (TaskIndex t = 0; t < tables.tasks.alive.size(); ++t) {
      if (!tables.tasks.alive[t] || tables.tasks.job[t] == kNone) continue;
      if (IsAllocated(tables.tasks.status[t])) Charge(t, 1);
      if (tables.tasks.status[t] == TaskStatus::kPending) Add(pending_[QueueOf(t)], t, 1);
    }
  }
  QueueIndex QueueOf(TaskIndex t) const { return tables_.jobs.queue[tables_.tasks.job[t]]; }
  QueueIndex ParentOf(QueueIndex q) const { return tables_.queues.parent[q]; }
  std::span<const int64_t> RequestOf(TaskIndex t) const {
    return tables_.classes.request.row(tables_.tasks.task_class[t]);
  }
  void Charge(TaskIndex t, int64_t sign) {
    Add(own_[QueueOf(t)], t, sign);
    for (QueueIndex q = QueueOf(t); q != kNone; q = ParentOf(q)) Add(tree_[q], t, sign);
  }
  int64_t own(QueueIndex q, size_t d) const { return own_[q][d]; }
  int64_t tree(QueueIndex q, size_t d) const { return tree_[q][d]; }
  int64_t OwnDemand(QueueIndex q, size_t d) const { return own_[q][d] + pending_[q][d]; }
  int64_t Demand(QueueIndex q, size_t d) const {
    int64_t sum = OwnDemand(q, d);
    for (QueueIndex child : tables_.queues.children[q]) sum += Demand(child, d);
    const int64_t limit = tables_.queues.limit.at(q, d);
    return limit == kAbsent ? sum : std::min(sum, limit);
  }
  int64_t Floor(QueueIndex q, size_t d) const {
    int64_t sum = 0;
    for (QueueIndex child : tables_.queues.children[q]) sum += Floor(child, d);
    return std::min(std::max(sum, OrZero(tables_.queues.guaranteed.at(q, d))), Demand(q, d));
  }
  int64_t Total(size_t d) const {
    int64_t sum = 0;
    for (NodeIndex n = 0; n < tables_.nodes.alive.size(); ++n) {
      if (tables_.nodes.alive[n]) sum += OrZero(tables_.nodes.allocatable.at(n, d));
    }
    return sum;
  }

 private:
  void Add(Row& row, TaskIndex t, int64_t sign) const {
    for (size_t d = 0; d < dims_; ++d) row[d] += sign * RequestOf(t)[d];
  }
  const Tables& tables_;
  const size_t dims_;
  std::vector<Row> own_, tree_, pending_;
};

// Per queue and dimension, as the profile says without deciding anything.
std::vector<Row> DeservedIn(const Snapshot& snapshot) {
  ScheduleOptions options;
  options.work_budget = 0;
  const absl::StatusOr<Plan> plan = Schedule(snapshot, "muster", options);
  EXPECT_TRUE(plan.ok()) << plan.status();
  std::vector<Row> deserved(snapshot.queue_count());
  for (const QueueShare& share : plan->shares()) {
    for (double amount : share.deserved) {
      deserved[share.queue].push_back(static_cast<int64_t>(amount));
    }
  }
  return deserved;
}

// What is handed out among the children of `parent` (kNone: among the roots) in one dimension.
int64_t ToDivide(const Books& books, const std::vector<Row>& deserved, QueueIndex parent,
                 size_t d) {
  if (parent == kNone) return books.Total(d);
  return std::max<int64_t>(deserved[parent][d] - books.OwnDemand(parent, d), 0);
}

std::vector<QueueIndex> ChildrenOf(const Tables& tables, QueueIndex parent) {
  if (parent != kNone) return tables.queues.children[parent];
  std::vector<QueueIndex> roots;
  for (QueueIndex q = 0; q < tables.queues.alive.size(); ++q) {
    if (tables.queues.alive[q] && tables.queues.parent[q] == kNone) roots.push_back(q);
  }
  return roots;
}

void ExpectMaxMin(const Tables& tables, const Books& books, const std::vector<Row>& deserved,
                  QueueIndex parent, size_t d) {
  const std::vector<QueueIndex> family = ChildrenOf(tables, parent);
  const int64_t total = ToDivide(books, deserved, parent, d);
  int128 given = 0, asked = 0, floors = 0;
  for (QueueIndex q : family) {
    given += deserved[q][d];
    asked += books.Demand(q, d);
    floors += books.Floor(q, d);
  }
  const bool promises_fit = floors <= total;
  EXPECT_LE(given, std::min<int128>(asked, total));
  // Amounts are rounded down: less than one unit for each is left.
  EXPECT_GT(given + static_cast<int64_t>(family.size()), std::min<int128>(asked, total));
  for (QueueIndex q : family) {
    const int64_t x = deserved[q][d], floor = books.Floor(q, d), ceiling = books.Demand(q, d);
    EXPECT_GE(x, 0);
    EXPECT_LE(x, promises_fit ? ceiling : floor);
    if (promises_fit) EXPECT_GE(x, floor);
    // Who could use more has no less for his weight than anybody who has more than he was promised.
    const int64_t most = promises_fit ? ceiling : floor;
    if (x >= most) continue;
    for (QueueIndex other : family) {
      const int64_t y = deserved[other][d], v = tables.queues.spec[q].weight,
                    w = tables.queues.spec[other].weight;
      const int64_t least = promises_fit || w == 0 ? books.Floor(other, d) : 0;
      if (other == q || y <= least) continue;
      if (v == 0) {
        // Without weight it comes after all others, and equal among its like.
        if (w == 0) EXPECT_LE(y, x + 1);
        continue;
      }
      if (w == 0) {
        // It has what rounding left over, at most.
        EXPECT_LT(y - least, static_cast<int64_t>(family.size()));
        continue;
      }
      EXPECT_LE(int128(y) * v, (int128(x) + 1) * w)
          << tables.queues.names.name(q) << " against " << tables.queues.names.name(other);
    }
  }
}

TEST(FairTree, DeservedIsMaxMinAtEveryLevel) {
  for (uint64_t seed = 0; seed < WorldCount(1500) && !HasFailure(); ++seed) {
    SCOPED_TRACE(absl::StrCat("seed ", seed));
    const Snapshot snapshot = MakeCluster(RandomTree(seed, {})).Freeze();
    const Tables& tables = snapshot.tables();
    const Books books(tables);
    const std::vector<Row> deserved = DeservedIn(snapshot);
    for (size_t d = 0; d < tables.dimension_count(); ++d) {
      ExpectMaxMin(tables, books, deserved, kNone, d);
      for (QueueIndex q = 0; q < tables.queues.alive.size(); ++q) {
        if (!tables.queues.children[q].empty()) ExpectMaxMin(tables, books, deserved, q, d);
      }
    }
  }
}

// Dominant share over weight as a fraction: of the dimension in which it is largest.
std::pair<int128, int128> DominantOf(const Tables& tables, const Books& books, QueueIndex q) {
  std::pair<int128, int128> largest{0, 1};
  for (size_t d = 0; d < tables.dimension_count(); ++d) {
    if (d == kPods || books.Total(d) <= 0) continue;
    const std::pair<int128, int128> share{books.tree(q, d),
                                          int128(books.Total(d)) * tables.queues.spec[q].weight};
    if (share.first * largest.second > largest.first * share.second) largest = share;
  }
  return largest;
}

// Tasks of one cpu on one node, no gangs, no bounds: each place goes to a queue of the smallest dominant share for its
// weight among siblings that want more, at every level.
TEST(FairTree, FillingServesTheSmallestDominantShare) {
  int64_t served = 0;
  for (uint64_t seed = 0; seed < WorldCount(1500) && !HasFailure(); ++seed) {
    SCOPED_TRACE(absl::StrCat("seed ", seed));
    const TreeKnobs knobs{.gangs = false, .bounds = false, .full = seed % 2 == 0, .alike = true};
    const Snapshot snapshot = MakeCluster(RandomTree(seed, knobs)).Freeze();
    const Tables& tables = snapshot.tables();
    const absl::StatusOr<Plan> plan = Schedule(snapshot, "muster:actions=allocate");
    ASSERT_TRUE(plan.ok()) << plan.status();
    Books books(tables);
    // Per queue how many tasks there and below it find places from here on: those want more.
    std::vector<int64_t> wants(tables.queues.alive.size(), 0);
    const auto count = [&](TaskIndex t, int64_t sign) {
      for (QueueIndex q = books.QueueOf(t); q != kNone; q = books.ParentOf(q)) wants[q] += sign;
    };
    for (const Decision& bind : plan->binds()) count(bind.task, 1);
    for (const Decision& bind : plan->binds()) {
      for (QueueIndex q = books.QueueOf(bind.task); q != kNone; q = books.ParentOf(q)) {
        const auto mine = DominantOf(tables, books, q);
        for (QueueIndex other : ChildrenOf(tables, books.ParentOf(q))) {
          if (other == q || wants[other] == 0) continue;
          const auto theirs = DominantOf(tables, books, other);
          EXPECT_LE(mine.first * theirs.second, theirs.first * mine.second)
              << tables.queues.names.name(q) << " before " << tables.queues.names.name(other);
        }
      }
      books.Charge(bind.task, 1);
      count(bind.task, -1);
      ++served;
    }
  }
  if (WorldCount(1500) >= 1000) EXPECT_GT(served, 1000);
}

// --- evictions

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
  const Tables& then = stage.snapshot.tables();
  const Books counted(then);
  const auto wanted = now.RequestOf(step.beneficiary);
  const QueueIndex taker = now.QueueOf(step.beneficiary);
  const auto deserved = [&](QueueIndex q, size_t d) { return stage.deserved[q][d]; };
  Books after = now;
  for (TaskIndex v : step.victims) after.Charge(v, -1);
  for (size_t d = 0; d < tables.dimension_count(); ++d) {
    if (d == kPods || wanted[d] <= 0) continue;
    if (now.own(taker, d) + wanted[d] > deserved(taker, d)) return "the taker has enough";
  }
  for (TaskIndex v : step.victims) {
    const Ways ways = WaysOf(now, now.QueueOf(v), taker);
    if (ways.giver.empty()) return "the giver is above the taker";
    const QueueIndex top = ways.giver.back(), giver = ways.giver.front();
    bool was_above = false;
    for (size_t d = 0; d < tables.dimension_count(); ++d) {
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
      // An inner queue's own jobs come before its children: they keep what they ask for as far as it is deserved.
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
        int128 asked = 0;
        for (QueueIndex s : ChildrenOf(then, then.queues.parent[q])) asked += counted.Demand(s, d);
        const bool scarce = asked > ToDivide(counted, stage.deserved, then.queues.parent[q], d);
        if (scarce && after.tree(q, d) < deserved(q, d)) return "below what it deserves";
      }
    }
    if (!was_above) return "the giver held no more than it deserves";
  }
  return "";
}

std::vector<Step> StepsFrom(const Plan& plan) {
  std::vector<Step> steps;
  for (const Decision& d : plan.evictions()) {
    if (steps.empty() || steps.back().beneficiary != d.beneficiary) {
      steps.push_back({d.beneficiary, {}});
    }
    steps.back().victims.push_back(d.task);
  }
  return steps;
}

TEST(FairTree, EveryEvictionMovesTowardsWhatIsDeserved) {
  int64_t reclaimed = 0;
  for (uint64_t seed = 0; seed < WorldCount(1500) && !HasFailure(); ++seed) {
    SCOPED_TRACE(absl::StrCat("seed ", seed));
    const ClusterSpec world = RandomTree(seed, {});
    const Snapshot snapshot = MakeCluster(world).Freeze();
    const Tables& tables = snapshot.tables();
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

TEST(FairTree, TheNextCycleEvictsNobody) {
  for (uint64_t seed = 0; seed < WorldCount(600); ++seed) {
    for (const bool ended : {false, true}) {
      const std::vector<std::string> violations =
          NextCycleViolations(RandomTree(seed, {}), "muster", ended);
      ASSERT_TRUE(violations.empty()) << "seed " << seed << ": " << violations[0];
    }
  }
}

// The world goes on: who was evicted waits again, who was nominated starts in the next cycle. Who came back may fill a
// hole elsewhere, and so let his queue give more to those who have less than they deserve; but he takes from nobody, and
// it comes to an end.
TEST(FairTree, WhoComesBackEvictsNobodyInTurn) {
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
      const std::vector<Decision> evictions = plan->evictions();
      quiet = evictions.empty();
      disturbed += cycle == 0 && !quiet;
      again += cycle == 1 && !quiet;
      ASSERT_TRUE(cluster.Apply(*plan).ok());
      for (const Decision& d : evictions) {
        const std::string name(plan->task_name(d.task)), taker(plan->task_name(d.beneficiary));
        EXPECT_EQ(came_back.count(taker), 0u)
            << taker << " evicts " << name << " in cycle " << cycle << "\n"
            << AsScenario(world, "muster");
        ASSERT_TRUE(cluster.SetTaskStatus(name, TaskStatus::kPending).ok());
      }
      for (const Decision& d : evictions) came_back.emplace(plan->task_name(d.task));
    }
    EXPECT_LT(cycle, kMostCycles) << AsScenario(world, "muster");
  }
  if (WorldCount(1500) >= 1000) {
    EXPECT_GT(disturbed, 50);
    EXPECT_LT(again, disturbed / 2);
  }
  RecordProperty("again", std::to_string(again));
}

// --- who goes

TaskSpec Running(const char* name, const char* job, int64_t cpu) {
  TaskSpec task{.name = name, .job = job, .status = TaskStatus::kRunning, .node = "n"};
  task.shape.request = {{"cpu", cpu}};
  return task;
}
std::vector<std::string> EvictedFrom(const ClusterSpec& world) {
  const absl::StatusOr<Plan> plan = Schedule(MakeCluster(world).Freeze(), "muster");
  EXPECT_TRUE(plan.ok()) << plan.status();
  std::vector<std::string> names;
  for (const Decision& d : plan->evictions()) names.emplace_back(plan->task_name(d.task));
  return names;
}

// 8 cpus, of which a and b deserve 4 each. a's own jobs hold 2, its child 6: the child gives, although it is older.
TEST(FairTree, TheOwnJobsOfAnInnerQueueGiveLast) {
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
TEST(FairTree, OneThatSufficesGoesBeforeSeveral) {
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

struct Price {
  int64_t victims = 0, priority = 0, age = 0;
  NodeIndex node = kNone;
  friend auto operator<=>(const Price&, const Price&) = default;  // NOLINT(modernize-use-nullptr)
};

// Tasks that are nobody's gang: all sets on all nodes are tried. Where one task suffices it is the cheapest of all.
TEST(FairTree, NobodyCheaperWouldHaveSufficed) {
  int64_t steps_seen = 0, several = 0, fewer = 0;
  for (uint64_t seed = 0; seed < WorldCount(1500) && !HasFailure(); ++seed) {
    SCOPED_TRACE(absl::StrCat("seed ", seed));
    const ClusterSpec world = RandomTree(seed, {.gangs = false});
    const Snapshot snapshot = MakeCluster(world).Freeze();
    const Tables& tables = snapshot.tables();
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
        for (size_t d = 0; d < idle.size(); ++d) {
          if (d != kPods) idle[d] -= books.RequestOf(t)[d];
        }
        if (books.QueueOf(t) != taker) candidates.push_back(t);
      }
      ASSERT_LT(candidates.size(), 20u);
      for (uint32_t set = 1; set < 1u << candidates.size(); ++set) {
        std::vector<TaskIndex> victims;
        Row free = idle;
        for (size_t i = 0; i < candidates.size(); ++i) {
          if ((set >> i & 1) == 0) continue;
          victims.push_back(candidates[i]);
          for (size_t d = 0; d < free.size(); ++d) free[d] += books.RequestOf(candidates[i])[d];
        }
        if (static_cast<int64_t>(victims.size()) > taken.victims) continue;
        bool fits = true;
        for (size_t d = 0; d < free.size(); ++d) fits &= d == kPods || wanted[d] <= free[d];
        Books left = books;
        for (TaskIndex v : victims) left.Charge(v, -1);
        for (QueueIndex q = taker; q != kNone; q = books.ParentOf(q)) {
          for (size_t d = 0; d < free.size(); ++d) {
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
    fewer += best.victims < taken.victims;
    if (taken.victims == 1 || best.victims == 1) {
      EXPECT_EQ(best, taken) << plan->task_name(step.beneficiary) << " takes "
                             << plan->task_name(step.victims[0]) << "\n"
                             << AsScenario(world, "muster:actions=reclaim");
    }
  }
  RecordProperty("steps", std::to_string(steps_seen));
  RecordProperty("of_several", std::to_string(several));
  RecordProperty("fewer_would_do", std::to_string(fewer));
  // Where one does not suffice, as good as always no fewer would.
  EXPECT_LE(20 * fewer, several);
  if (WorldCount(1500) >= 1000) EXPECT_GT(steps_seen, 200);
}

}  // namespace
}  // namespace muster::testing
