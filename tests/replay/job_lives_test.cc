// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What the tables say of a job that moves, or goes on after a stop: its start, and its estimate.
#include "lib/replay/job_lives.h"

#include <optional>
#include <vector>

#include "gtest/gtest.h"
#include "lib/replay/event_queue.h"
#include "lib/replay/world.h"

namespace muster {
namespace {

// Two nodes, and one job of two tasks that fill a node.
Trace OneJob(const TraceJob& job) {
  Trace trace;
  for (const char* name : {"n0", "n1"}) {
    trace.machine.nodes.push_back({.name = name, .capacity = {{"cpu", 2}}});
  }
  trace.shapes = {{.request = {{"cpu", 1}}}};
  EXPECT_TRUE(AddJob(job, &trace).ok());
  return trace;
}

class Life {
 public:
  Life(const TraceJob& job, const Recovery& recovery, bool tells_runs = true)
      : trace_(OneJob(job)), options_(OptionsOf(recovery)), world_(trace_) {
    result_.submit = result_.start = result_.end = {kAbsent};
    result_.outcome = {JobOutcome::kNotSubmitted};
    EXPECT_TRUE(world_.Build({0, 0}).ok());
    lives_.emplace(trace_, RunGuesses(), options_, &world_, &events_, &result_);
    lives_->TellRuns(tells_runs);
    lives_->AdvanceTo(0);
    EXPECT_TRUE(lives_->Submit(0).ok());
  }

  void StartOn(NodeIndex node, int64_t now) {
    lives_->AdvanceTo(now);
    for (const TaskIndex task : tasks()) {
      world_.editor().SetPlace(task, TaskStatus::kBinding, node, /*assumed=*/true);
      lives_->Begin(task);
    }
    lives_->FinishPlan();
  }
  void MoveTo(NodeIndex node, int64_t now) {
    lives_->AdvanceTo(now);
    for (const TaskIndex task : tasks()) {
      const NodeIndex from = world_.tables().tasks.node[task];
      world_.editor().SetPlace(task, TaskStatus::kBinding, node, /*assumed=*/true);
      lives_->Migrate(task, world_.tables().nodes.names.name(from));
    }
    lives_->FinishPlan();
  }
  void FailNode(NodeIndex node, int64_t now) {
    lives_->AdvanceTo(now);
    lives_->Clear(node);
  }

  std::vector<int64_t> Starts() const {
    std::vector<int64_t> starts;
    for (const TaskIndex task : tasks()) starts.push_back(world_.tables().tasks.started[task]);
    return starts;
  }
  std::optional<int64_t> Estimate() const {
    return world_.tables().jobs.spec[world_.job(0)].estimate;
  }

 private:
  static ReplayOptions OptionsOf(const Recovery& recovery) {
    ReplayOptions options;
    options.recovery = recovery;
    return options;
  }
  std::vector<TaskIndex> tasks() const { return world_.tasks_of(0); }

  const Trace trace_;
  const ReplayOptions options_;
  World world_;
  EventQueue events_;
  ReplayResult result_;
  std::optional<JobLives> lives_;
};

TEST(JobLives, AMoveKeepsTheStartOfTheRun) {
  Life life({.run = 100, .tasks = 2}, {});
  life.StartOn(NodeIndex(0), 10);
  EXPECT_EQ(life.Starts(), (std::vector<int64_t>{10, 10}));
  life.MoveTo(NodeIndex(1), 40);
  EXPECT_EQ(life.Starts(), (std::vector<int64_t>{10, 10}));
}

TEST(JobLives, ARestartIsEstimatedWithoutTheWorkThatWasKept) {
  Life life({.run = 1000, .estimate = 1200, .tasks = 2},
            {.checkpoint_interval = 100, .restart_seconds = 7, .migration_seconds = 5});
  life.StartOn(NodeIndex(0), 0);
  EXPECT_EQ(life.Estimate(), 1200);
  life.FailNode(NodeIndex(0), 550);
  EXPECT_EQ(life.Estimate(), 1200 - 500 + 7 + 5);
  life.StartOn(NodeIndex(1), 600);  // on another node
  EXPECT_EQ(life.Estimate(), 1200 - 500 + 7 + 5);
  life.FailNode(NodeIndex(1), 600 + 12 + 250);
  EXPECT_EQ(life.Estimate(), 1200 - 700 + 7 + 5);
  life.StartOn(NodeIndex(1), 900);  // on the same one, which has returned
  EXPECT_EQ(life.Estimate(), 1200 - 700 + 7);
}

TEST(JobLives, ARestartFromTheBeginningHasTheWholeEstimate) {
  Life life({.run = 1000, .estimate = 1200, .tasks = 2}, {});
  life.StartOn(NodeIndex(0), 0);
  life.FailNode(NodeIndex(0), 550);
  EXPECT_EQ(life.Estimate(), 1200);
}

TEST(JobLives, AJobWithoutAnEstimateGetsNone) {
  Life life({.run = 1000, .tasks = 2}, {.checkpoint_interval = 100}, /*tells_runs=*/false);
  life.StartOn(NodeIndex(0), 0);
  life.FailNode(NodeIndex(0), 550);
  EXPECT_EQ(life.Estimate(), std::nullopt);
}

}  // namespace
}  // namespace muster
