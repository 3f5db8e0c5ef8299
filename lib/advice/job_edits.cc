// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/advice/job_edits.h"

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/advice/changes.h"
#include "lib/advice/named.h"
#include "lib/base/strings.h"
#include "lib/model/access.h"
#include "lib/model/describe.h"
#include "lib/model/living_names.h"
#include "lib/model/spec_amounts.h"
#include "lib/model/tables.h"

namespace muster {
namespace {

bool EditsShape(const JobEdit& edit) {
  return !edit.tolerations.empty() || !edit.request.empty() || !edit.request_at_most.empty() ||
         !edit.labels.empty() || !edit.node_selector.empty() || !edit.drop_node_labels.empty();
}

bool EditsTasks(const JobEdit& edit) {
  return edit.priority.has_value() || edit.gates.has_value() || EditsShape(edit);
}

absl::Status Check(const JobEdit& edit) {
  if (!EditsTasks(edit) && !edit.queue.has_value() && !edit.min_available.has_value()) {
    return absl::InvalidArgumentError(
        "job: sets nothing; must have one of queue, priority, min_available, tolerations, request, "
        "request_at_most, gates, labels, node_selector, drop_node_labels");
  }
  if (!edit.request.empty() && !edit.request_at_most.empty()) {
    return absl::InvalidArgumentError("job: has both request and request_at_most; must have one");
  }
  for (const auto& [name, amount] : edit.request_at_most) {
    const auto parsed =
        ParseQuantity(amount.text, IsMilliDimension(name) ? Unit::kMilli : Unit::kWhole);
    if (!parsed.ok()) {
      return absl::Status(parsed.status().code(), absl::StrCat("job: request_at_most: ", name, ": ",
                                                               parsed.status().message()));
    }
  }
  return absl::OkStatus();
}

// With `at_most`, only larger amounts change.
bool SetAmounts(const Resources& amounts, bool at_most, Resources* list) {
  bool changed = false;
  for (const auto& [name, amount] : amounts) {
    if (at_most) {
      const auto* const has = FindNamed(*list, name);
      if (has == nullptr || ValidAmount(name, has->second) <= ValidAmount(name, amount)) continue;
    }
    SetNamed(name, amount, list);
    changed = true;
  }
  return changed;
}

void SetRequest(const JobEdit& edit, TaskShape* shape) {
  const bool at_most = edit.request.empty();
  const Resources& amounts = at_most ? edit.request_at_most : edit.request;
  bool changed = SetAmounts(amounts, at_most, &shape->request);
  if (shape->initial_request.has_value()) {
    changed |= SetAmounts(amounts, at_most, &*shape->initial_request);
  }
  if (!changed) return;
  // What containers requested need not add up to the whole any more.
  shape->containers.clear();
  shape->pod = {};
}

// Returns whether the shape required any of these labels.
bool DropNodeLabels(const std::vector<std::string>& keys, TaskShape* shape) {
  bool dropped = EraseNamed(keys, &shape->node_selector);
  if (!shape->required_node_affinity.has_value()) return dropped;
  bool any_node = false;
  for (NodeTerm& term : *shape->required_node_affinity) {
    const size_t before = term.match_expressions.size();
    std::erase_if(term.match_expressions, [&keys](const Requirement& requirement) {
      return std::ranges::find(keys, requirement.key) != keys.end();
    });
    const bool fewer = term.match_expressions.size() < before;
    dropped |= fewer;
    any_node |= fewer && term.match_expressions.empty() && term.match_fields.empty();
  }
  // Terms are alternatives: one that any node matches makes the others void.
  if (any_node) shape->required_node_affinity.reset();
  return dropped;
}

// Returns whether one of the labels to drop was there.
bool EditShape(const JobEdit& edit, TaskShape* shape) {
  shape->tolerations.insert(shape->tolerations.end(), edit.tolerations.begin(),
                            edit.tolerations.end());
  SetRequest(edit, shape);
  const bool dropped = DropNodeLabels(edit.drop_node_labels, shape);
  for (const auto& [key, value] : edit.labels) SetNamed(key, value, &shape->labels);
  for (const auto& [key, value] : edit.node_selector) SetNamed(key, value, &shape->node_selector);
  return dropped;
}

absl::Status NothingDropped(const JobEdit& edit) {
  return absl::NotFoundError(
      absl::StrCat("job: no pending task of ", Quote(edit.name), " requires the node label ",
                   Quote(edit.drop_node_labels[0]), "; what is dropped must be there"));
}

absl::Status EditTasks(const JobEdit& edit, std::span<const TaskIndex> tasks, bool dropped,
                       Cluster* cluster) {
  const Tables& tables = TablesOf(*cluster);
  std::vector<TaskSpec> edited;
  if (EditsTasks(edit)) {
    for (const TaskIndex t : tasks) {
      if (tables.tasks.status[t] != TaskStatus::kPending) continue;
      TaskSpec& spec = edited.emplace_back(DescribeTask(ImplOf(*cluster).editor, t));
      if (edit.priority.has_value()) spec.priority = *edit.priority;
      if (edit.gates.has_value()) spec.gates = *edit.gates;
      dropped |= EditShape(edit, &spec.shape);
    }
  }
  if (!edit.drop_node_labels.empty() && !dropped) return NothingDropped(edit);
  for (const TaskSpec& spec : edited) {
    if (absl::Status s = cluster->UpdateTask(spec); !s.ok()) return s;
  }
  return absl::OkStatus();
}

// Makes the edit in groups of which no task by count is admitted; these have no rows to edit.
// Returns whether one of the labels to drop was there.
bool EditCounts(const JobEdit& edit, JobSpec* spec) {
  bool dropped = false;
  for (GroupSpec& group : spec->groups) {
    if (!group.by_count || group.by_count->admitted > 0) continue;
    if (edit.priority.has_value()) group.priority = edit.priority;
    dropped |= EditShape(edit, &group.shape);
  }
  return dropped;
}

absl::Status EditLoneTask(const JobEdit& edit, TaskIndex task, Cluster* cluster) {
  if (edit.queue.has_value() || edit.min_available.has_value()) {
    return absl::InvalidArgumentError(
        absl::StrCat(PlaceOf("task", edit.name), " has no job, and so no ",
                     edit.queue.has_value() ? "queue" : "min_available",
                     "; may get a priority, tolerations, a request, gates, labels and a selector"));
  }
  if (absl::Status s = Check(edit); !s.ok()) return s;
  return EditTasks(edit, {&task, 1}, /*dropped=*/false, cluster);
}

}  // namespace

absl::Status EditJob(const JobEdit& edit, Cluster* cluster) {
  const JobTable& jobs = TablesOf(*cluster).jobs;
  const std::optional<JobIndex> job = jobs.names.Find(edit.name);
  if (!job) {
    const std::optional<TaskIndex> task = FindLoneTask(TablesOf(*cluster), edit.name);
    if (task) return EditLoneTask(edit, *task, cluster);
    return NoSuchRow("job", edit.name, jobs);
  }
  if (absl::Status s = Check(edit); !s.ok()) return s;
  JobSpec spec = jobs.spec[*job];
  if (edit.queue.has_value()) spec.queue = *edit.queue;
  if (edit.priority.has_value()) spec.priority = *edit.priority;
  if (edit.min_available.has_value()) {
    spec.min_available = *edit.min_available;
    for (GroupSpec& group : spec.groups) {
      if (group.min_available.has_value()) {
        group.min_available = std::min(*group.min_available, *edit.min_available);
      }
    }
  }
  const bool dropped = EditCounts(edit, &spec);
  if (absl::Status s = cluster->UpdateJob(spec); !s.ok()) return s;
  const Tables& tables = TablesOf(*cluster);
  return EditTasks(edit, tables.jobs.tasks[*tables.jobs.names.Find(edit.name)], dropped, cluster);
}

}  // namespace muster
