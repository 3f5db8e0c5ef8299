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

// Returns whether the limit is there and reached.
bool IsReached(const std::optional<int64_t>& limit, int64_t count) {
  return limit.has_value() && *limit > 0 && count >= *limit;
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

bool IsTarget(const MigrationJob::Target& target, const MigratedTask& task) {
  return target.id == task.id || (target.name_space == task.name_space && target.name == task.name);
}

// The tasks of the owner that migrate, as "name_space/name", each once.
std::vector<std::string> MigratingTasks(const MigrationWorld& world, const MigratedTask& task,
                                        Counting counting) {
  std::vector<std::string> names;
  for (const MigrationJob& job : world.jobs) {
    if (!Counts(job, counting) || !job.target.has_value() || job.target->id == task.id) continue;
    if (job.target->name_space != task.name_space) continue;
    const MigratedTask* other = TaskNamed(world, *job.target);
    if (other == nullptr || other->owner != task.owner) continue;
    names.push_back(absl::StrCat(other->name_space, "/", other->name));
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

}  // namespace

const MigratedTask* TaskNamed(const MigrationWorld& world, const MigrationJob::Target& target) {
  MigrationWorld::NameIndex& index = world.by_name;
  for (; index.indexed < world.tasks.size(); ++index.indexed) {
    const MigratedTask& task = world.tasks[index.indexed];
    index.first.try_emplace(KeyOf(task.name_space, task.name), index.indexed);
  }
  const auto found = index.first.find(KeyOf(target.name_space, target.name));
  return found == index.first.end() ? nullptr : &world.tasks[found->second];
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
  return std::any_of(world.jobs.begin(), world.jobs.end(), [&](const MigrationJob& job) {
    return Counts(job, counting) && job.target.has_value() && IsTarget(*job.target, task);
  });
}

bool FitsTotal(const MigrationWorld& world, const MigrationLimits& limits, const MigratedTask& task,
               Counting counting) {
  const auto any = [](const MigrationJob::Target&) { return true; };
  return !IsReached(limits.total, CountOthers(world, task, counting, any));
}

bool FitsNode(const MigrationWorld& world, const MigrationLimits& limits, const MigratedTask& task,
              Counting counting) {
  if (task.node.empty() || !limits.per_node.has_value()) return true;
  std::vector<const MigrationJob::Target*> targets;
  for (const MigrationJob& job : world.jobs) {
    if (Counts(job, counting) && job.target.has_value()) targets.push_back(&*job.target);
  }
  const int64_t count =
      std::count_if(world.tasks.begin(), world.tasks.end(), [&](const MigratedTask& other) {
        return other.id != task.id && other.node == task.node &&
               std::ranges::any_of(targets,
                                   [&](const auto* target) { return IsTarget(*target, other); });
      });
  return !IsReached(limits.per_node, count);
}

bool FitsNamespace(const MigrationWorld& world, const MigrationLimits& limits,
                   const MigratedTask& task, Counting counting) {
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
