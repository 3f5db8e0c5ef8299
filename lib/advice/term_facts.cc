// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/advice/term_facts.h"

#include <cstdint>
#include <set>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/base/strings.h"
#include "lib/kube/inter_classes.h"
#include "lib/kube/selectors.h"

namespace muster {
namespace {

constexpr size_t kMostDomains = 3;  // that a line names

// The words of the selector, as reasons have those of node selectors: "app=cache and tier in (a)".
std::string TextOf(const Selector& selector) {
  std::vector<std::string> parts;
  for (const auto& [key, value] : selector.match_labels) {
    parts.push_back(absl::StrCat(key, "=", value));
  }
  for (const Requirement& expression : selector.match_expressions) {
    TaskShape shape;
    shape.required_node_affinity = {{.match_expressions = {expression}}};
    parts.push_back(UnmatchedText(shape, NodeSpec()));
    // A node without labels meets the negative ones.
    if (parts.back().empty()) parts.back() = absl::StrCat("what it states of ", expression.key);
  }
  return parts.empty() ? "any labels" : absl::StrJoin(parts, " and ");
}

// How many tasks match a term, and in which label domains those on nodes are.
struct Matching {
  int64_t on_nodes = 0, waiting = 0, in_other_namespaces = 0;
  std::set<std::string> domains;
};

Matching MatchingOf(const Tables& tables, const Ends& ends, const AffinityTerm& term,
                    const TaskShape& owner, const InterClasses& classes) {
  Matching found;
  const ClassTable& table = tables.classes;
  std::vector<uint8_t> matches(table.shape.size(), 0), elsewhere(table.shape.size(), 0);
  for (ClassIndex c = 0; c < table.shape.size(); ++c) {
    if (table.tasks[c] == 0 || !term.selector) continue;
    matches[c] = classes.MatchesOwn(term, owner, table.shape[c]);
    elsewhere[c] = !matches[c] && Matches(*term.selector, table.shape[c].labels);
  }
  for (TaskIndex t = 0; t < tables.tasks.alive.size(); ++t) {
    if (!tables.tasks.alive[t]) continue;
    const ClassIndex c = tables.tasks.task_class[t];
    const NodeIndex node = ends.node[t];
    found.in_other_namespaces += elsewhere[c] && node != kNone;
    if (!matches[c]) continue;
    found.waiting += ends.reason[t] != Ends::kNoReason;
    if (node == kNone) continue;
    ++found.on_nodes;
    const std::string* value = FindLabel(tables.nodes.spec[node].labels, term.topology_key);
    if (value != nullptr) found.domains.insert(*value);
  }
  return found;
}

std::string CountText(int64_t count) {
  return absl::StrCat(count, count == 1 ? " task" : " tasks");
}

std::string TextOf(const AffinityTerm& term, const Matching& found) {
  if (!term.selector) return "affinity: a term without a selector matches no task";
  const std::string wanted = TextOf(*term.selector);
  if (found.on_nodes == 0) {
    std::string line = absl::StrCat("affinity: no task on a node has ", wanted);
    if (found.waiting > 0) {
      absl::StrAppend(&line, "; ", CountText(found.waiting),
                      found.waiting == 1 ? " that waits has it" : " that wait have it");
    }
    if (found.in_other_namespaces > 0) {
      absl::StrAppend(&line, "; ", CountText(found.in_other_namespaces),
                      " of namespaces that the affinity does not name",
                      found.in_other_namespaces == 1 ? " has it" : " have it");
    }
    return line;
  }
  if (found.domains.empty()) {
    return absl::StrCat("affinity: tasks with ", wanted, " are only on nodes without a label ",
                        term.topology_key);
  }
  std::string line = absl::StrCat("affinity: tasks with ", wanted, " on nodes are ");
  size_t named = 0;
  for (const std::string& value : found.domains) {
    if (++named > kMostDomains) break;
    absl::StrAppend(&line, named == 1 ? "in " : ", ", term.topology_key, "=", value);
  }
  if (found.domains.size() > kMostDomains) {
    absl::StrAppend(&line, " and ", found.domains.size() - kMostDomains, " more");
  }
  return line;
}

std::vector<std::string_view> LabelKeys(const NodeTable& nodes) {
  std::set<std::string_view> keys;
  for (NodeIndex n = 0; n < nodes.alive.size(); ++n) {
    if (!nodes.alive[n]) continue;
    for (const auto& [key, value] : nodes.spec[n].labels) keys.insert(key);
  }
  return {keys.begin(), keys.end()};
}

}  // namespace

std::vector<std::string> AffinityFacts(const Tables& tables, const Ends& ends,
                                       const TaskShape& shape) {
  std::vector<std::string> lines;
  if (shape.required_affinity.empty()) return lines;
  InterClasses classes;
  classes.Open(tables, kKubernetes137);
  for (const AffinityTerm& term : shape.required_affinity) {
    lines.push_back(TextOf(term, MatchingOf(tables, ends, term, shape, classes)));
  }
  return lines;
}

std::vector<std::string> SpreadFacts(const Tables& tables, const TaskShape& shape) {
  std::vector<std::string> lines;
  for (const SpreadConstraint& constraint : shape.spread) {
    if (!constraint.required) continue;
    const std::string& key = constraint.topology_key;
    int64_t nodes = 0, labeled = 0;
    for (NodeIndex n = 0; n < tables.nodes.alive.size(); ++n) {
      if (!tables.nodes.alive[n]) continue;
      ++nodes;
      labeled += FindLabel(tables.nodes.spec[n].labels, key) != nullptr;
    }
    if (labeled == nodes) continue;
    lines.push_back(labeled == 0
                        ? absl::StrCat("no node has a label ", key, ", over which it must spread",
                                       SuggestName(key, LabelKeys(tables.nodes)))
                        : absl::StrCat(labeled, " of ", nodes,
                                       labeled == 1 ? " nodes has" : " nodes have", " a label ",
                                       key, ", over which it must spread"));
  }
  return lines;
}

}  // namespace muster
