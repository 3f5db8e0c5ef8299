// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Which task classes a selector matches, and which affinity terms match a task class.
//
//   classes.Open(tables, true);
//   for (ClassIndex e : classes.Selected(*constraint.selector)) ...   // in any namespace
//   for (const HeldTerm* held : classes.TermsAbout(c)) ...   // terms of tasks that may be there
//
// Only classes that have tasks are considered. An index answers both questions. A selector that
// requires a certain value (or one of some values) of a label can only match classes with that
// label, so most pairs of a term and a class are never compared. A term is matched with a class
// once per cycle, not with tasks.
#ifndef MUSTER_KUBE_INTER_CLASSES_H_
#define MUSTER_KUBE_INTER_CLASSES_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "lib/base/hash_map.h"
#include "lib/kube/versions.h"
#include "lib/model/tables.h"

namespace muster {

enum class TermKind : uint8_t { kRequired, kRequiredAnti, kPreferred, kPreferredAnti };

struct HeldTerm {
  ClassIndex owner;
  TermKind kind;
  int32_t weight;  // of a preferred term
  const AffinityTerm* term;
};

class InterClasses {
 public:
  void Open(const Tables& tables, const KubernetesRules& rules);

  // Returns the classes that have tasks and match the selector, ascending.
  std::vector<ClassIndex> Selected(const Selector& selector);
  // Returns the terms, of classes that have tasks, that match tasks of class `c`, owners ascending.
  std::vector<const HeldTerm*> TermsAbout(ClassIndex c);
  // Returns the classes that have tasks and request host port `port`, of any protocol and address.
  const std::vector<ClassIndex>& WithHostPort(int32_t port);

  // Returns whether `term` of the new task matches tasks of `other`. Its namespace selector stands
  // for the known namespaces that match. An empty one stands for all namespaces, and so does one
  // that matches no labels where the rules have bare_selectors.
  bool MatchesOwn(const AffinityTerm& term, const TaskShape& owner, const TaskShape& other) const;
  // Returns whether `term` of a task already there matches the newcomer. An unknown namespace
  // counts as one without labels.
  bool MatchesHeld(const AffinityTerm& term, const TaskShape& owner,
                   const TaskShape& newcomer) const;

 private:
  using Pair = std::pair<std::string, std::string>;  // a label
  bool InNamespace(const AffinityTerm& term, const TaskShape& owner, const std::string& name_space,
                   bool of_newcomer) const;
  void Hold(ClassIndex owner, TermKind kind, int32_t weight, const AffinityTerm& term);

  const Tables* tables_ = nullptr;
  KubernetesRules rules_;
  HashMap<std::string, const Labels*> namespaces_;

  std::vector<HeldTerm> terms_;
  HashMap<Pair, std::vector<uint32_t>> terms_by_label_;  // of terms that need the label
  std::vector<uint32_t> loose_terms_;                    // of the others

  bool labels_indexed_ = false;
  HashMap<Pair, std::vector<ClassIndex>> classes_by_label_;
  HashMap<int32_t, std::vector<ClassIndex>> classes_by_port_;
  std::vector<ClassIndex> no_classes_;
};

}  // namespace muster

#endif  // MUSTER_KUBE_INTER_CLASSES_H_
