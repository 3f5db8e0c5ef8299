// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Which hosts of a topology a pod set may use, by taints, node selector and node affinity.
//
//   LeafFilters filters(&tree, /*scores=*/false);
//   const uint32_t f = filters.Find(shape);
//   if (filters.at(f).Allows(leaf)) ...
//
// Filters are kept: shapes that are equal in what is read have one number. Where leaves are no
// hosts, every leaf is allowed.
//
// Cost. O(hosts) for a new filter; later O(size of the shape's constraints).
#ifndef MUSTER_PEER_KUEUE_TOPOLOGY_FILTERS_H_
#define MUSTER_PEER_KUEUE_TOPOLOGY_FILTERS_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "lib/base/hash_map.h"
#include "lib/peer/kueue/topology_tree.h"
#include "muster/shape.h"

namespace muster::kueue {

struct LeafFilter {
  std::vector<uint8_t> allowed = {};  // by leaf; empty: all are
  std::vector<int64_t> scores = {};   // by leaf, of preferred affinity; empty: all are 0
  // Hosts that are not allowed, by the first cause.
  int32_t by_selector = 0, by_affinity = 0;
  std::vector<std::pair<std::string, int32_t>> by_taint = {};  // the taint as text

  bool Allows(uint32_t leaf) const { return allowed.empty() || allowed[leaf] != 0; }
  int64_t Score(uint32_t leaf) const { return scores.empty() ? 0 : scores[leaf]; }
};

class LeafFilters {
 public:
  // `scores`: preferred node affinity is read, too. The tree must outlive the filters.
  LeafFilters(const TopologyTree* tree, bool scores);
  uint32_t Find(const TaskShape& shape);
  const LeafFilter& at(uint32_t filter) const { return filters_[filter]; }

 private:
  LeafFilter Make(const TaskShape& shape) const;
  std::string KeyOf(const TaskShape& shape) const;

  const TopologyTree* tree_;
  bool scores_;
  bool taints_ = false;              // some host has a taint that repels
  std::vector<LeafFilter> filters_;  // 0: all leaves
  HashMap<std::string, uint32_t> by_key_;
};

}  // namespace muster::kueue

#endif  // MUSTER_PEER_KUEUE_TOPOLOGY_FILTERS_H_
