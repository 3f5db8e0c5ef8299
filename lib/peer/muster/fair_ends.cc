// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/muster/fair_ends.h"

#include <algorithm>
#include <utility>

#include "lib/base/math.h"

namespace muster {

const Lifetime* LifetimeOf(const Tables& tables, TaskIndex task) {
  if (!tables.tasks.facts.empty()) {
    const auto facts = tables.tasks.facts.find(task);
    if (facts != tables.tasks.facts.end() && facts->second.lifetime) {
      return &*facts->second.lifetime;
    }
  }
  const JobIndex job = tables.tasks.job[task];
  if (job == kNone || !tables.jobs.spec[job].lifetime) return nullptr;
  return &*tables.jobs.spec[job].lifetime;
}

namespace {

// Returns the same by the lifetime that counts. Both may be null.
int64_t RunBy(const JobSpec* job, const Lifetime* lifetime) {
  int64_t run = kAbsent;
  if (job != nullptr && job->estimate) run = *job->estimate;
  if (lifetime != nullptr && lifetime->max_runtime) {
    run = run == kAbsent ? *lifetime->max_runtime : std::min(run, *lifetime->max_runtime);
  }
  return run;
}

// Lists the tasks that have an estimate or a lifetime, of their own or of their job. Most jobs have
// none, and their tasks mostly follow each other.
std::vector<TaskIndex> TasksWithEnds(const Tables& tables) {
  const TaskTable& tasks = tables.tasks;
  std::vector<TaskIndex> with_ends;
  JobIndex last = kNone;
  bool has_end = false;  // of the last job
  for (TaskIndex t = 0; t < tasks.alive.size(); ++t) {
    const JobIndex job = tasks.job[t];
    if (job != last) {
      has_end = job != kNone && (tables.jobs.spec[job].estimate || tables.jobs.spec[job].lifetime);
      last = job;
    }
    if (has_end || (!tasks.facts.empty() && tasks.facts.contains(t))) with_ends.push_back(t);
  }
  return with_ends;
}

}  // namespace

int64_t RunOf(const JobSpec& job) { return RunBy(&job, job.lifetime ? &*job.lifetime : nullptr); }

int64_t FairEnds::Of(const ActionContext& context, TaskIndex task) {
  const int64_t now = context.facts.now;
  return std::max(TimeOf(context, task, now), SatAdd(now, 1));
}

int64_t FairEnds::TimeOf(const ActionContext& context, TaskIndex task, int64_t start) {
  const Tables& tables = context.tables;
  const JobIndex job = tables.tasks.job[task];
  const Lifetime* lifetime = LifetimeOf(tables, task);
  if (lifetime != nullptr && lifetime->expected_end) return *lifetime->expected_end;
  const int64_t run = RunBy(job == kNone ? nullptr : &tables.jobs.spec[job], lifetime);
  if (run == kAbsent) return kUnknown;
  const int64_t started = tables.tasks.started[task];
  return SatAdd(started == kAbsent ? start : started, run);
}

// Brings the ends up to date with the tables: the books as the cycle opened.
void FairEnds::Follow(const ActionContext& context) {
  const Ledger& ledger = context.ledger;
  const auto tasks = static_cast<TaskIndex>(context.tables.tasks.alive.size());
  const auto journal = ledger.view_journal();
  const bool known = std::exchange(birth_, 0) == ledger.birth();
  const size_t from = std::exchange(position_, journal.size());
  std::vector<TaskIndex> changed;
  if (known) {
    for (const Ledger::ViewChange& change : journal.subspan(from)) changed.push_back(change.task);
    std::sort(changed.begin(), changed.end());
    changed.erase(std::unique(changed.begin(), changed.end()), changed.end());
  } else {
    ends_.clear();
    unstarted_.clear();
    listed_.clear();
    changed = TasksWithEnds(context.tables);
  }
  listed_.resize(tasks, 0);
  bool any = false;
  for (const TaskIndex task : changed) any |= std::exchange(listed_[task], 0) != 0;
  if (any) {
    const auto has_changed = [this](const End& end) { return listed_[end.second] == 0; };
    std::erase_if(ends_, has_changed);
    std::erase_if(unstarted_, has_changed);
  }
  const auto stayed = static_cast<std::ptrdiff_t>(ends_.size());
  for (const TaskIndex task : changed) Add(context, task);
  std::sort(ends_.begin() + stayed, ends_.end());
  std::inplace_merge(ends_.begin(), ends_.begin() + stayed, ends_.end());
  birth_ = ledger.birth();
}

void FairEnds::Add(const ActionContext& context, TaskIndex task) {
  const TaskTable& tasks = context.tables.tasks;
  if (!tasks.alive[task] || !IsAllocated(tasks.status[task])) return;
  const int64_t time = TimeOf(context, task, 0);
  if (time == kUnknown) return;
  const Lifetime* lifetime = LifetimeOf(context.tables, task);
  const bool stays = tasks.started[task] != kAbsent || (lifetime && lifetime->expected_end);
  (stays ? ends_ : unstarted_).emplace_back(time, task);
  listed_[task] = 1;
}

std::span<const FairEnds::End> FairEnds::Known(const ActionContext& context) {
  const Ledger& ledger = context.ledger;
  Follow(context);
  std::vector<TaskIndex> moved;
  for (const Ledger::Entry& entry : ledger.log()) moved.push_back(entry.task);
  std::sort(moved.begin(), moved.end());
  moved.erase(std::unique(moved.begin(), moved.end()), moved.end());
  const auto has_moved = [&](TaskIndex task) {
    return !moved.empty() && std::binary_search(moved.begin(), moved.end(), task);
  };
  const int64_t soonest = SatAdd(context.facts.now, 1);
  // Most often the cycle has moved nothing yet and no end has passed: then the ends are the list.
  const bool all_to_come = ends_.empty() || ends_.front().first >= soonest;
  if (moved.empty() && unstarted_.empty() && all_to_come) return ends_;
  list_.clear();
  size_t in_order = 0;  // of the list: those that should have ended by now go by their numbers
  for (const auto& [time, task] : ends_) {
    if (has_moved(task)) continue;
    list_.emplace_back(std::max(time, soonest), task);
    if (time <= soonest) in_order = list_.size();
  }
  std::sort(list_.begin(), list_.begin() + static_cast<std::ptrdiff_t>(in_order));
  const auto stayed = static_cast<std::ptrdiff_t>(list_.size());
  const auto add = [&](TaskIndex task) {
    const int64_t end = Of(context, task);
    if (end != kUnknown) list_.emplace_back(end, task);
  };
  for (const auto& [time, task] : unstarted_) {
    if (!has_moved(task)) add(task);
  }
  for (const TaskIndex task : moved) {
    if (IsAllocated(ledger.status(task))) add(task);
  }
  std::sort(list_.begin() + stayed, list_.end());
  std::inplace_merge(list_.begin(), list_.begin() + stayed, list_.end());
  return list_;
}

std::vector<FairEnds::End> FairEnds::Unknown(const ActionContext& context) {
  const TaskTable& tasks = context.tables.tasks;
  std::vector<End> ends;
  for (TaskIndex t = 0; t < tasks.alive.size(); ++t) {
    if (!tasks.alive[t] || !IsAllocated(context.ledger.status(t))) continue;
    if (Of(context, t) == kUnknown) ends.emplace_back(kUnknown, t);
  }
  return ends;
}

}  // namespace muster
