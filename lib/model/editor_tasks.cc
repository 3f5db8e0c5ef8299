// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Tasks. A task is kept in four places beside its row: in its job's list, in the list of tasks on
// its node, in the count of its class and in the nominations. Enter and Leave keep the four
// together.
#include <algorithm>

#include "lib/base/strings.h"
#include "lib/model/device_holds.h"
#include "lib/model/editor.h"

namespace muster {

TaskRow Editor::RowOfTask(const TaskSpec& spec, const CheckedShape& shape, const TaskRefs& refs) {
  Tables& t = Change();
  TaskRow row;
  row.refs = refs;
  row.task_class = interner_.Intern(shape, ClassQueue(refs.job), t);
  row.status = spec.status;
  row.priority = spec.priority;
  row.flags = static_cast<uint8_t>((spec.preemptable ? kTaskPreemptable : 0) |
                                   (spec.never_preempts ? kTaskNeverPreempts : 0) |
                                   (spec.gates.empty() ? 0 : kTaskGated));
  row.created = spec.created;
  row.ordinal = spec.ordinal.value_or(kAbsent);
  row.uid_rank = spec.uid_rank;
  row.started = spec.started.value_or(kAbsent);
  row.protected_until = spec.protected_until.value_or(kAbsent);
  row.waits_until = spec.waits_until.value_or(kAbsent);
  row.waiting_group = t.strings.Intern(spec.waiting_group);
  row.priority_class = t.strings.Intern(spec.priority_class);
  row.gates = interner_.InternGates(spec.gates, t);
  row.devices = interner_.InternHolds(spec.devices, t);
  row.nominated_node = spec.nominated_node;
  return row;
}

TaskIndex Editor::PutTask(TaskIndex existing, const TaskSpec& spec, const CheckedShape& shape,
                          const TaskRefs& refs) {
  const TaskIndex task = PutRow(existing, spec.name, RowOfTask(spec, shape, refs));
  SetFacts(task, spec);
  return task;
}

void Editor::SetFacts(TaskIndex task, const TaskSpec& spec) {
  TaskTable& tasks = Change().tasks;
  SetUid(task, spec.uid);
  if (!spec.usage && !spec.lifetime) {
    tasks.facts.erase(task);
  } else {
    tasks.facts[task] = {spec.usage, spec.lifetime};
  }
}

TaskRow Editor::RowOfGroup(JobIndex job, const GroupSpec& group, const CheckedShape& shape) {
  Tables& t = Change();
  const JobSpec& spec = t.jobs.spec[job];
  TaskRow row;
  row.refs.job = job;
  row.refs.group = GroupIndex(*FindGroup(job, group.name));
  row.task_class = interner_.Intern(shape, ClassQueue(job), t);
  row.priority = group.priority.value_or(spec.priority);
  row.created = spec.created;
  return row;
}

TaskIndex Editor::AppendRow(std::string_view name) {
  TaskTable& tasks = Change().tasks;
  const TaskIndex task = tasks.names.Intern(name);
  tasks.alive.push_back(1);
  tasks.job.push_back(kNone);
  tasks.group.push_back(0);
  tasks.sub_group.push_back(kNone);
  tasks.task_class.push_back(kNone);
  tasks.status.push_back(TaskStatus::kPending);
  tasks.node.push_back(kNone);
  tasks.nominated.push_back(kNone);
  tasks.priority.push_back(0);
  tasks.flags.push_back(0);
  tasks.created.push_back(0);
  tasks.ordinal.push_back(kAbsent);
  tasks.uid_rank.push_back(0);
  tasks.started.push_back(kAbsent);
  tasks.protected_until.push_back(kAbsent);
  tasks.waits_until.push_back(kAbsent);
  tasks.waiting_group.push_back(0);
  tasks.priority_class.push_back(0);
  tasks.gates.push_back(0);
  tasks.devices.push_back(0);
  next_.push_back(kNone);
  previous_.push_back(kNone);
  ++living_;
  return task;
}

TaskIndex Editor::PutRow(TaskIndex existing, std::string_view name, const TaskRow& row) {
  TaskTable& tasks = Change().tasks;
  TaskIndex task = existing;
  const TaskStatus status = task == kNone ? TaskStatus::kPending : tasks.status[task];
  const NodeIndex from = task == kNone ? kNone : tasks.node[task];
  const uint32_t aspects = task == kNone ? 0 : TaskAspects(task, row);
  if (task == kNone) {
    task = AppendRow(name);
  } else {
    Leave(task);
  }
  tasks.job[task] = row.refs.job;
  tasks.group[task] = row.refs.group;
  tasks.sub_group[task] = row.refs.sub_group;
  tasks.task_class[task] = row.task_class;
  tasks.status[task] = row.status;
  tasks.node[task] = row.refs.node;
  tasks.priority[task] = row.priority;
  tasks.flags[task] = row.flags;
  tasks.created[task] = row.created;
  tasks.ordinal[task] = row.ordinal;
  tasks.uid_rank[task] = row.uid_rank;
  tasks.started[task] = row.started;
  tasks.protected_until[task] = row.protected_until;
  tasks.waits_until[task] = row.waits_until;
  tasks.waiting_group[task] = row.waiting_group;
  tasks.priority_class[task] = row.priority_class;
  tasks.gates[task] = row.gates;
  tasks.devices[task] = row.devices;
  tasks.assumed_since.erase(task);
  Enter(task);
  Nominate(task, row.nominated_node);
  Log(Change::Table::kTask, task);
  if (existing == kNone) {
    NoteRow(ClusterEventKind::kTaskAdded, task);
  } else {
    NoteUpdate(task, status, from, aspects);
  }
  return task;
}

bool Editor::AppendTasks(const std::function<std::string_view(size_t row)>& name,
                         const TaskColumns& columns) {
  constexpr size_t kAhead = 16;  // rows with names on their way into the cache
  TaskTable& tasks = Change().tasks;
  const auto first = static_cast<TaskIndex>(tasks.alive.size());
  const size_t count = columns.pattern.size();
  if (count > first / 2) tasks.names.Reserve(first + count);
  for (size_t i = 0; i < count; ++i) {
    if (i + kAhead < count) tasks.names.Prefetch(name(i + kAhead));
    if (tasks.names.Intern(name(i)) == first + i) continue;
    tasks.names.Truncate(first);
    return false;
  }
  const auto append = [&](auto& column, const auto& cell) {
    using Cell = std::decay_t<decltype(column[0])>;
    column.resize(first + count);
    for (size_t i = 0; i < count; ++i) column[first + i] = static_cast<Cell>(cell(i));
  };
  const auto pattern = [&](auto TaskRow::*member) {
    return [&columns, member](size_t i) { return columns.patterns[columns.pattern[i]].*member; };
  };
  const auto number = [&](std::span<const int64_t> given, auto TaskRow::*member) {
    return [&columns, given, member](size_t i) -> int64_t {
      if (!given.empty() && given[i] != kAbsent) return given[i];
      return static_cast<int64_t>(columns.patterns[columns.pattern[i]].*member);
    };
  };
  const auto one = [](auto value) { return [value](size_t) { return value; }; };
  append(tasks.alive, one(1));
  append(tasks.job, [&](size_t i) { return columns.job[i]; });
  append(tasks.group, one(0));
  append(tasks.sub_group, one(kNone));
  append(tasks.task_class, pattern(&TaskRow::task_class));
  append(tasks.status, number(columns.status, &TaskRow::status));
  append(tasks.node, [&](size_t i) { return columns.node[i]; });
  append(tasks.nominated, one(kNone));
  append(tasks.priority, number(columns.priority, &TaskRow::priority));
  append(tasks.flags, pattern(&TaskRow::flags));
  append(tasks.created, number(columns.created, &TaskRow::created));
  append(tasks.ordinal, number(columns.ordinal, &TaskRow::ordinal));
  append(tasks.uid_rank, number(columns.uid_rank, &TaskRow::uid_rank));
  append(tasks.started, number(columns.started, &TaskRow::started));
  append(tasks.protected_until, pattern(&TaskRow::protected_until));
  append(tasks.waits_until, pattern(&TaskRow::waits_until));
  append(tasks.waiting_group, pattern(&TaskRow::waiting_group));
  append(tasks.priority_class, pattern(&TaskRow::priority_class));
  append(tasks.gates, pattern(&TaskRow::gates));
  append(tasks.devices, pattern(&TaskRow::devices));
  append(next_, one(kNone));
  append(previous_, one(kNone));
  living_ += count;
  for (size_t i = 0; i < count; ++i) {
    const TaskIndex task(first + i);
    Enter(task);
    Nominate(task, columns.patterns[columns.pattern[i]].nominated_node);
    Log(Change::Table::kTask, task);
    NoteRow(ClusterEventKind::kTaskAdded, task);
  }
  return true;
}

void Editor::Enter(TaskIndex task) {
  TaskTable& tasks = tables_->tasks;
  if (const JobIndex job = tasks.job[task]; job != kNone) {
    std::vector<TaskIndex>& list = tables_->jobs.tasks[job];
    if (list.empty() || list.back() < task) {
      list.push_back(task);
    } else {
      list.insert(std::ranges::lower_bound(list, task), task);
    }
    if (!job_numbers_.empty() && tasks.ordinal[task] != kAbsent) {
      if (auto* ranks = RanksOf(job)) ranks->insert(RankOf(task));
    }
  }
  if (tables_->classes.tasks[tasks.task_class[task]]++ == 0) ++living_;
  if (tasks.node[task] != kNone) Link(task, tasks.node[task]);
}

void Editor::Leave(TaskIndex task) {
  TaskTable& tasks = tables_->tasks;
  if (const JobIndex job = tasks.job[task]; job != kNone) {
    std::vector<TaskIndex>& list = tables_->jobs.tasks[job];
    list.erase(std::ranges::lower_bound(list, task));
    if (!job_numbers_.empty()) {
      if (auto* ranks = RanksOf(job)) ranks->erase(RankOf(task));
    }
  }
  if (--tables_->classes.tasks[tasks.task_class[task]] == 0) --living_;
  if (tasks.node[task] != kNone) Unlink(task, tasks.node[task]);
  Nominate(task, {});
}

void Editor::EraseTask(TaskIndex task) {
  TaskTable& tasks = Change().tasks;
  NoteRow(ClusterEventKind::kTaskRemoved, task);
  Leave(task);
  tasks.names.Erase(tasks.names.name(task));
  tasks.facts.erase(task);
  tasks.uids.erase(task);
  tasks.assumed_since.erase(task);
  tasks.alive[task] = 0;
  tasks.node[task] = kNone;
  --living_;
  Log(Change::Table::kTask, task);
}

void Editor::SetPlace(TaskIndex task, TaskStatus status, NodeIndex node, bool assumed) {
  TaskTable& tasks = Change().tasks;
  const TaskStatus before = tasks.status[task];
  const NodeIndex from = tasks.node[task];
  if (tasks.node[task] != node) {
    if (tasks.node[task] != kNone) Unlink(task, tasks.node[task]);
    if (node != kNone) Link(task, node);
    tasks.node[task] = node;
    tasks.devices[task] = 0;
  }
  tasks.status[task] = status;
  if (status != TaskStatus::kWaiting) {
    tasks.waits_until[task] = kAbsent;
    tasks.waiting_group[task] = 0;
  }
  if (assumed) {
    tasks.assumed_since.try_emplace(task, 0);
  } else if ((tasks.flags[task] & kTaskAssumed) != 0) {
    tasks.assumed_since.erase(task);
  }
  tasks.flags[task] =
      static_cast<uint8_t>((tasks.flags[task] & ~kTaskAssumed) | (assumed ? kTaskAssumed : 0));
  Log(Change::Table::kTask, task);
  NotePlace(task, before, from);
}

void Editor::SetAssumedSince(TaskIndex task, int64_t time) {
  Change().tasks.assumed_since[task] = time;
}

void Editor::SetDevices(TaskIndex task, const std::vector<DeviceHold>& holds) {
  Tables& t = Change();
  t.tasks.devices[task] = interner_.InternHolds(holds, t);
  Log(Change::Table::kTask, task);
  Note(ClusterEventKind::kTaskChanged, t.tasks.names.name(task), kOtherChanged);
}

void Editor::SetWait(TaskIndex task, int64_t until, std::string_view waiting_group) {
  Tables& t = Change();
  t.tasks.waits_until[task] = until;
  t.tasks.waiting_group[task] = t.strings.Intern(waiting_group);
  Log(Change::Table::kTask, task);
}

void Editor::DropHolds(NodeIndex node) {
  for (TaskIndex task : TasksOn(node)) {
    if (tables_->tasks.devices[task] == 0) continue;
    std::vector<DeviceHold> holds = tables_->hold_lists[tables_->tasks.devices[task]];
    const size_t gone = std::erase_if(holds, [&](const DeviceHold& hold) {
      return !HoldProblem(tables_->nodes.spec[node], hold).empty();
    });
    if (gone > 0) SetDevices(task, holds);
  }
}

void Editor::SetMarks(TaskIndex task, uint8_t marks) {
  uint8_t& flags = Change().tasks.flags[task];
  flags = static_cast<uint8_t>((flags & ~(kTaskAssumed | kTaskCounted)) | marks);
}

void Editor::SetUid(TaskIndex task, std::string_view uid) {
  HashMap<TaskIndex, std::string>& uids = Change().tasks.uids;
  if (uid.empty()) {
    uids.erase(task);
  } else {
    uids[task] = uid;
  }
}

void Editor::SetStarted(TaskIndex task, int64_t time) {
  TaskTable& tasks = Change().tasks;
  tasks.started[task] = time;
  Log(Change::Table::kTask, task);
  Note(ClusterEventKind::kTaskChanged, tasks.names.name(task), kOtherChanged);
}

void Editor::SetNominated(TaskIndex task, std::string_view node_name) {
  if (NominatedNode(task) == node_name) return;
  Change();
  Nominate(task, node_name);
  Log(Change::Table::kTask, task);
  Note(ClusterEventKind::kTaskChanged, tables_->tasks.names.name(task), kNominationChanged);
}

void Editor::Nominate(TaskIndex task, std::string_view node_name) {
  TaskTable& tasks = tables_->tasks;
  if (node_name.empty() && nominations_.empty()) return;
  const std::string before = NominatedNode(task);
  if (before == node_name) return;
  if (!before.empty()) {
    const auto found = nominations_.find(before);
    found->second.erase(task);
    if (found->second.empty()) nominations_.erase(found);
    nominated_elsewhere_.erase(task);
  }
  tasks.nominated[task] = kNone;
  if (node_name.empty()) return;
  nominations_[ToAbsl(node_name)].insert(task);
  if (const std::optional<NodeIndex> node = tables_->nodes.names.Find(node_name)) {
    tasks.nominated[task] = *node;
  } else {
    nominated_elsewhere_.emplace(task, node_name);
  }
}

std::string Editor::NominatedNode(TaskIndex task) const {
  const NodeIndex node = tables_->tasks.nominated[task];
  if (node != kNone) return std::string(tables_->nodes.names.name(node));
  const auto found = nominated_elsewhere_.find(task);
  return found == nominated_elsewhere_.end() ? std::string() : found->second;
}

// --- tasks on a node

void Editor::Link(TaskIndex task, NodeIndex node) {
  const TaskIndex head = first_on_[node];
  next_[task] = head;
  previous_[task] = kNone;
  if (head != kNone) previous_[head] = task;
  first_on_[node] = task;
}

void Editor::Unlink(TaskIndex task, NodeIndex node) {
  if (previous_[task] == kNone) {
    first_on_[node] = next_[task];
  } else {
    next_[previous_[task]] = next_[task];
  }
  if (next_[task] != kNone) previous_[next_[task]] = previous_[task];
  next_[task] = previous_[task] = kNone;
}

std::vector<TaskIndex> Editor::TasksOn(NodeIndex node) const {
  std::vector<TaskIndex> tasks;
  for (TaskIndex task = first_on_[node]; task != kNone; task = next_[task]) tasks.push_back(task);
  std::ranges::sort(tasks);
  return tasks;
}

}  // namespace muster
