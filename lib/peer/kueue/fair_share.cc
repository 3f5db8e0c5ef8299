// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/kueue/fair_share.h"

#include <algorithm>

namespace muster::kueue {
namespace {

// The peer's expression.
double RatioOf(Amount over, Amount lendable) {
  return static_cast<double>(over) * 1000.0 / static_cast<double>(lendable);
}

}  // namespace

bool BorrowsOn(const QuotaTree& tree, Queue node, const CellAmounts& amounts) {
  return std::any_of(amounts.begin(), amounts.end(), [&](const CellAmount& a) {
    return a.amount > 0 && tree.BorrowingWith(node, a.cell, 0);
  });
}

Amount BorrowedOf(const QuotaTree& tree, Queue queue, Cell cell) {
  if (tree.parent(queue) == kNothing) return 0;
  return std::max<Amount>(0, Minus(tree.usage(queue, cell), tree.nominal(queue, cell)));
}

int Compare(const Share& a, const Share& b) {
  const auto sign = [](double x, double y) { return (x > y) - (x < y); };
  if (a.infinite() && b.infinite()) return sign(a.ratio, b.ratio);
  if (a.infinite() != b.infinite()) return a.infinite() ? 1 : -1;
  return sign(a.value(), b.value());
}

Amount FairShares::Lendable(Queue cohort, ResourceIndex resource) {
  if (structure_ != world_->structure) {
    structure_ = world_->structure;
    lendable_.assign(world_->queues.size(), {});
  }
  std::vector<Amount>& row = lendable_[cohort];
  if (row.empty()) {
    row.assign(world_->resources.size(), 0);
    const Queue root = world_->tree.Root(cohort);
    for (Cell cell = 0; cell < world_->tree.cells(); ++cell) {
      if (!world_->tree.known(root, cell)) continue;
      Amount& sum = row[world_->resource_of(cell)];
      sum = Plus(sum, world_->tree.Potential(cohort, cell));
    }
  }
  return row[resource];
}

Share FairShares::Of(Queue node, const CellAmounts& more) {
  Share share{.weight = world_->queues[node].weight};
  const QuotaTree& tree = world_->tree;
  if (!world_->HasParent(node)) return share;
  over_.assign(world_->resources.size(), 0);
  for (Cell cell = 0; cell < tree.cells(); ++cell) {
    if (!tree.known(node, cell)) continue;
    Amount used = tree.usage(node, cell);
    for (const CellAmount& m : more) {
      if (m.cell == cell) used = Plus(used, m.amount);
    }
    const Amount over = Minus(used, tree.subtree_quota(node, cell));
    if (over <= 0) continue;
    share.borrowing = true;
    Amount& sum = over_[world_->resource_of(cell)];
    sum = Plus(sum, over);
  }
  if (!share.borrowing) return share;
  for (ResourceIndex r = 0; r < over_.size(); ++r) {
    if (over_[r] <= 0) continue;
    const Amount lendable = Lendable(tree.parent(node), r);
    if (lendable > 0) share.ratio = std::max(share.ratio, RatioOf(over_[r], lendable));
  }
  return share;
}

}  // namespace muster::kueue
