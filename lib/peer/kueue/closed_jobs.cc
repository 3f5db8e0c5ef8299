// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/kueue/closed_jobs.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/base/strings.h"
#include "lib/part/task_bounds.h"
#include "lib/peer/kueue/admission_checks.h"
#include "lib/peer/kueue/pod_changes.h"

namespace muster::kueue {

namespace {

std::string WhyClosed(const World& world, const WorkloadRow& row, std::string_view no_places) {
  if (row.evicting) return "its job is evicted, and keeps its quota until it has ended";
  const std::vector<std::string> open = OpenChecks(world, row);
  if (open.empty() && AwaitsPlaces(world, row, /*now=*/true)) {
    return absl::StrCat("its job has quota and waits for places", no_places.empty() ? "" : ": ",
                        ToAbsl(no_places));
  }
  if (open.empty()) return "its job has quota and is not admitted yet";
  return absl::StrCat("its job has quota and waits for admission ",
                      open.size() == 1 ? "check " : "checks ", absl::StrJoin(open, ", "));
}

}  // namespace

void ClosedJobs::Keep(WorkloadIndex workload, JobIndex job, std::string_view no_places) {
  if (context_.ledger.job(job).pending() == 0) return;
  TaskBounds& bounds = context_.memory<TaskBounds>();
  PodChanges& changes = context_.memory<PodChanges>();
  const auto [known, is_new] =
      bounds_.try_emplace(WhyClosed(world_, world_.workloads[workload], no_places), 0);
  if (is_new) known->second = bounds.Add({{}, known->first});
  for (const TaskIndex task : context_.tables.jobs.tasks[job]) {
    if (context_.ledger.status(task) != TaskStatus::kPending) continue;
    bounds.Keep(task, known->second);
    changes.KeepBack(task);
  }
}

}  // namespace muster::kueue
