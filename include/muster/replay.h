// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Replays the jobs of a trace under a policy: when does each job start?
//
//   absl::StatusOr<muster::ReplayResult> result = muster::Replay(trace, "easy:order=sjf");
//   for (size_t row = 0; row < trace.size(); ++row)
//     Use(result->start[row] - result->submit[row]);              // the wait of the job
//
// Promises. A replay is a discrete-event simulation and a pure function of (trace, policy,
// options). Events are handled by time, then by kind, then in the order in which they came about;
// docs/replay.md has the whole order. Results are columns beside the trace's, one entry a job.
// Failures. Replay fails with InvalidArgument where CheckTrace refuses the trace, where a node
// event names no node or domain, and where a policy or an option is unknown; the error names the
// nearest valid word. A job that does not fit the empty machine fails nothing: its outcome is
// kRefused. A replay that is stopped returns what it has, with `complete` false.
// Ownership. The result holds copies and refers to nothing.
// Threads. Any number of threads may replay one trace at once. Callbacks of the options run on the
// caller's thread.
// Cost. On a pool an event costs O(log running jobs), and a pass that may start something O(waiting
// jobs). On nodes a cycle costs what changed since the last one. bench/README.md has measurements.
#ifndef MUSTER_REPLAY_H_
#define MUSTER_REPLAY_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "muster/export.h"
#include "muster/trace.h"

namespace muster {

struct Extensions;  // policy.h

// What became of a job by the end of a replay.
enum class JobOutcome : uint8_t {
  // The job ended.
  kDone,
  // The replay ended while the job ran.
  kRunning,
  // The job was submitted and did not start, or was stopped and did not start again.
  kWaiting,
  // The replay ended before the submission, or the job that it follows did not end.
  kNotSubmitted,
  // The empty machine is too small for the job.
  kRefused,
};

// When cycles run. Batch policies on pools go by cycles with a period, and else by events.
enum class CycleTiming : uint8_t {
  // A cycle runs after all events of an instant, if they changed something and some job waits. It
  // runs again while it admits, binds or evicts and some job still waits.
  kEachInstant,
  // A cycle runs after each single event, once, under the same conditions.
  kEachEvent,
  // As kEachInstant, at multiples of ReplayOptions::period only.
  kPeriodic,
  // As kEachInstant, and at multiples of ReplayOptions::period also where nothing changed, while
  // some job waits and some event is to come: for profiles that share out time in rounds.
  kRounds,
};

// Random failures. Times between a return and the next failure, and times of repair, are
// exponential with these means, in seconds: 0 to kEndless. A mean of 0 between failures: there are
// none. A replay fails with ResourceExhausted where failures come so fast that no job gets on.
struct FailureModel {
  // Of each node.
  double node_seconds_between = 0;
  double node_repair_seconds = 3600;
  // Of each domain that has nodes right below it. All these nodes fail together.
  double domain_seconds_between = 0;
  double domain_repair_seconds = 3600;
};

// How much of its work a job keeps that an eviction or a failure stops, and what a restart costs.
// All in seconds.
struct Recovery {
  // Run time between checkpoints; work since the last one is lost. 0: there are no checkpoints.
  int64_t checkpoint_interval = 0;
  // True: an evicted job loses nothing.
  bool evicted_jobs_checkpoint = false;
  // Added to the run time of a job that starts again.
  int64_t restart_seconds = 0;
  // Added, too, where the job starts again on other nodes.
  int64_t migration_seconds = 0;
};

// Times are seconds.
struct ReplayOptions {
  // Default: a cycle after each instant.
  CycleTiming cycles = CycleTiming::kEachInstant;
  // Of CycleTiming::kPeriodic and kRounds; 1 or more.
  int64_t period = 1;
  // From the snapshot of a cycle to its decisions, 0 or more. The next cycle waits for them.
  int64_t latency = 0;
  // From the decision to evict a task until its node is free.
  int64_t eviction_seconds = 1;
  Recovery recovery = {};
  // Profiles only. Above 0: the estimates that a profile reads are not those of the trace. They are
  // upper bounds, learnt from the jobs that have ended, that this part of the jobs keeps
  // (docs/replay.md, estimate=learnt), never above the trace's estimate. 0: those of the trace.
  double learnt_quantile = 0;
  // Events besides Trace::node_events.
  std::vector<NodeEvent> node_events = {};
  FailureModel failures = {};
  // Of random failures.
  uint64_t seed = 0;
  // Later events are not played.
  int64_t until = kEndless;
  // Between samples of ReplayResult::series. 0: a 512th of the time of submissions. Below 0: the
  // series stays empty.
  int64_t series_interval = 0;
  // True: ReplayResult::placements is filled.
  bool record_placements = false;
  // Returns the time in nanoseconds, by any clock. It is called before and after each cycle, and
  // fills ReplayResult::decision_time; nothing else depends on it.
  std::function<int64_t()> clock = {};
  // True: a job that has a preceding job is submitted when that one has ended and its think time
  // has passed. Where the preceding job is refused, it is submitted at its time in the trace, or at
  // once if that has passed. False: the trace's times hold.
  bool follow_preceding = false;
  // Policies and actions of the caller's own that a profile may name (policy.h). Refused for batch
  // policies on pools, which run no cycles.
  std::shared_ptr<const Extensions> extensions = {};
  // Called now and then. Returning true ends the replay, with `complete` false.
  std::function<bool()> should_stop = {};
  // Called as often, before it, with the time of the next event in the trace. The result does not
  // depend on it.
  std::function<void(int64_t)> progress = {};
};

// Samples of jobs, resources and queues, each after all events up to its time. Every column has one
// entry a sample.
struct ReplaySeries {
  std::vector<int64_t> time;
  // Numbers of jobs.
  std::vector<int64_t> running, waiting;
  // Names of resources. A pool has one, "processors".
  std::vector<std::string> dimensions;
  // By dimension: what tasks hold, and what nodes that are up have.
  std::vector<std::vector<int64_t>> used, capacity;
  // By dimension: the share of the idle amount that lies on nodes where the dimension's most
  // frequent task shape does not fit, 0 to 1. A pool is never fragmented.
  std::vector<std::vector<double>> fragmentation;
  std::vector<std::string> queues;
  // By queue: its dominant share of the machine, and the one that it deserves, whatever the policy
  // is: what max-min fairness by weight gives it of what its jobs request, with its guarantee and
  // limit (docs/replay.md).
  std::vector<std::vector<double>> queue_share, queue_deserved;
  // Reasons of waiting jobs, in the order in which they came up. The reason of a job is that of its
  // first waiting task in the last cycle, "not_reached" before any. Where nodes refused the task,
  // it names what most of them refused for: "no_node: insufficient nvidia.com/gpu".
  std::vector<std::string> reasons;
  // By reason: numbers of jobs. In each sample they add up to `waiting`.
  std::vector<std::vector<int64_t>> waiting_by_reason;
};

// Where tasks ran. Every column has one entry a stay of a task on a node, by the stay's beginning.
struct ReplayPlacements {
  // The row of the trace.
  std::vector<uint32_t> job;
  // The number of the task within its job. Under a batch policy on a pool, one stay with task 0
  // stands for all processors of the job.
  std::vector<uint32_t> task;
  // The row of Trace::machine.nodes; 0 on a pool.
  std::vector<uint32_t> node;
  // Seconds. `to` is kAbsent where the replay ended first.
  std::vector<int64_t> from, to;
};

// What became of the jobs, and what the replay counted.
struct ReplayResult {
  // The policy with all that was left out filled in.
  std::string policy;
  // False: ReplayOptions::should_stop ended the replay.
  bool complete = true;
  // True: decisions depended on run times of jobs that had not ended, by an option of the policy or
  // because a job has no estimate and the policy reads it. Compare such a result with its like.
  bool clairvoyant = false;
  // Of a pool; 0 on nodes.
  int64_t processors = 0;

  // One entry a job, in seconds. kAbsent: the job was not submitted, did not start, did not end.
  std::vector<int64_t> submit, start, end;
  std::vector<JobOutcome> outcome;
  // 1: the job started before an older one that waited. Empty: the policy does not record it.
  std::vector<uint8_t> backfilled;

  // How often a job was stopped, and the task-seconds of work it lost. Empty: no job was stopped.
  std::vector<uint32_t> stops;
  std::vector<int64_t> lost;

  // Events that were handled.
  int64_t events = 0;
  // Cycles, or searches of a batch policy for a job to start.
  int64_t passes = 0;
  // Decisions in the plans of all cycles, and their units of work.
  int64_t decisions = 0;
  int64_t work = 0;
  // Evicted tasks.
  int64_t evictions = 0;
  int64_t node_failures = 0;
  // Nanoseconds of each cycle. Empty without ReplayOptions::clock.
  std::vector<int64_t> decision_time;
  ReplaySeries series;
  // Empty without ReplayOptions::record_placements.
  ReplayPlacements placements;
};

// Replays `trace` under `policy`, which is one of two:
// - A profile of schedule.h, such as "volcano" or "muster:+preempt". It decides by cycles on a
//   living cluster. A pool becomes one node, and each of its jobs a task that requests as many cpus
//   as the job has processors. A job of a model with Trace::speeds runs as fast as its nodes do.
// - A batch policy, as in published simulators of batch systems:
//     fcfs          starts jobs in order; the first that does not fit blocks the rest
//     easy          also starts later jobs where that does not delay the first
//     conservative  also starts later jobs where that delays no reservation
//   Its options are order=fifo|sjf|ljf|smallest|largest|area|due|saf|f1|f2|f3|f4|edf,
//   estimate=user|actual|last_two|learnt and order_estimate; quantile and order_quantile of learnt;
//   head=oldest|first of easy; reservations=kept|afresh of conservative; scale and cap of
//   order=due. docs/replay.md defines them.
MUSTER_EXPORT absl::StatusOr<ReplayResult> Replay(const Trace& trace, std::string_view policy,
                                                  const ReplayOptions& options = {});

// Makes each user's job depend on that user's previous job, by submission. Sets the think time to
// the seconds from the end that the previous job would have had without waiting to this submission,
// or to 0 where that is negative. Use it with ReplayOptions::follow_preceding. Cost: O(n log n).
MUSTER_EXPORT void LinkUsers(Trace* trace);

}  // namespace muster

#endif  // MUSTER_REPLAY_H_
