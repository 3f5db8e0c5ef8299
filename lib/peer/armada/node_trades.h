// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The optimiser's trades: which running jobs of a node make room for one job, and what that costs.
//
//   NodeTrades trades(world, books, cost);
//   trades.ReadCosts();                                   // of queues, as the books have them
//   NodePlan plan{job, node};
//   absl::StatusOr<bool> fits = trades.PlanNode(job, node, &plan);
//   if (fits.ok() && *fits) trades.Pay(plan);             // for the next member of the gang
//
// Victims are preemptible jobs that are in no gang, of any queue, and of no higher priority. They
// go in an order that spares the queues with the least left: lower priorities than the job's first,
// then the queue that has most left per weight. A victim costs nothing if its priority is lower or
// its queue stays above its share, and else its share of the pool. `impact` is the largest part of
// a queue's cost that it loses.
//
// Ties. Victims go by priority, cost, age and rank of their ids, smallest first.
// Cost. O(jobs of the node x log) for each node that does not fit the job as it is.
#ifndef MUSTER_PEER_ARMADA_NODE_TRADES_H_
#define MUSTER_PEER_ARMADA_NODE_TRADES_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/peer/armada/cost.h"
#include "lib/peer/armada/node_books.h"
#include "lib/peer/armada/queue_walk.h"

namespace muster::armada {

struct QueueCost {
  double current = 0, share = 0, weight = 1;
};

struct TradeVictim {
  int job, context;
  int32_t priority;
  double cost, price = 0, left = 0;  // left: the weighted cost of the queue without it
  bool lower = false;                // of a lower priority than the job's class
  int64_t age = 0;
};

struct NodePlan {
  int job, node;
  double cost = 0, impact = 0;
  std::vector<TradeVictim> victims;
};

// Returns whether the optimiser spares a job with these requests; a limit of 0, or none, spares
// nothing.
bool IsTooLargeToEvict(const int64_t* requests, const Amounts& largest);

class NodeTrades {
 public:
  // All must outlive this.
  NodeTrades(const WalkWorld& world, const NodeBooks& books, const Cost& cost)
      : world_(world), books_(books), cost_(cost), rules_(world.tables.state.options.optimiser) {}

  // Reads what queues cost now. Has to be called before plans are made.
  void ReadCosts();
  void SetCosts(std::vector<QueueCost> costs) { costs_ = std::move(costs); }
  // Takes the cost of the plan's victims from their queues.
  void Pay(const NodePlan& plan);

  // Returns whether the job fits on the node once the plan's victims have gone.
  absl::StatusOr<bool> PlanNode(int job, int node, NodePlan* plan) const;
  // Returns whether a node is worth its cost, and the plan of the cheapest, the first of equals.
  absl::StatusOr<bool> PlanJob(int job, const std::vector<int>& nodes, NodePlan* plan) const;

 private:
  absl::StatusOr<std::vector<TradeVictim>> VictimsOn(int job, int node) const;
  absl::StatusOr<bool> MakeVictim(int job, int victim, TradeVictim* made) const;
  void Price(std::vector<TradeVictim>& victims, int32_t priority) const;

  const WalkWorld& world_;
  const NodeBooks& books_;
  const Cost& cost_;
  const Optimiser& rules_;
  std::vector<QueueCost> costs_;  // by context
};

}  // namespace muster::armada

#endif  // MUSTER_PEER_ARMADA_NODE_TRADES_H_
