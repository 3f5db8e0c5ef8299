// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include <string>
#include <utility>

#include "lib/part/context.h"
#include "lib/part/task_bounds.h"
#include "lib/part/victims.h"
#include "muster/action.h"

namespace muster {
namespace {

const TaskBounds::Bound* BoundOf(ActionContext& context, TaskIndex task) {
  return context.memory<TaskBounds>().Of(task);
}

NodeIndex Best(ActionContext& context, TaskIndex task, Want want) {
  const TaskBounds::Bound* const bound = BoundOf(context, task);
  if (bound == nullptr) return context.search.Best(task, want);
  return context.search.BestAmong(task, want, bound->nodes, nullptr);
}

}  // namespace

std::span<const JobIndex> Workbench::waiting() const { return context_.waiting; }

std::vector<TaskIndex> Workbench::PendingTasks(JobIndex job) const {
  return context_.PendingTasks(job, /*with_best_effort=*/true);
}

std::span<const TaskIndex> Workbench::TasksOn(NodeIndex node) const {
  return context_.ledger.tasks_on(node);
}

bool Workbench::QueueBefore(QueueIndex a, QueueIndex b) const {
  return context_.dispatcher.QueueBefore(a, b);
}
bool Workbench::JobBefore(JobIndex a, JobIndex b) const {
  return context_.dispatcher.JobBefore(a, b);
}
bool Workbench::TaskBefore(TaskIndex a, TaskIndex b) const {
  return context_.dispatcher.TaskBefore(a, b);
}

Verdict Workbench::MayTakeTurn(QueueIndex queue) const {
  return context_.dispatcher.MayTakeTurn(queue);
}
Verdict Workbench::Allocatable(TaskIndex task) const {
  const QueueIndex queue = context_.QueueOf(task);
  Verdict verdict = context_.dispatcher.Allocatable(queue, task);
  if (!verdict.ok()) context_.reasons.Explain(task, context_.reasons.QueueReason(queue, verdict));
  return verdict;
}
bool Workbench::Valid(JobIndex job) const { return context_.dispatcher.Valid(job); }
bool Workbench::Ready(JobIndex job) const { return context_.dispatcher.Ready(job); }
bool Workbench::Pipelined(JobIndex job) const { return context_.dispatcher.Pipelined(job); }
bool Workbench::Starving(JobIndex job) const { return context_.dispatcher.Starving(job); }
std::vector<TaskIndex> Workbench::Preemptable(TaskIndex evictor,
                                              std::span<const TaskIndex> candidates) const {
  return context_.dispatcher.Preemptable(evictor, candidates);
}
std::vector<TaskIndex> Workbench::Reclaimable(TaskIndex evictor,
                                              std::span<const TaskIndex> candidates) const {
  return context_.dispatcher.Reclaimable(evictor, candidates);
}

Workbench::Savepoint Workbench::Save() const {
  const Ledger::Savepoint now = context_.ledger.Save();
  return {now.position, now.content, now.release};
}
void Workbench::Commit(const Savepoint& before) {
  context_.decisions.Commit({before.position, before.content, before.release});
}
void Workbench::Rollback(const Savepoint& before) {
  context_.ledger.Rollback({before.position, before.content, before.release});
}

void Workbench::Admit(JobIndex job, std::vector<GroupAssignment> assignment) {
  if (context_.IsPending(job)) context_.decisions.Admit(job, std::move(assignment));
}

NodeIndex Workbench::Place(TaskIndex task) {
  if (context_.ledger.status(task) != TaskStatus::kPending) return kNone;
  const NodeIndex node = Best(context_, task, Want::kNow);
  if (node != kNone) context_.ledger.Move(task, TaskStatus::kPlaced, node);
  return node;
}

NodeIndex Workbench::Nominate(TaskIndex task) {
  if (context_.ledger.status(task) != TaskStatus::kPending) return kNone;
  const NodeIndex node = Best(context_, task, Want::kLater);
  if (node != kNone) context_.ledger.Move(task, TaskStatus::kNominated, node);
  return node;
}

bool Workbench::Fits(TaskIndex task, NodeIndex node) const {
  const ClassIndex c = context_.ClassOf(task);
  const TaskBounds::Bound* const bound = BoundOf(context_, task);
  if (bound != nullptr && !bound->Has(node)) return false;
  return context_.search.FitsIdle(c, node) && context_.search.FitsNode(c, node);
}

bool Workbench::PlaceOn(TaskIndex task, NodeIndex node) {
  if (context_.ledger.status(task) != TaskStatus::kPending || !Fits(task, node)) return false;
  context_.ledger.Move(task, TaskStatus::kPlaced, node);
  return true;
}

bool Workbench::Evict(TaskIndex victim, TaskIndex beneficiary) {
  const TaskStatus status = context_.ledger.status(victim);
  if (status != TaskStatus::kRunning && status != TaskStatus::kBound) return false;
  context_.ledger.Move(victim, TaskStatus::kReleasing, context_.ledger.node_of(victim));
  context_.decisions.NoteEviction(victim, beneficiary);
  return true;
}

bool Workbench::MoveTo(TaskIndex task, NodeIndex node, TaskIndex beneficiary) {
  if (!Evict(task, beneficiary)) return false;
  context_.ledger.Promise(task, node);
  return true;
}

bool Workbench::Return(TaskIndex task) {
  const TaskStatus before = context_.tables.tasks.status[task];
  if (context_.ledger.status(task) != TaskStatus::kReleasing || !IsAllocated(before)) return false;
  context_.ledger.Move(task, before, context_.ledger.node_of(task));
  return true;
}

NodeIndex Workbench::Reserve(TaskIndex task, int64_t until, std::string_view waiting_group) {
  if (context_.ledger.status(task) != TaskStatus::kPending) return kNone;
  const NodeIndex node = Best(context_, task, Want::kNow);
  if (node == kNone) return kNone;
  context_.ledger.Move(task, TaskStatus::kWaiting, node);
  context_.decisions.NoteReservation(task, until, std::string(waiting_group));
  return node;
}

void Workbench::Decide(Offer offer) { context_.decisions.Add(std::move(offer)); }
void Workbench::Decide(Resize resize) { context_.decisions.Add(std::move(resize)); }
void Workbench::Decide(const Split& split) { context_.decisions.Add(split); }

void Workbench::ExplainNoNode(TaskIndex task) {
  context_.reasons.Explain(task, context_.reasons.NoNode(context_.ClassOf(task)));
}

bool Workbench::ShouldStop() {
  if (context_.meter.Cut()) return true;
  context_.meter.Spend();
  return false;
}

}  // namespace muster
