// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The nodes on which victims were too few for an evictor, kept for the evictors like it.
//
//   HopelessNodes nodes(context, Point::kPreemptable);
//   HopelessNodes::Kind* const known = nodes.Of(task);       // null: nothing may be kept
//   if (known != nullptr && known->Has(node)) return false;  // as TooFew(task, node) would
//   if (TooFew(task, node)) known->Note(node);
//
// A gang of a backlog finds places for some of its tasks and no victims for the rest, and gives the
// places back. The next gang has the same trouble on all other nodes, which have not changed.
// So where policies name victims by rows alone (AlikeEvictors::JudgesByRows), what was too little
// on a node is too little until the node's accounts change: the ledger's journal names it then.
// This holds for evictors of other jobs that hold no task that could be a victim.
//
// Cost. A byte for each node and kind of evictor, of the first 64 kinds. Of is O(changes of nodes
// since the last call for the kind).
#ifndef MUSTER_PEER_VOLCANO_ACTION_HOPELESS_NODES_H_
#define MUSTER_PEER_VOLCANO_ACTION_HOPELESS_NODES_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "lib/extension/alike_evictors.h"
#include "lib/part/context.h"

namespace muster {

class HopelessNodes {
 public:
  class Kind {
   public:
    bool Has(NodeIndex node) const { return hopeless_[node] != 0; }
    void Note(NodeIndex node) { hopeless_[node] = 1; }

   private:
    friend class HopelessNodes;
    TaskIndex like_ = kNone;  // one of the evictors
    size_t position_ = 0;     // in the ledger's journal
    std::vector<uint8_t> hopeless_;
  };

  // `point`: where the policies name victims.
  HopelessNodes(const ActionContext& context, Point point)
      : context_(context), keeps_(JudgeByRows(context.dispatcher, point)) {}

  // Returns what is known for evictors like the task, as the books are now. Valid until they change
  // or the next call.
  // REQUIRES: victims are looked for among tasks of other jobs.
  Kind* Of(TaskIndex task);

 private:
  const ActionContext& context_;
  const bool keeps_;
  std::vector<Kind> kinds_;
};

}  // namespace muster

#endif  // MUSTER_PEER_VOLCANO_ACTION_HOPELESS_NODES_H_
