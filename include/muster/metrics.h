// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What a replay was worth, in numbers. docs/replay.md has the formulas.
//
//   muster::Metrics metrics = muster::Measure(trace, *result);
//   metrics.all.wait.mean;                        // seconds
//   for (const muster::JobGroup& g : metrics.by_queue) Print(g.name, g.jobs.bounded_slowdown.p95);
//
// Promises. A pure function of its arguments; sums run in the order of the rows, so equal results give equal bits.
// Cost. O(jobs log jobs) for the percentiles.
#ifndef MUSTER_METRICS_H_
#define MUSTER_METRICS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "muster/export.h"
#include "muster/replay.h"
#include "muster/trace.h"

namespace muster {

// Percentiles are values that occur: p95 is the smallest that at least 95 of 100 do not exceed.
struct Distribution {
  int64_t count = 0;
  double mean = 0, p50 = 0, p90 = 0, p95 = 0, p99 = 0, most = 0;
};

// Over jobs that ended; waits over those that started.
struct JobMetrics {
  Distribution wait, turnaround, bounded_slowdown;
  Distribution
      finish_time_ratio;  // turnaround over the run time, which is the turnaround alone on the machine
  // Turnaround over what it would be on an equal part of the machine for each job there at the time: above 1, others
  // were better served than this one.
  Distribution finish_time_fairness;
};

struct JobGroup {
  std::string name;
  JobMetrics jobs;
};

// Means over the samples of the series.
struct ResourceMetrics {
  std::string name;
  double utilisation = 0;    // used over capacity
  double fragmentation = 0;  // see ReplaySeries
};
struct QueueMetrics {
  std::string name;
  double delivered = 0,
         deserved = 0;  // dominant shares; deserved over samples that have it, below 0 if none has
};

struct MetricOptions {
  int64_t slowdown_bound = 10;  // seconds: run times below count as this in bounded slowdowns
};

struct Metrics {
  int64_t submitted = 0, started = 0, ended = 0, refused = 0, backfilled = 0;
  int64_t longest_wait = 0;  // also of jobs that never started, up to the last event
  int64_t makespan = 0;      // from the first submission to the last end
  // Task-seconds of ended jobs over those of the machine, within the makespan; pools.
  double utilisation = 0;
  JobMetrics all;
  int64_t deadlines = 0, deadline_misses = 0;  // a job that has not ended misses its own
  int64_t stops = 0;                           // of running jobs, by evictions and failures
  int64_t lost = 0;                            // task-seconds
  double goodput = 1;  // task-seconds of ended jobs over the same and what was lost
  std::vector<ResourceMetrics> resources;
  std::vector<QueueMetrics> queues;
  // Over queues that deserve something: Jain's index of delivered over deserved, and the largest difference between a
  // queue's share and what it deserves, mean and maximum over samples.
  double jain = 1, share_deviation_mean = 0, share_deviation_most = 0;
  Distribution decision_time;                        // seconds a cycle; empty without a clock
  std::vector<JobGroup> by_size, by_queue, by_user;  // users: the hundred with most jobs
};

MUSTER_EXPORT Metrics Measure(const Trace& trace, const ReplayResult& result,
                              const MetricOptions& options = {});

}  // namespace muster

#endif  // MUSTER_METRICS_H_
