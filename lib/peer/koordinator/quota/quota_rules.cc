// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/koordinator/quota/quota_rules.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/peer/koordinator/quota/elastic_tree.h"
#include "lib/share/sparse.h"

namespace muster {
namespace {

using EditAmounts = QuotaEdit::Amounts;

template <typename... Text>
absl::Status Refuse(const QuotaEdit& quota, absl::string_view rule, const Text&... text) {
  return absl::InvalidArgumentError(
      absl::StrCat("quota \"", quota.name, "\": ", rule, ": ", text...));
}

std::string ParentOf(const QuotaEdit& quota) {
  if (quota.parent.empty() && quota.name != kRootQuota) return std::string(kRootQuota);
  return quota.parent;
}

int64_t At(const EditAmounts& amounts, const std::string& resource) {
  const auto it = amounts.find(resource);
  return it == amounts.end() ? 0 : it->second;
}

void AddTo(const EditAmounts& more, EditAmounts* sum) {
  for (const auto& [resource, amount] : more) {
    int64_t& cell = (*sum)[resource];
    cell = SaturatingAdd(cell, amount);
  }
}

void RaiseTo(const EditAmounts& least, EditAmounts* amounts) {
  for (const auto& [resource, amount] : least) {
    const auto [it, added] = amounts->emplace(resource, amount);
    if (!added) it->second = std::max(it->second, amount);
  }
}

// Returns a resource of which `a` is more than `b`; absent amounts are nothing.
std::optional<std::string> FirstAbove(const EditAmounts& a, const EditAmounts& b) {
  for (const auto& [resource, amount] : a) {
    if (amount > At(b, resource)) return resource;
  }
  for (const auto& [resource, amount] : b) {
    if (amount < At(a, resource)) return resource;
  }
  return std::nullopt;
}

// Returns a resource that `part` names and `whole` does not.
std::optional<std::string> FirstOutside(const EditAmounts& part, const EditAmounts& whole) {
  for (const auto& [resource, amount] : part) {
    if (!whole.contains(resource)) return resource;
  }
  return std::nullopt;
}

}  // namespace

QuotaRules::QuotaRules(const Options& options, Tasks tasks)
    : options_(options), tasks_(std::move(tasks)) {
  children_[std::string(kRootQuota)];
}

const QuotaEdit* QuotaRules::Find(const std::string& name) const {
  const auto it = groups_.find(name);
  return it == groups_.end() ? nullptr : &it->second;
}

const std::set<std::string>& QuotaRules::ChildrenOf(const std::string& name) const {
  const auto it = children_.find(name);
  return it == children_.end() ? none_ : it->second;
}

absl::Status QuotaRules::Complete(QuotaEdit* quota) const {
  if (quota->name == kRootQuota) return absl::OkStatus();
  quota->parent = ParentOf(*quota);
  if (quota->tree.empty() && quota->parent != kRootQuota) {
    const QuotaEdit* parent = Find(quota->parent);
    if (parent == nullptr) {
      return Refuse(*quota, "parent-exists", "there is no \"", quota->parent, "\"");
    }
    quota->tree = parent->tree;
  }
  if (!quota->weight.has_value()) {
    quota->weight = quota->max;
    return absl::OkStatus();
  }
  quota->weight->insert(quota->max.begin(), quota->max.end());
  std::erase_if(*quota->weight, [&](const auto& cell) { return !quota->max.contains(cell.first); });
  return absl::OkStatus();
}

absl::Status QuotaRules::CheckNamespaces(const QuotaEdit& quota) const {
  for (const std::string& name : quota.namespaces) {
    const auto it = group_of_namespace_.find(name);
    if (it != group_of_namespace_.end() && it->second != quota.name) {
      return Refuse(quota, "namespace-free", "\"", name, "\" belongs to \"", it->second, "\"");
    }
  }
  return absl::OkStatus();
}

absl::Status QuotaRules::Add(const QuotaEdit& quota) {
  if (Find(quota.name) != nullptr) return Refuse(quota, "name-unique", "it exists already");
  if (absl::Status status = CheckNamespaces(quota); !status.ok()) return status;
  if (absl::Status status = CheckAlone(quota); !status.ok()) return status;
  if (absl::Status status = CheckRelatives(nullptr, quota); !status.ok()) return status;
  Load(quota);
  return absl::OkStatus();
}

void QuotaRules::Load(const QuotaEdit& quota) {
  if (const QuotaEdit* known = Find(quota.name)) {
    children_[ParentOf(*known)].erase(quota.name);
    for (const std::string& name : known->namespaces) group_of_namespace_.erase(name);
  }
  groups_[quota.name] = quota;
  children_[quota.name];
  children_[ParentOf(quota)].insert(quota.name);
  for (const std::string& name : quota.namespaces) group_of_namespace_[name] = quota.name;
}

void QuotaRules::Unload(const std::string& name) {
  const auto it = groups_.find(name);
  if (it == groups_.end()) return;
  children_[ParentOf(it->second)].erase(name);
  children_.erase(name);
  for (const std::string& space : it->second.namespaces) group_of_namespace_.erase(space);
  groups_.erase(it);
}

absl::Status QuotaRules::Update(const QuotaEdit& old, const QuotaEdit& quota) {
  const auto looked_at = [](const QuotaEdit& q) {
    return std::tie(q.parent, q.is_parent, q.tree, q.namespaces, q.max, q.min);
  };
  if (looked_at(old) == looked_at(quota)) return absl::OkStatus();
  if (quota.name == kRootQuota || quota.name == kSystemQuota) {
    return Refuse(quota, "not-built-in", "it cannot be changed");
  }
  if (absl::Status status = CheckNamespaces(quota); !status.ok()) return status;
  const QuotaEdit* known = Find(quota.name);
  if (known == nullptr) return Refuse(quota, "exists", "there is no such group");
  if (absl::Status status = CheckAlone(quota); !status.ok()) return status;
  QuotaEdit before = *known;
  before.namespaces = old.namespaces;
  if (absl::Status status = CheckRelatives(&before, quota); !status.ok()) return status;
  if (ParentOf(before) != ParentOf(quota)) {
    children_[ParentOf(before)].erase(quota.name);
    children_[ParentOf(quota)].insert(quota.name);
  }
  for (const std::string& name : old.namespaces) group_of_namespace_.erase(name);
  for (const std::string& name : quota.namespaces) group_of_namespace_[name] = quota.name;
  groups_[quota.name] = quota;
  return absl::OkStatus();
}

absl::Status QuotaRules::Remove(const QuotaEdit& quota) {
  if (quota.name == kRootQuota || quota.name == kSystemQuota || quota.name == kDefaultQuota) {
    return Refuse(quota, "not-built-in", "it cannot be removed");
  }
  const QuotaEdit* known = Find(quota.name);
  if (known == nullptr) return Refuse(quota, "exists", "there is no such group");
  if (!ChildrenOf(quota.name).empty()) return Refuse(quota, "no-children", "it has some");
  if (tasks_.named(quota.name)) return Refuse(quota, "no-tasks", "it has some");
  children_[ParentOf(*known)].erase(quota.name);
  children_.erase(quota.name);
  groups_.erase(quota.name);
  for (const std::string& name : quota.namespaces) group_of_namespace_.erase(name);
  return absl::OkStatus();
}

absl::Status QuotaRules::CheckAlone(const QuotaEdit& quota) const {
  const std::pair<const char*, const EditAmounts*> parts[] = {
      {"max", &quota.max},
      {"min", &quota.min},
      {"weight", quota.weight.has_value() ? &*quota.weight : nullptr}};
  for (const auto& [what, amounts] : parts) {
    if (amounts == nullptr) continue;
    for (const auto& [resource, amount] : *amounts) {
      if (amount < 0) {
        return Refuse(quota, "not-negative", what, " of ", resource, " is ", amount);
      }
    }
  }
  for (const auto& [resource, amount] : quota.min) {
    if (!quota.max.contains(resource)) {
      return Refuse(quota, "min-within-max", resource, " has a minimum and no maximum");
    }
    if (amount > At(quota.max, resource)) {
      return Refuse(quota, "min-within-max", resource, " ", amount, " is above ",
                    At(quota.max, resource));
    }
  }
  for (const std::string& resource : quota.strict_keys) {
    if (!quota.used.contains(resource)) continue;
    if (!quota.max.contains(resource) || At(quota.max, resource) < At(quota.used, resource)) {
      return Refuse(quota, "max-covers-use", resource, ": ", At(quota.used, resource), " in use");
    }
  }
  return absl::OkStatus();
}

absl::Status QuotaRules::CheckRelatives(const QuotaEdit* old, const QuotaEdit& quota) const {
  if (quota.name == kRootQuota) return absl::OkStatus();
  if (absl::Status status = CheckKind(old, quota); !status.ok()) return status;
  if (absl::Status status = CheckTree(old, quota); !status.ok()) return status;
  if (ParentOf(quota) == kRootQuota && !quota.is_parent) return absl::OkStatus();
  if (absl::Status status = CheckParent(quota); !status.ok()) return status;
  if (absl::Status status = CheckResources(quota); !status.ok()) return status;
  if (absl::Status status = CheckMinimums(quota); !status.ok()) return status;
  return options_.guarantee_usage ? CheckGuarantee(quota) : absl::OkStatus();
}

absl::Status QuotaRules::Check(Rule rule, const QuotaEdit* old, const QuotaEdit& quota) const {
  switch (rule) {
    case Rule::kAlone:
      return CheckAlone(quota);
    case Rule::kKind:
      return CheckKind(old, quota);
    case Rule::kTree:
      return CheckTree(old, quota);
    case Rule::kParent:
      return CheckParent(quota);
    case Rule::kResources:
    case Rule::kMinimums:
      // Both compare with the parent.
      if (ParentOf(quota) != kRootQuota && Find(ParentOf(quota)) == nullptr) {
        return CheckParent(quota);
      }
      return rule == Rule::kResources ? CheckResources(quota) : CheckMinimums(quota);
    case Rule::kGuarantee:
      return CheckGuarantee(quota);
  }
  return absl::OkStatus();
}

absl::Status QuotaRules::CheckKind(const QuotaEdit* old, const QuotaEdit& quota) const {
  if (old == nullptr || old->is_parent == quota.is_parent) return absl::OkStatus();
  if (!quota.is_parent && !ChildrenOf(quota.name).empty()) {
    return Refuse(quota, "parent-while-children", "it has children");
  }
  if (quota.is_parent && tasks_.bound(quota.name, old->namespaces)) {
    return Refuse(quota, "leaf-while-tasks", "tasks belong to it");
  }
  return absl::OkStatus();
}

absl::Status QuotaRules::CheckParent(const QuotaEdit& quota) const {
  const std::string parent = ParentOf(quota);
  if (parent == kRootQuota) return absl::OkStatus();
  const QuotaEdit* above = Find(parent);
  if (above == nullptr) return Refuse(quota, "parent-exists", "there is no \"", parent, "\"");
  if (!above->is_parent) return Refuse(quota, "parent-is-parent", "\"", parent, "\" is none");
  return absl::OkStatus();
}

std::string QuotaRules::GroupOf(const QuotaTaskEdit& task) const {
  if (!task.group.empty()) {
    return std::string(Find(task.group) == nullptr ? kDefaultQuota : task.group);
  }
  if (Find(task.name_space) != nullptr) return task.name_space;
  const auto it = group_of_namespace_.find(task.name_space);
  return it == group_of_namespace_.end() ? std::string(kDefaultQuota) : it->second;
}

absl::Status QuotaRules::CheckTask(const QuotaTaskEdit* old, const QuotaTaskEdit& task) const {
  if (old != nullptr && old->preemptible != task.preemptible) {
    return absl::InvalidArgumentError(
        "task: preemptible-fixed: whether it can be preempted does not change");
  }
  const std::string group = GroupOf(task);
  const QuotaEdit* quota = group == kDefaultQuota ? nullptr : Find(group);
  if (quota == nullptr || !quota->is_parent || options_.parents_take_tasks) return absl::OkStatus();
  return Refuse(*quota, "tasks-in-leaves", "it is a parent");
}

absl::Status QuotaRules::CheckTree(const QuotaEdit* old, const QuotaEdit& quota) const {
  if (old != nullptr && old->tree != quota.tree) {
    return Refuse(quota, "tree-fixed", "it is \"", old->tree, "\"");
  }
  const std::string parent = ParentOf(quota);
  if (parent != kRootQuota) {
    const QuotaEdit* above = Find(parent);
    if (above != nullptr && above->tree != quota.tree) {
      return Refuse(quota, "tree-of-parent", "that is \"", above->tree, "\"");
    }
  }
  for (const std::string& child : ChildrenOf(quota.name)) {
    const QuotaEdit* below = Find(child);
    if (below != nullptr && below->tree != quota.tree) {
      return Refuse(quota, "tree-of-children", "\"", child, "\" is of \"", below->tree, "\"");
    }
  }
  return absl::OkStatus();
}

absl::Status QuotaRules::CheckResources(const QuotaEdit& quota) const {
  const auto check = [&](const QuotaEdit& above, const QuotaEdit& below) {
    std::optional<std::string> odd = FirstOutside(below.max, above.max);
    if (!odd.has_value() && !options_.resources_may_differ)
      odd = FirstOutside(above.max, below.max);
    if (odd.has_value()) {
      return Refuse(quota, "same-resources", *odd, " is in one maximum of \"", above.name,
                    "\" and \"", below.name, "\" only");
    }
    odd = FirstOutside(below.min, above.min);
    if (!odd.has_value()) return absl::OkStatus();
    return Refuse(quota, "same-resources", *odd, " is in the minimum of \"", below.name,
                  "\" and not of \"", above.name, "\"");
  };
  if (ParentOf(quota) != kRootQuota) {
    if (absl::Status status = check(*Find(ParentOf(quota)), quota); !status.ok()) return status;
  }
  for (const std::string& child : ChildrenOf(quota.name)) {
    if (absl::Status status = check(quota, *Find(child)); !status.ok()) return status;
  }
  return absl::OkStatus();
}

QuotaEdit::Amounts QuotaRules::ChildrenMin(const std::string& parent,
                                           const std::string& except) const {
  EditAmounts sum;
  for (const std::string& child : ChildrenOf(parent)) {
    if (child != except) AddTo(Find(child)->min, &sum);
  }
  return sum;
}

absl::Status QuotaRules::CheckMinimums(const QuotaEdit& quota) const {
  if (quota.forced || quota.is_tree_root) return absl::OkStatus();
  const std::string parent = ParentOf(quota);
  if (parent != kRootQuota) {
    EditAmounts sum = ChildrenMin(parent, quota.name);
    AddTo(quota.min, &sum);
    if (const std::optional<std::string> above = FirstAbove(sum, Find(parent)->min)) {
      return Refuse(quota, "min-within-parent", *above, " of \"", parent,
                    "\" does not cover its children's");
    }
  }
  if (ChildrenOf(quota.name).empty()) return absl::OkStatus();
  if (const std::optional<std::string> above = FirstAbove(ChildrenMin(quota.name, ""), quota.min)) {
    return Refuse(quota, "min-covers-children", *above, " does not cover its children's");
  }
  return absl::OkStatus();
}

// An ancestor must guarantee what this group's new minimum adds, on top of what its other children
// hold.
absl::Status QuotaRules::CheckGuarantee(const QuotaEdit& quota) const {
  if (quota.forced || quota.tree.empty() || quota.is_tree_root) return absl::OkStatus();
  if (!FirstAbove(quota.min, quota.guaranteed).has_value()) return absl::OkStatus();
  EditAmounts needed = quota.guaranteed;
  RaiseTo(quota.min, &needed);
  std::string self = quota.name;
  for (std::string at = ParentOf(quota); at != kRootQuota;) {
    const QuotaEdit* above = Find(at);
    if (above == nullptr) return Refuse(quota, "parent-exists", "there is no \"", at, "\"");
    for (const std::string& child : ChildrenOf(at)) {
      if (child != self) AddTo(Find(child)->guaranteed, &needed);
    }
    RaiseTo(above->min, &needed);
    if (!FirstAbove(needed, above->guaranteed).has_value()) return absl::OkStatus();
    self = at;
    at = ParentOf(*above);
  }
  return Refuse(quota, "min-guaranteed", "no group above it guarantees its minimum");
}

}  // namespace muster
