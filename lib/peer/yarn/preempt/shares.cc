// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/yarn/preempt/shares.h"

#include <algorithm>
#include <limits>

#include "lib/peer/yarn/java_order.h"

namespace muster::yarn {
namespace {

double Wide(float value) { return static_cast<double>(value); }

}  // namespace

ShareTree::ShareTree(CapacityScheduler* scheduler, Partition partition)
    : s_(*scheduler),
      partition_(partition),
      total_(scheduler->total(partition)),
      shares_(scheduler->queues().size()) {
  const std::vector<Queue>& queues = s_.queues();
  for (QueueIndex q = 0; q < queues.size(); ++q) {
    const Queue& queue = queues[q];
    const Capacity& capacity = queue.capacity[partition];
    QueueShare& share = shares_[q];
    share.used = queue.usage[partition].used;
    share.reserved = queue.usage[partition].reserved;
    share.absolute = capacity.absolute;
    const bool lends = !s_.settings().exclusive_partitions[partition];
    const float most = lends ? 1.0F : capacity.absolute_max;
    share.guaranteed = capacity.guaranteed.IsZero() ? Multiply(total_, Wide(capacity.absolute))
                                                    : capacity.guaranteed;
    share.max = capacity.most.IsZero() ? Multiply(total_, Wide(most)) : capacity.most;
    const bool is_parent_disabled = q != 0 && shares_[queue.parent].is_disabled;
    share.is_disabled = queue.settings.disable_preemption.value_or(is_parent_disabled);
    if (q != 0 && queues[queue.parent].settings.respects_priority) {
      share.priority = queue.settings.priority;
    }
    if (queue.is_leaf()) CountPending(q);
  }
  for (QueueIndex q = static_cast<QueueIndex>(queues.size()); q-- > 1;) {
    QueueShare& parent = shares_[queues[q].parent];
    parent.pending += shares_[q].pending;
    parent.pending_less_reserved += shares_[q].pending_less_reserved;
  }
}

// Applications want no more than the room that limits leave to their users.
void ShareTree::CountPending(QueueIndex leaf) {
  QueueShare& share = shares_[leaf];
  for (const bool deducts : {false, true}) {
    std::vector<std::pair<UserIndex, Resource>> rooms;
    Resource sum;
    for (const AppIndex a : s_.leaves()[leaf].active) {
      const App& app = s_.apps()[a];
      auto room = std::ranges::find(rooms, app.user, &std::pair<UserIndex, Resource>::first);
      if (room == rooms.end()) {
        const Resource limit = s_.UserLimit(leaf, app.user, partition_, true);
        const User* user = s_.leaves()[leaf].users.Find(app.user);
        const Resource used = user == nullptr ? Resource{} : user->used[partition_];
        rooms.emplace_back(app.user, SubtractToZero(limit, used));
        room = rooms.end() - 1;
      }
      const Usage& usage = app.usage[partition_];
      const Resource wanted =
          MostOf(deducts ? usage.pending - usage.reserved : usage.pending, Resource{});
      const Resource counted = LeastOf(room->second, wanted);
      sum += counted;
      room->second -= counted;
    }
    (deducts ? share.pending_less_reserved : share.pending) = sum;
  }
}

void ShareTree::Compute(const ShareRules& rules, const Resource& allowed) {
  rules_ = rules;
  for (QueueIndex q = static_cast<QueueIndex>(shares_.size()); q-- > 0;) FindExtras(q);
  shares_[0].ideal = shares_[0].guaranteed;
  // Parents come before their children.
  std::vector<QueueIndex> stack{0};
  while (!stack.empty()) {
    const QueueIndex q = stack.back();
    stack.pop_back();
    const std::vector<QueueIndex>& children = s_.queues()[q].children;
    if (children.empty()) continue;
    ComputeLevel(q, allowed);
    stack.insert(stack.end(), children.rbegin(), children.rend());
  }
  for (QueueIndex q = 0; q < shares_.size(); ++q) {
    if (s_.queues()[q].is_leaf() && !shares_[q].is_disabled) SetObtain(q);
  }
}

void ShareTree::FindExtras(QueueIndex q) {
  QueueShare& share = shares_[q];
  share.untouchable = share.preemptable = {};
  Resource extra = share.used - share.guaranteed;
  if (Less(by(), total_, extra, {})) extra = {};
  const Queue& queue = s_.queues()[q];
  if (queue.is_leaf()) {
    (share.is_disabled ? share.untouchable : share.preemptable) = extra;
    return;
  }
  Resource below;
  for (const QueueIndex child : queue.children) below += shares_[child].preemptable;
  if (Less(by(), total_, below, extra)) share.untouchable = extra - below;
  share.preemptable = Min(by(), total_, below, extra);
}

void ShareTree::ComputeLevel(QueueIndex parent, const Resource& allowed) {
  const Resource total = shares_[parent].ideal;
  const std::vector<QueueIndex>& children = s_.queues()[parent].children;
  std::vector<QueueIndex> guaranteed, others;
  for (const QueueIndex q : children) {
    (Greater(by(), total, shares_[q].guaranteed, {}) ? guaranteed : others).push_back(q);
  }
  Resource unassigned = total;
  FillUp(guaranteed, total, false, &unassigned);
  if (!others.empty() && Greater(by(), total, unassigned, {})) {
    FillUp(others, total, true, &unassigned);
  }
  Resource needed;
  for (const QueueIndex q : children) {
    const QueueShare& share = shares_[q];
    if (Greater(by(), total, share.used, share.ideal)) needed += share.used - share.ideal;
  }
  float scale = 1;
  if (Greater(by(), total, needed, allowed)) scale = Divide(by(), total, allowed, needed);
  for (const QueueIndex q : children) SetToBePreempted(q, total, scale);
}

int ShareTree::CompareNeed(QueueIndex a, QueueIndex b, const Resource& total) const {
  const auto part_of = [&](const QueueShare& share) {
    if (!Greater(by(), total, share.guaranteed, {})) return 2147483647.0;
    return Wide(Divide(by(), total, share.ideal, share.guaranteed));
  };
  return CompareUse(part_of(shares_[a]), part_of(shares_[b]), shares_[a].priority,
                    shares_[b].priority);
}

void ShareTree::NoteUnderServed(QueueIndex queue) {
  if (std::ranges::find(under_served_, queue) == under_served_.end()) {
    under_served_.push_back(queue);
  }
}

void ShareTree::FillUp(const std::vector<QueueIndex>& group, const Resource& total, bool evenly,
                       Resource* unassigned) {
  const auto compare = [&](QueueIndex a, QueueIndex b) { return CompareNeed(a, b, total); };
  JavaHeap<QueueIndex> heap;
  for (const QueueIndex q : group) {
    QueueShare& share = shares_[q];
    const bool is_over = Greater(by(), total, share.used, share.guaranteed);
    share.ideal = is_over ? LeastOf(share.guaranteed, share.used) + share.untouchable : share.used;
    *unassigned -= share.ideal;
    if (Less(by(), total, share.ideal, share.used + share.pending)) heap.Push(q, compare);
  }
  while (!heap.empty() && Greater(by(), total, *unassigned, {})) {
    SetParts(heap.items(), evenly);
    std::vector<QueueIndex> neediest;
    while (!heap.empty()) {
      neediest.push_back(heap.Pop(compare));
      NoteUnderServed(neediest.back());
      if (heap.empty() || compare(neediest.back(), heap.top()) >= 0) continue;
      NoteUnderServed(heap.top());
      break;
    }
    const Resource at_start = *unassigned;
    for (const QueueIndex q : neediest) {
      if (!IsAnyPositive(by(), *unassigned)) break;
      const Resource offered =
          LeastOf(MultiplyUpEach(by(), at_start, shares_[q].part, Resource{1, 1}), *unassigned);
      const Resource accepted = Offer(q, offered, total);
      if (Greater(by(), total, accepted, {})) heap.Push(q, compare);
      *unassigned = SubtractToZero(*unassigned, accepted);
    }
  }
  while (!heap.empty()) NoteUnderServed(heap.Pop(compare));
}

void ShareTree::SetParts(const std::vector<QueueIndex>& wanting, bool evenly) {
  Resource guaranteed;
  float absolute = 0;
  for (const QueueIndex q : wanting) {
    guaranteed += shares_[q].guaranteed;
    absolute += shares_[q].absolute;
  }
  const float even = 1.0F / static_cast<float>(wanting.size());
  for (size_t k = 0; k < kResources; ++k) {
    const bool by_capacity =
        !evenly && guaranteed.at(k) != 0 && std::ranges::any_of(wanting, [&](QueueIndex q) {
          return shares_[q].guaranteed.at(k) == 0 && shares_[q].absolute != 0;
        });
    for (const QueueIndex q : wanting) {
      QueueShare& share = shares_[q];
      float part = even;
      if (!evenly && by_capacity) {
        part = absolute == 0 ? even : share.absolute / absolute;
      } else if (!evenly && guaranteed.at(k) != 0) {
        part = static_cast<float>(share.guaranteed.at(k)) / static_cast<float>(guaranteed.at(k));
      }
      share.part[k] = Wide(part);
    }
  }
}

Resource ShareTree::Offer(QueueIndex q, const Resource& offered, const Resource& total) {
  QueueShare& share = shares_[q];
  const Resource below_max = SubtractToZero(share.max, share.ideal);
  const Resource& pending = rules_.counts_reserved ? share.pending : share.pending_less_reserved;
  Resource accepted =
      LeastOf(below_max, Min(by(), total, offered, share.used + pending - share.ideal));
  if (s_.queues()[q].is_leaf() && !rules_.balances) {
    const Resource room =
        Max(by(), total, Max(by(), total, share.used, share.guaranteed) - share.ideal, {});
    accepted = Min(by(), total, accepted, room);
  }
  accepted = LeastOf(MostOf(accepted, Resource{}), offered);
  share.ideal += accepted;
  return accepted;
}

void ShareTree::SetToBePreempted(QueueIndex q, const Resource& total, float scale) {
  QueueShare& share = shares_[q];
  const Resource kept =
      Max(by(), total, Min(by(), total, share.used + share.pending, share.guaranteed), share.ideal);
  share.to_be_preempted = {};
  if (Greater(by(), total, share.used, kept)) {
    share.to_be_preempted = Multiply(share.used - kept, Wide(scale));
  }
}

void ShareTree::SetObtain(QueueIndex leaf) {
  QueueShare& share = shares_[leaf];
  const Resource cluster = s_.cluster();
  share.obtain = {};
  if (!Greater(by(), cluster, share.used, Multiply(share.guaranteed, 1.0 + rules_.max_ignored))) {
    return;
  }
  share.obtain = share.to_be_preempted;
  if (!rules_.counts_reserved && Greater(by(), cluster, share.obtain, {})) {
    share.obtain = MultiplyUp(by(), share.obtain, rules_.natural_termination, Resource{1, 1});
  }
}

void ShareTree::Deduct(QueueIndex queue, const Resource& size) {
  Resource& obtain = shares_[queue].obtain;
  if (Greater(by(), total_, obtain, size)) obtain -= size;
  obtain = Max(by(), total_, obtain, {});
}

}  // namespace muster::yarn
