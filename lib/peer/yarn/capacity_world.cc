// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/yarn/capacity_world.h"

#include <algorithm>
#include <tuple>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "lib/kube/selectors.h"

namespace muster::yarn {
namespace {

constexpr int64_t kMiB = int64_t{1} << 20;
constexpr int64_t kMilli = 1000;
// Sums over the largest cluster stay within 64 bits.
constexpr int64_t kMostHad = int64_t{1} << 35;

int64_t RoundedUp(int64_t amount, int64_t unit) { return amount / unit + (amount % unit != 0); }
// What is requested may be more than any node has, and is refused then.
int64_t Bounded(int64_t amount) { return std::clamp<int64_t>(amount, 0, kMostHad); }

constexpr DimensionIndex kCpuRow = kCpu, kMemoryRow = kMemory;

}  // namespace

CapacityWorld::CapacityWorld(const Tables& tables, const Ledger& ledger, CapacityTree tree)
    : tables_(tables),
      ledger_(ledger),
      queue_of_(std::move(tree.queue_of)),
      scheduler_(absl::UnknownError("not made")),
      node_of_(tables.nodes.alive.size(), kNone) {
  Resource most;
  for (muster::NodeIndex n = 0; n < tables.nodes.alive.size(); ++n) {
    if (!tables.nodes.alive[n]) continue;
    const auto has = tables.nodes.allocatable.row(n);
    most = MostOf(
        most, {Bounded(OrZero(has[kMemoryRow]) / kMiB), Bounded(OrZero(has[kCpuRow]) / kMilli)});
  }
  Resource& largest = tree.settings.max_allocation;
  if (largest.memory == 0) largest.memory = most.memory;
  if (largest.vcores == 0) largest.vcores = most.vcores;
  // The tree was checked when it was read.
  scheduler_ = CapacityScheduler::Make(std::move(tree.settings));
  if (!scheduler_.ok()) return;
  AddNodes();
  AddApps();
}

void CapacityWorld::AddNodes() {
  std::vector<std::pair<int64_t, int64_t>> others(node_of_.size());  // bytes, thousandths
  for (TaskIndex t = 0; t < tables_.tasks.alive.size(); ++t) {
    if (!tables_.tasks.alive[t]) continue;
    const muster::NodeIndex n = ledger_.node_of(t);
    const TaskStatus status = ledger_.status(t);
    if (n == muster::kNone || !HoldsNode(status)) continue;
    if (tables_.has_job(t) && IsAllocated(status)) continue;
    const auto request = ledger_.request(t);
    others[n].first += OrZero(request[kMemoryRow]);
    others[n].second += OrZero(request[kCpuRow]);
  }
  for (muster::NodeIndex n = 0; n < node_of_.size(); ++n) {
    if (!tables_.nodes.alive[n] || !tables_.nodes.spec[n].ready) continue;
    const auto has = tables_.nodes.allocatable.row(n);
    const Resource total{Bounded((OrZero(has[kMemoryRow]) - others[n].first) / kMiB),
                         Bounded((OrZero(has[kCpuRow]) - others[n].second) / kMilli)};
    const std::string& name = tables_.nodes.spec[n].name;
    node_of_[n] =
        scheduler_->AddNode({.name = name, .rack = absl::StrCat("rack:", name), .total = total});
    row_of_.push_back(n);
  }
}

void CapacityWorld::AddApps() {
  std::vector<JobIndex> order;
  for (JobIndex j = 0; j < tables_.jobs.alive.size(); ++j) {
    if (tables_.jobs.alive[j] && !tables_.jobs.tasks[j].empty()) order.push_back(j);
  }
  const auto key = [&](JobIndex j) {
    const JobSpec& spec = tables_.jobs.spec[j];
    return std::tuple(spec.created, spec.uid_rank, j);
  };
  std::ranges::sort(order, {}, key);
  for (const JobIndex j : order) AddApp(j);
}

void CapacityWorld::AddApp(JobIndex job) {
  std::vector<TaskIndex> pending;
  bool holds = false;
  for (const TaskIndex t : tables_.jobs.tasks[job]) {
    if (!tables_.tasks.alive[t]) continue;
    const TaskStatus status = ledger_.status(t);
    holds |= IsAllocated(status);
    const bool is_gated = (tables_.tasks.flags[t] & kTaskGated) != 0;
    if (status == TaskStatus::kPending && !is_gated) pending.push_back(t);
  }
  if (pending.empty() && !holds) return;
  const JobSpec& spec = tables_.jobs.spec[job];
  const muster::QueueIndex q = tables_.jobs.queue[job];
  const std::string& path = scheduler_->queues()[queue_of_[q]].settings.path;
  absl::StatusOr<AppIndex> app =
      scheduler_->Submit({.id = static_cast<uint32_t>(requests_.size() + 1),
                          .queue = path,
                          .user = spec.owner ? spec.owner->user : "nobody",
                          .priority = spec.priority});
  if (!app.ok()) {
    for (const TaskIndex t : pending) refused_.emplace_back(t, std::string(app.status().message()));
    return;
  }
  requests_.emplace_back();
  if (holds) Recover(*app, job);
  bool closed = false;
  for (muster::QueueIndex up = q; up != muster::kNone; up = tables_.queues.parent[up]) {
    closed |= tables_.queues.spec[up].state == QueueState::kClosed;
  }
  if (closed) {
    for (const TaskIndex t : pending) {
      refused_.emplace_back(t, absl::StrCat("queue \"", path, "\" is stopped"));
    }
    return;
  }
  AskFor(*app, job, std::move(pending));
}

void CapacityWorld::Recover(AppIndex app, JobIndex job) {
  for (const TaskIndex t : tables_.jobs.tasks[job]) {
    if (!tables_.tasks.alive[t] || !IsAllocated(ledger_.status(t))) continue;
    const NodeIndex node = node_of_[ledger_.node_of(t)];
    if (node != kNone) scheduler_->Recover(app, node, SizeOf(tables_.tasks.task_class[t]));
  }
}

void CapacityWorld::AskFor(AppIndex app, JobIndex job, std::vector<TaskIndex> tasks) {
  const TaskTable& all = tables_.tasks;
  const auto key = [&](TaskIndex t) {
    return std::tuple(-int64_t{all.priority[t]}, all.task_class[t], all.ordinal[t], all.uid_rank[t],
                      t);
  };
  std::ranges::sort(tasks, {}, key);
  int32_t priority = 0;
  for (size_t i = 0; i < tasks.size();) {
    size_t end = i;
    const ClassIndex c = all.task_class[tasks[i]];
    while (end < tasks.size() && all.task_class[tasks[end]] == c &&
           all.priority[tasks[end]] == all.priority[tasks[i]]) {
      ++end;
    }
    const std::vector<TaskIndex> alike(tasks.begin() + static_cast<ptrdiff_t>(i),
                                       tasks.begin() + static_cast<ptrdiff_t>(end));
    i = end;
    const Resource size = SizeOf(c);
    if (std::string why = Refusal(c, size); !why.empty()) {
      for (const TaskIndex t : alike) refused_.emplace_back(t, why);
      continue;
    }
    ++priority;
    Request& request = requests_[app][priority];
    request = {c, size, {alike.rbegin(), alike.rend()}};
    const auto count = static_cast<int64_t>(alike.size());
    std::vector<std::pair<Place, struct Ask>> asks;
    bool everywhere = true;
    for (const muster::NodeIndex n : row_of_) everywhere &= Admits(n, c);
    for (const muster::NodeIndex n : row_of_) {
      if (everywhere) break;
      if (!Admits(n, c)) continue;
      asks.push_back({scheduler_->PlaceOf(tables_.nodes.spec[n].name), {size, count}});
      asks.push_back({scheduler_->PlaceOf(absl::StrCat("rack:", tables_.nodes.spec[n].name)),
                      {size, count, false}});
    }
    asks.push_back({kAnyPlace, {size, count, everywhere}});
    scheduler_->Ask(app, priority, asks);
  }
}

Resource CapacityWorld::SizeOf(ClassIndex c) const {
  const auto request = tables_.classes.request.row(c);
  const CapacitySettings& settings = scheduler_->settings();
  const Resource plain{Bounded(RoundedUp(OrZero(request[kMemoryRow]), kMiB)),
                       Bounded(RoundedUp(OrZero(request[kCpuRow]), kMilli))};
  return RoundUp(settings.calculator, MostOf(plain, settings.min_allocation),
                 settings.min_allocation);
}

std::string CapacityWorld::Refusal(ClassIndex c, const Resource& size) const {
  const auto request = tables_.classes.request.row(c);
  for (DimensionIndex d = 0; d < request.size(); ++d) {
    if (d == kCpuRow || d == kMemoryRow || d == kPods || OrZero(request[d]) == 0) continue;
    return absl::StrCat("resource ", Quote(tables_.dimensions.name(d)),
                        " is not known to the scheduler");
  }
  const Resource& most = scheduler_->settings().max_allocation;
  const bool by_memory = scheduler_->settings().calculator == Calculator::kMemory;
  if (size.memory <= most.memory && (by_memory || size.vcores <= most.vcores)) return "";
  return absl::StrCat("requested <memory:", size.memory, ", vCores:", size.vcores,
                      "> is above the largest allocation, <memory:", most.memory,
                      ", vCores:", most.vcores, ">");
}

bool CapacityWorld::Admits(muster::NodeIndex node, ClassIndex c) const {
  const muster::NodeSpec& spec = tables_.nodes.spec[node];
  const TaskShape& shape = tables_.classes.shape[c];
  if (spec.unschedulable && !ToleratesUnschedulable(shape)) return false;
  return MatchesNode(shape, spec) && FirstUntolerated(shape, spec) == nullptr;
}

TaskIndex CapacityWorld::Take(ContainerIndex container) {
  const Container& c = scheduler_->containers()[container];
  std::vector<TaskIndex>& tasks = requests_[c.app].at(c.priority).tasks;
  const TaskIndex task = tasks.back();
  tasks.pop_back();
  return task;
}

std::vector<CapacityWorld::Waiting> CapacityWorld::LeftOver() const {
  std::vector<Waiting> waiting;
  for (AppIndex app = 0; app < requests_.size(); ++app) {
    for (const auto& [priority, request] : requests_[app]) {
      if (request.tasks.empty()) continue;
      waiting.push_back(
          {app, priority, request.size, {request.tasks.rbegin(), request.tasks.rend()}});
    }
  }
  return waiting;
}

}  // namespace muster::yarn
