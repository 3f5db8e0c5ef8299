// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/profile/cycle_tables.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "lib/model/editor.h"

namespace muster {
namespace {

// A job's name: that of its task, with as many marks behind it as make it new.
std::string NewName(const NameTable& jobs, std::string_view task) {
  std::string name(task);
  while (jobs.Find(name)) name.push_back('~');
  return name;
}

void AddJobOfOne(Tables& t, TaskIndex task, QueueIndex queue) {
  JobTable& jobs = t.jobs;
  JobSpec spec;
  spec.name = NewName(jobs.names, t.tasks.names.name(task));
  spec.queue = t.queues.spec[queue].name;
  spec.priority = t.tasks.priority[task];
  spec.min_available = 1;
  spec.created = t.tasks.created[task];
  spec.uid_rank = t.tasks.uid_rank[task];
  // A task needs no admission of its own.
  spec.phase = IsAllocated(t.tasks.status[task]) ? JobPhase::kRunning : JobPhase::kAdmitted;
  t.tasks.job[task] = jobs.names.Intern(spec.name);
  t.tasks.group[task] = 0;
  jobs.alive.push_back(1);
  jobs.spec.push_back(std::move(spec));
  jobs.queue.push_back(queue);
  jobs.tasks.push_back({task});
  jobs.groups.emplace_back(1);
  jobs.min_resources.AppendAbsent();
  ++t.queues.jobs[queue];
}

}  // namespace

absl::Status CheckTables(const ProfileConfig& config, const Tables& tables,
                         std::optional<std::span<const Change>> changes) {
  for (const ConfiguredAction& action : config.actions) {
    const ActionDecl& decl = action.decl;
    if (!decl.check) continue;
    absl::Status s = changes && decl.check_changes
                         ? decl.check_changes(tables, action.options, *changes)
                         : decl.check(tables, action.options);
    if (!s.ok()) return s;
  }
  if (tables.jobs.by_count == 0 || config.reads_counts) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat(CountsText(tables), ", which profile ", Quote(config.name),
                   " does not place; must be rows (MakeTasks, --make-tasks)"));
}

std::string CountsText(const Tables& tables) {
  if (tables.jobs.by_count == 0) return "";
  JobIndex job = 0;
  while (!tables.jobs.alive[job] || !HasCounts(tables.jobs.spec[job])) ++job;
  const JobSpec& spec = tables.jobs.spec[job];
  size_t group = 0;
  while (!spec.groups[group].by_count) ++group;
  return absl::StrCat(PlaceOf("job", spec.name), ", ", PlaceOf("group", spec.groups[group].name),
                      ": ", spec.groups[group].by_count->count, " tasks are counts");
}

absl::StatusOr<std::shared_ptr<const Tables>> WithJobsOfOne(const Tables& tables,
                                                            std::string_view queue) {
  const std::optional<QueueIndex> row = tables.queues.names.Find(queue);
  if (!row) {
    return absl::FailedPreconditionError(absl::StrCat(
        "profile, lone_tasks: ", PlaceOf("queue", queue), " does not exist; must be a queue"));
  }
  for (QueueIndex q = *row; q != kNone; q = tables.queues.parent[q]) {
    if (!SpeaksOfNodeGroups(tables.queues.spec[q])) continue;
    return absl::FailedPreconditionError(
        absl::StrCat("profile, lone_tasks: ", PlaceOf("queue", tables.queues.spec[q].name),
                     " has rules about node groups; must be a queue without"));
  }
  auto copy = std::make_shared<Tables>(tables);
  const auto tasks = static_cast<TaskIndex>(copy->tasks.alive.size());
  for (TaskIndex task = 0; task < tasks; ++task) {
    const TaskStatus status = copy->tasks.status[task];
    const bool lives = status == TaskStatus::kPending || HoldsNode(status);
    if (copy->tasks.alive[task] && !copy->has_job(task) && lives) AddJobOfOne(*copy, task, *row);
  }
  // Unlike that of any other tables, so that a session starts afresh on each copy.
  copy->layout = ~copy->version;
  return copy;
}

void ForgetJobsOfOne(const Tables& tables, PlanData* plan) {
  const auto jobs = static_cast<JobIndex>(tables.jobs.alive.size());
  const auto forgotten = [jobs](JobIndex job) { return job != kNone && job >= jobs; };
  std::erase_if(plan->decisions, [&](const Decision& decision) {
    return decision.task == kNone && forgotten(decision.job);  // admissions and phases
  });
  for (Decision& decision : plan->decisions) {
    if (forgotten(decision.job)) decision.job = kNone;
  }
  ListByKind(plan);
  std::erase_if(plan->domains, [&](const ChosenDomain& chosen) { return forgotten(chosen.job); });
}

}  // namespace muster
