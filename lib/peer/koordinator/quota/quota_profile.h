// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The root of a quota tree with the amounts of some nodes.
//
//   QuotaProfile profile{.name = "gpu", .group = "gpu-pool", .ratio = 0.9};
//   absl::StatusOr<ProfiledRoot> made = RootOf(profile, nodes);   // of the selected nodes
//   absl::Status status = forest.Put(made->root);                 // again after each change of one
//
// Idea. The tree has a part of what its nodes have together. The root's minimum is all of it, and
// its maximum is unbounded. The caller selects nodes by their labels. O(nodes * resources).
//
// Peer. Koordinator's profiles, counted anew every ten seconds there. Nodes that take no tasks
// count like all others, and their part is listed beside them. Parts are cut to whole units after
// the sum, in double precision. A node that two profiles select is in both trees, and the default
// tree goes without it twice. The root is a group for others to be below it, which the peer leaves
// to the profile's labels. A ratio outside its range is refused; the peer reads it as one.
#ifndef MUSTER_PEER_KOORDINATOR_QUOTA_QUOTA_PROFILE_H_
#define MUSTER_PEER_KOORDINATOR_QUOTA_QUOTA_PROFILE_H_

#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/peer/koordinator/quota/elastic_forest.h"
#include "lib/share/resource_names.h"

namespace muster {

struct QuotaProfile {
  std::string name_space = {}, name = {};
  std::string tree = {};   // empty: that of TreeOf
  std::string group = {};  // the root's name
  double ratio = 1;        // the part of the nodes that the tree has
  // The resources that the root's minimum and maximum name.
  std::vector<std::string> resources = {"cpu", "memory"};
};

struct ProfiledNode {
  NamedAmounts allocatable = {};
  bool takes_tasks = true;  // schedulable and ready
};

struct ProfiledRoot {
  ForestGroup root;
  NamedAmounts idle;  // the part of its total that is on nodes which take no tasks
};

absl::StatusOr<ProfiledRoot> RootOf(const QuotaProfile& profile,
                                    std::span<const ProfiledNode> nodes);

// Returns the tree's name: that of the profile, or 64 bits of FNV-1a over "name_space/name" in
// decimals.
std::string TreeOf(const QuotaProfile& profile);

}  // namespace muster

#endif  // MUSTER_PEER_KOORDINATOR_QUOTA_QUOTA_PROFILE_H_
