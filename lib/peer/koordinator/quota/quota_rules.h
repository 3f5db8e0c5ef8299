// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Which edits of an elastic quota tree are accepted.
//
//   QuotaRules rules({}, {.named = ..., .bound = ...});   // which tasks there are
//   absl::Status status =
//       rules.Add({.name = "vision", .is_parent = true, .max = {{"cpu", 8000}}});
//   status.message();   // quota "vision": min-within-max: cpu 9000 is above 8000
//
// Idea. A tree that obeys the rules can give every group its minimum: the children's minimums fit
// in the parent's, all name the same resources, and what is in use is never cut away.
//
// Promises. An edit is accepted as a whole, or refused with the name of the first rule that it
// breaks, and then changes nothing. A tree that was accepted elsewhere is loaded as it is, broken
// rules and missing parents included. Later edits are checked against it, and each rule can be
// checked alone.
//
// Peer. Koordinator's validating webhook, rule for rule. What it does not check is not checked here
// either: a group right below the root that is no parent, a tree's root, a forced edit, a group
// that is put below itself. The tree refuses the last (elastic_tree.h). Amounts are compared, never
// added to others' units, so the caller may use any unit for all of them.
//
// Cost. O(children of the group and of its parent) an edit; with guarantees also of each ancestor.
#ifndef MUSTER_PEER_KOORDINATOR_QUOTA_QUOTA_RULES_H_
#define MUSTER_PEER_KOORDINATOR_QUOTA_QUOTA_RULES_H_

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"

namespace muster {

struct QuotaEdit {
  using Amounts = std::map<std::string, int64_t>;
  std::string name = {};
  std::string parent = {};  // empty: the root
  std::string tree = {};
  bool is_parent = false, is_tree_root = false;
  bool forced = false;  // its minimum is not checked against its relatives'
  Amounts max = {}, min = {}, used = {}, guaranteed = {};
  std::optional<Amounts> weight = {};
  std::vector<std::string> namespaces = {};  // tasks in these belong to the group
  std::vector<std::string> strict_keys =
      {};  // resources in which the maximum may not fall below the use
  friend bool operator==(const QuotaEdit&, const QuotaEdit&) = default;
};

// A task as its group's rules see it.
struct QuotaTaskEdit {
  std::string group = {};       // that it names; empty: none
  std::string name_space = {};  // counts where it names none
  std::optional<bool> preemptible = {};
};

class QuotaRules {
 public:
  struct Options {
    bool guarantee_usage =
        false;  // a minimum above what is guaranteed needs an ancestor that guarantees the rest
    bool resources_may_differ = false;  // a child may lack resources of its parent's maximum
    bool parents_take_tasks = false;
  };
  // `named`: tasks name a group. `bound`: tasks belong to it by naming it, or by its name or its
  // namespaces.
  struct Tasks {
    std::function<bool(const std::string& group)> named;
    std::function<bool(const std::string& group, const std::vector<std::string>& namespaces)> bound;
  };
  QuotaRules(const Options& options, Tasks tasks);

  // Fills in what a new group leaves out: its parent, the parent's tree, a weight for each resource
  // of its maximum and no other.
  absl::Status Complete(QuotaEdit* quota) const;
  absl::Status Add(const QuotaEdit& quota);
  absl::Status Update(const QuotaEdit& old, const QuotaEdit& quota);
  absl::Status Remove(const QuotaEdit& quota);

  // Sets a group as it is, unchecked: a new one, new values of one, or one that is gone.
  void Load(const QuotaEdit& quota);
  void Unload(const std::string& name);

  // Checks one rule for a group as it would be. `old`: as it was, absent for a new one.
  enum class Rule : uint8_t { kAlone, kKind, kTree, kParent, kResources, kMinimums, kGuarantee };
  absl::Status Check(Rule rule, const QuotaEdit* old, const QuotaEdit& quota) const;

  // Returns the group that a task belongs to. A task that names a group belongs to it, or to the
  // group for tasks of no group if there is none of that name. Any other task belongs to the group
  // with its namespace's name, else to the one that lists the namespace, else to the group for
  // tasks of no group.
  std::string GroupOf(const QuotaTaskEdit& task) const;
  // Checks that the task's group has no children, and that whether it can be preempted is set once.
  absl::Status CheckTask(const QuotaTaskEdit* old, const QuotaTaskEdit& task) const;

  const std::map<std::string, QuotaEdit>& groups() const { return groups_; }
  const std::map<std::string, std::string>& group_of_namespace() const {
    return group_of_namespace_;
  }

 private:
  using Amounts = QuotaEdit::Amounts;

  absl::Status CheckAlone(const QuotaEdit& quota) const;
  absl::Status CheckRelatives(const QuotaEdit* old, const QuotaEdit& quota) const;
  absl::Status CheckKind(const QuotaEdit* old, const QuotaEdit& quota) const;
  absl::Status CheckParent(const QuotaEdit& quota) const;
  absl::Status CheckTree(const QuotaEdit* old, const QuotaEdit& quota) const;
  absl::Status CheckResources(const QuotaEdit& quota) const;
  absl::Status CheckMinimums(const QuotaEdit& quota) const;
  absl::Status CheckGuarantee(const QuotaEdit& quota) const;
  absl::Status CheckNamespaces(const QuotaEdit& quota) const;
  const QuotaEdit* Find(const std::string& name) const;
  const std::set<std::string>& ChildrenOf(const std::string& name) const;
  Amounts ChildrenMin(const std::string& parent, const std::string& except) const;

  Options options_;
  Tasks tasks_;
  std::map<std::string, QuotaEdit> groups_;
  std::map<std::string, std::set<std::string>> children_;
  std::set<std::string> none_;
  std::map<std::string, std::string> group_of_namespace_;
};

}  // namespace muster

#endif  // MUSTER_PEER_KOORDINATOR_QUOTA_QUOTA_RULES_H_
