// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Hierarchical group quotas: what each group may use in a cycle.
//
//   GroupTree tree({{.name = "lab", .quota = 20}, {.name = "lab.hep", .share = 0.5}}, rules);
//   tree.Assign(pool);                                  // quotas
//   tree.group(g).requested = demand; ...               // of each group
//   tree.ShareFairly();                                 // allocated, and what is left unmet
//
// Idea. A group gets a fixed quota or a part of its parent's. What a group does not need is
// surplus: it goes to the groups below, then up. Groups that accept surplus share it by quota, and
// those without quota evenly what is left then; a group competes with the groups below it as one of
// them. Where slots have no weights, fractions of slots are put together and dealt out in turn.
//
// Numbers are doubles, in the order of the peer's operations.
#ifndef MUSTER_PEER_HTCONDOR_GROUP_TREE_H_
#define MUSTER_PEER_HTCONDOR_GROUP_TREE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/hash_map.h"

namespace muster::condor {

using GroupIndex = uint32_t;
inline constexpr GroupIndex kRootGroup = 0;
inline constexpr GroupIndex kNoGroup = UINT32_MAX;
inline constexpr std::string_view kRootName = "<none>";

struct GroupSpec {
  std::string name;             // with those above it: "physics.hep"
  std::optional<double> quota;  // fixed
  double share = 0;             // of the parent's quota, if none is fixed: 0 to 1
  std::optional<bool> accepts_surplus, autoregroup;  // absent: as GroupRules
};

struct GroupRules {
  bool accepts_surplus = false, autoregroup = false;
  bool oversubscription = true;  // fixed quotas are not scaled down to what there is
};

struct Group {
  std::string name;
  GroupIndex parent = kNoGroup;
  std::vector<GroupIndex> below;
  bool is_fixed = false;
  double configured = 0;
  bool accepts_surplus = false, autoregroup = false;
  // Of a cycle:
  double quota = 0;          // its own
  double subtree_quota = 0;  // with the groups below it
  double requested = 0;      // not met yet
  double allocated = 0;
  double subtree_requested = 0;  // by it and by those below that accept surplus
  int64_t rr_time = 0;           // when fractions were dealt to it last
  double subtree_rr_time = 0;
  bool was_dealt = false;
};

class GroupTree {
 public:
  // Groups without an existing parent, and duplicates, are left out. The root is always there.
  GroupTree(std::vector<GroupSpec> specs, const GroupRules& rules);

  // The root first, then by depth; groups of one parent by name, ignoring case.
  const std::vector<Group>& groups() const { return groups_; }
  Group& group(GroupIndex g) { return groups_[g]; }
  // Returns kNoGroup if there is no group of exactly that name but for case.
  GroupIndex Find(std::string_view name) const;
  // Returns the group of a submitter "group.user@domain", or of a group: the deepest that exists.
  GroupIndex GroupOf(std::string_view customer) const;
  // Returns whether a group, or the default, accepts surplus or regroups.
  bool any_accepts() const { return any_accepts_; }
  bool any_regroups() const { return any_regroups_; }

  void Assign(double pool);
  // Allocates what is requested. Returns the surplus that no group takes.
  double ShareFairly();
  // Turns fractions of allocations into whole slots; those that go first were dealt one the longest
  // ago.
  void DealRemainders();

 private:
  static std::string StepKey(GroupIndex parent, std::string_view step);
  void AssignTo(GroupIndex g, double quota);
  double Share(GroupIndex g);
  double Distribute(GroupIndex g, double surplus);
  double Recover(GroupIndex g);
  double Deal(GroupIndex g, double surplus);
  void SumRequests(Group* group) const;

  const GroupRules rules_;
  std::vector<Group> groups_;
  HashMap<std::string, GroupIndex> by_name_;  // in lower case
  HashMap<std::string, GroupIndex> by_step_;  // the parent's number and the own part of the name
  bool any_accepts_ = false, any_regroups_ = false;
};

}  // namespace muster::condor

#endif  // MUSTER_PEER_HTCONDOR_GROUP_TREE_H_
