// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/advice/required_labels.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "lib/kube/selectors.h"

namespace muster {
namespace {

constexpr size_t kMostValues = 3;  // that a line names

// Calls for each living node.
template <class F>
void ForEachNode(const Tables& tables, F&& f) {
  for (NodeIndex n = 0; n < tables.nodes.alive.size(); ++n) {
    if (tables.nodes.alive[n]) f(tables.nodes.spec[n]);
  }
}

// The values of the label, with how many nodes have each.
std::map<std::string, int64_t> ValuesOf(const Tables& tables, std::string_view key) {
  std::map<std::string, int64_t> values;
  ForEachNode(tables, [&](const NodeSpec& node) {
    if (const std::string* value = FindLabel(node.labels, key)) ++values[*value];
  });
  return values;
}

// The words of the requirement: those for a node that has no label at all.
std::string TextOf(const Requirement& requirement) {
  TaskShape shape;
  shape.required_node_affinity = {{.match_expressions = {requirement}}};
  return UnmatchedText(shape, NodeSpec());
}

}  // namespace

std::vector<RequiredLabel> RequiredLabels(const TaskShape& shape) {
  std::vector<RequiredLabel> labels;
  for (const auto& [key, value] : shape.node_selector) {
    labels.push_back({{key, RequirementOp::kIn, {value}}, absl::StrCat(key, "=", value), true});
  }
  if (shape.required_node_affinity && shape.required_node_affinity->size() == 1) {
    for (const Requirement& expression : shape.required_node_affinity->front().match_expressions) {
      labels.push_back({expression, TextOf(expression), false});
    }
  }
  return labels;
}

std::vector<RequiredLabel> UnmetLabels(const Tables& tables, const TaskShape& shape) {
  std::vector<RequiredLabel> labels = RequiredLabels(shape);
  std::erase_if(labels, [&tables](const RequiredLabel& label) {
    bool met = false;
    ForEachNode(tables,
                [&](const NodeSpec& node) { met |= Matches(label.requirement, node.labels); });
    return met;
  });
  return labels;
}

std::vector<std::string> GatesOf(const Tables& tables, const Plan& plan, JobIndex job,
                                 TaskIndex lone) {
  std::vector<std::string> gates;
  for (const PendingTask& pending : plan.pending()) {
    const TaskIndex t = pending.task;
    if (job == kNone ? t != lone : tables.tasks.job[t] != job) continue;
    for (const std::string& gate : tables.gate_lists[tables.tasks.gates[t]]) {
      if (std::ranges::find(gates, gate) == gates.end()) gates.push_back(gate);
    }
  }
  return gates;
}

std::string NearestValue(const Tables& tables, const RequiredLabel& label) {
  if (label.requirement.values.size() != 1) return "";
  const std::map<std::string, int64_t> values = ValuesOf(tables, label.requirement.key);
  std::vector<std::string_view> known;
  for (const auto& [value, nodes] : values) known.push_back(value);
  return std::string(NearestName(label.requirement.values[0], known));
}

std::string UnmetText(const Tables& tables, const RequiredLabel& label) {
  const std::string& key = label.requirement.key;
  std::string line = absl::StrCat("no node has ", label.text.empty() ? key : label.text);
  const std::map<std::string, int64_t> values = ValuesOf(tables, key);
  if (values.empty()) {
    std::set<std::string_view> keys;
    ForEachNode(tables, [&](const NodeSpec& node) {
      for (const auto& [known, value] : node.labels) keys.insert(known);
    });
    const std::vector<std::string_view> known(keys.begin(), keys.end());
    return absl::StrCat(line, ", and none has a label ", key, SuggestName(key, known));
  }
  size_t named = 0;
  for (const auto& [value, nodes] : values) {
    if (++named > kMostValues) break;
    absl::StrAppend(&line, named == 1 ? "; " : ", ", nodes,
                    nodes == 1 ? " node has " : " nodes have ", key, "=", value);
  }
  if (values.size() > kMostValues) line += ", ...";
  const std::string nearest = NearestValue(tables, label);
  if (!nearest.empty()) absl::StrAppend(&line, "; did you mean ", Quote(nearest), "?");
  return line;
}

}  // namespace muster
