// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/koordinator/nomination/preferred_nodes.h"

#include <algorithm>

namespace muster {

std::vector<std::string> PreferredNodes(std::span<const std::string> preferred,
                                        const std::set<std::string>* allowed, size_t most) {
  std::vector<std::string> nodes;
  for (const std::string& node : preferred.first(std::min(preferred.size(), most))) {
    if (allowed == nullptr || allowed->contains(node)) nodes.push_back(node);
  }
  return nodes;
}

}  // namespace muster
