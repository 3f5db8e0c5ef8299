// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/advice/counted_tasks.h"

#include <algorithm>
#include <optional>

#include "lib/base/math.h"
#include "lib/model/access.h"
#include "lib/model/spec_amounts.h"
#include "lib/plan/plan_data.h"

namespace muster {
namespace {

const GroupSpec* CountedGroup(const JobSpec& spec, std::string_view name) {
  const auto group = std::ranges::find(spec.groups, name, &GroupSpec::name);
  return group == spec.groups.end() || !group->by_count ? nullptr : &*group;
}

// The shape is no class of the tables, so its amounts are read anew.
std::vector<int64_t> RequestOf(const Tables& tables, const TaskShape& shape) {
  std::vector<int64_t> row(tables.dimension_count(), 0);
  if (kPods < row.size()) row[kPods] = 1;
  for (const auto& [name, amount] : shape.request) {
    const std::optional<DimensionIndex> d = tables.dimensions.Find(name);
    if (d) row[*d] = ValidAmount(name, amount);
  }
  return row;
}

}  // namespace

std::vector<CountedWait> CountedWaits(const Tables& tables, const Plan& plan) {
  std::vector<CountedWait> waits;
  const PlanData* const data = DataOf(plan);
  if (data == nullptr) return waits;
  for (const WaitingJob& waiting : data->waiting_jobs) {
    const int64_t tasks = CountedTasks(tables.jobs.spec[waiting.job]);
    if (tasks > 0) waits.push_back({waiting.job, tasks, waiting.reason});
  }
  return waits;
}

int64_t CountedWaiting(const Tables& tables, const Plan& plan) {
  int64_t tasks = 0;
  for (const CountedWait& wait : CountedWaits(tables, plan)) tasks = SatAdd(tasks, wait.tasks);
  return tasks;
}

int64_t CountedWaiting(const Tables& tables, const Plan& plan, JobIndex job) {
  const std::vector<CountedWait> waits = CountedWaits(tables, plan);
  const auto found = std::ranges::lower_bound(waits, job, {}, &CountedWait::job);
  return found == waits.end() || found->job != job ? 0 : found->tasks;
}

int64_t CountedEvictions(const Tables& tables, const Plan& plan) {
  int64_t tasks = 0;
  for (const PhaseChange& change : plan.phases()) {
    const JobSpec& spec = tables.jobs.spec[change.job];
    if (change.phase != JobPhase::kPending || !spec.admission) continue;
    for (const GroupAdmission& group : spec.admission->groups) {
      const GroupSpec* const counted = CountedGroup(spec, group.group);
      if (counted != nullptr) {
        tasks = SatAdd(tasks, std::min(group.count, counted->by_count->count));
      }
    }
  }
  return tasks;
}

int64_t AdmittedTasks(const Tables& tables, const Admission& admission, bool rows) {
  int64_t tasks = 0;
  const JobSpec& spec = tables.jobs.spec[admission.job];
  for (const GroupAssignment& group : admission.assignment) {
    if (rows || CountedGroup(spec, group.group) != nullptr) tasks = SatAdd(tasks, group.count);
  }
  return tasks;
}

void WaitingTasks::AddTo(std::span<int64_t> sum) const {
  for (size_t d = 0; d < request.size(); ++d) sum[d] = SatAdd(sum[d], SatMul(request[d], count));
}

std::vector<WaitingTasks> WaitingTasksIn(
    const Tables& tables, const Plan& plan,
    const std::function<bool(JobIndex job, TaskIndex task)>& keeps) {
  std::vector<WaitingTasks> all;
  ClassIndex last = kNone;
  for (const PendingTask& pending : plan.pending()) {
    if (!keeps(tables.tasks.job[pending.task], pending.task)) continue;
    const ClassIndex c = tables.tasks.task_class[pending.task];
    if (c == last) {
      ++all.back().count;
      continue;
    }
    last = c;
    const auto request = tables.classes.request.row(c);
    WaitingTasks& tasks = all.emplace_back();
    for (const int64_t amount : request) tasks.request.push_back(OrZero(amount));
    tasks.shape = &tables.classes.shape[c];
    tasks.count = 1;
  }
  for (const CountedWait& wait : CountedWaits(tables, plan)) {
    if (!keeps(wait.job, kNone)) continue;
    for (const GroupSpec& group : tables.jobs.spec[wait.job].groups) {
      if (!group.by_count) continue;
      all.push_back({RequestOf(tables, group.shape), &group.shape, group.by_count->count});
    }
  }
  return all;
}

}  // namespace muster
