// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Which flavors a pod set may use, by labels and taints.
//
// Of node selectors and required affinity, only keys count that are labels of the flavor. A term of
// an affinity without such a key matches every flavor.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "lib/kube/selectors.h"
#include "lib/peer/kueue/world.h"

namespace muster::kueue {
namespace {

bool MatchesAffinity(const TaskShape& shape, const FlavorSpec& flavor) {
  if (!shape.required_node_affinity) return true;
  for (const NodeTerm& term : *shape.required_node_affinity) {
    const bool holds = std::all_of(
        term.match_expressions.begin(), term.match_expressions.end(), [&](const Requirement& r) {
          return FindLabel(flavor.node_labels, r.key) == nullptr || Matches(r, flavor.node_labels);
        });
    if (holds) return true;
  }
  return shape.required_node_affinity->empty();
}

}  // namespace

bool World::Eligible(uint32_t shape_index, FlavorIndex flavor, std::string* why) const {
  const FlavorRow& row = flavors[flavor];
  if (!row.exists) {
    if (why != nullptr) *why = absl::StrCat("flavor ", row.name, " not found");
    return false;
  }
  const TaskShape& shape = shapes[shape_index];
  for (const Taint& taint : row.spec.taints) {
    if (taint.effect != TaintEffect::kNoSchedule && taint.effect != TaintEffect::kNoExecute) {
      continue;
    }
    const auto covers = [&](const Toleration& t) { return Tolerates(t, taint); };
    if (std::any_of(shape.tolerations.begin(), shape.tolerations.end(), covers) ||
        std::any_of(row.spec.tolerations.begin(), row.spec.tolerations.end(), covers)) {
      continue;
    }
    if (why != nullptr) {
      *why = absl::StrCat("untolerated taint ", taint.key, taint.value.empty() ? "" : "=",
                          taint.value, " in flavor ", row.name);
    }
    return false;
  }
  for (const auto& [key, value] : shape.node_selector) {
    const std::string* label = FindLabel(row.spec.node_labels, key);
    if (label != nullptr && *label != value) {
      if (why != nullptr) {
        *why = absl::StrCat("flavor ", row.name, " doesn't match node affinity");
      }
      return false;
    }
  }
  if (MatchesAffinity(shape, row.spec)) return true;
  if (why != nullptr) *why = absl::StrCat("flavor ", row.name, " doesn't match node affinity");
  return false;
}

}  // namespace muster::kueue
