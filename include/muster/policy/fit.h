// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Fits: on which nodes a task may run.
//
//   class NoSpot : public Policy, public FitPolicy {
//     PointSet points() const override { return {Point::kFit}; }
//     Scope FitScope(ClassIndex c) override { return Scope::kKind; }
//     bool FitsKind(ClassIndex c, NodeIndex node, NodeRefusal* refusal) override {
//       if (!IsSpot(cycle_->node(node))) return true;
//       *refusal = {RefusalCode::kPolicy, "spot node"};
//       return false;
//     }
//     ...
//
// The engine compares requests with free amounts by itself. A policy declares for each task class what its answer depends
// on, so that the engine knows what to remember:
//   kKind     on what never changes about the node (labels, taints): asked once per node and set of constraints
//   kState    on the node's own books too: asked for columns of node states (columns.h)
//   kCluster  on what runs elsewhere: asked for all candidate nodes, at every placement
// Task classes that differ only in their requests have equal constraints: FitsKind must not read the request.
#ifndef MUSTER_POLICY_FIT_H_
#define MUSTER_POLICY_FIT_H_

#include <cstdint>
#include <span>
#include <string>

#include "muster/plan.h"
#include "muster/policy/columns.h"
#include "muster/types.h"

namespace muster {

enum class Scope : uint8_t { kNone, kKind, kState, kCluster };

struct NodeRefusal {
  RefusalCode code;
  std::string detail;
};

class FitPolicy {
 public:
  virtual Scope FitScope(ClassIndex /*c*/) { return Scope::kNone; }
  // kKind and wider. Returns true if the class may run on the node; fills `refusal` otherwise.
  virtual bool FitsKind(ClassIndex /*c*/, NodeIndex /*node*/, NodeRefusal* /*refusal*/) {
    return true;
  }
  // kState. Clears fits[i - begin] for each state i in [begin, end) that refuses. StateRefusal returns the refusal that
  // all of them share.
  virtual void FitStates(ClassIndex /*c*/, const StateColumns& /*states*/, size_t /*begin*/,
                         size_t /*end*/, uint8_t* /*fits*/) {}
  virtual NodeRefusal StateRefusal() const { return {RefusalCode::kPolicy, {}}; }
  // kCluster. Clears fits[i] where nodes[i] refuses and sets codes[i]; sets hard[i] if no eviction on that node can
  // change the answer. Entries that are already 0 stay untouched. NodeRefusalDetail words a refusal.
  virtual void FitNodes(ClassIndex /*c*/, std::span<const NodeIndex> /*nodes*/,
                        std::span<uint8_t> /*fits*/, std::span<RefusalCode> /*codes*/,
                        std::span<uint8_t> /*hard*/) {}
  virtual std::string NodeRefusalDetail(ClassIndex /*c*/, NodeIndex /*node*/) { return {}; }

  // Picks: parts of a node that a task takes beside its request, such as devices, out of what is free now or, if
  // `later`, once what is being released has gone. As with requests, evictions can cure a lack of them. PickStates
  // clears fits[i - begin] for the states that lack the parts.
  virtual bool Picks(ClassIndex /*c*/) { return false; }
  virtual void PickStates(ClassIndex /*c*/, bool /*later*/, const StateColumns& /*states*/,
                          size_t /*begin*/, size_t /*end*/, uint8_t* /*fits*/) {}
  virtual bool CanPick(ClassIndex /*c*/, bool /*later*/, NodeIndex /*node*/) { return true; }
  virtual NodeRefusal PickRefusal(ClassIndex /*c*/, NodeIndex /*node*/) {
    return {RefusalCode::kPolicy, {}};
  }

  // Trial evictions ask this question alone: may the class run on the node as the books are?
  virtual bool FitsTrial(ClassIndex /*c*/, NodeIndex /*node*/) { return true; }
  // Traits::samples_nodes. Returns how many fitting nodes, of a list of `nodes`, are enough.
  virtual size_t NodesToFind(size_t nodes) const { return nodes; }

 protected:
  ~FitPolicy() = default;
};

}  // namespace muster

#endif  // MUSTER_POLICY_FIT_H_
