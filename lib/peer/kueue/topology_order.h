// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// How many pods a domain has room for, and the orders in which domains are filled.
//
//   OrderRule rule{.least_first = true};
//   if (KeyOf(a, rank_of_a, rule) < KeyOf(b, rank_of_b, rule)) ...    // a is filled before b
//
// The order compares, until there is a difference:
// - with_leader: domains with room for the leader first;
// - by_affinity: the higher score first;
// - slices (with_leader: those beside a leader): the most first, or with least_first the fewest;
// - pods (with_leader: those beside a leader): the fewest first;
// - the rank, which is the order of the domains' values.
#ifndef MUSTER_PEER_KUEUE_TOPOLOGY_ORDER_H_
#define MUSTER_PEER_KUEUE_TOPOLOGY_ORDER_H_

#include <compare>
#include <cstdint>

namespace muster::kueue {

// The room of a domain, or what it takes once pods are dealt out.
struct DomainCounts {
  int32_t pods = 0, slices = 0;                          // without a leader
  int32_t pods_with_leader = 0, slices_with_leader = 0;  // beside a leader, where one has room
  int32_t leaders = 0;                                   // 1: a leader has room
  int64_t affinity = 0;  // the sum of its nodes' scores by preferred affinity
  friend bool operator==(const DomainCounts&, const DomainCounts&) = default;
};

struct OrderRule {
  bool with_leader = false, least_first = false, by_affinity = false;
};

// Keys of one rule compare as their domains do.
struct OrderKey {
  uint32_t leader;
  uint64_t affinity, room;
  uint32_t rank;
  friend auto operator<=>(const OrderKey&, const OrderKey&) = default;
};

inline OrderKey KeyOf(const DomainCounts& c, uint32_t rank, const OrderRule& rule) {
  const auto ascending = [](int32_t n) { return static_cast<uint32_t>(n) ^ 0x80000000U; };
  const uint32_t slices = ascending(rule.with_leader ? c.slices_with_leader : c.slices);
  const uint32_t pods = ascending(rule.with_leader ? c.pods_with_leader : c.pods);
  return {rule.with_leader ? ~ascending(c.leaders) : 0U,
          rule.by_affinity ? ~(static_cast<uint64_t>(c.affinity) ^ (uint64_t{1} << 63U)) : 0U,
          (static_cast<uint64_t>(rule.least_first ? slices : ~slices) << 32U) | pods, rank};
}

}  // namespace muster::kueue

#endif  // MUSTER_PEER_KUEUE_TOPOLOGY_ORDER_H_
