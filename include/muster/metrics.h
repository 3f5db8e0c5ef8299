// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Measures a replay: waits, slowdowns, utilization, fairness. docs/replay.md has the formulas.
//
//   muster::Metrics metrics = muster::Measure(trace, *result);
//   metrics.all.wait.mean;                        // seconds
//   for (const muster::JobGroup& g : metrics.by_queue) Print(g.name, g.jobs.bounded_slowdown.p95);
//
// Promises. Measure is a pure function of its arguments. Sums run in the order of the rows, so
// equal results give equal bits.
// Failures. There are none. `result` must be that of a replay of `trace`.
// Ownership. The metrics hold copies and refer to nothing.
// Threads. Any number of threads may measure one result at once.
// Cost. O(jobs log jobs), for the percentiles.
#ifndef MUSTER_METRICS_H_
#define MUSTER_METRICS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "muster/export.h"
#include "muster/replay.h"
#include "muster/trace.h"

namespace muster {

// Percentiles are values that occur (Percentile in statistics.h). All are 0 where count is 0.
struct Distribution {
  // How many values there are.
  int64_t count = 0;
  // The mean, percentiles and the maximum.
  double mean = 0, p50 = 0, p90 = 0, p95 = 0, p99 = 0, max = 0;
};

// The distributions of some jobs. Waits are those of jobs that started; the rest is that of jobs
// that ended, and has their count.
struct JobMetrics {
  // Seconds. Turnaround is wait plus run time.
  Distribution wait, turnaround;
  // Turnaround over run time, at least 1. Run times below MetricOptions::slowdown_bound count as
  // it.
  Distribution bounded_slowdown;
  // Turnaround over run time: how much longer the job took than alone on the machine.
  Distribution finish_time_ratio;
  // Turnaround over what it would be on an equal part of the machine for each job there at the
  // time. Above 1: the job got less than an equal part.
  Distribution finish_time_fairness;
};

// Some of the jobs: of a size, a queue or a user.
//
//   metrics.by_size[0].jobs.wait.p95;   // seconds, over the smallest jobs
struct JobGroup {
  // The name of the queue or user, or the size in tasks: "3-4".
  std::string name;
  JobMetrics jobs;
};

// Means over the samples of ReplayResult::series, 0 to 1.
struct ResourceMetrics {
  // Of the dimension.
  std::string name;
  // Used over capacity of the nodes that are up.
  double utilisation = 0;
  // The part of the idle amount that its most frequent task shape could not use, as in
  // ReplaySeries.
  double fragmentation = 0;
};

// Means over the samples, as dominant shares of the machine.
struct QueueMetrics {
  // Of the queue.
  std::string name;
  // What its tasks hold.
  double delivered = 0;
  // What it deserves (ReplaySeries::queue_deserved).
  double deserved = 0;
};

// How to measure.
struct MetricOptions {
  // Seconds. Shorter run times count as this in bounded slowdowns.
  int64_t slowdown_bound = 10;
};

// The metrics of one replay.
struct Metrics {
  // Numbers of jobs.
  int64_t submitted = 0, started = 0, ended = 0, refused = 0, backfilled = 0;
  // Seconds. It includes jobs that never started, up to the last event.
  int64_t longest_wait = 0;
  // Seconds from the first submission to the last end.
  int64_t makespan = 0;
  // Of a pool: task-seconds of jobs that ended, over those of the machine within the makespan.
  double utilisation = 0;
  // Over all jobs.
  JobMetrics all;
  // Jobs with a deadline, and those of them that ended later or not at all.
  int64_t deadlines = 0, deadline_misses = 0;
  // How often running jobs were stopped, by evictions and failures.
  int64_t stops = 0;
  // Task-seconds of work that were lost by that.
  int64_t lost = 0;
  // Task-seconds of jobs that ended, over the same plus `lost`.
  double goodput = 1;
  // One entry a dimension and a queue of ReplayResult::series. Empty without a series.
  std::vector<ResourceMetrics> resources;
  std::vector<QueueMetrics> queues;
  // Jain's index of delivered over deserved, over the queues that deserve anything. 1: all alike.
  double jain = 1;
  // The largest |share - deserved| of any queue in a sample: its mean and maximum over the samples.
  double share_deviation_mean = 0, share_deviation_max = 0;
  // Seconds a cycle. Empty without ReplayOptions::clock.
  Distribution decision_time;
  // Groups without jobs are left out. Sizes are numbers of tasks, by powers of two: "1", "2",
  // "3-4", "5-8". Users are the hundred with most jobs, the busiest first.
  std::vector<JobGroup> by_size, by_queue, by_user;
};

// Returns the metrics of `result`, a replay of `trace`. Jobs that were not submitted count nowhere.
MUSTER_EXPORT Metrics Measure(const Trace& trace, const ReplayResult& result,
                              const MetricOptions& options = {});

}  // namespace muster

#endif  // MUSTER_METRICS_H_
