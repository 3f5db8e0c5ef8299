// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// From an event's object to rows, and from rows back to waiting objects.
#include <algorithm>
#include <utility>

#include "lib/base/strings.h"
#include "lib/model/deltas.h"
#include "lib/model/describe.h"
#include "lib/model/keys.h"

namespace muster {

Deltas::Placed Deltas::Place(const NodeSpec& spec) {
  const auto& names = editor_.tables().nodes.names;
  const absl::StatusOr<NodeAmounts> amounts = CheckNode(spec);
  if (!amounts.ok()) return amounts.status();
  if (absl::Status room = editor_.CheckRoom(names, 1, spec.name.size()); !room.ok()) return room;
  const NodeIndex existing = names.Find(spec.name).value_or(kNone);
  NodeRefs refs;
  if (std::optional<Missing> missing = editor_.Resolve(spec, existing, &refs)) {
    if (existing != kNone) {
      HideTasksOn(existing);
      editor_.EraseNode(existing);
    }
    return missing;
  }
  editor_.PutNode(existing, spec, *amounts, refs);
  return std::nullopt;
}

Deltas::Placed Deltas::Place(const QueueSpec& spec) {
  const auto& names = editor_.tables().queues.names;
  const absl::StatusOr<QueueAmounts> amounts = CheckQueue(spec);
  if (!amounts.ok()) return amounts.status();
  if (absl::Status room = editor_.CheckRoom(names, 1, spec.name.size()); !room.ok()) return room;
  const QueueIndex existing = names.Find(spec.name).value_or(kNone);
  QueueRefs refs;
  if (std::optional<Missing> missing = editor_.Resolve(spec, existing, &refs)) {
    if (existing != kNone) {
      HideBelow(existing);
      editor_.EraseQueue(existing);
    }
    return missing;
  }
  editor_.PutQueue(existing, spec, *amounts, refs);
  return std::nullopt;
}

Deltas::Placed Deltas::Place(const JobSpec& spec) {
  const Tables& t = editor_.tables();
  const absl::StatusOr<Amounts> amounts = CheckJob(spec);
  if (!amounts.ok()) return amounts.status();
  std::vector<CheckedShape> shapes;
  int64_t tasks = 0, task_bytes = 0;
  for (const GroupSpec& group : spec.groups) {
    absl::StatusOr<CheckedShape> shape =
        editor_.interner().Check(group.shape, "job", spec.name, "group", group.name);
    if (!shape.ok()) return shape.status();
    shapes.push_back(*std::move(shape));
    tasks += group.count;
    task_bytes += group.count * static_cast<int64_t>(spec.name.size() + group.name.size() + 11);
    if (absl::Status room = editor_.CheckRoom(t.tasks.names, tasks, task_bytes); !room.ok())
      return room;
  }
  if (absl::Status room = editor_.CheckRoom(t.jobs.names, 1, spec.name.size()); !room.ok())
    return room;

  JobIndex job = t.jobs.names.Find(spec.name).value_or(kNone);
  JobRefs refs;
  if (std::optional<Missing> missing = editor_.Resolve(spec, job, &refs)) {
    if (job != kNone) HideJob(job);
    return missing;
  }
  if (job != kNone) HideDropped(job, spec);
  job = editor_.PutJob(job, spec, *amounts, refs);
  if (tasks > 0 || counts_.contains(spec.name)) SyncCounted(job, spec, shapes);
  return std::nullopt;
}

Deltas::Placed Deltas::Place(const TaskSpec& told) {
  const Tables& t = editor_.tables();
  if (absl::Status status = CheckTask(told); !status.ok()) return status;
  const absl::StatusOr<CheckedShape> shape =
      editor_.interner().Check(told.shape, "task", told.name);
  if (!shape.ok()) return shape.status();
  if (absl::Status room = editor_.CheckRoom(t.tasks.names, 1, told.name.size()); !room.ok())
    return room;

  TaskIndex existing = t.tasks.names.Find(told.name).value_or(kNone);
  if (existing != kNone && AreOfTwo(UidOf(t.tasks, existing), told.uid)) {
    editor_.EraseTask(existing);
    existing = kNone;
  }
  TaskSpec spec = told;
  bool assumed = false;
  int64_t since = 0;
  if (existing != kNone && (t.tasks.flags[existing] & kTaskAssumed) != 0) {
    const TaskStatus status = t.tasks.status[existing];
    const bool placed = status == TaskStatus::kBinding || status == TaskStatus::kWaiting;
    assumed = (placed && told.status == TaskStatus::kPending) ||
              (status == TaskStatus::kReleasing && IsAllocated(told.status));
    if (assumed) {
      since = t.tasks.assumed_since.find(existing)->second;
      const TaskSpec known = DescribeTask(editor_, existing);
      spec.status = status;
      spec.node = known.node;
      spec.waits_until = known.waits_until;
      spec.waiting_group = known.waiting_group;
    }
  }
  // A report of tasks may leave out their devices: a task that stays where it is keeps them.
  if (existing != kNone && spec.devices.empty() && HoldsNode(spec.status) &&
      t.tasks.node[existing] != kNone && spec.node == t.nodes.names.name(t.tasks.node[existing])) {
    spec.devices = t.hold_lists[t.tasks.devices[existing]];
  }
  TaskRefs refs;
  if (std::optional<Missing> missing = editor_.Resolve(spec, existing, &refs)) {
    if (existing != kNone) editor_.EraseTask(existing);
    return missing;
  }
  const TaskIndex task = editor_.PutTask(existing, spec, *shape, refs);
  if (assumed) {
    editor_.SetPlace(task, spec.status, refs.node, /*assumed=*/true);
    editor_.SetAssumedSince(task, since);
  }
  return std::nullopt;
}

Deltas::Placed Deltas::Place(const DomainSpec& spec) {
  const auto& names = editor_.tables().domains.names;
  if (absl::Status status = CheckDomain(spec); !status.ok()) return status;
  if (absl::Status room = editor_.CheckRoom(names, 1, spec.name.size()); !room.ok()) return room;
  const DomainIndex existing = names.Find(spec.name).value_or(kNone);
  DomainRefs refs;
  if (std::optional<Missing> missing = editor_.Resolve(spec, existing, &refs)) {
    if (existing != kNone) {
      HideIn(existing);
      editor_.EraseDomain(existing);
    }
    return missing;
  }
  if (existing != kNone) HideChildrenFrom(existing, spec.tier);
  editor_.PutDomain(existing, spec, refs);
  return std::nullopt;
}

// --- back to waiting

bool Deltas::IsTold(TaskIndex task) const {
  return generations_.contains(KeyOf(RowKind::kTask, editor_.tables().tasks.names.name(task)));
}

bool Deltas::IsCounted(TaskIndex task) const {
  return (editor_.tables().tasks.flags[task] & kTaskCounted) != 0 && !IsTold(task);
}

void Deltas::HideTasksOn(NodeIndex node) {
  const Tables& t = editor_.Own();
  const std::string missing = KeyOf(RowKind::kNode, t.nodes.spec[node].name);
  for (TaskIndex task : editor_.TasksOn(node)) {
    if (IsCounted(task)) {
      editor_.SetPlace(task, TaskStatus::kPending, kNone, /*assumed=*/false);
      continue;
    }
    Wait(KeyOf(RowKind::kTask, t.tasks.names.name(task)), DescribeTask(editor_, task), missing);
    editor_.EraseTask(task);
  }
}

void Deltas::HideNode(NodeIndex node, const std::string& missing) {
  HideTasksOn(node);
  const NodeSpec spec = editor_.Own().nodes.spec[node];
  Wait(KeyOf(RowKind::kNode, spec.name), spec, missing);
  editor_.EraseNode(node);
}

void Deltas::HideIn(DomainIndex root) {
  const Tables& t = editor_.Own();
  struct Step {
    DomainIndex domain;
    std::vector<DomainIndex> children;
    size_t next = 0;
  };
  std::vector<Step> path;  // trees may be deeper than a thread's stack
  const auto enter = [&](DomainIndex domain) {
    const std::string missing = KeyOf(RowKind::kDomain, t.domains.spec[domain].name);
    const std::vector<NodeIndex> nodes = t.domains.nodes[domain];
    for (const NodeIndex node : nodes) HideNode(node, missing);
    path.push_back({domain, t.domains.children[domain]});
  };
  for (enter(root);;) {
    Step& step = path.back();
    if (step.next < step.children.size()) {
      enter(step.children[step.next++]);
      continue;
    }
    const DomainIndex domain = step.domain;
    path.pop_back();
    if (path.empty()) return;
    const DomainSpec spec = t.domains.spec[domain];
    Wait(KeyOf(RowKind::kDomain, spec.name), spec, KeyOf(RowKind::kDomain, spec.parent));
    editor_.EraseDomain(domain);
  }
}

void Deltas::HideChildrenFrom(DomainIndex domain, int32_t tier) {
  const Tables& t = editor_.Own();
  const std::string missing = KeyOf(RowKind::kDomain, t.domains.spec[domain].name);
  const std::vector<DomainIndex> children = t.domains.children[domain];
  for (const DomainIndex child : children) {
    const DomainSpec spec = t.domains.spec[child];
    if (spec.tier < tier) continue;
    HideIn(child);
    Wait(KeyOf(RowKind::kDomain, spec.name), spec, missing);
    editor_.EraseDomain(child);
  }
}

void Deltas::HideBelow(QueueIndex root) {
  const Tables& t = editor_.Own();
  std::vector<QueueIndex> queues = {root};
  std::vector<uint8_t> below(t.queues.alive.size(), 0);
  bool jobs_below = false;
  for (size_t i = 0; i < queues.size(); ++i) {
    const QueueIndex queue = queues[i];
    below[queue] = 1;
    jobs_below = jobs_below || t.queues.jobs[queue] > 0;
    const std::string missing = KeyOf(RowKind::kQueue, t.queues.spec[queue].name);
    for (QueueIndex child : t.queues.children[queue]) {
      queues.push_back(child);
      Wait(KeyOf(RowKind::kQueue, t.queues.spec[child].name), t.queues.spec[child], missing);
    }
  }
  const size_t jobs = jobs_below ? t.jobs.alive.size() : 0;
  for (JobIndex job = 0; job < jobs; ++job) {
    if (t.jobs.alive[job] && below[t.jobs.queue[job]]) HideJob(job);
  }
  for (size_t i = queues.size(); i-- > 1;) editor_.EraseQueue(queues[i]);
}

void Deltas::HideJob(JobIndex job) {
  const Tables& t = editor_.Own();
  std::vector<TaskIndex> tasks;
  for (TaskIndex task : t.jobs.tasks[job]) {
    if (!IsCounted(task)) tasks.push_back(task);
  }
  LetTasksWait(job, tasks);
  JobSpec spec = t.jobs.spec[job];
  if (const auto counts = counts_.find(spec.name); counts != counts_.end()) {
    // A job that came otherwise after the event may have other groups.
    if (counts->second.size() == spec.groups.size()) {
      for (size_t g = 0; g < spec.groups.size(); ++g) spec.groups[g].count = counts->second[g];
    }
    SetCounts(spec.name, {});
  }
  const std::string missing = KeyOf(RowKind::kQueue, t.queues.spec[t.jobs.queue[job]].name);
  const std::string key = KeyOf(RowKind::kJob, spec.name);
  Wait(key, std::move(spec), missing);
  editor_.EraseJob(job);
}

void Deltas::HideDropped(JobIndex job, const JobSpec& spec) {
  const std::vector<TaskIndex> dropped = editor_.DroppedTasks(job, spec);
  std::vector<TaskIndex> waiting;
  for (TaskIndex task : dropped) {
    if (!IsCounted(task)) waiting.push_back(task);
  }
  LetTasksWait(job, waiting);
  for (size_t i = dropped.size(); i-- > 0;) editor_.EraseTask(dropped[i]);
}

void Deltas::LetTasksWait(JobIndex job, const std::vector<TaskIndex>& tasks) {
  const Tables& t = editor_.tables();
  const std::string missing = KeyOf(RowKind::kJob, t.jobs.spec[job].name);
  for (TaskIndex task : tasks) {
    Wait(KeyOf(RowKind::kTask, t.tasks.names.name(task)), DescribeTask(editor_, task), missing);
  }
}

// --- tasks by count

void Deltas::SyncCounted(JobIndex job, const JobSpec& spec,
                         const std::vector<CheckedShape>& shapes) {
  const Tables& t = editor_.Own();
  std::vector<int64_t> counts;
  HashMap<absl::string_view, int64_t> count_of;
  for (const GroupSpec& group : spec.groups) {
    counts.push_back(group.count);
    count_of[group.name] = group.count;
  }

  std::vector<TaskIndex> surplus;
  for (TaskIndex task : t.jobs.tasks[job]) {
    const GroupIndex group = t.tasks.group[task];
    if (IsCounted(task) && t.tasks.ordinal[task] >= count_of[t.jobs.groups[job][group].name]) {
      surplus.push_back(task);
    }
  }
  for (size_t i = surplus.size(); i-- > 0;) editor_.EraseTask(surplus[i]);

  for (size_t g = 0; g < spec.groups.size(); ++g) {
    const GroupSpec& group = spec.groups[g];
    if (group.count == 0) continue;
    TaskRow row = editor_.RowOfGroup(job, group, shapes[g]);
    row.flags |= kTaskCounted;
    for (int64_t i = 0; i < group.count; ++i) {
      const std::string name = GroupTaskName(spec.name, group.name, i);
      const std::string key = KeyOf(RowKind::kTask, name);
      if (generations_.contains(key) || waiting_.contains(key)) continue;
      const TaskIndex existing = t.tasks.names.Find(name).value_or(kNone);
      if (existing != kNone && (t.tasks.job[existing] != job || !IsCounted(existing))) continue;
      row.ordinal = i;
      row.status = existing == kNone ? TaskStatus::kPending : t.tasks.status[existing];
      row.refs.node = existing == kNone ? kNone : t.tasks.node[existing];
      row.devices = existing == kNone ? 0 : t.tasks.devices[existing];
      editor_.PutRow(existing, name, row);
    }
  }
  SetCounts(spec.name, std::move(counts));
}

}  // namespace muster
