// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Rounds of Armada, on the pools that its scheduler was timed on: nodes of 32 cpu and 256 GiB, 32
// jobs of 1 cpu and 4 GiB for each of them, ten queues. Rows:
//   peer/armada/fill/<nodes>      the pool is empty, and all jobs are queued
//   peer/armada/replace/<nodes>   the pool is full; all jobs are evicted and come back
//   peer/armada/steady/<nodes>    the pool is full; every queue has just its share
//   peer/armada/cycle/{fill,replace,steady}/<nodes>   the same as a cycle of profile armada on a
//                                 living cluster that has had a cycle. A queue without jobs comes
//                                 before each cycle, so that none finds the rows as they were
//   peer/armada/cycle/idle/<nodes>   as steady, but only the time moves on
//   peer/armada/cycle/churn/<nodes>  as steady, and before each cycle a job for every tenth node
//                                 ends, and as many arrive in their queues, which it binds
// As with the peer, the tables are built before the clock starts; cycles of the profile make them
// from the cluster's rows within it. The rows of 10,000 nodes take seconds to build. Plans are
// carried out in rows steady, idle and churn, so that jobs have their phases.
//
// Counters. scheduled: jobs with new nodes. ratio: the recorded CPU time of the peer's round over
// ours.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "bench/thread_clock.h"
#include "lib/peer/armada/armada.h"
#include "muster/muster.h"

namespace muster::bench {
namespace {

using armada::Amounts;

constexpr int kQueues = 10, kJobsOfNode = 32;
const Amounts kNode = {int64_t{256} << 30, 32'000, 0}, kJob = {int64_t{4} << 30, 1'000, 0};

Amounts Times(const Amounts& amounts, int64_t count) {
  Amounts sum = amounts;
  for (int64_t& amount : sum) amount *= count;
  return sum;
}

armada::State MakePool(int64_t nodes) {
  armada::State state;
  state.resources = {{"memory"}, {"cpu", false, -3}, {"gpu", false, -3}};
  state.indexed = {{1, 1'000}, {0, int64_t{128} << 20}, {2, 1'000}};
  state.buckets = {armada::kEvictedPriority, armada::kCrossPoolPriority, 0, 3};
  state.classes = {{"priority-0", 0, true}, {"priority-3", 3, false}};
  state.shapes = {{0, kJob}};
  state.node_types.emplace_back();
  state.total = Times(kNode, nodes);
  state.allocated = Amounts(3);
  state.multipliers = {1, 1, 1};
  state.options.prefer_large = true;
  for (int q = 0; q < kQueues; ++q) {
    state.queue_names.push_back(absl::StrFormat("q%03d", q));
    armada::Queue queue{.name = state.queue_names.back()};
    queue.constrained_demand = Times(kJob, nodes * kJobsOfNode / kQueues);
    queue.penalty = Amounts(3);
    queue.allocated.assign(2, Amounts(3));
    queue.limits.resize(2);
    state.queues.push_back(queue);
  }
  const armada::Cost cost(state.total, state.multipliers);
  std::vector<armada::Claim> claims;
  for (const armada::Queue& queue : state.queues) claims.push_back(ClaimOf(queue, cost));
  const std::vector<armada::Shares> shares = armada::DivideShares(claims, kQueues);
  for (size_t q = 0; q < kQueues; ++q) state.queues[q].shares = shares[q];
  for (int64_t n = 0; n < nodes; ++n) {
    armada::Node node{.id = absl::StrFormat("node-%06d", n), .index = n, .total = kNode};
    node.free.assign(state.buckets.size(), kNode);
    state.nodes.push_back(std::move(node));
  }
  const int64_t jobs = nodes * kJobsOfNode;
  for (int64_t j = 0; j < jobs; ++j) {
    armada::Job job{.id = absl::StrFormat("job-%07d", j)};
    job.queue = static_cast<int>(j * kQueues / jobs);
    job.submitted = j;
    state.jobs.push_back(std::move(job));
  }
  state.bound_priority.resize(state.jobs.size());
  return state;
}

// Seats all jobs, those of the queues in turn.
armada::State FilledPool(int64_t nodes) {
  armada::State state = MakePool(nodes);
  const int64_t of_queue = nodes * kJobsOfNode / kQueues;
  for (int64_t place = 0; place < nodes * kJobsOfNode; ++place) {
    const auto job = static_cast<size_t>(place % kQueues * of_queue + place / kQueues);
    armada::Job& own = state.jobs[job];
    const auto node = static_cast<size_t>(place / kJobsOfNode);
    own.queued = false;
    own.run = {.node = static_cast<int>(node), .created = place, .priority = 0};
    state.bound_priority[job] = 0;
    state.nodes[node].jobs.push_back({static_cast<int>(job), 0, false});
  }
  for (armada::Node& node : state.nodes) {
    for (size_t b = 0; b < 3; ++b) {
      for (size_t r = 0; r < 3; ++r) node.free[b][r] -= kJob[r] * kJobsOfNode;
    }
  }
  for (armada::Queue& queue : state.queues) queue.allocated[0] = queue.constrained_demand;
  state.allocated = Times(kJob, nodes * kJobsOfNode);
  return state;
}

void RunRounds(benchmark::State& state, const armada::State& pool, double recorded) {
  double seconds = 0, scheduled = 0;
  for (auto _ : state) {
    state.PauseTiming();
    absl::StatusOr<std::unique_ptr<armada::Round>> round = armada::Round::Make(pool);
    state.ResumeTiming();
    const double start = Seconds();
    if (!round.ok() || !(*round)->Run().ok()) state.SkipWithError("the round failed");
    seconds += Seconds() - start;
    state.PauseTiming();
    scheduled = static_cast<double>((*round)->scheduled().size());
    round->reset();
    state.ResumeTiming();
  }
  state.counters["scheduled"] = scheduled;
  state.counters["ratio"] = recorded * static_cast<double>(state.iterations()) / seconds;
}

void Fill(benchmark::State& state, double recorded) {
  RunRounds(state, MakePool(state.range(0)), recorded);
}

void Replace(benchmark::State& state, double recorded) {
  armada::State pool = FilledPool(state.range(0));
  pool.options.protected_fraction = 0;
  RunRounds(state, pool, recorded);
}

void Steady(benchmark::State& state, double recorded) {
  RunRounds(state, FilledPool(state.range(0)), recorded);
}

void MustAccept(const absl::Status& status) {
  if (!status.ok()) std::abort();
}

// The same pool as rows: a job of one task for each of the peer's.
Cluster MakeRows(int64_t nodes, bool filled) {
  Cluster cluster;
  for (int64_t n = 0; n < nodes; ++n) {
    MustAccept(cluster.AddNode(
        {.name = absl::StrFormat("node-%06d", n), .capacity = {{"cpu", 32}, {"memory", "256Gi"}}}));
  }
  for (int q = 0; q < kQueues; ++q) {
    MustAccept(cluster.AddQueue({.name = absl::StrFormat("q%03d", q)}));
  }
  const int64_t jobs = nodes * kJobsOfNode;
  for (int64_t j = 0; j < jobs; ++j) {
    JobSpec job{.name = absl::StrFormat("job-%07d", j)};
    job.queue = absl::StrFormat("q%03d", j * kQueues / jobs);
    job.created = j;
    TaskSpec task{.name = job.name, .job = job.name};
    task.shape.request = {{"cpu", 1}, {"memory", "4Gi"}};
    task.created = j;
    if (filled) {
      const int64_t of_queue = jobs / kQueues;
      const int64_t place = j % of_queue * kQueues + j / of_queue;
      task.status = TaskStatus::kRunning;
      task.node = absl::StrFormat("node-%06d", place / kJobsOfNode);
      task.started = place;
    }
    MustAccept(cluster.AddJob(job));
    MustAccept(cluster.AddTask(task));
  }
  return cluster;
}

enum class Cycle { kFill, kReplace, kSteady, kIdle, kChurn };

// Ends jobs here and there, and adds as many.
class Churn {
 public:
  Churn(Cluster* cluster, int64_t nodes) : cluster_(*cluster), nodes_(nodes) {
    for (int64_t j = 0; j < nodes * kJobsOfNode; ++j) {
      running_.push_back(absl::StrFormat("job-%07d", j));
    }
  }

  void Step() {
    for (int64_t i = 0; i < nodes_ / 10; ++i) {
      const size_t place = static_cast<size_t>(made_ * 31) % running_.size();
      std::string& name = running_[place];
      // So every queue keeps its share.
      const std::string queue = absl::StrFormat("q%03d", place * kQueues / running_.size());
      MustAccept(cluster_.RemoveTask(name));
      MustAccept(cluster_.RemoveJob(name));
      name = absl::StrFormat("new-%07d", made_);
      JobSpec job{.name = name};
      job.queue = queue;
      job.created = nodes_ * kJobsOfNode + made_;
      TaskSpec task{.name = name, .job = name};
      task.shape.request = {{"cpu", 1}, {"memory", "4Gi"}};
      task.created = job.created;
      MustAccept(cluster_.AddJob(job));
      MustAccept(cluster_.AddTask(task));
      ++made_;
    }
  }

 private:
  Cluster& cluster_;
  int64_t nodes_, made_ = 0;
  std::vector<std::string> running_;
};

void RunCycles(benchmark::State& state, Cycle kind, double recorded) {
  const bool filled = kind != Cycle::kFill;
  Cluster cluster = MakeRows(state.range(0), filled);
  const std::string profile = absl::StrFormat(
      "armada:round(classes=priority-0:0:preemptible+priority-3:3,prefer_large=on,lookback=0,"
      "burst=0,queue_burst=0,round_limit=,indexed=cpu:1+memory:128Mi,resources=cpu+memory,"
      "protected=%s)",
      kind == Cycle::kReplace ? "0" : "1");
  ScheduleOptions options;
  const absl::StatusOr<Plan> first = cluster.Schedule(profile, options);
  MustAccept(first.status());
  if (kind != Cycle::kFill && kind != Cycle::kReplace) {
    MustAccept(cluster.Apply(*first).status());
    MustAccept(cluster.Schedule(profile, options).status());
  }
  double seconds = 0, scheduled = 0;
  Churn churn(&cluster, state.range(0));
  for (auto _ : state) {
    ++options.now;
    if (kind == Cycle::kChurn) {
      state.PauseTiming();
      churn.Step();
      state.ResumeTiming();
    } else if (kind != Cycle::kIdle) {
      state.PauseTiming();
      MustAccept(cluster.AddQueue({.name = absl::StrFormat("empty%d", options.now)}));
      state.ResumeTiming();
    }
    const double start = Seconds();
    const absl::StatusOr<Plan> plan = cluster.Schedule(profile, options);
    seconds += Seconds() - start;
    if (!plan.ok()) {
      state.SkipWithError(std::string(plan.status().message()).c_str());
      return;
    }
    scheduled = static_cast<double>(plan->binds().size());
    if (kind != Cycle::kChurn) continue;
    state.PauseTiming();
    MustAccept(cluster.Apply(*plan).status());
    state.ResumeTiming();
  }
  state.counters["scheduled"] = scheduled;
  state.counters["ratio"] = recorded * static_cast<double>(state.iterations()) / seconds;
}

BENCHMARK_CAPTURE(RunCycles, few_fill, Cycle::kFill, 2.324)
    ->Name("peer/armada/cycle/fill")
    ->Arg(1'000);
BENCHMARK_CAPTURE(RunCycles, few_replace, Cycle::kReplace, 7.511)
    ->Name("peer/armada/cycle/replace")
    ->Arg(1'000);
BENCHMARK_CAPTURE(RunCycles, few_steady, Cycle::kSteady, 0.064)
    ->Name("peer/armada/cycle/steady")
    ->Arg(1'000);
BENCHMARK_CAPTURE(RunCycles, few_idle, Cycle::kIdle, 0.064)
    ->Name("peer/armada/cycle/idle")
    ->Arg(1'000);
BENCHMARK_CAPTURE(RunCycles, few_churn, Cycle::kChurn, 0.064)
    ->Name("peer/armada/cycle/churn")
    ->Arg(1'000);
BENCHMARK_CAPTURE(RunCycles, many_fill, Cycle::kFill, 30.63)
    ->Name("peer/armada/cycle/fill")
    ->Arg(10'000)
    ->Iterations(4);
BENCHMARK_CAPTURE(RunCycles, many_steady, Cycle::kSteady, 1.06)
    ->Name("peer/armada/cycle/steady")
    ->Arg(10'000)
    ->Iterations(4);
BENCHMARK_CAPTURE(RunCycles, many_churn, Cycle::kChurn, 1.06)
    ->Name("peer/armada/cycle/churn")
    ->Arg(10'000)
    ->Iterations(4);
BENCHMARK_CAPTURE(RunCycles, many_idle, Cycle::kIdle, 1.06)
    ->Name("peer/armada/cycle/idle")
    ->Arg(10'000)
    ->Iterations(4);
BENCHMARK_CAPTURE(Fill, few, 2.324)->Name("peer/armada/fill")->Arg(1'000);
BENCHMARK_CAPTURE(Replace, few, 7.511)->Name("peer/armada/replace")->Arg(1'000);
BENCHMARK_CAPTURE(Steady, few, 0.064)->Name("peer/armada/steady")->Arg(1'000);
BENCHMARK_CAPTURE(Fill, many, 30.63)->Name("peer/armada/fill")->Arg(10'000)->Iterations(1);
BENCHMARK_CAPTURE(Steady, many, 1.06)->Name("peer/armada/steady")->Arg(10'000)->Iterations(1);

}  // namespace
}  // namespace muster::bench
