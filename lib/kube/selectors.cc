// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Kubernetes reads a selector in two steps. A requirement that it cannot read (In without values,
// Gt with a word) makes the whole term unusable; only then are labels compared. Requirements of a
// term are joined by AND, so an unreadable one may simply count as one that does not hold.
#include "lib/kube/selectors.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace muster {
namespace {

// As Go's ParseInt in base 10: an optional sign, digits, and the value fits.
std::optional<int64_t> ParseInteger(std::string_view text) {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return std::nullopt;
  }
  int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

bool Holds(const std::vector<std::string>& values, std::string_view value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

bool MatchesAll(const Labels& wanted, const Labels& labels) {
  return std::all_of(wanted.begin(), wanted.end(), [&](const auto& pair) {
    const std::string* value = FindLabel(labels, pair.first);
    return value != nullptr && *value == pair.second;
  });
}

bool MatchesAll(const std::vector<Requirement>& requirements, const Labels& labels) {
  return std::all_of(requirements.begin(), requirements.end(),
                     [&](const Requirement& r) { return Matches(r, labels); });
}

// Any field but the name is empty on every node. A node without a name has no fields to compare.
bool MatchesField(const Requirement& field, const NodeSpec& node) {
  if (field.values.size() != 1 ||
      (field.op != RequirementOp::kIn && field.op != RequirementOp::kNotIn))
    return false;
  if (node.name.empty()) return true;
  const std::string_view value = field.key == "metadata.name" ? std::string_view(node.name) : "";
  return (value == field.values[0]) == (field.op == RequirementOp::kIn);
}

bool ToleratesAny(const TaskShape& shape, const Taint& taint) {
  return std::any_of(shape.tolerations.begin(), shape.tolerations.end(),
                     [&](const Toleration& t) { return Tolerates(t, taint); });
}

std::string RequirementText(const Requirement& requirement) {
  const auto& [key, op, values] = requirement;
  const std::string list = absl::StrCat("(", absl::StrJoin(values, ", "), ")");
  switch (op) {
    case RequirementOp::kUnset:
      break;
    case RequirementOp::kIn:
      return absl::StrCat(key, " in ", list);
    case RequirementOp::kNotIn:
      return absl::StrCat(key, " not in ", list);
    case RequirementOp::kExists:
      return absl::StrCat(key, " exists");
    case RequirementOp::kDoesNotExist:
      return absl::StrCat(key, " does not exist");
    case RequirementOp::kGt:
      return absl::StrCat(key, " > ", absl::StrJoin(values, ", "));
    case RequirementOp::kLt:
      return absl::StrCat(key, " < ", absl::StrJoin(values, ", "));
  }
  return "";
}

}  // namespace

const std::string* FindLabel(const Labels& labels, std::string_view key) {
  for (const auto& [name, value] : labels) {
    if (name == key) return &value;
  }
  return nullptr;
}

bool Matches(const Requirement& requirement, const Labels& labels) {
  const auto& [key, op, values] = requirement;
  const std::string* value = FindLabel(labels, key);
  switch (op) {
    case RequirementOp::kUnset:
      return false;
    case RequirementOp::kIn:
      return value != nullptr && Holds(values, *value);
    case RequirementOp::kNotIn:
      return !values.empty() && (value == nullptr || !Holds(values, *value));
    case RequirementOp::kExists:
      return values.empty() && value != nullptr;
    case RequirementOp::kDoesNotExist:
      return values.empty() && value == nullptr;
    case RequirementOp::kGt:
    case RequirementOp::kLt:
      break;
  }
  if (values.size() != 1 || value == nullptr) return false;
  const auto bound = ParseInteger(values[0]);
  const auto number = ParseInteger(*value);
  if (!bound || !number) return false;
  return op == RequirementOp::kGt ? *number > *bound : *number < *bound;
}

bool Matches(const Selector& selector, const Labels& labels) {
  return MatchesAll(selector.match_labels, labels) &&
         MatchesAll(selector.match_expressions, labels);
}

bool Matches(const NodeTerm& term, const NodeSpec& node) {
  if (term.match_expressions.empty() && term.match_fields.empty()) return false;
  return MatchesAll(term.match_expressions, node.labels) &&
         std::all_of(term.match_fields.begin(), term.match_fields.end(),
                     [&](const Requirement& field) { return MatchesField(field, node); });
}

bool MatchesNode(const TaskShape& shape, const NodeSpec& node) {
  if (!MatchesAll(shape.node_selector, node.labels)) return false;
  if (!shape.required_node_affinity) return true;
  return std::any_of(shape.required_node_affinity->begin(), shape.required_node_affinity->end(),
                     [&](const NodeTerm& term) { return Matches(term, node); });
}

bool Tolerates(const Toleration& toleration, const Taint& taint) {
  const bool any_effect = toleration.effect == TaintEffect::kUnset;
  if (!any_effect && toleration.effect != taint.effect) return false;
  if (!toleration.key.empty() && toleration.key != taint.key) return false;
  return toleration.op == TolerationOp::kExists || toleration.value == taint.value;
}

const Taint* FirstUntolerated(const TaskShape& shape, const NodeSpec& node) {
  for (const Taint& taint : node.taints) {
    const bool repels =
        taint.effect == TaintEffect::kNoSchedule || taint.effect == TaintEffect::kNoExecute;
    if (!repels) continue;
    if (!ToleratesAny(shape, taint)) return &taint;
  }
  return nullptr;
}

std::string TaintText(const Taint& taint) {
  return taint.value.empty() ? taint.key : absl::StrCat(taint.key, "=", taint.value);
}

std::string UnmatchedText(const TaskShape& shape, const NodeSpec& node) {
  for (const auto& [key, value] : shape.node_selector) {
    const std::string* has = FindLabel(node.labels, key);
    if (has == nullptr || *has != value) return absl::StrCat(key, "=", value);
  }
  const auto& terms = shape.required_node_affinity;
  if (!terms || terms->size() != 1) return "";
  for (const Requirement& requirement : (*terms)[0].match_expressions) {
    if (!Matches(requirement, node.labels)) return RequirementText(requirement);
  }
  for (const Requirement& field : (*terms)[0].match_fields) {
    if (!MatchesField(field, node)) return RequirementText(field);
  }
  return "";
}

bool ToleratesUnschedulable(const TaskShape& shape) {
  return ToleratesAny(shape, {"node.kubernetes.io/unschedulable", "", TaintEffect::kNoSchedule});
}

}  // namespace muster
