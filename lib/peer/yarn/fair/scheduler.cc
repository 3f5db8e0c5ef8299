// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/yarn/fair/scheduler.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "lib/peer/yarn/fair/queue_tree.h"
#include "lib/peer/yarn/fair/run_limits.h"
#include "lib/peer/yarn/fair/update.h"

namespace muster::yarn::fair {
namespace {

constexpr int64_t kMaxId = 999'999'999;
constexpr int64_t kMaxCount = 1'000'000'000;
constexpr int64_t kLatest = int64_t{1} << 60;

uint32_t JavaHash(const std::string& text) {
  uint32_t hash = 0;
  for (const char c : text) hash = 31 * hash + static_cast<unsigned char>(c);
  return hash;
}

// Names end in the id with at least four digits, and are compared as texts: 10000 before 9999.
uint64_t NameOrder(int64_t id) {
  constexpr int kDigits = 10;
  uint64_t digits = static_cast<uint64_t>(id), length = 4;
  for (int64_t bound = 10'000; id >= bound; bound *= 10) ++length;
  for (uint64_t i = length; i < kDigits; ++i) digits *= 10;
  return digits * 16 + length;
}

int64_t RoundUp(int64_t amount, int64_t least, int64_t most, int64_t step) {
  const int64_t raised = std::max(amount, least);
  return std::min(most, (raised + step - 1) / step * step);
}

Resource Normalized(const Resource& size, const Options& options) {
  const Resource &least = options.min_allocation, &most = options.max_allocation,
                 &step = options.increment;
  return {RoundUp(size.memory, least.memory, most.memory, step.memory),
          RoundUp(size.vcores, least.vcores, most.vcores, step.vcores)};
}

absl::Status NoApp(AppIndex index) {
  return absl::NotFoundError(absl::StrCat("application index ", index, ": no application"));
}

absl::Status CheckAmount(const Resource& amount, absl::string_view place) {
  constexpr int64_t kMost = int64_t{1} << 40;
  if (amount.memory >= 0 && amount.vcores >= 0 && amount.memory <= kMost &&
      amount.vcores <= kMost) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(place, ": amounts must be in 0..2^40"));
}

}  // namespace

absl::StatusOr<FairScheduler> FairScheduler::Make(const Options& options,
                                                  const std::vector<QueueConfig>& queues,
                                                  const UserLimits& user_limits, int64_t now) {
  for (const absl::Status& status :
       {CheckOptions(options), CheckQueues(queues), CheckPolicies(queues)}) {
    if (!status.ok()) return status;
  }
  if (now < 0 || now > kLatest) return absl::InvalidArgumentError("now: must be in 0..2^60");
  FairScheduler scheduler;
  Cluster& cluster = scheduler.cluster_;
  cluster.options = options;
  cluster.now = now;
  BuildQueues(cluster, queues);
  for (QueueIndex i = 0; i < cluster.queues.size(); ++i) {
    scheduler.queues_[cluster.queues[i].config.path] = i;
  }
  scheduler.PlaceOf("*");
  scheduler.SetUserLimits(user_limits);
  return scheduler;
}

bool FairScheduler::HasApp(AppIndex app) const {
  return app < cluster_.apps.size() && !cluster_.apps[app].ended;
}

bool FairScheduler::HasNode(NodeIndex node) const {
  return node < cluster_.nodes.size() && !cluster_.nodes[node].is_gone;
}

absl::StatusOr<ContainerIndex> FairScheduler::Find(ContainerName name) const {
  const ContainerIndex index = HasApp(name.app) ? FindContainer(cluster_, name) : kNone;
  if (index != kNone) return index;
  return absl::NotFoundError(absl::StrCat("container ", name.number, " of application index ",
                                          name.app, ": there is none"));
}

Place FairScheduler::PlaceOf(const std::string& name) {
  const auto place = static_cast<Place>(cluster_.places.size());
  const auto [at, added] = cluster_.places.try_emplace(name, place);
  if (added) {
    cluster_.place_hashes.push_back(JavaHash(name));
    cluster_.rack_nodes.push_back(0);
  }
  return at->second;
}

uint32_t FairScheduler::UserOf(const std::string& name) {
  const auto [at, added] = users_.try_emplace(name, static_cast<uint32_t>(cluster_.users.size()));
  if (added) {
    cluster_.users.push_back({.name = name, .limit = cluster_.options.max_running_apps_per_user});
  }
  return at->second;
}

void FairScheduler::SetUserLimits(const UserLimits& user_limits) {
  for (User& user : cluster_.users) user.limit = cluster_.options.max_running_apps_per_user;
  for (const auto& [name, limit] : user_limits) cluster_.users[UserOf(name)].limit = limit;
}

absl::StatusOr<NodeIndex> FairScheduler::AddNode(const std::string& name, const std::string& rack,
                                                 const Resource& total) {
  if (absl::Status status = CheckAmount(total, absl::StrCat("node \"", name, "\"")); !status.ok()) {
    return status;
  }
  const Place place = PlaceOf(name);
  for (const NodeIndex node : cluster_.present) {
    if (cluster_.nodes[node].name == place) {
      return absl::InvalidArgumentError(absl::StrCat("node \"", name, "\": is present already"));
    }
  }
  if (free_nodes_.empty()) {
    free_nodes_.push_back(static_cast<NodeIndex>(cluster_.nodes.size()));
    cluster_.nodes.emplace_back();
  }
  const NodeIndex index = free_nodes_.back();
  free_nodes_.pop_back();
  FairNode& node = cluster_.nodes[index] = {};
  node.name = place;
  node.rack = PlaceOf(rack);
  node.total = node.free = total;
  cluster_.present.push_back(index);
  ++cluster_.rack_nodes[node.rack];
  cluster_.total += total;
  cluster_.orders_stale = true;
  UpdateSteadyShares(cluster_);
  NoteAvailable(cluster_);
  return index;
}

absl::Status FairScheduler::RemoveNode(NodeIndex index) {
  if (!HasNode(index)) return absl::NotFoundError(absl::StrCat("node index ", index, ": no node"));
  FairNode& node = cluster_.nodes[index];
  const std::vector<ContainerIndex> containers = node.containers;
  for (const ContainerIndex container : containers) fair::EndContainer(cluster_, container);
  if (node.reserved != kNone) fair::EndContainer(cluster_, node.reserved);
  node.is_gone = true;
  std::erase(cluster_.present, index);
  free_nodes_.push_back(index);
  --cluster_.rack_nodes[node.rack];
  cluster_.total -= node.total;
  cluster_.orders_stale = true;
  UpdateSteadyShares(cluster_);
  NoteAvailable(cluster_);
  return absl::OkStatus();
}

absl::StatusOr<AppIndex> FairScheduler::AddApp(const AppSpec& spec) {
  const auto queue = queues_.find(spec.queue);
  if (queue == queues_.end() || !cluster_.queues[queue->second].config.leaf) {
    return absl::NotFoundError(absl::StrCat("queue \"", spec.queue, "\": there is no such leaf"));
  }
  if (spec.id < 0 || spec.id > kMaxId) {
    return absl::InvalidArgumentError(
        absl::StrCat("application ", spec.id, ": the id must be in 0..", kMaxId));
  }
  const auto index = static_cast<AppIndex>(cluster_.apps.size());
  cluster_.apps.push_back({.id = spec.id,
                           .queue = queue->second,
                           .user = UserOf(spec.user),
                           .start_time = cluster_.now,
                           .name_order = NameOrder(spec.id),
                           .unmanaged = spec.unmanaged,
                           .weight = cluster_.options.size_based_weight ? 0.0f : 1.0f,
                           .last_at_fair_share = cluster_.now});
  AdmitOrHold(cluster_, index, spec.runs);
  return index;
}

absl::Status FairScheduler::EndApp(AppIndex index) {
  if (!HasApp(index)) return NoApp(index);
  App& app = cluster_.apps[index];
  const std::vector<ContainerIndex> containers = app.containers;
  for (const ContainerIndex container : containers) fair::EndContainer(cluster_, container);
  app.ended = true;
  app.requests = {};
  Leave(cluster_, index);
  return absl::OkStatus();
}

absl::Status FairScheduler::SetAsks(AppIndex index, absl::Span<const AskSpec> asks) {
  if (!HasApp(index)) return NoApp(index);
  std::vector<std::pair<int32_t, std::vector<std::pair<Place, Ask>>>> updates;
  for (const AskSpec& ask : asks) {
    if (absl::Status status = CheckAmount(ask.size, "an ask's size"); !status.ok()) return status;
    if (ask.count < 0 || ask.count > kMaxCount) {
      return absl::InvalidArgumentError(absl::StrCat("an ask's count: must be in 0..", kMaxCount));
    }
    auto at = std::ranges::find(updates, ask.priority, [](const auto& row) { return row.first; });
    if (at == updates.end()) at = updates.insert(at, {ask.priority, {}});
    const Resource size = Normalized(ask.size, cluster_.options);
    at->second.push_back({PlaceOf(ask.place), {size, ask.count, ask.relax_locality}});
  }
  for (const auto& [priority, rows] : updates) cluster_.apps[index].requests.Update(priority, rows);
  return absl::OkStatus();
}

absl::StatusOr<Resource> FairScheduler::Headroom(AppIndex index) const {
  if (!HasApp(index)) return NoApp(index);
  const Queue& queue = cluster_.queues[cluster_.apps[index].queue];
  const Resource free =
      LeastOf(cluster_.total - cluster_.queues.front().usage, queue.max - queue.usage);
  const Resource share = SubtractToZero(queue.fair_share, queue.usage);
  const bool by_vcores = queue.policy == Policy::kDrf;
  return Resource{std::min(free.memory, share.memory),
                  by_vcores ? std::min(free.vcores, share.vcores) : free.vcores};
}

absl::StatusOr<absl::Span<const Allocation>> FairScheduler::Heartbeat(NodeIndex node) {
  if (!HasNode(node)) return absl::NotFoundError(absl::StrCat("node index ", node, ": no node"));
  fair::Heartbeat(cluster_, node, &work_);
  return absl::Span<const Allocation>(work_.allocations);
}

absl::Status FairScheduler::MarkMaster(ContainerName name) {
  const absl::StatusOr<ContainerIndex> index = Find(name);
  if (index.ok()) cluster_.containers[*index].is_master = true;
  return index.status();
}

absl::Status FairScheduler::EndContainer(ContainerName name) {
  const absl::StatusOr<ContainerIndex> index = Find(name);
  if (index.ok()) fair::EndContainer(cluster_, *index);
  return index.status();
}

absl::Status FairScheduler::Withdraw(ContainerName name) {
  const absl::StatusOr<ContainerIndex> index = Find(name);
  if (!index.ok()) return index.status();
  App& app = cluster_.apps[name.app];
  if (cluster_.containers[*index].is_master && app.master_runs) {
    app.master_runs = false;
    cluster_.queues[app.queue].master_usage -= app.master_size;
  }
  fair::EndContainer(cluster_, *index);
  return absl::OkStatus();
}

absl::Status FairScheduler::Reload(const std::vector<QueueConfig>& queues,
                                   const UserLimits& user_limits) {
  if (absl::Status status = CheckQueues(queues); !status.ok()) return status;
  bool same = queues.size() == cluster_.queues.size();
  for (const QueueConfig& queue : queues) {
    const auto known = queues_.find(queue.path);
    same &= known != queues_.end() && cluster_.queues[known->second].config.leaf == queue.leaf;
  }
  if (!same) return absl::InvalidArgumentError("queues: must be those that exist");
  ReloadQueues(cluster_, queues);
  cluster_.orders_stale = true;
  UpdateSteadyShares(cluster_);
  SetUserLimits(user_limits);
  AdmitAfterReload(cluster_);
  return absl::OkStatus();
}

std::vector<PreemptedFor> FairScheduler::Update() {
  UpdateDemands(cluster_);
  UpdateFairShares(cluster_);
  NoteAvailable(cluster_);
  UpdateStarvation(cluster_);
  std::vector<PreemptedFor> preempted;
  while (!cluster_.starved.empty()) preempted.push_back(PreemptForNext(cluster_));
  return preempted;
}

absl::StatusOr<std::vector<ContainerName>> FairScheduler::AdvanceTo(int64_t now) {
  if (now < cluster_.now) return absl::InvalidArgumentError("now: the clock must not go back");
  if (now > kLatest) return absl::InvalidArgumentError("now: must be in 0..2^60");
  cluster_.now = now;
  return KillDue(cluster_);
}

}  // namespace muster::yarn::fair
