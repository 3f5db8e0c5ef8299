// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/armada/matching.h"

#include <algorithm>
#include <string>

#include "absl/strings/numbers.h"

namespace muster::armada {
namespace {

bool MeetsBound(const Requirement& requirement, const std::string& text) {
  int64_t value = 0, bound = 0;
  if (requirement.values.size() != 1 || !absl::SimpleAtoi(text, &value) ||
      !absl::SimpleAtoi(requirement.values[0], &bound)) {
    return false;
  }
  return requirement.comparison == Comparison::kGreater ? value > bound : value < bound;
}

bool Meets(const Requirement& requirement, const Labels& labels) {
  const std::string* value = FindLabel(labels, requirement.key);
  const auto listed = [&] {
    return std::ranges::find(requirement.values, *value) != requirement.values.end();
  };
  switch (requirement.comparison) {
    case Comparison::kIn:
      return value != nullptr && listed();
    case Comparison::kNotIn:
      return value == nullptr || !listed();
    case Comparison::kExists:
      return value != nullptr;
    case Comparison::kDoesNotExist:
      return value == nullptr;
    default:
      return value != nullptr && MeetsBound(requirement, *value);
  }
}

int64_t RoundUpToWhole(int64_t amount, int scale) {
  for (; scale > 0; --scale) amount *= 10;
  int64_t parts = 1;
  for (; scale < 0; ++scale) parts *= 10;
  const int64_t whole = amount / parts;
  return whole * parts < amount ? whole + 1 : whole;
}

}  // namespace

const std::string* FindLabel(const Labels& labels, std::string_view key) {
  for (const auto& [name, value] : labels) {
    if (name == key) return &value;
  }
  return nullptr;
}

bool Tolerates(const Toleration& toleration, const Taint& taint) {
  if (!toleration.effect.empty() && toleration.effect != taint.effect) return false;
  if (!toleration.key.empty() && toleration.key != taint.key) return false;
  return toleration.exists || toleration.value == taint.value;
}

Taint UnschedulableTaint() { return {"armadaproject.io/unschedulable", "true", "NoSchedule"}; }

const Taint* FindUntolerated(absl::Span<const Taint> taints, absl::Span<const Toleration> first,
                             absl::Span<const Toleration> second) {
  for (const Taint& taint : taints) {
    const auto tolerates = [&](const Toleration& toleration) {
      return Tolerates(toleration, taint);
    };
    if (!std::any_of(first.begin(), first.end(), tolerates) &&
        !std::any_of(second.begin(), second.end(), tolerates)) {
      return &taint;
    }
  }
  return nullptr;
}

bool MatchesTerms(const Labels& labels, const std::vector<Term>& terms) {
  return std::ranges::any_of(terms, [&](const Term& term) {
    return !term.empty() && std::ranges::all_of(term, [&](const Requirement& requirement) {
      return Meets(requirement, labels);
    });
  });
}

bool MatchesConditions(absl::Span<const Condition> conditions, const Amounts& requests,
                       const std::vector<Resource>& resources) {
  for (const Condition& condition : conditions) {
    int64_t value = 0;
    if (condition.dimension >= 0) {
      const auto place = static_cast<size_t>(condition.dimension);
      value = RoundUpToWhole(requests[place], resources[place].scale);
    }
    if (condition.comparison == '>') return value > condition.value;
    if (condition.comparison == '<') return value < condition.value;
    if (condition.comparison == '=') return value == condition.value;
  }
  return true;
}

bool TypeSuits(const NodeType& type, const Shape& shape, absl::Span<const Toleration> added) {
  if (FindUntolerated(type.taints, added, shape.tolerations) != nullptr) return false;
  for (const auto& [key, wanted] : shape.selector) {
    if (const std::string* value = FindLabel(type.labels, key)) {
      if (*value != wanted) return false;
    } else if (std::ranges::find(type.unset, key) != type.unset.end()) {
      return false;
    }
  }
  return true;
}

bool NodeSuits(const Node& node, const Shape& shape, absl::Span<const Toleration> added,
               const std::vector<Resource>& resources) {
  if (FindUntolerated(node.taints, added, shape.tolerations) != nullptr) return false;
  for (const auto& [key, wanted] : shape.selector) {
    const std::string* value = FindLabel(node.labels, key);
    if (value == nullptr || *value != wanted) return false;
  }
  if (shape.affinity && !MatchesTerms(node.labels, *shape.affinity)) return false;
  for (size_t r = 0; r < resources.size(); ++r) {
    const int64_t request = resources[r].floating ? 0 : shape.requests[r];
    if (request > node.total[r]) return false;
  }
  return true;
}

NodeType MakeNodeType(const std::vector<Taint>& taints, const Labels& labels,
                      const std::vector<std::string>& indexed_taints,
                      const std::vector<std::string>& indexed_labels) {
  NodeType type;
  for (const Taint& taint : taints) {
    if (std::ranges::find(indexed_taints, taint.key) != indexed_taints.end()) {
      type.taints.push_back(taint);
    }
  }
  std::ranges::stable_sort(type.taints, {}, &Taint::key);
  for (const std::string& key : indexed_labels) {
    if (const std::string* value = FindLabel(labels, key)) {
      type.labels.emplace_back(key, *value);
    } else {
      type.unset.push_back(key);
    }
  }
  return type;
}

std::vector<Toleration> AwayTolerations(const AwayNodeType& away, const Amounts& requests,
                                        const std::vector<Resource>& resources) {
  std::vector<Toleration> tolerations;
  const auto add = [&](const std::vector<Taint>& taints) {
    for (const Taint& taint : taints) {
      const bool any = taint.value == "*";
      tolerations.push_back({taint.key, any ? "" : taint.value, taint.effect, any});
    }
  };
  add(away.taints);
  for (const ConditionalTaints& other : away.others) {
    if (MatchesConditions(other.conditions, requests, resources)) add(other.taints);
  }
  return tolerations;
}

}  // namespace muster::armada
