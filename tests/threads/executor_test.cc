// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What executor.h promises: answers are equal for every number of threads, a stop ends a call from
// elsewhere, and the caller's policies are asked on the caller's thread. ./test --full and .ci/run
// also build this with ThreadSanitizer.
#include "muster/executor.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "lib/scenario/generate.h"
#include "lib/scenario/scenario.h"
#include "muster/cycle_metrics.h"
#include "muster/forecast.h"
#include "muster/muster.h"
#include "muster/policy.h"

namespace muster {
namespace {

constexpr int64_t kWidths[] = {1, 2, 3, 8, 16};

// A full cluster with gangs, tainted nodes and selectors. Every scenario has more work than room.
Cluster Full(uint64_t seed, int64_t nodes = 6) {
  GenerateOptions options;
  options.nodes = nodes;
  options.seed = seed;
  options.load = 1.5;
  options.gang = 4;
  options.queues = 2;
  options.taints = 0.3;
  options.selectors = 0.3;
  options.occupancy = 0.3;
  const absl::StatusOr<Scenario> scenario = Generate(options);
  EXPECT_TRUE(scenario.ok()) << scenario.status();
  Cluster cluster;
  EXPECT_TRUE(Fill(*scenario, &cluster).ok());
  return cluster;
}

std::string FirstWaiting(const Cluster& cluster, const std::string& profile) {
  const absl::StatusOr<Plan> plan = Schedule(cluster.Freeze(), profile);
  if (!plan.ok() || plan->pending().empty()) return "";
  return std::string(plan->task_name(plan->pending().front().task));
}

// All that a diagnosis has, as text.
std::string WordsOf(const absl::StatusOr<Diagnosis>& diagnosis) {
  if (!diagnosis.ok()) return diagnosis.status().ToString();
  std::string words = std::to_string(diagnosis->waiting) + " " + diagnosis->reason + " after " +
                      std::to_string(diagnosis->trials) + "\n";
  for (const Remedy& remedy : diagnosis->remedies) {
    words += remedy.words + " " + remedy.profile + " " + std::to_string(remedy.starts) + " " +
             std::to_string(remedy.evictions) + " " + std::to_string(remedy.others) + "\n";
  }
  return words;
}

std::string WordsOf(const absl::StatusOr<NodesNeeded>& needed) {
  if (!needed.ok()) return needed.status().ToString();
  std::string words =
      std::to_string(needed->waiting_before) + " " + std::to_string(needed->waiting_after);
  for (const auto* counts : {&needed->alone, &needed->cheapest, &needed->wanted}) {
    words += "\n";
    for (const NodeCount& count : *counts) {
      words += count.type + " " + std::to_string(count.count) + " " +
               std::to_string(count.waiting) + " " + count.waits + ", ";
    }
  }
  return words;
}

TEST(Executor, RemediesAreThoseOfOneThread) {
  for (const char* profile : {"muster", "volcano", "kube-scheduler"}) {
    const Cluster cluster = Full(3);
    const std::string task = FirstWaiting(cluster, profile);
    ASSERT_NE(task, "") << profile;
    // So few trials that some ways end before their last one.
    for (const int64_t trials : {200, 9}) {
      const std::string alone = WordsOf(Diagnose(cluster, profile, task, {.trials = trials}));
      for (const int64_t width : kWidths) {
        const std::unique_ptr<Executor> threads = MakeThreads(width);
        EXPECT_EQ(WordsOf(Diagnose(cluster, profile, task,
                                   {.trials = trials, .executor = threads.get()})),
                  alone)
            << profile << ", " << trials << " trials, " << width << " threads";
      }
    }
  }
}

TEST(Executor, NodesNeededAreThoseOfOneThread) {
  for (const char* profile : {"muster", "volcano", "ray"}) {
    const Cluster cluster = Full(5, 3);
    const std::string alone = WordsOf(NeedNodes(cluster, profile, {}, {.most = 12}));
    for (const int64_t width : kWidths) {
      const std::unique_ptr<Executor> threads = MakeThreads(width);
      EXPECT_EQ(WordsOf(NeedNodes(cluster, profile, {}, {.most = 12, .executor = threads.get()})),
                alone)
          << profile << ", " << width << " threads";
    }
  }
}

TEST(Executor, ABadOfferIsRefusedAsOnOneThread) {
  const Cluster cluster = Full(5);
  const std::vector<NodeOffer> offers = {{.node = {.name = "a", .capacity = {{"cpu", 4}}}},
                                         {.node = {.name = "b", .capacity = {{"cpu", -4}}}},
                                         {.node = {.name = "c", .capacity = {{"cpu", -8}}}}};
  const std::unique_ptr<Executor> threads = MakeThreads(3);
  const std::string alone = WordsOf(NeedNodes(cluster, "muster", offers));
  EXPECT_NE(alone.find("offer[1]"), std::string::npos) << alone;
  EXPECT_EQ(WordsOf(NeedNodes(cluster, "muster", offers, {.executor = threads.get()})), alone);
}

TEST(Executor, RehearsalsAreThoseOfOneThread) {
  const Cluster cluster = Full(7);
  const std::vector<WhatIfChange> more = {
      {.add_nodes = NewNodes{.count = 2, .node = {.name = "big", .capacity = {{"cpu", 64}}}}}};
  const std::vector<WhatIfChange> wrong = {{.remove_job = "no such job"}};
  const std::unique_ptr<Executor> threads = MakeThreads(2);
  for (const ProfileInfo& profile : Profiles()) {
    for (const auto* changes : {&more, &wrong}) {
      const absl::StatusOr<Rehearsal> alone = Rehearse(cluster, profile.name, *changes);
      const absl::StatusOr<Rehearsal> both =
          Rehearse(cluster, profile.name, *changes, {}, threads.get());
      ASSERT_EQ(both.status(), alone.status()) << profile.name;
      if (!alone.ok()) continue;
      EXPECT_EQ(both->before.Digest(), alone->before.Digest()) << profile.name;
      EXPECT_EQ(both->after.Digest(), alone->after.Digest()) << profile.name;
      EXPECT_EQ(both->difference, alone->difference) << profile.name;
    }
  }
}

Trace Past() {
  Trace trace;
  trace.processors = 8;
  for (int64_t i = 0; i < 60; ++i) {
    const TraceJob job = {
        .submit = i * 40, .run = 30 + i % 7 * 50, .estimate = 900, .tasks = 1 + i % 4};
    EXPECT_TRUE(AddJob(job, &trace).ok());
  }
  return trace;
}

TEST(Executor, ForecastsAreThoseOfOneThread) {
  const Trace past = Past();
  Cluster cluster = Full(3, 3);
  // Budgets that all futures keep, that some do, and that the first does not.
  for (const int64_t budget : {100'000, 150, 3}) {
    ForecastOptions options{.now = 3000, .futures = 9, .arrivals = false, .work_budget = budget};
    const absl::StatusOr<ClusterForecast> alone = Forecast(cluster, "volcano", past, options);
    ASSERT_TRUE(alone.ok()) << alone.status();
    for (const int64_t width : kWidths) {
      const std::unique_ptr<Executor> threads = MakeThreads(width);
      options.executor = threads.get();
      const absl::StatusOr<ClusterForecast> both = Forecast(cluster, "volcano", past, options);
      ASSERT_TRUE(both.ok()) << both.status();
      EXPECT_EQ(both->digest(), alone->digest()) << budget << ", " << width;
      EXPECT_EQ(both->events, alone->events) << budget << ", " << width;
      EXPECT_EQ(both->complete, alone->complete) << budget << ", " << width;
    }
  }
}

// The call ends although each of its threads is in the middle of a future.
TEST(Executor, AForecastIsStoppedFromElsewhere) {
  const Trace past = Past();
  const Cluster cluster = Full(3);
  const std::unique_ptr<Executor> threads = MakeThreads(3);
  std::atomic<int> asked = 0;
  ForecastOptions options{.now = 3000, .futures = 10'000, .arrivals = false};
  options.should_stop = [&] { return ++asked > 40; };
  options.executor = threads.get();
  const absl::StatusOr<ClusterForecast> forecast = Forecast(cluster, "muster", past, options);
  ASSERT_TRUE(forecast.ok()) << forecast.status();
  EXPECT_FALSE(forecast->complete);
  EXPECT_LT(asked, 500);
}

// Notes on which threads it is asked.
class Watcher : public Policy, public ScorePolicy {
 public:
  explicit Watcher(std::set<std::thread::id>* seen) : seen_(*seen) {}
  std::string_view name() const override { return "watcher"; }
  PointSet points() const override { return {Point::kScore}; }
  ScorePolicy* score() override { return this; }
  void Open(const Cycle&) override { seen_.insert(std::this_thread::get_id()); }
  Scope ScoreScope(ClassIndex) override { return Scope::kNone; }

 private:
  std::set<std::thread::id>& seen_;
};

TEST(Executor, PoliciesOfTheCallerStayOnItsThread) {
  const Cluster cluster = Full(3);
  std::set<std::thread::id> seen;
  auto extensions = std::make_shared<Extensions>();
  extensions->policies.push_back(
      {"watcher", "notes threads", {}, [&seen](const Options&) -> std::unique_ptr<Policy> {
         return std::make_unique<Watcher>(&seen);
       }});
  const std::unique_ptr<Executor> threads = MakeThreads(4);
  const ScheduleOptions asked{.extensions = extensions};
  ASSERT_TRUE(Diagnose(cluster, "volcano:+watcher", FirstWaiting(cluster, "volcano"),
                       {.schedule = asked, .executor = threads.get()})
                  .ok());
  ASSERT_TRUE(NeedNodes(cluster, "volcano:+watcher", {},
                        {.schedule = asked, .most = 4, .executor = threads.get()})
                  .ok());
  ASSERT_TRUE(Rehearse(cluster, "volcano:+watcher", {}, asked, threads.get()).ok());
  ASSERT_TRUE(Forecast(cluster, "volcano:+watcher", Past(),
                       {.now = 3000,
                        .futures = 9,
                        .arrivals = false,
                        .extensions = extensions,
                        .executor = threads.get()})
                  .ok());
  EXPECT_EQ(seen, std::set<std::thread::id>{std::this_thread::get_id()});
}

// Costs and choices are added up by one thread.
TEST(Executor, MetricsAreThoseOfOneThread) {
  const Cluster cluster = Full(3);
  const std::string task = FirstWaiting(cluster, "volcano");
  class Counted : public Executor {
   public:
    int64_t width() const override { return 4; }
    void Run(int64_t count, const std::function<void(int64_t)>& piece) override {
      ++runs;
      for (int64_t i = 0; i < count; ++i) piece(i);
    }
    int64_t runs = 0;
  } executor;
  CycleMetrics metrics;
  const ScheduleOptions measured{.metrics = &metrics};
  ASSERT_TRUE(
      Diagnose(cluster, "volcano", task, {.schedule = measured, .executor = &executor}).ok());
  ASSERT_TRUE(
      NeedNodes(cluster, "volcano", {}, {.schedule = measured, .most = 4, .executor = &executor})
          .ok());
  ASSERT_TRUE(Rehearse(cluster, "volcano", {}, measured, &executor).ok());
  EXPECT_EQ(executor.runs, 0);
  EXPECT_FALSE(metrics.actions.empty());
  ASSERT_TRUE(Rehearse(cluster, "volcano", {}, {}, &executor).ok());
  EXPECT_EQ(executor.runs, 1);
}

}  // namespace
}  // namespace muster
