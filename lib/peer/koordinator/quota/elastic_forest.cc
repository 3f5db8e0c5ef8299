// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Which tree a group and its tasks are in, and what moves between trees: totals.
#include "lib/peer/koordinator/quota/elastic_forest.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

namespace muster {
namespace {

ElasticTree::Options WithoutBuiltIn(ElasticTree::Options options) {
  options.has_builtin = false;
  return options;
}

absl::string_view Key(std::string_view name) { return {name.data(), name.size()}; }

bool IsBelowZero(const Sparse& amounts) {
  Sparse clamped = amounts;
  clamped.NotBelowZero();
  return !(clamped == amounts);
}

std::string_view ParentOf(const QuotaGroup& group) {
  return group.parent.empty() ? kRootQuota : std::string_view(group.parent);
}

NamedAmounts Sorted(NamedAmounts amounts) {
  std::sort(amounts.begin(), amounts.end());
  return amounts;
}

NamedAmounts WeightOf(const QuotaGroup& group) {
  const bool said =
      group.weight.has_value() && std::any_of(group.weight->begin(), group.weight->end(),
                                              [](const auto& part) { return part.second != 0; });
  return Sorted(said ? *group.weight : group.max);
}

bool Differs(const QuotaGroup& a, const QuotaGroup& b, bool may_lend) {
  return ParentOf(a) != ParentOf(b) || a.is_parent != b.is_parent ||
         (may_lend && a.lends != b.lends) || Sorted(a.max) != Sorted(b.max) ||
         Sorted(a.min) != Sorted(b.min) || WeightOf(a) != WeightOf(b);
}

}  // namespace

ElasticForest::ElasticForest(const Options& options) : options_(options) {
  options_.tree.has_builtin = true;
  default_ = &trees_.try_emplace(std::string(), options_.tree).first->second;
  for (const std::string_view name : {kRootQuota, kSystemQuota, kDefaultQuota}) {
    tree_of_.emplace(name, default_);
  }
}

std::vector<std::string> ElasticForest::Trees() const {
  std::vector<std::string> ids;
  ids.reserve(trees_.size());
  for (const auto& [id, tree] : trees_) ids.push_back(id);
  return ids;
}

const ElasticTree* ElasticForest::Find(std::string_view tree) const {
  const auto it = trees_.find(tree);
  return it == trees_.end() ? nullptr : &it->second.tree;
}

ElasticTree* ElasticForest::Find(std::string_view tree) {
  const auto it = trees_.find(tree);
  return it == trees_.end() ? nullptr : &it->second.tree;
}

ElasticForest::Place ElasticForest::Locate(std::string_view group) const {
  const auto it = tree_of_.find(Key(group));
  if (it != tree_of_.end()) return {&it->second->tree, it->second->tree.IndexOf(group)};
  if (!options_.takes_strangers) return {};
  return {&default_->tree, default_->tree.IndexOf(kDefaultQuota)};
}

// --- amounts

absl::Status ElasticForest::PutNode(std::string_view name, const NamedAmounts& allocatable) {
  const auto refuse = [&](absl::string_view rule) {
    return absl::InvalidArgumentError(absl::StrCat("node \"", Key(name), "\": ", rule));
  };
  if (name.empty()) return refuse("a name is required");
  absl::StatusOr<Sparse> amounts = Default().Intern(allocatable);
  if (!amounts.ok()) return refuse(amounts.status().message());
  if (IsBelowZero(*amounts)) return refuse("allocatable must not be below zero");
  Sparse& known = nodes_[Key(name)];
  absl::Status status = Default().AddTotal(Default().Named(Difference(*amounts, known)));
  if (status.ok()) known = *std::move(amounts);
  return status;
}

void ElasticForest::RemoveNode(std::string_view name) {
  const auto it = nodes_.find(Key(name));
  if (it == nodes_.end()) return;
  // Cannot fail: the tree has had these resources since the node came.
  Default().AddTotal(Default().Named(Difference(Sparse(), it->second))).IgnoreError();
  nodes_.erase(it);
}

// Cannot fail either: both trees accepted these amounts before.
void ElasticForest::SetTotal(Tree* tree, const Sparse& total, const Sparse& taken) {
  tree->tree.AddTotal(tree->tree.Named(Difference(total, tree->total))).IgnoreError();
  tree->total = total;
  Default().AddTotal(Default().Named(Difference(tree->taken, taken))).IgnoreError();
  tree->taken = taken;
}

// --- groups

absl::Status ElasticForest::Check(const ForestGroup& quota) const {
  const QuotaGroup& group = quota.group;
  const auto refuse = [&](auto... rule) {
    return absl::InvalidArgumentError(absl::StrCat("quota \"", group.name, "\": ", rule...));
  };
  const auto of = [&](std::string_view name) -> const Tree* {
    const auto it = tree_of_.find(Key(name));
    return it == tree_of_.end() ? nullptr : it->second;
  };
  if (group.name == kRootQuota) return refuse("is built in");
  if (const Tree* tree = of(group.name); tree != nullptr && tree->id != quota.tree) {
    return refuse("tree \"", tree->id, "\" cannot become \"", quota.tree, "\"");
  }
  const std::string_view parent = ParentOf(group);
  if (const Tree* tree = of(parent);
      parent != kRootQuota && tree != nullptr && tree->id != quota.tree) {
    return refuse("parent \"", group.parent, "\" is in tree \"", tree->id, "\", not in \"",
                  quota.tree, "\"");
  }
  if (!quota.total.has_value()) return absl::OkStatus();
  if (quota.tree.empty()) return refuse("the total of the default tree is that of its nodes");
  const auto known = trees_.find(quota.tree);
  if (known != trees_.end() && !known->second.root.empty() && known->second.root != group.name) {
    return refuse("tree \"", quota.tree, "\" has the root \"", known->second.root, "\" already");
  }
  return absl::OkStatus();
}

absl::Status ElasticForest::Put(const ForestGroup& quota) {
  if (absl::Status status = Check(quota); !status.ok()) return status;
  const auto [it, is_new] = trees_.try_emplace(quota.tree, WithoutBuiltIn(options_.tree));
  Tree& tree = it->second;
  if (is_new) tree.id = quota.tree;
  const auto refuse = [&, it = it, is_new = is_new](absl::Status status) {
    if (is_new) trees_.erase(it);
    return status;
  };
  absl::StatusOr<Sparse> total = tree.total, taken = tree.taken;
  if (quota.total.has_value()) {
    total = tree.tree.Intern(*quota.total);
    taken = Default().Intern(*quota.total);
    const auto wrong = [&](absl::string_view rule) {
      return refuse(absl::InvalidArgumentError(
          absl::StrCat("quota \"", quota.group.name, "\": total: ", rule)));
    };
    if (!total.ok()) return wrong(total.status().message());
    if (!taken.ok()) return wrong(taken.status().message());
    if (IsBelowZero(*total)) return wrong("must not be below zero");
    if (!quota.takes_from_default) taken = Sparse();
  }
  if (absl::Status status = tree.tree.Put(quota.group); !status.ok()) {
    return refuse(std::move(status));
  }
  tree_of_.try_emplace(quota.group.name, &tree);
  if (quota.total.has_value()) {
    tree.root = quota.group.name;
    SetTotal(&tree, *total, *taken);
  }
  return absl::OkStatus();
}

absl::Status ElasticForest::Remove(std::string_view group) {
  const auto refuse = [&](auto... rule) {
    return absl::FailedPreconditionError(absl::StrCat("quota \"", Key(group), "\": ", rule...));
  };
  const auto it = tree_of_.find(Key(group));
  if (it == tree_of_.end()) return refuse("does not exist");
  Tree& tree = *it->second;
  const bool is_root = !tree.root.empty() && tree.root == group;
  if (is_root) {
    for (const std::string& other : tree.tree.Groups()) {
      if (other == kRootQuota || other == group) continue;
      return refuse("tree \"", tree.id, "\" still has quota \"", other, "\"");
    }
  }
  if (absl::Status status = tree.tree.Remove(group); !status.ok()) return status;
  tree_of_.erase(it);
  if (!is_root) return absl::OkStatus();
  SetTotal(&tree, Sparse(), Sparse());
  trees_.erase(trees_.find(tree.id));
  return absl::OkStatus();
}

// --- tasks

// Passes the call to the tree of the group. A task that is counted nowhere is ignored.
absl::Status ElasticForest::Pass(TreeCall call, std::string_view group, const QuotaTask& task) {
  const Place at = Locate(group);
  return at.tree == nullptr ? absl::OkStatus() : (at.tree->*call)(at.tree->name(at.group), task);
}

absl::Status ElasticForest::AddTask(std::string_view group, const QuotaTask& task) {
  return Pass(&ElasticTree::AddTask, group, task);
}

absl::Status ElasticForest::RemoveTask(std::string_view group, const QuotaTask& task) {
  return Pass(&ElasticTree::RemoveTask, group, task);
}

absl::Status ElasticForest::Reserve(std::string_view group, const QuotaTask& task) {
  return Pass(&ElasticTree::Reserve, group, task);
}

absl::Status ElasticForest::Unreserve(std::string_view group, const QuotaTask& task) {
  return Pass(&ElasticTree::Unreserve, group, task);
}

absl::Status ElasticForest::UpdateTask(std::string_view old_group, const QuotaTask& old_task,
                                       std::string_view group, const QuotaTask& task) {
  const Place from = Locate(old_group), to = Locate(group);
  if (from.tree == to.tree) {
    if (to.tree == nullptr) return absl::OkStatus();
    return to.tree->UpdateTask(from.tree->name(from.group), old_task, to.tree->name(to.group),
                               task);
  }
  // The other tree must be able to hold the task before it leaves the first.
  if (to.tree != nullptr) {
    if (const absl::StatusOr<Sparse> request = to.tree->Intern(task.request); !request.ok()) {
      return absl::Status(request.status().code(),
                          absl::StrCat("task \"", task.name, "\": ", request.status().message()));
    }
  }
  if (absl::Status status = RemoveTask(old_group, old_task); !status.ok()) return status;
  return AddTask(group, task);
}

// --- retries

bool ElasticForest::MayFitWithout(std::string_view waiting, std::string_view gone,
                                  std::string_view task, bool asks_parents) const {
  const Place at = Locate(waiting), from = Locate(gone);
  if (at.tree == nullptr || at.tree != from.tree) return false;
  if (!from.tree->IsAssigned(from.group, task)) return false;
  return at.group == from.group || (asks_parents && at.tree->IsWithin(at.group, from.group));
}

bool ElasticForest::MayFitAfter(std::string_view waiting, const ForestGroup& before,
                                const ForestGroup& after, bool asks_parents) const {
  const Place at = Locate(waiting);
  if (at.tree == nullptr || at.tree != Find(after.tree)) return false;
  if (!Differs(before.group, after.group, !options_.tree.guarantee_usage)) return false;
  const ElasticTree::Index edited = at.tree->IndexOf(after.group.name);
  return edited != ElasticTree::kNone &&
         (at.group == edited || (asks_parents && at.tree->IsWithin(at.group, edited)));
}

}  // namespace muster
