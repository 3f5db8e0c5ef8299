// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/policy/queue_tree.h"

#include <algorithm>
#include <utility>

namespace muster {

std::vector<QueueIndex> QueuesFromTheTop(const QueueTable& queues) {
  std::vector<QueueIndex> order;
  for (QueueIndex q = 0; q < queues.alive.size(); ++q) {
    if (queues.alive[q] && queues.parent[q] == kNone) order.push_back(q);
  }
  for (size_t i = 0; i < order.size(); ++i) {
    const std::vector<QueueIndex>& children = queues.children[order[i]];
    order.insert(order.end(), children.begin(), children.end());
  }
  return order;
}

std::optional<std::span<const Change>> QueueWatch::Since(const Tables& tables) {
  const uint64_t from = std::exchange(position_, tables.log_start + tables.log.size());
  const bool same_layout = std::exchange(layout_, tables.layout) == tables.layout;
  if (!std::exchange(has_looked_, true) || !same_layout || from < tables.log_start) {
    return std::nullopt;
  }
  return std::span(tables.log).subspan(from - tables.log_start);
}

bool StaysWithin(std::span<const int64_t> most, std::span<const int64_t> held,
                 std::span<const int64_t> request, DimensionIndex* dimension) {
  for (DimensionIndex d = 0; d < request.size(); ++d) {
    if (d == kPods || request[d] <= 0 || held[d] <= most[d] - request[d]) continue;
    *dimension = d;
    return false;
  }
  return true;
}

void QueueTree::Open(const Tables& tables, const Ledger& ledger) {
  tables_ = &tables;
  ledger_ = &ledger;
  const QueueTable& queues = tables.queues;
  if (!watch_.Changed(tables, [&](QueueIndex q) { return !IsKept(queues, q); })) return;
  alive_ = queues.alive;
  parent_ = queues.parent;
  order_ = QueuesFromTheTop(queues);
  const auto first_below = std::find_if(order_.begin(), order_.end(),
                                        [&](QueueIndex q) { return queues.parent[q] != kNone; });
  roots_.assign(order_.begin(), first_below);
  depth_.assign(queues.alive.size(), 0);
  bounded_.assign(queues.alive.size(), kNone);
  for (QueueIndex q : order_) {
    const QueueIndex parent = queues.parent[q];
    if (parent != kNone) {
      depth_[q] = depth_[parent] + 1;
      bounded_[q] = bounded_[parent];
    }
    if (Bounds(queues, q)) bounded_[q] = q;
  }
}

bool QueueTree::Bounds(const QueueTable& queues, QueueIndex q) {
  const auto limits = queues.limit.row(q);
  return queues.spec[q].state != QueueState::kOpen ||
         std::any_of(limits.begin(), limits.end(), [](int64_t limit) { return limit != kAbsent; });
}

bool QueueTree::IsKept(const QueueTable& queues, QueueIndex q) const {
  return q < alive_.size() && queues.alive[q] == alive_[q] && queues.parent[q] == parent_[q] &&
         (!alive_[q] || Bounds(queues, q) == (bounded_[q] == q));
}

Verdict QueueTree::WithinLimits(QueueIndex queue, std::span<const int64_t> request) const {
  const QueueTable& queues = tables_->queues;
  for (QueueIndex q = bounded_[queue]; q != kNone;) {
    if (queues.spec[q].state != QueueState::kOpen) return Verdict::No(Cause::kClosed);
    const std::span<const int64_t> held = ledger_->tree_allocated(q);
    for (DimensionIndex d = 0; d < request.size(); ++d) {
      const int64_t limit = queues.limit.at(q, d);
      if (limit == kAbsent || request[d] <= 0 || held[d] <= limit - request[d]) continue;
      return Verdict::No(Cause::kLimit, d, q != queue ? q : kNone);
    }
    q = queues.parent[q] == kNone ? kNone : bounded_[queues.parent[q]];
  }
  return Verdict::Yes();
}

bool QueueTree::BelowGuarantee(QueueIndex queue) const {
  const auto held = ledger_->tree_allocated(queue), pending = ledger_->tree_pending(queue);
  const auto guaranteed = tables_->queues.guaranteed.row(queue);
  for (DimensionIndex d = 0; d < guaranteed.size(); ++d) {
    if (d == kPods || guaranteed[d] == kAbsent) continue;
    if (held[d] < guaranteed[d] && pending[d] > 0) return true;
  }
  return false;
}

std::span<int64_t> QueueTree::Add(QueueIndex q, std::span<const int64_t> held, Rows* rows) {
  rows->queues.push_back(q);
  rows->cells.insert(rows->cells.end(), held.begin(), held.end());
  return std::span(rows->cells).last(held.size());
}

void QueueTree::Go(const Way& way, std::span<const int64_t> request) {
  const auto take = [&](std::span<int64_t> left) {
    for (DimensionIndex d = 0; d < request.size(); ++d) left[d] -= request[d];
  };
  for (QueueIndex q : way.queues) take(Left(q, ledger_->tree_allocated(q), &held_));
  if (tables_->queues.children[way.giver].empty()) return;
  take(Left(way.giver, ledger_->queue_allocated(way.giver), &own_held_));
}

}  // namespace muster
