// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// A trace, played again under a policy: when does each job start?
//
//   absl::StatusOr<muster::ReplayResult> result = muster::Replay(trace, "easy:order=sjf");
//   for (size_t row = 0; row < trace.size(); ++row)
//     Use(result->start[row] - result->submit[row]);              // its wait
//
// Promises. A discrete-event simulation and a pure function of (trace, spec, options): events go by time, then by
// kind, then by the order in which they came about; docs/replay.md has the whole order. Results are columns beside
// the trace's, one entry a job.
// Failures. InvalidArgument: what CheckTrace refuses, an unknown policy or option, with the nearest valid word. A job
// that could not run on the empty machine is refused on its own, with the reason, and the others go on. A replay that
// is stopped ends with what it has, and says that it is not complete.
// Ownership. The result holds no reference to the trace.
// Cost. On a pool, O(log running) an event and O(waiting) a pass that may start something. See bench/README.md.
#ifndef MUSTER_REPLAY_H_
#define MUSTER_REPLAY_H_

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "muster/export.h"
#include "muster/trace.h"

namespace muster {

// What became of a job.
enum class JobOutcome : uint8_t {
  kDone,
  kRunning,       // the replay ended first
  kWaiting,       // submitted and not started, or stopped and not started again
  kNotSubmitted,  // the replay, or the job it waits for, ended first
  kRefused,       // the empty machine is too small for it
};

// When cycles run (profiles; batch policies on pools have rules of their own).
enum class CycleTiming : uint8_t {
  // After all events of an instant, if they changed something and some job waits; and again while a cycle admits, binds
  // or evicts and some job still waits.
  kEachInstant,
  kEachEvent,  // the same after each single event, once
  kPeriodic,   // as kEachInstant, at multiples of the period alone
};

// Failures by chance: exponential times between a node's return and its next failure, and of repairs. 0: none.
struct FailureModel {
  double node_seconds_between = 0, node_repair_seconds = 3600;
  double domain_seconds_between = 0,
         domain_repair_seconds = 3600;  // domains that have nodes right below
};

// What a job that is stopped, by an eviction or a failure, has left of its work, and what starting again costs.
struct Recovery {
  int64_t checkpoint_interval = 0;  // seconds of run time between checkpoints; 0: there are none
  bool evicted_jobs_checkpoint = false;  // an eviction loses nothing
  int64_t restart_seconds = 0;           // before a job that starts again goes on
  int64_t migration_seconds = 0;         // more, if that is not on the nodes it was on
};

struct ReplayOptions {
  CycleTiming cycles = CycleTiming::kEachInstant;
  int64_t period = 1;
  // Seconds from a cycle's snapshot to its decisions; the next one waits for them.
  int64_t latency = 0;
  int64_t eviction_seconds = 1;  // from a decision to evict until the node is free
  Recovery recovery = {};
  std::vector<NodeEvent> node_events = {};  // besides the trace's own
  FailureModel failures = {};
  uint64_t seed = 0;         // of failures
  int64_t until = kEndless;  // events after that are not played
  // Seconds between samples of the series; 0: a 512th of the time of submissions; below 0: no series.
  int64_t series_interval = 0;
  bool record_placements = false;  // where each task ran: ReplayResult::placements
  // The caller's clock, in nanoseconds; asked before and after each cycle, and of no influence on anything but
  // ReplayResult::decision_time.
  std::function<int64_t()> clock = {};
  // Submit a job that has a preceding one when that has ended and its think time has passed, instead of at the time
  // of the trace. A job whose preceding one is refused is submitted when the trace says.
  bool follow_preceding = false;
  std::function<bool()> should_stop = {};  // asked now and then; true ends the replay, not complete
};

// Samples of the state after all events up to a time. One entry a sample in each column.
struct ReplaySeries {
  std::vector<int64_t> time;
  std::vector<int64_t> running, waiting;  // jobs
  std::vector<std::string> dimensions;
  // By dimension: what tasks hold, what nodes that are up have, and the share of what is free that lies on nodes where
  // the dimension's most frequent task shape does not fit. Pools: one dimension, "processors", never fragmented.
  std::vector<std::vector<int64_t>> used, capacity;
  std::vector<std::vector<double>> fragmentation;
  // By queue: its dominant share of the machine, and the one its deserved amounts make (kept from the last cycle;
  // below 0 where the profile has none).
  std::vector<std::string> queues;
  std::vector<std::vector<double>> queue_share, queue_deserved;
  // By reason, in the order they came up: jobs that wait for it by the last cycle. A job's reason is that of its first
  // waiting task, "not_reached" where no cycle has seen it yet; one that names a scarce resource or a rule of nodes
  // goes by what most nodes refused for: "no_node: insufficient nvidia.com/gpu". They add up to `waiting`.
  std::vector<std::string> reasons;
  std::vector<std::vector<int64_t>> waiting_by_reason;
};

// Where tasks ran, one entry a stay, in the order in which stays began.
struct ReplayPlacements {
  std::vector<uint32_t> job;  // row of the trace
  std::vector<uint32_t>
      task;  // place among its tasks; of a batch policy on a pool 0: all its processors at once
  std::vector<uint32_t> node;     // row of Trace::machine.nodes; a pool is 0
  std::vector<int64_t> from, to;  // `to` is kAbsent where the replay ended first
};

struct ReplayResult {
  std::string policy;      // as it was understood
  bool complete = true;    // false: it was stopped
  int64_t processors = 0;  // of a pool

  // One entry a job. Times are kAbsent where what they tell did not happen.
  std::vector<int64_t> submit, start, end;
  std::vector<JobOutcome> outcome;
  std::vector<uint8_t>
      backfilled;  // 1: started before an older job that waited. Empty: the policy does not tell

  // Times a job was stopped, and task-seconds of work that were lost with it. Empty: none was.
  std::vector<uint32_t> stops;
  std::vector<int64_t> lost;

  int64_t events = 0;     // handled
  int64_t passes = 0;     // cycles, or times the policy looked for something to start
  int64_t decisions = 0;  // of cycles: what plans said
  int64_t work = 0;       // units of work of all cycles
  int64_t evictions = 0;  // tasks
  int64_t node_failures = 0;
  std::vector<int64_t> decision_time;  // nanoseconds, by cycle; empty without a clock
  ReplaySeries series;
  ReplayPlacements placements;  // empty unless asked for
};

// Any profile of schedule.h decides by cycles on a living cluster, which is changed and never built anew; on a pool, the
// cluster is one node and each job a task that asks for as many cpus as it has processors.
// Batch policies decide by themselves on pools of processors, exactly as published simulators:
//   fcfs           in order, the first that does not fit holds up the rest
//   easy           in order, and later jobs go ahead where that does not delay the first
//   conservative   in order, and later jobs go ahead where that delays no promise
// with options order=fifo|sjf|ljf|smallest|largest|area and estimate=user|actual|last_two, conservative also with
// reservations=kept|afresh: docs/replay.md says what they mean.
MUSTER_EXPORT absl::StatusOr<ReplayResult> Replay(const Trace& trace, std::string_view policy,
                                                  const ReplayOptions& options = {});

// Makes the users of the trace wait for themselves: each job of a user follows the user's job before it by as many
// seconds as lay between that one's submission plus run time and this one's submission (none where that is negative).
MUSTER_EXPORT void LinkUsers(Trace* trace);

}  // namespace muster

#endif  // MUSTER_REPLAY_H_
