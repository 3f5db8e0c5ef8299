// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The tree of domains of one cycle, what jobs wish of it, and where they already are in it.
//
//   const Domains::Wish wish = domains.WishOf({job, kNone});
//   if (wish.hard && domains.tier(d) <= wish.tier) ...
//   DomainIndex both = domains.Lca(domains.allocated({job, kNone}), d);
//
// The tree is that of the tables under a root that no caller names: it holds every domain without a parent and every
// node, and its tier is one above the highest. Domains compare by name where all else is equal. A wish that names a
// tier is resolved to its number, and a soft wish is a hard one for the widest tier there is: the narrowest domains
// are tried first in any case.
// Nodes are kept in an order in which those of a domain stand side by side, so the tree costs O(nodes) once, until
// nodes or domains change. Where jobs already are is found out when it is asked for, from the tables.
#ifndef MUSTER_EXTENSION_DOMAINS_H_
#define MUSTER_EXTENSION_DOMAINS_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/base/hash_map.h"
#include "lib/model/tables.h"
#include "muster/policy/sub_group.h"

namespace muster {

class Domains {
 public:
  // Before each cycle; `changed`: nodes or domains may differ from those of the last.
  void Open(const Tables& tables, bool changed);

  // --- the tree; another number, another tree
  uint64_t version() const { return version_; }
  DomainIndex root() const {
    return root_;
  }  // the last index; those before it are rows of the table
  int32_t tier(DomainIndex d) const { return tier_[d]; }
  int32_t lowest_tier() const { return lowest_tier_; }
  DomainIndex parent(DomainIndex d) const { return parent_[d]; }  // kNone: of the root
  std::span<const DomainIndex> children(DomainIndex d) const { return children_[d]; }  // by name
  std::span<const NodeIndex> nodes(DomainIndex d) const {
    return std::span(nodes_).subspan(begin_[d], end_[d] - begin_[d]);
  }
  // The domain right above the node, the root where it is in none; kNone: it is gone. Conditions do not matter.
  DomainIndex above(NodeIndex n) const { return above_[n]; }
  bool Holds(DomainIndex d, NodeIndex n) const {
    return begin_[d] <= place_[n] && place_[n] < end_[d];
  }
  // The domain of the lowest tier there is that holds the node; kNone: it is in none of that tier.
  DomainIndex Lowest(NodeIndex n) const { return lowest_[n]; }
  // The narrowest domain above both; kNone stands for nothing, so that the other is the answer.
  DomainIndex Lca(DomainIndex a, DomainIndex b) const;
  // "tier 2 (block)", or that it is the whole cluster.
  std::string TierText(int32_t tier) const;
  bool NameBefore(DomainIndex a, DomainIndex b) const { return rank_[a] < rank_[b]; }

  // --- wishes
  struct Wish {
    bool there = false;
    bool hard = false;  // and it says how high it may go
    int32_t tier = 0;   // the widest allowed
  };
  Wish WishOf(JobIndex job) const;
  Wish WishOf(const SubGroup& group) const;
  // Whether some of the cluster is out of its reach.
  bool Bounds(JobIndex job) const;
  bool HasSubGroups(JobIndex job) const;
  // Whether the job is placed domain by domain.
  bool Concerns(JobIndex job) const;
  // How many tasks a sub-group needs to be ready.
  int64_t Need(const SubGroup& group) const;
  // The policy that counts it together with others; empty: none.
  std::string_view PolicyOf(const SubGroup& group) const;

  // --- where jobs are: the narrowest domain that holds what is placed; kNone: nothing is
  DomainIndex allocated(JobIndex job);
  DomainIndex allocated(const SubGroup& group);
  void set_allocated(JobIndex job, DomainIndex domain);
  void set_allocated(const SubGroup& group, DomainIndex domain);
  // The same for the tasks that are placed next, while their sub-group is.
  DomainIndex anchor() const { return anchor_; }
  void set_anchor(DomainIndex domain) { anchor_ = domain; }

 private:
  void BuildTree();
  void Number(DomainIndex d, DomainIndex lowest);
  Wish Resolve(const std::optional<TopologyWish>& wish) const;

  const Tables* tables_ = nullptr;
  uint64_t version_ = 0;
  DomainIndex root_ = kNone;
  int32_t lowest_tier_ = 1;
  std::vector<int32_t> tier_;
  std::vector<DomainIndex> parent_;
  std::vector<uint32_t> rank_;
  std::vector<std::vector<DomainIndex>> children_;
  std::vector<uint32_t> begin_, end_;  // into nodes_
  std::vector<NodeIndex> nodes_;
  std::vector<uint32_t> place_;              // per node
  std::vector<DomainIndex> above_, lowest_;  // per node
  std::vector<std::pair<std::string, int32_t>> tier_names_;

  HashMap<JobIndex, DomainIndex> of_job_;
  HashMap<std::pair<JobIndex, SubGroupIndex>, DomainIndex> of_group_;
  DomainIndex anchor_ = kNone;
};

}  // namespace muster

#endif  // MUSTER_EXTENSION_DOMAINS_H_
