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
      scheduler_(absl::UnknownError("not made")) {
  Resource& most = tree.settings.max_allocation;
  const Resource largest = rows_.LargestUpTo(most);
  if (most.memory == 0) most.memory = largest.memory;
  if (most.vcores == 0) most.vcores = largest.vcores;
  scheduler_ = CapacityScheduler::Make(std::move(tree.settings));
  if (!scheduler_.ok()) return;
  std::vector<NodeSpec> nodes;
  for (NodePlace p = 0; p < rows_.nodes().size(); ++p) {
    const std::string& name = rows_.NameOf(p);
    nodes.push_back({.name = name, .rack = RackOf(name), .total = rows_.nodes()[p].total});
  }
  scheduler_->AddNodes(nodes);
  AddApps(tables);
}

void CapacityWorld::AddApps(const Tables& tables) {
  const CapacitySettings& settings = scheduler_->settings();
  offered_ =
      rows_.ReadApps({.most = rows_.LargestUpTo(settings.max_allocation),
                      .rounded = [&](const Resource& plain, const Resource& most) {
                        return Normalize(settings.calculator, plain, settings.min_allocation, most);
                      }});
  for (size_t i = 0; i < offered_.apps.size(); ++i) {
    AppRow& row = offered_.apps[i];
    const uint32_t queue = queue_of_[tables.jobs.queue[row.job]];
    const absl::StatusOr<AppIndex> app =
        scheduler_->Submit({.id = static_cast<uint32_t>(i + 1),
                            .queue = scheduler_->queues()[queue].settings.path,
                            .user = row.user,
                            .priority = tables.jobs.spec[row.job].priority});
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
      held_.push_back(
          {one.task, scheduler_->Recover(*app, one.place, one.size, one.priority, one.is_spared)});
    }
    for (const RequestRow& request : row.requests) AskFor(*app, request);
  }
}

void CapacityWorld::AskFor(AppIndex app, const RequestRow& request) {
  const auto count = static_cast<int64_t>(request.tasks.size());
  std::vector<std::pair<Place, struct Ask>> asks;
  for (const NodePlace p : request.places) {
    const std::string& name = rows_.NameOf(p);
    asks.push_back({scheduler_->PlaceOf(name), {request.size, count}});
    asks.push_back({scheduler_->PlaceOf(RackOf(name)), {request.size, count, false}});
  }
  asks.push_back({kAnyPlace, {request.size, count, request.everywhere}});
  scheduler_->Ask(app, request.priority, asks);
}

std::vector<Given> CapacityWorld::Report(muster::NodeIndex node) {
  const NodePlace place = rows_.PlaceOf(node);
  if (!scheduler_.ok() || place == ClusterRows::kNoPlace) return {};
  std::vector<Given> given;
  for (const ContainerIndex index : scheduler_->Heartbeat(place)) {
    const Container& c = scheduler_->containers()[index];
    std::vector<RequestRow>& requests = offered_.apps[row_of_[c.app]].requests;
    std::vector<TaskIndex>& tasks = requests[static_cast<size_t>(c.priority - 1)].tasks;
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
  // What the root has is the cluster.
  for (QueueIndex q = app.queue; q != 0; q = s.queues()[q].parent) {
    const Queue& queue = s.queues()[q];
    const Resource with = queue.usage[kDefaultPartition].used + request.size;
    const Resource& most = queue.capacity[kDefaultPartition].most;
    if (FitsIn(by, with, most)) continue;
    return {request.tasks, ReasonKind::kNoNode,
            absl::StrCat("queue \"", queue.settings.path,
                         "\" would exceed its maximum: ", TextOf(with), " of ", TextOf(most))};
  }
  const Resource limit = s.UserLimit(app.queue, app.user, kDefaultPartition, true);
  const User* user = s.leaves()[app.queue].users.Find(app.user);
  if (user != nullptr && Greater(by, s.cluster(), user->used[kDefaultPartition], limit)) {
    return {request.tasks, ReasonKind::kNoNode,
            absl::StrCat("user \"", std::string(s.UserName(app.user)), "\" is above its limit: ",
                         TextOf(user->used[kDefaultPartition]), " of ", TextOf(limit))};
  }
  return {request.tasks, ReasonKind::kNoNode,
          absl::StrCat("no node that reported has room for ", TextOf(request.size))};
}

}  // namespace muster::yarn
