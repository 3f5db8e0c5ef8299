// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/yarn/capacity_world.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace muster::yarn {
namespace {

std::string TextOf(const Resource& r) {
  return absl::StrCat("<memory:", r.memory, ", vCores:", r.vcores, ">");
}
// Racks have one node each: nothing is requested in a rack but for its node.
std::string RackOf(const std::string& node) { return absl::StrCat("rack:", node); }

}  // namespace

CapacityWorld::CapacityWorld(const Tables& tables, const Ledger& ledger, CapacityTree tree)
    : rows_(tables, ledger),
      queue_of_(std::move(tree.queue_of)),
      partitions_(std::move(tree.partitions)),
      scheduler_(absl::UnknownError("not made")) {
  Resource& most = tree.settings.max_allocation;
  const Resource largest = rows_.LargestUpTo(most);
  if (most.memory == 0) most.memory = largest.memory;
  if (most.vcores == 0) most.vcores = largest.vcores;
  scheduler_ = CapacityScheduler::Make(std::move(tree.settings));
  if (!scheduler_.ok()) return;
  std::vector<NodeSpec> nodes;
  size_t shared = 0;
  for (NodePlace p = 0; p < rows_.nodes().size(); ++p) {
    const std::string& name = rows_.NameOf(p);
    const Partition partition = partitions_.of_node[rows_.nodes()[p].node];
    nodes.push_back({.name = name,
                     .rack = RackOf(name),
                     .total = rows_.nodes()[p].total,
                     .partition = partition});
    if (!partitions_.exclusive[partition]) ++shared;
  }
  // A shared node serves requests for no label once they missed as many reports as there are nodes.
  if (shared > 0) idle_rounds_ = static_cast<int64_t>(nodes.size() / shared) + 2;
  scheduler_->AddNodes(nodes);
  AddApps(tables);
}

void CapacityWorld::AddApps(const Tables& tables) {
  const CapacitySettings& settings = scheduler_->settings();
  offered_ = rows_.ReadApps(
      {.most = rows_.LargestUpTo(settings.max_allocation),
       .rounded =
           [&](const Resource& plain, const Resource& most) {
             return Normalize(settings.calculator, plain, settings.min_allocation, most);
           },
       .kind_of = [&](JobIndex job) { return partitions_.of_job[job]; },
       .serves =
           [&](uint32_t partition, muster::NodeIndex node) {
             const Partition own = partitions_.of_node[node];
             if (own == partition) return true;
             return partition == kDefaultPartition && !partitions_.exclusive[own];
           },
       .master_group_of = [&](JobIndex job) { return partitions_.master_of_job[job]; }});
  for (size_t i = 0; i < offered_.apps.size(); ++i) {
    AppRow& row = offered_.apps[i];
    const absl::StatusOr<AppIndex> app = Submit(tables, row, static_cast<uint32_t>(i + 1));
    if (!app.ok()) {
      for (RequestRow& request : row.requests) {
        for (const TaskIndex t : request.tasks) {
          offered_.refused.emplace_back(t, std::string(app.status().message()));
        }
        request.tasks.clear();
      }
      continue;
    }
    row_of_.push_back(i);
    for (const RunningRow& one : row.running) {
      const ContainerIndex container =
          scheduler_->Recover(*app, one.place, one.size, one.priority, one.is_spared);
      if (one.is_master) scheduler_->MarkMaster(container);
      held_.push_back({one.task, container});
    }
    for (const RequestRow& request : row.requests) {
      AskFor(*app, static_cast<Partition>(row.kind), request);
    }
  }
}

absl::StatusOr<AppIndex> CapacityWorld::Submit(const Tables& tables, const AppRow& row,
                                               uint32_t id) {
  const QueueSettings& queue = scheduler_->queues()[queue_of_[tables.jobs.queue[row.job]]].settings;
  if (!queue.partitions[row.kind].is_accessible) {
    return absl::InvalidArgumentError(absl::StrCat(
        "queue \"", queue.path, "\" has no access to label \"", partitions_.names[row.kind], "\""));
  }
  return scheduler_->Submit({.id = id,
                             .queue = queue.path,
                             .user = row.user,
                             .priority = tables.jobs.spec[row.job].priority,
                             .master = row.master,
                             .partition = static_cast<Partition>(row.kind)});
}

void CapacityWorld::AskFor(AppIndex app, Partition partition, const RequestRow& request) {
  const auto count = static_cast<int64_t>(request.tasks.size());
  std::vector<std::pair<Place, struct Ask>> asks;
  for (const NodePlace p : request.places) {
    const std::string& name = rows_.NameOf(p);
    asks.push_back({scheduler_->PlaceOf(name), {request.size, count}});
    asks.push_back({scheduler_->PlaceOf(RackOf(name)), {request.size, count, false}});
  }
  asks.push_back({kAnyPlace, {request.size, count, request.everywhere, partition}});
  scheduler_->Ask(app, request.priority, asks);
}

std::vector<Given> CapacityWorld::Report(muster::NodeIndex node) {
  const NodePlace place = rows_.PlaceOf(node);
  if (!scheduler_.ok() || place == ClusterRows::kNoPlace) return {};
  std::vector<Given> given;
  for (const ContainerIndex index : scheduler_->Heartbeat(place)) {
    const Container& c = scheduler_->containers()[index];
    std::vector<RequestRow>& requests = offered_.apps[row_of_[c.app]].requests;
    const int32_t first = requests.front().priority;
    std::vector<TaskIndex>& tasks = requests[static_cast<size_t>(c.priority - first)].tasks;
    if (scheduler_->apps()[c.app].waits_for_master) scheduler_->MarkMaster(index);
    given.push_back({tasks.back(), index});
    tasks.pop_back();
  }
  return given;
}

void CapacityWorld::TakeBack(uint32_t container) { scheduler_->EndContainer(container); }

std::vector<Unserved> CapacityWorld::WhatWaits() {
  std::vector<Unserved> all;
  for (const auto& [task, message] : offered_.refused) {
    all.push_back({{task}, ReasonKind::kNotAdmitted, message});
  }
  for (AppIndex app = 0; app < row_of_.size(); ++app) {
    for (const RequestRow& request : offered_.apps[row_of_[app]].requests) {
      if (!request.tasks.empty()) all.push_back(WhyWaits(app, request));
    }
  }
  return all;
}

Unserved CapacityWorld::WhyWaits(AppIndex index, const RequestRow& request) {
  CapacityScheduler& s = *scheduler_;
  const App& app = s.apps()[index];
  if (app.state != AppState::kActive) {
    return {request.tasks, ReasonKind::kNotAdmitted,
            app.state == AppState::kWaiting
                ? "the queue, or one above it, has as many parallel applications as it may"
                : "the application is added to the scheduler and is not yet activated"};
  }
  const Calculator by = s.settings().calculator;
  const auto p = static_cast<Partition>(offered_.apps[row_of_[index]].kind);
  // What the root has is the cluster.
  for (QueueIndex q = app.queue; q != 0; q = s.queues()[q].parent) {
    const Queue& queue = s.queues()[q];
    const Resource with = queue.usage[p].used + request.size;
    const Resource& most = queue.capacity[p].most;
    if (FitsIn(by, with, most)) continue;
    return {request.tasks, ReasonKind::kNoNode,
            absl::StrCat("queue \"", queue.settings.path,
                         "\" would exceed its maximum: ", TextOf(with), " of ", TextOf(most))};
  }
  const Resource limit = s.UserLimit(app.queue, app.user, p, true);
  const User* user = s.leaves()[app.queue].users.Find(app.user);
  if (user != nullptr && Greater(by, s.cluster(), user->used[p], limit)) {
    return {request.tasks, ReasonKind::kNoNode,
            absl::StrCat("user \"", std::string(s.UserName(app.user)),
                         "\" is above its limit: ", TextOf(user->used[p]), " of ", TextOf(limit))};
  }
  return {request.tasks, ReasonKind::kNoNode,
          absl::StrCat("no node that reported has room for ", TextOf(request.size))};
}

}  // namespace muster::yarn
