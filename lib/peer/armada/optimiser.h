// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The last step of a round: gangs of queues below their share, for which running jobs of queues
// above theirs make room.
//
//   OptimiserPass pass(world, books, finder, gangs, cost);
//   absl::Status status = pass.Run(queued);
//   Use(pass.scheduled(), pass.preempted());
//
// Each job looks at every node that suits it, and at the victims that would make room there
// (node_trades.h). The node of the least cost is taken, if the job is worth enough more.
//
// Surprises. A gang that the limits refuse stays in the books. Evicted jobs that did not come back
// still count as victims.
#ifndef MUSTER_PEER_ARMADA_OPTIMISER_H_
#define MUSTER_PEER_ARMADA_OPTIMISER_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/peer/armada/gang_order.h"
#include "lib/peer/armada/gang_scheduler.h"
#include "lib/peer/armada/node_books.h"
#include "lib/peer/armada/node_finder.h"
#include "lib/peer/armada/node_trades.h"
#include "lib/peer/armada/queue_walk.h"

namespace muster::armada {

class OptimiserPass {
 public:
  OptimiserPass(const WalkWorld& world, NodeBooks& books, NodeFinder& finder, GangScheduler& gangs,
                const Cost& cost);

  // `queued` has the jobs of each context in their order.
  absl::Status Run(const std::vector<std::vector<int>>& queued);
  // Trades places for one gang that keeps to all limits. Returns why it did not; kNone if it did.
  absl::StatusOr<Reason> Try(const Candidate& gang);

  const std::vector<int>& scheduled() const { return scheduled_; }
  const std::vector<int>& preempted() const { return preempted_; }

 private:
  struct GangPlan {
    double cost = 0;
    std::vector<NodePlan> jobs;
  };

  bool Considers(const GangOrder& order, const Candidate& gang) const;
  absl::StatusOr<Reason> CheckGang(const Candidate& gang);
  absl::StatusOr<bool> PlanGang(const Candidate& gang, const std::vector<int>& nodes,
                                GangPlan* plan);
  void Seat(const NodePlan& plan);
  absl::Status Commit(const GangPlan& plan);

  const WalkWorld& world_;
  NodeBooks& books_;
  NodeFinder& finder_;
  GangScheduler& gangs_;
  const Cost& cost_;
  NodeTrades trades_;
  const Optimiser& rules_;
  Amounts placed_;
  std::vector<int> scheduled_, preempted_;
};

}  // namespace muster::armada

#endif  // MUSTER_PEER_ARMADA_OPTIMISER_H_
