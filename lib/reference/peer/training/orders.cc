// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// attained and finish-time of a first cycle, as their files word them: service and ratios are
// computed for each comparison, from the rows as the cycle found them. Nothing was remembered, so
// no job is promoted.
#include <algorithm>
#include <cmath>
#include <vector>

#include "absl/numeric/int128.h"
#include "lib/reference/cycle.h"
#include "lib/reference/peer/training/training.h"

namespace muster::reference {
namespace {

// The seconds for which the task has held its place; 0 of a task that holds none.
int64_t HeldFor(const Cycle& cycle, TaskIndex task) {
  const TaskStatus status = cycle.tables().tasks.status[task];
  const int64_t started = cycle.tables().tasks.started[task];
  if (!IsAllocated(status) && status != TaskStatus::kReleasing) return 0;
  return started == kAbsent ? 0 : std::max<int64_t>(cycle.now - started, 0);
}

// Thousandths.
int64_t Units(const Cycle& cycle, const ReferencePolicy& policy, TaskIndex task) {
  const std::string resource = TextOption(policy, "resource", "nvidia.com/gpu");
  const auto d = cycle.tables().dimensions.Find(resource);
  const int64_t amount = d ? OrZero(cycle.world.request(task)[*d]) : 0;
  return amount <= 0 ? 1000 : IsMilliDimension(resource) ? amount : 1000 * amount;
}

int64_t Level(const Cycle& cycle, const ReferencePolicy& policy, JobIndex job) {
  int64_t service = 0;
  for (TaskIndex t : cycle.world.tasks_of(job)) {
    service += Units(cycle, policy, t) * HeldFor(cycle, t);
  }
  int64_t level = 0;
  bool any = false;
  for (const auto& [name, otherwise] :
       {std::pair("level1", 3250.0), std::pair("level2", 7200.0), std::pair("level3", 0.0)}) {
    const auto threshold = std::llround(1000 * NumberOption(policy, name, otherwise));
    any |= threshold > 0;
    level += threshold > 0 && service >= threshold;
  }
  return any ? level : service;
}

int OrderByLevel(const Cycle& cycle, const ReferencePolicy& policy, JobIndex l, JobIndex r) {
  const int64_t left = Level(cycle, policy, l), right = Level(cycle, policy, r);
  return left < right ? -1 : left > right ? 1 : 0;
}

bool HasEstimate(const Cycle& cycle, JobIndex job) {
  return cycle.tables().jobs.alive[job] && !cycle.world.tasks_of(job).empty() &&
         cycle.tables().jobs.spec[job].estimate.value_or(0) > 0;
}

int64_t Left(const Cycle& cycle, JobIndex job) {
  int64_t ran = 0;
  for (TaskIndex t : cycle.world.tasks_of(job)) ran = std::max(ran, HeldFor(cycle, t));
  return std::max<int64_t>(*cycle.tables().jobs.spec[job].estimate - ran, 0);
}

// Below 0: the ratio of l is worse.
int OrderByRatio(const Cycle& cycle, JobIndex l, JobIndex r) {
  const auto stay = [&](JobIndex job) {
    const int64_t since = cycle.now - cycle.tables().jobs.spec[job].created;
    return absl::int128(std::max<int64_t>(since, 0)) + Left(cycle, job);
  };
  const absl::int128 left = stay(l) * *cycle.tables().jobs.spec[r].estimate;
  const absl::int128 right = stay(r) * *cycle.tables().jobs.spec[l].estimate;
  return left > right ? -1 : left < right ? 1 : 0;
}

// A job is visible if fewer jobs are worse than there are visible ones.
bool IsVisible(const Cycle& cycle, const ReferencePolicy& policy, JobIndex job) {
  const auto hidden = std::llround(1'000'000 * NumberOption(policy, "fairness", 0.8));
  int64_t count = 0, worse = 0;
  const auto& spec = cycle.tables().jobs.spec;
  for (JobIndex other = 0; other < cycle.tables().jobs.alive.size(); ++other) {
    if (!HasEstimate(cycle, other)) continue;
    ++count;
    int order = OrderByRatio(cycle, other, job);
    if (order == 0 && spec[other].created != spec[job].created) {
      order = spec[other].created < spec[job].created ? -1 : 1;
    }
    const int64_t left = spec[other].uid_rank, right = spec[job].uid_rank;
    if (order == 0) order = left < right ? -1 : left > right ? 1 : 0;
    worse += order < 0 || (order == 0 && other < job);
  }
  return worse * 1'000'000 < count * (1'000'000 - hidden);
}

int OrderByFinishTime(const Cycle& cycle, const ReferencePolicy& policy, JobIndex l, JobIndex r) {
  const auto tier = [&](JobIndex job) {
    return !HasEstimate(cycle, job) ? 2 : IsVisible(cycle, policy, job) ? 0 : 1;
  };
  if (tier(l) != tier(r)) return tier(l) - tier(r);
  if (tier(l) == 2) return 0;
  const auto work = [&](JobIndex job) {
    int64_t size = 0;
    for (TaskIndex t : cycle.world.tasks_of(job)) size += Units(cycle, policy, t);
    return size * Left(cycle, job);
  };
  if (tier(l) == 0 && work(l) != work(r)) return work(l) < work(r) ? -1 : 1;
  return OrderByRatio(cycle, l, r);
}

}  // namespace

PolicyTwins TrainingTwins() {
  PolicyTwin attained, finish_time;
  attained.name = "attained";
  attained.job_order = OrderByLevel;
  finish_time.name = "finish-time";
  finish_time.job_order = OrderByFinishTime;
  return {attained, finish_time};
}

}  // namespace muster::reference
