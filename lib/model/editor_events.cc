// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What the editor notes of its changes for slots of a memory, and the memory itself. Nothing is
// noted in a cluster that holds no memory.
#include <algorithm>
#include <string>
#include <utility>

#include "lib/model/editor.h"
#include "lib/model/event_room.h"
#include "lib/model/memory_data.h"

namespace muster {
namespace {

bool IsSchedulable(const NodeSpec& node) { return node.ready && !node.unschedulable; }

// Whether the task counts against a node; nominated ones are only promised a place.
bool Holds(TaskStatus status) { return HoldsNode(status) && status != TaskStatus::kNominated; }

}  // namespace

void Editor::Note(ClusterEventKind kind, std::string_view name, uint32_t aspects, NodeIndex node) {
  Tables& t = *tables_;
  if (!t.events.recording()) return;
  std::string on = node == kNone ? std::string() : std::string(t.nodes.names.name(node));
  t.events.Add({kind, aspects, std::string(name), std::move(on)}, MostEvents(living_));
}

void Editor::NoteRow(ClusterEventKind kind, TaskIndex task) {
  const TaskTable& tasks = tables_->tasks;
  if (!tables_->events.recording()) return;
  const TaskStatus status = tasks.status[task];
  const bool nominated = status == TaskStatus::kNominated || tasks.nominated[task] != kNone;
  const uint32_t aspects = nominated ? uint32_t{kNominationChanged} : 0;
  Note(kind, tasks.names.name(task), aspects, Holds(status) ? tasks.node[task] : kNone);
}

bool Editor::NotePlace(TaskIndex task, TaskStatus before, NodeIndex from) {
  const Tables& t = *tables_;
  if (!t.events.recording()) return false;
  const TaskStatus now = t.tasks.status[task];
  const NodeIndex node = t.tasks.node[task];
  const std::string_view name = t.tasks.names.name(task);
  const bool held = Holds(before), holds = Holds(now);
  if (held && (!holds || node != from)) Note(ClusterEventKind::kTaskEnded, name, 0, from);
  if (holds && (!held || node != from)) Note(ClusterEventKind::kTaskBound, name, 0, node);
  if (held != holds || (holds && node != from)) return true;
  if (now == before && node == from) return false;
  Note(ClusterEventKind::kTaskChanged, name, kStatusChanged);
  return true;
}

void Editor::NoteUpdate(TaskIndex task, TaskStatus before, NodeIndex from, uint32_t aspects) {
  const bool moved = NotePlace(task, before, from);
  if (aspects == 0 && moved) return;
  if (aspects == 0) aspects = kOtherChanged;
  Note(ClusterEventKind::kTaskChanged, tables_->tasks.names.name(task), aspects);
}

uint32_t Editor::NodeAspects(NodeIndex n, const NodeSpec& spec, const NodeAmounts& amounts,
                             const NodeRefs& refs) const {
  const Tables& t = *tables_;
  const NodeSpec& old = t.nodes.spec[n];
  const std::vector<int64_t> now = RowOf(amounts.allocatable, t);
  const auto before = t.nodes.allocatable.row(n);
  uint32_t aspects = 0;
  for (size_t d = 0; d < before.size(); ++d) {
    if (OrZero(now[d]) > OrZero(before[d])) aspects |= kCapacityGrew;
    if (OrZero(now[d]) < OrZero(before[d])) aspects |= kCapacityShrank;
  }
  if (old.labels != spec.labels) aspects |= kLabelsChanged;
  if (old.taints != spec.taints) aspects |= kTaintsChanged;
  if (!IsSchedulable(old) && IsSchedulable(spec)) aspects |= kBecameSchedulable;
  if (IsSchedulable(old) && !IsSchedulable(spec)) aspects |= kBecameUnschedulable;
  if (t.nodes.domain[n] != refs.domain) aspects |= kDomainChanged;
  return aspects != 0 ? aspects : kOtherChanged;
}

uint32_t Editor::TaskAspects(TaskIndex task, const TaskRow& row) const {
  const Tables& t = *tables_;
  if (!t.events.recording()) return 0;
  const TaskTable& tasks = t.tasks;
  uint32_t aspects = 0;
  const ClassIndex old = tasks.task_class[task];
  if (old != row.task_class) {
    aspects |= kShapeChanged;
    if (t.classes.shape[old].labels != t.classes.shape[row.task_class].labels) {
      aspects |= kLabelsChanged;
    }
  }
  if (tasks.gates[task] != row.gates) aspects |= kGatesChanged;
  if (tasks.priority[task] != row.priority) aspects |= kPriorityChanged;
  if (NominatedNode(task) != row.nominated_node) aspects |= kNominationChanged;
  return aspects;
}

void Editor::RecordEvents() {
  if (!tables_->events.recording()) Change().events.Start();
}

void Editor::KeepMemory(const Memory& memory, bool current) {
  const Tables& t = *tables_;
  if (memory == t.memory) return;
  const bool recorded = t.events.recording();
  EventLog& events = Change().events;
  tables_->memory = memory;
  const uint64_t newest = internal::NewestGeneration(memory);
  if ((!recorded && !current) || newest > events.generation()) events.Overflow(newest);
  events.Start();
  events.Forget(internal::OldestGeneration(memory));
}

void Editor::ReplaceMemory(Memory memory) {
  Tables& t = Change();
  t.events.Overflow(internal::NewestGeneration(memory));
  if (!memory.empty()) t.events.Start();
  t.memory = std::move(memory);
}

void Editor::RestoreMemory(Memory memory, std::vector<ClusterEvent> events) {
  Tables& t = Change();
  t.events.Restore(internal::OldestGeneration(memory), std::move(events));
  t.memory = std::move(memory);
}

}  // namespace muster
