// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// due and joborder of a first cycle, as their files word them: each number is computed for each
// comparison, from the rows as the cycle found them.
#include "lib/reference/policy/job_orders.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "lib/base/math.h"
#include "lib/reference/cycle.h"

namespace muster::reference {
namespace {

// Whether the task held a place when the cycle began.
bool HeldAPlace(const Cycle& cycle, TaskIndex task) {
  const TaskStatus status = cycle.tables().tasks.status[task];
  return status == TaskStatus::kBinding || status == TaskStatus::kBound ||
         status == TaskStatus::kRunning || status == TaskStatus::kWaiting ||
         status == TaskStatus::kReleasing;
}

// What all tasks of the job request of the dimension, as a part of what all nodes have.
double PartOf(const Cycle& cycle, int64_t amount, DimensionIndex d) {
  const NodeTable& nodes = cycle.tables().nodes;
  int64_t all = 0;
  for (NodeIndex n = 0; n < nodes.alive.size(); ++n) {
    if (nodes.alive[n]) all += OrZero(nodes.allocatable.at(n, d));
  }
  return d == kPods || all <= 0 ? 0 : static_cast<double>(amount) / static_cast<double>(all);
}

// The largest part, and its amount in whole cpus, devices or Gi.
std::pair<double, int64_t> LargestPart(const Cycle& cycle, JobIndex job) {
  double part = 0;
  int64_t units = 1;
  for (DimensionIndex d = 0; d < cycle.world.dimensions(); ++d) {
    int64_t sum = 0;
    for (TaskIndex t : cycle.world.tasks_of(job)) sum += OrZero(cycle.world.request(t)[d]);
    if (PartOf(cycle, sum, d) <= part) continue;
    part = PartOf(cycle, sum, d);
    const int64_t unit = IsMilliDimension(cycle.tables().dimensions.name(d)) ? 1000
                         : d == kMemory                                      ? int64_t{1} << 30
                                                                             : 1;
    units = std::max<int64_t>(1, (sum + unit - 1) / unit);
  }
  return {part, units};
}

double Service(const Cycle& cycle, JobIndex job) {
  double service = 0;
  for (TaskIndex t : cycle.world.tasks_of(job)) {
    const int64_t started = cycle.tables().tasks.started[t];
    if (!HeldAPlace(cycle, t) || started == kAbsent || started > cycle.now) continue;
    double part = 0;
    for (DimensionIndex d = 0; d < cycle.world.dimensions(); ++d) {
      part = std::max(part, PartOf(cycle, OrZero(cycle.world.request(t)[d]), d));
    }
    service += part * static_cast<double>(cycle.now - started);
  }
  return service;
}

double NumberOf(const Cycle& cycle, const std::string& by, JobIndex job) {
  const JobSpec& spec = cycle.tables().jobs.spec[job];
  const double last = std::numeric_limits<double>::infinity();
  const auto [part, units] = LargestPart(cycle, job);
  if (by == "las") return Service(cycle, job);
  if (by == "edf") return spec.deadline ? static_cast<double>(*spec.deadline) : last;
  if (by == "smallest") return part;
  if (by == "largest") return -part;
  if (!spec.estimate) return last;
  const auto r = static_cast<double>(*spec.estimate), n = static_cast<double>(units);
  if (by == "sjf") return r;
  if (by == "ljf") return -r;
  if (by == "saf") return r * part;
  if (by == "srpt") {
    double ran = 0;
    for (TaskIndex t : cycle.world.tasks_of(job)) {
      const int64_t started = cycle.tables().tasks.started[t];
      if (!HeldAPlace(cycle, t) || started == kAbsent) continue;
      ran = std::max(ran, static_cast<double>(cycle.now - started));
    }
    return std::max(r - ran, 0.0);
  }
  const double s = spec.created < 1 ? 0 : Log(static_cast<double>(spec.created)) / Log(10);
  if (by == "f1") return Log(r) / Log(10) * n + 870 * s;
  if (by == "f2") return std::sqrt(r) * n + 25600 * s;
  if (by == "f3") return r * n + 6860000 * s;
  return r * std::sqrt(n) + 530000 * s;
}

int OrderByNumber(const Cycle& cycle, const ReferencePolicy& policy, JobIndex l, JobIndex r) {
  const std::string by = TextOption(policy, "by", "saf");
  const double left = NumberOf(cycle, by, l), right = NumberOf(cycle, by, r);
  return left < right ? -1 : left > right ? 1 : 0;
}

// When the job is due, in thousandths of a second, with nothing learnt.
int64_t DueTime(const Cycle& cycle, const ReferencePolicy& policy, JobIndex job) {
  const TaskTable& tasks = cycle.tables().tasks;
  int64_t longest = 0;
  for (JobIndex j : cycle.world.session_jobs()) {
    bool runs = false;
    int64_t first = kAbsent;
    for (TaskIndex t : cycle.world.tasks_of(j)) {
      if (!HeldAPlace(cycle, t) && tasks.status[t] != TaskStatus::kUnknown) continue;
      runs = true;
      if (tasks.started[t] == kAbsent) continue;
      first = first == kAbsent ? tasks.started[t] : std::min(first, tasks.started[t]);
    }
    if (!runs) continue;
    longest = std::max(
        longest, (first == kAbsent ? cycle.now : first) - cycle.tables().jobs.spec[j].created);
  }
  const JobSpec& spec = cycle.tables().jobs.spec[job];
  const auto estimate = static_cast<double>(spec.estimate.value_or(432000));
  const double run = std::max(estimate / 2, 1.0), inverse = 2 * (1 / std::max(estimate, 10.0));
  const double delay = std::min(NumberOption(policy, "cap", 0.3) * static_cast<double>(longest),
                                NumberOption(policy, "scale", 200) * std::sqrt(run / inverse));
  return spec.created * 1000 + static_cast<int64_t>(delay * 1000);
}

int OrderByDueTime(const Cycle& cycle, const ReferencePolicy& policy, JobIndex l, JobIndex r) {
  const int64_t left = DueTime(cycle, policy, l), right = DueTime(cycle, policy, r);
  return left < right ? -1 : left > right ? 1 : 0;
}

}  // namespace

PolicyTwins JobOrderTwins() {
  PolicyTwin due, number;
  due.name = "due";
  due.job_order = OrderByDueTime;
  number.name = "joborder";
  number.job_order = OrderByNumber;
  return {due, number};
}

}  // namespace muster::reference
