// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Whether a node suits a job, apart from what is free on it.
//
// Node types are asked before nodes. A type has only the indexed taints and labels, so it may
// accept a job that its nodes refuse; it never refuses one that a node would accept, except a node
// that became schedulable after its type was made.
//
// Surprises. Taints count alike whatever their effect. Of a list of conditions only the first one
// with a known comparison decides.
#ifndef MUSTER_PEER_ARMADA_MATCHING_H_
#define MUSTER_PEER_ARMADA_MATCHING_H_

#include <string_view>
#include <vector>

#include "absl/types/span.h"
#include "lib/peer/armada/cluster.h"

namespace muster::armada {

// Returns null if the label is not there.
const std::string* FindLabel(const Labels& labels, std::string_view key);

bool Tolerates(const Toleration& toleration, const Taint& taint);

// Returns the taint of nodes that take no new jobs.
Taint UnschedulableTaint();

// Returns the first taint that neither list tolerates, or null.
const Taint* FindUntolerated(absl::Span<const Taint> taints, absl::Span<const Toleration> first,
                             absl::Span<const Toleration> second);

bool MatchesTerms(const Labels& labels, const std::vector<Term>& terms);

// `requests` has the dimensions of `resources`.
bool MatchesConditions(absl::Span<const Condition> conditions, const Amounts& requests,
                       const std::vector<Resource>& resources);

// Returns whether nodes of the type may suit the shape with these tolerations in addition.
bool TypeSuits(const NodeType& type, const Shape& shape, absl::Span<const Toleration> added);

// Returns whether the node suits the shape: taints, selector, affinity, and total resources.
bool NodeSuits(const Node& node, const Shape& shape, absl::Span<const Toleration> added,
               const std::vector<Resource>& resources);

// Returns the type of a node: its indexed taints in the order of their keys, and its indexed
// labels.
NodeType MakeNodeType(const std::vector<Taint>& taints, const Labels& labels,
                      const std::vector<std::string>& indexed_taints,
                      const std::vector<std::string>& indexed_labels);

// Returns the tolerations that let a job of these requests onto the away nodes; empty if there are
// none, and then the nodes are not tried.
std::vector<Toleration> AwayTolerations(const AwayNodeType& away, const Amounts& requests,
                                        const std::vector<Resource>& resources);

}  // namespace muster::armada

#endif  // MUSTER_PEER_ARMADA_MATCHING_H_
