// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The four stable sorts of waiting migrations.
#include <algorithm>
#include <limits>
#include <map>

#include "lib/peer/koordinator/rebalance/arbitration.h"

namespace muster::koordinator {
namespace {

const MigratedTask* TaskOf(const MigrationWorld& world, size_t job) {
  const std::optional<MigrationJob::Target>& target = world.jobs[job].target;
  return target.has_value() ? TaskNamed(world, *target) : nullptr;
}

// Sorts by rank, small ones first; `ranks` are those of the jobs in their present order.
void SortByRanks(const std::vector<int64_t>& ranks, JobOrder* jobs) {
  std::vector<std::pair<int64_t, size_t>> ranked;
  for (size_t i = 0; i < jobs->size(); ++i) ranked.emplace_back(ranks[i], (*jobs)[i]);
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  for (size_t i = 0; i < jobs->size(); ++i) (*jobs)[i] = ranked[i].second;
}

}  // namespace

void SortNewestFirst(const MigrationWorld& world, JobOrder* jobs) {
  std::vector<int64_t> ranks;
  for (const size_t job : *jobs) ranks.push_back(-world.jobs[job].created);
  SortByRanks(ranks, jobs);
}

void SortByTask(const MigrationWorld& world, JobOrder* jobs) {
  std::vector<EvictionRank> tasks;
  std::vector<size_t> places;  // of the jobs with a task
  for (size_t i = 0; i < jobs->size(); ++i) {
    const MigratedTask* task = TaskOf(world, (*jobs)[i]);
    if (task == nullptr) continue;
    tasks.push_back(task->rank);
    places.push_back(i);
  }
  // Jobs without a task come first.
  std::vector<int64_t> ranks(jobs->size(), std::numeric_limits<int64_t>::min());
  const std::vector<size_t> order = EvictionOrder(tasks);
  for (size_t rank = 0; rank < order.size(); ++rank) {
    ranks[places[order[rank]]] = static_cast<int64_t>(rank);
  }
  SortByRanks(ranks, jobs);
}

void GatherBatchJobs(const MigrationWorld& world, JobOrder* jobs) {
  std::map<std::string, int64_t> first;  // place of an owner's first job
  std::vector<int64_t> ranks;
  for (size_t i = 0; i < jobs->size(); ++i) {
    const MigratedTask* task = TaskOf(world, (*jobs)[i]);
    const auto place = static_cast<int64_t>(i);
    ranks.push_back(task != nullptr && task->is_of_batch_job
                        ? first.try_emplace(task->owner, place).first->second
                        : place);
  }
  SortByRanks(ranks, jobs);
}

void SortByMigrations(const MigrationWorld& world, JobOrder* jobs) {
  std::map<std::string, int64_t> counted;  // by owner
  std::vector<int64_t> ranks;
  for (const size_t job : *jobs) {
    const MigratedTask* task = TaskOf(world, job);
    if (task == nullptr || !task->is_of_batch_job) {
      ranks.push_back(0);
      continue;
    }
    const auto [owner, is_new] = counted.try_emplace(task->owner, 0);
    if (is_new) owner->second = MigrationsOf(world, task->owner);
    ranks.push_back(-owner->second);
  }
  SortByRanks(ranks, jobs);
}

int64_t MigrationsOf(const MigrationWorld& world, const std::string& owner) {
  int64_t count = 0;
  for (const MigratedTask& task : world.tasks) {
    if (task.owner != owner) continue;
    count += std::count_if(world.jobs.begin(), world.jobs.end(), [&](const MigrationJob& job) {
      return job.target.has_value() && job.target->id == task.id &&
             (job.is_marked || job.phase == MigrationPhase::kRunning);
    });
  }
  return count;
}

}  // namespace muster::koordinator
