// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/kueue/read_world.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>

namespace muster::kueue {
namespace {

// Ranks of jobs by uid_rank, then by index.
std::vector<int64_t> UidRanks(const JobTable& jobs) {
  std::vector<uint32_t> order(jobs.alive.size());
  for (uint32_t j = 0; j < order.size(); ++j) order[j] = j;
  std::ranges::stable_sort(order, {}, [&](uint32_t j) { return jobs.spec[j].uid_rank; });
  std::vector<int64_t> ranks(order.size());
  for (size_t i = 0; i < order.size(); ++i) ranks[order[i]] = static_cast<int64_t>(i);
  return ranks;
}

// The groups of a job, as its rows of tasks and its counts have them, and whether a task leaves its
// node.
std::vector<GroupSpec> GroupsOf(const Tables& tables, JobIndex job, bool* leaves) {
  std::map<std::pair<uint32_t, uint32_t>, int64_t> counts;
  for (const TaskIndex task : tables.jobs.tasks[job]) {
    const TaskStatus status = tables.tasks.status[task];
    if (status == TaskStatus::kSucceeded || status == TaskStatus::kFailed) continue;
    *leaves |= status == TaskStatus::kReleasing;
    ++counts[{static_cast<uint32_t>(tables.tasks.group[task]),
              static_cast<uint32_t>(tables.tasks.task_class[task])}];
  }
  std::vector<GroupSpec> groups;
  for (const auto& [key, count] : counts) {
    groups.push_back({.name = tables.jobs.groups[job][key.first].name,
                      .count = count,
                      .shape = tables.classes.shape[key.second]});
  }
  // Those of one group follow each other: the rest of a group behind the rows that were made of it.
  for (const GroupSpec& counted : tables.jobs.spec[job].groups) {
    if (!counted.by_count) continue;
    const auto end =
        std::ranges::find_if(groups.rbegin(), groups.rend(),
                             [&](const GroupSpec& group) { return group.name == counted.name; });
    groups.insert(end.base() == groups.begin() ? groups.end() : end.base(), counted);
  }
  return groups;
}

// The labels of the namespace that the job's tasks are in; none where it is not known.
Labels SpaceLabels(const Tables& tables, JobIndex job) {
  const std::vector<TaskIndex>& tasks = tables.jobs.tasks[job];
  if (tasks.empty()) return {};
  const TaskShape& shape = tables.classes.shape[tables.tasks.task_class[tasks.front()]];
  const auto space = std::ranges::find(tables.namespaces, shape.name_space, &NamespaceSpec::name);
  return space == tables.namespaces.end() ? Labels() : space->labels;
}

// Whether a queue selects namespaces, so that labels of namespaces count.
bool SelectsNamespaces(const QueueTable& queues) {
  for (size_t q = 0; q < queues.alive.size(); ++q) {
    if (queues.alive[q] && queues.spec[q].rules && queues.spec[q].rules->namespaces) return true;
  }
  return false;
}

}  // namespace

std::vector<JobIndex> ReadWorld(const Tables& tables, World* world) {
  for (size_t f = 0; f < tables.flavors.alive.size(); ++f) {
    if (tables.flavors.alive[f]) world->SetFlavor(tables.flavors.spec[f]);
  }
  for (size_t q = 0; q < tables.queues.alive.size(); ++q) {
    if (tables.queues.alive[q]) world->SetQueue(tables.queues.spec[q]);
  }
  const JobTable& jobs = tables.jobs;
  const bool selects = SelectsNamespaces(tables.queues);
  const std::vector<int64_t> ranks = UidRanks(jobs);
  std::vector<JobIndex> job_of;
  for (JobIndex j = 0; j < jobs.alive.size(); ++j) {
    const JobSpec& spec = jobs.spec[j];
    const bool waits = spec.phase == JobPhase::kPending;
    if (!jobs.alive[j] || (!waits && !spec.admission)) continue;
    WorkloadFacts facts;
    JobSpec job{.name = spec.name, .queue = spec.queue, .priority = spec.priority};
    job.groups = GroupsOf(tables, j, &facts.evicted);
    if (job.groups.empty()) continue;
    job.created = spec.created;
    job.uid_rank = ranks[j];
    if (selects) facts.space_labels = SpaceLabels(tables, j);
    if (waits) {
      facts.evicted = false;
    } else {
      job.admission = spec.admission;
    }
    for (const GroupSpec& group : job.groups) {
      facts.pod_set_groups.push_back(group.name.empty() ? "main" : group.name);
    }
    // Names of jobs are unique, so workloads get their numbers in this order.
    world->SetWorkload(job, facts);
    job_of.push_back(j);
  }
  world->Settle();
  return job_of;
}

}  // namespace muster::kueue
