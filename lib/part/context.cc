// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/part/context.h"

#include <algorithm>
#include <utility>

#include "lib/base/go_heap.h"
#include "lib/base/go_sort.h"
#include "lib/part/elastic.h"

namespace muster {

std::vector<TaskIndex> ActionContext::PendingTasks(JobIndex job, bool with_best_effort) const {
  std::vector<TaskIndex> pending = AllPendingTasks(job, with_best_effort);
  if (facts.grows && IsElastic(*this, job)) return GangLacks(*this, job, std::move(pending));
  return pending;
}

std::vector<TaskIndex> ActionContext::AllPendingTasks(JobIndex job, bool with_best_effort) const {
  return InTaskOrder(ListPending(job, with_best_effort));
}

std::vector<TaskIndex> ActionContext::PendingSet(JobIndex job, bool with_best_effort) const {
  // Which tasks an elastic gang lacks follows from their order.
  if (facts.grows && IsElastic(*this, job)) return PendingTasks(job, with_best_effort);
  return ListPending(job, with_best_effort);
}

std::vector<TaskIndex> ActionContext::ListPending(JobIndex job, bool with_best_effort) const {
  // The peers look at what a task holds here, and not at what it needs to start.
  const auto requests_nothing = [&](TaskIndex t) {
    if (!tables.classes.shape[ClassOf(t)].devices.empty()) return false;
    const auto request = ledger.request(t);
    for (DimensionIndex d = 0; d < request.size(); ++d) {
      if (d != kPods && request[d] > 0) return false;
    }
    return true;
  };
  std::vector<TaskIndex> pending;
  pending.reserve(static_cast<size_t>(ledger.job(job).pending()));
  for (TaskIndex t : tables.jobs.tasks[job]) {
    if (ledger.status(t) == TaskStatus::kPending && !IsGated(t) &&
        (with_best_effort || !requests_nothing(t))) {
      pending.push_back(t);
    }
  }
  return pending;
}

std::vector<TaskIndex> ActionContext::InTaskOrder(std::vector<TaskIndex> tasks) const {
  const auto before = [this](TaskIndex a, TaskIndex b) { return dispatcher.TaskBefore(a, b); };
  // Tasks with and without an ordinal do not compare transitively; then the peer's heap decides.
  const auto& ordinal = tables.tasks.ordinal;
  const size_t numbered =
      std::count_if(tasks.begin(), tasks.end(), [&](TaskIndex t) { return ordinal[t] != kAbsent; });
  if (numbered == 0 || numbered == tasks.size()) {
    if (!std::is_sorted(tasks.begin(), tasks.end(), before)) {
      GoSort(tasks, before);
    }
    return tasks;
  }
  GoHeap<TaskIndex, decltype(before)> heap(before);
  for (TaskIndex t : tasks) heap.Push(t);
  for (TaskIndex& t : tasks) t = heap.Pop();
  return tasks;
}

}  // namespace muster
