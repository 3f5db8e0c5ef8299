// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Fits: on which nodes a task may run, and which parts of a node it takes.
//
//   class NoSpot : public muster::Policy, public muster::FitPolicy {
//    public:
//     std::string_view name() const override { return "no-spot"; }
//     muster::PointSet points() const override { return {muster::Point::kFit}; }
//     muster::FitPolicy* fit() override { return this; }
//     void Open(const muster::Cycle& cycle) override { cycle_ = &cycle; }
//     muster::Scope FitScope(muster::ClassIndex) override { return muster::Scope::kKind; }
//     bool FitsKind(muster::ClassIndex, muster::NodeIndex node,
//                   muster::NodeRefusal* refusal) override {
//       const auto& labels = cycle_->node(node).labels;
//       if (std::ranges::count(labels, std::pair<std::string, std::string>("spot", "yes")) == 0) {
//         return true;
//       }
//       *refusal = {muster::RefusalCode::kPolicy, "spot node"};
//       return false;
//     }
//
//    private:
//     const muster::Cycle* cycle_ = nullptr;
//   };
//
// Promise. The engine itself compares requests with free amounts. A policy adds rules of its own: a
// node fits if all policies agree. It declares for each task class what its answer depends on, so
// that the engine knows what to remember:
//  kKind     on what only UpdateNode changes about a node (name, labels, taints, capacity): asked
//            once for each node and set of constraints
//  kState    on the node's own books, too: asked for columns of node states (columns.h), again for
//            each state that changes
//  kCluster  on what runs elsewhere: asked for all candidate nodes at every placement
// A set of constraints is all of a shape but amounts and devices, which FitsKind must not read. An
// answer that depends on more than its scope declares makes plans wrong, not slow.
// Failure. None. A policy that refuses fills in why; plans list it as one Refusal.
// Ownership. Spans, columns and pointers are valid during the call.
// Threads. One thread at a time calls an instance.
// Cost. The narrower the scope, the fewer the questions. kKind costs nothing in a search.
#ifndef MUSTER_POLICY_FIT_H_
#define MUSTER_POLICY_FIT_H_

#include <cstdint>
#include <span>
#include <string>

#include "muster/plan.h"
#include "muster/policy/columns.h"
#include "muster/types.h"

namespace muster {

// What the answers of a policy about a task class depend on, from narrow to wide. kNone: on
// nothing, because the policy has no rule for the class and is not asked.
enum class Scope : uint8_t { kNone, kKind, kState, kCluster };

// Why a node refuses a class. With kPolicy, plans show `detail` as it is.
struct NodeRefusal {
  RefusalCode code;
  std::string detail;
};

// Answers for the point kFit. The defaults refuse nothing.
class FitPolicy {
 public:
  // Returns what the answers about the class depend on. It must be constant during a cycle.
  virtual Scope FitScope(ClassIndex /*c*/) { return Scope::kNone; }
  // Scope kKind and wider. Returns true if the class may run on the node; fills `*refusal`
  // otherwise.
  virtual bool FitsKind(ClassIndex /*c*/, NodeIndex /*node*/, NodeRefusal* /*refusal*/) {
    return true;
  }
  // Scope kState. Sets fits[i - begin] to 0 for each state i in [begin, end) that refuses the
  // class. Other entries stay as they are. StateRefusal returns the refusal that all these share.
  virtual void FitStates(ClassIndex /*c*/, const StateColumns& /*states*/, size_t /*begin*/,
                         size_t /*end*/, uint8_t* /*fits*/) {}
  virtual NodeRefusal StateRefusal() const { return {RefusalCode::kPolicy, {}}; }
  // Scope kCluster. For each nodes[i] that refuses the class: sets fits[i] to 0 and codes[i] to the
  // reason, and hard[i] to 1 if no eviction on that node can change the answer. Entries of fits
  // that are 0 already stay untouched. NodeRefusalDetail returns the words for a refusal.
  virtual void FitNodes(ClassIndex /*c*/, std::span<const NodeIndex> /*nodes*/,
                        std::span<uint8_t> /*fits*/, std::span<RefusalCode> /*codes*/,
                        std::span<uint8_t> /*hard*/) {}
  virtual std::string NodeRefusalDetail(ClassIndex /*c*/, NodeIndex /*node*/) { return {}; }

  // Picks: parts of a node that a task takes beside its request, such as devices. They are taken
  // out of what is free now or, if `later`, of what is free once leaving tasks have gone. As with
  // requests, evictions can cure a lack of them.
  //
  // Picks returns whether tasks of the class take such parts; the other three are called only then.
  // PickStates sets fits[i - begin] to 0 for the states that lack them, CanPick answers for one
  // node, PickRefusal returns why a node lacks them.
  virtual bool Picks(ClassIndex /*c*/) { return false; }
  virtual void PickStates(ClassIndex /*c*/, bool /*later*/, const StateColumns& /*states*/,
                          size_t /*begin*/, size_t /*end*/, uint8_t* /*fits*/) {}
  virtual bool CanPick(ClassIndex /*c*/, bool /*later*/, NodeIndex /*node*/) { return true; }
  virtual NodeRefusal PickRefusal(ClassIndex /*c*/, NodeIndex /*node*/) {
    return {RefusalCode::kPolicy, {}};
  }

  // Returns whether the class may run on the node as the books are. Only this question is asked
  // while trial evictions are in the books (Traits::sees_trials).
  virtual bool FitsTrial(ClassIndex /*c*/, NodeIndex /*node*/) { return true; }
  // For a policy with Traits::samples_nodes. Returns after how many fitting nodes a search over a
  // list of `nodes` may end.
  virtual size_t NodesToFind(size_t nodes) const { return nodes; }
  // The same trait. Returns where in its list the first search of the cycle begins; a number beyond
  // the list wraps. Each search reports where the next one would begin.
  virtual size_t FirstPlace() const { return 0; }
  virtual void SetNextPlace(size_t /*place*/) {}

 protected:
  ~FitPolicy() = default;
};

}  // namespace muster

#endif  // MUSTER_POLICY_FIT_H_
