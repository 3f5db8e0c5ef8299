// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Option `by_loss` of preempt: which victims go, worked out by hand.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "muster/cluster.h"

namespace muster {
namespace {

constexpr int64_t kNow = 1000;

// At time 1000, on nodes of 4 cpus, jobs of priority 0 run and one of priority 5 waits.
class LossWorld {
 public:
  explicit LossWorld(int64_t nodes) {
    NodeSpec node{.name = "n-", .capacity = {{"cpu", 4}}};
    EXPECT_TRUE(cluster_.AddNodes(nodes, node).ok());
  }
  // A task of the job on node n-<node>.
  void Runs(const std::string& job, int64_t node, int64_t cpu, int64_t created, int64_t started,
            std::optional<Lifetime> lifetime = {}, int64_t gang = 1) {
    if (job != last_) {
      JobSpec spec{.name = job, .min_available = gang, .created = created};
      spec.phase = JobPhase::kRunning;
      EXPECT_TRUE(cluster_.AddJob(spec).ok());
      last_ = job;
    }
    TaskSpec task{.name = absl::StrCat(job, "-", tasks_++), .job = job};
    task.shape.request = {{"cpu", cpu}};
    task.status = TaskStatus::kRunning;
    task.node = absl::StrCat("n-", node);
    task.created = created;
    task.started = started;
    if (lifetime) task.lifetime = *lifetime;
    EXPECT_TRUE(cluster_.AddTask(task).ok());
  }
  // Returns the jobs of the victims for a task of so many cpus, in order.
  std::vector<std::string> Victims(int64_t cpu, const std::string& options) {
    EXPECT_TRUE(cluster_.AddJob({.name = "urgent", .priority = 5, .created = 0}).ok());
    TaskSpec task{.name = "urgent-0", .job = "urgent"};
    task.shape.request = {{"cpu", cpu}};
    EXPECT_TRUE(cluster_.AddTask(task).ok());
    ScheduleOptions schedule;
    schedule.now = kNow;
    const absl::StatusOr<Plan> plan =
        cluster_.Schedule(absl::StrCat("muster:actions=allocate+preempt(", options, ")"), schedule);
    EXPECT_TRUE(plan.ok()) << plan.status();
    std::vector<std::string> jobs;
    if (!plan.ok()) return jobs;
    for (const Eviction& eviction : plan->evictions()) {
      const std::string name(plan->task_name(eviction.task));
      jobs.push_back(name.substr(0, name.find('-')));
    }
    return jobs;
  }

 private:
  Cluster cluster_;
  std::string last_;
  int64_t tasks_ = 0;
};

using Jobs = std::vector<std::string>;

TEST(ByLoss, ATaskThatJustStartedLosesLessThanAYoungerOne) {
  for (const bool by_loss : {false, true}) {
    LossWorld world(2);
    world.Runs("old", 0, 4, /*created=*/1, /*started=*/990);
    world.Runs("young", 1, 4, /*created=*/900, /*started=*/910);
    EXPECT_EQ(world.Victims(4, by_loss ? "by_loss=on" : "by_loss=off"),
              Jobs{by_loss ? "old" : "young"});
  }
}

TEST(ByLoss, CheckpointsSaveAndRestartsCost) {
  for (const int64_t restart : {4, 6}) {
    LossWorld world(2);
    world.Runs("fresh", 0, 4, 1, 990);
    world.Runs("saved", 1, 4, 1, 100, Lifetime{.checkpointed = 995, .restart_cost = restart});
    EXPECT_EQ(world.Victims(4, "by_loss=on"), Jobs{restart == 4 ? "saved" : "fresh"});
  }
}

TEST(ByLoss, TheSizeOfTheVictimCounts) {
  for (const int64_t seconds : {50, 150}) {
    LossWorld world(1);
    world.Runs("small", 0, 1, 1, kNow - 100);  // 100 cpu seconds
    world.Runs("large", 0, 2, 1, kNow - seconds / 2);
    world.Runs("other", 0, 1, 1, kNow - 900);
    EXPECT_EQ(world.Victims(1, "by_loss=on"), Jobs{seconds == 50 ? "large" : "small"});
  }
}

// A gang that can spare none goes whole, and loses the work of all its tasks: 8 cpus x 100 s,
// against 4 x `seconds` of two small ones. A single victim goes before two, whatever it loses.
TEST(ByLoss, AGangLosesAsAWhole) {
  for (const int64_t seconds : {150, 250}) {
    for (const bool single : {false, true}) {
      LossWorld world(4);
      world.Runs("gang", 0, 4, 1, kNow - 100, {}, 2);
      world.Runs("gang", 1, 4, 1, kNow - 100);
      world.Runs("pair", 2, 2, 1, kNow - seconds);
      world.Runs("twin", 2, 2, 1, kNow - seconds);
      world.Runs("rest", 3, single ? 4 : 1, 1, 0);
      if (!single) world.Runs("more", 3, 1, 1, 0);
      if (!single) world.Runs("most", 3, 2, 1, 0);
      const Jobs victims = world.Victims(4, "by_loss=on");
      if (single) {
        EXPECT_EQ(victims, Jobs{"rest"});
      } else if (seconds == 150) {
        EXPECT_EQ(victims, (Jobs{"twin", "pair"}));
      } else {
        EXPECT_EQ(victims, (Jobs{"gang", "gang"}));
      }
    }
  }
}

}  // namespace
}  // namespace muster
