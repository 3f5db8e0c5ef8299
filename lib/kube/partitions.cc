// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/kube/partitions.h"

#include <optional>
#include <string>

#include "lib/kube/selectors.h"

namespace muster {

std::vector<uint32_t> PartitionsOfNodes(const Tables& tables) {
  const NodeTable& nodes = tables.nodes;
  std::vector<uint32_t> of_node(nodes.alive.size(), kNone);
  for (uint32_t p = 0; p < tables.partitions.alive.size(); ++p) {
    if (!tables.partitions.alive[p]) continue;
    const PartitionSpec& partition = tables.partitions.spec[p];
    for (const std::string& name : partition.nodes) {
      const std::optional<NodeIndex> node = nodes.names.Find(name);
      if (node.has_value() && of_node[*node] == kNone) of_node[*node] = p;
    }
    if (!partition.selector.has_value()) continue;
    for (NodeIndex n = 0; n < of_node.size(); ++n) {
      const bool free = nodes.alive[n] && of_node[n] == kNone;
      if (free && Matches(*partition.selector, nodes.spec[n].labels)) of_node[n] = p;
    }
  }
  return of_node;
}

}  // namespace muster
