// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What the capacity scheduler reads of nodes and jobs: partitions, which are nodes by their label,
// and masters of applications.
//
//   absl::StatusOr<Partitions> partitions = ReadPartitions(tables, "gpu|ssd");
//   if (!partitions.ok()) return partitions.status();
//   const Partition p = partitions->of_node[n];   // 0: the node has no label
//
// Settings:
//
//   of a node  node-label             the partition that it is in; default: none
//   of a job   node-label-expression  the partition that its tasks request; default: none
//              master                 the group that its master is of; default: it has none
//              queue, application     as in queue_placement.h
//
// A label is letters, digits, '-' and '_', and does not begin with the last two. What has none is
// in the default partition, 0; the others are numbered by name. Labels that queues list, and shared
// ones, are partitions too, if without nodes.
#ifndef MUSTER_PEER_YARN_PARTITIONS_H_
#define MUSTER_PEER_YARN_PARTITIONS_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/model/tables.h"
#include "lib/peer/yarn/requests.h"

namespace muster::yarn {

struct Partitions {
  std::vector<std::string> names = {""};
  std::vector<bool> exclusive = {true};  // what is requested of no partition gets nothing here
  std::vector<Partition> of_node;        // by node of the cluster
  std::vector<Partition> of_job;
  std::vector<std::optional<GroupIndex>> master_of_job;

  size_t size() const { return names.size(); }
};

// The labels in a text, with blanks around them, between `separator`s.
std::vector<std::string> LabelsIn(std::string_view text, char separator);

// Fails with InvalidArgument for a label that is none, for other settings of nodes and jobs, and
// for more than 1,000 labels. `shared` lists partitions that are not exclusive, between '|'. Costs
// O(rows), times the logarithm of the number of labels.
absl::StatusOr<Partitions> ReadPartitions(const Tables& tables, std::string_view shared);

}  // namespace muster::yarn

#endif  // MUSTER_PEER_YARN_PARTITIONS_H_
