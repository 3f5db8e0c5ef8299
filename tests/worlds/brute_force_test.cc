// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// How often profile muster leaves a gang out that could be placed beside everything else of its
// plan: all placements of small worlds are looked at.
//
//   MUSTER_WORLDS=100000 MUSTER_SEED=7 muster_worlds --gtest_filter='BruteForce.*'
//
// A gang of like tasks is never left out. One of unlike tasks may be, when the search for it ran
// out of tries; how often is counted, printed and bounded. The twin must agree with the engine on
// every plan.
#include <algorithm>
#include <cstdint>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "gtest/gtest.h"
#include "lib/base/rng.h"
#include "lib/model/access.h"
#include "lib/model/tables.h"
#include "muster/schedule.h"
#include "tests/support/against_reference.h"
#include "tests/support/random_world.h"
#include "tests/support/world_loop.h"

namespace muster::testing {
namespace {

struct Knobs {
  bool alike = true;
  bool wishes = false;
};

Resources Amounts(int64_t cpu, int64_t memory) { return {{"cpu", cpu}, {"memory", memory}}; }

// 2 to 4 nodes, in 2 racks of one row; 1 to 3 gangs of 2 to 5 tasks in two queues, some of which
// run already.
ClusterSpec SmallWorld(Rng& rng, const Knobs& knobs) {
  ClusterSpec world;
  world.queues = {{.name = "a"}, {.name = "b"}};
  if (knobs.wishes) {
    world.domains = {{.name = "row", .tier = 2},
                     {.name = "rack-0", .parent = "row", .tier = 1},
                     {.name = "rack-1", .parent = "row", .tier = 1}};
  }
  const uint64_t nodes = 2 + rng.Below(3);
  for (uint64_t n = 0; n < nodes; ++n) {
    NodeSpec& node = world.nodes.emplace_back();
    node.name = absl::StrCat("n", n);
    node.capacity =
        Amounts(static_cast<int64_t>(2 + rng.Below(8)), static_cast<int64_t>(2 + rng.Below(8)));
    if (knobs.wishes) node.domain = rng.Below(8) == 0 ? "row" : absl::StrCat("rack-", rng.Below(2));
  }
  std::map<std::string, std::pair<int64_t, int64_t>> held;
  const auto room = [&](const NodeSpec& node, int64_t cpu, int64_t memory) {
    return held[node.name].first + cpu <= std::stoll(node.capacity[0].second.text) &&
           held[node.name].second + memory <= std::stoll(node.capacity[1].second.text);
  };
  const uint64_t gangs = 1 + rng.Below(3);
  for (uint64_t j = 0; j < gangs; ++j) {
    JobSpec& job = world.jobs.emplace_back();
    job.name = absl::StrCat("j", j);
    job.queue = rng.Below(2) == 0 ? "a" : "b";
    const uint64_t size = 2 + rng.Below(4);
    job.min_available = static_cast<int64_t>(rng.Below(4) == 0 ? 1 + rng.Below(size) : size);
    if (knobs.wishes && rng.Below(3) != 0) {
      job.topology = {.hard = rng.Below(4) != 0,
                      .highest_tier = static_cast<int32_t>(1 + rng.Below(2))};
    }
    // At most one of its tasks runs already: a gang that lost the others.
    bool may_run = rng.Below(4) == 0;
    const uint64_t most = j == 0 && rng.Below(3) == 0 ? 8 : 5;
    int64_t cpu = 0, memory = 0;
    for (uint64_t t = 0; t < size; ++t) {
      if (t == 0 || !knobs.alike) {
        cpu = static_cast<int64_t>(1 + rng.Below(most));
        memory = static_cast<int64_t>(1 + rng.Below(most));
      }
      TaskSpec& task = world.tasks.emplace_back();
      task.name = absl::StrCat(job.name, "-", t);
      task.job = job.name;
      task.shape.request = Amounts(cpu, memory);
      const NodeSpec& node = world.nodes[rng.Below(nodes)];
      if (!may_run || !room(node, cpu, memory)) continue;
      may_run = false;
      task.status = TaskStatus::kRunning;
      task.node = node.name;
      held[node.name].first += cpu;
      held[node.name].second += memory;
    }
  }
  return world;
}

// Everything after the plan, and whether what waits of a gang would find places in it.
class After {
 public:
  After(const Tables& tables, const Plan& plan) : t_(tables) {
    for (NodeIndex n = 0; n < t_.nodes.alive.size(); ++n) {
      const auto row = t_.nodes.allocatable.row(n);
      free_.push_back({row[kCpu], row[kMemory]});
    }
    for (TaskIndex task = 0; task < t_.tasks.alive.size(); ++task) {
      place_.push_back(t_.tasks.node[task]);
    }
    for (const Decision& d : plan.decisions()) {
      if (d.kind == DecisionKind::kBind || d.kind == DecisionKind::kNominate)
        place_[d.task] = d.node;
    }
    for (TaskIndex task = 0; task < place_.size(); ++task) {
      if (place_[task] != kNone) Take(task, place_[task], 1);
    }
  }

  int64_t Lacks(JobIndex job) const {
    int64_t placed = 0;
    for (TaskIndex task : t_.jobs.tasks[job]) placed += place_[task] != kNone;
    return std::max<int64_t>(t_.jobs.spec[job].min_available - placed, 0);
  }

  bool CouldBeWhole(JobIndex job) { return Try(job, 0, Lacks(job)); }

  // Whether all places of the job are in a domain that its wish allows.
  bool IsTogether(JobIndex job) const {
    const auto& wish = t_.jobs.spec[job].topology;
    if (!wish || !wish->hard) return true;
    std::vector<NodeIndex> nodes;
    for (TaskIndex task : t_.jobs.tasks[job]) {
      if (place_[task] != kNone) nodes.push_back(place_[task]);
    }
    if (nodes.empty()) return true;
    for (uint32_t d = 0; d < t_.domains.alive.size(); ++d) {
      if (t_.domains.spec[d].tier > *wish->highest_tier) continue;
      if (std::all_of(nodes.begin(), nodes.end(), [&](NodeIndex n) { return IsIn(n, d); }))
        return true;
    }
    return false;
  }

 private:
  bool IsIn(NodeIndex node, uint32_t domain) const {
    for (uint32_t d = t_.nodes.domain[node]; d != kNone; d = t_.domains.parent[d]) {
      if (d == domain) return true;
    }
    return false;
  }

  void Take(TaskIndex task, NodeIndex node, int64_t sign) {
    const auto request = t_.classes.request.row(t_.tasks.task_class[task]);
    free_[node].cpu -= sign * request[kCpu];
    free_[node].memory -= sign * request[kMemory];
  }

  bool Try(JobIndex job, size_t at, int64_t lacks) {
    if (lacks == 0) return IsTogether(job);
    if (at == t_.jobs.tasks[job].size()) return false;
    const TaskIndex task = t_.jobs.tasks[job][at];
    if (place_[task] != kNone) return Try(job, at + 1, lacks);
    for (NodeIndex n = 0; n < free_.size(); ++n) {
      Take(task, n, 1);
      place_[task] = n;
      const bool found = free_[n].cpu >= 0 && free_[n].memory >= 0 && Try(job, at + 1, lacks - 1);
      Take(task, n, -1);
      place_[task] = kNone;
      if (found) return true;
    }
    return Try(job, at + 1, lacks);
  }

  struct Room {
    int64_t cpu, memory;
  };
  const Tables& t_;
  std::vector<Room> free_;
  std::vector<NodeIndex> place_;
};

struct Count {
  int64_t gangs = 0, waiting = 0, missed = 0, apart = 0, differ = 0;
  std::string first;  // the first world with a miss
  std::string Words(const std::string& what) const {
    return absl::StrFormat(
        "%s: %d gangs, %d left waiting, %d of them could be placed (%.4f%% of all)", what, gangs,
        waiting, missed, 100.0 * static_cast<double>(missed) / static_cast<double>(gangs));
  }
};

Count Measure(const Knobs& knobs, const std::string& profile) {
  Count count;
  const uint64_t first = FirstSeed(1), worlds = WorldCount(2000);
  for (uint64_t seed = first; seed < first + worlds; ++seed) {
    Rng rng(seed);
    const ClusterSpec world = SmallWorld(rng, knobs);
    const Snapshot snapshot = MakeCluster(world).Freeze();
    const absl::StatusOr<Plan> plan = Schedule(snapshot, profile);
    if (!plan.ok()) {
      count.first = plan.status().ToString();
      ++count.missed;
      return count;
    }
    // The twin takes its time.
    if (seed % 10 == 0 && !DifferenceFromReference(snapshot, profile).empty()) {
      ++count.differ;
      count.first = ReportDifference(world, profile);
      return count;
    }
    After after(TablesOf(snapshot), *plan);
    for (JobIndex job = 0; job < world.jobs.size(); ++job) {
      ++count.gangs;
      const bool held = std::any_of(world.tasks.begin(), world.tasks.end(), [&](const TaskSpec& t) {
        return t.job == world.jobs[job].name && !t.node.empty();
      });
      if (!after.IsTogether(job) && !held) ++count.apart;
      if (after.Lacks(job) == 0) continue;
      ++count.waiting;
      if (!after.CouldBeWhole(job)) continue;
      ++count.missed;
      if (count.first.empty())
        count.first = absl::StrCat("seed ", seed, "\n", AsScenario(world, profile));
    }
  }
  return count;
}

Count Report(const std::string& what, const Knobs& knobs, const std::string& profile) {
  const Count count = Measure(knobs, profile);
  std::cout << count.Words(what) << "\n";
  EXPECT_EQ(count.apart, 0) << "a hard wish is not kept\n" << count.first;
  EXPECT_EQ(count.differ, 0) << count.first;
  EXPECT_GT(count.waiting, count.gangs / 20) << "dull worlds";
  return count;
}

TEST(BruteForce, LikeTasksAreNeverMissed) {
  for (const bool wishes : {false, true}) {
    for (const std::string profile : {"muster", "muster:allocate(tries=0)"}) {
      const Count count =
          Report(absl::StrCat("like tasks", wishes ? ", wishes" : "", ", ", profile),
                 {.alike = true, .wishes = wishes}, profile);
      EXPECT_EQ(count.missed, 0) << count.first;
    }
  }
}

TEST(BruteForce, UnlikeTasksAreMissedLessTheMoreTries) {
  for (const bool wishes : {false, true}) {
    const Knobs knobs{.alike = false, .wishes = wishes};
    const std::string what = wishes ? "unlike tasks, wishes" : "unlike tasks";
    const Count none = Report(absl::StrCat(what, ", no tries"), knobs,
                              "muster:allocate(tries=0),reclaim(tries=0),preempt(tries=0)");
    const Count few = Report(absl::StrCat(what, ", 20 tries"), knobs,
                             "muster:allocate(tries=20),reclaim(tries=20),preempt(tries=20)");
    const Count usual = Report(absl::StrCat(what, ", 200 tries"), knobs, "muster");
    // One task after another misses some: without them this test would show nothing.
    EXPECT_GT(none.missed, none.gangs / 500);
    EXPECT_LT(few.missed, none.missed);
    EXPECT_LE(usual.missed, usual.gangs / 10000) << usual.first;
  }
}

}  // namespace
}  // namespace muster::testing
