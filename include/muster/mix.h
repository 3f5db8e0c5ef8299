// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Workload mixes: what a trace is like, as small tables, and made-up traces that are like it.
//
//   absl::StatusOr<muster::TraceMix> mix = muster::NamedTraceMix("philly");
//   absl::StatusOr<muster::Trace> trace = muster::GenerateTrace(*mix, {.jobs = 20000, .seed = 7});
//
// Promises. Equal mixes and options give equal traces on every machine. Kinds of jobs, queues and
// users are drawn by their weights, independently of each other. Run times, gaps and estimates are
// drawn from distributions: the values at kMixShares, and equal factors between them. Whatever else
// depends on each other in a recorded trace is lost, such as long jobs that come at night.
// Failures. Calls fail with InvalidArgument, naming the mix, the table and the rule.
// Ownership. Mixes and traces are values.
// Threads. Any number of threads may read one mix at once.
// Cost. O(jobs * log(kinds + queues + users)); with a load, some 80 passes over the jobs.
#ifndef MUSTER_MIX_H_
#define MUSTER_MIX_H_

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "muster/export.h"
#include "muster/limits.h"
#include "muster/spec.h"
#include "muster/trace.h"

namespace muster {

// A distribution is its values at these shares, in ten-thousandths: value i is not exceeded by
// kMixShares[i] of 10,000. The shares are dense where tails are long. Values must not fall.
inline constexpr std::array<int64_t, 18> kMixShares = {0,    500,  1000, 2000, 3000, 4000,
                                                       5000, 6000, 7000, 8000, 9000, 9500,
                                                       9800, 9900, 9950, 9990, 9999, 10000};

// Nodes that differ only by name: that of `node` with 0, 1, ... appended.
struct MixNodes {
  NodeSpec node = {};
  // How many; 1 or more.
  int64_t count = 1;
};

// A kind of job. Weights are 0 to 2^40.
struct MixJobs {
  // How many of these jobs there are for how many of the other kinds.
  int64_t weight = 1;
  // Of each job, 1 or more.
  int64_t tasks = 1;
  // The job runs with as few tasks as this. 0: as many as `tasks`.
  int64_t min_tasks = 0;
  // Of each task.
  TaskShape shape = {};
  // The distribution of run times, in seconds. Empty: TraceMix::run.
  std::vector<int64_t> run = {};
};

// A queue, and its part of the jobs.
struct MixQueue {
  // As it joins a cluster.
  QueueSpec queue = {};
  // The weight of the queue: how many jobs it gets for how many of the other queues.
  int64_t jobs = 1;
};

// The machine is a pool, with `processors` above 0, or has nodes.
struct TraceMix {
  // The name in errors and traces.
  std::string name = {};
  // Processors of the pool. 0: the machine has nodes.
  int64_t processors = 0;
  // Kinds of nodes.
  std::vector<MixNodes> nodes = {};
  // At least one kind.
  std::vector<MixJobs> jobs = {};
  // Empty: one queue, "default".
  std::vector<MixQueue> queues = {};
  // The weight of each user. Empty: jobs have no user.
  std::vector<int64_t> users = {};
  // The distribution of run times, in seconds.
  std::vector<int64_t> run = {};
  // The distribution of seconds between submissions.
  std::vector<int64_t> gaps = {};
  // Weights of the 24 hours of a day. Empty: all are alike.
  std::vector<int64_t> hours = {};
  // The distribution of estimates, in hundredths of the run time. Empty: jobs have no estimate.
  std::vector<int64_t> estimate = {};
};

// What to make of a mix.
struct MixOptions {
  // How many jobs to make.
  int64_t jobs = 5000;
  // How many nodes to make, in the proportions of the mix. 0: as many as it has.
  int64_t nodes = 0;
  // Of a pool. 0: as many as the mix has.
  int64_t processors = 0;
  // Of all draws.
  uint64_t seed = 0;
  // The part of the scarcest resource that jobs would hold on average until the last submission, if
  // each started at once. Submissions are moved to reach it. 0: the gaps stay as drawn.
  double load = 0;
  // Of the nodes that the mix asks for by itself; the other sizes are the caller's.
  Limits limits = {};
};

// Fails where a table breaks a rule: a distribution that falls or has another number of values, a
// weight out of range, weights that are all 0, a machine that is neither a pool nor nodes.
MUSTER_EXPORT absl::Status CheckMix(const TraceMix& mix);

// Makes a trace. Kinds of jobs that do not fit the empty machine are left out; fails where none
// fits.
MUSTER_EXPORT absl::StatusOr<Trace> GenerateTrace(const TraceMix& mix,
                                                  const MixOptions& options = {});

// Returns one of three mixes, which follow what is published about recorded clusters:
//   openb   a cloud of 1,213 nodes with GPUs that tasks may share
//   philly  gangs of GPUs of eleven tenants
//   hpc     rigid jobs on a pool of 1,152 processors, with users and their estimates
// Fails for other names, with the nearest one.
MUSTER_EXPORT absl::StatusOr<TraceMix> NamedTraceMix(std::string_view name);

// Returns those names.
MUSTER_EXPORT std::vector<std::string> TraceMixNames();

// Reads a mix from JSON: the keys of TraceMix and "muster_mix": 1, as Mix.save of Python writes it.
// Fails if the text is no such table, or CheckMix refuses it; the error names the file and the
// place.
MUSTER_EXPORT absl::StatusOr<TraceMix> ParseTraceMix(const TraceFile& file);

}  // namespace muster

#endif  // MUSTER_MIX_H_
