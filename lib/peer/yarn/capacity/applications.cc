// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Applications: from submission to their end, and their order in a leaf.
#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/peer/yarn/capacity/scheduler.h"

namespace muster::yarn {

absl::StatusOr<AppIndex> CapacityScheduler::Submit(const AppSpec& spec) {
  const auto queue = FindQueue(spec.queue);
  if (!queue || !queues_[*queue].is_leaf()) {
    return absl::InvalidArgumentError(absl::StrCat("there is no leaf queue \"", spec.queue, "\""));
  }
  if (absl::Status s = spec.before ? absl::OkStatus() : MayAccept(spec, *queue); !s.ok()) return s;
  const UserIndex user = user_names_.Intern(spec.user);
  leaves_[*queue].users.FindOrAdd(user);
  const auto index = static_cast<AppIndex>(apps_.size());
  apps_.push_back({.id = spec.id,
                   .queue = *queue,
                   .user = user,
                   .priority = spec.priority,
                   .started = spec.started == 0 ? ++clock_ : spec.started,
                   .master = spec.master.value_or(settings_.min_allocation),
                   .master_partition = spec.partition,
                   .waits_for_master = spec.master.has_value(),
                   .usage = std::vector<Usage>(partitions())});
  if (spec.before == AppState::kActive) {
    CountRunnable(apps_[index], 1);
    BeActive(index);
  } else if (spec.before == AppState::kPending || MayRun(apps_[index])) {
    CountRunnable(apps_[index], 1);
    Enqueue(index);
  } else {
    leaves_[*queue].waiting.push_back(index);
  }
  return index;
}

absl::Status CapacityScheduler::MayAccept(const AppSpec& spec, QueueIndex queue) {
  Leaf& leaf = leaves_[queue];
  const size_t count = leaf.pending.size() + leaf.active.size() + leaf.waiting.size();
  if (static_cast<int64_t>(count) >= leaf.max_applications) {
    return absl::ResourceExhaustedError(
        absl::StrCat("queue \"", spec.queue, "\" has ", count, " applications already"));
  }
  const User& user = leaf.users.FindOrAdd(user_names_.Intern(spec.user));
  if (user.pending_apps + user.active_apps >= leaf.max_applications_per_user) {
    return absl::ResourceExhaustedError(absl::StrCat(
        "user \"", spec.user, "\" has as many applications as one may in \"", spec.queue, "\""));
  }
  return absl::OkStatus();
}

int64_t CapacityScheduler::MaxParallelOf(UserIndex user) const {
  const HashMap<std::string, int64_t>& limits = settings_.max_parallel_of_users;
  for (const std::string_view name : {user_names_.name(user), std::string_view("*")}) {
    if (const auto limit = limits.find(name); limit != limits.end()) return limit->second;
  }
  return std::numeric_limits<int64_t>::max();
}

bool CapacityScheduler::HasMostParallel(UserIndex user) const {
  const int64_t running = user < running_of_.size() ? running_of_[user] : 0;
  return running >= MaxParallelOf(user);
}

bool CapacityScheduler::MayRun(const App& app) const {
  if (HasMostParallel(app.user)) return false;
  for (QueueIndex q = app.queue; q != kNone; q = queues_[q].parent) {
    if (queues_[q].runnable >= queues_[q].settings.max_parallel) return false;
  }
  return true;
}

void CapacityScheduler::CountRunnable(const App& app, int64_t by) {
  if (app.user >= running_of_.size()) running_of_.resize(app.user + 1, 0);
  running_of_[app.user] += by;
  for (QueueIndex q = app.queue; q != kNone; q = queues_[q].parent) queues_[q].runnable += by;
}

void CapacityScheduler::Enqueue(AppIndex index) {
  App& app = apps_[index];
  Leaf& leaf = leaves_[app.queue];
  ++leaf.users.FindOrAdd(app.user).pending_apps;
  app.state = AppState::kPending;
  const auto at = std::ranges::lower_bound(leaf.pending, index, [&](AppIndex a, AppIndex b) {
    return IsFirstByPriority(apps_[a], apps_[b]);
  });
  leaf.pending.insert(at, index);
  if (Greater(settings_.calculator, cluster_, cluster_, {})) Activate(app.queue);
}

void CapacityScheduler::Activate(QueueIndex index) {
  const Calculator by = settings_.calculator;
  Queue& queue = queues_[index];
  Leaf& leaf = leaves_[index];
  for (size_t p = 0; p < partitions(); ++p) MasterLimit(index, static_cast<Partition>(p));
  std::vector<std::optional<Resource>> user_limits(partitions());
  for (size_t at = 0; at < leaf.pending.size();) {
    const AppIndex app_index = leaf.pending[at];
    App& app = apps_[app_index];
    const Partition p = app.master_partition;
    const Resource& in_use = queue.usage[p].masters;
    const auto may_start = [&](const Resource& of_holder, const Resource& limit) {
      if (FitsIn(by, app.master + of_holder, limit)) return true;
      return leaf.active.empty() || Compare(by, cluster_, in_use, {}) <= 0;
    };
    bool starts = may_start(in_use, *queue.capacity[p].master_limit);
    if (starts) {
      const User& user = leaf.users.FindOrAdd(app.user);
      if (!user_limits[p]) user_limits[p] = UserMasterLimit(index, p, app.user);
      starts = may_start(user.masters[p], *user_limits[p]);
    }
    if (!starts) {
      ++at;
      continue;
    }
    --leaf.users.FindOrAdd(app.user).pending_apps;
    BeActive(app_index);
    leaf.pending.erase(leaf.pending.begin() + static_cast<std::ptrdiff_t>(at));
  }
}

void CapacityScheduler::BeActive(AppIndex index) {
  App& app = apps_[index];
  Leaf& leaf = leaves_[app.queue];
  ++leaf.users.FindOrAdd(app.user).active_apps;
  if (app.state != AppState::kEnded) app.state = AppState::kActive;
  if (std::ranges::find(leaf.active, index) == leaf.active.end()) Insert(index);
  ChangeMasters(&app, 1);
}

Resource CapacityScheduler::MasterLimit(QueueIndex leaf, Partition partition) {
  Queue& queue = queues_[leaf];
  Capacity& own = queue.capacity[partition];
  const Resource current =
      partition == kDefaultPartition ? leaves_[leaf].headroom_limit : Resource{};
  const bool fits = FitsIn(settings_.calculator, own.guaranteed, current);
  const double percent = static_cast<double>(queue.settings.partitions[partition].master_percent);
  own.master_limit = MultiplyUp(settings_.calculator, fits ? current : own.guaranteed, percent,
                                settings_.min_allocation);
  return *own.master_limit;
}

Resource CapacityScheduler::UserMasterLimit(QueueIndex leaf, Partition partition, UserIndex user) {
  const Queue& queue = queues_[leaf];
  const Capacity& own = queue.capacity[partition];
  const Users& users = leaves_[leaf].users;
  const User* entry = users.Find(user);
  const float weight = entry == nullptr ? 1.0F : entry->weight;
  const int64_t active = std::max<int64_t>(users.active_count(), 1);
  const float even = std::max(users.percent() / 100.0F, 1.0F / static_cast<float>(active));
  const float percent = queue.settings.partitions[partition].master_percent;
  const float part =
      users.factor() == -1 ? percent : percent * std::min(even * weight, 1.0F) * users.factor();
  const Resource limit = MultiplyUp(settings_.calculator, own.guaranteed, static_cast<double>(part),
                                    settings_.min_allocation);
  return Min(settings_.calculator, cluster_, limit, *own.master_limit);
}

void CapacityScheduler::ChangeMasters(App* app, int64_t sign) {
  const Partition p = app->master_partition;
  queues_[app->queue].usage[p].masters += app->master * sign;
  leaves_[app->queue].users.FindOrAdd(app->user).masters[p] += app->master * sign;
}

void CapacityScheduler::StartWanting(App* app) {
  Users& users = leaves_[app->queue].users;
  const User* user = users.Find(app->user);
  if (user != nullptr && user->active_apps <= 0) return;
  if (std::exchange(app->is_wanting, true)) return;
  users.StartWanting(app->user);
}

void CapacityScheduler::StopIfSatisfied(App* app) {
  if (!app->is_wanting || !app->requests.IsEmpty()) return;
  app->is_wanting = false;
  leaves_[app->queue].users.StopWanting(app->user);
}

void CapacityScheduler::ChangePending(App* app, Partition partition, const Resource& by) {
  app->usage[partition].pending += by;
  for (QueueIndex q = app->queue; q != kNone; q = queues_[q].parent) {
    queues_[q].usage[partition].pending += by;
  }
}

void CapacityScheduler::TakeRequest(App* app, int32_t priority, Locality locality,
                                    const Node& node) {
  const struct Ask any = app->requests.Find(priority)->any();
  app->requests.Take(priority, locality, node.name, node.rack);
  StopIfSatisfied(app);
  ChangePending(app, any.partition, Resource{} - any.size);
}

void CapacityScheduler::Ask(AppIndex index, int32_t priority,
                            const std::vector<std::pair<Place, struct Ask>>& asks) {
  App& app = apps_[index];
  if (app.state == AppState::kEnded) return;
  const RequestChange change = app.requests.Update(priority, asks);
  if (!change.has_any) return;
  const Partition partition = change.after.partition;
  if (std::ranges::find(app.asked_partitions, partition) == app.asked_partitions.end()) {
    app.asked_partitions.push_back(partition);
  }
  if (change.after.count <= 0) {
    StopIfSatisfied(&app);
  } else if (change.before.count <= 0) {
    StartWanting(&app);
  }
  ChangePending(&app, change.before.partition, change.before.size * -change.before.count);
  ChangePending(&app, partition, change.after.size * change.after.count);
  if (queues_[app.queue].settings.size_based_weight && !app.waits_for_master) MarkDirty(index);
}

void CapacityScheduler::EndApp(AppIndex index) {
  App& app = apps_[index];
  if (app.state == AppState::kEnded) return;
  std::vector<ContainerIndex> live = app.live;
  std::ranges::sort(live, {}, [&](ContainerIndex c) { return containers_[c].id; });
  for (const ContainerIndex c : live) Release(c);
  for (const ContainerIndex c : std::vector<ContainerIndex>(app.reserved)) DropReservation(c);
  for (const RequestKey& key : app.requests.keys()) {
    if (key.is_served()) ChangePending(&app, key.partition(), key.any().size * -key.any().count);
  }
  app.requests = {};
  Leave(index);
}

// The order of steps is the peer's: the limits of others depend on it.
void CapacityScheduler::Leave(AppIndex index) {
  App& app = apps_[index];
  Leaf& leaf = leaves_[app.queue];
  leaf.users.FindOrAdd(app.user);
  const bool was_runnable = app.state != AppState::kWaiting;
  if (!was_runnable) std::erase(leaf.waiting, index);
  if (std::exchange(app.is_dirty, false)) std::erase(leaf.dirty, index);
  // An application that only the fair order counts as active stays pending for ever.
  const bool was_active = std::erase(leaf.active, index) > 0;
  if (was_active) {
    ChangeMasters(&app, -1);
  } else {
    std::erase(leaf.pending, index);
  }
  app.state = AppState::kEnded;
  User& user = leaf.users.FindOrAdd(app.user);
  --(was_active ? user.active_apps : user.pending_apps);
  if (user.active_apps + user.pending_apps == 0) leaf.users.Remove(app.user);
  Activate(app.queue);
  if (was_runnable) {
    CountRunnable(app, -1);
    QueueIndex top = kNone;
    for (QueueIndex q = app.queue; q != kNone; q = queues_[q].parent) {
      if (queues_[q].runnable == queues_[q].settings.max_parallel - 1) top = q;
    }
    std::vector<std::vector<AppIndex>> lists;
    if (top != kNone) GatherWaiting(top, &lists);
    if (running_of_[app.user] == MaxParallelOf(app.user) - 1) {
      lists.push_back(WaitingOf(app.user));
    }
    RunWaiting(lists, lists.size());
  }
  if (std::exchange(app.is_wanting, false)) leaf.users.StopWanting(app.user);
}

void CapacityScheduler::GatherWaiting(QueueIndex top,
                                      std::vector<std::vector<AppIndex>>* lists) const {
  std::vector<QueueIndex> stack{top};
  while (!stack.empty()) {
    const QueueIndex q = stack.back();
    stack.pop_back();
    const Queue& queue = queues_[q];
    if (queue.runnable >= queue.settings.max_parallel) continue;
    if (queue.is_leaf()) lists->push_back(leaves_[q].waiting);
    stack.insert(stack.end(), queue.children.rbegin(), queue.children.rend());
  }
}

std::vector<AppIndex> CapacityScheduler::WaitingOf(UserIndex user) const {
  std::vector<AppIndex> waiting;
  for (const Leaf& leaf : leaves_) {
    std::ranges::copy_if(leaf.waiting, std::back_inserter(waiting),
                         [&](AppIndex app) { return apps_[app].user == user; });
  }
  return waiting;
}

// Starts waiting applications of the lists, the oldest first, at most `most`. One may be in two.
void CapacityScheduler::RunWaiting(const std::vector<std::vector<AppIndex>>& lists, size_t most) {
  std::vector<AppIndex> all;
  for (const auto& list : lists) all.insert(all.end(), list.begin(), list.end());
  std::ranges::stable_sort(all, {}, [&](AppIndex a) { return apps_[a].started; });
  size_t started = 0;
  for (const AppIndex app : all) {
    if (started == most) break;
    if (apps_[app].state != AppState::kWaiting || !MayRun(apps_[app])) continue;
    CountRunnable(apps_[app], 1);
    std::erase(leaves_[apps_[app].queue].waiting, app);
    Enqueue(app);
    ++started;
  }
}

bool CapacityScheduler::IsFirst(const App& a, const App& b) const {
  const QueueSettings& settings = queues_[a.queue].settings;
  return settings.is_fair ? IsFirstByUse(a, b, settings.size_based_weight)
                          : IsFirstByPriority(a, b);
}

void CapacityScheduler::Insert(AppIndex app) {
  std::vector<AppIndex>& active = leaves_[apps_[app].queue].active;
  const auto at = std::ranges::upper_bound(
      active, app, [&](AppIndex a, AppIndex b) { return IsFirst(apps_[a], apps_[b]); });
  active.insert(at, app);
}

void CapacityScheduler::MarkDirty(AppIndex index) {
  App& app = apps_[index];
  if (!queues_[app.queue].settings.is_fair || std::exchange(app.is_dirty, true)) return;
  leaves_[app.queue].dirty.push_back(index);
}

const std::vector<AppIndex>& CapacityScheduler::OrderedApps(QueueIndex queue) {
  Leaf& leaf = leaves_[queue];
  for (const AppIndex index : leaf.dirty) {
    App& app = apps_[index];
    app.is_dirty = false;
    std::erase(leaf.active, index);
    app.cached_used = app.cached_demand = 0;
    for (const Usage& usage : app.usage) {
      app.cached_used += usage.used.memory;
      app.cached_demand += usage.used.memory + usage.pending.memory;
    }
    // The peer inserts what was not there, too: an application beyond the limit of masters.
    Insert(index);
  }
  leaf.dirty.clear();
  return leaf.active;
}

}  // namespace muster::yarn
