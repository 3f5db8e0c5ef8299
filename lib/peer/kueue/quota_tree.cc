// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/kueue/quota_tree.h"

namespace muster::kueue {

void QuotaTree::Resize(size_t nodes, size_t cells) {
  cells_ = cells;
  entries_.assign(nodes * cells, Entry());
  parent_.assign(nodes, kNothing);
  children_.assign(nodes, {});
  height_.assign(nodes, 0);
  undo_.clear();
}

void QuotaTree::SetQuota(TreeNode node, Cell cell, const Quota& quota) {
  At(node, cell).quota = quota;
  At(node, cell).known = true;
}

void QuotaTree::Compute() {
  undo_.clear();
  for (std::vector<TreeNode>& list : children_) list.clear();
  std::vector<TreeNode> order;  // parents first
  for (TreeNode n = 0; n < nodes(); ++n) {
    if (parent_[n] == kNothing) {
      order.push_back(n);
    } else {
      children_[parent_[n]].push_back(n);
    }
  }
  for (size_t i = 0; i < order.size(); ++i) {
    const std::vector<TreeNode>& below = children_[order[i]];
    order.insert(order.end(), below.begin(), below.end());
  }
  for (size_t i = order.size(); i-- > 0;) ComputeNode(order[i]);
}

void QuotaTree::ComputeNode(TreeNode node) {
  height_[node] = children_[node].empty() ? 0 : 1;
  for (const TreeNode child : children_[node]) {
    height_[node] = std::max(height_[node], 1 + height_[child]);
  }
  for (Cell cell = 0; cell < cells_; ++cell) {
    Entry& entry = At(node, cell);
    entry.subtree = entry.quota.nominal;
    if (!children_[node].empty()) entry.usage = 0;
    for (const TreeNode child : children_[node]) {
      const Entry& below = At(child, cell);
      entry.subtree = Plus(entry.subtree, Minus(below.subtree, below.local));
      entry.usage = Plus(entry.usage, std::max<Amount>(0, Minus(below.usage, below.local)));
      entry.known = entry.known || below.known;
    }
    entry.local = entry.quota.lend_limit == kNoLimit
                      ? 0
                      : std::max<Amount>(0, Minus(entry.subtree, entry.quota.lend_limit));
  }
}

TreeNode QuotaTree::Root(TreeNode node) const {
  while (parent_[node] != kNothing) node = parent_[node];
  return node;
}

Amount QuotaTree::Available(TreeNode node, Cell cell) const {
  const Entry& e = At(node, cell);
  if (parent_[node] == kNothing) return Minus(e.subtree, e.usage);
  Amount above = Available(parent_[node], cell);
  if (e.quota.borrow_limit != kNoLimit) above = std::min(AllowedByLimit(e), above);
  return Plus(LocalAvailable(e), above);
}

bool QuotaTree::IsBoundByLimit(TreeNode node, Cell cell) const {
  const Entry& e = At(node, cell);
  return parent_[node] != kNothing && e.quota.borrow_limit != kNoLimit &&
         AllowedByLimit(e) < Available(parent_[node], cell);
}

bool QuotaTree::IsPotentialBoundByLimit(TreeNode node, Cell cell) const {
  const Entry& e = At(node, cell);
  return parent_[node] != kNothing && e.quota.borrow_limit != kNoLimit &&
         Plus(e.subtree, e.quota.borrow_limit) < Plus(e.local, Potential(parent_[node], cell));
}

Amount QuotaTree::Potential(TreeNode node, Cell cell) const {
  const Entry& e = At(node, cell);
  if (parent_[node] == kNothing) return e.subtree;
  const Amount all = Plus(e.local, Potential(parent_[node], cell));
  if (e.quota.borrow_limit == kNoLimit) return all;
  return std::min(Plus(e.subtree, e.quota.borrow_limit), all);
}

void QuotaTree::Add(TreeNode node, Cell cell, Amount amount) {
  while (true) {
    Entry& e = At(node, cell);
    const Amount local = LocalAvailable(e);
    SetUsage(e, Plus(e.usage, amount));
    if (parent_[node] == kNothing || amount <= local) return;
    amount = Minus(amount, local);
    node = parent_[node];
  }
}

void QuotaTree::Remove(TreeNode node, Cell cell, Amount amount) {
  while (true) {
    Entry& e = At(node, cell);
    const Amount seen = Minus(e.usage, e.local);
    SetUsage(e, Minus(e.usage, amount));
    if (seen <= 0 || parent_[node] == kNothing) return;
    amount = std::min(amount, seen);
    node = parent_[node];
  }
}

void QuotaTree::Rollback(size_t mark) {
  for (; undo_.size() > mark; undo_.pop_back()) {
    entries_[undo_.back().entry].usage = undo_.back().usage;
  }
}

bool QuotaTree::FitsInQuota(TreeNode node, CellAmounts* amounts) const {
  bool fits = true;
  for (CellAmount& a : *amounts) {
    const Entry& e = At(node, a.cell);
    fits = fits && e.subtree >= Plus(e.usage, a.amount);
    a.amount = std::max<Amount>(0, Minus(a.amount, LocalAvailable(e)));
  }
  return fits;
}

QuotaTree::Borrowing QuotaTree::BorrowHeight(TreeNode queue, Cell cell, Amount amount) const {
  TreeNode node = parent_[queue];
  if (node == kNothing || !BorrowingWith(queue, cell, amount)) return {0, node != kNothing};
  Amount rest = Minus(amount, LocalAvailable(At(queue, cell)));
  TreeNode root = node;
  for (; node != kNothing; node = parent_[node]) {
    if (!BorrowingWith(node, cell, rest)) return {height_[node], parent_[node] != kNothing};
    rest = Minus(rest, LocalAvailable(At(node, cell)));
    root = node;
  }
  return {height_[root], false};
}

}  // namespace muster::kueue
