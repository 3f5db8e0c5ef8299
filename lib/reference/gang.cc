// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Gangs: how many tasks of a job count as there, as waiting, and whether that is enough. Roles
// (task groups with a minimum of their own) are only enforced when the job's minimum is at least
// the sum of theirs; in the muster profile always.
#include <algorithm>
#include <functional>

#include "lib/reference/cycle.h"

namespace muster::reference {

namespace {

int64_t CountTasks(const World& world, JobIndex job, const std::function<bool(TaskIndex)>& counts) {
  int64_t count = 0;
  for (TaskIndex t : world.tasks_of(job)) count += counts(t) ? 1 : 0;
  return count;
}

bool Occupied(const World& world, TaskIndex task) {
  return IsAllocated(world.status[task]) || world.status[task] == TaskStatus::kSucceeded;
}

// Volcano counts pending tasks that request nothing as there.
bool PendingBestEffort(const Cycle& cycle, TaskIndex task) {
  return !cycle.muster && cycle.world.status[task] == TaskStatus::kPending &&
         cycle.world.best_effort(task);
}

int64_t RoleMinimum(const World& world, JobIndex job, GroupIndex role) {
  const int64_t minimum = world.tables->jobs.groups[job][role].min_available;
  return minimum == kAbsent ? 0 : minimum;
}

int64_t RoleMinimumTotal(const World& world, JobIndex job) {
  int64_t total = 0;
  for (GroupIndex role = 0; role < world.tables->jobs.groups[job].size(); ++role) {
    total += RoleMinimum(world, job, role);
  }
  return total;
}

int64_t CountRole(const World& world, JobIndex job, GroupIndex role,
                  const std::function<bool(TaskIndex)>& counts) {
  return CountTasks(world, job,
                    [&](TaskIndex t) { return world.tables->tasks.group[t] == role && counts(t); });
}

bool RolesSatisfied(const World& world, JobIndex job, bool always,
                    const std::function<bool(TaskIndex)>& counts) {
  if (!always && world.tables->jobs.spec[job].min_available < RoleMinimumTotal(world, job)) {
    return true;
  }
  for (GroupIndex role = 0; role < world.tables->jobs.groups[job].size(); ++role) {
    if (CountRole(world, job, role, counts) < RoleMinimum(world, job, role)) return false;
  }
  return true;
}

bool GangPipelined(const Cycle& cycle, JobIndex job) {
  const World& world = cycle.world;
  const int64_t needed = cycle.tables().jobs.spec[job].min_available;
  if (!cycle.volcano) return CountWaiting(world, job) + CountReady(world, job) >= needed;
  const bool roles = RolesSatisfied(world, job, cycle.muster, [&](TaskIndex t) {
    return Occupied(world, t) || PendingBestEffort(cycle, t) ||
           world.status[t] == TaskStatus::kNominated;
  });
  const int64_t best_effort =
      CountTasks(world, job, [&](TaskIndex t) { return PendingBestEffort(cycle, t); });
  return roles && CountWaiting(world, job) + CountReady(world, job) + best_effort >= needed;
}

}  // namespace

int64_t CountReady(const World& world, JobIndex job) {
  return CountTasks(world, job, [&](TaskIndex t) { return Occupied(world, t); });
}

int64_t CountWaiting(const World& world, JobIndex job) {
  return CountTasks(world, job,
                    [&](TaskIndex t) { return world.status[t] == TaskStatus::kNominated; });
}

bool GangReady(const Cycle& cycle, JobIndex job) {
  const World& world = cycle.world;
  int64_t count = CountReady(world, job);
  if (cycle.volcano) {
    count += CountTasks(world, job, [&](TaskIndex t) { return PendingBestEffort(cycle, t); });
  }
  return count >= cycle.tables().jobs.spec[job].min_available;
}

bool JobValid(const Cycle& cycle, JobIndex job) {
  // kube-batch asks before any policy could answer.
  if (!cycle.volcano) return true;
  const PolicyTier policies = PoliciesAt(cycle, "valid");
  const bool asked =
      std::any_of(policies.begin(), policies.end(),
                  [](const ReferencePolicy* policy) { return policy->name == "gang"; });
  if (!asked) return true;
  const World& world = cycle.world;
  const auto valid = [&](TaskIndex t) {
    return Occupied(world, t) || world.status[t] == TaskStatus::kNominated ||
           world.status[t] == TaskStatus::kPending;
  };
  return RolesSatisfied(world, job, cycle.muster, valid) &&
         CountTasks(world, job, valid) >= cycle.tables().jobs.spec[job].min_available;
}

bool JobReady(const Cycle& cycle, JobIndex job) {
  const World& world = cycle.world;
  for (const ReferencePolicy* policy : PoliciesAt(cycle, "ready")) {
    if (policy->name != "gang") continue;
    if (!GangReady(cycle, job)) return false;
    if (cycle.volcano && !RolesSatisfied(world, job, cycle.muster, [&](TaskIndex t) {
          return Occupied(world, t) || PendingBestEffort(cycle, t);
        })) {
      return false;
    }
  }
  return true;
}

// gang never abstains. A refusal counts at once; to volcano a tier with a yes ends the question.
bool JobPipelined(const Cycle& cycle, JobIndex job) {
  for (const PolicyTier& tier : TiersAt(cycle, "pipelined")) {
    bool permitted = false;
    for (const ReferencePolicy* policy : tier) {
      if (policy->name == "gang") {
        if (!GangPipelined(cycle, job)) return false;
        permitted = true;
      } else if (policy->name == "tdm") {
        const int64_t served = CountReady(cycle.world, job) + CountWaiting(cycle.world, job);
        if (served < cycle.tables().jobs.spec[job].min_available) return false;
        permitted = true;
      } else if (policy->name == "sla") {
        permitted = permitted || VoteSla(cycle, *policy, job) > 0;
      }
    }
    if (permitted && cycle.volcano) return true;
  }
  return true;
}

// All of the first tier that has anybody to ask must say yes; later tiers are not asked.
bool JobStarving(const Cycle& cycle, JobIndex job) {
  const World& world = cycle.world;
  const int64_t served = CountReady(world, job) + CountWaiting(world, job);
  for (const PolicyTier& tier : TiersAt(cycle, "starving")) {
    bool asked = false;
    for (const ReferencePolicy* policy : tier) {
      if (policy->name == "priority") {
        asked = true;
        if (served >= static_cast<int64_t>(world.tasks_of(job).size())) return false;
      } else if (policy->name == "gang") {
        asked = true;
        if (served >= cycle.tables().jobs.spec[job].min_available) return false;
      } else if (policy->name == "tdm") {
        asked = true;
        const int64_t waiting = CountTasks(
            world, job, [&](TaskIndex t) { return world.status[t] == TaskStatus::kPending; });
        if (cycle.tables().jobs.spec[job].preemptable.value_or(false) || waiting == 0) return false;
      }
    }
    if (asked) return true;
  }
  return false;
}

bool NeedContinueAllocating(const Cycle& cycle, JobIndex job) {
  const World& world = cycle.world;
  const int64_t needed = cycle.tables().jobs.spec[job].min_available;
  if (needed >= static_cast<int64_t>(world.tasks_of(job).size())) return false;

  std::set<GroupIndex> failed;
  for (TaskIndex t : world.tasks_of(job)) {
    if (cycle.fit_errors.count(t) > 0) failed.insert(cycle.tables().tasks.group[t]);
  }
  if (needed < RoleMinimumTotal(world, job)) {
    const int64_t left = CountTasks(world, job, [&](TaskIndex t) {
      return world.status[t] == TaskStatus::kPending &&
             failed.count(cycle.tables().tasks.group[t]) == 0;
    });
    return CountReady(world, job) + left >= needed;
  }
  for (GroupIndex role : failed) {
    const int64_t minimum = RoleMinimum(world, job, role);
    if (minimum > 0 && CountRole(world, job, role, [&](TaskIndex t) {
                         return Occupied(world, t) || PendingBestEffort(cycle, t);
                       }) < minimum) {
      return false;
    }
  }
  return true;
}

bool RoleHasFitErrors(const Cycle& cycle, TaskIndex task) {
  const JobIndex job = cycle.tables().tasks.job[task];
  const GroupIndex role = cycle.tables().tasks.group[task];
  if (cycle.tables().jobs.groups[job][role].name.empty()) return false;
  for (TaskIndex t : cycle.world.tasks_of(job)) {
    if (cycle.tables().tasks.group[t] == role && cycle.fit_errors.count(t) > 0) return true;
  }
  return false;
}

}  // namespace muster::reference
