// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The front door of remedy.h.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/advice/facts.h"
#include "lib/advice/proposals.h"
#include "lib/advice/trials.h"
#include "lib/base/strings.h"
#include "lib/model/access.h"
#include "lib/model/change_guard.h"
#include "lib/model/living_names.h"
#include "muster/remedy.h"

namespace muster {
absl::StatusOr<Diagnosis> Diagnose(const Cluster& cluster, std::string_view profile,
                                   std::string_view name, const RemedyOptions& options) {
  if (IsLost(ImplOf(cluster))) return LostError();
  if (options.trials < 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("trials is ", options.trials, "; must be 1 or more"));
  }
  const Snapshot snapshot = cluster.Freeze();
  const Tables& tables = TablesOf(snapshot);
  std::optional<JobIndex> index = tables.jobs.names.Find(name);
  const std::optional<TaskIndex> task = tables.tasks.names.Find(name);
  if (!index && !task) {
    std::vector<std::string_view> names = LivingNames(tables.jobs);
    for (const std::string_view of_task : LivingNames(tables.tasks)) names.push_back(of_task);
    return absl::NotFoundError(
        absl::StrCat(PlaceOf("job", name), " does not exist", SuggestName(name, names)));
  }
  const bool lone = !index && !tables.has_job(*task);
  if (!index && !lone) index = tables.tasks.job[*task];
  const std::string job(lone ? name : tables.jobs.names.name(*index));
  const absl::StatusOr<Plan> plan = Schedule(snapshot, profile, options.schedule);
  if (!plan.ok()) return plan.status();
  Trials trials(cluster, profile, job, options);
  Diagnosis diagnosis;
  const Trials::Outcome outcome = trials.Judge(snapshot, *plan, profile);
  diagnosis.waiting = outcome.waiting;
  if (diagnosis.waiting == 0) return diagnosis;
  diagnosis.reason = plan->Explain(job).value_or("");
  diagnosis.facts = lone ? FactsOfTask(tables, *plan, *task) : FactsOf(tables, *plan, *index);
  diagnosis.remedies = Propose({tables, *plan, lone ? kNone : *index, lone ? *task : kNone,
                                std::string(profile), options.schedule.now, outcome},
                               &trials);
  diagnosis.trials = trials.made();
  return diagnosis;
}

}  // namespace muster
