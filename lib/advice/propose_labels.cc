// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Remedies about labels and gates: a node gets a label, tasks require another value or none, a
// scheduling gate is taken off.
#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/advice/ends.h"
#include "lib/advice/proposals.h"
#include "lib/advice/required_labels.h"
#include "lib/advice/room.h"
#include "lib/advice/smallest.h"
#include "lib/base/strings.h"
#include "lib/kube/selectors.h"

namespace muster {
namespace {

constexpr int64_t kMostLabeled = 64;

// Labels that say what a node is: the kubelet or the cloud sets them, and another value is wrong.
constexpr std::string_view kOfTheNode[] = {"kubernetes.io/hostname",
                                           "kubernetes.io/os",
                                           "kubernetes.io/arch",
                                           "node.kubernetes.io/instance-type",
                                           "topology.kubernetes.io/zone",
                                           "topology.kubernetes.io/region",
                                           "beta.kubernetes.io/os",
                                           "beta.kubernetes.io/arch",
                                           "beta.kubernetes.io/instance-type",
                                           "failure-domain.beta.kubernetes.io/zone",
                                           "failure-domain.beta.kubernetes.io/region"};

// What the tasks that wait require of labels, each once, those first that no node matches.
std::vector<RequiredLabel> RequiredOf(const WaitingCase& job) {
  std::vector<RequiredLabel> all;
  std::set<std::string> seen;
  for (const bool unmet : {true, false}) {
    for (const WaitingTasks& tasks : job.Waiting()) {
      for (RequiredLabel& label :
           unmet ? UnmetLabels(job.tables, *tasks.shape) : RequiredLabels(*tasks.shape)) {
        if (seen.insert(label.text).second) all.push_back(std::move(label));
      }
    }
  }
  return all;
}

void ProposeValue(const WaitingCase& job, const RequiredLabel& label, Trials* trials,
                  std::vector<Remedy>* out) {
  const std::string value = label.selector ? NearestValue(job.tables, label) : "";
  if (value.empty() || value == label.requirement.values[0]) return;
  const std::vector<WhatIfChange> changes = {
      {.job = JobEdit{.name = job.name(), .node_selector = {{label.requirement.key, value}}}}};
  if (!trials->Helps(changes)) return;
  out->push_back({.kind = RemedyKind::kSelector,
                  .words = absl::StrCat("require ", label.requirement.key, "=", value,
                                        " of nodes in place of ", label.text),
                  .changes = changes});
}

void ProposeDrop(const WaitingCase& job, const std::vector<RequiredLabel>& labels, Trials* trials,
                 std::vector<Remedy>* out) {
  JobEdit edit{.name = job.name()};
  std::vector<std::string> texts;
  for (const RequiredLabel& label : labels) {
    edit.drop_node_labels.push_back(label.requirement.key);
    texts.push_back(label.text);
  }
  const std::vector<WhatIfChange> changes = {{.job = std::move(edit)}};
  if (!trials->Helps(changes)) return;
  out->push_back(
      {.kind = RemedyKind::kSelector,
       .words = absl::StrCat("do not require ", absl::StrJoin(texts, " and "), " of nodes"),
       .changes = changes});
}

// Labels the nodes with the most room, as many as it takes; of these the last alone, if it does.
void ProposeNodeLabel(const WaitingCase& job, const RequiredLabel& label, Trials* trials,
                      std::vector<Remedy>* out) {
  const Tables& tables = job.tables;
  if (label.requirement.op != RequirementOp::kIn || label.requirement.values.empty()) return;
  if (std::ranges::find(kOfTheNode, label.requirement.key) != std::end(kOfTheNode)) return;
  const FreeRoom room(tables, EndsOf(tables, job.plan));
  const std::vector<int64_t> request = job.Waiting()[0].request;
  std::vector<std::pair<int64_t, NodeIndex>> nodes;  // how short of amounts, and then the first
  for (NodeIndex n = 0; n < tables.nodes.alive.size(); ++n) {
    const NodeSpec& spec = tables.nodes.spec[n];
    if (!tables.nodes.alive[n] || !spec.ready || spec.unschedulable ||
        FirstUntolerated(*job.Waiting()[0].shape, spec) != nullptr ||
        Matches(label.requirement, spec.labels)) {
      continue;
    }
    int64_t short_of = 0;
    for (DimensionIndex d = 0; d < request.size(); ++d) {
      short_of += d != kPods && request[d] > room.Free(n, d);
    }
    nodes.emplace_back(short_of, n);
  }
  if (nodes.empty()) return;
  std::ranges::sort(nodes);
  const std::string& value = label.requirement.values[0];
  const auto changes = [&](int64_t first, int64_t end) {
    std::vector<WhatIfChange> made;
    for (int64_t i = first; i < end; ++i) {
      const NodeIndex n = nodes[static_cast<size_t>(i)].second;
      made.push_back({.nodes = NodeEdit{.name = tables.nodes.spec[n].name,
                                        .set_labels = {{label.requirement.key, value}}}});
    }
    return made;
  };
  const std::optional<int64_t> count =
      Smallest(std::min<int64_t>(static_cast<int64_t>(nodes.size()), kMostLabeled),
               [&](int64_t c) { return trials->Helps(changes(0, c)); });
  if (!count) return;
  // Without the last one nothing starts. A node before it may have room, and refuse for another
  // reason.
  const bool last_does = *count > 1 && trials->Helps(changes(*count - 1, *count));
  const int64_t from = last_does ? *count - 1 : 0, others = *count - from - 1;
  const std::string first = Quote(tables.nodes.names.name(nodes[static_cast<size_t>(from)].second));
  out->push_back({.kind = RemedyKind::kNodeLabel,
                  .words = absl::StrCat("label ", first,
                                        others > 0 ? absl::StrCat(" and ", others, " more") : "",
                                        " with ", label.requirement.key, "=", value),
                  .changes = changes(from, *count)});
}

}  // namespace

void ProposeLabels(const WaitingCase& job, Trials* trials, std::vector<Remedy>* out) {
  const std::vector<RequiredLabel> labels = RequiredOf(job);
  const size_t before = out->size();
  for (const RequiredLabel& label : labels) {
    ProposeValue(job, label, trials, out);
    ProposeNodeLabel(job, label, trials, out);
    ProposeDrop(job, {label}, trials, out);
  }
  if (out->size() == before && labels.size() > 1) ProposeDrop(job, labels, trials, out);
}

void ProposeGates(const WaitingCase& job, Trials* trials, std::vector<Remedy>* out) {
  const std::vector<std::string> gates = GatesOf(job.tables, job.plan, job.job, job.lone);
  if (gates.empty()) return;
  const std::vector<WhatIfChange> changes = {
      {.job = JobEdit{.name = job.name(), .gates = std::vector<std::string>()}}};
  if (!trials->Helps(changes)) return;
  out->push_back(
      {.kind = RemedyKind::kGate,
       .words = absl::StrCat("take off the scheduling gate", gates.size() == 1 ? " " : "s ",
                             absl::StrJoin(gates, " and ")),
       .changes = changes});
}

}  // namespace muster
