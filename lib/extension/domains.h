// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The tree of domains of one cycle, the topology wishes of jobs, and the domains of their placed
// tasks.
//
//   const Domains::Wish wish = domains.WishOf({job, kNone});
//   if (wish.hard && domains.tier(d) <= wish.tier) ...
//   DomainIndex both = domains.Lca(domains.allocated({job, kNone}), d);
//
// The tree is that of the tables under a root that no caller names: it holds every domain without a
// parent and every node, and its tier is one above the highest. Domains compare by name where all
// else is equal. A wish that names a tier is resolved to its number, and a soft wish is a hard one
// for the widest tier: the narrowest domains are tried first in any case.
// Cost. Nodes are kept in an order in which those of a domain stand side by side, so the tree costs
// O(nodes) once, until nodes or domains change. The domain of a job is computed from the tables at
// its first call.
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
  // Call it before each cycle; `changed`: nodes or domains may differ from those of the last.
  void Open(const Tables& tables, bool changed);

  // --- the tree; `version` changes with it
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
  // Returns the domain right above the node, the root if it is in none; kNone: the node was
  // removed. Conditions do not matter.
  DomainIndex above(NodeIndex n) const { return above_[n]; }
  bool Holds(DomainIndex d, NodeIndex n) const {
    return begin_[d] <= place_[n] && place_[n] < end_[d];
  }
  // Returns the domain of the lowest tier that holds the node; kNone: it is in none of that tier.
  DomainIndex Lowest(NodeIndex n) const { return lowest_[n]; }
  // Returns the narrowest domain above both; if one is kNone, the other.
  DomainIndex Lca(DomainIndex a, DomainIndex b) const;
  // Returns "tier 2 (block)", or words for the whole cluster.
  std::string TierText(int32_t tier) const;
  bool NameBefore(DomainIndex a, DomainIndex b) const { return rank_[a] < rank_[b]; }

  // --- wishes
  struct Wish {
    bool there = false;
    bool hard = false;  // and it has a widest tier
    int32_t tier = 0;   // the widest topology tier allowed
  };
  Wish WishOf(JobIndex job) const;
  Wish WishOf(const SubGroup& group) const;
  // Returns whether the wishes of the job exclude some of the cluster.
  bool Bounds(JobIndex job) const;
  bool HasSubGroups(JobIndex job) const;
  // Returns whether the job is placed domain by domain.
  bool Concerns(JobIndex job) const;
  // Returns how many tasks a sub-group needs to be ready.
  int64_t Need(const SubGroup& group) const;
  // Returns the name of the SubGroupPolicy that counts it together with others; empty: none.
  std::string_view PolicyOf(const SubGroup& group) const;

  // --- the narrowest domain that holds what is placed of a job; kNone: nothing is
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
