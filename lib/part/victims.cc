// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/part/victims.h"

namespace muster {

bool CouldMakeRoom(const ActionContext& context, TaskIndex task, NodeIndex node) {
  const auto request = context.tables.classes.initial_request.row(context.ClassOf(task));
  const auto evictable = context.ledger.evictable(node);
  for (DimensionIndex d = 0; d < request.size(); ++d) {
    if (d > kPods && request[d] == 0) continue;
    if (request[d] > context.ledger.future_idle(node, d) + evictable[d]) return false;
  }
  return true;
}

bool VictimsSuffice(const ActionContext& context, TaskIndex task, NodeIndex node,
                    const std::vector<TaskIndex>& victims) {
  const auto request = context.tables.classes.initial_request.row(context.ClassOf(task));
  for (DimensionIndex d = 0; d < request.size(); ++d) {
    if (d > kPods && request[d] == 0) continue;
    int64_t room = context.ledger.future_idle(node, d);
    for (TaskIndex victim : victims) room += context.ledger.request(victim)[d];
    if (request[d] > room) return false;
  }
  return true;
}

VictimOrder::VictimOrder(const ActionContext& context)
    : dispatcher_(context.dispatcher),
      ledger_(context.ledger),
      keys_(context.dispatcher),
      heap_(Less{this}) {}

void VictimOrder::Start(TaskIndex evictor, std::span<const TaskIndex> victims) {
  constexpr uint64_t kNotAsked = ~uint64_t{0};
  const Tables& tables = ledger_.tables();
  evictor_ = evictor;
  rows_.clear();
  heap_.Clear();
  for (const TaskIndex victim : victims) {
    const JobIndex job = tables.tasks.job[victim];
    const QueueIndex queue = job == kNone ? QueueIndex(kNone) : tables.jobs.queue[job];
    rows_.push_back({victim, job, queue, kNotAsked, {}});
    heap_.Push(static_cast<uint32_t>(rows_.size() - 1));
  }
}

const JobKeys& VictimOrder::KeysOf(Row& row) const {
  const uint64_t stamp = ledger_.job_stamp(row.job);
  if (row.stamp != stamp) {
    row.keys = keys_.Of(row.job);
    row.stamp = stamp;
  }
  return row.keys;
}

bool VictimOrder::IsBefore(uint32_t left, uint32_t right) {
  Row &a = rows_[left], &b = rows_[right];
  const bool by_keys = keys_.known() && a.job != b.job && a.job != kNone && b.job != kNone &&
                       (evictor_ == kNone || a.queue == b.queue);
  if (!by_keys) return dispatcher_.VictimBefore(a.task, b.task, evictor_);
  if (const int order = KeysOf(a).Compare(KeysOf(b))) return order > 0;
  return !dispatcher_.TaskBefore(a.task, b.task);
}

void Evict(ActionContext& context, TaskIndex victim, TaskIndex beneficiary) {
  context.ledger.Move(victim, TaskStatus::kReleasing, context.ledger.node_of(victim));
  context.decisions.NoteEviction(victim, beneficiary);
}

void Nominate(ActionContext& context, TaskIndex task, NodeIndex node, bool after_eviction) {
  context.ledger.Move(task, TaskStatus::kNominated, node);
  context.decisions.NoteNominatedAfterEviction(task, after_eviction);
}

bool EvictUntil(ActionContext& context, TaskIndex task, VictimOrder* order,
                absl::FunctionRef<bool()> fits, std::vector<TaskIndex>* gone) {
  while (!fits()) {
    if (order->empty()) return false;
    gone->push_back(order->Pop());
    Evict(context, gone->back(), task);
  }
  return true;
}

std::vector<TaskIndex> WithoutNeedless(ActionContext& context, std::span<const TaskIndex> gone,
                                       absl::FunctionRef<bool()> fits) {
  std::vector<TaskIndex> needed;
  TrialEvictions trial(context);
  for (size_t spared = gone.size(); spared-- > 0;) {
    trial.Clear();
    trial.Evict(gone.first(spared));
    trial.Evict(needed);
    if (!fits()) needed.push_back(gone[spared]);
  }
  return needed;
}

}  // namespace muster
