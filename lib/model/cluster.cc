// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The direct calls: check the spec, resolve its names, put the row, wake what waits for that name.
#include "muster/cluster.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "lib/model/access.h"
#include "lib/model/change_guard.h"
#include "lib/model/cluster_impl.h"
#include "lib/model/device_holds.h"
#include "lib/model/living_names.h"
#include "lib/model/validate.h"

namespace muster {
namespace {

// Returns `, did you mean "x"?` with the living queue that `name` most likely misspells, or "".
std::string SuggestQueue(const QueueTable& queues, std::string_view name) {
  return queues.names.Find(name) ? "" : SuggestName(name, LivingNames(queues));
}

absl::Status Dangling(const Missing& missing, const Tables& tables) {
  const std::string suggestion =
      missing.kind == RowKind::kQueue ? SuggestQueue(tables.queues, missing.name) : "";
  return absl::InvalidArgumentError(absl::StrCat(missing.message, suggestion));
}

absl::Status Exists(const char* kind, std::string_view name) {
  return absl::AlreadyExistsError(absl::StrCat(PlaceOf(kind, name), ": exists already"));
}

absl::Status NotThere(const char* kind, std::string_view name) {
  return absl::NotFoundError(absl::StrCat(PlaceOf(kind, name), ": does not exist"));
}

absl::Status InUse(const char* kind, std::string_view name, size_t count, const char* what) {
  return absl::FailedPreconditionError(
      absl::StrCat(PlaceOf(kind, name), ": still has ", count, " ", what, count == 1 ? "" : "s"));
}

// Whether the devices of the task's node bear what it holds beside the others.
absl::Status CheckHolds(const Editor& editor, const TaskSpec& task, TaskIndex existing,
                        NodeIndex node) {
  if (task.devices.empty() || task.status == TaskStatus::kNominated) return absl::OkStatus();
  const std::string problem = OverheldProblem(editor, node, task.devices, existing);
  if (problem.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(PlaceOf("task", task.name), ": ", problem));
}

// Whether the node, as it is to be, still has what its tasks hold.
absl::Status CheckHeldDevices(const Editor& editor, NodeIndex node, const NodeSpec& spec) {
  const Tables& t = editor.tables();
  for (TaskIndex task : editor.TasksOn(node)) {
    for (const DeviceHold& hold : t.hold_lists[t.tasks.devices[task]]) {
      const std::string problem = HoldProblem(spec, hold);
      if (problem.empty()) continue;
      return absl::FailedPreconditionError(absl::StrCat(PlaceOf("node", spec.name), ": ", problem,
                                                        ", but held by ",
                                                        PlaceOf("task", t.tasks.names.name(task))));
    }
  }
  return absl::OkStatus();
}

size_t BindingsOf(const Tables& tables, std::string_view queue) {
  size_t count = 0;
  for (const NamespaceSpec& name_space : tables.namespaces) {
    for (const QueueBindingSpec& binding : name_space.bindings) {
      for (const std::string& bound : binding.queues) count += bound == queue;
    }
  }
  return count;
}

}  // namespace

Cluster::Cluster() : impl_(std::make_unique<internal::ClusterImpl>()) {}
Cluster::~Cluster() = default;
Cluster::Cluster(Cluster&&) noexcept = default;
Cluster& Cluster::operator=(Cluster&&) noexcept = default;

Snapshot Cluster::Freeze() const { return IsLost(*impl_) ? Snapshot() : SnapshotOf(impl_->tables); }
Cluster Cluster::Clone() const {
  Cluster copy;
  if (IsLost(*impl_)) {
    copy.impl_->tables->version = kLostVersion;
    return copy;
  }
  copy.impl_->editor.CopyFrom(impl_->editor);
  copy.impl_->deltas.CopyFrom(impl_->deltas);
  return copy;
}

uint64_t Cluster::version() const { return impl_->tables->version; }
const Memory& Cluster::memory() const { return impl_->tables->memory; }
void Cluster::SetMemory(const Memory& memory) {
  if (IsLost(*impl_)) return;
  Memory copy = memory;
  const ChangeGuard change(*impl_);
  impl_->editor.ReplaceMemory(std::move(copy));
}

// --- nodes

absl::Status Cluster::AddNode(const NodeSpec& node) {
  if (IsLost(*impl_)) return LostError();
  const NameTable& names = impl_->tables->nodes.names;
  absl::StatusOr<NodeAmounts> amounts = CheckNode(node);
  if (!amounts.ok()) return amounts.status();
  if (names.Find(node.name)) return Exists("node", node.name);
  NodeRefs refs;
  if (const auto missing = impl_->editor.Resolve(node, kNone, &refs))
    return Dangling(*missing, *impl_->tables);
  if (absl::Status room = impl_->editor.CheckRoom(names, 1, node.name.size()); !room.ok())
    return room;
  const ChangeGuard change(*impl_);
  impl_->editor.PutNode(kNone, node, *amounts, refs);
  impl_->deltas.Appeared(RowKind::kNode, node.name);
  return absl::OkStatus();
}

absl::Status Cluster::AddNodes(int64_t count, const NodeSpec& node) {
  if (IsLost(*impl_)) return LostError();
  if (count < 0 || count > kMaxRows) {
    return absl::InvalidArgumentError(absl::StrCat(PlaceOf("node", node.name), ": count is ", count,
                                                   "; must be 0 to ", kMaxRows));
  }
  const NameTable& names = impl_->tables->nodes.names;
  NodeSpec one = node;
  one.name = absl::StrCat(node.name, count);  // the longest name
  absl::StatusOr<NodeAmounts> amounts = CheckNode(one);
  if (!amounts.ok()) return amounts.status();
  NodeRefs refs;
  if (const auto missing = impl_->editor.Resolve(one, kNone, &refs))
    return Dangling(*missing, *impl_->tables);
  const auto bytes = static_cast<int64_t>(one.name.size());
  if (absl::Status room = impl_->editor.CheckRoom(names, count, count * bytes); !room.ok())
    return room;
  for (int64_t i = 0; i < count; ++i) {
    one.name = absl::StrCat(node.name, i);
    if (names.Find(one.name)) return Exists("node", one.name);
  }
  const ChangeGuard change(*impl_);
  for (int64_t i = 0; i < count; ++i) {
    one.name = absl::StrCat(node.name, i);
    impl_->editor.PutNode(kNone, one, *amounts, refs);
    impl_->deltas.Appeared(RowKind::kNode, one.name);
  }
  return absl::OkStatus();
}

absl::Status Cluster::UpdateNode(const NodeSpec& node) {
  if (IsLost(*impl_)) return LostError();
  absl::StatusOr<NodeAmounts> amounts = CheckNode(node);
  if (!amounts.ok()) return amounts.status();
  const std::optional<NodeIndex> existing = impl_->tables->nodes.names.Find(node.name);
  if (!existing) return NotThere("node", node.name);
  NodeRefs refs;
  if (const auto missing = impl_->editor.Resolve(node, *existing, &refs))
    return Dangling(*missing, *impl_->tables);
  if (absl::Status status = CheckHeldDevices(impl_->editor, *existing, node); !status.ok())
    return status;
  const ChangeGuard change(*impl_);
  impl_->editor.PutNode(*existing, node, *amounts, refs);
  return absl::OkStatus();
}

absl::Status Cluster::RemoveNode(std::string_view name) {
  if (IsLost(*impl_)) return LostError();
  const std::optional<NodeIndex> node = impl_->tables->nodes.names.Find(name);
  if (!node) return NotThere("node", name);
  if (impl_->editor.HasTasks(*node))
    return InUse("node", name, impl_->editor.TasksOn(*node).size(), "task");
  const ChangeGuard change(*impl_);
  impl_->editor.EraseNode(*node);
  impl_->editor.MaybeCompact();
  return absl::OkStatus();
}

// --- queues

absl::Status Cluster::AddQueue(const QueueSpec& queue) {
  if (IsLost(*impl_)) return LostError();
  const NameTable& names = impl_->tables->queues.names;
  absl::StatusOr<QueueAmounts> amounts = CheckQueue(queue);
  if (!amounts.ok()) return amounts.status();
  if (names.Find(queue.name)) return Exists("queue", queue.name);
  QueueRefs refs;
  if (const auto missing = impl_->editor.Resolve(queue, kNone, &refs))
    return Dangling(*missing, *impl_->tables);
  if (absl::Status room = impl_->editor.CheckRoom(names, 1, queue.name.size()); !room.ok())
    return room;
  const ChangeGuard change(*impl_);
  impl_->editor.PutQueue(kNone, queue, *amounts, refs);
  impl_->deltas.Appeared(RowKind::kQueue, queue.name);
  return absl::OkStatus();
}

absl::Status Cluster::UpdateQueue(const QueueSpec& queue) {
  if (IsLost(*impl_)) return LostError();
  absl::StatusOr<QueueAmounts> amounts = CheckQueue(queue);
  if (!amounts.ok()) return amounts.status();
  const std::optional<QueueIndex> existing = impl_->tables->queues.names.Find(queue.name);
  if (!existing) return NotThere("queue", queue.name);
  QueueRefs refs;
  if (const auto missing = impl_->editor.Resolve(queue, *existing, &refs))
    return Dangling(*missing, *impl_->tables);
  const ChangeGuard change(*impl_);
  impl_->editor.PutQueue(*existing, queue, *amounts, refs);
  return absl::OkStatus();
}

absl::Status Cluster::RemoveQueue(std::string_view name) {
  if (IsLost(*impl_)) return LostError();
  const QueueTable& queues = impl_->tables->queues;
  const std::optional<QueueIndex> queue = queues.names.Find(name);
  if (!queue) return NotThere("queue", name);
  if (queues.jobs[*queue] > 0) return InUse("queue", name, queues.jobs[*queue], "job");
  if (!queues.children[*queue].empty()) {
    return InUse("queue", name, queues.children[*queue].size(), "child queue");
  }
  if (const size_t bindings = BindingsOf(*impl_->tables, name); bindings > 0) {
    return InUse("queue", name, bindings, "binding");
  }
  const ChangeGuard change(*impl_);
  impl_->editor.EraseQueue(*queue);
  impl_->editor.MaybeCompact();
  return absl::OkStatus();
}

// --- jobs

absl::Status Cluster::AddJob(const JobSpec& job) {
  if (IsLost(*impl_)) return LostError();
  Editor& editor = impl_->editor;
  absl::StatusOr<Amounts> amounts = CheckJob(job);
  if (!amounts.ok()) return amounts.status();
  std::vector<CheckedShape> shapes;
  for (const GroupSpec& group : job.groups) {
    absl::StatusOr<CheckedShape> shape =
        editor.interner().Check(group.shape, "job", job.name, "group", group.name);
    if (!shape.ok()) return shape.status();
    shapes.push_back(*std::move(shape));
  }
  const Tables& tables = *impl_->tables;
  if (tables.jobs.names.Find(job.name)) return Exists("job", job.name);
  JobRefs refs;
  if (const auto missing = editor.Resolve(job, kNone, &refs))
    return Dangling(*missing, *impl_->tables);
  const auto job_bytes = static_cast<int64_t>(job.name.size());
  if (absl::Status room = editor.CheckRoom(tables.jobs.names, 1, job_bytes); !room.ok())
    return room;
  int64_t tasks = 0, task_bytes = 0;
  for (const GroupSpec& group : job.groups) {
    tasks += group.count;
    task_bytes += group.count * (job_bytes + static_cast<int64_t>(group.name.size()) + 11);
    if (absl::Status room = editor.CheckRoom(tables.tasks.names, tasks, task_bytes); !room.ok())
      return room;
  }
  for (const GroupSpec& group : job.groups) {
    for (int64_t i = 0; i < group.count; ++i) {
      const std::string name = GroupTaskName(job.name, group.name, i);
      if (tables.tasks.names.Find(name)) {
        return absl::AlreadyExistsError(absl::StrCat(PlaceOf("job", job.name), ", ",
                                                     PlaceOf("group", group.name), ": ",
                                                     PlaceOf("task", name), " exists already"));
      }
    }
  }

  const ChangeGuard change(*impl_);
  const JobIndex index = editor.PutJob(kNone, job, *amounts, refs);
  for (size_t g = 0; g < job.groups.size(); ++g) {
    const GroupSpec& group = job.groups[g];
    if (group.count == 0) continue;
    TaskRow row = editor.RowOfGroup(index, group, shapes[g]);
    for (int64_t i = 0; i < group.count; ++i) {
      row.ordinal = i;
      editor.PutRow(kNone, GroupTaskName(job.name, group.name, i), row);
    }
  }
  impl_->deltas.Appeared(RowKind::kJob, job.name);
  return absl::OkStatus();
}

absl::Status Cluster::UpdateJob(const JobSpec& job) {
  if (IsLost(*impl_)) return LostError();
  absl::StatusOr<Amounts> amounts = CheckJob(job);
  if (!amounts.ok()) return amounts.status();
  for (const GroupSpec& group : job.groups) {
    const absl::StatusOr<CheckedShape> shape =
        impl_->editor.interner().Check(group.shape, "job", job.name, "group", group.name);
    if (!shape.ok()) return shape.status();
  }
  const std::optional<JobIndex> existing = impl_->tables->jobs.names.Find(job.name);
  if (!existing) return NotThere("job", job.name);
  JobRefs refs;
  if (const auto missing = impl_->editor.Resolve(job, *existing, &refs))
    return Dangling(*missing, *impl_->tables);
  if (const auto dropped = impl_->editor.DroppedTasks(*existing, job); !dropped.empty()) {
    return absl::FailedPreconditionError(
        absl::StrCat(PlaceOf("job", job.name), ": ",
                     PlaceOf("task", impl_->tables->tasks.names.name(dropped[0])),
                     " is in a group or sub-group that is no longer listed"));
  }
  const ChangeGuard change(*impl_);
  impl_->editor.PutJob(*existing, job, *amounts, refs);
  impl_->deltas.Appeared(RowKind::kJob, job.name);
  return absl::OkStatus();
}

absl::Status Cluster::RemoveJob(std::string_view name) {
  if (IsLost(*impl_)) return LostError();
  const std::optional<JobIndex> job = impl_->tables->jobs.names.Find(name);
  if (!job) return NotThere("job", name);
  const ChangeGuard change(*impl_);
  impl_->editor.EraseJob(*job);
  impl_->editor.MaybeCompact();
  return absl::OkStatus();
}

// --- tasks

absl::Status Cluster::AddTask(const TaskSpec& task) {
  if (IsLost(*impl_)) return LostError();
  const NameTable& names = impl_->tables->tasks.names;
  if (absl::Status status = CheckTask(task); !status.ok()) return status;
  absl::StatusOr<CheckedShape> shape =
      impl_->editor.interner().Check(task.shape, "task", task.name);
  if (!shape.ok()) return shape.status();
  if (names.Find(task.name)) return Exists("task", task.name);
  TaskRefs refs;
  if (const auto missing = impl_->editor.Resolve(task, kNone, &refs))
    return Dangling(*missing, *impl_->tables);
  if (absl::Status status = CheckHolds(impl_->editor, task, kNone, refs.node); !status.ok())
    return status;
  if (absl::Status room = impl_->editor.CheckRoom(names, 1, task.name.size()); !room.ok())
    return room;
  const ChangeGuard change(*impl_);
  impl_->editor.PutTask(kNone, task, *shape, refs);
  impl_->deltas.Appeared(RowKind::kTask, task.name);
  return absl::OkStatus();
}

absl::Status Cluster::UpdateTask(const TaskSpec& task) {
  if (IsLost(*impl_)) return LostError();
  if (absl::Status status = CheckTask(task); !status.ok()) return status;
  absl::StatusOr<CheckedShape> shape =
      impl_->editor.interner().Check(task.shape, "task", task.name);
  if (!shape.ok()) return shape.status();
  const std::optional<TaskIndex> existing = impl_->tables->tasks.names.Find(task.name);
  if (!existing) return NotThere("task", task.name);
  TaskRefs refs;
  if (const auto missing = impl_->editor.Resolve(task, *existing, &refs))
    return Dangling(*missing, *impl_->tables);
  if (absl::Status status = CheckHolds(impl_->editor, task, *existing, refs.node); !status.ok())
    return status;
  const ChangeGuard change(*impl_);
  impl_->editor.PutTask(*existing, task, *shape, refs);
  impl_->editor.MaybeCompact();
  return absl::OkStatus();
}

absl::Status Cluster::RemoveTask(std::string_view name) {
  if (IsLost(*impl_)) return LostError();
  const std::optional<TaskIndex> task = impl_->tables->tasks.names.Find(name);
  if (!task) return NotThere("task", name);
  const ChangeGuard change(*impl_);
  impl_->editor.EraseTask(*task);
  impl_->editor.MaybeCompact();
  return absl::OkStatus();
}

absl::Status Cluster::SetTaskStatus(std::string_view name, TaskStatus status,
                                    std::string_view node_name) {
  if (IsLost(*impl_)) return LostError();
  const Tables& tables = *impl_->tables;
  tables.nodes.names.Prefetch(node_name);  // on its way while the task is looked up
  const std::optional<TaskIndex> task = tables.tasks.names.Find(name);
  if (!task) return NotThere("task", name);
  Checker check("task", name);
  if (status == TaskStatus::kPlaced) check.Fail("status placed exists only inside a cycle");
  NodeIndex node = kNone;
  if (HoldsNode(status)) {
    const std::optional<NodeIndex> named = tables.nodes.names.Find(node_name);
    if (node_name.empty()) {
      node = tables.tasks.node[*task];
      if (node == kNone) {
        check.Fail(absl::StrCat("status ", ToAbsl(TaskStatusName(status)), " needs a node"));
      }
    } else if (!named) {
      check.Fail(absl::StrCat(PlaceOf("node", node_name), " does not exist"));
    } else {
      node = *named;
    }
  } else if (status == TaskStatus::kPending && !node_name.empty()) {
    check.Fail(
        absl::StrCat("status pending holds no node, but node ", Quote(node_name), " is given"));
  }
  if (!check.ok()) return check.status();
  const bool assumed = (tables.tasks.flags[*task] & kTaskAssumed) != 0;
  if (assumed || tables.tasks.status[*task] != status || tables.tasks.node[*task] != node) {
    const ChangeGuard change(*impl_);
    impl_->editor.SetPlace(*task, status, node, /*assumed=*/false);
  }
  return absl::OkStatus();
}

// --- domains, budgets, namespaces

absl::Status Cluster::AddDomain(const DomainSpec& domain) {
  if (IsLost(*impl_)) return LostError();
  const DomainTable& domains = impl_->tables->domains;
  if (absl::Status status = CheckDomain(domain); !status.ok()) return status;
  if (domains.names.Find(domain.name)) return Exists("domain", domain.name);
  DomainRefs refs;
  if (const auto missing = impl_->editor.Resolve(domain, kNone, &refs)) {
    return absl::InvalidArgumentError(missing->message);
  }
  if (absl::Status room = impl_->editor.CheckRoom(domains.names, 1, domain.name.size()); !room.ok())
    return room;
  const ChangeGuard change(*impl_);
  impl_->editor.PutDomain(kNone, domain, refs);
  impl_->deltas.Appeared(RowKind::kDomain, domain.name);
  return absl::OkStatus();
}

absl::Status Cluster::RemoveDomain(std::string_view name) {
  if (IsLost(*impl_)) return LostError();
  const DomainTable& domains = impl_->tables->domains;
  const std::optional<DomainIndex> domain = domains.names.Find(name);
  if (!domain) return NotThere("domain", name);
  if (!domains.nodes[*domain].empty())
    return InUse("domain", name, domains.nodes[*domain].size(), "node");
  if (!domains.children[*domain].empty()) {
    return InUse("domain", name, domains.children[*domain].size(), "child domain");
  }
  const ChangeGuard change(*impl_);
  impl_->editor.EraseDomain(*domain);
  impl_->editor.MaybeCompact();
  return absl::OkStatus();
}

absl::Status Cluster::SetDisruptionBudget(const DisruptionBudgetSpec& budget) {
  if (IsLost(*impl_)) return LostError();
  if (absl::Status status = CheckBudget(budget); !status.ok()) return status;
  const ChangeGuard change(*impl_);
  impl_->editor.PutBudget(budget);
  return absl::OkStatus();
}

absl::Status Cluster::RemoveDisruptionBudget(std::string_view name_space, std::string_view name) {
  if (IsLost(*impl_)) return LostError();
  const ChangeGuard change(*impl_);
  if (impl_->editor.EraseBudget(name_space, name)) return absl::OkStatus();
  return NotThere("disruption budget", absl::StrCat(ToAbsl(name_space), "/", ToAbsl(name)));
}

absl::Status Cluster::RemoveNamespace(std::string_view name) {
  if (IsLost(*impl_)) return LostError();
  const ChangeGuard change(*impl_);
  if (impl_->editor.EraseNamespace(name)) return absl::OkStatus();
  return NotThere("namespace", name);
}

absl::Status Cluster::SetNamespace(const NamespaceSpec& name_space) {
  if (IsLost(*impl_)) return LostError();
  if (absl::Status status = CheckNamespace(name_space); !status.ok()) return status;
  for (const QueueBindingSpec& binding : name_space.bindings) {
    for (const std::string& queue : binding.queues) {
      if (impl_->tables->queues.names.Find(queue)) continue;
      return absl::InvalidArgumentError(absl::StrCat(
          PlaceOf("namespace", name_space.name), ", ", PlaceOf("binding", binding.name), ": ",
          PlaceOf("queue", queue), " does not exist", SuggestQueue(impl_->tables->queues, queue)));
    }
  }
  const ChangeGuard change(*impl_);
  impl_->editor.PutNamespace(name_space);
  return absl::OkStatus();
}

absl::StatusOr<DeltaOutcome> Cluster::ApplyDelta(const Delta& delta) {
  if (IsLost(*impl_)) return LostError();
  // What needs memory comes before the change and after it.
  const std::string key = Deltas::KeyOfEvent(delta);
  const std::shared_ptr<const RefusedList> refused = impl_->tables->refused;
  const bool was_refused = FindRefused(refused.get(), key) != nullptr;
  std::shared_ptr<const RefusedList> without;
  if (was_refused) without = WithoutRefusal(*refused, key);
  absl::StatusOr<DeltaOutcome> outcome = [&] {
    const ChangeGuard change(*impl_);
    return impl_->deltas.Apply(delta);
  }();
  if (!outcome.ok()) {
    NoteRefused(delta, outcome.status());
  } else if (was_refused && *outcome != DeltaOutcome::kStale) {
    impl_->editor.SetRefused(std::move(without));
  }
  return outcome;
}

void Cluster::NoteRefused(const Delta& delta, const absl::Status& why) {
  const std::string key = Deltas::KeyOfEvent(delta);
  if (key.empty() || IsLost(*impl_)) return;
  const auto* task = std::get_if<TaskSpec>(&delta.object);
  RefusedRow refused{.of = task == nullptr ? "" : task->job, .why = std::string(why.message())};
  impl_->editor.SetRefused(WithRefusal(impl_->tables->refused.get(), key, std::move(refused)));
}

std::vector<DeltaResult> Cluster::ApplyDeltas(std::span<const Delta> deltas) {
  std::vector<DeltaResult> results(deltas.size());
  for (size_t i = 0; i < deltas.size(); ++i) {
    const absl::StatusOr<DeltaOutcome> outcome = ApplyDelta(deltas[i]);
    results[i].outcome = outcome.ok() ? *outcome : DeltaOutcome::kRefused;
    if (!outcome.ok()) results[i].refusal = std::string(outcome.status().message());
  }
  return results;
}

std::vector<RefusedEvent> Cluster::RefusedEvents() const {
  return Deltas::List(impl_->tables->refused.get());
}

std::vector<WaitingEvent> Cluster::WaitingEvents() const {
  if (IsLost(*impl_)) return {};
  return impl_->deltas.WhatWaits();
}

}  // namespace muster
