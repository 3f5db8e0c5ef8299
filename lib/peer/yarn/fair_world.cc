// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/yarn/fair_world.h"

#include <algorithm>
#include <string_view>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "lib/peer/yarn/fair/app_assign.h"

namespace muster::yarn {
namespace {

constexpr int64_t kRan = 1;     // in slot applications
constexpr int64_t kLevels = 3;  // of locality

std::string WordsOf(const Resource& r) {
  return absl::StrCat("<memory:", r.memory, ", vCores:", r.vcores, ">");
}

// Times before 0 count as 0.
int64_t MillisecondsAt(int64_t now) { return std::max<int64_t>(MillisecondsOf(now), 0); }

// What depends on the nodes that there are.
FairTree Resolved(FairTree tree, const ClusterRows& rows) {
  Resource& most = tree.options.max_allocation;
  constexpr int64_t kMostAllocation = int64_t{1} << 31;
  most = LeastOf(rows.LargestUpTo(most), {kMostAllocation, kMostAllocation});
  Resource total;
  for (const NodeRow& node : rows.nodes()) total += node.total;
  ResolveMaxima(total, &tree);
  return tree;
}

}  // namespace

FairWorld::FairWorld(const Tables& tables, const Ledger& ledger, FairTree tree, const Cycle& before)
    : tables_(tables),
      ledger_(ledger),
      rows_(tables, ledger),
      tree_(Resolved(std::move(tree), rows_)),
      scheduler_(fair::FairScheduler::Make(tree_.options, tree_.queues, tree_.user_limits,
                                           MillisecondsAt(before.now()))) {
  if (!scheduler_.ok()) return;
  for (NodePlace p = 0; p < rows_.nodes().size(); ++p) {
    const std::string& name = rows_.NameOf(p);
    if (!scheduler_->AddNode(name, rows_.RackOf(p), rows_.nodes()[p].total).ok()) {
      scheduler_ = absl::UnknownError("a node that the scheduler does not take");
      return;
    }
  }
  AddApps(before);
  app_of_.assign(tables_.jobs.alive.size(), kNone);
  for (AppIndex app = 0; app < row_of_.size(); ++app) {
    app_of_[offered_.apps[row_of_[app]].job] = app;
  }
  RecoverReservations(before);
  RecoverPreemption(before);
  if (!tree_.options.preemption) scheduler_->Update();
}

void FairWorld::AddApps(const Cycle& before) {
  const fair::Options& options = tree_.options;
  offered_ = rows_.ReadApps(
      {.most = options.max_allocation,
       .rounded =
           [&](const Resource& plain, const Resource& most) {
             const Resource raised = MostOf(plain, options.min_allocation);
             return LeastOf(RoundUp(Calculator::kDominant, raised, options.increment), most);
           },
       .master_group_of = [&](JobIndex job) { return tree_.master_of_job[job]; }});
  for (const Arrival& arrival : Arrivals(before)) {
    const absl::Status status = AddApp(arrival, before);
    if (status.ok()) continue;
    for (RequestRow& request : offered_.apps[arrival.row].requests) {
      for (const TaskIndex t : request.tasks) {
        offered_.refused.emplace_back(t, std::string(status.message()));
      }
      request.tasks.clear();
    }
  }
}

// Those that ran before go first.
std::vector<FairWorld::Arrival> FairWorld::Arrivals(const Cycle& before) const {
  const MemorySlot& slot = before.Recall(kFairSlots.applications);
  std::vector<Arrival> arrivals;
  for (size_t i = 0; i < offered_.apps.size(); ++i) {
    const JobIndex job = offered_.apps[i].job;
    const std::string& path = tree_.queues[tree_.queue_of[tables_.jobs.queue[job]]].path;
    arrivals.push_back({i, KeptState(slot, tables_.jobs.names.name(job), path) == kRan});
  }
  std::ranges::stable_sort(arrivals,
                           [](const Arrival& a, const Arrival& b) { return a.ran && !b.ran; });
  return arrivals;
}

absl::Status FairWorld::AddApp(const Arrival& arrival, const Cycle& before) {
  const AppRow& row = offered_.apps[arrival.row];
  const uint32_t queue = tree_.queue_of[tables_.jobs.queue[row.job]];
  const absl::StatusOr<AppIndex> app =
      scheduler_->AddApp({.id = static_cast<int64_t>(arrival.row + 1),
                          .queue = tree_.queues[queue].path,
                          .user = row.user,
                          .unmanaged = !row.master,
                          .runs = arrival.ran});
  if (!app.ok()) return app.status();
  row_of_.push_back(arrival.row);
  for (const RunningRow& one : row.running) {
    const fair::ContainerName name = scheduler_->Recover(*app, {.node = one.place,
                                                                .size = one.size,
                                                                .is_master = one.is_master,
                                                                .is_spared = one.is_spared});
    held_.push_back({one.task, name, one.is_spared});
  }
  const MemorySlot& slot = before.Recall(kFairSlots.requests);
  std::vector<KeptRequest> kept = KeptRequests(slot, tables_.jobs.names.name(row.job));
  for (const RequestRow& request : row.requests) {
    const auto [opportunities, level, unused] = TakeCounts(request.name, &kept);
    if (level < 1 || level > kLevels) continue;
    scheduler_->SetLevel(*app, {.priority = request.priority,
                                .opportunities = opportunities,
                                .known = true,
                                .allowed = static_cast<Locality>(level - 1)});
  }
  if (!kept.empty()) gone_[*app] = std::move(kept);
  return scheduler_->SetAsks(*app, AsksOf(row));
}

void FairWorld::RecoverReservations(const Cycle& before) {
  const MemorySlot& slot = before.Recall(kFairSlots.reservations);
  if (slot.empty()) return;
  for (NodePlace p = 0; p < rows_.nodes().size(); ++p) {
    const std::optional<KeptReservation> kept = KeptReservationOf(slot, rows_.NameOf(p));
    if (!kept) continue;
    const AppIndex app = AppOf(kept->job);
    if (app == kNone) continue;
    const RequestRow& request = FindOrAddRequest(kept->name, &offered_.apps[row_of_[app]]);
    if (!request.everywhere && std::ranges::find(request.places, p) == request.places.end()) {
      continue;
    }
    scheduler_->RecoverReservation(app, p, request.size, request.priority);
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
      ask.place = rows_.NameOf(p);
      ask.relax_locality = true;
      asks.push_back(ask);
      if (request.everywhere) continue;
      ask.place = rows_.RackOf(p);
      ask.relax_locality = false;
      asks.push_back(ask);
    }
    for (const std::string& rack : request.racks) {
      ask.place = rack;
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
  if (!allocations->empty()) delays_ = -1;
  std::vector<Given> given;
  for (const fair::Allocation& one : *allocations) {
    const Container& c = scheduler_->cluster().containers[one.container];
    AppRow& row = offered_.apps[row_of_[one.app]];
    const int32_t first = row.requests.front().priority;
    std::vector<TaskIndex>& tasks = row.requests[static_cast<size_t>(c.priority - first)].tasks;
    const fair::ContainerName name = {one.app, one.number};
    if (row.waits_for_master) (void)scheduler_->MarkMaster(name);
    given.push_back({tasks.back(), static_cast<uint32_t>(reported_.size())});
    reported_.push_back(name);
    tasks.pop_back();
  }
  return given;
}

bool FairWorld::MayGiveLater(int64_t) {
  if (!scheduler_.ok()) return false;
  const fair::Cluster& cluster = scheduler_->cluster();
  const auto steps = static_cast<int64_t>(cluster.present.size()) + 2;
  int64_t delays = 0;
  bool has_wishes = false;
  for (const fair::App& app : cluster.apps) {
    if (!app.runnable) continue;
    for (const fair::LocalityLevel& level : app.levels) {
      const auto key =
          std::ranges::find(app.requests.keys(), level.priority, &RequestKey::priority);
      if (key == app.requests.keys().end() || !key->is_served() || key->places() == 1) continue;
      has_wishes = true;
      delays += static_cast<int64_t>(level.allowed) * steps;
      if (level.allowed != Locality::kAny) delays += level.opportunities;
    }
  }
  return has_wishes && std::exchange(delays_, delays) != delays;
}

const RequestRow& FairWorld::RequestOf(AppIndex app, int32_t priority) const {
  const std::vector<RequestRow>& requests = offered_.apps[row_of_[app]].requests;
  return requests[static_cast<size_t>(priority - requests.front().priority)];
}

void FairWorld::Keep(const Cycle& cycle) {
  if (!scheduler_.ok()) return;
  const fair::Cluster& cluster = scheduler_->cluster();
  MemorySlot applications, requests, reservations;
  for (AppIndex a = 0; a < row_of_.size(); ++a) {
    const fair::App& app = cluster.apps[a];
    const std::string_view job = JobOf(a);
    if (app.runnable) applications.Set(job, {cluster.queues[app.queue].config.path, kRan});
    std::vector<KeptRequest> counts;
    for (const fair::LocalityLevel& level : app.levels) {
      const RequestRow& request = RequestOf(a, level.priority);
      if (!request.everywhere || request.racks.empty()) continue;
      counts.push_back(
          {request.name, {level.opportunities, static_cast<int64_t>(level.allowed) + 1, 0}});
    }
    if (const auto gone = gone_.find(a); gone != gone_.end()) {
      counts.insert(counts.end(), gone->second.begin(), gone->second.end());
    }
    if (!counts.empty()) requests.Set(job, RowOf(counts));
    for (const NodeIndex n : app.reserved_nodes) {
      const Container& container = cluster.containers[cluster.nodes[n].reserved];
      reservations.Set(rows_.NameOf(n), RowOf({.job = std::string(job),
                                               .name = RequestOf(a, container.priority).name}));
    }
  }
  yarn::Keep(cycle, kFairSlots.applications, std::move(applications));
  yarn::Keep(cycle, kFairSlots.requests, std::move(requests));
  yarn::Keep(cycle, kFairSlots.reservations, std::move(reservations));
  KeepPreemption(cycle);
}

void FairWorld::TakeBack(uint32_t container) { (void)scheduler_->Withdraw(reported_[container]); }

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
  if (const auto over = fair::MasterLimitOver(cluster, app)) {
    return {request.tasks, ReasonKind::kNotAdmitted,
            absl::StrCat("queue \"", cluster.queues[app.queue].config.path,
                         "\" would exceed its share of masters: ", WordsOf(over->usage), " of ",
                         WordsOf(over->limit))};
  }
  for (fair::QueueIndex q = app.queue; q != kNone; q = cluster.queues[q].parent) {
    const fair::Queue& queue = cluster.queues[q];
    const Resource with = queue.usage + request.size;
    if (FitsInAll(with, queue.max)) continue;
    return {request.tasks, ReasonKind::kNoNode,
            absl::StrCat("queue \"", queue.config.path, "\" would exceed its maximum: ",
                         WordsOf(with), " of ", WordsOf(queue.max))};
  }
  for (const NodeIndex n : app.reserved_nodes) {
    if (cluster.containers[cluster.nodes[n].reserved].priority != request.priority) continue;
    return {request.tasks, ReasonKind::kNoNode,
            absl::StrCat("node \"", rows_.NameOf(n), "\" is reserved, and has no room yet for ",
                         WordsOf(request.size))};
  }
  return {request.tasks, ReasonKind::kNoNode,
          absl::StrCat("no node that reported has room for ", WordsOf(request.size))};
}

}  // namespace muster::yarn
