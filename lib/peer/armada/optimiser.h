// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The last step of a round: gangs of queues below their share, for which running jobs of queues
// above theirs make room.
//
//   OptimiserPass pass(world, books, finder, gangs, cost);
//   absl::Status status = pass.Run(queued);
//   Use(pass.scheduled(), pass.preempted());
//
// Each job looks at every node that suits it. Victims are preemptible jobs that are in no gang, of
// any queue. They go in an order that spares the queues with the least left. A victim costs nothing
// if its priority is lower or its queue stays above its share, and else its share of the pool. The
// node of the least cost is taken, if the job is worth enough more.
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
#include "lib/peer/armada/queue_walk.h"

namespace muster::armada {

class OptimiserPass {
 public:
  OptimiserPass(const WalkWorld& world, NodeBooks& books, NodeFinder& finder, GangScheduler& gangs,
                const Cost& cost);

  // `queued` has the jobs of each context in their order.
  absl::Status Run(const std::vector<std::vector<int>>& queued);

  const std::vector<int>& scheduled() const { return scheduled_; }
  const std::vector<int>& preempted() const { return preempted_; }

 private:
  struct QueueCost {
    double current = 0, share = 0, weight = 1;
  };
  struct Victim {
    int job, context;
    int32_t priority;
    double cost, price = 0, left = 0;  // left: the weighted cost of the queue without it
    bool lower = false;                // of a lower priority than the job's class
    int64_t age = 0;
  };
  struct NodePlan {
    int job, node;
    double cost = 0, impact = 0;
    std::vector<Victim> victims;
  };
  struct GangPlan {
    double cost = 0;
    std::vector<NodePlan> jobs;
  };

  bool Considers(const GangOrder& order, const Candidate& gang) const;
  absl::StatusOr<Reason> CheckGang(const Candidate& gang);
  absl::Status Try(const Candidate& gang);
  absl::StatusOr<bool> PlanGang(const Candidate& gang, const std::vector<int>& nodes,
                                GangPlan* plan);
  absl::StatusOr<bool> PlanJob(int job, const std::vector<int>& nodes, NodePlan* plan);
  absl::StatusOr<bool> PlanNode(int job, int node, NodePlan* plan) const;
  absl::StatusOr<std::vector<Victim>> VictimsOn(int job, int node) const;
  absl::StatusOr<bool> MakeVictim(int job, int victim, Victim* made) const;
  void Price(std::vector<Victim>& victims, int32_t priority) const;
  void Seat(const NodePlan& plan);
  absl::Status Commit(const GangPlan& plan);
  std::vector<std::vector<int>> GroupNodes(const Candidate& gang) const;

  const WalkWorld& world_;
  NodeBooks& books_;
  NodeFinder& finder_;
  GangScheduler& gangs_;
  const Cost& cost_;
  const Optimiser& rules_;
  std::vector<QueueCost> costs_;  // by context, during a try
  Amounts placed_;
  std::vector<int> scheduled_, preempted_;
};

}  // namespace muster::armada

#endif  // MUSTER_PEER_ARMADA_OPTIMISER_H_
