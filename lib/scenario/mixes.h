// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Types of nodes and shapes of tasks that generated clusters are drawn from, as small tables.
// `openb`, `philly` and `hpc` follow what is published about three recorded clusters, rounded. They
// do not replay them.
//
//   const ClusterMix mix = NamedClusterMix("openb");
//   for (const NodeType& type : mix.nodes) ...   // generate.cc draws from them by their weights
//
// Traces are made from the tables of muster/mix.h, which are fitted to recorded ones.
#ifndef MUSTER_SCENARIO_MIXES_H_
#define MUSTER_SCENARIO_MIXES_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace muster {

struct NodeType {
  std::string name;
  int64_t weight;  // how many of them for how many of the others
  int64_t cpu_milli, memory_mib, gpus;
};

struct TaskType {
  int64_t weight;
  int64_t cpu_milli, memory_mib, gpu_milli;
};

// Sizes of gangs. A task type other than kAnyType is the one that gangs of this size are made of.
struct GangType {
  int64_t weight;
  int64_t size;
  int32_t task_type;
  int64_t estimate;  // seconds, 0: not known
};
inline constexpr int32_t kAnyType = -1;

struct QueueType {
  std::string name;
  int64_t weight;
  int64_t jobs;  // how many of the jobs are in it
};

struct ClusterMix {
  std::vector<NodeType> nodes;
  std::vector<TaskType> tasks;
  std::vector<GangType> gangs;    // empty: sizes come from the knob
  std::vector<QueueType> queues;  // empty: they come from the knobs
};

// Returns the names of the mixes, "uniform" (made from the knobs alone) first.
std::vector<std::string_view> ClusterMixNames();
// Returns the mix of a name other than "uniform", or empty tables if there is none.
ClusterMix NamedClusterMix(std::string_view name);

}  // namespace muster

#endif  // MUSTER_SCENARIO_MIXES_H_
