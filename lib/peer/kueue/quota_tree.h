// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The tree of quotas: ClusterQueues below cohorts below cohorts, one cell for each pair of a flavor
// and a resource.
//
//   QuotaTree tree;
//   tree.Resize(/*nodes=*/2, /*cells=*/1);
//   tree.SetParent(0, 1);                              // node 0 is below node 1
//   tree.SetQuota(0, 0, {.nominal = 4});
//   tree.SetQuota(1, 0, {.nominal = 6});
//   tree.Compute();
//   tree.Available(0, 0);                              // 10: 4 of its own, 6 to borrow
//   size_t mark = tree.Mark();
//   tree.Add(0, 0, 7);                                 // 4 here, 3 of them seen above
//   tree.Rollback(mark);
//
// What a node keeps to itself (its quota above the lending limit) is used first; only what goes
// beyond is seen by its parent. So each operation walks up as far as the usage is seen, and costs
// O(depth) for one cell. Compute costs O(nodes x cells), and is due only when quotas or parents
// change.
#ifndef MUSTER_PEER_KUEUE_QUOTA_TREE_H_
#define MUSTER_PEER_KUEUE_QUOTA_TREE_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "lib/peer/kueue/amount.h"

namespace muster::kueue {

// A node of the tree, and a pair of a flavor and a resource: dense numbers.
using TreeNode = uint32_t;
using Cell = uint32_t;
inline constexpr uint32_t kNothing = ~uint32_t{0};

// An amount of one cell.
struct CellAmount {
  Cell cell;
  Amount amount;
  friend bool operator==(const CellAmount&, const CellAmount&) = default;
};
using CellAmounts = std::vector<CellAmount>;

struct Quota {
  Amount nominal = 0;
  Amount borrow_limit = kNoLimit;
  Amount lend_limit = kNoLimit;
};

class QuotaTree {
 public:
  // Forgets all quotas, parents and usage.
  void Resize(size_t nodes, size_t cells);
  size_t nodes() const { return parent_.size(); }
  size_t cells() const { return cells_; }

  void SetParent(TreeNode node, TreeNode parent) { parent_[node] = parent; }
  // Marks the cell as one that the node has a quota for.
  void SetQuota(TreeNode node, Cell cell, const Quota& quota);
  // Sets the usage of a ClusterQueue: of a node without children.
  void SetUsage(TreeNode node, Cell cell, Amount usage) { At(node, cell).usage = usage; }
  // Computes all that follows from quotas, parents and the usage of the leaves.
  // REQUIRES: no cycles.
  void Compute();

  TreeNode parent(TreeNode node) const { return parent_[node]; }
  std::span<const TreeNode> children(TreeNode node) const { return children_[node]; }
  TreeNode Root(TreeNode node) const;
  // Returns 0 for a ClusterQueue and an empty cohort, else 1 or more.
  int Height(TreeNode node) const { return height_[node]; }

  Amount nominal(TreeNode node, Cell cell) const { return At(node, cell).quota.nominal; }
  Amount borrow_limit(TreeNode node, Cell cell) const { return At(node, cell).quota.borrow_limit; }
  Amount subtree_quota(TreeNode node, Cell cell) const { return At(node, cell).subtree; }
  Amount usage(TreeNode node, Cell cell) const { return At(node, cell).usage; }
  // Returns whether the node, or one below it, has a quota for the cell.
  bool known(TreeNode node, Cell cell) const { return At(node, cell).known; }

  // Returns what the node may still use. May be below 0.
  Amount Available(TreeNode node, Cell cell) const;
  // The same, at least 0: what a ClusterQueue may still use.
  Amount AvailableOf(TreeNode node, Cell cell) const {
    return std::max<Amount>(0, Available(node, cell));
  }
  // Returns whether the node's borrowing limit leaves it less than its parent has.
  bool IsBoundByLimit(TreeNode node, Cell cell) const;
  // Returns what the node may use when no other uses anything.
  Amount Potential(TreeNode node, Cell cell) const;
  // Returns whether the node's borrowing limit bounds that.
  bool IsPotentialBoundByLimit(TreeNode node, Cell cell) const;

  void Add(TreeNode node, Cell cell, Amount amount);
  void Remove(TreeNode node, Cell cell, Amount amount);
  void Add(TreeNode node, std::span<const CellAmount> amounts) {
    for (const CellAmount& a : amounts) Add(node, a.cell, a.amount);
  }
  void Remove(TreeNode node, std::span<const CellAmount> amounts) {
    for (const CellAmount& a : amounts) Remove(node, a.cell, a.amount);
  }
  // Usage goes back to what it was at the mark; or stays, and the past is forgotten.
  size_t Mark() const { return undo_.size(); }
  void Rollback(size_t mark);
  void Forget() { undo_.clear(); }

  // Returns whether the node uses more than its own with `more` on top.
  bool BorrowingWith(TreeNode node, Cell cell, Amount more) const {
    return At(node, cell).subtree < Plus(At(node, cell).usage, more);
  }
  bool Within(TreeNode node, std::span<const Cell> cells) const {
    return std::none_of(cells.begin(), cells.end(),
                        [&](Cell cell) { return BorrowingWith(node, cell, 0); });
  }
  // Returns whether the amounts fit within the node's own quota, and replaces them by what of them
  // its parent sees.
  bool FitsInQuota(TreeNode node, CellAmounts* amounts) const;

  // The smallest subtree that holds `amount` more of the cell for the queue, by its height, and
  // whether more can be reclaimed above it.
  struct Borrowing {
    int height = 0;
    bool may_reclaim = false;
  };
  Borrowing BorrowHeight(TreeNode queue, Cell cell, Amount amount) const;

 private:
  struct Entry {
    Quota quota;
    Amount subtree = 0;  // the quota of the node and all below it
    Amount local = 0;    // of that, what the parent does not see
    Amount usage = 0;
    bool known = false;
  };
  struct Undo {
    uint32_t entry;
    Amount usage;
  };

  Entry& At(TreeNode node, Cell cell) { return entries_[node * cells_ + cell]; }
  const Entry& At(TreeNode node, Cell cell) const { return entries_[node * cells_ + cell]; }
  // Returns what the node may use of what its parent sees, by its borrowing limit.
  static Amount AllowedByLimit(const Entry& e) {
    const Amount seen_quota = Minus(e.subtree, e.local);
    const Amount seen_usage = std::max<Amount>(0, Minus(e.usage, e.local));
    return Plus(Minus(seen_quota, seen_usage), e.quota.borrow_limit);
  }
  static Amount LocalAvailable(const Entry& e) {
    return std::max<Amount>(0, Minus(e.local, e.usage));
  }
  void ComputeNode(TreeNode node);
  void SetUsage(Entry& entry, Amount usage) {
    undo_.push_back({static_cast<uint32_t>(&entry - entries_.data()), entry.usage});
    entry.usage = usage;
  }

  size_t cells_ = 0;
  std::vector<Entry> entries_;  // by node, then by cell
  std::vector<TreeNode> parent_;
  std::vector<std::vector<TreeNode>> children_;
  std::vector<int> height_;
  std::vector<Undo> undo_;
};

}  // namespace muster::kueue

#endif  // MUSTER_PEER_KUEUE_QUOTA_TREE_H_
