// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Tasks come to the groups of an elastic quota tree, get places, change and go.
#include "absl/strings/str_cat.h"
#include "lib/peer/koordinator/quota/elastic_tree.h"

namespace muster {

struct ElasticTree::Load {
  Sparse request, fixed;
};

absl::StatusOr<ElasticTree::Load> ElasticTree::LoadOf(const QuotaTask& task) {
  const absl::StatusOr<Sparse> request = Intern(task.request);
  if (!request.ok()) {
    return absl::Status(request.status().code(),
                        absl::StrCat("task \"", task.name, "\": ", request.status().message()));
  }
  return Load{*request, task.preemptible ? Sparse() : *request};
}

void ElasticTree::ChangeRequest(Index group, const Load& from, const Load& to) {
  const uint64_t keys = groups_[group].numbers.max.keys();
  const Sparse delta = Difference(to.request, from.request).Only(keys);
  const Sparse fixed = Difference(to.fixed, from.fixed).Only(keys);
  if (!delta.IsZero() || !fixed.IsZero()) PassRequest(delta, fixed, PathOf(group), /*own=*/true);
}

void ElasticTree::ChangeUse(Index group, const Load& from, const Load& to) {
  const uint64_t keys = groups_[group].numbers.max.keys();
  const Sparse delta = Difference(to.request, from.request).Only(keys);
  const Sparse fixed = Difference(to.fixed, from.fixed).Only(keys);
  if (!delta.IsZero() || !fixed.IsZero()) PassUse(group, delta, fixed, /*own=*/true);
}

void ElasticTree::Enter(Index group, const QuotaTask& task, const Load& load) {
  if (!groups_[group].tasks.emplace(task.name, task.assigned).second) return;
  ChangeRequest(group, {}, load);
  if (task.assigned) ChangeUse(group, {}, load);
}

void ElasticTree::Leave(Index group, const QuotaTask& task, const Load& load) {
  const auto it = groups_[group].tasks.find(task.name);
  if (it == groups_[group].tasks.end()) return;
  const bool assigned = it->second;
  ChangeRequest(group, load, {});
  if (assigned) ChangeUse(group, load, {});
  groups_[group].tasks.erase(task.name);
}

absl::Status ElasticTree::AddTask(std::string_view group, const QuotaTask& task) {
  const absl::StatusOr<Load> load = LoadOf(task);
  if (!load.ok()) return load.status();
  if (const Index at = IndexOf(group); at != kNone) Enter(at, task, *load);
  return absl::OkStatus();
}

absl::Status ElasticTree::RemoveTask(std::string_view group, const QuotaTask& task) {
  const absl::StatusOr<Load> load = LoadOf(task);
  if (!load.ok()) return load.status();
  if (const Index at = IndexOf(group); at != kNone) Leave(at, task, *load);
  return absl::OkStatus();
}

absl::Status ElasticTree::UpdateTask(std::string_view old_group, const QuotaTask& old_task,
                                     std::string_view group, const QuotaTask& task) {
  const absl::StatusOr<Load> from = LoadOf(old_task), to = LoadOf(task);
  if (!from.ok()) return from.status();
  if (!to.ok()) return to.status();
  const Index left = IndexOf(old_group), entered = IndexOf(group);
  if (left != entered) {
    if (left != kNone) Leave(left, old_task, *from);
    if (entered != kNone) Enter(entered, task, *to);
    return absl::OkStatus();
  }
  if (entered == kNone) return absl::OkStatus();
  auto& tasks = groups_[entered].tasks;
  const auto [it, is_new] = tasks.emplace(task.name, false);
  ChangeRequest(entered, is_new ? Load() : *from, *to);
  if (it->second) {
    ChangeUse(entered, *from, *to);
  } else if (task.assigned) {
    it->second = true;
    ChangeUse(entered, {}, *to);
  }
  return absl::OkStatus();
}

absl::Status ElasticTree::Reserve(std::string_view group, const QuotaTask& task) {
  const absl::StatusOr<Load> load = LoadOf(task);
  if (!load.ok()) return load.status();
  const Index at = IndexOf(group);
  if (at == kNone) return absl::OkStatus();
  const auto it = groups_[at].tasks.find(task.name);
  if (it == groups_[at].tasks.end() || it->second) return absl::OkStatus();
  it->second = true;
  ChangeUse(at, {}, *load);
  return absl::OkStatus();
}

absl::Status ElasticTree::Unreserve(std::string_view group, const QuotaTask& task) {
  const absl::StatusOr<Load> load = LoadOf(task);
  if (!load.ok()) return load.status();
  const Index at = IndexOf(group);
  if (at == kNone) return absl::OkStatus();
  const auto it = groups_[at].tasks.find(task.name);
  if (it == groups_[at].tasks.end() || !it->second) return absl::OkStatus();
  ChangeUse(at, *load, {});
  it->second = false;
  return absl::OkStatus();
}

}  // namespace muster
