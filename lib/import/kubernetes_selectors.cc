// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Label selectors, read and applied.
#include <algorithm>

#include "lib/import/kubernetes.h"

namespace muster {
namespace {

const std::string* FindLabel(const Labels& labels, std::string_view key) {
  for (const auto& [known, value] : labels) {
    if (known == key) return &value;
  }
  return nullptr;
}

bool Holds(const Requirement& term, const Labels& labels) {
  const std::string* value = FindLabel(labels, term.key);
  const bool listed = value != nullptr && std::find(term.values.begin(), term.values.end(),
                                                    *value) != term.values.end();
  if (term.op == RequirementOp::kIn) return listed;
  if (term.op == RequirementOp::kNotIn) return !listed;
  if (term.op == RequirementOp::kExists) return value != nullptr;
  return term.op == RequirementOp::kDoesNotExist && value == nullptr;
}

}  // namespace

std::vector<Requirement> ReadRequirements(const Field& holder, std::string_view key) {
  std::vector<Requirement> out;
  for (const Field& item : holder.Items(key)) {
    out.push_back(
        {item.Text("key"), item["operator"].AsWord<RequirementOp>(), item.Texts("values")});
  }
  return out;
}

std::optional<Selector> ReadSelector(const Field& selector) {
  if (!selector.given()) return std::nullopt;
  if (selector.kind() != JsonKind::kObject) {
    selector.RefuseKind("an object");
    return std::nullopt;
  }
  return Selector{selector.TextMap("matchLabels"), ReadRequirements(selector, "matchExpressions")};
}

void AddOwnLabels(const ApiObject& pod, const std::vector<std::string>& keys, RequirementOp op,
                  Selector* selector) {
  std::vector<Requirement>& terms = selector->match_expressions;
  const size_t given = terms.size();
  for (const std::string& key : keys) {
    const std::string* own = pod.Label(key);
    const bool listed = std::any_of(terms.begin(), terms.begin() + static_cast<ptrdiff_t>(given),
                                    [&](const Requirement& term) { return term.key == key; });
    if (own != nullptr && !listed) terms.push_back({key, op, {*own}});
  }
}

bool Selects(const std::optional<Selector>& selector, const Labels& labels) {
  if (!selector.has_value()) return false;
  for (const auto& [key, wanted] : selector->match_labels) {
    const std::string* value = FindLabel(labels, key);
    if (value == nullptr || *value != wanted) return false;
  }
  return std::all_of(selector->match_expressions.begin(), selector->match_expressions.end(),
                     [&](const Requirement& term) { return Holds(term, labels); });
}

}  // namespace muster
