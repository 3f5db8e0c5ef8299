// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/yarn/capacity_world.h"

#include <algorithm>
#include <string_view>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace muster::yarn {
namespace {

// What slot applications has.
constexpr int64_t kWasWaiting = 0, kWasPending = 1, kWasActive = 2;

bool HasWishes(const RequestRow& request) { return request.everywhere && !request.racks.empty(); }

std::string TextOf(const Resource& r) {
  return absl::StrCat("<memory:", r.memory, ", vCores:", r.vcores, ">");
}

}  // namespace

CapacityWorld::CapacityWorld(const Tables& tables, const Ledger& ledger, CapacityTree tree,
                             const Cycle& before)
    : tables_(tables),
      rows_(tables, ledger),
      queue_of_job_(std::move(tree.queue_of_job)),
      refusals_(std::move(tree.refusals)),
      home_of_(std::move(tree.home_of)),
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
                     .rack = rows_.RackOf(p),
                     .total = rows_.nodes()[p].total,
                     .partition = partition});
    if (!partitions_.exclusive[partition]) ++shared;
  }
  // A shared node serves requests for no label once they missed as many reports as there are nodes.
  if (shared > 0) idle_rounds_ = static_cast<int64_t>(nodes.size() / shared) + 2;
  scheduler_->AddNodes(nodes);
  ReadApps();
  for (const Arrival& arrival : Arrivals(before)) AddApp(arrival, before);
  RecoverReservations(before);
}

void CapacityWorld::ReadApps() {
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
       .master_group_of = [&](JobIndex job) { return partitions_.master_of_job[job]; },
       .home_of =
           [&](JobIndex job) {
             const uint32_t row = queue_of_job_[job];
             return row == kNoRow ? muster::kNone : home_of_[row];
           },
       .refusal_of =
           [&](JobIndex job) {
             const auto why = refusals_.find(job);
             return why == refusals_.end() ? std::string() : why->second;
           }});
  for (const AppRow& app : offered_.apps) {
    has_wishes_ |= std::ranges::any_of(app.requests, HasWishes);
  }
}

// Those that came furthest before go first, and of equal ones the older.
std::vector<CapacityWorld::Arrival> CapacityWorld::Arrivals(const Cycle& before) const {
  const MemorySlot& slot = before.Recall(kCapacitySlots.applications);
  std::vector<Arrival> arrivals;
  for (size_t i = 0; i < offered_.apps.size(); ++i) {
    const JobIndex job = offered_.apps[i].job;
    const QueueSettings& leaf = scheduler_->queues()[queue_of_job_[job]].settings;
    const auto state = KeptState(slot, tables_.jobs.names.name(job), leaf.path);
    Arrival& arrival = arrivals.emplace_back(Arrival{.row = i});
    if (state == kWasActive) arrival.before = AppState::kActive;
    if (state == kWasPending) arrival.before = AppState::kPending;
    if (state == kWasWaiting) arrival.before = AppState::kWaiting;
  }
  std::ranges::stable_sort(arrivals,
                           [](const Arrival& a, const Arrival& b) { return a.before > b.before; });
  return arrivals;
}

void CapacityWorld::AddApp(const Arrival& arrival, const Cycle& before) {
  AppRow& row = offered_.apps[arrival.row];
  const absl::StatusOr<AppIndex> app = Submit(arrival);
  if (!app.ok()) {
    for (RequestRow& request : row.requests) {
      for (const TaskIndex t : request.tasks) {
        offered_.refused.emplace_back(t, std::string(app.status().message()));
      }
      request.tasks.clear();
    }
    return;
  }
  row_of_.push_back(arrival.row);
  for (const RunningRow& one : row.running) {
    const ContainerIndex container =
        scheduler_->Recover(*app, one.place, one.size, one.priority, one.is_spared);
    if (one.is_master) scheduler_->MarkMaster(container);
    held_.push_back({one.task, container});
  }
  const MemorySlot& slot = before.Recall(kCapacitySlots.requests);
  std::vector<KeptRequest> kept = KeptRequests(slot, tables_.jobs.names.name(row.job));
  for (const RequestRow& request : row.requests) {
    AskFor(*app, static_cast<Partition>(row.kind), request);
    const auto [missed, missed_default, again] = TakeCounts(request.name, &kept);
    scheduler_->SetMissed(*app, request.priority, {missed, missed_default, again});
  }
  if (!kept.empty()) gone_[*app] = std::move(kept);
}

absl::StatusOr<AppIndex> CapacityWorld::Submit(const Arrival& arrival) {
  const AppRow& row = offered_.apps[arrival.row];
  const QueueSettings& queue = scheduler_->queues()[queue_of_job_[row.job]].settings;
  if (!queue.partitions[row.kind].is_accessible) {
    return absl::InvalidArgumentError(absl::StrCat(
        "queue \"", queue.path, "\" has no access to label \"", partitions_.names[row.kind], "\""));
  }
  const auto number = static_cast<uint32_t>(arrival.row + 1);
  return scheduler_->Submit({.id = number,
                             .queue = queue.path,
                             .user = row.user,
                             .priority = tables_.jobs.spec[row.job].priority,
                             .master = row.master,
                             .partition = static_cast<Partition>(row.kind),
                             .started = number,
                             .before = arrival.before});
}

void CapacityWorld::AskFor(AppIndex app, Partition partition, const RequestRow& request) {
  const auto count = static_cast<int64_t>(request.tasks.size());
  std::vector<std::pair<Place, struct Ask>> asks;
  for (const NodePlace p : request.places) {
    asks.push_back({scheduler_->PlaceOf(rows_.NameOf(p)), {request.size, count}});
    if (request.everywhere) continue;
    asks.push_back({scheduler_->PlaceOf(rows_.RackOf(p)), {request.size, count, false}});
  }
  for (const std::string& rack : request.racks) {
    asks.push_back({scheduler_->PlaceOf(rack), {request.size, count}});
  }
  asks.push_back({kAnyPlace, {request.size, count, request.everywhere, partition}});
  scheduler_->Ask(app, request.priority, asks);
}

bool CapacityWorld::IsServedAt(const AppRow& row, const RequestRow& request,
                               NodePlace place) const {
  if (!request.everywhere) {
    return std::ranges::find(request.places, place) != request.places.end();
  }
  const Partition own = partitions_.of_node[rows_.nodes()[place].node];
  return own == row.kind || (row.kind == kDefaultPartition && !partitions_.exclusive[own]);
}

void CapacityWorld::RecoverReservations(const Cycle& before) {
  const MemorySlot& slot = before.Recall(kCapacitySlots.reservations);
  if (slot.empty()) return;
  std::vector<AppIndex> app_of(tables_.jobs.alive.size(), kNone);
  for (AppIndex app = 0; app < row_of_.size(); ++app) app_of[offered_.apps[row_of_[app]].job] = app;
  for (NodePlace p = 0; p < rows_.nodes().size(); ++p) {
    const std::optional<KeptReservation> kept = KeptReservationOf(slot, rows_.NameOf(p));
    if (!kept) continue;
    const auto job = tables_.jobs.names.Find(kept->job);
    if (!job || app_of[*job] == kNone) continue;
    const AppIndex app = app_of[*job];
    AppRow& row = offered_.apps[row_of_[app]];
    const RequestRow& request = FindOrAddRequest(kept->name, &row);
    if (!IsServedAt(row, request, p)) continue;
    if (request.tasks.empty()) AskFor(app, static_cast<Partition>(row.kind), request);
    scheduler_->RecoverReservation(app, p, request.size, request.priority);
  }
}

std::vector<Given> CapacityWorld::Report(muster::NodeIndex node) {
  const NodePlace place = rows_.PlaceOf(node);
  if (!scheduler_.ok() || place == ClusterRows::kNoPlace) return {};
  std::vector<Given> given;
  for (const ContainerIndex index : scheduler_->Heartbeat(place)) {
    delays_ = -1;
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

bool CapacityWorld::MayGiveLater(int64_t idle) {
  if (idle <= idle_rounds_) return true;
  if (!has_wishes_) return false;
  int64_t delays = 0;
  for (const App& app : scheduler_->apps()) {
    if (app.state != AppState::kActive) continue;
    for (const RequestKey& key : app.requests.keys()) {
      if (!key.is_served() || key.places() == 1) continue;
      delays += std::min(key.opportunities, scheduler_->LongestDelay(key) + 1);
    }
  }
  return std::exchange(delays_, delays) != delays;
}

void CapacityWorld::TakeBack(uint32_t container) { scheduler_->EndContainer(container); }

const RequestRow& CapacityWorld::RequestOf(AppIndex app, int32_t priority) const {
  const std::vector<RequestRow>& requests = offered_.apps[row_of_[app]].requests;
  return requests[static_cast<size_t>(priority - requests.front().priority)];
}

// Counts that no decision reads are left out.
std::vector<KeptRequest> CapacityWorld::RequestsOf(AppIndex app) const {
  std::vector<KeptRequest> all;
  for (const RequestKey& key : scheduler_->apps()[app].requests.keys()) {
    const RequestRow& request = RequestOf(app, key.priority());
    const KeptCounts counts = {HasWishes(request) ? key.opportunities : 0,
                               idle_rounds_ > 0 ? key.default_opportunities : 0,
                               key.reserved_again};
    if (counts != KeptCounts{}) all.push_back({request.name, counts});
  }
  if (const auto gone = gone_.find(app); gone != gone_.end()) {
    all.insert(all.end(), gone->second.begin(), gone->second.end());
  }
  return all;
}

void CapacityWorld::Keep(const Cycle& cycle) {
  if (!scheduler_.ok()) return;
  MemorySlot applications, requests, reservations;
  for (AppIndex a = 0; a < row_of_.size(); ++a) {
    const App& app = scheduler_->apps()[a];
    const std::string_view job = tables_.jobs.names.name(offered_.apps[row_of_[a]].job);
    const int64_t state = app.state == AppState::kActive    ? kWasActive
                          : app.state == AppState::kPending ? kWasPending
                                                            : kWasWaiting;
    applications.Set(job, {scheduler_->queues()[app.queue].settings.path, state});
    if (MemoryRow row = RowOf(RequestsOf(a)); !row.empty()) requests.Set(job, std::move(row));
    for (const ContainerIndex index : app.reserved) {
      const Container& container = scheduler_->containers()[index];
      reservations.Set(rows_.NameOf(container.node),
                       RowOf({std::string(job), RequestOf(a, container.priority).name}));
    }
  }
  yarn::Keep(cycle, kCapacitySlots.applications, std::move(applications));
  yarn::Keep(cycle, kCapacitySlots.requests, std::move(requests));
  yarn::Keep(cycle, kCapacitySlots.reservations, std::move(reservations));
}

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
    const bool is_by_user = app.state == AppState::kWaiting && s.HasMostParallel(app.user);
    return {request.tasks, ReasonKind::kNotAdmitted,
            is_by_user ? absl::StrCat("user ", Quote(s.UserName(app.user)),
                                      " has as many parallel applications as one may")
            : app.state == AppState::kWaiting
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
  if (std::string why = WhyDelayed(index, request); !why.empty()) {
    return {request.tasks, ReasonKind::kNoNode, std::move(why)};
  }
  return {request.tasks, ReasonKind::kNoNode,
          absl::StrCat("no node that reported has room for ", TextOf(request.size))};
}

// Reservations and delays of localities; empty: there are none.
std::string CapacityWorld::WhyDelayed(AppIndex index, const RequestRow& request) const {
  const App& app = scheduler_->apps()[index];
  for (const ContainerIndex c : app.reserved) {
    const Container& container = scheduler_->containers()[c];
    if (container.priority != request.priority) continue;
    return absl::StrCat("node \"", rows_.NameOf(container.node),
                        "\" is reserved, and has no room yet for ", TextOf(request.size));
  }
  const auto key = std::ranges::find(app.requests.keys(), request.priority, &RequestKey::priority);
  if (!request.everywhere || key->places() == 1) return "";
  const int64_t longest = scheduler_->LongestDelay(*key);
  if (key->opportunities > longest) return "";
  return absl::StrCat("waits for nodes that it prefers: missed ", key->opportunities,
                      " reports of others, and takes any node after ", longest);
}

}  // namespace muster::yarn
