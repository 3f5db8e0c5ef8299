// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What the memory keeps of nodes and pods, so that a later cycle can tell what an event changed:
// rows of the cluster have only their present state, and removed rows have none.
//
//   std::string text = MemoOf(shape);
//   TaskShape before = PodFromMemo(text);    // name space, labels, anti-affinity, ports
//
// A memo is a list of words (packed_rows.h). A memo that cannot be read gives what was read of it.
#ifndef MUSTER_PEER_KUBE_SCHEDULER_MEMOS_H_
#define MUSTER_PEER_KUBE_SCHEDULER_MEMOS_H_

#include <string>
#include <string_view>

#include "lib/model/tables.h"
#include "lib/peer/kube_scheduler/packed_rows.h"

namespace muster::kube {

// Name space, labels, tolerations, required anti-affinity and host ports.
std::string MemoOf(const TaskShape& shape);
TaskShape PodFromMemo(std::string_view memo);

// Labels, taints, whether it is unschedulable; allocatable amounts in the units of the tables. Of
// nodes that come one after the other, what is equal behind their labels is written once.
class NodeMemos {
 public:
  // `tables` must outlive this, and not change.
  explicit NodeMemos(const Tables& tables) : tables_(tables) {}
  // Writes the words of the node's memo.
  void Append(NodeIndex n, WordWriter* memo);

 private:
  bool EndsAsLast(NodeIndex n) const;

  const Tables& tables_;
  NodeIndex last_ = kNone;
  std::string end_;  // of the last memo, behind the labels
};
struct NodeBefore {
  NodeSpec spec;
  std::vector<std::pair<std::string, int64_t>> allocatable;
};
NodeBefore NodeFromMemo(std::string_view memo);

}  // namespace muster::kube

#endif  // MUSTER_PEER_KUBE_SCHEDULER_MEMOS_H_
