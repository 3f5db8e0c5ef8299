// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The direct calls: put the row, as quiet_rows.cc does, and wake what waits for that name.
#include "muster/cluster.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "lib/model/access.h"
#include "lib/model/change_guard.h"
#include "lib/model/check_word.h"
#include "lib/model/cluster_impl.h"
#include "lib/model/quiet_rows.h"
#include "lib/model/validate.h"

namespace muster {
namespace {

absl::Status NotThere(const char* kind, std::string_view name) {
  return absl::NotFoundError(absl::StrCat(PlaceOf(kind, name), ": does not exist"));
}

absl::Status InUse(const char* kind, std::string_view name, size_t count, const char* what) {
  return absl::FailedPreconditionError(
      absl::StrCat(PlaceOf(kind, name), ": still has ", count, " ", what, count == 1 ? "" : "s"));
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
  absl::Status status = AddQuietly(*impl_, node);
  if (status.ok()) WakeFor(*impl_, RowKind::kNode, node.name);
  return status;
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
    return absl::InvalidArgumentError(missing->message);
  const auto bytes = static_cast<int64_t>(one.name.size());
  if (absl::Status room = impl_->editor.CheckRoom(names, count, count * bytes); !room.ok())
    return room;
  for (int64_t i = 0; i < count; ++i) {
    one.name = absl::StrCat(node.name, i);
    if (!names.Find(one.name)) continue;
    return absl::AlreadyExistsError(absl::StrCat(PlaceOf("node", one.name), ": exists already"));
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
  absl::Status status = UpdateQuietly(*impl_, node);
  if (status.ok()) WakeFor(*impl_, RowKind::kNode, node.name);
  return status;
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
  absl::Status status = AddQuietly(*impl_, queue);
  if (status.ok()) WakeFor(*impl_, RowKind::kQueue, queue.name);
  return status;
}

absl::Status Cluster::UpdateQueue(const QueueSpec& queue) { return UpdateQuietly(*impl_, queue); }

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
  absl::Status status = AddQuietly(*impl_, job);
  if (status.ok()) WakeFor(*impl_, RowKind::kJob, job.name);
  return status;
}

absl::Status Cluster::UpdateJob(const JobSpec& job) {
  absl::Status status = UpdateQuietly(*impl_, job);
  if (status.ok()) WakeFor(*impl_, RowKind::kJob, job.name);
  return status;
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
  absl::Status status = AddQuietly(*impl_, task);
  if (status.ok()) WakeFor(*impl_, RowKind::kTask, task.name);
  return status;
}

absl::Status Cluster::UpdateTask(const TaskSpec& task) { return UpdateQuietly(*impl_, task); }

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
  CheckWord(status, check);
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
  absl::Status status = AddQuietly(*impl_, domain);
  if (status.ok()) WakeFor(*impl_, RowKind::kDomain, domain.name);
  return status;
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
  if (absl::Status status = CheckBindings(*impl_->tables, name_space); !status.ok()) return status;
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
