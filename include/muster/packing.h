// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Fills a cluster of GPUs until far more has arrived than it holds: the experiment of "Beware of
// Fragmentation" (ATC'23), decision by decision.
//
//   absl::StatusOr<muster::PackingTrace> trace = muster::ReadOpenbPacking(files, {.seed = 42});
//   absl::StatusOr<muster::PackingResult> result = muster::ReplayPacking(*trace, "fgd");
//   for (size_t i = 0; i < trace->arrivals.size(); ++i)
//     Use(trace->arrivals[i], result->node[i], result->gpus[i]);
//
// Tasks arrive one by one. Each is placed for good at once, or dropped, and none leaves. Policies:
//   fgd                 makes the fewest fragments: free GPU that the usual tasks could not use
//   fgd:best-fit, fgd:dotprod, fgd:gpu-packing, fgd:gpu-clustering    those of the comparison
//   fgd:random          takes any node that fits, and any GPU with enough left
// docs/replay.md has their numbers.
// Promises. A replay is a pure function of (trace, policy, options). On the recorded orders of
// openb all policies but fgd:random decide as the study's simulator did, node by node and GPU by
// GPU. The simulator's random choices depended on the timing of threads; here they depend on the
// seed.
// Failures. Calls fail with InvalidArgument: for an unknown policy, with the nearest word, and for
// what CheckPackingTrace refuses. A task that fits nowhere is no failure: its node is -1.
// Ownership. Traces and results are values.
// Threads. Any number of threads may replay one trace at once.
// Cost. About half a microsecond a decision on 1,213 nodes; bench/README.md has measurements.
#ifndef MUSTER_PACKING_H_
#define MUSTER_PACKING_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "muster/export.h"
#include "muster/trace.h"

namespace muster {

// Amounts are thousandths of a cpu or GPU, and Mi of memory.
struct PackingNode {
  std::string name = {};
  // 0 to 2^21.
  int64_t cpu_milli = 0;
  // 0 to 2^40.
  int64_t memory_mebi = 0;
  // 0 to 16.
  int32_t gpus = 0;
  // Of its GPUs. A trace has at most 64 different models.
  std::string model = {};
};

// What a task requests: no GPU, a part of one, or several whole ones.
struct PackingShape {
  // 0 to 2^40 each.
  int64_t cpu_milli = 0, memory_mebi = 0;
  // 0 to 16.
  int32_t gpus = 0;
  // Of each GPU: 0 for no GPU, 1 to 1000 for one, 1000 for several.
  int32_t gpu_milli = 0;
  // "A|B": the node's model must be one of these. Empty: any model will do.
  std::string models = {};
};

// The nodes, the tasks, and the order in which the tasks arrive.
struct PackingTrace {
  // The name in errors.
  std::string name = {};
  std::vector<PackingNode> nodes = {};
  // By node; a permutation. Of equally good nodes the one with the smallest rank wins. Empty: the
  // order of `nodes`.
  std::vector<uint32_t> rank = {};
  std::vector<PackingShape> shapes = {};
  // By task, an index into `shapes`. Fragments are measured by the most frequent of these.
  std::vector<uint32_t> shape = {};
  // Tasks in the order of arrival. A task may arrive several times, or never.
  std::vector<uint32_t> arrivals = {};

  // Returns the GPUs of all nodes together.
  int64_t gpu_milli() const {
    int64_t total = 0;
    for (const PackingNode& node : nodes) total += int64_t{1000} * node.gpus;
    return total;
  }
};

// Reads nodes, tasks and the order of options.seed. files.arrivals must have bytes. Rows are known
// by number, so bad lines cannot be left out.
MUSTER_EXPORT absl::StatusOr<PackingTrace> ReadOpenbPacking(const OpenbFiles& files,
                                                            const OpenbOptions& options = {});

// Fails where an amount is out of its range, ranks are no permutation, an index has no row, or no
// node has a GPU. Cost: O(nodes + tasks + arrivals).
MUSTER_EXPORT absl::Status CheckPackingTrace(const PackingTrace& trace);

// How to play.
struct PackingOptions {
  // Of fgd:random.
  uint64_t seed = 0;
  // True: fragments are measured after each arrival, and the curves are filled.
  bool curves = true;
};

// What became of the arrivals.
struct PackingResult {
  // The policy, as the caller named it.
  std::string policy;
  // Kinds of tasks that fragments are measured by.
  int64_t typical = 0;

  // One entry an arrival. A node of -1: the task fitted nowhere. Bit i of `gpus`: GPU i of the
  // node.
  std::vector<int32_t> node;
  std::vector<uint32_t> gpus;

  // Arrivals that fitted nowhere.
  int64_t failed = 0;
  // GPU that arrived and GPU in use, in thousandths, at the end.
  int64_t arrived_milli = 0, used_milli = 0;

  // The rest is empty without PackingOptions::curves. After each arrival: free GPU that is
  // fragments, in thousandths.
  std::vector<double> fragments;
  // Curves: entry p is the mean over the arrivals after which p percent of all GPUs, rounded, had
  // arrived; 0 to 1000. Where there is no such arrival, it is the mean of the neighbors; NaN where
  // they have none either. In percent: of all GPUs, of all GPUs, of what is free.
  std::vector<double> allocated;
  std::vector<double> fragment;
  std::vector<double> fragment_ratio;
};

// Plays the arrivals under one of the policies above.
MUSTER_EXPORT absl::StatusOr<PackingResult> ReplayPacking(const PackingTrace& trace,
                                                          std::string_view policy,
                                                          const PackingOptions& options = {});

// Returns the words for policies.
MUSTER_EXPORT std::vector<std::string_view> PackingPolicies();

}  // namespace muster

#endif  // MUSTER_PACKING_H_
