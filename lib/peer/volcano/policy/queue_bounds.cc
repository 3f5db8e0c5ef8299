// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/volcano/policy/queue_bounds.h"

#include <algorithm>
#include <limits>

namespace muster {
namespace {

constexpr double kNoLimit = std::numeric_limits<double>::max();
// The peer's limit of the root for what is neither cpu nor memory: the largest int64, as a double.
constexpr double kRootLimit = 9223372036854775808.0;

void Add(MaybeAmounts* sum, const MaybeAmounts& more) {
  for (size_t d = 0; d < more.value.size(); ++d) {
    if (more.has[d]) sum->Set(d, sum->value[d] + more.value[d]);
  }
}

// The smaller of the two where `amounts` has something; what `limit` does not name does not limit.
void Cap(MaybeAmounts* amounts, const MaybeAmounts& limit) {
  for (size_t d = 0; d < limit.value.size(); ++d) {
    if (amounts->has[d] && limit.has[d]) {
      amounts->value[d] = std::min(amounts->value[d], limit.value[d]);
    }
  }
}

void RaiseTo(MaybeAmounts* amounts, const MaybeAmounts& least) {
  for (size_t d = 0; d < least.value.size(); ++d) {
    if (!least.has[d]) continue;
    amounts->Set(d, amounts->has[d] ? std::max(amounts->value[d], least.value[d]) : least.value[d]);
  }
}

bool Nothing(const MaybeAmounts& amounts) {
  for (size_t d = 0; d < amounts.value.size(); ++d) {
    if (d != kPods && amounts.value[d] >= kSmallestAmount) return false;
  }
  return true;
}

}  // namespace

void QueueBounds::Open(const Tables& tables, const Ledger& ledger, bool hierarchy) {
  tables_ = &tables;
  ledger_ = &ledger;
  hierarchy_ = hierarchy;
  root_ = kNone;
  const QueueTable& queues = tables.queues;
  const size_t count = queues.alive.size();
  tops_.clear();
  parents_.assign(count, kNone);
  depths_.assign(count, 0);
  leaf_.assign(count, 1);
  bounds_.clear();
  bounds_.reserve(count);
  for (QueueIndex q = 0; q < count; ++q) {
    bounds_.push_back(queues.alive[q]
                          ? Bounds{Given(queues.deserved, q), Given(queues.guaranteed, q),
                                   Given(queues.limit, q), MaybeAmounts()}
                          : Bounds());
  }
  sound_ = true;
  if (hierarchy) {
    sound_ = OpenTree();
  } else {
    OpenSideBySide();
  }
}

void QueueBounds::OpenSideBySide() {
  const QueueTable& queues = tables_->queues;
  MaybeAmounts unguaranteed(tables_->dimension_count()), guaranteed(tables_->dimension_count());
  for (DimensionIndex d = 0; d < tables_->dimension_count(); ++d) {
    if (ledger_->total_present()[d]) unguaranteed.Set(d, static_cast<double>(ledger_->total()[d]));
  }
  for (QueueIndex q = 0; q < queues.alive.size(); ++q) {
    if (queues.alive[q]) Add(&guaranteed, bounds_[q].guarantee);
  }
  unguaranteed = Exceeding(unguaranteed, guaranteed);
  for (QueueIndex q = 0; q < queues.alive.size(); ++q) {
    if (!queues.alive[q]) continue;
    Bounds& bounds = bounds_[q];
    for (DimensionIndex d : {kCpu, kMemory}) {
      if (bounds.capability.value[d] <= 0) bounds.capability.value[d] = kNoLimit;
    }
    bounds.limit = unguaranteed;
    Add(&bounds.limit, bounds.guarantee);
    Cap(&bounds.limit, bounds.capability);
    Cap(&bounds.deserved, bounds.limit);
    RaiseTo(&bounds.deserved, bounds.guarantee);
  }
}

bool QueueBounds::OpenTree() {
  const QueueTable& queues = tables_->queues;
  const auto root = queues.names.Find("root");
  if (!root.has_value() || !queues.alive[*root] || queues.parent[*root] != kNone) return false;
  root_ = *root;
  for (QueueIndex q = 0; q < queues.alive.size(); ++q) {
    if (queues.alive[q] && q != root_ && queues.parent[q] == kNone) tops_.push_back(q);
  }
  Bounds& top = bounds_[root_];
  if (Nothing(top.capability)) {
    top.capability = MaybeAmounts(tables_->dimension_count());
    for (DimensionIndex d = 0; d < tables_->dimension_count(); ++d) {
      if (d <= kMemory) {
        top.capability.Set(d, kNoLimit);
      } else if (ledger_->total_present()[d]) {
        top.capability.Set(d, kRootLimit);
      }
    }
  }
  top.limit = top.capability;
  std::vector<QueueIndex> order = {root_};
  for (size_t i = 0; i < order.size(); ++i) {
    const QueueIndex q = order[i];
    std::vector<QueueIndex> children = queues.children[q];
    if (q == root_) children.insert(children.end(), tops_.begin(), tops_.end());
    if (children.empty()) continue;
    if (queues.jobs[q] > 0) return false;
    leaf_[q] = 0;
    OpenChildren(q, children);
    for (QueueIndex child : children) {
      parents_[child] = q;
      depths_[child] = depths_[q] + 1;
    }
    order.insert(order.end(), children.begin(), children.end());
  }
  return true;
}

void QueueBounds::OpenChildren(QueueIndex parent, const std::vector<QueueIndex>& children) {
  Bounds& above = bounds_[parent];
  MaybeAmounts guaranteed(tables_->dimension_count()), deserved(tables_->dimension_count());
  for (QueueIndex q : children) {
    Bounds& bounds = bounds_[q];
    RaiseTo(&bounds.deserved, bounds.guarantee);
    Add(&deserved, bounds.deserved);
    Add(&guaranteed, bounds.guarantee);
    for (DimensionIndex d = 0; d < tables_->dimension_count(); ++d) {
      const bool names =
          d <= kMemory ? bounds.capability.value[d] > 0 : bounds.capability.has[d] != 0;
      if (!names && above.capability.has[d]) bounds.capability.Set(d, above.capability.value[d]);
    }
  }
  if (parent == root_) {
    above.guarantee = guaranteed;
    above.deserved = deserved;
  }
  const MaybeAmounts unguaranteed = Exceeding(above.limit, guaranteed);
  for (QueueIndex q : children) {
    Bounds& bounds = bounds_[q];
    bounds.limit = unguaranteed;
    Add(&bounds.limit, bounds.guarantee);
    Cap(&bounds.limit, bounds.capability);
  }
}

MaybeAmounts QueueBounds::Given(const RowTable& table, QueueIndex q) const {
  MaybeAmounts amounts(tables_->dimension_count());
  for (DimensionIndex d = 0; d < tables_->dimension_count(); ++d) {
    const int64_t cell = table.at(q, d);
    if (cell != kAbsent) amounts.Set(d, static_cast<double>(cell));
  }
  return amounts;
}

QueueIndex QueueBounds::Above(QueueIndex q, uint32_t depth) const {
  while (depths_[q] > depth) q = parents_[q];
  return q;
}

QueueIndex QueueBounds::AboveBoth(QueueIndex a, QueueIndex b) const {
  a = parents_[a];
  b = parents_[b];
  if (a == kNone || b == kNone) return kNone;
  a = Above(a, depths_[b]);
  b = Above(b, depths_[a]);
  while (a != b) {
    a = parents_[a];
    b = parents_[b];
  }
  return a;
}

int64_t QueueBounds::Held(QueueIndex q, DimensionIndex d) const {
  if (!hierarchy_) return ledger_->queue_allocated(q)[d];
  int64_t held = ledger_->tree_allocated(q)[d];
  if (q != root_) return held;
  for (QueueIndex top : tops_) held += ledger_->tree_allocated(top)[d];
  return held;
}

}  // namespace muster
