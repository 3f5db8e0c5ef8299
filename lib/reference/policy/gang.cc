// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Gangs: how many tasks of a job count as there, as waiting, and whether that is enough. Roles
// (task groups with a minimum of their own) count as Rules::group_minimums says.
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

bool PendingBestEffort(const Cycle& cycle, TaskIndex task) {
  return cycle.rules.best_effort_is_placed && cycle.world.status[task] == TaskStatus::kPending &&
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

bool RolesSatisfied(const Cycle& cycle, JobIndex job,
                    const std::function<bool(TaskIndex)>& counts) {
  const World& world = cycle.world;
  const GroupMinimums minimums = cycle.rules.group_minimums;
  if (minimums == GroupMinimums::kNever) return true;
  if (minimums == GroupMinimums::kWithinJob &&
      world.tables->jobs.spec[job].min_available < RoleMinimumTotal(world, job)) {
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
  const bool roles = RolesSatisfied(cycle, job, [&](TaskIndex t) {
    return Occupied(world, t) || PendingBestEffort(cycle, t) ||
           world.status[t] == TaskStatus::kNominated;
  });
  const int64_t best_effort =
      CountTasks(world, job, [&](TaskIndex t) { return PendingBestEffort(cycle, t); });
  return roles && EnoughParts(cycle, job, Counted::kWaiting) &&
         CountWaiting(world, job) + CountReady(world, job) + best_effort >= needed;
}

bool PartHas(const Cycle& cycle, const Part& part, bool with_waiting) {
  int64_t there = 0;
  for (TaskIndex t : TasksOf(cycle, part)) {
    there += Occupied(cycle.world, t) || PendingBestEffort(cycle, t) ||
             (with_waiting && cycle.world.status[t] == TaskStatus::kNominated);
  }
  return there >= PartMinimum(cycle, part);
}

}  // namespace

bool CanPick(const Cycle& cycle, JobIndex job) {
  const JobSpec& spec = cycle.tables().jobs.spec[job];
  return spec.sub_groups.size() + spec.sub_group_policies.size() > 0;
}

std::vector<TaskIndex> TasksOf(const Cycle& cycle, const Part& part) {
  std::vector<TaskIndex> tasks;
  for (TaskIndex t : cycle.world.tasks_of(part.job)) {
    if (cycle.tables().tasks.sub_group[t] == part.number) tasks.push_back(t);
  }
  return tasks;
}

std::vector<Part> PartsOf(const Cycle& cycle, JobIndex job) {
  std::vector<Part> parts;
  if (!TasksOf(cycle, {job, kNone}).empty()) parts.push_back({job, kNone});
  for (SubGroupIndex s = 0; s < cycle.tables().jobs.spec[job].sub_groups.size(); ++s) {
    if (!TasksOf(cycle, {job, s}).empty()) parts.push_back({job, s});
  }
  return parts;
}

int64_t PartMinimum(const Cycle& cycle, const Part& part) {
  const JobSpec& spec = cycle.tables().jobs.spec[part.job];
  if (part.number != kNone) return spec.sub_groups[part.number].min_available;
  return CanPick(cycle, part.job) ? 1 : spec.min_available;
}

bool EnoughParts(const Cycle& cycle, JobIndex job, Counted counted) {
  if (!cycle.rules.sub_group_minimums) return true;
  for (const SubGroupPolicy& policy : cycle.tables().jobs.spec[job].sub_group_policies) {
    int64_t enough = 0;
    for (const Part& part : PartsOf(cycle, job)) {
      if (part.number == kNone ||
          cycle.tables().jobs.spec[job].sub_groups[part.number].policy != policy.name) {
        continue;
      }
      enough += counted == Counted::kThere || PartHas(cycle, part, counted == Counted::kWaiting);
    }
    if (enough < policy.min_sub_groups) return false;
  }
  return true;
}

bool PartReady(const Cycle& cycle, const Part& part) {
  if (!CanPick(cycle, part.job)) return JobReady(cycle, part.job);
  for (const ReferencePolicy* policy : PoliciesAt(cycle, "sub_group_ready")) {
    if (policy->name == "gang" && !PartHas(cycle, part, false)) return false;
  }
  return true;
}

bool PartPipelined(const Cycle& cycle, const Part& part) {
  if (!CanPick(cycle, part.job)) return JobPipelined(cycle, part.job);
  for (const ReferencePolicy* policy : PoliciesAt(cycle, "sub_group_pipelined")) {
    if (policy->name == "gang" && !PartHas(cycle, part, true)) return false;
  }
  return true;
}

// gang: those that are not ready first. priority: the highest of their tasks, none below 0.
bool PartLess(const Cycle& cycle, const Part& l, const Part& r) {
  for (const ReferencePolicy* policy : PoliciesAt(cycle, "sub_group_order")) {
    const auto key = [&](const Part& part) -> int64_t {
      if (policy->name == "gang") return PartHas(cycle, part, false);
      if (policy->name != "priority") return 0;
      int64_t highest = 0;
      for (TaskIndex t : TasksOf(cycle, part)) {
        highest = std::max<int64_t>(highest, cycle.tables().tasks.priority[t]);
      }
      return -highest;
    };
    if (key(l) != key(r)) return key(l) < key(r);
  }
  const auto rank = [&](const Part& part) {
    const auto& parts = cycle.tables().jobs.spec[part.job].sub_groups;
    if (part.number == kNone) return std::pair<int64_t, int64_t>(0, -1);
    return std::pair<int64_t, int64_t>(parts[part.number].order, part.number);
  };
  return rank(l) < rank(r);
}

int64_t CountReady(const World& world, JobIndex job) {
  return CountTasks(world, job, [&](TaskIndex t) { return Occupied(world, t); });
}

int64_t CountWaiting(const World& world, JobIndex job) {
  return CountTasks(world, job,
                    [&](TaskIndex t) { return world.status[t] == TaskStatus::kNominated; });
}

bool GangReady(const Cycle& cycle, JobIndex job) {
  const World& world = cycle.world;
  const int64_t count = CountReady(world, job) + CountTasks(world, job, [&](TaskIndex t) {
                          return PendingBestEffort(cycle, t);
                        });
  return count >= cycle.tables().jobs.spec[job].min_available;
}

bool JobValid(const Cycle& cycle, JobIndex job) {
  if (!cycle.rules.asks_valid) return true;
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
  return RolesSatisfied(cycle, job, valid) && EnoughParts(cycle, job, Counted::kThere) &&
         CountTasks(world, job, valid) >= cycle.tables().jobs.spec[job].min_available;
}

bool JobReady(const Cycle& cycle, JobIndex job) {
  const World& world = cycle.world;
  for (const ReferencePolicy* policy : PoliciesAt(cycle, "ready")) {
    if (policy->name != "gang") continue;
    if (!GangReady(cycle, job) || !EnoughParts(cycle, job, Counted::kReady)) return false;
    const bool roles = RolesSatisfied(
        cycle, job, [&](TaskIndex t) { return Occupied(world, t) || PendingBestEffort(cycle, t); });
    if (!roles) return false;
  }
  return true;
}

// gang never abstains. A refusal counts at once.
bool JobPipelined(const Cycle& cycle, JobIndex job) {
  for (const PolicyTier& tier : TiersAt(cycle, "pipelined")) {
    bool permitted = false;
    for (const ReferencePolicy* policy : tier) {
      if (policy->name == "gang") {
        if (!GangPipelined(cycle, job)) return false;
        permitted = true;
      } else if (const PolicyTwin& twin = TwinOf(cycle, *policy); twin.pipelined != nullptr) {
        const std::optional<bool> vote = twin.pipelined(cycle, *policy, job);
        if (vote == false) return false;
        permitted = permitted || vote == true;
      }
    }
    if (permitted && cycle.rules.yes_ends_waiting) return true;
  }
  return true;
}

// All policies of the first tier in which one answers must say yes. Later tiers are not asked.
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
      } else if (const PolicyTwin& twin = TwinOf(cycle, *policy); twin.starving != nullptr) {
        asked = true;
        if (!twin.starving(cycle, *policy, job)) return false;
      }
    }
    if (asked) return true;
  }
  return false;
}

bool NeedContinueAllocating(const Cycle& cycle, const Part& part) {
  const World& world = cycle.world;
  const JobIndex job = part.job;
  const int64_t needed = cycle.tables().jobs.spec[job].min_available;
  if (needed >= static_cast<int64_t>(world.tasks_of(job).size())) return false;
  if (PartMinimum(cycle, part) >= static_cast<int64_t>(TasksOf(cycle, part).size())) return false;
  if (CanPick(cycle, job)) return true;

  std::set<GroupIndex> failed;
  for (TaskIndex t : TasksOf(cycle, part)) {
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
  for (TaskIndex t : TasksOf(cycle, {job, cycle.tables().tasks.sub_group[task]})) {
    if (cycle.tables().tasks.group[t] == role && cycle.fit_errors.count(t) > 0) return true;
  }
  return false;
}

}  // namespace muster::reference
