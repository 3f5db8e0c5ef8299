// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Scores: which of the nodes that fit is best. Higher is better.
//
//   class Emptiest : public muster::Policy, public muster::ScorePolicy {
//    public:
//     std::string_view name() const override { return "emptiest"; }
//     muster::PointSet points() const override { return {muster::Point::kScore}; }
//     muster::ScorePolicy* score() override { return this; }
//     muster::Scope ScoreScope(muster::ClassIndex) override { return muster::Scope::kState; }
//     void ScoreStates(muster::ClassIndex, const muster::StateColumns& states, size_t begin,
//                      size_t end, double* order, double*) override {
//       for (size_t i = begin; i < end; ++i) order[i - begin] += states.idle[muster::kCpu][i];
//     }
//   };
//
// Promise. The scores of all policies are added, and the node with the highest total wins; among
// equal totals, the node that was added first, unless the profile breaks ties otherwise. Scopes are
// those of fit.h: a policy declares for each class what its score depends on. There are two sums,
// because some peers add them separately, and floating-point sums depend on the order of addition:
// the total is order + batch. A policy of your own may add to either; kind scores go into `batch`.
// Scale. Most built-in scores are 0 to 100 times their weight (docs/policies.md). The policy above
// adds milli-cores, 8000 for 8 free CPUs, and so decides before all of them.
// Failure. None. REQUIRES: scores are finite.
// Ownership. Columns, spans and pointers are valid during the call.
// Threads. One thread at a time calls an instance.
// Cost. kKind is asked once a node and set of constraints, kState once for each state that changes,
// kCluster for all candidates at every placement.
#ifndef MUSTER_POLICY_SCORE_H_
#define MUSTER_POLICY_SCORE_H_

#include <cstdint>
#include <span>
#include <vector>

#include "muster/policy/columns.h"
#include "muster/policy/fit.h"
#include "muster/types.h"

namespace muster {

// A score of kinds, which is compared with the same score of the other candidates before it counts:
// raw numbers are brought to 0 .. top over the candidates (times top / largest, as integers), then
// multiplied. If the largest is 0, all candidates have 0, or `top` where reversed.
struct KindScore {
  double weight = 0;      // the factor; 0: the score only tells kinds of nodes apart
  bool reversed = false;  // true: top minus the number, so that the lowest raw number is best
  int64_t top = 100;
};

// Answers for the point kScore. The defaults add nothing.
class ScorePolicy {
 public:
  // Returns what the score of the class depends on. It must be constant during a cycle.
  virtual Scope ScoreScope(ClassIndex /*c*/) { return Scope::kNone; }
  // Scope kKind and wider. KindScores returns the raw scores that the policy has, the same list for
  // every class; RawKindScore returns number `which` of that list for a node, 0 or above.
  virtual std::vector<KindScore> KindScores() const { return {}; }
  virtual int64_t RawKindScore(size_t /*which*/, ClassIndex /*c*/, NodeIndex /*node*/) { return 0; }
  // Scope kState. Adds to order[i - begin] and batch[i - begin] for each state i in [begin, end).
  virtual void ScoreStates(ClassIndex /*c*/, const StateColumns& /*states*/, size_t /*begin*/,
                           size_t /*end*/, double* /*order*/, double* /*batch*/) {}
  // For a policy with Traits::ranks_nodes. Nodes of a lower rank are taken before others, whatever
  // they score.
  virtual uint8_t RankOf(NodeIndex /*node*/) const { return 0; }
  // Scope kCluster. Adds to order[i] and batch[i] for nodes[i], all of which fit. Only this
  // question may tell the tasks of a class apart.
  virtual void ScoreNodes(TaskIndex /*task*/, std::span<const NodeIndex> /*nodes*/,
                          std::span<double> /*order*/, std::span<double> /*batch*/) {}

 protected:
  ~ScorePolicy() = default;
};

}  // namespace muster

#endif  // MUSTER_POLICY_SCORE_H_
