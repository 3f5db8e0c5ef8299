// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Counts of migrations against limits, and the round of arbitration.
#include "lib/peer/koordinator/rebalance/arbitration.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace muster::koordinator {
namespace {

bool Counts(const MigrationJob& job, Counting counting) {
  if (job.phase == MigrationPhase::kRunning) return true;
  if (job.phase != MigrationPhase::kPending) return false;
  return counting == Counting::kAll || job.has_passed;
}

bool IsLimited(const std::optional<int64_t>& limit) { return limit.has_value() && *limit > 0; }
// Returns whether the limit is there and reached.
bool IsReached(const std::optional<int64_t>& limit, int64_t count) {
  return IsLimited(limit) && count >= *limit;
}

// Counts the jobs of other tasks that `is_near` accepts.
template <class IsNear>
int64_t CountOthers(const MigrationWorld& world, const MigratedTask& task, Counting counting,
                    IsNear is_near) {
  return std::count_if(world.jobs.begin(), world.jobs.end(), [&](const MigrationJob& job) {
    return Counts(job, counting) && job.target.has_value() && job.target->id != task.id &&
           is_near(*job.target);
  });
}

// Different names have different keys.
std::string KeyOf(const std::string& name_space, const std::string& name) {
  return absl::StrCat(name_space.size(), "/", name_space, "/", name);
}

// Return the number of the text, with lists for it.
size_t IdNumber(const std::string& id, MigrationIndex* index) {
  const size_t number = index->ids.try_emplace(id, index->ids.size()).first->second;
  if (number == index->jobs_by_id.size()) index->jobs_by_id.emplace_back();
  return number;
}
size_t NameNumber(const std::string& name_space, const std::string& name, MigrationIndex* index) {
  const size_t number =
      index->names.try_emplace(KeyOf(name_space, name), index->names.size()).first->second;
  if (number == index->jobs_named.size()) {
    index->jobs_named.emplace_back();
    index->first_named.push_back(MigrationIndex::kNoTask);
  }
  return number;
}

MigrationIndex& IndexOf(const MigrationWorld& world) {
  MigrationIndex& index = world.index;
  if (world.tasks.size() < index.of_task.size() || world.jobs.size() < index.jobs) index = {};
  for (size_t i = index.of_task.size(); i < world.tasks.size(); ++i) {
    const MigratedTask& task = world.tasks[i];
    const size_t name = NameNumber(task.name_space, task.name, &index);
    if (index.first_named[name] == MigrationIndex::kNoTask) index.first_named[name] = i;
    index.of_task.push_back({IdNumber(task.id, &index), name});
    index.tasks_on[task.node].push_back(i);
    index.tasks_of[task.owner].push_back(i);
  }
  for (; index.jobs < world.jobs.size(); ++index.jobs) {
    const std::optional<MigrationJob::Target>& target = world.jobs[index.jobs].target;
    if (!target.has_value()) continue;
    index.jobs_by_id[IdNumber(target->id, &index)].push_back(index.jobs);
    const size_t name = NameNumber(target->name_space, target->name, &index);
    index.jobs_named[name].push_back(index.jobs);
  }
  return index;
}

// Returns whether some of the jobs count.
bool SomeCount(const MigrationWorld& world, const std::vector<size_t>& jobs, Counting counting) {
  return std::ranges::any_of(jobs, [&](size_t job) { return Counts(world.jobs[job], counting); });
}

std::span<const size_t> ListAt(const HashMap<std::string, std::vector<size_t>>& lists,
                               const std::string& key) {
  const auto found = lists.find(key);
  return found == lists.end() ? std::span<const size_t>() : found->second;
}

// The tasks of the owner that migrate, as "name_space/name", each once.
std::vector<std::string> MigratingTasks(const MigrationWorld& world, const MigratedTask& task,
                                        Counting counting) {
  const MigrationIndex& index = IndexOf(world);
  std::vector<std::string> names;
  for (const size_t i : ListAt(index.tasks_of, task.owner)) {
    const MigratedTask& other = world.tasks[i];
    if (other.name_space != task.name_space) continue;
    const size_t name = index.of_task[i].name;
    if (index.first_named[name] != i) continue;
    const bool migrates = std::ranges::any_of(index.jobs_named[name], [&](size_t job) {
      return Counts(world.jobs[job], counting) && world.jobs[job].target->id != task.id;
    });
    if (migrates) names.push_back(absl::StrCat(other.name_space, "/", other.name));
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

}  // namespace

const MigratedTask* TaskNamed(const MigrationWorld& world, const MigrationJob::Target& target) {
  const MigrationIndex& index = IndexOf(world);
  const auto name = index.names.find(KeyOf(target.name_space, target.name));
  if (name == index.names.end()) return nullptr;
  const size_t first = index.first_named[name->second];
  return first == MigrationIndex::kNoTask ? nullptr : &world.tasks[first];
}

int64_t MostAway(int64_t replicas, const std::optional<Portion>& limit) {
  int64_t most = 0;
  if (limit.has_value()) {
    most = limit->is_percent ? limit->value * replicas / 100 : limit->value;
    if (most == 0) most = 1;
  } else if (replicas > 10) {
    most = replicas / 10;
  } else {
    most = replicas >= 4 ? 2 : 1;
  }
  return std::min(most, replicas);
}

bool HasMigration(const MigrationWorld& world, const MigratedTask& task, Counting counting) {
  const MigrationIndex& index = IndexOf(world);
  const auto id = index.ids.find(task.id);
  if (id != index.ids.end() && SomeCount(world, index.jobs_by_id[id->second], counting)) {
    return true;
  }
  const auto name = index.names.find(KeyOf(task.name_space, task.name));
  return name != index.names.end() && SomeCount(world, index.jobs_named[name->second], counting);
}

bool FitsTotal(const MigrationWorld& world, const MigrationLimits& limits, const MigratedTask& task,
               Counting counting) {
  if (!IsLimited(limits.total)) return true;
  const auto any = [](const MigrationJob::Target&) { return true; };
  return !IsReached(limits.total, CountOthers(world, task, counting, any));
}

bool FitsNode(const MigrationWorld& world, const MigrationLimits& limits, const MigratedTask& task,
              Counting counting) {
  if (task.node.empty() || !IsLimited(limits.per_node)) return true;
  const MigrationIndex& index = IndexOf(world);
  const auto migrates = [&](size_t i) {
    const MigrationIndex::Numbers& numbers = index.of_task[i];
    return (SomeCount(world, index.jobs_by_id[numbers.id], counting) ||
            SomeCount(world, index.jobs_named[numbers.name], counting)) &&
           world.tasks[i].id != task.id;
  };
  const int64_t count = std::ranges::count_if(ListAt(index.tasks_on, task.node), migrates);
  return !IsReached(limits.per_node, count);
}

bool FitsNamespace(const MigrationWorld& world, const MigrationLimits& limits,
                   const MigratedTask& task, Counting counting) {
  if (!IsLimited(limits.per_namespace)) return true;
  const auto is_in = [&](const MigrationJob::Target& target) {
    return target.name_space == task.name_space;
  };
  return !IsReached(limits.per_namespace, CountOthers(world, task, counting, is_in));
}

bool FitsWorkload(const MigrationWorld& world, const MigrationLimits& limits,
                  const MigratedTask& task, Counting counting) {
  if (limits.skips_migrating && limits.skips_unavailable) return true;
  if (task.owner.empty()) return true;
  const auto found = world.workloads.find(task.owner);
  if (found == world.workloads.end()) return false;
  const Workload& workload = found->second;
  std::vector<std::string> away = MigratingTasks(world, task, counting);
  const auto migrating = static_cast<int64_t>(away.size());
  if (!limits.skips_migrating && migrating > 0 &&
      migrating >= MostAway(workload.replicas, limits.migrating)) {
    return false;
  }
  if (limits.skips_unavailable) return true;
  away.insert(away.end(), workload.unavailable.begin(), workload.unavailable.end());
  std::sort(away.begin(), away.end());
  away.erase(std::unique(away.begin(), away.end()), away.end());
  return static_cast<int64_t>(away.size()) < MostAway(workload.replicas, limits.unavailable);
}

bool HasSpareReplicas(const MigrationWorld& world, const MigrationLimits& limits,
                      const MigratedTask& task) {
  if (task.owner.empty()) return true;
  const auto found = world.workloads.find(task.owner);
  if (found == world.workloads.end()) return false;
  if (!limits.checks_replicas) return true;
  const int64_t replicas = found->second.replicas;
  return replicas != 1 && replicas != MostAway(replicas, limits.migrating) &&
         replicas != MostAway(replicas, limits.unavailable);
}

bool FitsLimits(const MigrationWorld& world, const MigrationLimits& limits,
                const MigratedTask& task) {
  if (task.has_evict_mark) return true;
  constexpr Counting kCounting = Counting::kArbitrated;
  return FitsTotal(world, limits, task, kCounting) && FitsNode(world, limits, task, kCounting) &&
         FitsNamespace(world, limits, task, kCounting) &&
         FitsWorkload(world, limits, task, kCounting);
}

std::vector<Verdict> Arbitrate(const JobOrder& waiting, TaskRule may_leave, TaskRule fits_now,
                               MigrationWorld* world) {
  JobOrder order = waiting;
  SortNewestFirst(*world, &order);
  SortByTask(*world, &order);
  GatherBatchJobs(*world, &order);
  SortByMigrations(*world, &order);
  std::vector<Verdict> verdicts;
  for (const size_t index : order) {
    MigrationJob& job = world->jobs[index];
    const MigratedTask* task = job.target.has_value() ? TaskNamed(*world, *job.target) : nullptr;
    Ruling ruling = Ruling::kPassed;
    if (task != nullptr && !may_leave(*task)) {
      ruling = Ruling::kRefused;
    } else if (task != nullptr && !fits_now(*task)) {
      ruling = Ruling::kWaits;
    }
    if (ruling == Ruling::kPassed) job.has_passed = job.is_marked = true;
    if (ruling == Ruling::kRefused) job.phase = MigrationPhase::kEnded;
    verdicts.push_back({index, ruling});
  }
  return verdicts;
}

}  // namespace muster::koordinator
