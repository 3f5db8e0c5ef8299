// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// How many tasks may leave: per node, per namespace, and in all.
//
//   EvictionBook book({.per_node = 2});
//   if (book.Allows("n1", "default")) book.Count("n1", "default");
//
// Peer. Koordinator's eviction limiter. A task without a node counts for its namespace and in all.
// The book is emptied by making another one for each round.
//
// Cost. O(1).
#ifndef MUSTER_PEER_KOORDINATOR_REBALANCE_EVICTION_LIMITS_H_
#define MUSTER_PEER_KOORDINATOR_REBALANCE_EVICTION_LIMITS_H_

#include <cstdint>
#include <optional>
#include <string>

#include "lib/base/hash_map.h"

namespace muster::koordinator {

struct EvictionLimits {
  std::optional<int64_t> per_node = {}, per_namespace = {}, total = {};
};

class EvictionBook {
 public:
  explicit EvictionBook(const EvictionLimits& limits) : limits_(limits) {}

  bool Allows(const std::string& node, const std::string& name_space) const {
    const auto has_room = [](const std::optional<int64_t>& limit, int64_t count) {
      return !limit.has_value() || count < *limit;
    };
    return (node.empty() || has_room(limits_.per_node, Counted(of_node_, node))) &&
           has_room(limits_.per_namespace, Counted(of_namespace_, name_space)) &&
           has_room(limits_.total, total_);
  }
  void Count(const std::string& node, const std::string& name_space) {
    if (!node.empty()) ++of_node_[node];
    ++of_namespace_[name_space];
    ++total_;
  }

 private:
  using Counts = HashMap<std::string, int64_t>;
  static int64_t Counted(const Counts& counts, const std::string& key) {
    const auto found = counts.find(key);
    return found == counts.end() ? 0 : found->second;
  }

  EvictionLimits limits_;
  Counts of_node_, of_namespace_;
  int64_t total_ = 0;
};

}  // namespace muster::koordinator

#endif  // MUSTER_PEER_KOORDINATOR_REBALANCE_EVICTION_LIMITS_H_
