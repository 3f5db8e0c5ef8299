// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Dominant resource fairness over a tree: which leaf's turn it is.
//
//   DrfTree tree({.form = DrfForm::kDynamic}, {96000, 512});
//   DrfTree::Index team = *tree.AddGroup(DrfTree::kRoot, 2.0);
//   DrfTree::Index user = *tree.AddLeaf(team, {.task = {1000, 4}});
//   tree.Next();                       // the leaf of the next task, or nothing
//   tree.Start(user); tree.End(user);
//
// Idea. A leaf's share is its use of the resource it uses most of, over its weight. From the root
// the way goes to the child with the smallest share that can still take something, down to a leaf.
// A leaf is blocked when it has all its tasks, or when its next task does not fit what is free.
//
// Forms. What a group uses is
// - kNaive: the sum of its children (Mesos, YARN's fair scheduler).
// - kStatic: the sum of its children, each first scaled down to the smallest share among them, so
//   that a group of children that need different resources is not starved.
// - kDynamic (H-DRF): as kStatic among the children that are not blocked, plus the blocked ones as
//   they are. A group's share leaves out resources that are used up. So idle children hold no
//   sibling down.
//
// Guarantee (kDynamic). A group gets its weight's part of its parent's share within a task; no leaf
// starves.
//
// Peer. The papers' algorithms; with one group it is weighted DRF. Shares that are equal but for
// rounding (one part in 10^12) are equal: the first child comes first.
//
// Cost. Scaling needs, of all children, one minimum and one sum of directions (a child's vector
// over its share, which for a leaf never changes). Each group keeps both in a tree over its
// children, so a task started or ended and the next turn cost O(depth * log(children) * resources).
// When a resource is used up or free again, all shares are computed anew.
#ifndef MUSTER_PEER_TRANSWARP_DRF_TREE_H_
#define MUSTER_PEER_TRANSWARP_DRF_TREE_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"

namespace muster {

enum class DrfForm : uint8_t { kNaive, kStatic, kDynamic };

class DrfTree {
 public:
  using Index = uint32_t;
  static constexpr Index kRoot = 0;
  static constexpr int64_t kNoCap = std::numeric_limits<int64_t>::max();

  struct Options {
    DrfForm form = DrfForm::kDynamic;
    // The paper's listing of DRF ends when the next task does not fit; other forms skip its leaf.
    bool stops_at_misfit = false;
  };
  struct Leaf {
    std::vector<int64_t> task = {};  // what one task takes of each resource
    double weight = 1;
    int64_t cap = kNoCap;  // tasks it has in all
  };

  DrfTree(const Options& options, std::vector<int64_t> capacity);

  absl::StatusOr<Index> AddGroup(Index parent, double weight);
  absl::StatusOr<Index> AddLeaf(Index parent, const Leaf& leaf);

  std::optional<Index> Next();
  // Starts a task of a leaf, which takes its resources whether or not there is room; ends one, if
  // the leaf has any.
  void Start(Index leaf);
  void End(Index leaf);

  double Share(Index node);  // of a group or leaf, over its weight
  int64_t tasks(Index leaf) const { return nodes_[leaf].tasks; }
  const std::vector<int64_t>& used() const { return used_; }

 private:
  struct Node {
    Index parent = 0;
    uint32_t position = 0;  // among its siblings
    double weight = 1;
    bool is_leaf = false, is_blocked = false;
    double share = 0;
    // Leaves.
    std::vector<int64_t> task;
    std::vector<double> direction;  // parts of the cluster that a task takes, over its share
    int64_t tasks = 0, cap = kNoCap;
    int short_of = 0;  // resources of which too little is free for a task
    // Groups.
    std::vector<Index> children;
    std::vector<double> sums;  // a tree over the children, Slots() numbers each
    size_t width = 0;          // leaves of that tree: a power of two
    // Both: use, as parts of the cluster.
    std::vector<double> vector;
  };

  // For adjacent children: the smallest share, that of those not blocked, the sum of the vectors
  // that are not scaled, and the sum of the directions of those that are.
  size_t Slots() const { return 2 + 2 * capacity_.size(); }
  absl::StatusOr<Index> Add(Index parent, double weight);
  void Prepare();
  void Write(const Node& child, double* slot) const;
  void Combine(Node* group, size_t at) const;
  void Count(Index node);  // share, vector and whether it is blocked; of a group from its children
  void CountPath(Index leaf);
  void CountAll();
  void Move(Index leaf, int64_t tasks);
  bool Watch(size_t resource, std::vector<Index>* changed);

  Options options_;
  std::vector<int64_t> capacity_, used_;
  std::vector<bool> is_full_;
  std::vector<Node> nodes_;
  // Leaves by what a task takes of a resource, the most first; the first `short_` of them do not
  // fit.
  std::vector<std::vector<Index>> by_need_;
  std::vector<size_t> short_;
  bool is_prepared_ = false;
};

// Divisible tasks: the number that each user runs when all shares grow together until its cap or a
// resource ends its growth.
struct DrfUser {
  std::vector<int64_t> task = {};
  double weight = 1;
  std::optional<double> cap = {};
};
absl::StatusOr<std::vector<double>> DivideDrf(const std::vector<int64_t>& capacity,
                                              const std::vector<DrfUser>& users);

}  // namespace muster

#endif  // MUSTER_PEER_TRANSWARP_DRF_TREE_H_
