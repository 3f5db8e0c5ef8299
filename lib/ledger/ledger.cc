// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/ledger/ledger.h"

#include <algorithm>

namespace muster {
namespace {

constexpr uint32_t kChoose = kNone;  // a list of grants that is still to be chosen

// Amounts are at most 2^53 each, so it takes a thousand of the largest in one account to pass int64; then the
// account wraps, to be taken back exactly all the same.
int64_t Sum(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}

void Add(int times, int64_t amount, int64_t* cell) {
  const auto product = static_cast<uint64_t>(int64_t{times}) * static_cast<uint64_t>(amount);
  *cell = Sum(*cell, static_cast<int64_t>(product));
}

void AddRow(int64_t* cells, std::span<const int64_t> row, int times) {
  for (size_t d = 0; d < row.size(); ++d) Add(times, row[d], &cells[d]);
}

bool MayBeEvicted(TaskStatus status) {
  return status == TaskStatus::kRunning || status == TaskStatus::kBound;
}

}  // namespace

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
  stride_ = tail_ + 3;
  if (accounting_.devices) {
    devices_.emplace(*accounting_.devices);
    ++stride_;
  }
  total_.assign(dimensions_, 0);
  total_nodes_.assign(dimensions_, 0);
  total_present_.assign(dimensions_, 0);
  synced_layout_ = tables_->layout;
  synced_log_ = tables_->log_start + tables_->log.size();
  Grow();
  const Tables& tables = *tables_;
  for (NodeIndex n = 0; n < tables.nodes.alive.size(); ++n) {
    SyncDevices(n);
    SyncNode(n);
  }
  // Tasks come in gangs of equal ones, which job and queues are charged for at once.
  const TaskIndex tasks = static_cast<TaskIndex>(tables.tasks.alive.size());
  for (TaskIndex t = 0; t < tasks; ++t) Enroll(t);
  for (TaskIndex t = 0, end = 0; t < tasks; t = end) {
    end = t + 1;
    while (end < tasks && ChargedAlike(t, end)) ++end;
    if (!charged_alive_[t]) continue;
    const Effect effect = EffectOf(t, status_[t]);
    for (TaskIndex member = t; member < end && node_[t] != kNone; ++member) {
      const NodeIndex node = node_[member];
      if (devices_) ChargeDevices(member, status_[t], node, +1);
      ChargeNode(t, effect, node);
      ChargeView(t, status_[t], node, +1);
    }
    if (charged_job_[t] == kNone) continue;
    const int count = static_cast<int>(end - t);
    CountStatus(t, status_[t], count);
    ChargeQueues(t, Effect().Plus(count, effect));
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
  node_.resize(tasks, kNone);
  view_.resize(tasks, 0);
  charged_job_.resize(tasks, kNone);
  charged_queue_.resize(tasks, kNone);
  charged_group_.resize(tasks, 0);
  charged_sub_group_.resize(tasks, kNone);
  charged_class_.resize(tasks, 0);
  charged_preemptable_.resize(tasks, 0);
  charged_alive_.resize(tasks, 0);
  if (devices_) {
    grants_.resize(tasks, 0);
    charged_holds_.resize(tasks, 0);
  }
}

bool Ledger::Sync() {
  if (tables_->layout != synced_layout_ || tables_->log_start > synced_log_) return false;
  // A queue that moved in the tree takes the accounts of all its ancestors with it: rare, so all is counted anew.
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
  // Tasks hold devices of nodes as these are now.
  for (uint64_t p = synced_log_; devices_ && p < end; ++p) {
    const Change& change = tables_->log[p - tables_->log_start];
    if (change.table == Change::Table::kNode) SyncDevices(change.index);
  }
  for (; synced_log_ < end; ++synced_log_) {
    const Change& change = tables_->log[synced_log_ - tables_->log_start];
    switch (change.table) {
      case Change::Table::kNode:
        SyncNode(change.index);
        break;
      case Change::Table::kJob:
        SyncJob(change.index);
        break;
      case Change::Table::kTask:
        SyncTask(change.index);
        break;
      case Change::Table::kQueue:
        ++queue_stamp_[change.index];
        break;
      case Change::Table::kDomain:
      case Change::Table::kOther:
        break;
    }
  }
  ShrinkDevices();
  return true;
}

void Ledger::SyncDevices(NodeIndex n) {
  if (!devices_) return;
  const NodeSpec& spec = tables_->nodes.spec[n];
  const uint32_t fresh = tables_->nodes.alive[n] ? devices_->Fresh(spec) : 0;
  int64_t& book = rows_[n * stride_ + tail_ + 3];
  const auto old = static_cast<uint32_t>(book);
  if (devices_->SameMachine(old, fresh)) return;
  book = fresh;
  journal_.push_back(n);
  if (old == 0) return;  // nobody holds any of no devices
  for (TaskIndex t : tasks_on(n)) {
    grants_[t] = devices_->Held(spec, tables_->hold_lists[charged_holds_[t]]);
    ChargeDevices(t, status_[t], n, +1);
  }
}

// Books that no node has any more are forgotten between cycles, once they are many.
void Ledger::ShrinkDevices() {
  constexpr size_t kFew = 65536;
  const size_t nodes = node_alive_.size();
  if (!devices_ || devices_->size() <= kFew + 4 * nodes) return;
  std::vector<int64_t*> kept;
  for (NodeIndex n = 0; n < nodes; ++n) kept.push_back(&rows_[n * stride_ + tail_ + 3]);
  devices_->Restart(kept);
  journal_.clear();
  view_journal_.clear();
  ++birth_;
}

void Ledger::ChargeDevices(TaskIndex t, TaskStatus status, NodeIndex node, int sign) {
  if (grants_[t] == 0) return;
  int64_t& book = rows_[node * stride_ + tail_ + 3];
  book = devices_->With(static_cast<uint32_t>(book), grants_[t],
                        status == TaskStatus::kNominated ? 0 : -sign,
                        status == TaskStatus::kReleasing ? 0 : -sign);
}

// kChoose: they are chosen once what it holds is given back.
uint32_t Ledger::GrantsAfter(TaskIndex t, TaskStatus to, NodeIndex node) const {
  if (!devices_ || node == kNone) return 0;
  const bool asks = !tables_->classes.shape[charged_class_[t]].devices.empty();
  const bool arrives = to == TaskStatus::kPlaced || to == TaskStatus::kNominated;
  // What a nominated task was to get may not be free yet.
  const bool starts = status_[t] == TaskStatus::kNominated && to == TaskStatus::kPlaced;
  if (node == node_[t] && !(starts && asks)) return grants_[t];
  return arrives && asks ? kChoose : 0;
}

void Ledger::SyncNode(NodeIndex n) {
  // An absent pod capacity sets no limit: idle counts as more than anybody can ask for.
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
    idle[d] = Sum(idle[d], (now != kAbsent ? now
                            : alive        ? if_absent
                                           : 0) -
                               (was != kAbsent ? was
                                : was_alive    ? if_absent
                                               : 0));
    total_[d] = Sum(total_[d], OrZero(now) - OrZero(was));
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

void Ledger::SyncJob(JobIndex j) {
  ++job_stamp_[j];
  if (!tables_->jobs.alive[j]) return;
  const uint32_t groups = static_cast<uint32_t>(tables_->jobs.groups[j].size());
  const size_t sub_groups = tables_->jobs.spec[j].sub_groups.size();
  const bool more_groups = groups > group_count_[j];
  const bool more_sub_groups = sub_groups > 0 && sub_groups + 1 > sub_groups_[j].size();
  if (more_groups || more_sub_groups) {
    for (TaskIndex t : tables_->jobs.tasks[j]) Uncharge(t);
  }
  if (more_groups) {
    // What is left in the counts belongs to tasks that are gone: their turn comes later in the change log.
    const size_t old = group_start_[j];
    group_start_[j] = groups_.size();
    groups_.resize(groups_.size() + groups);
    std::copy_n(groups_.begin() + old, group_count_[j], groups_.begin() + group_start_[j]);
    group_count_[j] = groups;
  }
  if (more_sub_groups) {
    // As with groups; while there was no sub-group, the tasks that are left were in none.
    if (sub_groups_[j].empty()) sub_groups_[j].push_back(jobs_[j]);
    sub_groups_[j].resize(sub_groups + 1);
  }
  // Its queue may have changed, or where its groups stand.
  for (TaskIndex t : tables_->jobs.tasks[j]) SyncTask(t);
}

void Ledger::SyncTask(TaskIndex t) {
  if (IsCharged(t)) {
    // What changed of it is in no account, or is in all of them by an earlier entry of the log. Who looks at more than
    // accounts is told.
    if (charged_job_[t] != kNone) ChargeQueues(t, Effect());
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
  if (devices_) grants_[t] = charged_holds_[t] = 0;
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
  if (devices_ && node_[t] != kNone && tasks.devices[t] != 0) {
    charged_holds_[t] = tasks.devices[t];
    grants_[t] =
        devices_->Held(tables_->nodes.spec[node_[t]], tables_->hold_lists[charged_holds_[t]]);
  }
}

// Whether the task is charged as the tables have it. Where devices are given out nobody says so: what it holds of them may
// be counted otherwise since its node changed.
bool Ledger::IsCharged(TaskIndex t) const {
  const TaskTable& tasks = tables_->tasks;
  if (devices_ || !charged_alive_[t] || !tasks.alive[t]) return false;
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

// Whether all accounts would move by the same, each its own node's.
bool Ledger::ChargedAlike(TaskIndex a, TaskIndex b) const {
  return charged_alive_[a] && charged_alive_[b] && (node_[a] == kNone) == (node_[b] == kNone) &&
         status_[a] == status_[b] && charged_job_[a] == charged_job_[b] &&
         charged_group_[a] == charged_group_[b] && charged_class_[a] == charged_class_[b] &&
         charged_sub_group_[a] == charged_sub_group_[b] &&
         charged_preemptable_[a] == charged_preemptable_[b];
}

Ledger::Effect Ledger::EffectOf(TaskIndex t, TaskStatus status) const {
  Effect effect;
  effect.allocated = IsAllocated(status) || status == TaskStatus::kNominated;
  effect.pending = status == TaskStatus::kPending;
  if (status == TaskStatus::kNominated) {
    if (accounting_.nominated_takes_releasing) {
      effect.releasing = -1;
      effect.used = 1;
    } else {
      effect.pipelined = 1;
    }
  } else if (HoldsNode(status)) {
    effect.evictable = MayBeEvicted(status) && charged_preemptable_[t];
    effect.releasing = status == TaskStatus::kReleasing;
    effect.idle = -1;
    effect.used = 1;
  }
  return effect;
}

void Ledger::ChargeNode(TaskIndex t, const Effect& effect, NodeIndex node) {
  const auto request = tables_->classes.request.row(charged_class_[t]);
  int64_t* row = &rows_[node * stride_];
  int64_t* evictable = &evictable_[node * dimensions_];
  for (size_t d = 0; d < dimensions_; ++d) {
    const int64_t amount = request[d];
    Add(effect.idle, amount, &row[kIdle * dimensions_ + d]);
    Add(effect.releasing, amount, &row[kReleasing * dimensions_ + d]);
    Add(effect.pipelined, amount, &row[kPipelined * dimensions_ + d]);
    Add(effect.used, amount, &row[kUsed * dimensions_ + d]);
    Add(effect.evictable, amount, &evictable[d]);
  }
  journal_.push_back(node);
}

void Ledger::ChargeView(TaskIndex t, TaskStatus status, NodeIndex node, int sign) {
  const ClassIndex c = charged_class_[t];
  const ClassTable& classes = tables_->classes;
  int64_t* row = &rows_[node * stride_];
  AddRow(row + kRequested * dimensions_, classes.request.row(c), sign);
  const bool main = accounting_.score_main_containers;
  row[tail_] += sign * (main ? classes.scoring_cpu_main[c] : classes.scoring_cpu[c]);
  row[tail_ + 1] += sign * (main ? classes.scoring_memory_main[c] : classes.scoring_memory[c]);
  row[tail_ + 2] += sign;
  view_journal_.push_back({t, node, static_cast<int8_t>(sign), status});
}

JobCounts* Ledger::SubGroupOf(TaskIndex t) {
  std::vector<JobCounts>& counts = sub_groups_[charged_job_[t]];
  return counts.empty() ? nullptr : &counts[charged_sub_group_[t] + 1];
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

void Ledger::ChargeQueues(TaskIndex t, const Effect& effect) {
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

// `times` tasks like this one; below 0: no longer.
void Ledger::Charge(TaskIndex t, TaskStatus status, NodeIndex node, bool view, int times) {
  const Effect effect = Effect().Plus(times, EffectOf(t, status));
  if (node != kNone) {
    if (devices_) ChargeDevices(t, status, node, times);
    ChargeNode(t, effect, node);
    if (view) ChargeView(t, status, node, times);
  }
  if (charged_job_[t] == kNone) return;
  CountStatus(t, status, times);
  ChargeQueues(t, effect);
}

void Ledger::Apply(TaskIndex t, TaskStatus to, NodeIndex node, bool view, uint32_t grants) {
  const TaskStatus from = status_[t];
  const NodeIndex old = node_[t];
  const bool has_job = charged_job_[t] != kNone;
  if (has_job) {
    CountStatus(t, from, -1);
    CountStatus(t, to, +1);
  }
  status_[t] = to;
  // Placed -> binding and the like: no account of node or queue changes, only the job counts.
  if (node == old && view == static_cast<bool>(view_[t]) && IsAllocated(to) && IsAllocated(from) &&
      MayBeEvicted(to) == MayBeEvicted(from)) {
    if (has_job) ++job_stamp_[charged_job_[t]];
    return;
  }
  const Effect before = EffectOf(t, from), after = EffectOf(t, to), change = after.Plus(-1, before);
  if (node == old) {
    if (node != kNone) ChargeNode(t, change, node);
  } else {
    if (old != kNone) ChargeNode(t, Effect().Plus(-1, before), old);
    if (node != kNone) ChargeNode(t, after, node);
  }
  if (devices_ && old != kNone) ChargeDevices(t, from, old, -1);
  if (old != kNone && view_[t]) ChargeView(t, from, old, -1);
  if (node != kNone && view) ChargeView(t, to, node, +1);
  if (lists_built_ && node != old) SetNodeList(t, old, node);
  node_[t] = node;
  view_[t] = view;
  if (devices_) {
    grants_[t] = grants != kChoose
                     ? grants
                     : devices_->Choose(*tables_, charged_class_[t], device_book(node),
                                        to == TaskStatus::kNominated);
    if (node != kNone) ChargeDevices(t, to, node, +1);
  }
  if (has_job) ChargeQueues(t, change);
}

void Ledger::Move(TaskIndex task, TaskStatus to, NodeIndex node) {
  const bool stays_in_view = to != TaskStatus::kReleasing || accounting_.evicted_stay_in_view;
  // Out of the view stays out of it: an eviction that was undone, and is done again.
  const bool was_in_view = node_[task] == kNone || view_[task];
  Log(task, to, node, node != kNone && stays_in_view && was_in_view);
}

void Ledger::Log(TaskIndex task, TaskStatus to, NodeIndex node, bool view) {
  const TaskStatus from = status_[task];
  const bool was_in_view = view_[task];
  log_.push_back({task, node_[task], node, from, to, was_in_view, view});
  if (devices_) log_grants_.push_back(grants_[task]);
  Apply(task, to, node, view, GrantsAfter(task, to, node));
  content_ = ++clock_;
  const bool placement =
      from == TaskStatus::kPending && (to == TaskStatus::kPlaced || to == TaskStatus::kNominated);
  const bool same_accounts = IsAllocated(from) && IsAllocated(to) && view == was_in_view;
  if (!placement && !same_accounts) release_ = ++clock_;
}

void Ledger::Restore(const Savepoint& savepoint) {
  while (log_.size() > savepoint.position) {
    const Entry entry = log_.back();
    log_.pop_back();
    uint32_t grants = 0;
    if (devices_) {
      grants = log_grants_.back();
      log_grants_.pop_back();
    }
    Apply(entry.task, entry.from, entry.from_node, entry.from_view, grants);
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
  // Every later content grew out of `moment` unless a rollback went back behind it.
  auto it =
      std::lower_bound(undone_.begin(), undone_.end(), moment.content,
                       [](const auto& range, uint64_t content) { return range.second < content; });
  return it == undone_.end() || moment.content <= it->first;
}

int64_t Ledger::future_idle(NodeIndex n, DimensionIndex d) const {
  const int64_t* row = &rows_[n * stride_];
  return Sum(Sum(row[kIdle * dimensions_ + d], row[kReleasing * dimensions_ + d]),
             -row[kPipelined * dimensions_ + d]);
}

std::span<const TaskIndex> Ledger::tasks_on(NodeIndex n) {
  if (!lists_built_) {
    lists_built_ = true;
    lists_.assign(tables_->nodes.alive.size(), {});
    for (TaskIndex t = 0; t < node_.size(); ++t) {
      if (node_[t] != kNone) lists_[node_[t]].push_back(t);
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
