// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Which partition a node is in.
//
//   const std::vector<uint32_t> partition = PartitionsOfNodes(tables);
//   if (partition[n] != kNone) ... tables.partitions.spec[partition[n]] ...
#ifndef MUSTER_KUBE_PARTITIONS_H_
#define MUSTER_KUBE_PARTITIONS_H_

#include <cstdint>
#include <vector>

#include "lib/model/tables.h"

namespace muster {

// Returns, by node, the first partition that lists its name or selects its labels; kNone: the
// default one, and rows that are dead. O(nodes * partitions).
std::vector<uint32_t> PartitionsOfNodes(const Tables& tables);

}  // namespace muster

#endif  // MUSTER_KUBE_PARTITIONS_H_
