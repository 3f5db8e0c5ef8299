// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What tasks require of other tasks and of the labels that they spread over, where nodes refused
// them for it.
//
//   for (const std::string& fact : AffinityFacts(tables, ends, shape)) ...
//   // affinity: no task on a node has app=cache; 2 tasks that wait have it
//   // affinity: tasks with app=cache on nodes are in zone=a
//   for (const std::string& fact : SpreadFacts(tables, shape)) ...
//   // no node has a label rack, over which it must spread
#ifndef MUSTER_ADVICE_TERM_FACTS_H_
#define MUSTER_ADVICE_TERM_FACTS_H_

#include <string>
#include <vector>

#include "lib/advice/ends.h"
#include "lib/model/tables.h"
#include "muster/shape.h"

namespace muster {

// Returns a line for each term of the required affinity: that no task which ends on a node matches
// it, or in which label domains those are that do. Namespaces are matched by the rules of
// Kubernetes 1.37. O(terms * (classes + tasks)).
std::vector<std::string> AffinityFacts(const Tables& tables, const Ends& ends,
                                       const TaskShape& shape);

// Returns a line for each label of a required spread constraint that some node lacks.
// O(constraints * nodes).
std::vector<std::string> SpreadFacts(const Tables& tables, const TaskShape& shape);

}  // namespace muster

#endif  // MUSTER_ADVICE_TERM_FACTS_H_
