// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Random clusters from a seed and a few knobs, for trials and benchmarks.
//
//   absl::StatusOr<Scenario> scenario = Generate({.mix = "openb", .nodes = 1213, .seed = 1});
//
// Equal knobs give equal scenarios, everywhere. Every task fits an empty node of the cluster, of
// which there is at least one of each kind if there are enough nodes. Jobs and nodes come as
// groups, so a cluster of a hundred thousand pending tasks is made and written in well under a
// second.
#ifndef MUSTER_SCENARIO_GENERATE_H_
#define MUSTER_SCENARIO_GENERATE_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "lib/scenario/scenario.h"

namespace muster {

struct GenerateOptions {
  // uniform, openb, philly, hpc: kinds of nodes, shapes of tasks, gang sizes.
  std::string mix = "uniform";
  int64_t nodes = 100;
  uint64_t seed = 1;

  // How much is pending: so many tasks, or as many as request `load` of the capacity (of what is
  // scarcest).
  std::optional<int64_t> tasks;
  double load = 1.0;
  std::optional<int64_t> jobs;  // so many; tasks are then spread over them evenly
  int64_t gang = 8;             // largest gang of the uniform mix; sizes are between 1 and this
  int64_t priorities = 1;       // levels 0, 10, 20, ...

  int64_t queues = 4;  // leaves of the queue tree (philly brings its own)
  int64_t depth = 1;   // levels of that tree

  int64_t types = 3;               // kinds of nodes of the uniform mix
  std::optional<int64_t> classes;  // different task shapes; absent: 10, or as many as the mix has
  double gpu = 0.3;                // share of kinds and shapes of the uniform mix that have GPUs
  double gpu_share = 0;            // share of those shapes that request part of a GPU
  double occupancy = 0;            // share of each node that running tasks fill

  // Shares of the task shapes that carry such a constraint; `taints` is also the share of tainted
  // nodes.
  double selectors = 0, taints = 0, affinity = 0, spread = 0;
};

// Errors: a knob out of range, by name; an unknown mix, with the nearest one.
absl::StatusOr<Scenario> Generate(const GenerateOptions& options);

}  // namespace muster

#endif  // MUSTER_SCENARIO_GENERATE_H_
