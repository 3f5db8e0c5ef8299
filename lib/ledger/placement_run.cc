// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/ledger/placement_run.h"

#include <utility>

#include "lib/ledger/amounts.h"

namespace muster {
namespace {

constexpr TaskStatus kRunGoesTo = TaskStatus::kPlaced;

}  // namespace

bool PlacementRun::Serves(TaskIndex task) const {
  const Ledger& l = ledger_;
  return l.charged_alive_[task] && l.status_[task] == TaskStatus::kPending &&
         l.node_[task] == kNone && l.charged_job_[task] != kNone &&
         !l.books_.Concern(task, l.charged_class_[task]);
}

bool PlacementRun::Alike(TaskIndex a, TaskIndex b) const {
  const Ledger& l = ledger_;
  return l.charged_class_[a] == l.charged_class_[b] && l.charged_group_[a] == l.charged_group_[b] &&
         l.charged_sub_group_[a] == l.charged_sub_group_[b] &&
         l.charged_preemptable_[a] == l.charged_preemptable_[b];
}

bool PlacementRun::Add(TaskIndex task) {
  const Ledger& l = ledger_;
  if (!l.promises_.empty() || !Serves(task)) return false;
  if (!kinds_.empty() && l.charged_job_[task] != l.charged_job_[kinds_[0].first]) return false;
  size_t kind = 0;
  if (!tasks_.empty() && Alike(task, tasks_.back().task)) {
    kind = tasks_.back().kind;
  } else {
    while (kind < kinds_.size() && !Alike(task, kinds_[kind].first)) ++kind;
  }
  if (kind == kMostKinds) return false;
  if (kind == kinds_.size()) AddKind(task);
  tasks_.push_back({task, static_cast<uint32_t>(kind)});
  return true;
}

void PlacementRun::AddKind(TaskIndex first) {
  const Ledger& l = ledger_;
  const size_t dimensions = l.dimensions_;
  const StatusRow effect = l.RowOf(first, kRunGoesTo);
  Kind kind{first, effect.evictable, 0, std::vector<int64_t>(l.stride_, 0)};
  const auto request = l.tables_->classes.request.row(l.charged_class_[first]);
  AddRow(&kind.change[kIdle * dimensions], request, effect.idle);
  AddRow(&kind.change[kReleasing * dimensions], request, effect.releasing);
  AddRow(&kind.change[kPipelined * dimensions], request, effect.pipelined);
  AddRow(&kind.change[kUsed * dimensions], request, effect.used);
  if (l.accounting_.statuses[kRunGoesTo].in_view != 0) {
    l.AddToView(l.charged_class_[first], +1, kind.change.data());
  }
  kinds_.push_back(std::move(kind));
}

void PlacementRun::Place(size_t i, NodeIndex node) {
  Ledger& l = ledger_;
  const TaskIndex task = tasks_[i].task;
  Kind& kind = kinds_[tasks_[i].kind];
  const bool in_view = l.accounting_.statuses[kRunGoesTo].in_view != 0;
  l.log_.push_back(
      {task, kNone, node, TaskStatus::kPending, kRunGoesTo, l.view_[task] != 0, in_view});
  l.status_[task] = kRunGoesTo;
  l.node_[task] = node;
  l.view_[task] = in_view;
  int64_t* row = &l.rows_[node * l.stride_];
  const int64_t* change = kind.change.data();
  for (size_t cell = 0; cell < l.stride_; ++cell) row[cell] = WrappingSum(row[cell], change[cell]);
  if (kind.evictable != 0) {
    AddRow(&l.evictable_[node * l.dimensions_], l.request(task), kind.evictable);
  }
  l.journal_.push_back(node);
  if (in_view) l.view_journal_.push_back({task, node, +1, kRunGoesTo});
  if (l.lists_built_) l.SetNodeList(task, kNone, node);
  l.content_ = ++l.clock_;
  ++kind.placed;
}

void PlacementRun::End() {
  constexpr TaskStatus kFrom = TaskStatus::kPending;
  for (Kind& kind : kinds_) {
    const int count = std::exchange(kind.placed, 0);
    if (count == 0) continue;
    ledger_.CountStatus(kind.first, kFrom, -count);
    ledger_.CountStatus(kind.first, kRunGoesTo, count);
    const StatusRow change =
        ledger_.RowOf(kind.first, kRunGoesTo).Plus(-1, ledger_.RowOf(kind.first, kFrom));
    ledger_.ChargeQueues(kind.first, StatusRow().Plus(count, change));
  }
}

}  // namespace muster
