// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/advice/changes.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/advice/job_edits.h"
#include "lib/advice/named.h"
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

constexpr std::string_view kCordonTaints[] = {"node.kubernetes.io/unschedulable"};
constexpr std::string_view kNotReadyTaints[] = {"node.kubernetes.io/not-ready",
                                                "node.kubernetes.io/unreachable"};

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

bool SetsNothing(const NodeEdit& edit) {
  return !edit.unschedulable && edit.taints.empty() && edit.remove_taints.empty() &&
         edit.set_labels.empty() && edit.remove_labels.empty() && edit.capacity.empty() &&
         !edit.ready;
}

void EditMarks(const NodeEdit& edit, NodeSpec* spec) {
  const auto lose = [spec](std::span<const std::string_view> keys) {
    std::erase_if(spec->taints, [keys](const Taint& taint) {
      return std::ranges::find(keys, taint.key) != keys.end();
    });
  };
  if (edit.unschedulable) spec->unschedulable = *edit.unschedulable;
  if (edit.unschedulable == false) lose(kCordonTaints);
  if (edit.ready) spec->ready = *edit.ready;
  if (edit.ready == true) lose(kNotReadyTaints);
  lose(std::vector<std::string_view>(edit.remove_taints.begin(), edit.remove_taints.end()));
  spec->taints.insert(spec->taints.end(), edit.taints.begin(), edit.taints.end());
}

// Fails if no node has one of the keys that are to leave.
absl::Status CheckKeys(const char* what, const std::vector<std::string>& keys,
                       const std::vector<std::string>& nodes, const NodeTable& table,
                       const std::function<bool(const NodeSpec&, const std::string&)>& has) {
  for (const std::string& key : keys) {
    const bool found = std::ranges::any_of(nodes, [&](const std::string& name) {
      return has(table.spec[*table.names.Find(name)], key);
    });
    if (found) continue;
    return absl::NotFoundError(absl::StrCat("nodes: none of these nodes has the ", what, " ",
                                            Quote(key), "; what leaves them must be there"));
  }
  return absl::OkStatus();
}

absl::Status EditNodes(const NodeEdit& edit, Cluster* cluster) {
  const absl::StatusOr<std::vector<std::string>> names =
      NamesOf("nodes", edit.name, edit.labels, TablesOf(*cluster).nodes);
  if (!names.ok()) return names.status();
  if (SetsNothing(edit)) {
    return absl::InvalidArgumentError(
        "nodes: sets nothing; must have one of unschedulable, taints, remove_taints, set_labels, "
        "remove_labels, capacity, ready");
  }
  absl::Status status =
      CheckKeys("taint", edit.remove_taints, *names, TablesOf(*cluster).nodes,
                [](const NodeSpec& node, const std::string& key) {
                  return std::ranges::find(node.taints, key, &Taint::key) != node.taints.end();
                });
  status.Update(CheckKeys(
      "label", edit.remove_labels, *names, TablesOf(*cluster).nodes,
      [](const NodeSpec& node, const std::string& key) { return FindNamed(node.labels, key); }));
  if (!status.ok()) return status;
  for (const std::string& name : *names) {
    const NodeTable& nodes = TablesOf(*cluster).nodes;
    NodeSpec spec = nodes.spec[*nodes.names.Find(name)];
    EditMarks(edit, &spec);
    EraseNamed(edit.remove_labels, &spec.labels);
    for (const auto& [key, value] : edit.set_labels) SetNamed(key, value, &spec.labels);
    for (const auto& [dimension, amount] : edit.capacity) {
      SetNamed(dimension, amount, &spec.capacity);
      if (spec.allocatable.has_value()) SetNamed(dimension, amount, &*spec.allocatable);
    }
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
                   change.job.has_value() + change.nodes.has_value() + change.add_task.has_value();
  if (said != 1) {
    return absl::InvalidArgumentError(absl::StrCat(
        "has ", said == 0 ? "no change" : "more than one change",
        "; must have one of queue, remove_nodes, add_nodes, add_job, remove_job, remove_task, job, "
        "nodes, add_task"));
  }
  if (change.queue.has_value()) return EditQueue(*change.queue, cluster);
  if (change.remove_nodes.has_value()) return RemoveNodes(*change.remove_nodes, cluster);
  if (change.add_nodes.has_value()) return AddNodes(*change.add_nodes, cluster);
  if (change.add_job.has_value()) return cluster->AddJob(*change.add_job);
  if (change.remove_job.has_value()) return RemoveJob(*change.remove_job, cluster);
  if (change.remove_task.has_value()) return RemoveTask(*change.remove_task, cluster);
  if (change.job.has_value()) return EditJob(*change.job, cluster);
  if (change.add_task.has_value()) return cluster->AddTask(*change.add_task);
  return EditNodes(*change.nodes, cluster);
}

}  // namespace muster
