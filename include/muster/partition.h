// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Partitions: sets of nodes with queues of their own.
//
//   cluster.SetPartition({.name = "gpu",
//                         .selector = muster::Selector{.match_labels = {{"pool", "gpu"}}},
//                         .queues = {"root.gpu"}});
//
// A node is in the first partition, in the order in which they were set, that lists its name or
// selects its labels. A node of no partition is in the default one, which has no name. Nodes and
// queues may be named before they exist. Names are unique among partitions.
#ifndef MUSTER_PARTITION_H_
#define MUSTER_PARTITION_H_

#include <optional>
#include <string>
#include <vector>

#include "muster/shape.h"

namespace muster {

struct PartitionSpec {
  std::string name = {};
  std::vector<std::string> nodes = {};    // by name
  std::optional<Selector> selector = {};  // over labels of nodes; absent: only those listed
  std::vector<std::string> queues = {};   // whose jobs run there, with all below; empty: all
  bool exclusive = true;                  // false: idle nodes also serve the default partition
  std::vector<std::string> borrows = {};  // partitions whose nodes its jobs may use besides
};

}  // namespace muster

#endif  // MUSTER_PARTITION_H_
