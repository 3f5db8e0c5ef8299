// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Resolves the rows that a spec names.
#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "lib/model/device_holds.h"
#include "lib/model/editor.h"

namespace muster {
namespace {

Missing Absent(const char* kind, std::string_view row, RowKind what, const char* relation,
               const std::string& name) {
  return {what, name,
          absl::StrCat(PlaceOf(kind, row), ": ", PlaceOf(relation, name), " does not exist")};
}

}  // namespace

std::optional<Missing> Editor::Resolve(const NodeSpec& spec, NodeIndex, NodeRefs* refs) const {
  if (spec.domain.empty()) return std::nullopt;
  const std::optional<DomainIndex> domain = tables_->domains.names.Find(spec.domain);
  if (!domain) return Absent("node", spec.name, RowKind::kDomain, "domain", spec.domain);
  refs->domain = *domain;
  return std::nullopt;
}

std::optional<Missing> Editor::Resolve(const QueueSpec& spec, QueueIndex existing,
                                       QueueRefs* refs) const {
  if (spec.parent.empty()) return std::nullopt;
  const QueueTable& queues = tables_->queues;
  const std::optional<QueueIndex> parent = queues.names.Find(spec.parent);
  if (!parent) return Absent("queue", spec.name, RowKind::kQueue, "parent", spec.parent);
  // Only a queue that has children can close a circle.
  if (existing != kNone && (*parent == existing || !queues.children[existing].empty())) {
    for (QueueIndex q = *parent; q != kNone; q = queues.parent[q]) {
      if (q != existing) continue;
      return Missing{RowKind::kQueue, spec.parent,
                     absl::StrCat(PlaceOf("queue", spec.name), ": parent ", Quote(spec.parent),
                                  *parent == existing ? " is the queue itself" : " lies below it")};
    }
  }
  refs->parent = *parent;
  return std::nullopt;
}

std::optional<Missing> Editor::Resolve(const JobSpec& spec, JobIndex, JobRefs* refs) const {
  const std::optional<QueueIndex> queue = tables_->queues.names.Find(spec.queue);
  if (!queue) return Absent("job", spec.name, RowKind::kQueue, "queue", spec.queue);
  refs->queue = *queue;
  return std::nullopt;
}

std::optional<Missing> Editor::Resolve(const TaskSpec& spec, TaskIndex, TaskRefs* refs) const {
  if (!spec.job.empty()) {
    const std::optional<JobIndex> job = tables_->jobs.names.Find(spec.job);
    if (!job) return Absent("task", spec.name, RowKind::kJob, "job", spec.job);
    const auto lacks = [&](const char* what, const std::string& name) {
      return Missing{RowKind::kJob, spec.job,
                     absl::StrCat(PlaceOf("task", spec.name), ": ", PlaceOf("job", spec.job),
                                  " has no ", PlaceOf(what, name))};
    };
    refs->job = *job;
    const std::optional<uint32_t> group = FindGroup(*job, spec.group);
    if (!group) return lacks("group", spec.group);
    refs->group = GroupIndex(*group);
    if (!spec.sub_group.empty()) {
      const std::optional<uint32_t> sub_group = FindSubGroup(*job, spec.sub_group);
      if (!sub_group) return lacks("sub-group", spec.sub_group);
      refs->sub_group = SubGroupIndex(*sub_group);
    }
  }
  if (HoldsNode(spec.status)) {
    const std::optional<NodeIndex> node = tables_->nodes.names.Find(spec.node);
    if (!node) return Absent("task", spec.name, RowKind::kNode, "node", spec.node);
    refs->node = *node;
    for (const DeviceHold& hold : spec.devices) {
      const std::string problem = HoldProblem(tables_->nodes.spec[*node], hold);
      if (!problem.empty()) {
        return Missing{RowKind::kNode, spec.node,
                       absl::StrCat(PlaceOf("task", spec.name), ": ", problem)};
      }
    }
  }
  return std::nullopt;
}

std::optional<Missing> Editor::Resolve(const DomainSpec& spec, DomainIndex existing,
                                       DomainRefs* refs) const {
  if (spec.parent.empty()) return std::nullopt;
  const DomainTable& domains = tables_->domains;
  const std::optional<DomainIndex> parent = domains.names.Find(spec.parent);
  if (!parent) {
    return Missing{RowKind::kDomain, spec.parent,
                   absl::StrCat(PlaceOf("domain", spec.name), ": parent ", Quote(spec.parent),
                                " does not exist")};
  }
  if (domains.spec[*parent].tier <= spec.tier) {
    return Missing{
        RowKind::kDomain, spec.parent,
        absl::StrCat(PlaceOf("domain", spec.name), ": tier ", spec.tier, " is not below tier ",
                     domains.spec[*parent].tier, " of its parent ", Quote(spec.parent))};
  }
  for (DomainIndex d = *parent; existing != kNone && d != kNone; d = domains.parent[d]) {
    if (d != existing) continue;
    return Missing{RowKind::kDomain, spec.parent,
                   absl::StrCat(PlaceOf("domain", spec.name), ": parent ", Quote(spec.parent),
                                " lies below it")};
  }
  refs->parent = *parent;
  return std::nullopt;
}

}  // namespace muster
