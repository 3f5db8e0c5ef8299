// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/armada/gang_parts.h"

#include <algorithm>
#include <cstdint>

namespace muster::armada {
namespace {

// How many tasks a job lacks, as a whole and by group.
class Lack {
 public:
  Lack(const muster::Tables& tables, JobIndex job)
      : tables_(tables), left_(tables.jobs.spec[job].min_available) {
    for (const GroupRow& group : tables.jobs.groups[job]) {
      of_group_.push_back(std::max<int64_t>(OrZero(group.min_available), 0));
    }
  }

  bool IsGang() const {
    return left_ > 1 || std::ranges::any_of(of_group_, [](int64_t count) { return count > 1; });
  }
  bool Any() const {
    return left_ > 0 || std::ranges::any_of(of_group_, [](int64_t count) { return count > 0; });
  }

  void Count(const TaskList& tasks) {
    for (const TaskIndex task : tasks) Count(task);
  }

  // Moves the tasks that are lacking to `chosen`, in their order, and the others to `rest`.
  void Choose(const TaskList& tasks, TaskList* chosen, TaskList* rest) {
    std::vector<bool> taken(tasks.size());
    for (size_t i = 0; i < tasks.size(); ++i) {
      if (of_group_[tables_.tasks.group[tasks[i]]] <= 0) continue;
      taken[i] = true;
      Count(tasks[i]);
    }
    for (size_t i = 0; i < tasks.size(); ++i) {
      if (!taken[i] && left_ > 0) {
        taken[i] = true;
        Count(tasks[i]);
      }
      (taken[i] ? chosen : rest)->push_back(tasks[i]);
    }
  }

 private:
  void Count(TaskIndex task) {
    --left_;
    --of_group_[tables_.tasks.group[task]];
  }

  const muster::Tables& tables_;
  int64_t left_;
  std::vector<int64_t> of_group_;
};

}  // namespace

bool MayBeGang(const muster::Tables& tables, JobIndex job) {
  if (tables.jobs.spec[job].min_available > 1) return true;
  return std::ranges::any_of(tables.jobs.groups[job], [](const GroupRow& group) {
    return group.min_available != kAbsent && group.min_available > 1;
  });
}

GangParts DivideGang(const muster::Tables& tables, JobIndex job, const TaskList& running,
                     const TaskList& queued, const TaskList& succeeded) {
  GangParts parts;
  const Lack whole(tables, job);
  if (!whole.IsGang()) {
    parts.running_alone = running;
    parts.queued_alone = queued;
    return parts;
  }
  Lack of_running = whole;
  of_running.Count(succeeded);
  of_running.Choose(running, &parts.running, &parts.running_alone);
  Lack now = whole;
  now.Count(succeeded);
  now.Count(running);
  if (!now.Any()) {
    parts.queued_alone = queued;
    return parts;
  }
  TaskList later;
  now.Choose(queued, &parts.queued, &later);
  if (now.Any()) {
    parts.queued.clear();
    parts.incomplete = queued;
  }
  return parts;
}

}  // namespace muster::armada
