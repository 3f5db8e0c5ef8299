// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/kueue/cohort_path.h"

namespace muster::kueue {

std::optional<std::vector<uint32_t>> WayUp(const std::vector<uint32_t>& parents, uint32_t node) {
  std::vector<uint32_t> way;
  for (uint32_t up = parents[node]; up != kNothing; up = parents[up]) {
    if (way.size() == parents.size()) return std::nullopt;
    way.push_back(up);
  }
  return way;
}

std::vector<bool> Endless(const std::vector<uint32_t>& parents) {
  enum : uint8_t { kUnknown, kOpen, kEnds, kNever };
  std::vector<uint8_t> known(parents.size(), kUnknown);
  std::vector<uint32_t> way;
  for (uint32_t node = 0; node < parents.size(); ++node) {
    uint32_t up = node;
    for (; up != kNothing && known[up] == kUnknown; up = parents[up]) {
      known[up] = kOpen;
      way.push_back(up);
    }
    // A node of this very way: a cycle.
    const uint8_t found = up == kNothing       ? uint8_t{kEnds}
                          : known[up] == kOpen ? uint8_t{kNever}
                                               : known[up];
    for (; !way.empty(); way.pop_back()) known[way.back()] = found;
  }
  std::vector<bool> endless(parents.size());
  for (uint32_t node = 0; node < parents.size(); ++node) endless[node] = known[node] == kNever;
  return endless;
}

}  // namespace muster::kueue
