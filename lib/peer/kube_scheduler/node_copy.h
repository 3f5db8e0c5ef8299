// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// A copy of a node for dry runs of plug-ins that choose victims: its pods leave and come back, and
// all filters of a cycle judge it.
//
//   NodeCopy node(world, cycle, n);
//   node.Leave(0);                        // node.pods()[0]
//   if (node.Fits()) ...
//
// The cycle counts the copy's pods in place of the world's as long as the copy lives.
#ifndef MUSTER_PEER_KUBE_SCHEDULER_NODE_COPY_H_
#define MUSTER_PEER_KUBE_SCHEDULER_NODE_COPY_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "lib/peer/kube_scheduler/pod_cycle.h"
#include "lib/peer/kube_scheduler/world.h"

namespace muster::kube {

class NodeCopy {
 public:
  // All must outlive this.
  NodeCopy(World& world, PodCycle& cycle, NodeIndex n)
      : world_(world), cycle_(cycle), n_(n), books_(world.books(n)) {
    const auto pods = world.pods_on(n);
    pods_.assign(pods.begin(), pods.end());
    gone_.assign(pods_.size(), 0);
  }
  NodeCopy(const NodeCopy&) = delete;
  NodeCopy& operator=(const NodeCopy&) = delete;
  ~NodeCopy() {
    for (size_t i = 0; i < pods_.size(); ++i) {
      if (gone_[i]) Return(i);
    }
  }

  void Leave(size_t i) { Move(i, -1); }
  void Return(size_t i) { Move(i, 1); }
  bool Fits() {
    status_ = cycle_.Filter(n_, books_);
    return status_.code == Code::kFits;
  }

  const std::vector<TaskIndex>& pods() const { return pods_; }
  // Of the last call of Fits.
  const Status& status() const { return status_; }

 private:
  void Move(size_t i, int sign) {
    gone_[i] = sign < 0;
    if (sign < 0) {
      books_.Remove(world_.pod(pods_[i]));
    } else {
      books_.Add(world_.pod(pods_[i]));
    }
    cycle_.Count(pods_[i], n_, sign);
  }

  World& world_;
  PodCycle& cycle_;
  const NodeIndex n_;
  NodeBooks books_;
  std::vector<TaskIndex> pods_;
  std::vector<uint8_t> gone_;
  Status status_;
};

}  // namespace muster::kube

#endif  // MUSTER_PEER_KUBE_SCHEDULER_NODE_COPY_H_
