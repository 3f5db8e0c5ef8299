// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What queues deserve, are guaranteed and may hold at most where all this is given and not found
// out by weight: side by side, or as one tree that the queue "root" holds together.
//
//   QueueBounds bounds;
//   bounds.Open(tables, ledger, /*hierarchy=*/true);
//   if (bounds.sound() && held > bounds.limit(queue).value[d]) ...
//
// A queue's limit is its own, and no more than what is above it has beyond the guarantees of the
// others there: above is the cluster, or in a tree the queue's parent. In a tree a queue takes the
// limits that it does not name from its parent, the root's are none unless it names some, and the
// root is guaranteed and deserves what its children do. A queue deserves at least what it is
// guaranteed; side by side it deserves no more than its limit.
// Peer. Volcano's capacity plugin. A tree is sound when there is a queue "root" that names no
// parent, and no job in a queue above others; a queue that names no parent hangs on the root.
// Children may deserve and be guaranteed more than their parent.
// Cost. O(queues x dimensions) to open.
#ifndef MUSTER_PEER_VOLCANO_POLICY_QUEUE_BOUNDS_H_
#define MUSTER_PEER_VOLCANO_POLICY_QUEUE_BOUNDS_H_

#include <cstdint>
#include <vector>

#include "lib/ledger/ledger.h"
#include "lib/model/tables.h"
#include "lib/share/water_filling.h"

namespace muster {

class QueueBounds {
 public:
  void Open(const Tables& tables, const Ledger& ledger, bool hierarchy);

  // Whether the queues are a tree that can be divided. Side by side they always are.
  bool sound() const { return sound_; }
  const MaybeAmounts& deserved(QueueIndex q) const { return bounds_[q].deserved; }
  const MaybeAmounts& guarantee(QueueIndex q) const { return bounds_[q].guarantee; }
  const MaybeAmounts& limit(QueueIndex q) const { return bounds_[q].limit; }

  // --- the tree; side by side every queue is a root of its own
  const std::vector<QueueIndex>& parents() const { return parents_; }
  QueueIndex parent(QueueIndex q) const { return parents_[q]; }
  uint32_t depth(QueueIndex q) const { return depths_[q]; }  // the root's is 0
  bool leaf(QueueIndex q) const { return leaf_[q]; }
  // The queue at that depth on the way from the root to `q`; `q` itself if it is not that deep.
  QueueIndex Above(QueueIndex q, uint32_t depth) const;
  // The lowest queue that is above both; kNone: one of them is the root.
  QueueIndex AboveBoth(QueueIndex a, QueueIndex b) const;
  // What the queue and all below it hold.
  int64_t Held(QueueIndex q, DimensionIndex d) const;

 private:
  struct Bounds {
    MaybeAmounts deserved, guarantee, capability, limit;
  };
  void OpenSideBySide();
  bool OpenTree();
  void OpenChildren(QueueIndex parent, const std::vector<QueueIndex>& children);
  MaybeAmounts Given(const RowTable& table, QueueIndex q) const;

  const Tables* tables_ = nullptr;
  const Ledger* ledger_ = nullptr;
  bool sound_ = true, hierarchy_ = false;
  QueueIndex root_ = kNone;
  std::vector<QueueIndex> tops_;  // that hang on the root without saying so
  std::vector<Bounds> bounds_;
  std::vector<QueueIndex> parents_;
  std::vector<uint32_t> depths_;
  std::vector<uint8_t> leaf_;
};

}  // namespace muster

#endif  // MUSTER_PEER_VOLCANO_POLICY_QUEUE_BOUNDS_H_
