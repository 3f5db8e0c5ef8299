// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Scores: which of the nodes that fit is best. Higher is better, and the scores of all policies are added.
//
//   class Emptiest : public Policy, public ScorePolicy {
//     PointSet points() const override { return {Point::kScore}; }
//     Scope ScoreScope(ClassIndex c) override { return Scope::kState; }
//     void ScoreStates(ClassIndex c, const StateColumns& states, size_t begin, size_t end,
//                      double* order, double* batch) override {
//       for (size_t i = begin; i < end; ++i) order[i - begin] += states.idle[kCpu][i];
//     }
//     ...
//
// Scopes are those of fit.h. There are two sums because some peers add them separately and floating-point sums depend on
// the order of addition: the total is order + batch.
#ifndef MUSTER_POLICY_SCORE_H_
#define MUSTER_POLICY_SCORE_H_

#include <cstdint>
#include <span>
#include <vector>

#include "muster/policy/columns.h"
#include "muster/policy/fit.h"
#include "muster/types.h"

namespace muster {

// A score of kinds that is compared with the same score of the other candidates before it counts: raw numbers are
// brought to 0..top over the candidates (times top / largest; reversed: top minus that), then multiplied by `weight`.
// With weight 0 it counts nothing and only tells kinds of nodes apart.
struct KindScore {
  double weight = 0;
  bool reversed = false;
  int64_t top = 100;
};

class ScorePolicy {
 public:
  virtual Scope ScoreScope(ClassIndex /*c*/) { return Scope::kNone; }
  // kKind and wider. Returns the raw scores that the policy has, the same list for every class, and one of them for a
  // node.
  virtual std::vector<KindScore> KindScores() const { return {}; }
  virtual int64_t RawKindScore(size_t /*which*/, ClassIndex /*c*/, NodeIndex /*node*/) { return 0; }
  // kState. Adds to order[i - begin] and batch[i - begin] for each state i in [begin, end).
  virtual void ScoreStates(ClassIndex /*c*/, const StateColumns& /*states*/, size_t /*begin*/,
                           size_t /*end*/, double* /*order*/, double* /*batch*/) {}
  // Traits::ranks_nodes. Nodes of a lower rank are taken before others, whatever they score.
  virtual uint8_t RankOf(NodeIndex /*node*/) const { return 0; }
  // kCluster. Adds to order[i] and batch[i] for nodes[i], all of which fit. Only this question may tell the tasks of a
  // class apart.
  virtual void ScoreNodes(TaskIndex /*task*/, std::span<const NodeIndex> /*nodes*/,
                          std::span<double> /*order*/, std::span<double> /*batch*/) {}

 protected:
  ~ScorePolicy() = default;
};

}  // namespace muster

#endif  // MUSTER_POLICY_SCORE_H_
