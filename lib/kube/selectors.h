// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Labels, selectors, taints: pure functions with Kubernetes' meaning, for every policy that reads
// them.
//
//   if (!MatchesNode(shape, node)) return RefusalCode::kNodeAffinity;
//   if (const Taint* taint = FirstUntolerated(shape, node)) ...   // it points into `node`
#ifndef MUSTER_KUBE_SELECTORS_H_
#define MUSTER_KUBE_SELECTORS_H_

#include <string_view>

#include "muster/spec.h"

namespace muster {

// The value of a label; null when the key is absent (an empty value is a value).
const std::string* FindLabel(const Labels& labels, std::string_view key);

// In, NotIn, Exists, DoesNotExist, Gt, Lt. NotIn holds for an absent key.
bool Matches(const Requirement& requirement, const Labels& labels);
// All labels and requirements hold; an empty selector matches everything.
bool Matches(const Selector& selector, const Labels& labels);
// A term without expressions and fields matches nothing; so does one that cannot be read.
bool Matches(const NodeTerm& term, const NodeSpec& node);
// Node selector and required node affinity together.
bool MatchesNode(const TaskShape& shape, const NodeSpec& node);

bool Tolerates(const Toleration& toleration, const Taint& taint);
// The first taint with effect NoSchedule or NoExecute that the task does not tolerate; null: none.
const Taint* FirstUntolerated(const TaskShape& shape, const NodeSpec& node);
// Whether the task tolerates that the node is marked unschedulable.
bool ToleratesUnschedulable(const TaskShape& shape);

}  // namespace muster

#endif  // MUSTER_KUBE_SELECTORS_H_
