// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Topology spread: like tasks evenly over zones, racks or nodes. Filter and score of Kubernetes'
// PodTopologySpread.
//
//   spread.Open(&view, &classes);
//   if (spread.ScoreDepends(c)) spread.Score(c, nodes, /*weight=*/2, scores);
//
// Filter. With the task in it, the node's label domain may hold at most max_skew matching tasks
// more than the emptiest label domain of the cluster. Only tasks of the same namespace count, and
// none that are leaving. A label domain exists if its value is on a node that has the keys of all
// constraints and that the constraint includes (node affinity, taints). So a domain that is full,
// or closed to the task for other reasons, still limits the others. With fewer domains than
// min_domains, the emptiest counts as holding none.
//
// Score. Over preferred constraints: tasks in the label domain times ln(domains among the
// candidates + 2), plus max_skew - 1; rounded. The lowest candidate gets 100. Nodes that lack a key
// get 0. A key that names the node itself counts the tasks on that node.
//
// An empty selector matches every label and yet counts no task, as in the peer. Constraints that
// Kubernetes adds for services and their owners are not in the model, so they never apply. The
// minimum is the true one; the peer's shortcut can miss it after several placements in a
// simulation.
#ifndef MUSTER_KUBE_INTER_SPREAD_H_
#define MUSTER_KUBE_INTER_SPREAD_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "lib/base/hash_map.h"
#include "lib/kube/inter_classes.h"
#include "lib/kube/inter_counters.h"
#include "lib/kube/inter_view.h"
#include "lib/kube/refusals.h"

namespace muster {

class InterSpread {
 public:
  void Open(InterView* view, InterClasses* classes);

  bool FitDepends(ClassIndex c) const { return HasConstraint(c, true); }
  bool ScoreDepends(ClassIndex c) const { return HasConstraint(c, false); }

  void Fit(ClassIndex c, std::span<const NodeIndex> nodes, Refusals* refusals);
  // Adds weight * score, an integer from 0 to 100.
  void Score(ClassIndex c, std::span<const NodeIndex> nodes, double weight,
             std::span<double> scores);

 private:
  struct Constraint {
    const SpreadConstraint* spec = nullptr;
    TopologyRef values;  // of the key, on all nodes that have it
    size_t counter = 0;  // over the same domains, of included nodes; per node for a node's own key
    std::vector<LabelDomainIndex> domains;  // that exist
    bool self = false;                      // the class counts in it
    bool per_node = false;
    uint64_t stamp = 0;  // of the counter when least was computed
    int64_t least = 0;
  };
  // The required, or the preferred, constraints of a class.
  struct Rules {
    std::vector<Constraint> constraints;
    TopologyRef keys;  // nodes that have all of them are in some domain
    Counters counters{false};
  };

  const TaskShape& shape(ClassIndex c) const { return view_->tables().classes.shape[c]; }
  bool HasConstraint(ClassIndex c, bool required) const;
  Rules& RulesOf(ClassIndex c, bool required);
  TopologyRef Included(ClassIndex c, const SpreadConstraint& constraint,
                       const std::vector<std::string>& keys);
  static int64_t Least(const Counters& counters, Constraint* constraint);
  // Different domains of the nodes that are not ignored.
  int64_t CountDomains(const Constraint& constraint, const Rules& rules,
                       std::span<const NodeIndex> nodes);

  InterView* view_ = nullptr;
  InterClasses* classes_ = nullptr;
  std::vector<std::unique_ptr<Rules>> required_, preferred_;  // by class, made when first asked for
  // Keys of all constraints, the constraint's own, the class's node constraints, what it honours.
  using IncludedKey = std::tuple<std::vector<std::string>, std::string, uint32_t, bool, bool>;
  HashMap<IncludedKey, TopologyRef> included_;
  std::vector<uint8_t> seen_;  // scratch, by domain
  std::vector<int64_t> raw_;   // scratch, by candidate
};

}  // namespace muster

#endif  // MUSTER_KUBE_INTER_SPREAD_H_
