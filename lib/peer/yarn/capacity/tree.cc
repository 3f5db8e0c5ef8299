// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The tree of queues, and what each may hold.
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/peer/yarn/capacity/scheduler.h"

namespace muster::yarn {
namespace {

// Walks recurse once a level.
constexpr int kMostLevels = 100;

double Wide(float value) { return static_cast<double>(value); }

// Returns x as Java multiplies a long by a float.
int64_t Scaled(int64_t value, float by) { return JavaLong(Wide(static_cast<float>(value) * by)); }

// The hash of Java's strings.
uint32_t JavaHash(std::string_view text) {
  uint32_t hash = 0;
  for (const char c : text) hash = 31 * hash + static_cast<unsigned char>(c);
  return hash ^ (hash >> 16);
}

// A hash table of Java has 16 slots, and doubles when more than three quarters are taken.
uint32_t SlotsFor(size_t entries) {
  uint32_t size = 16;
  while (entries * 4 > size * size_t{3}) size *= 2;
  return size;
}

float FiniteOrZero(float value) { return std::isinf(value) ? 0.0F : value; }

}  // namespace

CapacityScheduler::CapacityScheduler(CapacitySettings settings)
    : settings_(std::move(settings)), totals_(settings_.exclusive_partitions.size()) {
  places_.Intern("*");
}

absl::StatusOr<CapacityScheduler> CapacityScheduler::Make(CapacitySettings settings) {
  if (settings.exclusive_partitions.empty()) {
    return absl::InvalidArgumentError("exclusive_partitions: empty; the default one is missing");
  }
  std::vector<QueueSettings> queues = std::move(settings.queues);
  CapacityScheduler scheduler(std::move(settings));
  if (absl::Status status = scheduler.SetQueues(std::move(queues)); !status.ok()) return status;
  for (QueueIndex q = 0; q < scheduler.queues_.size(); ++q) scheduler.ApplySettings(q);
  scheduler.UpdateCluster();
  return scheduler;
}

absl::Status CapacityScheduler::SetQueues(std::vector<QueueSettings> queues) {
  for (QueueSettings& settings : queues) {
    if (settings.partitions.size() != partitions()) {
      return absl::InvalidArgumentError(absl::StrCat("queue \"", settings.path,
                                                     "\": ", settings.partitions.size(),
                                                     " partitions; ", partitions(), " are needed"));
    }
    const auto index = static_cast<QueueIndex>(queues_.size());
    Queue queue{.usage = std::vector<Usage>(partitions()),
                .capacity = std::vector<Capacity>(partitions())};
    if (index == 0) {
      if (settings.path != "root") return absl::InvalidArgumentError("queues[0] is not \"root\"");
    } else {
      if (std::ranges::count(settings.path, '.') > kMostLevels) {
        return absl::InvalidArgumentError(
            absl::StrCat("queue \"", settings.path, "\": more than ", kMostLevels, " levels"));
      }
      const size_t dot = std::min(settings.path.rfind('.'), settings.path.size());
      const auto parent = FindQueue(settings.path.substr(0, dot));
      if (!parent || FindQueue(settings.path)) {
        return absl::InvalidArgumentError(
            absl::StrCat("queue \"", settings.path, "\" is listed twice or before its parent"));
      }
      queue.parent = *parent;
      queues_[*parent].children.push_back(index);
    }
    paths_.Intern(settings.path);
    queue.settings = std::move(settings);
    queues_.push_back(std::move(queue));
    leaves_.emplace_back(partitions());
  }
  if (queues_.empty()) return absl::InvalidArgumentError("queues: empty; \"root\" is missing");
  ranks_.resize(queues_.size());
  return absl::OkStatus();
}

std::optional<QueueIndex> CapacityScheduler::FindQueue(std::string_view path) const {
  return paths_.Find(path);
}

absl::Status CapacityScheduler::Reconfigure(std::vector<QueueSettings> queues) {
  if (queues.size() != queues_.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat(queues.size(), " queues; the same ", queues_.size(), " are needed"));
  }
  for (const QueueSettings& settings : queues) {
    if (!FindQueue(settings.path) || settings.partitions.size() != partitions()) {
      return absl::InvalidArgumentError(
          absl::StrCat("queue \"", settings.path, "\" is new, or lacks partitions"));
    }
  }
  for (QueueSettings& settings : queues) {
    const QueueIndex queue = *FindQueue(settings.path);
    queues_[queue].settings = std::move(settings);
    ApplySettings(queue);
  }
  for (Queue& queue : queues_) SortByHash(&queue.children);
  UpdateCluster();
  std::vector<std::vector<AppIndex>> lists;
  GatherWaiting(0, &lists);
  RunWaiting(lists, apps_.size());
  return absl::OkStatus();
}

void CapacityScheduler::ApplySettings(QueueIndex index) {
  Queue& queue = queues_[index];
  for (size_t p = 0; p < partitions(); ++p) {
    const PartitionSettings& set = queue.settings.partitions[p];
    Capacity& capacity = queue.capacity[p];
    capacity.weight = -1;
    capacity.capacity = capacity.max = 0;
    if (!set.is_accessible) continue;
    if (set.mode == CapacityMode::kWeight) capacity.weight = set.capacity;
    if (set.mode == CapacityMode::kPercent) capacity.capacity = set.capacity;
    if (set.mode != CapacityMode::kAbsolute) capacity.max = set.max_capacity;
  }
  if (!queue.is_leaf()) return;
  Leaf& leaf = leaves_[index];
  leaf.current_limit = leaf.headroom_limit = cluster_;
  std::vector<float> weights;
  for (const auto& [name, weight] : queue.settings.user_weights) {
    const UserIndex user = user_names_.Intern(name);
    if (user >= weights.size()) weights.resize(user + 1, 1.0F);
    weights[user] = weight;
  }
  leaf.users.Configure(queue.settings.user_limit_percent, queue.settings.user_limit_factor,
                       std::move(weights));
  // The order is built anew, by keys that may be old.
  for (const AppIndex app : std::exchange(leaf.dirty, {})) apps_[app].is_dirty = false;
  for (const AppIndex app : std::exchange(leaf.active, {})) Insert(app);
}

void CapacityScheduler::UpdateCluster() { UpdateQueue(0, cluster_); }

void CapacityScheduler::UpdateQueue(QueueIndex root, Resource root_limit) {
  // Parents before children, a queue's whole subtree before its next sibling.
  struct Visit {
    QueueIndex queue;
    Resource limit;
    size_t next_child = 0;
  };
  std::vector<Visit> path{{root, root_limit}};
  while (!path.empty()) {
    Visit& visit = path.back();
    const Queue& queue = queues_[visit.queue];
    if (queue.is_leaf()) {
      UpdateLeaf(visit.queue, visit.limit);
      path.pop_back();
      continue;
    }
    if (visit.next_child == 0) UpdateShares(visit.queue);
    if (visit.next_child == queue.children.size()) {
      for (size_t p = 0; p < partitions(); ++p) UpdateUse(visit.queue, static_cast<Partition>(p));
      path.pop_back();
      continue;
    }
    const QueueIndex child = queue.children[visit.next_child++];
    const Resource limit = ChildLimit(visit.queue, child, &visit.limit, kDefaultPartition, {});
    path.push_back({child, limit});
  }
}

void CapacityScheduler::UpdateLeaf(QueueIndex index, Resource limit) {
  Leaf& leaf = leaves_[index];
  UpdateShares(index);
  UpdateMaxApplications(index);
  SetCurrentLimit(index, limit);
  leaf.headroom_limit = leaf.current_limit;
  const std::vector<UserIndex> order = UsersInTableOrder(index);
  for (size_t p = 0; p < partitions(); ++p) {
    const auto partition = static_cast<Partition>(p);
    leaf.users.Recompute(partition, LimitBase(index, partition), order);
    UpdateUse(index, partition);
  }
  Activate(index);
  leaf.users.Bump();
  for (const AppIndex app : leaf.active) LimitOf(app, kDefaultPartition, Exclusivity::kRespect);
}

// The peer reads children from a hash table of paths when settings change.
void CapacityScheduler::SortByHash(std::vector<QueueIndex>* children) const {
  const uint32_t size = SlotsFor(children->size());
  std::ranges::stable_sort(
      *children, {}, [&](QueueIndex q) { return JavaHash(queues_[q].settings.path) & (size - 1); });
}

std::vector<UserIndex> CapacityScheduler::UsersInTableOrder(QueueIndex leaf) const {
  std::vector<std::pair<uint32_t, UserIndex>> slots;
  const std::vector<User>& users = leaves_[leaf].users.all();
  const auto known = static_cast<size_t>(std::ranges::count_if(users, &User::is_known));
  const uint32_t size = SlotsFor(known);
  for (UserIndex u = 0; u < users.size(); ++u) {
    if (users[u].is_known) slots.emplace_back(JavaHash(user_names_.name(u)) & (size - 1), u);
  }
  std::ranges::sort(slots);
  std::vector<UserIndex> order;
  for (const auto& [slot, user] : slots) order.push_back(user);
  return order;
}

void CapacityScheduler::UpdateShares(QueueIndex index) {
  Queue& queue = queues_[index];
  for (size_t p = 0; p < partitions(); ++p) {
    const auto partition = static_cast<Partition>(p);
    Capacity& own = queue.capacity[p];
    const Capacity whole{.absolute = 1, .absolute_max = 1};
    const Capacity& parent = index == 0 ? whole : queues_[queue.parent].capacity[p];
    const bool is_absolute = queue.settings.partitions[p].mode == CapacityMode::kAbsolute;
    const float share =
        own.normalized_weight > 0 && own.weight >= 0 ? own.normalized_weight : own.capacity;
    own.absolute = share * parent.absolute;
    own.absolute_max = own.max * parent.absolute_max;
    if (index == 0) {
      own.guaranteed = own.most = totals_[p];
    } else if (is_absolute) {
      UpdateAbsolute(index, partition);
    } else {
      own.guaranteed = Multiply(totals_[p], Wide(own.absolute));
      own.most = Multiply(totals_[p], Wide(own.absolute_max));
    }
    if (!queue.is_leaf()) UpdateMinRatio(index, partition);
  }
  if (!queue.is_leaf()) UpdateWeights(index);
}

void CapacityScheduler::UpdateWeights(QueueIndex queue) {
  for (size_t p = 0; p < partitions(); ++p) {
    float sum = 0;
    for (const QueueIndex child : queues_[queue].children) {
      sum += std::max(0.0F, queues_[child].capacity[p].weight);
    }
    if (std::abs(sum) <= 1e-6F) continue;
    for (const QueueIndex child : queues_[queue].children) {
      Capacity& capacity = queues_[child].capacity[p];
      if (capacity.weight >= 0) capacity.normalized_weight = capacity.weight / sum;
    }
  }
}

// Sets what a queue with absolute amounts may hold, and its fractions from that.
void CapacityScheduler::UpdateAbsolute(QueueIndex index, Partition partition) {
  Queue& queue = queues_[index];
  const Queue& parent = queues_[queue.parent];
  const PartitionSettings& set = queue.settings.partitions[partition];
  const PartitionSettings& parent_set = parent.settings.partitions[partition];
  const Capacity& above = parent.capacity[partition];
  Capacity& own = queue.capacity[partition];
  own.guaranteed = set.amount;
  for (size_t k = 0; k < kResources; ++k) {
    if (above.min_ratio[k] < 0) continue;
    own.guaranteed.at(k) = Scaled(set.amount.at(k), above.min_ratio[k]);
  }
  const bool parent_has = parent_set.mode == CapacityMode::kAbsolute && queue.parent != 0 &&
                          !parent_set.max_amount.IsZero();
  const Resource parent_most = parent_has ? parent_set.max_amount : above.most;
  own.most = set.max_amount.IsZero()
                 ? parent_most
                 : Min(settings_.calculator, totals_[partition], set.max_amount, parent_most);
  const Calculator by = settings_.calculator;
  own.capacity = FiniteOrZero(Divide(by, cluster_, own.guaranteed, above.guaranteed));
  own.max = FiniteOrZero(Divide(by, cluster_, own.most, above.most));
  own.absolute = own.capacity * above.absolute;
  own.absolute_max = own.max * above.absolute_max;
}

// Children that want more than there is get a part of it, resource by resource.
void CapacityScheduler::UpdateMinRatio(QueueIndex index, Partition partition) {
  Queue& queue = queues_[index];
  Capacity& own = queue.capacity[partition];
  Resource wanted;
  for (const QueueIndex child : queue.children) {
    const PartitionSettings& set = queues_[child].settings.partitions[partition];
    if (set.mode == CapacityMode::kAbsolute) wanted += set.amount;
  }
  const Resource available = index == 0 ? totals_[partition] : own.guaranteed;
  const bool is_short = Less(settings_.calculator, cluster_, available, wanted) &&
                        !(index == 0 && available.IsZero());
  for (size_t k = 0; k < kResources; ++k) {
    own.min_ratio[k] = is_short && wanted.at(k) != 0
                           ? static_cast<float>(available.at(k)) / static_cast<float>(wanted.at(k))
                           : -1.0F;
  }
}

void CapacityScheduler::UpdateMaxApplications(QueueIndex index) {
  const Queue& queue = queues_[index];
  Leaf& leaf = leaves_[index];
  int64_t most = queue.settings.max_applications;
  if (most < 0) {
    for (size_t p = 0; p < partitions(); ++p) {
      if (!queue.settings.partitions[p].is_accessible) continue;
      const float of_system =
          static_cast<float>(settings_.max_applications) * queue.capacity[p].absolute;
      most = std::max<int64_t>(most, JavaInt(Wide(of_system)));
    }
  }
  leaf.max_applications = leaf.max_applications_per_user = most;
  if (leaf.users.factor() == -1) return;
  const float of_user =
      static_cast<float>(most) * (leaf.users.percent() / 100.0F) * leaf.users.factor();
  leaf.max_applications_per_user = std::min<int64_t>(most, JavaInt(Wide(of_user)));
}

void CapacityScheduler::UpdateUse(QueueIndex index, Partition partition) {
  Queue& queue = queues_[index];
  Capacity& own = queue.capacity[partition];
  const Resource& total = totals_[partition];
  const Calculator by = settings_.calculator;
  own.used = own.absolute_used = 0;
  if (!Greater(by, total, total, {})) return;
  const Resource& used = queue.usage[partition].used;
  own.absolute_used = Divide(by, total, used, total);
  own.used = Divide(by, total, used, Max(by, total, own.guaranteed, settings_.min_allocation));
}

Resource CapacityScheduler::ChildLimit(QueueIndex index, QueueIndex child, Resource* limit,
                                       Partition partition, const Resource& blocked) const {
  const Queue& queue = queues_[index];
  const Calculator by = settings_.calculator;
  *limit = Min(by, cluster_, *limit, queue.capacity[partition].most);
  const Resource free = *limit - blocked - queue.usage[partition].used;
  return RoundDown(by, free + queues_[child].usage[partition].used, settings_.min_allocation);
}

void CapacityScheduler::SetCurrentLimit(QueueIndex leaf, const Resource& limit) {
  const Calculator by = settings_.calculator;
  const Resource most =
      RoundDown(by, queues_[leaf].capacity[kDefaultPartition].most, settings_.min_allocation);
  leaves_[leaf].current_limit = Min(by, cluster_, most, limit);
}

}  // namespace muster::yarn
