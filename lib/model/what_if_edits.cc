// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/model/what_if_edits.h"

#include <algorithm>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/model/living_names.h"

namespace muster {

absl::StatusOr<std::vector<NodeIndex>> ChooseNodes(const char* where, const std::string& name,
                                                   const Labels& labels, const NodeTable& nodes,
                                                   const std::function<bool(NodeIndex)>& is_there) {
  if (name.empty() == labels.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(where, ": has ",
                                                   name.empty() ? "no name and no labels" : "both",
                                                   "; must have a name or labels"));
  }
  std::vector<NodeIndex> chosen;
  if (!name.empty()) {
    const std::optional<NodeIndex> node = nodes.names.Find(name);
    if (!node || !is_there(*node)) {
      return NoSuchRow("node", name, nodes, "", [&](size_t i) { return is_there(NodeIndex(i)); });
    }
    chosen.push_back(*node);
    return chosen;
  }
  for (NodeIndex n = 0; n < nodes.alive.size(); ++n) {
    if (!nodes.alive[n] || !is_there(n)) continue;
    const Labels& has = nodes.spec[n].labels;
    const bool all = std::ranges::all_of(
        labels, [&has](const auto& label) { return std::ranges::find(has, label) != has.end(); });
    if (all) chosen.push_back(n);
  }
  if (!chosen.empty()) return chosen;
  return absl::NotFoundError(absl::StrCat(where, ": no node has the labels ",
                                          absl::StrJoin(labels, ", ", absl::PairFormatter("="))));
}

absl::Status NoSuchJob(const Tables& tables, const std::string& name,
                       const std::function<bool(JobIndex)>& is_there) {
  if (tables.tasks.names.Find(name)) {
    return absl::NotFoundError(absl::StrCat(
        PlaceOf("job", name), " does not exist; a task has the name, which remove_task removes"));
  }
  return NoSuchRow("job", name, tables.jobs, "",
                   [&is_there](size_t i) { return is_there(JobIndex(i)); });
}

QueueSpec EditedQueue(QueueSpec spec, const QueueEdit& edit) {
  if (edit.weight.has_value()) spec.weight = *edit.weight;
  if (edit.guaranteed.has_value()) spec.guaranteed = edit.guaranteed;
  if (edit.deserved.has_value()) spec.deserved = edit.deserved;
  if (edit.limit.has_value()) spec.limit = edit.limit;
  if (edit.spending_limit || edit.hourly_limit) {
    if (!spec.rules) spec.rules = QueueRules();
    if (!spec.rules->spending) spec.rules->spending = SpendingRules();
    if (edit.spending_limit) spec.rules->spending->limit = edit.spending_limit;
    if (edit.hourly_limit) spec.rules->spending->hourly_limit = edit.hourly_limit;
  }
  if (edit.quota) {
    if (!spec.rules) spec.rules = QueueRules();
    spec.rules->groups = *edit.quota;
  }
  if (edit.state) spec.state = *edit.state;
  return spec;
}

}  // namespace muster
