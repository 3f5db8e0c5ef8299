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
#include "lib/advice/suggest_row.h"
#include "lib/advice/trials.h"
#include "lib/base/strings.h"
#include "lib/model/access.h"
#include "lib/model/change_guard.h"
#include "lib/model/living_names.h"
#include "lib/plan/absent_text.h"
#include "lib/profile/cycle_tables.h"
#include "lib/profile/profile.h"
#include "muster/remedy.h"

namespace muster {
namespace {

// Returns why there is no such row: an event of it waits for another object, or nothing has come.
absl::Status NoSuchName(const Cluster& cluster, const Tables& tables, std::string_view name) {
  if (std::string waits = WaitingText(cluster.WaitingEvents(), name); !waits.empty()) {
    waits.pop_back();
    return absl::NotFoundError(waits);
  }
  std::vector<std::string_view> names = LivingNames(tables.jobs);
  for (const std::string_view of_task : LivingNames(tables.tasks)) names.push_back(of_task);
  return absl::NotFoundError(
      absl::StrCat(PlaceOf("job", name), " does not exist", SuggestRow(name, names)));
}

// Returns whether no cycle of the profile tries the task, which has no job.
bool IsLeftOut(const Tables& tables, TaskIndex task, std::string_view profile,
               const ScheduleOptions& options) {
  const absl::StatusOr<ProfileConfig> config = ResolveProfile(profile, options.extensions.get());
  return config.ok() && !TriesLoneTasks(*config) &&
         tables.tasks.status[task] == TaskStatus::kPending;
}

// Proposes to make jobs of such tasks in the first queue without queues below it that starts it.
void ProposeLoneTasks(const WaitingCase& task, Trials* trials, Diagnosis* diagnosis) {
  constexpr size_t kMostQueues = 8;
  const QueueTable& queues = task.tables.queues;
  size_t tried = 0;
  for (QueueIndex q = 0; q < queues.alive.size() && tried < kMostQueues; ++q) {
    if (!queues.alive[q] || !queues.children[q].empty()) continue;
    ++tried;
    const std::string profile =
        absl::StrCat(task.profile, task.profile.find(':') == std::string::npos ? ":" : ",",
                     "lone_tasks=", queues.spec[q].name);
    const Trials::Outcome outcome = trials->Try({}, profile);
    if (!outcome.helps()) continue;
    diagnosis->remedies.push_back({.kind = RemedyKind::kAnotherQueue,
                                   .words = absl::StrCat("schedule by ", profile),
                                   .profile = profile,
                                   .starts = outcome.starts,
                                   .evictions = outcome.evictions - task.today.evictions,
                                   .others = outcome.others - task.today.others});
    return;
  }
}

}  // namespace

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
  if (!index && !task) return NoSuchName(cluster, tables, name);
  const bool lone = !index && !tables.has_job(*task);
  if (!index && !lone) index = tables.tasks.job[*task];
  const std::string job(lone ? name : tables.jobs.names.name(*index));
  const absl::StatusOr<Plan> plan = Schedule(snapshot, profile, options.schedule);
  if (!plan.ok()) return plan.status();
  Trials trials(cluster, profile, job, options);
  Diagnosis diagnosis;
  const Trials::Outcome outcome = trials.Judge(snapshot, *plan, profile);
  diagnosis.waiting = outcome.waiting;
  const WaitingCase waiting{tables,
                            *plan,
                            lone ? kNone : *index,
                            lone ? *task : kNone,
                            std::string(profile),
                            options.schedule.now,
                            outcome};
  if (lone && IsLeftOut(tables, *task, profile, options.schedule)) {
    diagnosis.waiting = 1;
    diagnosis.reason = LeftOutText(name, profile);
    ProposeLoneTasks(waiting, &trials, &diagnosis);
    diagnosis.trials = trials.made();
    return diagnosis;
  }
  if (diagnosis.waiting == 0) return diagnosis;
  diagnosis.reason = plan->Explain(job).value_or("");
  diagnosis.facts = lone ? FactsOfTask(tables, *plan, *task) : FactsOf(tables, *plan, *index);
  diagnosis.remedies = Propose(waiting, &trials);
  diagnosis.trials = trials.made();
  return diagnosis;
}

}  // namespace muster
