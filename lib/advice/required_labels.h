// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What tasks require of the labels of their node, one requirement at a time, and their gates.
//
//   for (const RequiredLabel& label : RequiredLabels(shape)) {
//     if (!Matches(label.requirement, node.labels)) ...  // label.text: "disk=sdd"
//   }
#ifndef MUSTER_ADVICE_REQUIRED_LABELS_H_
#define MUSTER_ADVICE_REQUIRED_LABELS_H_

#include <string>
#include <vector>

#include "lib/model/tables.h"
#include "muster/plan.h"
#include "muster/shape.h"

namespace muster {

struct RequiredLabel {
  Requirement requirement;
  std::string text;       // as reasons have it: "disk=sdd", "disk in (a, b)"
  bool selector = false;  // an entry of the node selector, not of the affinity
};

// Returns the entries of the node selector, and the expressions of the required node affinity if it
// has one term: of several terms none alone keeps a node away.
std::vector<RequiredLabel> RequiredLabels(const TaskShape& shape);

// Returns those of them that no living node matches. O(nodes * labels).
std::vector<RequiredLabel> UnmetLabels(const Tables& tables, const TaskShape& shape);

// Returns the scheduling gates of the tasks of the job, or of the task without a job, that wait in
// the plan, each once. O(tasks).
std::vector<std::string> GatesOf(const Tables& tables, const Plan& plan, JobIndex job,
                                 TaskIndex lone);

// Returns a line about a requirement that no node matches: `no node has disk=sdd; 1 node has
// disk=ssd, did you mean "ssd"?`.
std::string UnmetText(const Tables& tables, const RequiredLabel& label);

// Returns the value that the nodes have of the label and that is most like the one required. Empty:
// there is none like it.
std::string NearestValue(const Tables& tables, const RequiredLabel& label);

}  // namespace muster

#endif  // MUSTER_ADVICE_REQUIRED_LABELS_H_
