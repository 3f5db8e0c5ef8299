// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/ledger/alike_run.h"

#include "lib/ledger/amounts.h"

namespace muster {

bool AlikeRun::Serves(const Ledger& ledger, TaskIndex task) {
  return ledger.charged_alive_[task] && ledger.status_[task] == TaskStatus::kPending &&
         ledger.node_[task] == kNone && ledger.charged_job_[task] != kNone &&
         ledger.promises_.empty() && !ledger.books_.Concern(task, ledger.charged_class_[task]);
}

AlikeRun::AlikeRun(Ledger& ledger, TaskIndex first, TaskStatus to)
    : ledger_(ledger),
      first_(first),
      to_(to),
      in_view_(ledger.accounting_.statuses[to].in_view != 0),
      effect_(ledger.RowOf(first, to)),
      change_(ledger.stride_, 0) {
  const size_t dimensions = ledger.dimensions_;
  const auto request = ledger.tables_->classes.request.row(ledger.charged_class_[first]);
  AddRow(&change_[kIdle * dimensions], request, effect_.idle);
  AddRow(&change_[kReleasing * dimensions], request, effect_.releasing);
  AddRow(&change_[kPipelined * dimensions], request, effect_.pipelined);
  AddRow(&change_[kUsed * dimensions], request, effect_.used);
  if (in_view_) ledger.AddToView(ledger.charged_class_[first], +1, change_.data());
}

bool AlikeRun::Takes(TaskIndex task) const {
  const Ledger& l = ledger_;
  return l.charged_job_[task] == l.charged_job_[first_] &&
         l.charged_class_[task] == l.charged_class_[first_] &&
         l.charged_group_[task] == l.charged_group_[first_] &&
         l.charged_sub_group_[task] == l.charged_sub_group_[first_] &&
         l.charged_preemptable_[task] == l.charged_preemptable_[first_] && Serves(l, task);
}

void AlikeRun::Place(TaskIndex task, NodeIndex node) {
  Ledger& l = ledger_;
  l.log_.push_back({task, kNone, node, TaskStatus::kPending, to_, l.view_[task] != 0, in_view_});
  l.status_[task] = to_;
  l.node_[task] = node;
  l.view_[task] = in_view_;
  int64_t* row = &l.rows_[node * l.stride_];
  for (size_t i = 0; i < change_.size(); ++i) row[i] = WrappingSum(row[i], change_[i]);
  if (effect_.evictable != 0) {
    AddRow(&l.evictable_[node * l.dimensions_], l.request(task), effect_.evictable);
  }
  l.journal_.push_back(node);
  if (in_view_) l.view_journal_.push_back({task, node, +1, to_});
  if (l.lists_built_) l.SetNodeList(task, kNone, node);
  l.content_ = ++l.clock_;
  ++count_;
}

}  // namespace muster
