// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Which jobs could pay for what they would evict: small clusters worked out by hand, and random
// ones against a search through all sets of victims.
#include "lib/peer/muster/fair_exchange.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "lib/part/attempt.h"
#include "tests/part/loop.h"

namespace muster::testing {
namespace {

// A cycle at time 0 on nodes of 4 cpus. Tasks of queue "rich" run, jobs of queue "poor" wait.
class ExchangeWorld {
 public:
  void Node() {
    nodes_.push_back({.name = absl::StrCat("n", nodes_.size()), .capacity = {{"cpu", 4}}});
  }
  // A task that has run on the node for so many seconds.
  void Runs(const std::string& name, int64_t node, int64_t cpu, int64_t seconds,
            std::optional<Lifetime> lifetime = {}, JobSpec job = {}) {
    job.name = name;
    if (job.queue == "default") job.queue = "rich";
    jobs_.push_back(job);
    TaskSpec task{.name = name, .job = name, .shape = {.request = {{"cpu", cpu}}}};
    task.status = TaskStatus::kRunning;
    task.node = absl::StrCat("n", node);
    task.started = -seconds;
    if (lifetime) task.lifetime = *lifetime;
    tasks_.push_back(task);
  }
  // A job that has waited for so many seconds.
  void Waits(const std::string& name, int64_t tasks, int64_t cpu, int64_t seconds,
             JobSpec job = {}) {
    job.name = name;
    if (job.queue == "default") job.queue = "poor";
    job.created = -seconds;
    jobs_.push_back(job);
    for (int64_t i = 0; i < tasks; ++i) {
      tasks_.push_back(
          {.name = absl::StrCat(name, "-", i), .job = name, .shape = {.request = {{"cpu", cpu}}}});
    }
  }
  Loop& Made() {
    loop_.emplace("muster", [this](Cluster& cluster) {
      for (const char* queue : {"rich", "poor"}) {
        ASSERT_TRUE(cluster.AddQueue({.name = queue}).ok());
      }
      for (const NodeSpec& node : nodes_) ASSERT_TRUE(cluster.AddNode(node).ok());
      for (const JobSpec& job : jobs_) ASSERT_TRUE(cluster.AddJob(job).ok());
      for (const TaskSpec& task : tasks_) ASSERT_TRUE(cluster.AddTask(task).ok());
    });
    return *loop_;
  }
  bool CouldPay(const std::string& job, double exchange, Taking taking = Taking::kFromOtherQueues) {
    Loop& loop = Made();
    return FairExchange(loop.context(), taking, {exchange}).CouldPay(loop.job(job));
  }

 private:
  std::vector<NodeSpec> nodes_;
  std::vector<JobSpec> jobs_;
  std::vector<TaskSpec> tasks_;
  std::optional<Loop> loop_;
};

// Of 8 cpus the victim loses 4 x 100 = 50 cluster seconds, and half of what 4 cpus have waited for
// in 200 seconds is as much.
TEST(FairExchange, WaitsForTheWorthOfItsVictim) {
  for (const int64_t seconds : {199, 200}) {
    ExchangeWorld world;
    world.Node();
    world.Node();
    world.Runs("a", 0, 4, 100);
    world.Runs("b", 1, 4, 1000);
    world.Waits("j", 1, 4, seconds);
    EXPECT_EQ(world.CouldPay("j", 0.5), seconds == 200);
    Loop& loop = world.Made();
    const std::vector<TaskIndex> takers = {loop.task("j-0")}, victims = {loop.task("a")};
    EXPECT_EQ(FairExchange(loop.context(), Taking::kFromOtherQueues, {0.5}).Pays(takers, victims),
              seconds == 200);
  }
}

TEST(FairExchange, NothingIsTooDearWithoutARate) {
  ExchangeWorld world;
  world.Node();
  world.Runs("a", 0, 4, 100);
  world.Waits("j", 1, 4, 1);
  EXPECT_FALSE(world.CouldPay("j", 0.02));
  EXPECT_TRUE(world.CouldPay("j", 0));
}

// All that wait of a gang add up: two tasks have waited for what one waits for in twice the time.
TEST(FairExchange, TasksOfAJobWaitTogether) {
  ExchangeWorld world;
  world.Node();
  world.Node();
  world.Runs("a", 0, 4, 100);
  world.Runs("b", 1, 4, 1000);
  world.Waits("one", 1, 4, 100);
  world.Waits("two", 2, 4, 100);
  EXPECT_FALSE(world.CouldPay("one", 0.5));
  EXPECT_TRUE(world.CouldPay("two", 0.5));
}

// What has been saved is not lost, and a restart is.
TEST(FairExchange, CheckpointsAndRestartsCount) {
  ExchangeWorld world;
  world.Node();
  world.Node();
  world.Runs("a", 0, 4, 100, Lifetime{.checkpointed = -40, .restart_cost = 10});
  world.Runs("b", 1, 4, 1000);
  world.Waits("early", 1, 4, 99);
  world.Waits("late", 1, 4, 100);
  EXPECT_FALSE(world.CouldPay("early", 0.5));
  EXPECT_TRUE(world.CouldPay("late", 0.5));
}

// The cheap task leaves 1 cpu, beside which the dear one stays.
TEST(FairExchange, CheapVictimsMakeRoomForSmallTasks) {
  ExchangeWorld world;
  world.Node();
  world.Runs("cheap", 0, 1, 1);
  world.Runs("dear", 0, 3, 1000);
  world.Waits("large", 1, 2, 100);
  world.Waits("small", 1, 1, 100);
  EXPECT_FALSE(world.CouldPay("large", 0.5));
  EXPECT_TRUE(world.CouldPay("small", 0.5));
}

TEST(FairExchange, WhatIsIdleBesideACheapVictimCounts) {
  ExchangeWorld world;
  world.Node();
  world.Node();
  world.Runs("cheap", 0, 1, 1);
  world.Runs("dear", 1, 3, 1000);
  world.Waits("j", 1, 4, 100);
  EXPECT_TRUE(world.CouldPay("j", 0.5));
}

// reclaim takes nothing of the job's own queue, and preempt nothing of another, nor of jobs that
// are as important.
TEST(FairExchange, OnlyWhatMayBeTakenCounts) {
  ExchangeWorld world;
  world.Node();
  world.Node();
  world.Node();
  world.Runs("lesser", 0, 4, 1, {}, {.queue = "poor", .priority = 1});
  world.Runs("equal", 1, 4, 1, {}, {.queue = "poor", .priority = 2});
  world.Runs("dear", 2, 4, 1000);
  world.Waits("one", 1, 4, 100, {.priority = 1});
  world.Waits("two", 1, 4, 100, {.priority = 2});
  EXPECT_FALSE(world.CouldPay("one", 0.5, Taking::kFromOtherQueues));
  EXPECT_FALSE(world.CouldPay("two", 0.5, Taking::kFromOtherQueues));
  EXPECT_FALSE(world.CouldPay("one", 0.5, Taking::kFromLesserJobs));
  EXPECT_TRUE(world.CouldPay("two", 0.5, Taking::kFromLesserJobs));
}

// What was found out on other books does not stay.
TEST(FairExchange, LooksAgainWhenTheBooksChange) {
  ExchangeWorld world;
  world.Node();
  world.Node();
  world.Runs("cheap", 0, 4, 1);
  world.Runs("dear", 1, 4, 1000);
  world.Waits("j", 1, 4, 100);
  Loop& loop = world.Made();
  FairExchange exchange(loop.context(), Taking::kFromOtherQueues, {0.5});
  EXPECT_TRUE(exchange.CouldPay(loop.job("j")));
  loop.context().ledger.Move(loop.task("cheap"), TaskStatus::kSucceeded, loop.node("n0"));
  EXPECT_FALSE(exchange.CouldPay(loop.job("j")));
}

// Returns whether some victims on one node make room for some task of the job, and what all its
// tasks have waited for pays for them: no turn that pays has less.
bool SomeSetPays(Loop& loop, JobIndex job, Taking taking, double exchange) {
  ActionContext& context = loop.context();
  const Tables& tables = loop.tables();
  const FairExchange rate(context, taking, {exchange});
  const std::vector<TaskIndex>& waiting = tables.jobs.tasks[job];
  const auto may_go = [&](TaskIndex t) {
    const JobSpec &asker = tables.jobs.spec[job], &other = tables.jobs.spec[tables.tasks.job[t]];
    if (!(tables.tasks.flags[t] & kTaskPreemptable)) return false;
    if (taking == Taking::kFromOtherQueues) return asker.queue != other.queue;
    return asker.queue == other.queue && other.priority < asker.priority;
  };
  for (NodeIndex n = 0; n < tables.nodes.alive.size(); ++n) {
    std::vector<TaskIndex> may;
    for (const TaskIndex t : context.ledger.tasks_on(n)) {
      if (context.ledger.status(t) == TaskStatus::kRunning && may_go(t)) may.push_back(t);
    }
    for (uint32_t set = 1; set < uint32_t{1} << may.size(); ++set) {
      std::vector<TaskIndex> victims;
      for (size_t i = 0; i < may.size(); ++i) {
        if (set >> i & 1) victims.push_back(may[i]);
      }
      if (!rate.Pays(waiting, victims)) continue;
      Attempt attempt(context);
      for (const TaskIndex t : victims) context.ledger.Move(t, TaskStatus::kReleasing, n);
      for (const TaskIndex t : waiting) {
        if (context.search.FitsFutureIdle(context.ClassOf(t), n)) return true;
      }
    }
  }
  return false;
}

TEST(FairExchange, RefusesNoJobThatSomeVictimsPayFor) {
  int64_t paying = 0, refused = 0, dear = 0;
  for (uint64_t seed = 0; seed < 400 && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(absl::StrCat("seed ", seed));
    std::mt19937_64 random(seed);
    const auto draw = [&](int64_t most) { return static_cast<int64_t>(random() % (most + 1)); };
    ExchangeWorld world;
    const int64_t nodes = 1 + draw(3), jobs = 1 + draw(7);
    for (int64_t n = 0; n < nodes; ++n) {
      world.Node();
      for (int64_t left = 4 - draw(1), i = 0; left > 0; ++i) {
        const int64_t cpu = std::min(left, 1 + draw(2));
        JobSpec job{.queue = draw(1) != 0 ? "poor" : "rich",
                    .priority = static_cast<int32_t>(draw(2))};
        std::optional<Lifetime> lifetime;
        if (draw(3) == 0) lifetime = Lifetime{.checkpointed = -draw(50), .restart_cost = draw(20)};
        world.Runs(absl::StrCat("r", n, "-", i), n, cpu, draw(200), lifetime, job);
        left -= cpu;
      }
    }
    for (int64_t j = 0; j < jobs; ++j) {
      world.Waits(
          absl::StrCat("j", j), 1 + draw(2), 1 + draw(3), draw(300),
          {.queue = draw(1) != 0 ? "poor" : "rich", .priority = static_cast<int32_t>(draw(2))});
    }
    const double exchange = draw(1) != 0 ? 0.5 : 0.1;
    for (const Taking taking : {Taking::kFromOtherQueues, Taking::kFromLesserJobs}) {
      Loop& loop = world.Made();
      FairExchange fair(loop.context(), taking, {exchange});
      for (int64_t j = 0; j < jobs; ++j) {
        const JobIndex job = loop.job(absl::StrCat("j", j));
        const bool could = fair.CouldPay(job), pays = SomeSetPays(loop, job, taking, exchange);
        EXPECT_TRUE(could || !pays) << "job " << j << ", taking " << static_cast<int>(taking);
        paying += pays;
        refused += !could;
        dear += could && !pays;
      }
    }
  }
  EXPECT_GT(paying, 500);
  EXPECT_GT(refused, 500);
  EXPECT_LT(dear, refused);  // the bound is of use
}

}  // namespace
}  // namespace muster::testing
