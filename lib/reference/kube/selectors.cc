// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// One requirement, and what is built of it.
#include "lib/reference/kube/selectors.h"

#include <algorithm>
#include <charconv>
#include <cstdint>

namespace muster::reference {

namespace {

std::optional<int64_t> ParseInteger(const std::string& text) {
  const char* first = text.data();
  const char* const last = text.data() + text.size();
  if (first != last && *first == '+') {
    ++first;
    if (first != last && *first == '-') return std::nullopt;
  }
  int64_t value = 0;
  const auto [end, error] = std::from_chars(first, last, value);
  if (error != std::errc() || end != last || first == last) return std::nullopt;
  return value;
}

bool Contains(const std::vector<std::string>& values, const std::string& value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

// nullopt: the requirement cannot be read.
std::optional<bool> Holds(const Requirement& requirement, const Labels& labels) {
  const std::string* value = FindLabel(labels, requirement.key);
  if (requirement.op == RequirementOp::kIn || requirement.op == RequirementOp::kNotIn) {
    if (requirement.values.empty()) return std::nullopt;
    const bool in = value != nullptr && Contains(requirement.values, *value);
    return requirement.op == RequirementOp::kIn ? in : !in;
  }
  if (requirement.op == RequirementOp::kExists || requirement.op == RequirementOp::kDoesNotExist) {
    if (!requirement.values.empty()) return std::nullopt;
    return (requirement.op == RequirementOp::kExists) == (value != nullptr);
  }
  if (requirement.op == RequirementOp::kGt || requirement.op == RequirementOp::kLt) {
    if (requirement.values.size() != 1) return std::nullopt;
    const auto bound = ParseInteger(requirement.values[0]);
    if (!bound) return std::nullopt;
    if (value == nullptr) return false;
    const auto own = ParseInteger(*value);
    if (!own) return false;
    return requirement.op == RequirementOp::kGt ? *own > *bound : *own < *bound;
  }
  return std::nullopt;
}

bool AllHold(const std::vector<Requirement>& requirements, const Labels& labels) {
  return std::all_of(requirements.begin(), requirements.end(), [&](const Requirement& requirement) {
    return Holds(requirement, labels).value_or(false);
  });
}

// The only field is the node's name; any other is empty on every node.
bool FieldHolds(const Requirement& requirement, const NodeSpec& node) {
  if (requirement.values.size() != 1) return false;
  const std::string value = requirement.key == "metadata.name" ? node.name : "";
  if (requirement.op == RequirementOp::kIn) return value == requirement.values[0];
  if (requirement.op == RequirementOp::kNotIn) return value != requirement.values[0];
  return false;
}

}  // namespace

const std::string* FindLabel(const Labels& labels, const std::string& key) {
  for (const auto& [name, value] : labels) {
    if (name == key) return &value;
  }
  return nullptr;
}

bool Matches(const std::optional<Selector>& selector, const Labels& labels) {
  if (!selector) return false;
  for (const auto& [key, wanted] : selector->match_labels) {
    const std::string* value = FindLabel(labels, key);
    if (value == nullptr || *value != wanted) return false;
  }
  return AllHold(selector->match_expressions, labels);
}

bool IsEverything(const std::optional<Selector>& selector) {
  return selector && selector->match_labels.empty() && selector->match_expressions.empty();
}

bool Matches(const NodeTerm& term, const NodeSpec& node) {
  if (term.match_expressions.empty() && term.match_fields.empty()) return false;
  return AllHold(term.match_expressions, node.labels) &&
         std::all_of(term.match_fields.begin(), term.match_fields.end(),
                     [&](const Requirement& field) { return FieldHolds(field, node); });
}

bool MatchesLabels(const NodeTerm& term, const NodeSpec& node) {
  return !term.match_expressions.empty() && AllHold(term.match_expressions, node.labels);
}

bool MatchesNode(const TaskShape& shape, const NodeSpec& node) {
  for (const auto& [key, wanted] : shape.node_selector) {
    const std::string* value = FindLabel(node.labels, key);
    if (value == nullptr || *value != wanted) return false;
  }
  if (!shape.required_node_affinity) return true;
  return std::any_of(shape.required_node_affinity->begin(), shape.required_node_affinity->end(),
                     [&](const NodeTerm& term) { return Matches(term, node); });
}

bool Tolerates(const Toleration& toleration, const Taint& taint) {
  if (toleration.effect != TaintEffect::kUnset && toleration.effect != taint.effect) return false;
  if (!toleration.key.empty() && toleration.key != taint.key) return false;
  return toleration.op == TolerationOp::kExists || toleration.value == taint.value;
}

const Taint* FirstUntolerated(const TaskShape& shape, const NodeSpec& node) {
  for (const Taint& taint : node.taints) {
    if (taint.effect != TaintEffect::kNoSchedule && taint.effect != TaintEffect::kNoExecute)
      continue;
    const bool tolerated =
        std::any_of(shape.tolerations.begin(), shape.tolerations.end(),
                    [&](const Toleration& toleration) { return Tolerates(toleration, taint); });
    if (!tolerated) return &taint;
  }
  return nullptr;
}

bool ToleratesUnschedulable(const TaskShape& shape) {
  const Taint taint{"node.kubernetes.io/unschedulable", "", TaintEffect::kNoSchedule};
  return std::any_of(shape.tolerations.begin(), shape.tolerations.end(),
                     [&](const Toleration& toleration) { return Tolerates(toleration, taint); });
}

bool Matches(const Tables& tables, const AffinityTerm& term, const std::string& owner,
             const TaskShape& other, bool of_newcomer) {
  bool of_namespace = false;
  if (term.namespaces.empty() && !term.namespace_selector) {
    of_namespace = other.name_space == owner;
  } else {
    of_namespace = Contains(term.namespaces, other.name_space);
  }
  if (!of_namespace && term.namespace_selector) {
    const Labels* labels = nullptr;
    for (const NamespaceSpec& name_space : tables.namespaces) {
      if (name_space.name == other.name_space) labels = &name_space.labels;
    }
    if (IsEverything(term.namespace_selector)) {
      of_namespace = true;
    } else if (labels != nullptr && Matches(term.namespace_selector, *labels)) {
      of_namespace = true;
    } else if (of_newcomer || labels == nullptr) {
      of_namespace = Matches(term.namespace_selector, Labels());
    }
  }
  return of_namespace && Matches(term.selector, other.labels);
}

}  // namespace muster::reference
