// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What the selectors of one round have chosen so far, and how much more they may.
#ifndef MUSTER_PEER_YARN_PREEMPT_SELECTION_H_
#define MUSTER_PEER_YARN_PREEMPT_SELECTION_H_

#include <optional>
#include <vector>

#include "lib/base/hash_map.h"
#include "lib/peer/yarn/capacity/scheduler.h"
#include "lib/peer/yarn/preempt/shares.h"
#include "lib/peer/yarn/preempt/table_order.h"

namespace muster::yarn {

// What is left to obtain from a leaf, by partition; none where nothing is.
using Obtain = std::vector<std::optional<Resource>>;

class Selection {
 public:
  // `tables`: the order of the peer's tables; none: as in monitor.h.
  Selection(CapacityScheduler* scheduler, std::vector<ShareTree>* trees, Resource allowed,
            std::optional<TableOrder> tables)
      : scheduler(*scheduler), trees(*trees), allowed(allowed), tables_(tables) {}

  bool Has(ContainerIndex c) const { return chosen_.contains(c); }
  void Choose(ContainerIndex c);
  // Chooses the container if `obtain` and the allowance leave room for it, and takes it off both.
  // A conservative choice needs every component of what is to be obtained above 0; another one
  // must bring the sum down.
  bool TryChoose(ContainerIndex c, bool is_conservative, Obtain* obtain);

  void Compute(const ShareRules& rules);
  // Takes what is chosen off what is to be obtained from queues.
  void DeductChosen();
  Obtain ObtainOf(QueueIndex leaf) const;

  // Returns all that is chosen, in the order of the tables, else the largest id first. What is
  // deducted depends on the order.
  std::vector<ContainerIndex> Chosen() const;
  // Returns the applications in the order of the tables, else as they are.
  std::vector<AppIndex> Arranged(std::vector<AppIndex> apps) const;
  // The live containers of an application: the least important first.
  std::vector<ContainerIndex> LiveOf(const App& app) const;
  QueueIndex QueueOf(const Container& c) const { return scheduler.apps()[c.app].queue; }
  Partition PartitionOf(const Container& c) const { return scheduler.nodes()[c.node].partition; }
  Calculator by() const { return scheduler.settings().calculator; }

  CapacityScheduler& scheduler;
  std::vector<ShareTree>& trees;  // by partition
  Resource allowed;
  std::vector<ContainerIndex> newest;   // since a selector began
  std::vector<ContainerIndex> dropped;  // reservations

 private:
  const std::optional<TableOrder> tables_;
  HashSet<ContainerIndex> chosen_;  // in the order of their choice
};

bool IsNothing(const Obtain& obtain);

struct PriorityRules {
  int64_t latest = 0;  // ms: reservations that were made later take nothing yet
  bool moves_reservations = false;
};
void SelectByPriority(const PriorityRules& rules, Selection* selection);
void SelectForReserved(const ShareRules& rules, Selection* selection);
void SelectFifo(const ShareRules& rules, bool is_conservative, Selection* selection);

struct IntraRules {
  bool user_limit_first = true, is_conservative = true;
  float threshold = 0.5F, limit = 0.2F;
};
void SelectWithinQueues(const IntraRules& rules, Selection* selection);

}  // namespace muster::yarn

#endif  // MUSTER_PEER_YARN_PREEMPT_SELECTION_H_
