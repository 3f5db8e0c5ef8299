// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Nodes that a task prefers, which are tried before all others.
//
//   std::vector<std::string> nodes = PreferredNodes(hint, &allowed, 100);
//   // The first of them that passes the filters is taken. None: all nodes are tried.
//
// Peer. Koordinator's scheduling hints, in the order of the hint. Surprise: the list is cut to its
// most nodes before those that earlier filters left out are dropped. Cost: O(preferred x log
// allowed).
#ifndef MUSTER_PEER_KOORDINATOR_NOMINATION_PREFERRED_NODES_H_
#define MUSTER_PEER_KOORDINATOR_NOMINATION_PREFERRED_NODES_H_

#include <cstddef>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace muster {

// Returns the nodes to try first. `allowed` is what earlier filters left; null: all nodes.
std::vector<std::string> PreferredNodes(std::span<const std::string> preferred,
                                        const std::set<std::string>* allowed, size_t most);

}  // namespace muster

#endif  // MUSTER_PEER_KOORDINATOR_NOMINATION_PREFERRED_NODES_H_
