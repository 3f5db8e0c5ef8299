// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What an autoscaler is asked: the tasks that wait, the nodes that are there, and the types of
// nodes that can be had.
//
//   preset.rules.wanted_nodes = NodesFor;                   // a WantedNodesRule of the peer's
//   const std::vector<int64_t> counts = config.wanted_nodes(demands);   // by type
//
// Amounts have one cell for each dimension, in the units of types.h, 0 where there is none.
#ifndef MUSTER_PART_WANTED_NODES_H_
#define MUSTER_PART_WANTED_NODES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "muster/spec.h"

namespace muster {

struct NodeDemands {
  // What waits of one job, in the order of its tasks.
  struct Job {
    BundleStrategy strategy = BundleStrategy::kNone;
    std::vector<std::vector<int64_t>> requests;
  };
  struct Type {
    std::string name;
    std::vector<int64_t> amounts;
    int64_t most = 0;  // that can be had
  };
  std::vector<std::string> dimensions;     // their names
  std::vector<std::vector<int64_t>> free;  // of each node, in the order of the table
  std::vector<Job> jobs;                   // in the order of the table
  std::vector<Type> types;                 // in the order of the offers
};

// Returns how many nodes of each type the autoscaler starts.
using WantedNodesRule = std::vector<int64_t> (*)(const NodeDemands& demands);

}  // namespace muster

#endif  // MUSTER_PART_WANTED_NODES_H_
