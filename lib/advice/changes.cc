// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/advice/changes.h"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/advice/node_types.h"
#include "lib/base/strings.h"
#include "lib/model/access.h"
#include "lib/model/checker.h"
#include "lib/model/describe.h"
#include "lib/model/living_names.h"
#include "lib/model/what_if_edits.h"
#include "muster/limits.h"

namespace muster {
namespace {

constexpr char kCordonTaint[] = "node.kubernetes.io/unschedulable";

// Names, because indices move when rows are removed.
absl::StatusOr<std::vector<std::string>> NamesOf(const char* where, const std::string& name,
                                                 const Labels& labels, const NodeTable& nodes) {
  const absl::StatusOr<std::vector<NodeIndex>> chosen =
      ChooseNodes(where, name, labels, nodes, [](NodeIndex) { return true; });
  if (!chosen.ok()) return chosen.status();
  std::vector<std::string> names;
  for (const NodeIndex node : *chosen) names.push_back(nodes.spec[node].name);
  return names;
}

absl::Status EditQueue(const QueueEdit& edit, Cluster* cluster) {
  const QueueTable& queues = TablesOf(*cluster).queues;
  const std::optional<QueueIndex> q = queues.names.Find(edit.name);
  if (!q) return NoSuchRow("queue", edit.name, queues);
  return cluster->UpdateQueue(EditedQueue(queues.spec[*q], edit));
}

absl::Status RemoveNodes(const RemovedNodes& choice, Cluster* cluster) {
  const absl::StatusOr<std::vector<std::string>> names =
      NamesOf("remove_nodes", choice.name, choice.labels, TablesOf(*cluster).nodes);
  if (!names.ok()) return names.status();
  for (const std::string& name : *names) {
    TakeTasksOff(*TablesOf(*cluster).nodes.names.Find(name), /*keep_lone=*/false, cluster);
    if (absl::Status s = cluster->RemoveNode(name); !s.ok()) return s;
  }
  return absl::OkStatus();
}

// Each new node is a host of its own, also where the template says which host it is.
absl::Status AddNodes(const NewNodes& added, Cluster* cluster) {
  if (added.count < 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("add_nodes: count is ", added.count, "; must be 1 or more"));
  }
  // As many as any text may make: each node is a row that is copied for the rehearsal.
  if (added.count > Limits().rows) {
    return absl::ResourceExhaustedError(
        absl::StrCat("add_nodes: count is ", added.count, "; at most ", Limits().rows));
  }
  NodeSpec spec = added.node;
  int64_t number = 0;
  for (int64_t i = 0; i < added.count; ++i) {
    do {
      spec.name = absl::StrCat("new-", number++);
    } while (TablesOf(*cluster).nodes.names.Find(spec.name));
    for (auto& [key, value] : spec.labels) {
      if (key == kHostLabel) value = spec.name;
    }
    if (absl::Status s = cluster->AddNode(spec); !s.ok()) return s;
  }
  return absl::OkStatus();
}

absl::Status RemoveJob(const std::string& name, Cluster* cluster) {
  const Tables& tables = TablesOf(*cluster);
  if (!tables.jobs.names.Find(name)) {
    return NoSuchJob(tables, name, [](JobIndex) { return true; });
  }
  return cluster->RemoveJob(name);
}

absl::Status RemoveTask(const std::string& name, Cluster* cluster) {
  const TaskTable& tasks = TablesOf(*cluster).tasks;
  if (!tasks.names.Find(name)) return NoSuchRow("task", name, tasks);
  return cluster->RemoveTask(name);
}

void SetRequest(const Resources& request, TaskShape* shape) {
  if (request.empty()) return;
  for (const auto& [name, amount] : request) {
    for (Resources* list :
         {&shape->request,
          shape->initial_request.has_value() ? &*shape->initial_request : nullptr}) {
      if (list == nullptr) continue;
      const auto entry = std::ranges::find(
          *list, name, [](const auto& pair) -> auto& { return pair.first; });
      if (entry == list->end()) {
        list->emplace_back(name, amount);
      } else {
        entry->second = amount;
      }
    }
  }
  // What containers requested need not add up to the whole any more.
  shape->containers.clear();
  shape->pod = {};
}

absl::Status EditTasks(const JobEdit& edit, std::span<const TaskIndex> tasks, Cluster* cluster) {
  if (!edit.priority.has_value() && edit.tolerations.empty() && edit.request.empty()) {
    return absl::OkStatus();
  }
  const Tables& tables = TablesOf(*cluster);
  std::vector<TaskSpec> edited;
  for (const TaskIndex t : tasks) {
    if (tables.tasks.status[t] != TaskStatus::kPending) continue;
    TaskSpec& spec = edited.emplace_back(DescribeTask(ImplOf(*cluster).editor, t));
    if (edit.priority.has_value()) spec.priority = *edit.priority;
    spec.shape.tolerations.insert(spec.shape.tolerations.end(), edit.tolerations.begin(),
                                  edit.tolerations.end());
    SetRequest(edit.request, &spec.shape);
  }
  for (const TaskSpec& spec : edited) {
    if (absl::Status s = cluster->UpdateTask(spec); !s.ok()) return s;
  }
  return absl::OkStatus();
}

// Makes the edit in groups of which no task by count is admitted; these have no rows to edit.
void EditCounts(const JobEdit& edit, JobSpec* spec) {
  for (GroupSpec& group : spec->groups) {
    if (!group.by_count || group.by_count->admitted > 0) continue;
    if (edit.priority.has_value()) group.priority = edit.priority;
    group.shape.tolerations.insert(group.shape.tolerations.end(), edit.tolerations.begin(),
                                   edit.tolerations.end());
    SetRequest(edit.request, &group.shape);
  }
}

absl::Status EditLoneTask(const JobEdit& edit, TaskIndex task, Cluster* cluster) {
  if (edit.queue.has_value() || edit.min_available.has_value()) {
    return absl::InvalidArgumentError(
        absl::StrCat(PlaceOf("task", edit.name), " has no job, and so no ",
                     edit.queue.has_value() ? "queue" : "min_available",
                     "; may get a priority, tolerations and a request"));
  }
  return EditTasks(edit, {&task, 1}, cluster);
}

absl::Status EditJob(const JobEdit& edit, Cluster* cluster) {
  const JobTable& jobs = TablesOf(*cluster).jobs;
  const std::optional<JobIndex> job = jobs.names.Find(edit.name);
  if (!job) {
    const std::optional<TaskIndex> task = FindLoneTask(TablesOf(*cluster), edit.name);
    if (task) return EditLoneTask(edit, *task, cluster);
    return NoSuchRow("job", edit.name, jobs);
  }
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
  EditCounts(edit, &spec);
  if (absl::Status s = cluster->UpdateJob(spec); !s.ok()) return s;
  const Tables& tables = TablesOf(*cluster);
  return EditTasks(edit, tables.jobs.tasks[*tables.jobs.names.Find(edit.name)], cluster);
}

absl::Status EditNodes(const NodeEdit& edit, Cluster* cluster) {
  const absl::StatusOr<std::vector<std::string>> names =
      NamesOf("nodes", edit.name, edit.labels, TablesOf(*cluster).nodes);
  if (!names.ok()) return names.status();
  for (const std::string& name : *names) {
    const NodeTable& nodes = TablesOf(*cluster).nodes;
    NodeSpec spec = nodes.spec[*nodes.names.Find(name)];
    if (edit.unschedulable.has_value()) spec.unschedulable = *edit.unschedulable;
    if (edit.unschedulable == false) {
      std::erase_if(spec.taints, [](const Taint& taint) { return taint.key == kCordonTaint; });
    }
    spec.taints.insert(spec.taints.end(), edit.taints.begin(), edit.taints.end());
    if (absl::Status s = cluster->UpdateNode(spec); !s.ok()) return s;
  }
  return absl::OkStatus();
}

}  // namespace

std::optional<TaskIndex> FindLoneTask(const Tables& tables, std::string_view name) {
  const std::optional<TaskIndex> task = tables.tasks.names.Find(name);
  return task && !tables.has_job(*task) ? task : std::nullopt;
}

TaskSpec Unplaced(const Cluster& cluster, TaskIndex task) {
  TaskSpec spec = DescribeTask(ImplOf(cluster).editor, task);
  spec.status = TaskStatus::kPending;
  spec.node.clear();
  spec.nominated_node.clear();
  spec.devices.clear();
  spec.started.reset();
  spec.waits_until.reset();
  spec.waiting_group.clear();
  return spec;
}

std::vector<std::string> TakeTasksOff(NodeIndex node, bool keep_lone, Cluster* cluster) {
  const Tables& tables = TablesOf(*cluster);
  const Editor& editor = ImplOf(*cluster).editor;
  std::vector<TaskSpec> waiting;
  std::vector<std::string> gone;
  for (const TaskIndex t : editor.TasksOn(node)) {
    if (CountsForQueue(tables.tasks.status[t]) && (tables.has_job(t) || keep_lone)) {
      waiting.push_back(Unplaced(*cluster, t));
    } else {
      gone.emplace_back(tables.tasks.names.name(t));
    }
  }
  std::vector<std::string> names;
  for (const TaskSpec& spec : waiting) {
    cluster->UpdateTask(spec).IgnoreError();  // it was valid on a node, so it is without one
    names.push_back(spec.name);
  }
  for (const std::string& name : gone) cluster->RemoveTask(name).IgnoreError();  // it exists
  return names;
}

absl::Status MakeChange(const WhatIfChange& change, Cluster* cluster) {
  const int said = change.queue.has_value() + change.remove_nodes.has_value() +
                   change.add_nodes.has_value() + change.add_job.has_value() +
                   change.remove_job.has_value() + change.remove_task.has_value() +
                   change.job.has_value() + change.nodes.has_value();
  if (said != 1) {
    return absl::InvalidArgumentError(absl::StrCat(
        "has ", said == 0 ? "no change" : "more than one change",
        "; must have one of queue, remove_nodes, add_nodes, add_job, remove_job, remove_task, job, "
        "nodes"));
  }
  if (change.queue.has_value()) return EditQueue(*change.queue, cluster);
  if (change.remove_nodes.has_value()) return RemoveNodes(*change.remove_nodes, cluster);
  if (change.add_nodes.has_value()) return AddNodes(*change.add_nodes, cluster);
  if (change.add_job.has_value()) return cluster->AddJob(*change.add_job);
  if (change.remove_job.has_value()) return RemoveJob(*change.remove_job, cluster);
  if (change.remove_task.has_value()) return RemoveTask(*change.remove_task, cluster);
  if (change.job.has_value()) return EditJob(*change.job, cluster);
  return EditNodes(*change.nodes, cluster);
}

}  // namespace muster
