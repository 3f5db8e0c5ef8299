// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Labels, selectors, taints: pure functions with Kubernetes' meaning, for every policy that reads
// them.
//
//   if (!MatchesNode(shape, node)) return RefusalCode::kNodeAffinity;
//   if (const Taint* taint = FirstUntolerated(shape, node)) ...   // it points into `node`
#ifndef MUSTER_KUBE_SELECTORS_H_
#define MUSTER_KUBE_SELECTORS_H_

#include <string>
#include <string_view>

#include "muster/spec.h"

namespace muster {

// Returns the value of a label, or null if the key is absent (an empty value is a value).
const std::string* FindLabel(const Labels& labels, std::string_view key);

// Returns whether the requirement (In, NotIn, Exists, DoesNotExist, Gt, Lt) holds. NotIn holds for
// an absent key.
bool Matches(const Requirement& requirement, const Labels& labels);
// Returns whether all labels and requirements hold. An empty selector matches everything.
bool Matches(const Selector& selector, const Labels& labels);
// Returns whether the term holds. A term without expressions and fields, or one that cannot be
// read, matches nothing.
bool Matches(const NodeTerm& term, const NodeSpec& node);
// Returns whether the node matches the node selector and the required node affinity.
bool MatchesNode(const TaskShape& shape, const NodeSpec& node);

bool Tolerates(const Toleration& toleration, const Taint& taint);
// Returns the first taint with effect NoSchedule or NoExecute that the task does not tolerate, or
// null.
const Taint* FirstUntolerated(const TaskShape& shape, const NodeSpec& node);
// Returns the taint as reasons name it: `gpu=only`, or its key alone.
std::string TaintText(const Taint& taint);
// Returns what keeps a task from a node that it does not match, as reasons name it: the first label
// of its node selector that the node lacks, `zone=a`, or the first requirement of its only term,
// `zone in (a, b)`. Empty: several terms fail, or one that cannot be read.
std::string UnmatchedText(const TaskShape& shape, const NodeSpec& node);
// Returns whether the task tolerates a node that is marked unschedulable.
bool ToleratesUnschedulable(const TaskShape& shape);

}  // namespace muster

#endif  // MUSTER_KUBE_SELECTORS_H_
