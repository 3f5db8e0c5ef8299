// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The order in which the peer's hash tables hold applications and containers of a round.
//
//   const TableOrder order(1'700'000'000'000);   // when the resource manager started, in ms
//   order.Apps({3, 1, 2});                       // places of the numbers, as a walk meets them
//   order.Containers({{1, 4}, {2, 1}});          // a table by application of sets of containers
//
// Keys are given in the order of insertion, which decides in a slot with several. An identifier
// holds the time at which the resource manager started, so the order differs between clusters. Each
// application has one attempt.
#ifndef MUSTER_PEER_YARN_PREEMPT_TABLE_ORDER_H_
#define MUSTER_PEER_YARN_PREEMPT_TABLE_ORDER_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "lib/peer/yarn/containers.h"

namespace muster::yarn {

class TableOrder {
 public:
  explicit TableOrder(int64_t started);

  std::vector<size_t> Apps(absl::Span<const uint32_t> apps) const;
  std::vector<size_t> Containers(absl::Span<const ContainerId> containers) const;

 private:
  uint32_t HashOfApp(uint32_t app) const;

  uint32_t start_ = 0;  // of the hash of an application, before its number
};

}  // namespace muster::yarn

#endif  // MUSTER_PEER_YARN_PREEMPT_TABLE_ORDER_H_
