// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Flavors: kinds of capacity that quota is counted in.
//
//   muster::Cluster cluster;
//   cluster.SetFlavor({.name = "spot", .node_labels = {{"tier", "spot"}},
//                      .taints = {{.key = "spot", .effect = muster::TaintEffect::kNoSchedule}},
//                      .tolerations = {{.key = "spot", .op = muster::TolerationOp::kExists}}});
//
// Promise. A flavor stands for the nodes that have all its labels. queue_rules.h explains how much
// of a flavor a queue may use. A queue may name a flavor that does not exist (yet): its quota then
// counts, and no task gets that flavor.
// Failure. Cluster::SetFlavor fails with InvalidArgument for an empty name, texts that are not
// UTF-8, and a topology with no levels, more than 16, or one level twice. Names are unique among
// flavors: a flavor of a known name replaces the old one.
// Ownership, threads. Plain values.
// Cost. What their texts take. Setting a flavor costs O(its size).
#ifndef MUSTER_FLAVOR_H_
#define MUSTER_FLAVOR_H_

#include <optional>
#include <string>
#include <vector>

#include "muster/shape.h"

namespace muster {

// A tree over the nodes of a flavor, made of the values of their labels: nodes with equal values
// for a level, and for all wider ones, are in one domain of that level. It is not the topology tree
// of DomainSpec.
struct FlavorTopology {
  // The name of the topology. Required: not empty.
  std::string name = {};
  // Label keys, the widest first: 1 to 16, all different, none empty.
  std::vector<std::string> levels = {};
  friend bool operator==(const FlavorTopology&, const FlavorTopology&) = default;
};

// One kind of capacity. Every list may be empty, which is the default.
struct FlavorSpec {
  // The name by which quota mentions the flavor. Required: not empty.
  std::string name = {};
  // A node is of this flavor if it has all these labels. Empty: every node is of this flavor.
  Labels node_labels = {};
  // Taints that a task must tolerate to get this flavor.
  std::vector<Taint> taints = {};
  // Tolerations that are added to those of a task that gets this flavor.
  std::vector<Toleration> tolerations = {};
  // The topology that places are counted in. Absent: places in a topology are not counted.
  std::optional<FlavorTopology> topology = {};
};

}  // namespace muster

#endif  // MUSTER_FLAVOR_H_
