// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The nodes of the ledger in the form that bundles.h and node_choice.h take: plain amounts, the
// scarcest resource first.
//
//   RayView view(context, "nvidia.com/gpu");
//   PlaceBundles(view.nodes(), {{.request = view.Request(c), .nodes = view.Allows(c)}}, {});
//   view.Renew(node);   // after a move there
//
// Resources go by Ray's order of scarcity: the accelerator, then all others in the order of the
// cluster's dimensions, object_store_memory, memory, cpu. The number of tasks is the last one,
// where some node limits it.
//
// Devices. An accelerator that is kept in thousandths is kept by device, as Ray keeps GPUs: a task
// takes a part of one, or whole ones, and any other request fits nowhere. Rows do not tell which
// device a task has. Those that hold a node are taken to have packed its devices, the largest
// requests first.
#ifndef MUSTER_PEER_RAY_NODE_VIEW_H_
#define MUSTER_PEER_RAY_NODE_VIEW_H_

#include <span>
#include <string>
#include <vector>

#include "lib/base/hash_map.h"
#include "lib/part/context.h"
#include "lib/peer/ray/bundles.h"
#include "lib/peer/ray/node_choice.h"

namespace muster {

class RayView {
 public:
  RayView(ActionContext& context, const std::string& accelerator);

  std::span<const BundleNode> nodes() const { return nodes_; }
  NodeIndex node(size_t i) const { return alive_[i]; }
  std::optional<size_t> place(NodeIndex node) const;  // nullopt: it is gone
  // Returns the options of MachineChoice: cpu, memory and object_store_memory make a node busy.
  MachineChoice::Options Busy() const;
  void Renew(NodeIndex node);
  // Returns how many nodes would take the class but for their devices.
  int64_t CountWithoutDevice(ClassIndex c);
  // The accelerator's dimension, if it is kept by device.
  DimensionIndex by_device() const { return by_device_; }

  BundleAmounts Request(ClassIndex c) const;
  // Returns the nodes that the class's labels, taints and the like allow, as last found out.
  const std::vector<bool>& Allows(ClassIndex c);
  void ForgetAllowed() { allows_.clear(); }
  // Returns whether the class fits the node on the books as they are now.
  bool StillFits(ClassIndex c, NodeIndex node) const;

 private:
  DeviceParts DevicesOf(NodeIndex node) const;

  ActionContext& context_;
  std::vector<DimensionIndex> order_;  // of resources
  std::optional<size_t> accelerator_;
  DimensionIndex store_ = kNone;  // of Ray's object store
  DimensionIndex by_device_ = kNone;
  std::vector<NodeIndex> alive_;
  std::vector<BundleNode> nodes_;
  HashMap<ClassIndex, std::vector<bool>> allows_;
};

}  // namespace muster

#endif  // MUSTER_PEER_RAY_NODE_VIEW_H_
