// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Types of nodes, for advice about nodes that join.
//
//   for (NodeIndex n : NodeTypes(tables)) {
//     const NodeSpec like = NewNodeLike(tables.nodes.spec[n]);   // n is the first of its type
//   }
#ifndef MUSTER_ADVICE_NODE_TYPES_H_
#define MUSTER_ADVICE_NODE_TYPES_H_

#include <string_view>
#include <vector>

#include "lib/model/tables.h"
#include "muster/spec.h"

namespace muster {

// The label that Kubernetes gives each node: the name of its host.
inline constexpr std::string_view kHostLabel = "kubernetes.io/hostname";

// Returns whether the taint tells of the node's present state, as that it is closed or out of
// reach. Kubernetes puts it on the node and takes it off again.
bool IsOfState(const Taint& taint);

// Returns the spec of a node that joins and is like this one: open, ready and empty.
NodeSpec NewNodeLike(const NodeSpec& node);

// Returns the first living node of each type, ascending. Nodes are of one type if new nodes like
// them would differ in names alone: their own, those of their devices, and values of labels that
// name nodes. Such a label is kHostLabel; one that has the node's name as its value; or one of
// which no two nodes have the same value, if no task selects nodes by it or is spread over it.
// O(nodes x labels + classes).
std::vector<NodeIndex> NodeTypes(const Tables& tables);

}  // namespace muster

#endif  // MUSTER_ADVICE_NODE_TYPES_H_
