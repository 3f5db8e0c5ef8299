// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/yarn/fair_world.h"

#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace muster::yarn {
namespace {

std::string WordsOf(const Resource& r) {
  return absl::StrCat("<memory:", r.memory, ", vCores:", r.vcores, ">");
}

FairTree WithLargest(FairTree tree, const ClusterRows& rows) {
  Resource& most = tree.options.max_allocation;
  constexpr int64_t kMostAllocation = int64_t{1} << 31;
  most = LeastOf(rows.LargestUpTo(most), {kMostAllocation, kMostAllocation});
  return tree;
}

}  // namespace

FairWorld::FairWorld(const Tables& tables, const Ledger& ledger, FairTree tree)
    : rows_(tables, ledger),
      tree_(WithLargest(std::move(tree), rows_)),
      scheduler_(fair::FairScheduler::Make(tree_.options, tree_.queues, tree_.user_limits, 0)) {
  if (!scheduler_.ok()) return;
  for (NodePlace p = 0; p < rows_.nodes().size(); ++p) {
    const std::string& name = rows_.NameOf(p);
    if (!scheduler_->AddNode(name, absl::StrCat("rack:", name), rows_.nodes()[p].total).ok()) {
      scheduler_ = absl::UnknownError("a node that the scheduler does not take");
      return;
    }
  }
  AddApps(tables);
  scheduler_->Update();
}

void FairWorld::AddApps(const Tables& tables) {
  const fair::Options& options = tree_.options;
  offered_ = rows_.ReadApps(
      {.most = options.max_allocation, .rounded = [&](const Resource& plain, const Resource& most) {
         const Resource raised = MostOf(plain, options.min_allocation);
         return LeastOf(RoundUp(Calculator::kDominant, raised, options.increment), most);
       }});
  for (size_t i = 0; i < offered_.apps.size(); ++i) {
    AppRow& row = offered_.apps[i];
    const uint32_t queue = tree_.queue_of[tables.jobs.queue[row.job]];
    const absl::StatusOr<AppIndex> app = scheduler_->AddApp({.id = static_cast<int64_t>(i + 1),
                                                             .queue = tree_.queues[queue].path,
                                                             .user = row.user,
                                                             .unmanaged = true});
    absl::Status status = app.status();
    if (app.ok()) {
      row_of_.push_back(i);
      for (const RunningRow& one : row.running) scheduler_->Recover(*app, one.place, one.size);
      status = scheduler_->SetAsks(*app, AsksOf(row));
    }
    if (status.ok()) continue;
    for (RequestRow& request : row.requests) {
      for (const TaskIndex t : request.tasks) {
        offered_.refused.emplace_back(t, std::string(status.message()));
      }
      request.tasks.clear();
    }
  }
}

std::vector<fair::AskSpec> FairWorld::AsksOf(const AppRow& row) const {
  std::vector<fair::AskSpec> asks;
  for (const RequestRow& request : row.requests) {
    fair::AskSpec ask{.priority = request.priority,
                      .place = "*",
                      .size = request.size,
                      .count = static_cast<int64_t>(request.tasks.size()),
                      .relax_locality = request.everywhere};
    asks.push_back(ask);
    for (const NodePlace p : request.places) {
      const std::string& name = rows_.NameOf(p);
      ask.place = name;
      ask.relax_locality = true;
      asks.push_back(ask);
      ask.place = absl::StrCat("rack:", name);
      ask.relax_locality = false;
      asks.push_back(ask);
    }
  }
  return asks;
}

std::vector<Given> FairWorld::Report(muster::NodeIndex node) {
  const NodePlace place = rows_.PlaceOf(node);
  reported_.clear();
  if (!scheduler_.ok() || place == ClusterRows::kNoPlace) return {};
  const auto allocations = scheduler_->Heartbeat(place);
  if (!allocations.ok()) return {};
  std::vector<Given> given;
  for (const fair::Allocation& one : *allocations) {
    const Container& c = scheduler_->cluster().containers[one.container];
    std::vector<RequestRow>& requests = offered_.apps[row_of_[one.app]].requests;
    std::vector<TaskIndex>& tasks = requests[static_cast<size_t>(c.priority - 1)].tasks;
    given.push_back({tasks.back(), static_cast<uint32_t>(reported_.size())});
    reported_.push_back({one.app, one.number});
    tasks.pop_back();
  }
  return given;
}

void FairWorld::TakeBack(uint32_t container) {
  (void)scheduler_->EndContainer(reported_[container]);
}

std::vector<Unserved> FairWorld::WhatWaits() {
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

Unserved FairWorld::WhyWaits(AppIndex index, const RequestRow& request) const {
  const fair::Cluster& cluster = scheduler_->cluster();
  const fair::App& app = cluster.apps[index];
  if (!app.runnable) {
    return {request.tasks, ReasonKind::kNotAdmitted,
            "the queue, one above it, or the user has as many running applications as it may"};
  }
  for (fair::QueueIndex q = app.queue; q != kNone; q = cluster.queues[q].parent) {
    const fair::Queue& queue = cluster.queues[q];
    const Resource with = queue.usage + request.size;
    if (FitsInAll(with, queue.max)) continue;
    return {request.tasks, ReasonKind::kNoNode,
            absl::StrCat("queue \"", queue.config.path, "\" would exceed its maximum: ",
                         WordsOf(with), " of ", WordsOf(queue.max))};
  }
  return {request.tasks, ReasonKind::kNoNode,
          absl::StrCat("no node that reported has room for ", WordsOf(request.size))};
}

}  // namespace muster::yarn
