// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Opportunistic batching: a pod that is like the one before goes to the best node that is left of
// its list, if it fits there, without a look at the others.
//
//   Batch batch;
//   batch.Load(slot);
//   NodeIndex hint = batch.Hint(&cycle, world, number, now, ticks);
//   batch.Note(cycle, hint, node, number, now);
//
// The list has the raw scores with which it was made. If the pod before could have gone to its node
// a second time, that node joins the list again with new scores. A list serves consecutive cycles
// of pods of one signature, for half a second, and never pods with a nominated node. Pods with
// affinity to pods or spread constraints have no signature.
#ifndef MUSTER_PEER_KUBE_SCHEDULER_BATCH_H_
#define MUSTER_PEER_KUBE_SCHEDULER_BATCH_H_

#include <cstdint>
#include <string>
#include <vector>

#include "lib/peer/kube_scheduler/pod_cycle.h"
#include "muster/memory.h"

namespace muster::kube {

class Batch {
 public:
  void Load(const MemorySlot& slot, const Tables& tables);
  void Store(MemorySlot* slot, const Tables& tables) const;

  // Returns the node to be tried first, and takes it off the list; kNone: none. `number` is that of
  // the cycle.
  NodeIndex Hint(PodCycle* cycle, const World& world, int64_t number, int64_t now, int64_t ticks);
  // Notes that the cycle chose `node`.
  void Note(const PodCycle& cycle, NodeIndex hint, NodeIndex node, int64_t number, int64_t now);

 private:
  bool Serves(const PodCycle& cycle, int64_t number, int64_t now, int64_t ticks) const;

  std::string signature_;  // empty: there is no list
  int64_t made_ = 0;       // when
  int64_t last_number_ = -1;
  NodeIndex last_node_ = kNone;
  std::vector<ScoredNode> heap_;
};

}  // namespace muster::kube

#endif  // MUSTER_PEER_KUBE_SCHEDULER_BATCH_H_
