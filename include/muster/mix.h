// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// A workload mix: what a trace is like, as small tables, and traces made from it.
//
//   absl::StatusOr<muster::TraceMix> mix = muster::NamedTraceMix("philly");
//   absl::StatusOr<muster::Trace> trace = muster::GenerateTrace(*mix, {.jobs = 20000, .seed = 7});
//
// Promises. Equal mixes and options give equal traces, everywhere. Kinds of jobs, queues and users are drawn by their
// weights, independently; run times and gaps between submissions by their distributions, which are the values at the
// shares kMixShares, and equal factors between them. What hangs together in a recorded trace otherwise than by the kind of
// job (users who submit alike, long jobs at night) is lost.
// Failures. InvalidArgument naming the table and the rule.
// Cost. O(jobs x log(kinds + queues + users)); with a load some 80 passes over the jobs.
#ifndef MUSTER_MIX_H_
#define MUSTER_MIX_H_

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "muster/export.h"
#include "muster/spec.h"
#include "muster/trace.h"

namespace muster {

// In ten thousandths: what part of the values is not above the one given. Dense where tails are long.
inline constexpr std::array<int64_t, 18> kMixShares = {0,    500,  1000, 2000, 3000, 4000,
                                                       5000, 6000, 7000, 8000, 9000, 9500,
                                                       9800, 9900, 9950, 9990, 9999, 10000};

// Nodes that differ in their names alone: the node's, with 0, 1, ... behind it.
struct MixNodes {
  NodeSpec node = {};
  int64_t count = 1;
};

struct MixJobs {
  int64_t weight = 1;  // so many of them for how many of the others
  int64_t tasks = 1;
  int64_t min_tasks = 0;  // 0: `tasks`
  TaskShape shape = {};
  std::vector<int64_t> run = {};  // seconds, by kMixShares; empty: TraceMix::run
};

struct MixQueue {
  QueueSpec queue = {};
  int64_t jobs = 1;  // so many of the jobs for how many of the other queues'
};

struct TraceMix {
  std::string name = {};
  int64_t processors = 0;  // of a pool, which has no nodes
  std::vector<MixNodes> nodes = {};
  std::vector<MixJobs> jobs = {};
  std::vector<MixQueue> queues = {};  // none: one named "default"
  std::vector<int64_t> users = {};    // the weight of each; none: nobody's jobs
  std::vector<int64_t> run = {};      // seconds, by kMixShares
  std::vector<int64_t> gaps = {};     // seconds between submissions, by kMixShares
  std::vector<int64_t> hours = {};    // weights of the 24 hours of a day; none: all alike
  // Hundredths of the run time, by kMixShares; none: nobody estimates.
  std::vector<int64_t> estimate = {};
};

struct MixOptions {
  int64_t jobs = 5000;
  int64_t nodes = 0;       // in the proportions of the mix; 0: as many as it has
  int64_t processors = 0;  // of a pool; 0: as many as the mix has
  uint64_t seed = 0;
  // Submissions are spread or pressed together so that until the last of them jobs would hold this part of what there is,
  // of the scarcest resource and on average, if all started at once. 0: the gaps are as drawn.
  double load = 0;
};

MUSTER_EXPORT absl::Status CheckMix(const TraceMix& mix);

// Kinds of jobs that would not fit the machine while it is empty are left out.
MUSTER_EXPORT absl::StatusOr<Trace> GenerateTrace(const TraceMix& mix,
                                                  const MixOptions& options = {});

// "openb": a cloud of 1,213 nodes with GPUs that tasks may share. "philly": gangs of GPUs of eleven tenants.
// "hpc": rigid jobs on a pool of 1,152 processors, with users and their estimates.
MUSTER_EXPORT absl::StatusOr<TraceMix> NamedTraceMix(std::string_view name);
MUSTER_EXPORT std::vector<std::string> TraceMixNames();

// A mix of one's own: JSON with the keys of TraceMix and "muster_mix": 1, as Python's Mix.save writes it. Errors name the
// file and the place in it; what CheckMix refuses is refused.
MUSTER_EXPORT absl::StatusOr<TraceMix> ParseTraceMix(const TraceFile& file);

}  // namespace muster

#endif  // MUSTER_MIX_H_
