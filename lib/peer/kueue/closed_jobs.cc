// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/kueue/closed_jobs.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/part/task_bounds.h"
#include "lib/peer/kueue/admission_checks.h"
#include "lib/peer/kueue/pod_changes.h"

namespace muster::kueue {

void ClosedJobs::Keep(WorkloadIndex workload, JobIndex job) {
  if (context_.ledger.job(job).pending() == 0) return;
  TaskBounds& bounds = context_.memory<TaskBounds>();
  PodChanges& changes = context_.memory<PodChanges>();
  std::vector<std::string> open = OpenChecks(world_, world_.workloads[workload]);
  const auto [known, is_new] = bounds_.try_emplace(std::move(open), 0);
  if (is_new) {
    const std::vector<std::string>& names = known->first;
    known->second =
        bounds.Add({{},
                    names.empty() ? std::string("its job has quota and is not admitted yet")
                                  : absl::StrCat("its job has quota and waits for admission ",
                                                 names.size() == 1 ? "check " : "checks ",
                                                 absl::StrJoin(names, ", "))});
  }
  for (const TaskIndex task : context_.tables.jobs.tasks[job]) {
    if (context_.ledger.status(task) != TaskStatus::kPending) continue;
    bounds.Keep(task, known->second);
    changes.KeepBack(task);
  }
}

}  // namespace muster::kueue
