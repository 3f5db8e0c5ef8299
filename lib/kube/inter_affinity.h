// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Inter-task affinity and anti-affinity: filter and score of Kubernetes' InterPodAffinity.
//
//   affinity.Open(&view, &classes, kKubernetes136);
//   if (affinity.FitDepends(c)) affinity.Fit(c, nodes, &refusals);
//
// Filter. Required affinity: the node's label domain of each term's key holds a task that matches
// *all* terms. If no label domain holds such a task, the first task of a group that matches itself
// may start wherever the keys are. Required anti-affinity: no label domain holds a task that
// matches the new task's term, and no task there has a term that matches the new task. Affinity is
// not symmetric, anti-affinity is.
//
// Score. The weights of preferred terms, those of the new task and of tasks there, are summed per
// label domain. The best candidate gets 100 and the worst 0. All tasks of the cluster count, those
// on infeasible nodes included.
//
// Kubernetes 1.16. The filter sees only tasks of jobs, and of these neither leaving nor nominated
// ones. Affinity requires one such task that matches all terms in all their label domains at once.
// Anti-affinity is broken only by one that does. The score looks at tasks on candidate nodes alone,
// counts required affinity of tasks there with weight 1, and scales to 10 between the largest and
// the smallest number or 0.
#ifndef MUSTER_KUBE_INTER_AFFINITY_H_
#define MUSTER_KUBE_INTER_AFFINITY_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "lib/kube/inter_classes.h"
#include "lib/kube/inter_counters.h"
#include "lib/kube/inter_view.h"
#include "lib/kube/refusals.h"
#include "lib/kube/versions.h"

namespace muster {

class InterAffinity {
 public:
  void Open(InterView* view, InterClasses* classes, const KubernetesRules& rules);

  bool FitDepends(ClassIndex c) { return FilterOf(c).active; }
  bool ScoreDepends(ClassIndex c) { return ScorerOf(c).counters.has_effects(); }

  void Fit(ClassIndex c, std::span<const NodeIndex> nodes, Refusals* refusals);
  // Adds weight * score, an integer from 0 to 100 (10).
  void Score(ClassIndex c, std::span<const NodeIndex> nodes, double weight,
             std::span<double> scores);

 private:
  struct Filter {
    explicit Filter(bool leaving) : counters(leaving) {}
    bool active = false;            // it could refuse
    bool self_match = false;        // the class matches its own affinity terms
    std::vector<TopologyRef> keys;  // of required affinity; a node lacking one is refused
    Counters counters;
    std::vector<size_t> affinity, anti, existing;  // counters
    size_t anywhere = 0;  // counter of tasks that match all affinity terms, wherever that matters
  };
  struct Scorer {
    Counters counters{true};
    std::vector<TopologyRef> keys;  // of the domains that counter i speaks of
  };

  const TaskShape& shape(ClassIndex c) const { return view_->tables().classes.shape[c]; }
  bool MatchesAll(const std::vector<AffinityTerm>& terms, ClassIndex owner, ClassIndex other) const;
  std::vector<ClassIndex> MatchingAll(const std::vector<AffinityTerm>& terms, ClassIndex owner);
  std::vector<ClassIndex> Matching(const AffinityTerm& term, ClassIndex owner);
  void CountAffinity(ClassIndex c, Filter* filter);
  void CountAnti(ClassIndex c, Filter* filter);
  void CountExisting(ClassIndex c, Filter* filter);
  Filter& FilterOf(ClassIndex c);
  Scorer& ScorerOf(ClassIndex c);
  void RawScores(Scorer& scorer, std::span<const NodeIndex> nodes);

  InterView* view_ = nullptr;
  InterClasses* classes_ = nullptr;
  KubernetesRules rules_;
  std::vector<std::unique_ptr<Filter>> filters_;  // by class, made when first asked for
  std::vector<std::unique_ptr<Scorer>> scorers_;
  std::vector<int64_t> raw_, sums_;  // scratch
};

}  // namespace muster

#endif  // MUSTER_KUBE_INTER_AFFINITY_H_
