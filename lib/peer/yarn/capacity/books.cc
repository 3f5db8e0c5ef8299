// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The books: containers, reservations, nodes, headroom.
#include <algorithm>
#include <utility>

#include "lib/peer/yarn/capacity/scheduler.h"

namespace muster::yarn {

void CapacityScheduler::EnterNode(const NodeSpec& spec) {
  nodes_.push_back({.name = PlaceOf(spec.name),
                    .rack = PlaceOf(spec.rack),
                    .partition = spec.partition,
                    .total = spec.total,
                    .free = spec.total});
  cluster_ += spec.total;
  totals_[spec.partition] += spec.total;
  ++live_nodes_;
}

NodeIndex CapacityScheduler::AddNode(const NodeSpec& spec) {
  EnterNode(spec);
  UpdateCluster();
  return static_cast<NodeIndex>(nodes_.size() - 1);
}

void CapacityScheduler::AddNodes(const std::vector<NodeSpec>& specs) {
  nodes_.reserve(nodes_.size() + specs.size());
  for (const NodeSpec& spec : specs) EnterNode(spec);
  UpdateCluster();
}

void CapacityScheduler::RemoveNode(NodeIndex index) {
  totals_[nodes_[index].partition] -= nodes_[index].total;
  std::vector<ContainerIndex> containers = nodes_[index].containers;
  std::ranges::sort(containers, {}, [&](ContainerIndex c) { return containers_[c].id; });
  for (const ContainerIndex c : containers) Release(c);
  if (nodes_[index].reserved != kNone) DropReservation(nodes_[index].reserved);
  nodes_[index].is_gone = true;
  cluster_ -= nodes_[index].total;
  --live_nodes_;
  UpdateCluster();
}

UserLimitBase CapacityScheduler::LimitBase(QueueIndex leaf, Partition partition) const {
  const Capacity& own = queues_[leaf].capacity[partition];
  return {settings_.calculator, totals_[partition], own.guaranteed, own.most,
          settings_.min_allocation};
}

void CapacityScheduler::ChangeUsed(App* app, Partition partition, const Resource& by) {
  leaves_[app->queue].users.Change(app->user, partition, by, LimitBase(app->queue, partition));
  for (QueueIndex q = app->queue; q != kNone; q = queues_[q].parent) {
    queues_[q].usage[partition].used += by;
    UpdateUse(q, partition);
  }
}

void CapacityScheduler::ChangeReserved(App* app, Partition partition, const Resource& by) {
  app->usage[partition].reserved += by;
  for (QueueIndex q = app->queue; q != kNone; q = queues_[q].parent) {
    queues_[q].usage[partition].reserved += by;
  }
}

ContainerIndex CapacityScheduler::MakeContainer(AppIndex app, NodeIndex node, const Resource& size,
                                                int32_t priority, Locality locality) {
  return containers_.Add({.id = {apps_[app].id, ++apps_[app].made},
                          .app = app,
                          .node = node,
                          .size = size,
                          .priority = priority,
                          .locality = locality,
                          .requested = apps_[app].requests.Find(priority)->partition(),
                          .since = time_,
                          .created = ++clock_});
}

void CapacityScheduler::AddReservation(ContainerIndex index) {
  Container& container = containers_[index];
  container.is_reserved = true;
  App& app = apps_[container.app];
  Node& node = nodes_[container.node];
  const auto name = [&](ContainerIndex c) { return NameOf(nodes_[containers_[c].node].name); };
  app.reserved.insert(std::ranges::upper_bound(app.reserved, name(index), {}, name), index);
  RequestKey& key = *app.requests.Find(container.priority);
  ++key.reserved;
  key.reserved_again = 0;
  node.reserved = index;
  ChangeReserved(&app, node.partition, container.size);
}

void CapacityScheduler::Unreserve(ContainerIndex index) {
  Container& container = containers_[index];
  container.is_reserved = false;
  App& app = apps_[container.app];
  Node& node = nodes_[container.node];
  std::erase(app.reserved, index);
  RequestKey& key = *app.requests.Find(container.priority);
  --key.reserved;
  key.reserved_again = 0;
  node.reserved = kNone;
  ChangeReserved(&app, node.partition, Resource{} - container.size);
}

void CapacityScheduler::AddLive(ContainerIndex index) {
  Container& container = containers_[index];
  App& app = apps_[container.app];
  Node& node = nodes_[container.node];
  container.at_app = static_cast<uint32_t>(app.live.size());
  app.live.push_back(index);
  app.usage[node.partition].used += container.size;
  node.Hold(index, &containers_);
}

ContainerIndex CapacityScheduler::Recover(AppIndex index, NodeIndex node, const Resource& size,
                                          int32_t priority, bool is_spared) {
  App& app = apps_[index];
  const Partition partition = nodes_[node].partition;
  const ContainerIndex container = containers_.Add({.id = {app.id, ++app.made},
                                                    .app = index,
                                                    .node = node,
                                                    .size = size,
                                                    .priority = priority,
                                                    .requested = partition,
                                                    .is_spared = is_spared,
                                                    .since = time_,
                                                    .created = ++clock_});
  AddLive(container);
  MarkDirty(index);
  ChangeUsed(&app, partition, size);
  return container;
}

void CapacityScheduler::RecoverReservation(AppIndex app, NodeIndex node, const Resource& size,
                                           int32_t priority) {
  if (nodes_[node].reserved != kNone) return;
  const int64_t again = apps_[app].requests.Find(priority)->reserved_again;
  AddReservation(MakeContainer(app, node, size, priority, Locality::kAny));
  apps_[app].requests.Find(priority)->reserved_again = again;
  ChangeUsed(&apps_[app], nodes_[node].partition, size);
  MarkDirty(app);
}

void CapacityScheduler::SetMissed(AppIndex app, int32_t priority, const MissedCounts& counts) {
  RequestKey& key = *apps_[app].requests.Find(priority);
  key.opportunities = counts.opportunities;
  key.default_opportunities = counts.default_opportunities;
  key.reserved_again = counts.reserved_again;
}

LeafPast CapacityScheduler::PastOf(QueueIndex index) const {
  const Leaf& leaf = leaves_[index];
  const Capacity& own = queues_[index].capacity[kDefaultPartition];
  LeafPast past{.guaranteed = own.guaranteed,
                .most = own.most,
                .current_limit = leaf.current_limit,
                .headroom_limit = leaf.headroom_limit,
                .pending_only = leaf.users.pending_only()};
  for (size_t p = 0; p < partitions(); ++p) {
    RatioSum sum{.total = totals_[p], .sum = leaf.users.ratio_sum(static_cast<Partition>(p))};
    for (UserIndex u = 0; u < leaf.users.all().size(); ++u) {
      const User& user = leaf.users.all()[u];
      if (!user.is_known || user.ratio[p] == 0) continue;
      sum.ratios.emplace_back(user_names_.name(u), user.ratio[p]);
    }
    past.sums.push_back(std::move(sum));
  }
  return past;
}

bool CapacityScheduler::IsOutdated(QueueIndex index, const LeafPast& past) const {
  const Capacity& own = queues_[index].capacity[kDefaultPartition];
  if (past.guaranteed != own.guaranteed || past.most != own.most) return true;
  for (size_t p = 0; p < partitions(); ++p) {
    const bool is_used = past.sums[p].sum != 0 || !past.sums[p].ratios.empty();
    if (is_used && past.sums[p].total != totals_[p]) return true;
  }
  return false;
}

void CapacityScheduler::SetLimits(QueueIndex index, const LeafPast& past) {
  Leaf& leaf = leaves_[index];
  leaf.current_limit = past.current_limit;
  leaf.headroom_limit = past.headroom_limit;
  leaf.users.SetPendingOnly(past.pending_only);
}

void CapacityScheduler::SetSums(QueueIndex index, const LeafPast& past) {
  for (size_t p = 0; p < partitions(); ++p) {
    std::vector<std::pair<UserIndex, float>> ratios;
    for (const auto& [user, ratio] : past.sums[p].ratios) {
      ratios.emplace_back(user_names_.Intern(user), ratio);
    }
    leaves_[index].users.SetRatioSum(static_cast<Partition>(p), past.sums[p].sum, ratios);
  }
}

void CapacityScheduler::DropReservation(ContainerIndex index) {
  Unreserve(index);
  const Container& container = containers_[index];
  App& app = apps_[container.app];
  MarkDirty(container.app);
  ChangeUsed(&app, nodes_[container.node].partition, Resource{} - container.size);
  containers_.Free(index);
}

void CapacityScheduler::Release(ContainerIndex index) {
  const Container& container = containers_[index];
  App& app = apps_[container.app];
  Node& node = nodes_[container.node];
  app.live[container.at_app] = app.live.back();
  containers_[app.live.back()].at_app = container.at_app;
  app.live.pop_back();
  app.usage[node.partition].used -= container.size;
  node.Release(index, &containers_);
  MarkDirty(container.app);
  ChangeUsed(&app, node.partition, Resource{} - container.size);
  containers_.Free(index);
}

void CapacityScheduler::EndContainer(ContainerIndex container) { Release(container); }

bool CapacityScheduler::MoveReservation(ContainerIndex index, NodeIndex node) {
  Container& container = containers_[index];
  Node& from = nodes_[container.node];
  Node& to = nodes_[node];
  if (to.reserved != kNone || from.partition != to.partition) return false;
  from.reserved = kNone;
  to.reserved = index;
  container.node = node;
  std::vector<ContainerIndex>& list = apps_[container.app].reserved;
  const auto name = [&](ContainerIndex c) { return NameOf(nodes_[containers_[c].node].name); };
  std::erase(list, index);
  list.insert(std::ranges::upper_bound(list, name(index), {}, name), index);
  return true;
}

void CapacityScheduler::MarkMaster(ContainerIndex index) {
  containers_[index].is_master = true;
  apps_[containers_[index].app].waits_for_master = false;
}

Resource CapacityScheduler::LimitOf(AppIndex index, Partition partition, Exclusivity mode) {
  const App& app = apps_[index];
  Leaf& leaf = leaves_[app.queue];
  if (leaf.users.Find(app.user) == nullptr) return {};
  NoteHeadroom(index);
  return leaf.users.LimitOfActive(app.user, partition, mode, LimitBase(app.queue, partition));
}

void CapacityScheduler::NoteHeadroom(AppIndex index) {
  App& app = apps_[index];
  Leaf& leaf = leaves_[app.queue];
  const User* user = leaf.users.Find(app.user);
  if (user == nullptr) return;
  app.has_headroom = true;
  app.generation = user->generation;
  leaf.headroom_limit = leaf.current_limit;
}

Resource CapacityScheduler::UserLimit(QueueIndex leaf, UserIndex user, Partition partition,
                                      bool of_active) {
  Users& users = leaves_[leaf].users;
  const UserLimitBase base = LimitBase(leaf, partition);
  return of_active ? users.LimitOfActive(user, partition, Exclusivity::kRespect, base)
                   : users.LimitOfAll(user, partition, Exclusivity::kRespect, base);
}

Resource CapacityScheduler::Headroom(AppIndex index) {
  const App& app = apps_[index];
  if (!app.has_headroom) return {};
  std::vector<Partition> asked = app.asked_partitions;
  std::ranges::sort(asked);
  if (asked.empty()) asked = {kDefaultPartition};
  Resource sum;
  for (const Partition partition : asked) sum += HeadroomIn(app, partition);
  sum.memory = std::max<int64_t>(sum.memory, 0);
  return sum;
}

Resource CapacityScheduler::HeadroomIn(const App& app, Partition partition) {
  const Calculator by = settings_.calculator;
  const Resource limit = UserLimit(app.queue, app.user, partition, true);
  const Queue& queue = queues_[app.queue];
  const Resource of_user = leaves_[app.queue].users.UsedBy(app.user, app.generation, partition);
  const Resource of_queue = partition == kDefaultPartition ? leaves_[app.queue].headroom_limit
                                                           : queue.capacity[partition].most;
  const Resource least = LeastOf(SubtractToZero(limit, of_user),
                                 SubtractToZero(of_queue, queue.usage[partition].used));
  const Resource free = totals_[partition] - queues_[0].usage[partition].used;
  return Min(by, totals_[partition], free, RoundDown(by, least, settings_.min_allocation));
}

}  // namespace muster::yarn
