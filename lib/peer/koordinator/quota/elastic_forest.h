// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Several elastic quota trees over one cluster, as Koordinator keeps them. Nodes feed the default
// tree. Each other tree has the total that its root sets, and the default tree has so much less.
//
//   ElasticForest forest({});
//   absl::Status status = forest.PutNode("n0", {{"cpu", 96000}});
//   status = forest.Put({.group = {.name = "pool", .is_parent = true, .max = {{"cpu", 32000}}},
//                        .tree = "gpu",
//                        .total = NamedAmounts{{"cpu", 32000}}});   // the default tree keeps 64000
//   status = forest.Put({.group = {.name = "vision", .parent = "pool", .max = {{"cpu", 32000}}},
//                        .tree = "gpu"});
//   status = forest.AddTask("vision", {.name = "t1", .request = {{"cpu", 4000}}});
//   ElasticForest::Place place = forest.PlaceOf("vision");
//   place.tree->Refresh(place.group);                            // {{"cpu", 4000}}: its runtime
//
// Idea. A group is in one tree and its name in no other, so a task that names its group names its
// tree. Amounts go from tree to tree only by the totals of roots. Within a tree everything is the
// tree's own (elastic_tree.h).
//
// Promises. A call takes effect as a whole, or returns an error and changes nothing. The default
// tree has the sum of its nodes and of what it was given without one, less the totals of roots that
// take from it.
//
// Cost. One look-up by name more than the tree alone. Frequent callers keep the Place, which holds
// until the group or its tree is removed.
//
// Peer. Koordinator's plug-in with its gate for several trees.
// - A tree begins with the first group that names it, and ends with its root. A tree that never had
//   a root stays when its last group goes.
// - Groups for tasks of no group and of the system are in the default tree alone. Tasks that name
//   no group, or an unknown one, are counted there.
// - Totals of roots may exceed what all nodes have. The default tree then has less than nothing,
//   and hands out none.
// - Refused here, and left to its webhook or to chance by the peer: a group that changes its tree,
//   a parent in another tree, a second root, and the end of a tree that still has groups.
// - An edit without a total leaves a root's total as it was. One that stops taking from the default
//   tree gives back what it took, which the peer forgets.
#ifndef MUSTER_PEER_KOORDINATOR_QUOTA_ELASTIC_FOREST_H_
#define MUSTER_PEER_KOORDINATOR_QUOTA_ELASTIC_FOREST_H_

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "lib/base/hash_map.h"
#include "lib/peer/koordinator/quota/elastic_tree.h"
#include "lib/share/sparse.h"

namespace muster {

struct ForestGroup {
  QuotaGroup group = {};
  std::string tree = {};                   // empty: the default tree
  std::optional<NamedAmounts> total = {};  // what the tree has; set for its root alone
  bool takes_from_default = true;  // the total is part of the nodes that feed the default tree
};

class ElasticForest {
 public:
  struct Options {
    // Of all trees; only the default one has built-in groups.
    ElasticTree::Options tree = {};
    // Tasks of no group are counted in the group for them, else nowhere.
    bool takes_strangers = true;
  };
  explicit ElasticForest(const Options& options);
  ElasticForest(const ElasticForest&) = delete;
  ElasticForest& operator=(const ElasticForest&) = delete;

  // Sets what a node has, for a new node or one that changed. Removing a node that is not there
  // does nothing.
  absl::Status PutNode(std::string_view name, const NamedAmounts& allocatable);
  void RemoveNode(std::string_view name);

  absl::Status Put(const ForestGroup& quota);  // a new group, or new values of one
  absl::Status Remove(std::string_view group);

  // As the tree's own functions, in the tree of the group that a task names. A task that changes
  // its tree leaves one and enters the other.
  absl::Status AddTask(std::string_view group, const QuotaTask& task);
  absl::Status UpdateTask(std::string_view old_group, const QuotaTask& old_task,
                          std::string_view group, const QuotaTask& task);
  absl::Status RemoveTask(std::string_view group, const QuotaTask& task);
  absl::Status Reserve(std::string_view group, const QuotaTask& task);
  absl::Status Unreserve(std::string_view group, const QuotaTask& task);

  // The place where a task that names this group is counted.
  struct Place {
    ElasticTree* tree = nullptr;  // null: nowhere
    ElasticTree::Index group = ElasticTree::kNone;
  };
  Place PlaceOf(std::string_view group) { return Locate(group); }

  std::vector<std::string> Trees() const;  // the default one, "", first, then by name
  // Returns the tree, or null if it is unknown. For amounts and questions; groups belong to the
  // forest.
  ElasticTree* Find(std::string_view tree);
  const ElasticTree* Find(std::string_view tree) const;

  // Returns whether a task that was refused in group `waiting` may fit now: after a task of group
  // `gone`, which is still there, gave back its place, or after an edit. With `asks_parents` groups
  // above were checked as well. As in the peer, no task waits for another tree, and a tree's new
  // total alone wakes no task.
  bool MayFitWithout(std::string_view waiting, std::string_view gone, std::string_view task,
                     bool asks_parents) const;
  bool MayFitAfter(std::string_view waiting, const ForestGroup& before, const ForestGroup& after,
                   bool asks_parents) const;

 private:
  struct Tree {
    explicit Tree(const ElasticTree::Options& options) : tree(options) {}
    ElasticTree tree;
    std::string id;
    std::string root;  // empty: no group set a total
    Sparse total;      // that the root set
    Sparse taken;      // of the default tree, in that tree's resources
  };

  using TreeCall = absl::Status (ElasticTree::*)(std::string_view group, const QuotaTask& task);

  Place Locate(std::string_view group) const;
  absl::Status Pass(TreeCall call, std::string_view group, const QuotaTask& task);
  ElasticTree& Default() { return default_->tree; }
  absl::Status Check(const ForestGroup& quota) const;
  void SetTotal(Tree* tree, const Sparse& total, const Sparse& taken);

  Options options_;
  std::map<std::string, Tree, std::less<>> trees_;
  Tree* default_;
  HashMap<std::string, Tree*> tree_of_;  // group -> its tree
  HashMap<std::string, Sparse> nodes_;
};

}  // namespace muster

#endif  // MUSTER_PEER_KOORDINATOR_QUOTA_ELASTIC_FOREST_H_
