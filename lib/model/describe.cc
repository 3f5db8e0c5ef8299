// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The tables as specs again, in the order of their rows.
#include "lib/model/describe.h"

#include "lib/model/change_guard.h"
#include "lib/model/cluster_impl.h"

namespace muster {
namespace {

TaskSpec TaskWithoutNomination(const Tables& t, TaskIndex task) {
  const TaskTable& tasks = t.tasks;
  TaskSpec spec;
  spec.name = tasks.names.name(task);
  if (const JobIndex job = tasks.job[task]; job != kNone) {
    const JobSpec& job_spec = t.jobs.spec[job];
    spec.job = job_spec.name;
    spec.group = t.jobs.groups[job][tasks.group[task]].name;
    if (tasks.sub_group[task] != kNone)
      spec.sub_group = job_spec.sub_groups[tasks.sub_group[task]].name;
  }
  spec.shape = t.classes.shape[tasks.task_class[task]];
  spec.status = tasks.status[task];
  if (tasks.node[task] != kNone) spec.node = t.nodes.names.name(tasks.node[task]);
  spec.priority = tasks.priority[task];
  spec.preemptable = (tasks.flags[task] & kTaskPreemptable) != 0;
  spec.never_preempts = (tasks.flags[task] & kTaskNeverPreempts) != 0;
  spec.priority_class = t.strings.name(tasks.priority_class[task]);
  spec.gates = t.gate_lists[tasks.gates[task]];
  spec.devices = t.hold_lists[tasks.devices[task]];
  spec.created = tasks.created[task];
  if (tasks.ordinal[task] != kAbsent) spec.ordinal = tasks.ordinal[task];
  spec.uid_rank = tasks.uid_rank[task];
  if (tasks.started[task] != kAbsent) spec.started = tasks.started[task];
  if (tasks.protected_until[task] != kAbsent) spec.protected_until = tasks.protected_until[task];
  if (const auto facts = tasks.facts.find(task); facts != tasks.facts.end()) {
    spec.usage = facts->second.usage;
    spec.lifetime = facts->second.lifetime;
  }
  if (const auto uid = tasks.uids.find(task); uid != tasks.uids.end()) spec.uid = uid->second;
  if (tasks.waits_until[task] != kAbsent) spec.waits_until = tasks.waits_until[task];
  spec.waiting_group = t.strings.name(tasks.waiting_group[task]);
  return spec;
}

template <class Table, class Spec>
bool CopyRow(const Table& table, Spec* spec) {
  const auto row = table.names.Find(spec->name);
  if (row) *spec = table.spec[*row];
  return row.has_value();
}

// `task_spec` returns the spec of a task.
template <class F>
ClusterSpec RowsOf(const Tables& t, const F& task_spec) {
  ClusterSpec spec;
  const auto living = [](const auto& table) {
    std::remove_cvref_t<decltype(table.spec)> specs;
    for (size_t i = 0; i < table.alive.size(); ++i) {
      if (table.alive[i]) specs.push_back(table.spec[i]);
    }
    return specs;
  };
  spec.nodes = living(t.nodes);
  spec.queues = living(t.queues);
  spec.jobs = living(t.jobs);
  spec.domains = living(t.domains);
  spec.flavors = living(t.flavors);
  spec.partitions = living(t.partitions);
  spec.reservations = living(t.reservations);
  for (TaskIndex task = 0; task < t.tasks.alive.size(); ++task) {
    if (t.tasks.alive[task]) spec.tasks.push_back(task_spec(task));
  }
  spec.budgets = t.budgets;
  spec.namespaces = t.namespaces;
  // Events may have taken a queue that a binding names; it counts again when it comes back.
  for (NamespaceSpec& name_space : spec.namespaces) {
    for (QueueBindingSpec& binding : name_space.bindings) {
      std::erase_if(binding.queues,
                    [&](const std::string& queue) { return !t.queues.names.Find(queue); });
    }
    std::erase_if(name_space.bindings,
                  [](const QueueBindingSpec& binding) { return binding.queues.empty(); });
  }
  return spec;
}

}  // namespace

TaskSpec DescribeTask(const Editor& editor, TaskIndex task) {
  TaskSpec spec = TaskWithoutNomination(editor.tables(), task);
  spec.nominated_node = editor.NominatedNode(task);
  return spec;
}

TaskSpec DescribeTask(const Tables& tables, TaskIndex task) {
  TaskSpec spec = TaskWithoutNomination(tables, task);
  const NodeIndex node = tables.tasks.nominated[task];
  if (node != kNone) spec.nominated_node = tables.nodes.names.name(node);
  return spec;
}

bool DescribeRow(const Editor& editor, NodeSpec* spec) {
  return CopyRow(editor.tables().nodes, spec);
}

bool DescribeRow(const Editor& editor, QueueSpec* spec) {
  return CopyRow(editor.tables().queues, spec);
}

bool DescribeRow(const Editor& editor, JobSpec* spec) {
  return CopyRow(editor.tables().jobs, spec);
}

bool DescribeRow(const Editor& editor, TaskSpec* spec) {
  const auto row = editor.tables().tasks.names.Find(spec->name);
  if (row) *spec = DescribeTask(editor, *row);
  return row.has_value();
}

ClusterSpec DescribeTables(const Tables& tables) {
  return RowsOf(tables, [&](TaskIndex task) { return DescribeTask(tables, task); });
}

ClusterSpec Cluster::Describe() const {
  if (IsLost(*impl_)) return {};
  return RowsOf(*impl_->tables, [&](TaskIndex task) { return DescribeTask(impl_->editor, task); });
}

}  // namespace muster
