// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Flavors: kinds of capacity that quota is counted in.
//
//   cluster.SetFlavor({.name = "spot", .node_labels = {{"tier", "spot"}},
//                      .taints = {{.key = "spot", .effect = muster::TaintEffect::kNoSchedule}},
//                      .tolerations = {{.key = "spot", .op = muster::TolerationOp::kExists}}});
//
// A flavor stands for the nodes that have all its labels. queue_rules.h says how much of a flavor a
// queue may use. A queue may name a flavor that does not exist (yet): its quota then counts, and no
// task gets that flavor. Names are unique among flavors.
#ifndef MUSTER_FLAVOR_H_
#define MUSTER_FLAVOR_H_

#include <optional>
#include <string>
#include <vector>

#include "muster/shape.h"

namespace muster {

// A tree over the nodes of a flavor, made of the values of their labels.
struct FlavorTopology {
  std::string name = {};
  std::vector<std::string> levels = {};  // label keys, the widest first; one or more, all different
  friend bool operator==(const FlavorTopology&, const FlavorTopology&) = default;
};

struct FlavorSpec {
  std::string name = {};
  Labels node_labels = {};                      // empty: every node is of this flavor
  std::vector<Taint> taints = {};               // that a task must tolerate to get this flavor
  std::vector<Toleration> tolerations = {};     // added to those of a task that gets it
  std::optional<FlavorTopology> topology = {};  // absent: places in a topology are not counted
};

}  // namespace muster

#endif  // MUSTER_FLAVOR_H_
