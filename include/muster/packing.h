// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Filling a cluster of GPUs until far more has arrived than it holds: the experiment of "Beware of Fragmentation"
// (ATC'23), decision by decision.
//
//   absl::StatusOr<muster::PackingTrace> trace = muster::ReadOpenbPacking(files, {.seed = 42});
//   absl::StatusOr<muster::PackingResult> result = muster::ReplayPacking(*trace, "fgd");
//   for (size_t i = 0; i < trace->arrivals.size(); ++i)
//     Use(trace->arrivals[i], result->node[i], result->gpus[i]);
//
// Tasks arrive one by one, are placed for good at once or dropped, and nothing leaves. Policies:
//   fgd                 fewest fragments arise: free GPU that the usual tasks could not use
//   fgd:best-fit, fgd:dotprod, fgd:gpu-packing, fgd:gpu-clustering    those it was compared with
//   fgd:random          any node that fits, any GPU with enough left
// docs/replay.md has their numbers.
// Promises. A pure function of (trace, policy, options). On the recorded orders of openb, all but fgd:random decide as
// the study's simulator did, node by node and GPU by GPU; its chance depended on the timing of threads, ours on the seed.
// Failures. InvalidArgument: an unknown policy, with the nearest word; what CheckPackingTrace refuses.
// Cost. About half a microsecond a decision on 1,213 nodes. See bench/README.md.
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

struct PackingNode {
  std::string name = {};
  int64_t cpu_milli = 0;  // at most 2^21
  int64_t memory_mebi = 0;
  int32_t gpus = 0;        // at most 16
  std::string model = {};  // of its GPUs; at most 64 different ones
};

// What tasks ask for: no GPU; or `gpu_milli` of one, 1 to 1000; or several, 1000 of each.
struct PackingShape {
  int64_t cpu_milli = 0, memory_mebi = 0;
  int32_t gpus = 0, gpu_milli = 0;
  std::string models = {};  // "A|B": only nodes with one of these; empty: any
};

struct PackingTrace {
  std::string name = {};
  std::vector<PackingNode> nodes = {};
  std::vector<uint32_t> rank = {};  // by node; ties go to the smallest. Empty: as they stand
  std::vector<PackingShape> shapes = {};
  std::vector<uint32_t> shape = {};     // by task; the typical tasks are the most frequent of these
  std::vector<uint32_t> arrivals = {};  // tasks, in order; some come several times, some never

  int64_t gpu_milli() const {  // of all nodes
    int64_t total = 0;
    for (const PackingNode& node : nodes) total += int64_t{1000} * node.gpus;
    return total;
  }
};

// Nodes, tasks and the order of `options.seed`. files.arrivals is needed. Rows are known by their numbers, so that bad
// ones cannot be left out.
MUSTER_EXPORT absl::StatusOr<PackingTrace> ReadOpenbPacking(const OpenbFiles& files,
                                                            const OpenbOptions& options = {});

// Amounts in range, as the comments above say; ranks that are a permutation; numbers that exist; a GPU somewhere.
MUSTER_EXPORT absl::Status CheckPackingTrace(const PackingTrace& trace);

struct PackingOptions {
  uint64_t seed = 0;   // of fgd:random
  bool curves = true;  // measure fragments after each arrival
};

struct PackingResult {
  std::string policy;
  int64_t typical = 0;  // kinds of tasks that fragments are measured by

  // By arrival.
  std::vector<int32_t> node;   // -1: it fitted nowhere
  std::vector<uint32_t> gpus;  // bit i: GPU i of the node

  int64_t failed = 0;                         // arrivals that fitted nowhere
  int64_t arrived_milli = 0, used_milli = 0;  // of GPUs, at the end

  // Only with PackingOptions::curves.
  std::vector<double> fragments;  // milli of free GPU that are fragments, after each arrival
  // By how much arrived, in percent of all GPUs, rounded: means over the arrivals up to there. Where none led there, of
  // the neighbours; NaN where they have none either. Up to 1000 percent.
  std::vector<double> allocated;       // percent of all GPUs
  std::vector<double> fragment;        // percent of all GPUs
  std::vector<double> fragment_ratio;  // percent of what is free
};

MUSTER_EXPORT absl::StatusOr<PackingResult> ReplayPacking(const PackingTrace& trace,
                                                          std::string_view policy,
                                                          const PackingOptions& options = {});

// The words for policies.
MUSTER_EXPORT std::vector<std::string_view> PackingPolicies();

}  // namespace muster

#endif  // MUSTER_PACKING_H_
