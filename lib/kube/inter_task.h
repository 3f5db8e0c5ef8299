// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Rules about a task that depend on which other tasks run where.
//
//   InterTask rules(options);
//   rules.Open(tables, ledger);
//   if (rules.FitDepends(c)) rules.Fit(c, nodes, fits, codes, hard);
//   if (rules.ScoreDepends(c)) rules.Score(c, nodes, scores);
//
// The rules are required and preferred inter-task affinity and anti-affinity, topology spread, host
// ports, and the spread of images. They equal the filters and scores of Kubernetes exactly, in the
// version that `rules` names: InterPodAffinity, PodTopologySpread, NodePorts, ImageLocality. Policy
// predicates uses Fit, policy nodeorder uses Score.
//
// Counters per label domain are kept per (class, rule) and follow the ledger's view journal. A
// query costs O(changes since the last one of that class + candidate nodes), never O(tasks) after
// the first.
#ifndef MUSTER_KUBE_INTER_TASK_H_
#define MUSTER_KUBE_INTER_TASK_H_

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "lib/kube/versions.h"
#include "lib/ledger/ledger.h"
#include "lib/model/tables.h"
#include "muster/plan.h"

namespace muster {

struct InterTaskOptions {
  bool host_ports = true, affinity = true, spread = true;           // filters that are on
  double affinity_weight = 0, spread_weight = 0, image_weight = 0;  // scores; 0: off
  KubernetesRules rules = kKubernetes136;
};

class InterTask {
 public:
  explicit InterTask(const InterTaskOptions& options);
  ~InterTask();

  // Call it before each cycle. It forgets everything when the ledger or the rows of classes and
  // nodes changed.
  void Open(const Tables& tables, const Ledger& ledger);

  // Return whether a rule could refuse, or score, a task of class `c` in this cycle. Conservative,
  // constant during a cycle, and false for classes that no term mentions, which keep the fast path.
  bool FitDepends(ClassIndex c);
  bool ScoreDepends(ClassIndex c);

  // Clears fits[i] where a rule refuses nodes[i]; codes[i] names the rule; hard[i] = 1 where
  // evicting tasks on that node cannot change the answer (Kubernetes'
  // UnschedulableAndUnresolvable). Filters are tried in the order host ports, affinity, spread, as
  // in RefusalCode; entries with fits[i] == 0 are left alone; a hard refusal of a later filter
  // beats a soft one of an earlier (a node counts as hard if any filter says so).
  void Fit(ClassIndex c, std::span<const NodeIndex> nodes, std::span<uint8_t> fits,
           std::span<RefusalCode> codes, std::span<uint8_t> hard);

  // Returns whether affinity alone fits on one node.
  bool FitsAffinity(ClassIndex c, NodeIndex node);

  // Adds the weighted, normalized scores of the candidate nodes (all of them fit): affinity and
  // spread to batch[i], images to order[i].
  void Score(ClassIndex c, std::span<const NodeIndex> nodes, std::span<double> order,
             std::span<double> batch);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace muster

#endif  // MUSTER_KUBE_INTER_TASK_H_
