// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/kube/inter_classes.h"

#include <algorithm>

#include "lib/kube/selectors.h"

namespace muster {
namespace {

// Labels of which every match has at least one; empty: the selector asks for no certain value.
Labels Anchors(const Selector& selector) {
  if (!selector.match_labels.empty()) return {selector.match_labels[0]};
  for (const Requirement& r : selector.match_expressions) {
    if (r.op != RequirementOp::kIn) continue;
    Labels anchors;
    for (const std::string& value : r.values) anchors.emplace_back(r.key, value);
    return anchors;
  }
  return {};
}

template <class Number>
void SortUnique(std::vector<Number>* numbers) {
  std::sort(numbers->begin(), numbers->end());
  numbers->erase(std::unique(numbers->begin(), numbers->end()), numbers->end());
}

}  // namespace

void InterClasses::Open(const Tables& tables, const KubernetesRules& rules) {
  *this = InterClasses();
  tables_ = &tables;
  rules_ = rules;
  for (const NamespaceSpec& name_space : tables.namespaces) {
    namespaces_[name_space.name] = &name_space.labels;
  }
  const ClassTable& classes = tables.classes;
  for (ClassIndex c = 0; c < classes.shape.size(); ++c) {
    if (classes.tasks[c] == 0) continue;
    const TaskShape& shape = classes.shape[c];
    for (const AffinityTerm& term : shape.required_affinity) Hold(c, TermKind::kRequired, 0, term);
    for (const AffinityTerm& term : shape.required_anti_affinity) {
      Hold(c, TermKind::kRequiredAnti, 0, term);
    }
    for (const auto& [weight, term] : shape.preferred_affinity) {
      Hold(c, TermKind::kPreferred, weight, term);
    }
    for (const auto& [weight, term] : shape.preferred_anti_affinity) {
      Hold(c, TermKind::kPreferredAnti, weight, term);
    }
    for (const HostPort& port : shape.host_ports) {
      std::vector<ClassIndex>& users = classes_by_port_[port.port];
      if (users.empty() || users.back() != c) users.push_back(c);
    }
  }
}

void InterClasses::Hold(ClassIndex owner, TermKind kind, int32_t weight, const AffinityTerm& term) {
  if (!term.selector) return;  // matches no task
  const uint32_t number = static_cast<uint32_t>(terms_.size());
  terms_.push_back({owner, kind, weight, &term});
  const Labels anchors = Anchors(*term.selector);
  for (const auto& label : anchors) terms_by_label_[label].push_back(number);
  if (anchors.empty()) loose_terms_.push_back(number);
}

std::vector<ClassIndex> InterClasses::Selected(const Selector& selector) {
  const ClassTable& classes = tables_->classes;
  if (!labels_indexed_) {
    labels_indexed_ = true;
    for (ClassIndex c = 0; c < classes.shape.size(); ++c) {
      if (classes.tasks[c] == 0) continue;
      for (const auto& label : classes.shape[c].labels) classes_by_label_[label].push_back(c);
    }
  }
  std::vector<ClassIndex> selected;
  const auto add_if_matching = [&](ClassIndex c) {
    if (Matches(selector, classes.shape[c].labels)) selected.push_back(c);
  };
  const Labels anchors = Anchors(selector);
  for (const auto& label : anchors) {
    const auto it = classes_by_label_.find(label);
    if (it == classes_by_label_.end()) continue;
    for (const ClassIndex c : it->second) add_if_matching(c);
  }
  if (anchors.empty()) {
    for (ClassIndex c = 0; c < classes.shape.size(); ++c) {
      if (classes.tasks[c] > 0) add_if_matching(c);
    }
  }
  SortUnique(&selected);
  return selected;
}

std::vector<const HeldTerm*> InterClasses::TermsAbout(ClassIndex c) {
  const TaskShape& shape = tables_->classes.shape[c];
  std::vector<uint32_t> numbers = loose_terms_;
  for (const auto& label : shape.labels) {
    const auto it = terms_by_label_.find(label);
    if (it == terms_by_label_.end()) continue;
    numbers.insert(numbers.end(), it->second.begin(), it->second.end());
  }
  SortUnique(&numbers);
  std::vector<const HeldTerm*> about;
  for (const uint32_t number : numbers) {
    const HeldTerm& held = terms_[number];
    if (MatchesHeld(*held.term, tables_->classes.shape[held.owner], shape)) about.push_back(&held);
  }
  return about;
}

const std::vector<ClassIndex>& InterClasses::WithHostPort(int32_t port) {
  const auto it = classes_by_port_.find(port);
  return it == classes_by_port_.end() ? no_classes_ : it->second;
}

bool InterClasses::InNamespace(const AffinityTerm& term, const TaskShape& owner,
                               const std::string& name_space, bool of_newcomer) const {
  const bool selects = rules_.namespace_selectors && term.namespace_selector.has_value();
  if (term.namespaces.empty() && !selects) return name_space == owner.name_space;
  if (std::find(term.namespaces.begin(), term.namespaces.end(), name_space) !=
      term.namespaces.end()) {
    return true;
  }
  if (!selects) return false;
  const Selector& selector = *term.namespace_selector;
  if (selector.match_labels.empty() && selector.match_expressions.empty()) return true;
  const auto it = namespaces_.find(name_space);
  if (it != namespaces_.end() && Matches(selector, *it->second)) return true;
  const bool compares_none = of_newcomer ? rules_.bare_selectors : it == namespaces_.end();
  return compares_none && Matches(selector, Labels());
}

bool InterClasses::MatchesOwn(const AffinityTerm& term, const TaskShape& owner,
                              const TaskShape& other) const {
  return term.selector && Matches(*term.selector, other.labels) &&
         InNamespace(term, owner, other.name_space, true);
}

bool InterClasses::MatchesHeld(const AffinityTerm& term, const TaskShape& owner,
                               const TaskShape& newcomer) const {
  return term.selector && Matches(*term.selector, newcomer.labels) &&
         InNamespace(term, owner, newcomer.name_space, false);
}

}  // namespace muster
