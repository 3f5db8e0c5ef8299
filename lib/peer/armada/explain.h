// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Reasons of a round: why its queued jobs did not get nodes.
//
//   Explainer explain(context, world, round, config.pool);
//   explain.All();
//
// A job without a node gets no_node with the rules of the nodes that refuse it, and the peer's
// message in Reason::where; in a market the bid follows from which on a node would have room
// (gang_prices.h). Limits of queues are queue_limit, cordoned queues queue_closed. Limits
// of the round and rates are not_admitted with the peer's message. A round or queue that had come
// to its end is the reason of the jobs behind.
//
// Cost. O(jobs), and O(nodes) for each shape that found no node.
#ifndef MUSTER_PEER_ARMADA_EXPLAIN_H_
#define MUSTER_PEER_ARMADA_EXPLAIN_H_

#include <optional>
#include <string>
#include <vector>

#include "lib/part/context.h"
#include "lib/peer/armada/read_world.h"
#include "lib/peer/armada/round.h"

namespace muster::armada {

// Explains the tasks of gangs that have too few tasks, which are in no round.
void ExplainIncomplete(ActionContext& context, const World& world);

class Explainer {
 public:
  // All must outlive this. The round has run.
  Explainer(ActionContext& context, const World& world, const Round& round,
            const std::string& pool);

  // Explains the queued jobs that the round did not schedule, and what is in no round.
  void All();
  // Explains a job of which the round's decision could not be carried out.
  void Undone(int job);

 private:
  muster::Reason ReasonOf(int job, Reason reason) const;
  std::string TextOf(int job, Reason reason) const;
  muster::Reason NoNode(int job, Reason reason) const;
  // Returns the lowest price of a node for the job; absent if it would fit on none.
  std::optional<double> CheapestNode(int job) const;
  void AddRefusal(int job, size_t node, muster::Reason* reason) const;
  DimensionIndex LimitedDimension(int job) const;
  DimensionIndex FloatingShortage() const;
  ReasonPtr Shared(int job, Reason reason);

  ActionContext& context_;
  const World& world_;
  const Round& round_;
  const std::string& pool_;
  std::vector<Reason> ended_;            // by context: why its queue came to its end
  HashMap<uint64_t, ReasonPtr> shared_;  // by shape, reason and queue
};

}  // namespace muster::armada

#endif  // MUSTER_PEER_ARMADA_EXPLAIN_H_
