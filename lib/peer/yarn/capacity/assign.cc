// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The walk from the root to a leaf.
#include <algorithm>

#include "lib/peer/yarn/capacity/assigner.h"

namespace muster::yarn {

Assigner::Assigner(CapacityScheduler* scheduler, NodeIndex node)
    : s_(*scheduler), node_(node), partition_(s_.nodes_[node].partition) {}

const std::vector<ContainerIndex>& CapacityScheduler::Heartbeat(NodeIndex node) {
  made_.clear();
  if (!nodes_[node].is_gone) Assigner(this, node).Heartbeat();
  return made_;
}

void Assigner::Heartbeat() {
  const CapacitySettings& settings = s_.settings_;
  int64_t off_switch = 0, assigned = 0;
  while (true) {
    Proposal proposal;
    was_refused_ = false;
    if (!Pass(&proposal) || !proposal.is_any()) return;
    ++assigned;
    if (proposal.locality == Locality::kAny) ++off_switch;
    if (off_switch >= settings.max_off_switch || proposal.outcome == Outcome::kReserved) return;
    if (!settings.multiple_assignments) return;
    // Without a limit, the peer proposes what was refused for ever.
    if (settings.max_assignments == -1 ? was_refused_ : assigned >= settings.max_assignments) {
      return;
    }
  }
}

// Returns false if the heartbeat ends.
bool Assigner::Pass(Proposal* proposal) {
  mode_ = Exclusivity::kRespect;
  if (node().reserved != kNone) {
    const AppIndex app = s_.containers_[node().reserved].app;
    Limits limits{.limit = s_.totals_[kDefaultPartition]};
    Commit(AssignLeaf(s_.apps_[app].queue, &limits));
    return false;
  }
  if (ContainersIn(by(), node().free, s_.settings_.min_allocation) <= 0) return false;
  Limits limits{.limit = s_.totals_[partition_]};
  *proposal = Assign(0, &limits);
  Commit(*proposal);
  if (proposal->is_any()) return true;
  if (partition_ == kDefaultPartition || s_.settings_.exclusive_partitions[partition_]) {
    return false;
  }
  mode_ = Exclusivity::kIgnore;
  Limits lent{.limit = s_.totals_[kDefaultPartition]};
  *proposal = Assign(0, &lent);
  Commit(*proposal);
  return true;
}

// Recurses to the depth of the tree, which Make bounds.
Assigner::Proposal Assigner::Assign(QueueIndex queue, Limits* limits) {
  limits->headroom = limits->limit;
  return s_.queues_[queue].is_leaf() ? AssignLeaf(queue, limits) : AssignParent(queue, limits);
}

bool Assigner::IsWorthwhile(const std::vector<Usage>& usage) const {
  const Partition looked_at = mode_ == Exclusivity::kRespect ? partition_ : kDefaultPartition;
  return Greater(by(), s_.cluster_, usage[looked_at].pending, {});
}

bool Assigner::MayAssign(QueueIndex index, Limits* limits, const Resource& unreservable) const {
  const Queue& queue = s_.queues_[index];
  const Resource limit =
      mode_ == Exclusivity::kIgnore
          ? s_.totals_[partition_]
          : Min(by(), s_.cluster_, queue.capacity[partition_].most, limits->limit);
  const Resource& used = queue.usage[partition_].used;
  limits->headroom = limit - used;
  if (Less(by(), s_.cluster_, used, limit)) return true;
  return s_.settings_.continue_looking && Greater(by(), s_.cluster_, unreservable, {}) &&
         Less(by(), s_.cluster_, used - unreservable, limit);
}

// Most walks look at the first child alone, so the order is found child by child where it is strict
// but for equal ones, and the rest is sorted after a few.
QueueIndex Assigner::NextChild(QueueIndex index, size_t place, bool* is_strict) {
  constexpr size_t kSought = 4;
  std::vector<QueueRank>& ranks = s_.ranks_[index];
  if (place == 0) {
    *is_strict = ReadChildren(index);
    if (!*is_strict) SortQueues(&ranks, partition_);
  }
  if (!*is_strict) return ranks[place].queue;
  const auto is_first = [&](const QueueRank& a, const QueueRank& b) {
    return CompareQueues(a, b, partition_) < 0;
  };
  const auto at = ranks.begin() + static_cast<std::ptrdiff_t>(place);
  if (place < kSought) {
    const auto first = std::min_element(at, ranks.end(), is_first);
    std::rotate(at, first, first + 1);
  } else if (place == kSought) {
    std::stable_sort(at, ranks.end(), is_first);
  }
  return ranks[place].queue;
}

// Fills in the ranks of the children. Returns whether their order is strict but for equal ones.
bool Assigner::ReadChildren(QueueIndex index) {
  const Queue& queue = s_.queues_[index];
  std::vector<QueueRank>& ranks = s_.ranks_[index];
  bool is_strict = !queue.settings.respects_priority;
  ranks.clear();
  for (const QueueIndex c : queue.children) {
    const Queue& child = s_.queues_[c];
    const Capacity& capacity = child.capacity[partition_];
    const PartitionSettings& set = child.settings.partitions[partition_];
    ranks.push_back({.queue = c,
                     .priority = queue.settings.respects_priority ? child.settings.priority : 0,
                     .has_access = set.is_accessible,
                     .used = capacity.used,
                     .absolute_used = capacity.absolute_used,
                     .absolute = capacity.absolute,
                     .configured = set.amount});
    is_strict &= set.amount.IsZero();
  }
  return is_strict;
}

Assigner::Proposal Assigner::AssignParent(QueueIndex index, Limits* limits) {
  const Queue& queue = s_.queues_[index];
  const bool has_access = queue.settings.partitions[partition_].is_accessible;
  if ((mode_ == Exclusivity::kRespect && !has_access) || !IsWorthwhile(queue.usage)) return {};
  if (!FitsIn(by(), s_.settings_.min_allocation, node().free)) return {};
  if (!MayAssign(index, limits, queue.usage[kDefaultPartition].reserved)) return {};
  Proposal result;
  const size_t children = queue.children.size();
  bool is_strict = false;
  for (size_t place = 0; place < children; ++place) {
    const QueueIndex child = NextChild(index, place, &is_strict);
    Limits below{.limit = s_.ChildLimit(index, child, &limits->limit, partition_, limits->blocked)};
    const Proposal proposal = Assign(child, &below);
    if (proposal.is_any()) return proposal;
    if (proposal.outcome != Outcome::kQueueLimit) continue;
    if (result.outcome != Outcome::kQueueLimit) result = proposal;
    const bool is_leaf = s_.queues_[child].is_leaf();
    limits->blocked += Max(by(), s_.cluster_, is_leaf ? below.headroom : below.blocked, {});
  }
  return result;
}

bool Assigner::UserMayAssign(AppIndex index, const Resource& limit, Limits* limits) const {
  const App& app = s_.apps_[index];
  const User* user = s_.leaves_[app.queue].users.Find(app.user);
  if (user == nullptr) return false;
  limits->needed_unreserve = {};
  const Resource& used = user->used[partition_];
  if (!Greater(by(), s_.cluster_, used, limit)) return true;
  if (!s_.settings_.continue_looking) return false;
  const Resource without = used - app.usage[partition_].reserved;
  if (Greater(by(), s_.cluster_, without, limit)) return false;
  limits->needed_unreserve = used - limit;
  return true;
}

Assigner::Proposal Assigner::AssignLeaf(QueueIndex index, Limits* limits) {
  s_.SetCurrentLimit(index, limits->limit);
  Leaf& leaf = s_.leaves_[index];
  const Queue& queue = s_.queues_[index];
  if (node().reserved != kNone) {
    return AssignApp(s_.containers_[node().reserved].app, *limits);
  }
  const bool has_access = queue.settings.partitions[partition_].is_accessible;
  if ((mode_ == Exclusivity::kRespect && !has_access) || !IsWorthwhile(queue.usage)) return {};
  UserMemory& memory = leaf.MemoryOf(partition_, mode_);
  bool checks_queue = true;
  for (const AppIndex a : s_.OrderedApps(index)) {
    const App& app = s_.apps_[a];
    const Resource reserved = app.usage[partition_].reserved;
    if (checks_queue) {
      if (!MayAssign(index, limits, reserved)) return {};
      checks_queue = s_.settings_.continue_looking && !reserved.IsZero();
    }
    UserMemory::Entry* entry = memory.Find(app.user);
    if (entry == nullptr) {
      entry = memory.Add(app.user, s_.LimitOf(a, partition_, mode_));
    } else {
      s_.NoteHeadroom(a);
    }
    if (!entry->may_assign && FitsInAll(reserved, entry->reserved)) continue;
    if (!UserMayAssign(a, entry->limit, limits)) {
      if (FitsInAll(entry->reserved, reserved)) {
        entry->may_assign = false;
        entry->reserved = reserved;
      }
      continue;
    }
    const Proposal proposal = AssignApp(a, *limits);
    if (proposal.is_any() || proposal.outcome == Outcome::kQueueLimit) return proposal;
    if (proposal.outcome != Outcome::kSkipApp) return {};
  }
  return {};
}

}  // namespace muster::yarn
