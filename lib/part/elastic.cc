// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/part/elastic.h"

#include <algorithm>
#include <utility>

namespace muster {
namespace {

bool IsPlaced(TaskStatus status) {
  return IsAllocated(status) || status == TaskStatus::kNominated ||
         status == TaskStatus::kSucceeded;
}

const ElasticSize* SizeOf(const ActionContext& context, JobIndex job) {
  const JobSpec& spec = context.tables.jobs.spec[job];
  return spec.gang && spec.gang->elastic ? &*spec.gang->elastic : nullptr;
}

ElasticPlaces OfSearch(ActionContext& context) {
  return {[&context](TaskIndex task, Want want) { return context.search.Best(task, want); }};
}

void ShrinkBySearch(ActionContext& context, const Options&) {
  RunShrink(context, OfSearch(context));
}

void GrowBySearch(ActionContext& context, const Options&) { RunGrow(context, OfSearch(context)); }

void LeaveAsIs(ActionContext&, const Options&) {}

}  // namespace

bool IsElastic(const ActionContext& context, JobIndex job) {
  const JobSpec& spec = context.tables.jobs.spec[job];
  return SizeOf(context, job) != nullptr && spec.sub_groups.empty() && !spec.topology;
}

std::vector<TaskIndex> GangLacks(const ActionContext& context, JobIndex job,
                                 std::vector<TaskIndex> pending) {
  const JobTable& jobs = context.tables.jobs;
  const TaskTable& tasks = context.tables.tasks;
  std::vector<int64_t> of_group;
  for (const GroupRow& group : jobs.groups[job]) {
    of_group.push_back(std::max<int64_t>(group.min_available, 0));
  }
  int64_t of_job = jobs.spec[job].min_available;
  for (const TaskIndex t : jobs.tasks[job]) {
    if (!IsPlaced(context.ledger.status(t))) continue;
    --of_group[tasks.group[t]];
    --of_job;
  }
  std::vector<uint8_t> chosen(pending.size(), 0);
  const auto choose = [&](bool promised, bool for_group) {
    for (size_t i = 0; i < pending.size(); ++i) {
      int64_t& lacking = of_group[tasks.group[pending[i]]];
      const bool is_promised = tasks.nominated[pending[i]] != kNone;
      if (chosen[i] != 0 || is_promised != promised || (for_group ? lacking : of_job) <= 0) {
        continue;
      }
      chosen[i] = 1;
      --lacking;
      --of_job;
    }
  };
  for (const bool for_group : {true, false}) {
    for (const bool promised : {true, false}) choose(promised, for_group);
  }
  size_t i = 0;
  std::erase_if(pending, [&](TaskIndex) { return chosen[i++] == 0; });
  return pending;
}

bool CanGive(const ActionContext& context, TaskIndex task) {
  const JobIndex job = context.tables.tasks.job[task];
  const JobTable& jobs = context.tables.jobs;
  const int64_t least =
      std::max(jobs.spec[job].min_available, SizeOf(context, job)->least.value_or(0));
  if (context.ledger.job(job).allocated() <= least) return false;
  const GroupIndex group = context.tables.tasks.group[task];
  const int64_t of_group = jobs.groups[job][group].min_available;
  if (of_group <= 0) return true;
  const auto& tasks = jobs.tasks[job];
  return std::ranges::count_if(tasks, [&](TaskIndex t) {
           return context.tables.tasks.group[t] == group && IsAllocated(context.ledger.status(t));
         }) > of_group;
}

void ListSizes(ActionContext& context) {
  const JobTable& jobs = context.tables.jobs;
  const TaskTable& tasks = context.tables.tasks;
  for (JobIndex j = 0; j < jobs.alive.size(); ++j) {
    if (!jobs.alive[j] || !IsElastic(context, j)) continue;
    std::vector<int64_t> before(jobs.groups[j].size(), 0), after = before;
    int64_t all = 0;
    for (const TaskIndex t : jobs.tasks[j]) {
      before[tasks.group[t]] += IsAllocated(tasks.status[t]);
      after[tasks.group[t]] += IsAllocated(context.ledger.status(t));
      all += IsAllocated(context.ledger.status(t));
    }
    bool whole = all > 0 && all >= jobs.spec[j].min_available;
    for (size_t g = 0; g < after.size(); ++g) whole &= after[g] >= jobs.groups[j][g].min_available;
    for (size_t g = 0; whole && g < after.size(); ++g) {
      if (before[g] == after[g]) continue;
      context.decisions.Add(Resize{.job = j, .group = jobs.groups[j][g].name, .count = after[g]});
    }
  }
}

ActionDecl ShrinkAction() {
  ActionDecl action{"shrink",
                    "takes tasks beyond the gangs of elastic jobs for gangs that wait",
                    {},
                    ShrinkBySearch};
  action.evicts = true;
  action.lists_sizes = true;
  return action;
}

ActionDecl GrowAction() {
  ActionDecl action{"grow", "gives elastic jobs what is idle beyond what waits", {}, GrowBySearch};
  action.grows = true;
  action.lists_sizes = true;
  return action;
}

ActionDecl ResizeAction() {
  ActionDecl action{
      "resize", "lists with how many tasks elastic jobs run from now on", {}, LeaveAsIs};
  action.lists_sizes = true;
  action.points = PointSet{};
  return action;
}

}  // namespace muster
