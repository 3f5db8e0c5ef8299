// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// In a market: the bid from which on a gang would get its nodes.
//
//   GangPricer pricer(world, books, finder);
//   absl::StatusOr<GangPrice> price = pricer.Price(jobs, "zone");   // all nodes of one zone
//   if (price.ok() && price->reason == Reason::kNone) Show(price->price);
//
// A node with room costs nothing. Elsewhere jobs leave, the lowest bid first, until there is room;
// the node costs the bid of the last of them. A member takes the cheapest node, a gang costs what
// its dearest member does, and a label the cheapest of its values. Jobs that nothing preempts count
// with their fixed price; members of the gang never leave for one another. Nothing is decided.
//
// Ties. Victims go by bid, age and rank of their ids; nodes by their ids.
// Cost. O(nodes x jobs of a node x log) for each member and value.
#ifndef MUSTER_PEER_ARMADA_GANG_PRICES_H_
#define MUSTER_PEER_ARMADA_GANG_PRICES_H_

#include <string>
#include <vector>

#include "absl/types/span.h"
#include "lib/peer/armada/node_books.h"
#include "lib/peer/armada/node_finder.h"
#include "lib/peer/armada/queue_walk.h"

namespace muster::armada {

struct NodePrice {
  bool fits = false;
  double price = 0;
  std::vector<int> victims;  // in the order in which they leave
};

// Prices one job on one node. `gang`: jobs that do not leave.
NodePrice PriceNode(const WalkWorld& world, const NodeBooks& books, int job, int node,
                    absl::Span<const int> gang);

struct GangPrice {
  Reason reason = Reason::kNone;  // why there is no price
  double price = 0;
};

class GangPricer {
 public:
  // All must outlive this. The books are as before after each call.
  GangPricer(const WalkWorld& world, NodeBooks& books, NodeFinder& finder)
      : world_(world), books_(books), finder_(finder) {}

  // `uniformity`: a label of which all nodes have one value; empty: none.
  GangPrice Price(absl::Span<const int> gang, const std::string& uniformity);

 private:
  // Returns whether the gang fits on these nodes, which are in the order of their ids.
  bool PriceOn(absl::Span<const int> gang, const std::vector<int>& nodes, double* price);

  const WalkWorld& world_;
  NodeBooks& books_;
  NodeFinder& finder_;
};

// Returns why no nodes have a value of the label; kNone if some have, or there is no label.
Reason CheckUniformity(const Tables& tables, const std::string& uniformity);
// Returns the nodes that one gang may use together, in the order of their ids; a list for each
// value of the label, or one list where there is no label. Empty: the label is not indexed.
std::vector<std::vector<int>> GroupNodes(const Tables& tables, const std::string& uniformity);

}  // namespace muster::armada

#endif  // MUSTER_PEER_ARMADA_GANG_PRICES_H_
