// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// How a world follows the change log (read_world.h).
//
// Idea. What a partition holds is a sum over applications: amounts, places, uses, priorities. So an
// application can be taken out and read anew (Partition::Withdraw), and the world is the one that a
// new reading gives. Names and not numbers break ties, so it does not matter that the new one has
// another number. Foreign pods have no such order: a world with some that came after applications
// is not followed. What a cycle leaves beside its decisions is in the memory, or counted anew.
#include <algorithm>
#include <utility>

#include "lib/peer/yunikorn/read_world.h"

namespace muster::yunikorn {
namespace {

// Sums beyond may have been cut, and then taking away is not the reverse of adding.
constexpr Quantity kMostSum = Quantity{1} << 61;

bool IsExact(const Resource& sum) {
  for (const int type : sum.types()) {
    if (sum.Get(type) > kMostSum) return false;
  }
  return true;
}

}  // namespace

bool World::CanBeFollowed() const {
  return !partition.queues.empty() && tables_->dimension_count() == dimensions_ && gangs.empty() &&
         rejected.empty() && !has_leftovers_ && !partition.quota_preemption &&
         IsExact(partition.queues[0].pending) && IsExact(partition.queues[0].allocated);
}

bool World::Follow(const Tables& tables, std::span<const Change> changes, int64_t now,
                   const MemorySlot& memory) {
  tables_ = &tables;
  now_ = now;
  partition.now = NanosOf(now);
  ListRows();
  requests_.clear();
  if (!ListAffected(changes)) return false;
  if (!affected_.empty() || left_ != memory) left_at_.reset();
  // Taking out costs as much as reading, so of most tasks a new world is read sooner.
  size_t tasks = 0;
  for (const JobIndex job : affected_) tasks += tables.jobs.tasks[job].size();
  if (tasks > tables.tasks.alive.size() / 3 + 16) return false;
  bool reserved = false;
  for (const JobIndex job : affected_) {
    const Index application = application_of_[job];
    if (application == kNone) continue;
    reserved |= !partition.applications[application].reservations.empty();
    partition.Withdraw(std::exchange(application_of_[job], kNone));
  }
  for (const JobIndex job : affected_) {
    if (!ReadAnew(job, memory)) return false;
  }
  partition.Recount();
  if (left_ != memory) {
    RecallAnew(memory);
  } else if (reserved) {
    RestoreReservations(memory);
  }
  return CanBeFollowed();
}

// Returns false if something changed that is not followed.
bool World::ListAffected(std::span<const Change> changes) {
  affected_ = std::exchange(decided_, {});
  bool queues_changed = false;
  for (const Change& change : changes) {
    if (change.table == Change::Table::kJob) {
      affected_.push_back(JobIndex(change.index));
    } else if (change.table == Change::Table::kTask) {
      const TaskIndex task(change.index);
      if (foreign_.contains(task) || IsForeign(task)) return false;
      affected_.push_back(std::exchange(job_of_[task], muster::kNone));
      if (tables_->tasks.alive[task]) affected_.push_back(tables_->tasks.job[task]);
    } else if (change.table == Change::Table::kQueue) {
      queues_changed = true;  // with each job that is added, erased or moved
    } else {
      return false;
    }
  }
  if (queues_changed && queue_rows_ != ReadQueueRows()) return false;
  std::ranges::sort(affected_);
  affected_.erase(std::unique(affected_.begin(), affected_.end()), affected_.end());
  if (!affected_.empty() && affected_.back() == muster::kNone) affected_.pop_back();
  return true;
}

// Reads a job that has been taken out. Returns false if it may be followed no more.
bool World::ReadAnew(JobIndex job, const MemorySlot& memory) {
  if (!tables_->jobs.alive[job]) return true;
  const TaskTable& tasks = tables_->tasks;
  for (const TaskIndex task : tables_->jobs.tasks[job]) {
    if (IsForeign(task) || tasks.status[task] == TaskStatus::kWaiting) return false;
  }
  AddJob(job, memory);
  if (application_of_[job] == kNone) return true;
  if (memory.rows().empty()) return true;
  RecallBackoff(tables_->jobs.spec[job].name, memory);
  for (const TaskIndex task : tables_->jobs.tasks[job]) RecallPod("ask", task, memory);
  return true;
}

// The memory is another than the one that the last cycle left: its plan was not carried out.
void World::RecallAnew(const MemorySlot& memory) {
  for (Application& app : partition.applications) {
    app.backoff_deadline = kNever;
    for (size_t i = app.first_open; i < app.sorted_requests.size(); ++i) {
      Allocation& ask = partition.allocations[app.sorted_requests[i]];
      ask.preempt_check_time = kNever;
      ask.preemption_triggered = false;
    }
  }
  partition.EndReservations();
  Recall(memory);
}

// In the order of a new reading, as one reservation may be in the way of another.
void World::RestoreReservations(const MemorySlot& memory) {
  constexpr std::string_view kReserved = "reserved/";
  partition.EndReservations();
  for (const auto& [key, row] : memory.rows()) {
    if (!key.starts_with(kReserved)) continue;
    const TaskIndex task = TaskOf(std::string_view(key).substr(kReserved.size()));
    if (task != muster::kNone && tables_->has_job(task)) RecallPod("reserved", task, memory);
  }
}

}  // namespace muster::yunikorn
