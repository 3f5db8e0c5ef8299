// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Moves: how they change the accounts, and how they are undone. ledger_sync.cc opens the books and
// makes them follow the tables.
#include "lib/ledger/ledger.h"

#include <algorithm>

#include "lib/ledger/amounts.h"

namespace muster {

BookedTask Ledger::Booked(TaskIndex t) const {
  return {.task = t,
          .task_class = charged_class_[t],
          .job = charged_job_[t],
          .queue = charged_queue_[t],
          .node = node_[t],
          .memo = 0};
}

bool Ledger::WriteCells(NodeIndex n) {
  return books_.WriteCells(n, rows_.data() + n * stride_ + tail_ + kTail);
}

// Called while node_ and status_ still have the old place. Returns whether a cell of a node
// changed.
bool Ledger::MoveInBooks(TaskIndex t, TaskStatus from, TaskStatus to, NodeIndex node,
                         BookMove move) {
  const NodeIndex old = node_[t];
  if (move == BookMove::kUndo) {
    books_.Undo(*tables_, Booked(t), from, to, node);
  } else {
    books_.Move(*tables_, Booked(t), from, to, node);
  }
  bool changed = old != kNone && WriteCells(old);
  changed |= node != kNone && WriteCells(node);
  return changed;
}

StatusRow Ledger::RowOf(TaskIndex t, TaskStatus status) const {
  StatusRow row = accounting_.statuses[status];
  row.evictable *= charged_preemptable_[t];
  return row;
}

void Ledger::ChargeNode(TaskIndex t, const StatusRow& effect, NodeIndex node) {
  const auto request = tables_->classes.request.row(charged_class_[t]);
  int64_t* row = &rows_[node * stride_];
  int64_t* evictable = &evictable_[node * dimensions_];
  for (size_t d = 0; d < dimensions_; ++d) {
    const int64_t amount = request[d];
    AddTimes(effect.idle, amount, &row[kIdle * dimensions_ + d]);
    AddTimes(effect.releasing, amount, &row[kReleasing * dimensions_ + d]);
    AddTimes(effect.pipelined, amount, &row[kPipelined * dimensions_ + d]);
    AddTimes(effect.used, amount, &row[kUsed * dimensions_ + d]);
    AddTimes(effect.evictable, amount, &evictable[d]);
  }
  journal_.push_back(node);
}

void Ledger::AddToView(ClassIndex c, int times, int64_t* row) const {
  const ClassTable& classes = tables_->classes;
  AddRow(row + kRequested * dimensions_, classes.request.row(c), times);
  const bool main = accounting_.score_main_containers;
  row[tail_] += times * (main ? classes.scoring_cpu_main[c] : classes.scoring_cpu[c]);
  row[tail_ + 1] += times * (main ? classes.scoring_memory_main[c] : classes.scoring_memory[c]);
  row[tail_ + 2] += times;
}

void Ledger::ChargeView(TaskIndex t, TaskStatus status, NodeIndex node, int sign) {
  AddToView(charged_class_[t], sign, &rows_[node * stride_]);
  view_journal_.push_back({t, node, static_cast<int8_t>(sign), status});
}

JobCounts* Ledger::SubGroupOf(TaskIndex t) {
  std::vector<JobCounts>& counts = sub_groups_[charged_job_[t]];
  return counts.empty() ? nullptr : &counts[SubGroup::SlotOf(charged_sub_group_[t])];
}

void Ledger::CountStatus(TaskIndex t, TaskStatus status, int times) {
  const JobIndex j = charged_job_[t];
  const int s = static_cast<int>(status);
  JobCounts& job = jobs_[j];
  JobCounts& group = groups_[group_start_[j] + charged_group_[t]];
  JobCounts* sub_group = SubGroupOf(t);
  job.by_status[s] += times;
  group.by_status[s] += times;
  if (sub_group != nullptr) sub_group->by_status[s] += times;
  if (status == TaskStatus::kPending && tables_->classes.best_effort[charged_class_[t]]) {
    job.pending_best_effort += times;
    group.pending_best_effort += times;
    if (sub_group != nullptr) sub_group->pending_best_effort += times;
  }
}

void Ledger::ChargeQueues(TaskIndex t, const StatusRow& effect) {
  const JobIndex j = charged_job_[t];
  const QueueIndex q = charged_queue_[t];
  const auto request = tables_->classes.request.row(charged_class_[t]);
  ++job_stamp_[j];
  job_journal_.push_back(j);
  for (QueueIndex a = q; a != kNone; a = parent_[a]) ++queue_stamp_[a];
  if (effect.allocated != 0) {
    AddRow(&job_allocated_[j * dimensions_], request, effect.allocated);
    AddRow(&queue_allocated_[q * dimensions_], request, effect.allocated);
    for (QueueIndex a = q; a != kNone; a = parent_[a]) {
      AddRow(&tree_allocated_[a * dimensions_], request, effect.allocated);
    }
  }
  if (effect.pending != 0) {
    AddRow(&queue_pending_[q * dimensions_], request, effect.pending);
    for (QueueIndex a = q; a != kNone; a = parent_[a]) {
      AddRow(&tree_pending_[a * dimensions_], request, effect.pending);
    }
  }
}

// Charges the accounts for `times` tasks like this one; below 0: takes them out.
void Ledger::Charge(TaskIndex t, TaskStatus status, NodeIndex node, bool view, int times) {
  const StatusRow effect = StatusRow().Plus(times, RowOf(t, status));
  if (node != kNone) {
    ChargeNode(t, effect, node);
    if (view) ChargeView(t, status, node, times);
  }
  if (books_.Concern(t, charged_class_[t])) {
    books_.Charge(*tables_, Booked(t), status, times);
    if (node != kNone) WriteCells(node);
  }
  if (charged_job_[t] == kNone) return;
  CountStatus(t, status, times);
  ChargeQueues(t, effect);
}

void Ledger::Apply(TaskIndex t, TaskStatus to, NodeIndex node, bool view, BookMove books) {
  const TaskStatus from = status_[t];
  const NodeIndex old = node_[t];
  const bool has_job = charged_job_[t] != kNone;
  if (has_job) {
    CountStatus(t, from, -1);
    CountStatus(t, to, +1);
  }
  status_[t] = to;
  const bool cells_changed = books != BookMove::kNone && MoveInBooks(t, from, to, node, books);
  // Placed -> binding and the like: no account of node or queue changes, only the job counts.
  if (node == old && view == static_cast<bool>(view_[t]) &&
      accounting_.statuses[from] == accounting_.statuses[to]) {
    if (has_job) ++job_stamp_[charged_job_[t]];
    if (cells_changed) journal_.push_back(node);
    return;
  }
  const StatusRow before = RowOf(t, from), after = RowOf(t, to), change = after.Plus(-1, before);
  if (node == old) {
    if (node != kNone) ChargeNode(t, change, node);
  } else {
    if (old != kNone) ChargeNode(t, StatusRow().Plus(-1, before), old);
    if (node != kNone) ChargeNode(t, after, node);
  }
  if (old != kNone && view_[t]) ChargeView(t, from, old, -1);
  if (node != kNone && view) ChargeView(t, to, node, +1);
  if (lists_built_ && node != old) SetNodeList(t, old, node);
  node_[t] = node;
  view_[t] = view;
  if (has_job) ChargeQueues(t, change);
}

void Ledger::Move(TaskIndex task, TaskStatus to, NodeIndex node) {
  if (!promises_.empty()) Promise(task, kNone);
  const bool stays_in_view = accounting_.statuses[to].in_view != 0;
  // A task that is out of the view stays out of it: its eviction was undone, and is done again.
  const bool was_in_view = node_[task] == kNone || view_[task];
  Log(task, to, node, node != kNone && stays_in_view && was_in_view);
}

void Ledger::Log(TaskIndex task, TaskStatus to, NodeIndex node, bool view) {
  const TaskStatus from = status_[task];
  const bool was_in_view = view_[task];
  const bool in_books = !books_.empty() && books_.Concern(task, charged_class_[task]);
  log_.push_back(
      {task, node_[task], node, from, to, was_in_view, view, /*is_promise=*/false, in_books});
  if (in_books) books_.Log(task);
  Apply(task, to, node, view, in_books ? BookMove::kMove : BookMove::kNone);
  content_ = ++clock_;
  const bool placement =
      from == TaskStatus::kPending && (to == TaskStatus::kPlaced || to == TaskStatus::kNominated);
  const bool same_accounts = IsAllocated(from) && IsAllocated(to) && view == was_in_view;
  if (!placement && !same_accounts) release_ = ++clock_;
}

size_t Ledger::BindAlike(size_t position, size_t end) {
  constexpr TaskStatus kFrom = TaskStatus::kPlaced, kTo = TaskStatus::kBinding;
  const StatusTable& statuses = accounting_.statuses;
  if (!promises_.empty() || !(statuses[kFrom] == statuses[kTo])) return 0;
  const TaskIndex first = log_[position].task;
  size_t bound = 0;
  for (; position + bound < end; ++bound) {
    const Entry& placed = log_[position + bound];
    const TaskIndex t = placed.task;
    const bool stays =
        !placed.is_promise && !placed.in_books && placed.to == kFrom && status_[t] == kFrom &&
        node_[t] == placed.to_node && (view_[t] != 0) == (statuses[kTo].in_view != 0) &&
        charged_job_[t] == charged_job_[first] && charged_group_[t] == charged_group_[first] &&
        charged_sub_group_[t] == charged_sub_group_[first];
    if (!stays) break;
    const bool view = view_[t] != 0;
    log_.push_back({t, node_[t], node_[t], kFrom, kTo, view, view});
    status_[t] = kTo;
    content_ = ++clock_;
  }
  if (bound > 0 && charged_job_[first] != kNone) {
    CountStatus(first, kFrom, -static_cast<int>(bound));
    CountStatus(first, kTo, static_cast<int>(bound));
    ++job_stamp_[charged_job_[first]];
  }
  return bound;
}

NodeIndex Ledger::promised_node(TaskIndex t) const {
  const auto promise = promises_.find(t);
  return promise == promises_.end() ? kNone : promise->second.node;
}

void Ledger::CountPromise(TaskIndex t, int times) {
  const JobIndex j = charged_job_[t];
  jobs_[j].promised += times;
  groups_[group_start_[j] + charged_group_[t]].promised += times;
  if (JobCounts* sub_group = SubGroupOf(t); sub_group != nullptr) sub_group->promised += times;
}

// The second place is charged as if another task were nominated there.
void Ledger::ApplyPromise(TaskIndex t, NodeIndex node, bool view, bool undo) {
  const auto known = promises_.find(t);
  const Promised old = known == promises_.end() ? Promised{kNone, false} : known->second;
  if (!books_.empty()) {
    BookedTask task = Booked(t);
    task.node = old.node;
    if (undo) {
      books_.UndoPromise(*tables_, task, node);
    } else {
      books_.Promise(*tables_, task, node);
    }
    if (old.node != kNone) WriteCells(old.node);
    if (node != kNone) WriteCells(node);
  }
  const StatusRow row = RowOf(t, TaskStatus::kNominated);
  if (old.node != kNone) ChargeNode(t, StatusRow().Plus(-1, row), old.node);
  if (node != kNone) ChargeNode(t, row, node);
  if (old.view) ChargeView(t, TaskStatus::kNominated, old.node, -1);
  if (view) ChargeView(t, TaskStatus::kNominated, node, +1);
  if (lists_built_ && old.node != node) {
    // The list of a node names a task once, also one that is promised its own node.
    SetNodeList(t, old.node == node_[t] ? kNone : old.node, node == node_[t] ? kNone : node);
  }
  if (charged_job_[t] != kNone) {
    const int times = (node != kNone) - (old.node != kNone);
    CountPromise(t, times);
    ChargeQueues(t, StatusRow().Plus(times, row));
  }
  if (node == kNone) {
    promises_.erase(t);
  } else {
    promises_[t] = {node, view};
  }
}

void Ledger::Promise(TaskIndex task, NodeIndex node) {
  const auto known = promises_.find(task);
  const Promised old = known == promises_.end() ? Promised{kNone, false} : known->second;
  if (old.node == node) return;
  const auto status_of = [](NodeIndex n) {
    return n == kNone ? TaskStatus::kPending : TaskStatus::kNominated;
  };
  const bool view = node != kNone && accounting_.statuses[TaskStatus::kNominated].in_view != 0;
  log_.push_back({task, old.node, node, status_of(old.node), status_of(node), old.view, view,
                  /*is_promise=*/true});
  if (!books_.empty()) books_.LogPromise(task);
  ApplyPromise(task, node, view, /*undo=*/false);
  content_ = ++clock_;
  if (old.node != kNone) release_ = ++clock_;
}

void Ledger::Restore(const Savepoint& savepoint) {
  while (log_.size() > savepoint.position) {
    const Entry entry = log_.back();
    log_.pop_back();
    if (entry.is_promise) {
      ApplyPromise(entry.task, entry.from_node, entry.from_view, /*undo=*/true);
    } else {
      Apply(entry.task, entry.from, entry.from_node, entry.from_view,
            entry.in_books ? BookMove::kUndo : BookMove::kNone);
    }
  }
  if (content_ == savepoint.content) return;
  while (!undone_.empty() && undone_.back().first >= savepoint.content) undone_.pop_back();
  undone_.push_back({savepoint.content, clock_});
  content_ = savepoint.content;
  release_ = savepoint.release;
}

void Ledger::Rollback(const Savepoint& savepoint) {
  if (!accounting_.undone_eviction_lingers) {
    Restore(savepoint);
    return;
  }
  // Evictions, and what lingers of those undone before, in the order in which they were made.
  std::vector<TaskIndex> lingering;
  for (size_t i = savepoint.position; i < log_.size(); ++i) {
    if (log_[i].from_view && !log_[i].to_view && log_[i].to_node != kNone) {
      lingering.push_back(log_[i].task);
    }
  }
  Restore(savepoint);
  for (TaskIndex task : lingering) {
    if (view_[task]) Log(task, TaskStatus::kRunning, node_[task], /*view=*/false);
  }
}

void Ledger::Reserve(size_t tasks) {
  log_.reserve(log_.size() + 2 * tasks);
  journal_.reserve(journal_.size() + tasks);
  view_journal_.reserve(view_journal_.size() + tasks);
  job_journal_.reserve(job_journal_.size() + tasks);
}

bool Ledger::OnlyPlacementsSince(const Moment& moment) const {
  if (moment.release != release_) return false;
  // Every later content follows from `moment` unless a rollback went back behind it.
  auto it =
      std::lower_bound(undone_.begin(), undone_.end(), moment.content,
                       [](const auto& range, uint64_t content) { return range.second < content; });
  return it == undone_.end() || moment.content <= it->first;
}

int64_t Ledger::future_idle(NodeIndex n, DimensionIndex d) const {
  const int64_t* row = &rows_[n * stride_];
  return WrappingSum(WrappingSum(row[kIdle * dimensions_ + d], row[kReleasing * dimensions_ + d]),
                     -row[kPipelined * dimensions_ + d]);
}

std::span<const TaskIndex> Ledger::tasks_on(NodeIndex n) {
  if (!lists_built_) {
    lists_built_ = true;
    lists_.assign(tables_->nodes.alive.size(), {});
    // Counted first, with room for one more: most lists then never grow.
    std::vector<uint32_t> count(lists_.size(), 1);
    for (const NodeIndex node : node_) {
      if (node != kNone) ++count[node];
    }
    for (NodeIndex node = 0; node < lists_.size(); ++node) lists_[node].reserve(count[node]);
    for (TaskIndex t = 0; t < node_.size(); ++t) {
      if (node_[t] != kNone) lists_[node_[t]].push_back(t);
    }
    for (const auto& [task, promise] : promises_) {
      if (promise.node != node_[task]) SetNodeList(task, kNone, promise.node);
    }
  }
  return lists_[n];
}

void Ledger::SetNodeList(TaskIndex t, NodeIndex from, NodeIndex to) {
  if (from != kNone) {
    auto& list = lists_[from];
    list.erase(std::lower_bound(list.begin(), list.end(), t));
  }
  if (to != kNone) {
    auto& list = lists_[to];
    list.insert(std::upper_bound(list.begin(), list.end(), t), t);
  }
}

void Ledger::TrimJournals(size_t limit) {
  if (std::max({journal_.size(), view_journal_.size(), job_journal_.size()}) <= limit) return;
  journal_.clear();
  view_journal_.clear();
  job_journal_.clear();
  ++birth_;
}

}  // namespace muster
