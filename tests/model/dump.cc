// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "tests/model/dump.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "lib/model/access.h"
#include "lib/model/cluster_impl.h"
#include "lib/model/key.h"
#include "lib/model/spec_key.h"

namespace muster {
namespace {

std::string KeyOfTask(const TaskSpec& task) {
  Key key;
  for (const std::string& text : {task.name, task.job, task.group, task.sub_group,
                                  MeaningKey(task.shape), std::string(TaskStatusName(task.status)),
                                  task.node, task.nominated_node, task.priority_class}) {
    key.Add(text);
  }
  key.Add(int64_t{task.priority});
  key.Add(int64_t{task.preemptable});
  key.Add(int64_t{task.never_preempts});
  key.Add(task.gates);
  key.Add(task.created);
  key.Add(task.ordinal);
  key.Add(task.uid_rank);
  key.Add(task.started);
  key.Add(task.protected_until);
  key.Add(task.devices);
  key.Add(MeaningKey(task.usage, task.lifetime));
  key.Add(task.waits_until);
  key.Add(task.waiting_group);
  key.Add(task.uid);
  return key.Take();
}

template <class Table>
std::string NamesContradict(const char* kind, const Table& table) {
  for (uint32_t i = 0; i < table.alive.size(); ++i) {
    const NameTable& names = table.names;
    const auto found = names.Find(names.name(i));
    if (table.alive[i] && found != i)
      return absl::StrCat(kind, " ", i, ": its name does not lead to it");
    if (!table.alive[i] && found == i)
      return absl::StrCat(kind, " ", i, ": dead, but found by name");
  }
  return table.names.size() == table.alive.size()
             ? ""
             : absl::StrCat(kind, ": names and rows differ in number");
}

// The lists that parents keep of their children must be those of the children's columns.
std::string ListsContradict(const char* kind, const std::vector<uint8_t>& alive, const auto& parent,
                            const auto& lists) {
  std::decay_t<decltype(lists)> expected(lists.size());
  for (size_t i = 0; i < alive.size(); ++i) {
    if (alive[i] && parent[i] != kNone) expected[parent[i]].emplace_back(i);
  }
  return expected == lists ? "" : absl::StrCat(kind, ": a list differs from the column");
}

// The job's queue, where it or one above it has wishes for node groups.
QueueIndex QueueOfClass(const Tables& t, JobIndex job) {
  if (job == kNone) return kNone;
  bool speaks = false;
  for (QueueIndex q = t.jobs.queue[job]; q != kNone; q = t.queues.parent[q]) {
    const QueueSpec& spec = t.queues.spec[q];
    speaks = speaks || spec.node_groups.has_value() || !spec.node_group_limits.empty();
  }
  return speaks ? t.jobs.queue[job] : kNone;
}

}  // namespace

std::map<std::string, std::string> Dump(const ClusterSpec& spec) {
  std::map<std::string, std::string> rows;
  for (const auto& node : spec.nodes) rows["node " + node.name] = MeaningKey(node);
  for (const auto& queue : spec.queues) rows["queue " + queue.name] = MeaningKey(queue);
  for (const auto& job : spec.jobs) rows["job " + job.name] = MeaningKey(job);
  for (const auto& task : spec.tasks) rows["task " + task.name] = KeyOfTask(task);
  for (const auto& domain : spec.domains) rows["domain " + domain.name] = MeaningKey(domain);
  for (const auto& budget : spec.budgets) {
    rows["budget " + budget.name_space + "/" + budget.name] = MeaningKey(budget);
  }
  for (const auto& name_space : spec.namespaces)
    rows["namespace " + name_space.name] = MeaningKey(name_space);
  for (const auto& flavor : spec.flavors) rows["flavor " + flavor.name] = MeaningKey(flavor);
  for (const auto& partition : spec.partitions) {
    rows["partition " + partition.name] = MeaningKey(partition);
  }
  for (const auto& reservation : spec.reservations) {
    rows["reservation " + reservation.name] = MeaningKey(reservation);
  }
  return rows;
}

std::map<std::string, std::string> Dump(const Cluster& cluster) { return Dump(cluster.Describe()); }

std::vector<std::string> RowOrder(const Cluster& cluster) {
  const ClusterSpec spec = cluster.Describe();
  std::vector<std::string> order;
  for (const auto& node : spec.nodes) order.push_back("node " + node.name);
  for (const auto& queue : spec.queues) order.push_back("queue " + queue.name);
  for (const auto& job : spec.jobs) order.push_back("job " + job.name);
  for (const auto& task : spec.tasks) order.push_back("task " + task.name);
  for (const auto& domain : spec.domains) order.push_back("domain " + domain.name);
  return order;
}

std::string Contradiction(const Cluster& cluster) {
  const Tables& t = TablesOf(cluster);
  for (std::string words :
       {NamesContradict("node", t.nodes), NamesContradict("queue", t.queues),
        NamesContradict("job", t.jobs), NamesContradict("task", t.tasks),
        NamesContradict("domain", t.domains),
        ListsContradict("queue", t.queues.alive, t.queues.parent, t.queues.children),
        ListsContradict("job", t.tasks.alive, t.tasks.job, t.jobs.tasks),
        ListsContradict("domain", t.domains.alive, t.domains.parent, t.domains.children),
        ListsContradict("node", t.nodes.alive, t.nodes.domain, t.domains.nodes)}) {
    if (!words.empty()) return words;
  }
  std::vector<uint32_t> jobs(t.queues.alive.size(), 0), tasks(t.classes.shape.size(), 0);
  for (size_t j = 0; j < t.jobs.alive.size(); ++j) {
    if (t.jobs.alive[j]) ++jobs[t.jobs.queue[j]];
  }
  if (jobs != t.queues.jobs) return "the number of jobs of a queue is wrong";
  std::vector<std::vector<TaskIndex>> on(t.nodes.alive.size());
  for (TaskIndex task = 0; task < t.tasks.alive.size(); ++task) {
    if (!t.tasks.alive[task]) continue;
    ++tasks[t.tasks.task_class[task]];
    const NodeIndex node = t.tasks.node[task];
    if ((node != kNone) != HoldsNode(t.tasks.status[task]))
      return "a status and its node do not agree";
    if (node != kNone) {
      if (!t.nodes.alive[node]) return "a task is on a dead node";
      on[node].push_back(task);
    }
    const std::string nominated = ImplOf(cluster).editor.NominatedNode(task);
    const auto named = t.nodes.names.Find(nominated);
    if (t.tasks.nominated[task] != named.value_or(kNone)) return "a nomination is not resolved";
    const JobIndex job = t.tasks.job[task];
    if (job != kNone && t.tasks.group[task] >= t.jobs.groups[job].size())
      return "a group is out of range";
    if (t.classes.queue[t.tasks.task_class[task]] != QueueOfClass(t, job))
      return "a class is of the wrong queue";
  }
  if (tasks != t.classes.tasks) return "the number of tasks of a class is wrong";
  for (NodeIndex node = 0; node < on.size(); ++node) {
    if (t.nodes.alive[node] && ImplOf(cluster).editor.TasksOn(node) != on[node])
      return "tasks on a node are wrong";
  }
  const size_t n = t.dimensions.size();
  for (const RowTable* rows :
       {&t.nodes.capacity, &t.nodes.allocatable, &t.queues.limit, &t.queues.deserved,
        &t.jobs.min_resources, &t.classes.request, &t.classes.initial_request}) {
    if (rows->dimensions() != n) return "a table has not all dimensions";
  }
  if (t.nodes.allocatable.size() != t.nodes.alive.size() ||
      t.queues.limit.size() != t.queues.alive.size() ||
      t.jobs.min_resources.size() != t.jobs.alive.size() ||
      t.classes.request.size() != t.classes.shape.size()) {
    return "rows and columns differ in number";
  }
  return "";
}

}  // namespace muster
