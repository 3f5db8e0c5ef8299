// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Partitions: sets of nodes with queues of their own.
//
//   muster::Cluster cluster;
//   cluster.SetPartition({.name = "gpu",
//                         .selector = muster::Selector{.match_labels = {{"pool", "gpu"}}},
//                         .queues = {"root.gpu"}});
//
// Promise. A node is in the first partition, in the order in which they were set, that lists its
// name or selects its labels. A node of no partition is in the default one, which has no name.
// Nodes and queues may be named before they exist.
// Failure. Cluster::SetPartition fails with InvalidArgument for an empty name of a row, a name
// listed twice, and a selector that breaks a rule of shape.h. Names are unique among partitions: a
// partition of a known name replaces the old one.
// Ownership, threads. Plain values.
// Cost. What their texts take. Setting a partition costs O(its size).
#ifndef MUSTER_PARTITION_H_
#define MUSTER_PARTITION_H_

#include <optional>
#include <string>
#include <vector>

#include "muster/shape.h"

namespace muster {

// One set of nodes.
struct PartitionSpec {
  // The name of the partition. Required: not empty.
  std::string name = {};
  // Names of nodes, each once. Default: none.
  std::vector<std::string> nodes = {};
  // Selects further nodes by their labels. Absent: only those listed.
  std::optional<Selector> selector = {};
  // Names of the queues with jobs that run there, with all queues below them. Empty: all queues.
  std::vector<std::string> queues = {};
  // False: idle nodes also serve the default partition. Default: true.
  bool exclusive = true;
  // Names of partitions with nodes that its jobs may also use. Default: none.
  std::vector<std::string> borrows = {};
};

}  // namespace muster

#endif  // MUSTER_PARTITION_H_
