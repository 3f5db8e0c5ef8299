// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Labels, selectors, node terms and tolerations, as Kubernetes reads them. An absent key is not an
// empty value.
#ifndef MUSTER_REFERENCE_KUBE_SELECTORS_H_
#define MUSTER_REFERENCE_KUBE_SELECTORS_H_

#include <optional>
#include <string>

#include "lib/model/tables.h"
#include "muster/spec.h"

namespace muster::reference {

const std::string* FindLabel(const Labels& labels, const std::string& key);  // nullptr: absent

bool Matches(const std::optional<Selector>& selector,
             const Labels& labels);  // absent: nothing matches
bool IsEverything(const std::optional<Selector>& selector);

// A term with neither expressions nor fields matches nothing; so does one that cannot be read.
bool Matches(const NodeTerm& term, const NodeSpec& node);
// The preference of Kubernetes 1.16 looks at labels only.
bool MatchesLabels(const NodeTerm& term, const NodeSpec& node);
// The task's node selector and required node affinity.
bool MatchesNode(const TaskShape& shape, const NodeSpec& node);

bool Tolerates(const Toleration& toleration, const Taint& taint);
// The first NoSchedule or NoExecute taint that the task does not tolerate.
const Taint* FirstUntolerated(const TaskShape& shape, const NodeSpec& node);
// Whether the task may go to a node that is closed for new tasks.
bool ToleratesUnschedulable(const TaskShape& shape);

// `other` is what the term, which belongs to a task of namespace `owner`, speaks of. A namespace
// that is not known has no labels. With `of_newcomer`, as in Kubernetes 1.36, a selector that
// matches no labels finds every namespace, and others find only known ones.
bool Matches(const Tables& tables, const AffinityTerm& term, const std::string& owner,
             const TaskShape& other, bool of_newcomer);

}  // namespace muster::reference

#endif  // MUSTER_REFERENCE_KUBE_SELECTORS_H_
