// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Each call checks the spec, resolves its names and puts the row.
#include "lib/model/quiet_rows.h"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/math.h"
#include "lib/base/strings.h"
#include "lib/model/change_guard.h"
#include "lib/model/describe.h"
#include "lib/model/device_holds.h"
#include "lib/model/event_room.h"
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

absl::Status Unknown(const char* kind, std::string_view name) {
  return absl::NotFoundError(absl::StrCat(PlaceOf(kind, name), ": does not exist"));
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

}  // namespace

absl::Status AddQuietly(internal::ClusterImpl& cluster, const NodeSpec& node) {
  if (IsLost(cluster)) return LostError();
  const NameTable& names = cluster.tables->nodes.names;
  absl::StatusOr<NodeAmounts> amounts = CheckNode(node);
  if (!amounts.ok()) return amounts.status();
  if (names.Find(node.name)) return Exists("node", node.name);
  NodeRefs refs;
  if (const auto missing = cluster.editor.Resolve(node, kNone, &refs))
    return Dangling(*missing, *cluster.tables);
  if (absl::Status room = cluster.editor.CheckRoom(names, 1, node.name.size()); !room.ok())
    return room;
  const ChangeGuard change(cluster);
  cluster.editor.PutNode(kNone, node, *amounts, refs);
  return absl::OkStatus();
}

absl::Status UpdateQuietly(internal::ClusterImpl& cluster, const NodeSpec& node) {
  if (IsLost(cluster)) return LostError();
  absl::StatusOr<NodeAmounts> amounts = CheckNode(node);
  if (!amounts.ok()) return amounts.status();
  const std::optional<NodeIndex> existing = cluster.tables->nodes.names.Find(node.name);
  if (!existing) return Unknown("node", node.name);
  NodeRefs refs;
  if (const auto missing = cluster.editor.Resolve(node, *existing, &refs))
    return Dangling(*missing, *cluster.tables);
  if (absl::Status status = CheckHeldDevices(cluster.editor, *existing, node); !status.ok())
    return status;
  const ChangeGuard change(cluster);
  cluster.editor.PutNode(*existing, node, *amounts, refs);
  return absl::OkStatus();
}

absl::Status AddQuietly(internal::ClusterImpl& cluster, const QueueSpec& queue) {
  if (IsLost(cluster)) return LostError();
  const NameTable& names = cluster.tables->queues.names;
  absl::StatusOr<QueueAmounts> amounts = CheckQueue(queue);
  if (!amounts.ok()) return amounts.status();
  if (names.Find(queue.name)) return Exists("queue", queue.name);
  QueueRefs refs;
  if (const auto missing = cluster.editor.Resolve(queue, kNone, &refs))
    return Dangling(*missing, *cluster.tables);
  if (absl::Status room = cluster.editor.CheckRoom(names, 1, queue.name.size()); !room.ok())
    return room;
  const ChangeGuard change(cluster);
  cluster.editor.PutQueue(kNone, queue, *amounts, refs);
  return absl::OkStatus();
}

absl::Status UpdateQuietly(internal::ClusterImpl& cluster, const QueueSpec& queue) {
  if (IsLost(cluster)) return LostError();
  absl::StatusOr<QueueAmounts> amounts = CheckQueue(queue);
  if (!amounts.ok()) return amounts.status();
  const std::optional<QueueIndex> existing = cluster.tables->queues.names.Find(queue.name);
  if (!existing) return Unknown("queue", queue.name);
  QueueRefs refs;
  if (const auto missing = cluster.editor.Resolve(queue, *existing, &refs))
    return Dangling(*missing, *cluster.tables);
  const ChangeGuard change(cluster);
  cluster.editor.PutQueue(*existing, queue, *amounts, refs);
  return absl::OkStatus();
}

absl::Status AddQuietly(internal::ClusterImpl& cluster, const JobSpec& job) {
  if (IsLost(cluster)) return LostError();
  Editor& editor = cluster.editor;
  absl::StatusOr<Amounts> amounts = CheckJob(job);
  if (!amounts.ok()) return amounts.status();
  std::vector<CheckedShape> shapes;
  for (const GroupSpec& group : job.groups) {
    absl::StatusOr<CheckedShape> shape =
        editor.interner().Check(group.shape, "job", job.name, "group", group.name);
    if (!shape.ok()) return shape.status();
    shapes.push_back(*std::move(shape));
  }
  const Tables& tables = *cluster.tables;
  if (tables.jobs.names.Find(job.name)) return Exists("job", job.name);
  JobRefs refs;
  if (const auto missing = editor.Resolve(job, kNone, &refs))
    return Dangling(*missing, *cluster.tables);
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

  const ChangeGuard change(cluster);
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
  return absl::OkStatus();
}

absl::Status UpdateQuietly(internal::ClusterImpl& cluster, const JobSpec& job) {
  if (IsLost(cluster)) return LostError();
  absl::StatusOr<Amounts> amounts = CheckJob(job);
  if (!amounts.ok()) return amounts.status();
  for (const GroupSpec& group : job.groups) {
    const absl::StatusOr<CheckedShape> shape =
        cluster.editor.interner().Check(group.shape, "job", job.name, "group", group.name);
    if (!shape.ok()) return shape.status();
  }
  const std::optional<JobIndex> existing = cluster.tables->jobs.names.Find(job.name);
  if (!existing) return Unknown("job", job.name);
  JobRefs refs;
  if (const auto missing = cluster.editor.Resolve(job, *existing, &refs))
    return Dangling(*missing, *cluster.tables);
  if (const auto dropped = cluster.editor.DroppedTasks(*existing, job); !dropped.empty()) {
    return absl::FailedPreconditionError(
        absl::StrCat(PlaceOf("job", job.name), ": ",
                     PlaceOf("task", cluster.tables->tasks.names.name(dropped[0])),
                     " is in a group or sub-group that is no longer listed"));
  }
  const ChangeGuard change(cluster);
  cluster.editor.PutJob(*existing, job, *amounts, refs);
  return absl::OkStatus();
}

absl::Status AddQuietly(internal::ClusterImpl& cluster, const TaskSpec& task, HoldRule holds) {
  if (IsLost(cluster)) return LostError();
  const NameTable& names = cluster.tables->tasks.names;
  if (absl::Status status = CheckTask(task); !status.ok()) return status;
  absl::StatusOr<CheckedShape> shape =
      cluster.editor.interner().Check(task.shape, "task", task.name);
  if (!shape.ok()) return shape.status();
  if (names.Find(task.name)) return Exists("task", task.name);
  TaskRefs refs;
  if (const auto missing = cluster.editor.Resolve(task, kNone, &refs))
    return Dangling(*missing, *cluster.tables);
  if (holds == HoldRule::kChecked) {
    if (absl::Status s = CheckHolds(cluster.editor, task, kNone, refs.node); !s.ok()) return s;
  }
  if (absl::Status room = cluster.editor.CheckRoom(names, 1, task.name.size()); !room.ok())
    return room;
  const ChangeGuard change(cluster);
  cluster.editor.PutTask(kNone, task, *shape, refs);
  return absl::OkStatus();
}

absl::Status UpdateQuietly(internal::ClusterImpl& cluster, const TaskSpec& task, HoldRule holds) {
  if (IsLost(cluster)) return LostError();
  if (absl::Status status = CheckTask(task); !status.ok()) return status;
  absl::StatusOr<CheckedShape> shape =
      cluster.editor.interner().Check(task.shape, "task", task.name);
  if (!shape.ok()) return shape.status();
  const std::optional<TaskIndex> existing = cluster.tables->tasks.names.Find(task.name);
  if (!existing) return Unknown("task", task.name);
  TaskRefs refs;
  if (const auto missing = cluster.editor.Resolve(task, *existing, &refs))
    return Dangling(*missing, *cluster.tables);
  if (holds == HoldRule::kChecked) {
    if (absl::Status s = CheckHolds(cluster.editor, task, *existing, refs.node); !s.ok()) return s;
  }
  const ChangeGuard change(cluster);
  cluster.editor.PutTask(*existing, task, *shape, refs);
  cluster.editor.MaybeCompact();
  return absl::OkStatus();
}

absl::Status AddQuietly(internal::ClusterImpl& cluster, const DomainSpec& domain) {
  if (IsLost(cluster)) return LostError();
  const DomainTable& domains = cluster.tables->domains;
  if (absl::Status status = CheckDomain(domain); !status.ok()) return status;
  if (domains.names.Find(domain.name)) return Exists("domain", domain.name);
  DomainRefs refs;
  if (const auto missing = cluster.editor.Resolve(domain, kNone, &refs)) {
    return absl::InvalidArgumentError(missing->message);
  }
  if (absl::Status room = cluster.editor.CheckRoom(domains.names, 1, domain.name.size());
      !room.ok())
    return room;
  const ChangeGuard change(cluster);
  cluster.editor.PutDomain(kNone, domain, refs);
  return absl::OkStatus();
}

absl::Status CheckBindings(const Tables& tables, const NamespaceSpec& name_space) {
  for (const QueueBindingSpec& binding : name_space.bindings) {
    for (const std::string& queue : binding.queues) {
      if (tables.queues.names.Find(queue)) continue;
      return absl::InvalidArgumentError(absl::StrCat(
          PlaceOf("namespace", name_space.name), ", ", PlaceOf("binding", binding.name), ": ",
          PlaceOf("queue", queue), " does not exist", SuggestQueue(tables.queues, queue)));
    }
  }
  return absl::OkStatus();
}

void WakeFor(internal::ClusterImpl& cluster, RowKind kind, std::string_view name) {
  Deltas& deltas = cluster.deltas;
  if (!deltas.anything_waits()) return;
  const ChangeGuard change(cluster);
  deltas.Appeared(kind, name);
  if (kind != RowKind::kJob) return;
  const Tables& tables = *cluster.tables;
  const std::optional<JobIndex> job = tables.jobs.names.Find(name);
  if (!job) return;
  for (size_t i = 0; i < tables.jobs.tasks[*job].size() && deltas.anything_waits(); ++i) {
    deltas.Appeared(RowKind::kTask, tables.tasks.names.name(tables.jobs.tasks[*job][i]));
  }
}

RowsTogether::RowsTogether(internal::ClusterImpl& cluster) : cluster_(cluster) {
  const EventLog& log = cluster.tables->events;
  if (!log.recording()) return;
  next_event_ = log.generation();
  // The oldest one from which on the log can list them.
  uint64_t low = 1, high = next_event_;
  while (low < high) {
    const uint64_t middle = low + (high - low) / 2;
    if (log.Since(middle).everything) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  oldest_event_ = low;
}

size_t RowsTogether::TasksOf(const JobSpec& job) {
  int64_t tasks = 0;  // of a job that is not checked yet
  for (const GroupSpec& group : job.groups)
    tasks = SatAdd(tasks, std::max<int64_t>(group.count, 0));
  return static_cast<size_t>(tasks);
}

void RowsTogether::KeepEvents(size_t tasks) {
  constexpr size_t kMostOfARow = 4;  // that the editor notes, besides one for each task
  if (next_event_ == 0 || events_) return;
  const size_t held = cluster_.tables->events.generation() - oldest_event_;
  if (held + tasks + kMostOfARow > MostEvents(cluster_.editor.living())) CopyEvents();
}

void RowsTogether::CopyEvents() {
  const std::span<const ClusterEvent> before =
      cluster_.tables->events.Since(oldest_event_).list.first(next_event_ - oldest_event_);
  events_.emplace(before.begin(), before.end());
}

int64_t RowsTogether::count(RowKind kind) const {
  return std::ranges::count(rows_, kind, &Row::kind);
}

void RowsTogether::Wake() {
  // A row comes after those that it names. From the back, it has replaced what waits under its name
  // before they wake that.
  for (size_t i = rows_.size(); i-- > 0;) WakeFor(cluster_, rows_[i].kind, rows_[i].name);
}

absl::Status RowsTogether::TakeBack(const absl::Status& why) {
  if (rows_.empty()) return why;
  const ChangeGuard change(cluster_);
  if (next_event_ != 0 && !events_) CopyEvents();
  for (; !rows_.empty(); rows_.pop_back()) {
    const Row& row = rows_.back();
    if (row.before == nullptr) {
      Erase(row.kind, row.name);
    } else if (absl::Status back = PutBack(*row.before); !back.ok()) {
      return absl::InternalError(
          absl::StrCat(why.message(), "; taking an update back: ", back.message()));
    }
  }
  if (events_) cluster_.tables->events.Restore(oldest_event_, *std::exchange(events_, {}));
  cluster_.editor.MaybeCompact();
  return why;
}

void RowsTogether::Erase(RowKind kind, std::string_view name) {
  Editor& editor = cluster_.editor;
  const Tables& t = editor.Own();
  switch (kind) {
    case RowKind::kNode:
      return editor.EraseNode(*t.nodes.names.Find(name));
    case RowKind::kQueue:
      return editor.EraseQueue(*t.queues.names.Find(name));
    case RowKind::kJob:
      return editor.EraseJob(*t.jobs.names.Find(name));
    case RowKind::kTask:
      return editor.EraseTask(*t.tasks.names.Find(name));
    default:
      return editor.EraseDomain(*t.domains.names.Find(name));
  }
}

absl::Status RowsTogether::PutBack(const Before& before) {
  if (const auto* node = std::get_if<NodeSpec>(&before)) return UpdateQuietly(cluster_, *node);
  if (const auto* queue = std::get_if<QueueSpec>(&before)) return UpdateQuietly(cluster_, *queue);
  if (const auto* job = std::get_if<JobSpec>(&before)) return UpdateQuietly(cluster_, *job);
  const auto& [spec, marks, since] = std::get<TaskBefore>(before);
  if (absl::Status s = UpdateQuietly(cluster_, spec, HoldRule::kReported); !s.ok()) return s;
  const TaskIndex task = *cluster_.tables->tasks.names.Find(spec.name);
  cluster_.editor.SetMarks(task, marks);
  if ((marks & kTaskAssumed) != 0) cluster_.editor.SetAssumedSince(task, since);
  return absl::OkStatus();
}

template <class Spec>
std::unique_ptr<RowsTogether::Before> RowsTogether::DescribeSpec(const Spec& spec) const {
  Spec before;
  before.name = spec.name;
  if (!DescribeRow(cluster_.editor, &before)) return nullptr;
  return std::make_unique<Before>(std::move(before));
}

std::unique_ptr<RowsTogether::Before> RowsTogether::Describe(const NodeSpec& spec) const {
  return DescribeSpec(spec);
}

std::unique_ptr<RowsTogether::Before> RowsTogether::Describe(const QueueSpec& spec) const {
  return DescribeSpec(spec);
}

std::unique_ptr<RowsTogether::Before> RowsTogether::Describe(const JobSpec& spec) const {
  return DescribeSpec(spec);
}

std::unique_ptr<RowsTogether::Before> RowsTogether::Describe(const TaskSpec& spec) const {
  TaskBefore before;
  before.spec.name = spec.name;
  if (!DescribeRow(cluster_.editor, &before.spec)) return nullptr;
  const TaskTable& tasks = cluster_.tables->tasks;
  const TaskIndex row = *tasks.names.Find(spec.name);
  before.marks = tasks.flags[row] & (kTaskAssumed | kTaskCounted);
  const auto since = tasks.assumed_since.find(row);
  if (since != tasks.assumed_since.end()) before.assumed_since = since->second;
  return std::make_unique<Before>(std::move(before));
}

}  // namespace muster
