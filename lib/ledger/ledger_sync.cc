// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Opens the books, and makes them follow the tables.
//
// What was charged for a task is noted beside it (Enroll), so that it can be taken back whatever
// the tables have by then. The log names a task or a job many times for one change: each task is
// read once, and skipped if it is charged as the tables have it.
#include <algorithm>

#include "lib/base/grow.h"
#include "lib/ledger/amounts.h"
#include "lib/ledger/ledger.h"

namespace muster {

Ledger::Ledger(const Tables& tables, Accounting accounting)
    : tables_(&tables), accounting_(accounting) {
  Start();
}

void Ledger::Restart(const Tables& tables, Accounting accounting) {
  Ledger old = std::move(*this);
  *this = Ledger();
  tables_ = &tables;
  accounting_ = accounting;
  birth_ = old.birth_ + 1;
  const auto reuse = [&](auto... columns) {
    const auto empty = [&](auto column) {
      (this->*column).swap(old.*column);
      (this->*column).clear();
    };
    (empty(columns), ...);
  };
  using L = Ledger;
  reuse(&L::rows_, &L::evictable_, &L::allocatable_, &L::jobs_, &L::groups_, &L::job_allocated_,
        &L::status_, &L::node_, &L::view_, &L::charged_job_, &L::charged_queue_, &L::charged_group_,
        &L::charged_sub_group_, &L::charged_class_, &L::charged_preemptable_, &L::charged_alive_,
        &L::log_, &L::journal_, &L::view_journal_, &L::job_journal_);
  Start();
}

void Ledger::Start() {
  dimensions_ = tables_->dimension_count();
  tail_ = kNodeAccounts * dimensions_;
  books_.Open(accounting_.books, *tables_);
  stride_ = tail_ + kTail + books_.cells();
  total_.assign(dimensions_, 0);
  total_nodes_.assign(dimensions_, 0);
  total_present_.assign(dimensions_, 0);
  synced_layout_ = tables_->layout;
  synced_log_ = tables_->log_start + tables_->log.size();
  Grow();
  const Tables& tables = *tables_;
  for (NodeIndex n = 0; n < tables.nodes.alive.size(); ++n) SyncNode(n);
  // Tasks come in gangs of equal ones: their job and queues are charged for all of them at once.
  const TaskIndex tasks = static_cast<TaskIndex>(tables.tasks.alive.size());
  for (TaskIndex t = 0; t < tasks; ++t) Enroll(t);
  for (TaskIndex t = 0, end = 0; t < tasks; t = end) {
    end = TaskIndex(t + 1);
    while (end < tasks && ChargedAlike(t, end)) ++end;
    if (!charged_alive_[t]) continue;
    const StatusRow effect = RowOf(t, status_[t]);
    for (TaskIndex member = t; member < end && node_[t] != kNone; ++member) {
      const NodeIndex node = node_[member];
      ChargeNode(t, effect, node);
      ChargeView(t, status_[t], node, +1);
    }
    if (charged_job_[t] == kNone) continue;
    const int count = static_cast<int>(end - t);
    CountStatus(t, status_[t], count);
    ChargeQueues(t, StatusRow().Plus(count, effect));
  }
  if (!books_.empty()) {
    for (TaskIndex t = 0; t < tasks; ++t) {
      if (charged_alive_[t] && books_.Concern(t, charged_class_[t])) {
        books_.Charge(tables, Booked(t), status_[t], +1);
      }
    }
    for (NodeIndex n = 0; n < tables.nodes.alive.size(); ++n) WriteCells(n);
  }
  journal_.clear();
  view_journal_.clear();
  job_journal_.clear();
}

Ledger::Ledger(const Tables& tables, Accounting accounting, const Sums& sums)
    : Ledger(tables, accounting) {
  total_ = sums.total;
  total_present_ = sums.total_present;
  const QueueTable& queues = tables.queues;
  std::vector<QueueIndex> order;  // parents before children
  for (QueueIndex q = 0; q < queues.alive.size(); ++q) {
    if (queues.alive[q] && queues.parent[q] == kNone) order.push_back(q);
  }
  for (size_t i = 0; i < order.size(); ++i) {
    const auto& children = queues.children[order[i]];
    order.insert(order.end(), children.begin(), children.end());
  }
  for (size_t i = order.size(); i-- > 0;) {
    const QueueIndex q = order[i], parent = queues.parent[q];
    const size_t cell = q * dimensions_;
    std::ranges::copy(sums.queue_allocated.row(q), queue_allocated_.begin() + cell);
    std::ranges::copy(sums.queue_pending.row(q), queue_pending_.begin() + cell);
    AddRow(&tree_allocated_[cell], queue_allocated(q), 1);
    AddRow(&tree_pending_[cell], queue_pending(q), 1);
    if (parent == kNone) continue;
    AddRow(&tree_allocated_[parent * dimensions_], tree_allocated(q), 1);
    AddRow(&tree_pending_[parent * dimensions_], tree_pending(q), 1);
  }
}

void Ledger::Grow() {
  const size_t nodes = tables_->nodes.alive.size();
  rows_.resize(nodes * stride_, 0);
  allocatable_.resize(nodes * dimensions_, kAbsent);
  evictable_.resize(nodes * dimensions_, 0);
  node_alive_.resize(nodes, 0);
  if (lists_built_) lists_.resize(nodes);

  const size_t jobs = tables_->jobs.alive.size();
  const size_t known_jobs = jobs_.size();
  jobs_.resize(jobs);
  job_allocated_.resize(jobs * dimensions_, 0);
  job_stamp_.resize(jobs, 0);
  group_start_.resize(jobs);
  group_count_.resize(jobs, 0);
  for (size_t j = known_jobs; j < jobs; ++j) {
    group_start_[j] = groups_.size();
    group_count_[j] = static_cast<uint32_t>(tables_->jobs.groups[j].size());
    groups_.resize(groups_.size() + group_count_[j]);
  }
  sub_groups_.resize(jobs);
  for (size_t j = known_jobs; j < jobs; ++j) {
    const size_t sub_groups = tables_->jobs.spec[j].sub_groups.size();
    if (sub_groups > 0) sub_groups_[j].resize(sub_groups + 1);
  }
  const size_t queues = tables_->queues.alive.size();
  queue_allocated_.resize(queues * dimensions_, 0);
  queue_pending_.resize(queues * dimensions_, 0);
  tree_allocated_.resize(queues * dimensions_, 0);
  tree_pending_.resize(queues * dimensions_, 0);
  for (size_t q = parent_.size(); q < queues; ++q) parent_.push_back(tables_->queues.parent[q]);
  queue_stamp_.resize(queues, 0);

  const size_t tasks = tables_->tasks.alive.size();
  status_.resize(tasks, TaskStatus::kUnknown);
  GrowTo(tasks, NodeIndex(kNone), node_);
  view_.resize(tasks, 0);
  GrowTo(tasks, JobIndex(kNone), charged_job_);
  GrowTo(tasks, QueueIndex(kNone), charged_queue_);
  GrowTo(tasks, GroupIndex(0), charged_group_);
  GrowTo(tasks, SubGroupIndex(kNone), charged_sub_group_);
  GrowTo(tasks, ClassIndex(0), charged_class_);
  charged_preemptable_.resize(tasks, 0);
  charged_alive_.resize(tasks, 0);
  task_sync_.resize(tasks, 0);
  books_.Grow(*tables_);
}

bool Ledger::Sync() {
  if (tables_->layout != synced_layout_ || tables_->log_start > synced_log_) return false;
  // A queue that moved in the tree takes the accounts of all its ancestors with it: rare, so all is
  // counted anew.
  for (size_t q = 0; q < parent_.size(); ++q) {
    if (parent_[q] != tables_->queues.parent[q]) return false;
  }
  Grow();
  const uint64_t end = tables_->log_start + tables_->log.size();
  if (synced_log_ != end) {
    content_ = ++clock_;
    release_ = ++clock_;
    undone_.clear();
  }
  sync_ = end;
  // Books charge tasks, and jobs count them in groups, as the tables are now.
  for (uint64_t p = synced_log_; p < end; ++p) {
    const Change& change = tables_->log[p - tables_->log_start];
    if (!books_.empty()) FollowInBooks(change);
    if (change.table == Change::Table::kJob) GrowGroups(JobIndex(change.index));
  }
  for (; synced_log_ < end; ++synced_log_) {
    const Change& change = tables_->log[synced_log_ - tables_->log_start];
    switch (change.table) {
      case Change::Table::kNode:
        SyncNode(NodeIndex(change.index));
        break;
      case Change::Table::kJob:
        SyncJob(JobIndex(change.index));
        break;
      case Change::Table::kTask:
        SyncTask(TaskIndex(change.index));
        break;
      case Change::Table::kQueue:
        ++queue_stamp_[change.index];
        break;
      case Change::Table::kDomain:
      case Change::Table::kOther:
        break;
    }
  }
  if (books_.Tidy()) {
    for (NodeIndex n = 0; n < node_alive_.size(); ++n) WriteCells(n);
    journal_.clear();
    view_journal_.clear();
    ++birth_;
  }
  return true;
}

void Ledger::FollowInBooks(const Change& change) {
  books_.Follow(*tables_, change, [&](size_t book) {
    for (TaskIndex t : tasks_on(NodeIndex(change.index))) {
      books_.Recharge(*tables_, Booked(t), status_[t], book);
    }
  });
  if (change.table == Change::Table::kNode) WriteCells(NodeIndex(change.index));
}

void Ledger::SyncNode(NodeIndex n) {
  // An absent pod capacity sets no limit: idle exceeds what tasks can request.
  constexpr int64_t kUnlimited = int64_t{1} << 61;
  const bool was_alive = node_alive_[n];
  const bool alive = tables_->nodes.alive[n];
  const auto cells = tables_->nodes.allocatable.row(n);
  int64_t* idle = &rows_[n * stride_ + kIdle * dimensions_];
  for (size_t d = 0; d < dimensions_; ++d) {
    int64_t& charged = allocatable_[n * dimensions_ + d];
    const int64_t was = charged;
    const int64_t now = alive ? cells[d] : kAbsent;
    const int64_t if_absent = d == kPods ? kUnlimited : 0;
    idle[d] = WrappingSum(idle[d], (now != kAbsent ? now
                                    : alive        ? if_absent
                                                   : 0) -
                                       (was != kAbsent ? was
                                        : was_alive    ? if_absent
                                                       : 0));
    total_[d] = WrappingSum(total_[d], OrZero(now) - OrZero(was));
    total_nodes_[d] += (now != kAbsent) - (was != kAbsent);
    total_present_[d] = total_nodes_[d] > 0;
    charged = now;
  }
  node_alive_[n] = alive;
  journal_.push_back(n);
}

void Ledger::Uncharge(TaskIndex t) {
  if (!charged_alive_[t]) return;
  Charge(t, status_[t], node_[t], view_[t], -1);
  if (lists_built_) SetNodeList(t, node_[t], kNone);
  charged_alive_[t] = 0;
}

// Counts stay as they are: tasks are counted under the place that their group had.
void Ledger::GrowGroups(JobIndex j) {
  if (!tables_->jobs.alive[j]) return;
  const uint32_t groups = static_cast<uint32_t>(tables_->jobs.groups[j].size());
  if (groups > group_count_[j]) {
    const size_t old = group_start_[j];
    group_start_[j] = groups_.size();
    groups_.resize(groups_.size() + groups);
    std::copy_n(groups_.begin() + old, group_count_[j], groups_.begin() + group_start_[j]);
    group_count_[j] = groups;
  }
  const size_t sub_groups = tables_->jobs.spec[j].sub_groups.size();
  if (sub_groups > 0 && sub_groups + 1 > sub_groups_[j].size()) {
    // While there was no sub-group, all tasks were in none.
    if (sub_groups_[j].empty()) sub_groups_[j].push_back(jobs_[j]);
    sub_groups_[j].resize(sub_groups + 1);
  }
}

void Ledger::SyncJob(JobIndex j) {
  ++job_stamp_[j];
  if (!tables_->jobs.alive[j]) return;
  // Its queue may have changed.
  for (TaskIndex t : tables_->jobs.tasks[j]) SyncTask(t);
}

void Ledger::SyncTask(TaskIndex t) {
  if (task_sync_[t] == sync_) return;  // named before, and charged as the tables are now
  task_sync_[t] = sync_;
  if (IsCharged(t)) {
    // No account has what changed. The journal reports it to readers of more than accounts.
    if (charged_job_[t] != kNone) ChargeQueues(t, StatusRow());
    if (!view_[t]) return;
    for (const int8_t sign : {int8_t{-1}, int8_t{1}}) {
      view_journal_.push_back({t, node_[t], sign, status_[t]});
    }
    return;
  }
  Uncharge(t);
  Enroll(t);
  if (!charged_alive_[t]) return;
  Charge(t, status_[t], node_[t], view_[t], +1);
  if (lists_built_) SetNodeList(t, kNone, node_[t]);
}

void Ledger::Enroll(TaskIndex t) {
  const auto& tasks = tables_->tasks;
  status_[t] = TaskStatus::kUnknown;
  node_[t] = kNone;
  view_[t] = 0;
  charged_alive_[t] = tasks.alive[t];
  if (!tasks.alive[t]) return;
  charged_job_[t] = tasks.job[t];
  charged_queue_[t] = tasks.job[t] == kNone ? kNone : tables_->jobs.queue[tasks.job[t]];
  charged_group_[t] = tasks.group[t];
  charged_sub_group_[t] = tasks.sub_group[t];
  charged_class_[t] = tasks.task_class[t];
  charged_preemptable_[t] = (tasks.flags[t] & kTaskPreemptable) != 0;
  status_[t] = tasks.status[t];
  node_[t] = HoldsNode(status_[t]) ? tasks.node[t] : kNone;
  view_[t] = node_[t] != kNone;
  if (books_.IsRead(charged_class_[t], tasks.devices[t])) {
    books_.Read(*tables_, Booked(t));
  } else {
    books_.Forget(t);
  }
}

// Returns whether the task is charged as the tables have it. With books it returns false: a book
// may charge the task for more than is compared here.
bool Ledger::IsCharged(TaskIndex t) const {
  const TaskTable& tasks = tables_->tasks;
  if (!books_.empty() || !charged_alive_[t] || !tasks.alive[t]) return false;
  const TaskStatus status = tasks.status[t];
  const NodeIndex node = HoldsNode(status) ? tasks.node[t] : kNone;
  const JobIndex job = tasks.job[t];
  return status_[t] == status && node_[t] == node &&
         static_cast<bool>(view_[t]) == (node != kNone) && charged_job_[t] == job &&
         charged_queue_[t] == (job == kNone ? kNone : tables_->jobs.queue[job]) &&
         charged_group_[t] == tasks.group[t] && charged_sub_group_[t] == tasks.sub_group[t] &&
         charged_class_[t] == tasks.task_class[t] &&
         static_cast<bool>(charged_preemptable_[t]) == ((tasks.flags[t] & kTaskPreemptable) != 0);
}

// Returns whether both tasks charge all accounts equally, each those of its own node.
bool Ledger::ChargedAlike(TaskIndex a, TaskIndex b) const {
  return charged_alive_[a] && charged_alive_[b] && (node_[a] == kNone) == (node_[b] == kNone) &&
         status_[a] == status_[b] && charged_job_[a] == charged_job_[b] &&
         charged_group_[a] == charged_group_[b] && charged_class_[a] == charged_class_[b] &&
         charged_sub_group_[a] == charged_sub_group_[b] &&
         charged_preemptable_[a] == charged_preemptable_[b];
}

}  // namespace muster
