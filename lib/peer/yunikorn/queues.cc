// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The queue tree: configured, dynamic and draining queues.
#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "lib/peer/yunikorn/access.h"
#include "lib/peer/yunikorn/partition.h"
#include "lib/peer/yunikorn/properties.h"

namespace muster::yunikorn {
namespace {

absl::StatusOr<QueueLimits> ReadLimits(const QueueConfig& queue, std::string path,
                                       TypeNames& names) {
  QueueLimits limits{.path = std::move(path)};
  for (const LimitConfig& config : queue.limits) {
    absl::StatusOr<Resource> most = ReadResource(config.most_resources, names);
    if (!most.ok()) return most.status();
    limits.rules.push_back(
        {config.users, config.groups, {*std::move(most), config.most_applications}});
  }
  return limits;
}

// Parents before children. The depth is that of a checked configuration.
absl::Status CollectLimits(const QueueConfig& queue, const std::string& path, TypeNames& names,
                           std::vector<QueueLimits>& all) {
  absl::StatusOr<QueueLimits> limits = ReadLimits(queue, path, names);
  if (!limits.ok()) return limits.status();
  all.push_back(*std::move(limits));
  for (const QueueConfig& child : queue.queues) {
    absl::Status status = CollectLimits(child, absl::StrCat(path, ".", child.name), names, all);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

// Reads all that ApplyConfig reads, so that it cannot fail. The depth is that of a checked
// configuration.
absl::Status CheckReadable(const QueueConfig& queue, TypeNames& names) {
  for (const std::string* acl : {&queue.submit_acl, &queue.admin_acl}) {
    if (absl::Status status = ReadAcl(*acl).status(); !status.ok()) return status;
  }
  const bool leaf = !queue.parent && queue.queues.empty();
  std::vector<const Texts*> amounts = {&queue.most, &queue.guaranteed};
  if (!leaf) {
    amounts.push_back(&queue.child_template.most);
    amounts.push_back(&queue.child_template.guaranteed);
  }
  for (const Texts* texts : amounts) {
    const absl::Status status = ReadResource(*texts, names).status();
    if (status.ok()) continue;
    return absl::Status(status.code(), absl::StrCat("queue ", queue.name, ": ", status.message()));
  }
  for (const QueueConfig& child : queue.queues) {
    if (absl::Status status = CheckReadable(child, names); !status.ok()) return status;
  }
  return absl::OkStatus();
}

bool AllEmpty(const Texts& texts) {
  return std::ranges::all_of(
      texts, [](const auto& text) { return text.first.empty() || text.second.empty(); });
}

Resource IfAboveZero(const Resource& resource) {
  return AboveZero(resource) ? resource : Resource::Nil();
}

}  // namespace

Index Partition::FindQueue(std::string_view path) const {
  const std::vector<std::string> parts = SplitPath(absl::AsciiStrToLower(ToAbsl(path)));
  if (queues.empty() || parts[0] != kRoot) return kNone;
  Index queue = 0;
  for (size_t i = 1; i < parts.size(); ++i) {
    const std::vector<Index>& children = queues[queue].children;
    const auto child =
        std::ranges::lower_bound(children, parts[i], {}, [&](Index c) { return queues[c].name; });
    if (child == children.end() || queues[*child].name != parts[i]) return kNone;
    queue = *child;
  }
  return queue;
}

int Partition::DepthOf(Index queue) const {
  int depth = 0;
  for (; queue != kNone; queue = queues[queue].parent) ++depth;
  return depth;
}

Index Partition::NewQueue(std::string_view name, Index parent) {
  Index index = 0;
  while (index < queues.size() && !queues[index].removed) ++index;
  if (index == queues.size()) {
    queues.emplace_back();
    child_orders_.emplace_back();
    application_orders_.emplace_back();
    fair_max_.emplace_back();
    fair_max_epoch_.push_back(0);
    order_epoch_.push_back(0);
    children_have_limits_.push_back(0);
  }
  Queue queue;
  queue.name = absl::AsciiStrToLower(ToAbsl(name));
  queue.path = parent == kNone ? queue.name : absl::StrCat(queues[parent].path, ".", queue.name);
  queue.parent = parent;
  queues[index] = std::move(queue);
  child_orders_[index].Invalidate();
  application_orders_[index].Invalidate();
  ++epoch_;
  return index;
}

absl::Status Partition::AddChild(Index parent, Index child) {
  Queue& above = queues[parent];
  Queue& queue = queues[child];
  const absl::string_view problem = above.leaf                             ? "is a leaf"
                                    : above.state == QueueState::kDraining ? "is draining"
                                    : DepthOf(child) > kMostDepth          ? "is too deep"
                                                                           : "";
  if (!problem.empty()) {
    queue.removed = true;
    return absl::FailedPreconditionError(
        absl::StrCat("queue ", queue.path, ": ", above.path, " ", problem));
  }
  const auto at = std::ranges::lower_bound(above.children, queue.name, {},
                                           [&](Index c) { return queues[c].name; });
  above.children.insert(at, child);
  queue.counted_priority = ExportedPriority(child);
  queue.priority_counted = true;
  above.priorities.Add(queue.counted_priority);
  child_orders_[parent].Invalidate();
  if (!queue.leaf) {
    if (!queue.child_template.set) queue.child_template = above.child_template;
  } else if (!queue.managed && above.child_template.set) {
    queue.most_applications = above.child_template.most_applications;
    queue.properties = above.child_template.properties;
    queue.guaranteed = above.child_template.guaranteed;
    queue.most = above.child_template.most;
  }
  return absl::OkStatus();
}

// --- configured queues

absl::Status Partition::SetTemplate(Queue& queue, const TemplateConfig& config) {
  queue.child_template = {};
  if (config.most_applications == 0 && AllEmpty(config.properties) && AllEmpty(config.guaranteed) &&
      AllEmpty(config.most)) {
    return absl::OkStatus();
  }
  absl::StatusOr<Resource> most = ReadResource(config.most, names);
  if (!most.ok()) return most.status();
  absl::StatusOr<Resource> guaranteed = ReadResource(config.guaranteed, names);
  if (!guaranteed.ok()) return guaranteed.status();
  queue.child_template = {
      true, config.most_applications, {}, IfAboveZero(*guaranteed), IfAboveZero(*most)};
  for (const auto& [key, value] : config.properties) {
    if (!key.empty() && !value.empty()) queue.child_template.properties[key] = value;
  }
  return absl::OkStatus();
}

void Partition::SetResources(Queue& queue, const Resource& guaranteed, const Resource& most) {
  queue.guaranteed = IfAboveZero(guaranteed);
  queue.most = IfAboveZero(most);
  ++epoch_;
}

absl::StatusOr<Resource> Partition::ApplyConfig(Index index, const QueueConfig& config) {
  absl::StatusOr<Acl> submit = ReadAcl(config.submit_acl), admin = ReadAcl(config.admin_acl);
  if (!submit.ok()) return submit.status();
  if (!admin.ok()) return admin.status();
  absl::StatusOr<Resource> most = ReadResource(config.most, names);
  if (!most.ok()) return most.status();
  absl::StatusOr<Resource> guaranteed = ReadResource(config.guaranteed, names);
  if (!guaranteed.ok()) return guaranteed.status();
  Queue& queue = queues[index];
  queue.submit_acl = *std::move(submit);
  queue.admin_acl = *std::move(admin);
  queue.managed = true;
  queue.state = QueueState::kActive;
  queue.leaf = !config.parent && config.queues.empty();
  if (!queue.leaf) {
    if (absl::Status status = SetTemplate(queue, config.child_template); !status.ok()) {
      return status;
    }
  }
  Resource old_most = queue.most;
  if (queue.name != kRoot) {
    SetResources(queue, *guaranteed, *most);
    queue.most_applications = config.most_applications;
  }
  queue.properties = config.properties;
  return old_most;
}

absl::StatusOr<Index> Partition::NewConfigured(const QueueConfig& config, Index parent) {
  const Index queue = NewQueue(config.name, parent);
  queues[queue].most_applications = config.most_applications;
  if (absl::StatusOr<Resource> old = ApplyConfig(queue, config); !old.ok()) return old.status();
  if (parent != kNone) MergeProperties(queue);
  ReadProperties(queue, Resource::Nil());
  if (parent != kNone) {
    if (absl::Status status = AddChild(parent, queue); !status.ok()) return status;
  }
  return queue;
}

absl::Status Partition::AddQueues(const std::vector<QueueConfig>& configs, Index parent) {
  for (const QueueConfig& config : configs) {
    absl::StatusOr<Index> queue = NewConfigured(config, parent);
    if (!queue.ok()) return queue.status();
    if (absl::Status status = AddQueues(config.queues, *queue); !status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status Partition::UpdateQueues(const std::vector<QueueConfig>& configs, Index parent) {
  std::vector<Index> kept;
  for (const QueueConfig& config : configs) {
    Resource old_most = Resource::Nil();
    Index queue = FindQueue(absl::StrCat(queues[parent].path, ".", config.name));
    if (queue == kNone) {
      absl::StatusOr<Index> created = NewConfigured(config, parent);
      if (!created.ok()) return created.status();
      queue = *created;
    } else {
      absl::StatusOr<Resource> old = ApplyConfig(queue, config);
      if (!old.ok()) return old.status();
      old_most = *std::move(old);
      MergeProperties(queue);
    }
    ReadProperties(queue, old_most);
    if (absl::Status status = UpdateQueues(config.queues, queue); !status.ok()) return status;
    kept.push_back(queue);
  }
  for (Index child : std::vector<Index>(queues[parent].children)) {
    if (std::ranges::find(kept, child) == kept.end()) MarkForRemoval(child);
  }
  return absl::OkStatus();
}

void Partition::MarkForRemoval(Index index) {
  if (!queues[index].managed) return;
  if (queues[index].state != QueueState::kStopped) queues[index].state = QueueState::kDraining;
  for (Index child : std::vector<Index>(queues[index].children)) MarkForRemoval(child);
}

void Partition::SetNodePolicy(const PartitionConfig& config) {
  bin_packing = config.node_sort == "binpacking";
  weights_by_name_ = config.node_weights;
  if (weights_by_name_.empty()) weights_by_name_ = {{"vcore", 1.0}, {"memory", 1.0}};
  ScoreAllNodes();
}

absl::Status Partition::Configure(PartitionConfig config, ConfigChecks checks) {
  if (absl::Status status = CheckConfig(config, checks); !status.ok()) return status;
  std::vector<Rule> rules;
  if (config.rules.empty()) config.rules.push_back({.name = "provided"});
  for (const RuleConfig& rule : config.rules) {
    absl::StatusOr<Rule> built = Rule::Build(rule);
    if (!built.ok()) return built.status();
    rules.push_back(*std::move(built));
  }
  const QueueConfig& root = config.queues[0];
  std::vector<QueueLimits> all_limits;
  TypeNames all_names = names;
  absl::Status status = CheckReadable(root, all_names);
  if (status.ok()) status = CollectLimits(root, std::string(kRoot), all_names, all_limits);
  if (!status.ok()) return status;
  // Nothing below fails.
  names = std::move(all_names);
  rules_ = std::move(rules);
  preemption = config.preemption;
  quota_preemption = config.quota_preemption;
  SetNodePolicy(config);
  if (queues.empty()) {
    absl::StatusOr<Index> created = NewConfigured(root, kNone);
    status = created.ok() ? AddQueues(root.queues, *created) : created.status();
  } else {
    absl::StatusOr<Resource> old = ApplyConfig(0, root);
    if (old.ok()) ReadProperties(0, Resource::Nil());
    status = old.ok() ? UpdateQueues(root.queues, 0) : old.status();
  }
  if (!status.ok()) return status;
  limits.Update(all_limits);
  ++epoch_;
  for (KeptOrder& order : child_orders_) order.Invalidate();
  for (KeptOrder& order : application_orders_) order.Invalidate();
  return absl::OkStatus();
}

// --- dynamic queues

absl::StatusOr<Index> Partition::NewDynamic(std::string_view name, bool leaf, Index parent) {
  const Index queue = NewQueue(name, parent);
  queues[queue].leaf = leaf;
  if (absl::Status status = AddChild(parent, queue); !status.ok()) return status;
  ReadProperties(queue, Resource::Nil());
  return queue;
}

absl::StatusOr<Index> Partition::CreateQueues(const std::string& path, const UsageKey& user) {
  if (path == kRecoveryQueue) return NewDynamic("@recovery@", /*leaf=*/true, 0);
  const std::vector<std::string> parts = SplitPath(path);
  std::string above = path;
  Index queue = kNone;
  size_t known = parts.size();
  while (known > 0 && queue == kNone) {
    above.resize(above.size() - (known == parts.size() ? 0 : parts[known].size() + 1));
    queue = FindQueue(above);
    if (queue == kNone) --known;
  }
  if (queue == kNone || !MaySubmit(queue, user) || queues[queue].leaf) {
    return absl::FailedPreconditionError(
        absl::StrCat("queue ", path, ": no parent in which the user may create it"));
  }
  for (size_t i = known; i < parts.size(); ++i) {
    if (!IsQueueName(parts[i]) || parts[i] == "@recovery@") {
      return absl::InvalidArgumentError(
          absl::StrCat("queue ", path, ": \"", parts[i], "\" is no name of a queue"));
    }
    absl::StatusOr<Index> created = NewDynamic(parts[i], i + 1 == parts.size(), queue);
    if (!created.ok()) return created.status();
    queue = *created;
  }
  return queue;
}

bool Partition::MaySubmit(Index index, const UsageKey& user) const {
  if (absl::EqualsIgnoreCase(queues[index].path, ToAbsl(kRecoveryQueue))) return false;
  for (; index != kNone; index = queues[index].parent) {
    const Queue& queue = queues[index];
    if (queue.submit_acl.Allows(user.user, user.groups)) return true;
    if (queue.admin_acl.Allows(user.user, user.groups)) return true;
  }
  return false;
}

absl::StatusOr<std::string> Partition::Place(const Application& application) const {
  const auto find = [this](std::string_view path) -> std::optional<QueueView> {
    const Index queue = FindQueue(path);
    if (queue == kNone) return std::nullopt;
    return QueueView{queues[queue].leaf};
  };
  for (size_t i = 0; i <= rules_.size(); ++i) {
    const bool last = i == rules_.size();  // the rule for what runs already
    absl::StatusOr<std::string> path = std::string(application.forced ? kRecoveryQueue : "");
    if (!last) path = rules_[i].Place(application, find);
    if (!path.ok()) return path.status();
    if (last && path->empty() && FindQueue(kDefaultQueue) != kNone) *path = kDefaultQueue;
    if (path->empty()) continue;
    if (*path == kRecoveryQueue && application.forced) return path;
    const Index queue = FindQueue(*path);
    Index above = queue;
    for (std::string shorter = *path; above == kNone && shorter.find('.') != shorter.npos;) {
      shorter.resize(shorter.rfind('.'));
      above = FindQueue(shorter);
    }
    if (above == kNone || !MaySubmit(above, application.usage)) continue;
    if (queue != kNone && !queues[queue].leaf) continue;
    if (queue != kNone && queues[queue].state == QueueState::kDraining) continue;
    return path;
  }
  return absl::FailedPreconditionError("application rejected: no placement rule matched");
}

// --- removal

void Partition::RemoveQueue(Index index) {
  Queue& queue = queues[index];
  if (queue.parent == kNone) return;
  if (queue.managed && queue.state == QueueState::kActive) return;
  if (!queue.children.empty() || !queue.applications.empty()) return;
  Queue& above = queues[queue.parent];
  std::erase(above.children, index);
  if (queue.priority_counted) above.priorities.Remove(queue.counted_priority);
  child_orders_[queue.parent].Invalidate();
  PassPriority(queue.parent);
  queue.removed = true;
}

void Partition::CleanBelow(Index index) {
  for (Index child : std::vector<Index>(queues[index].children)) CleanBelow(child);
  if (queues[index].state == QueueState::kDraining || !queues[index].managed) RemoveQueue(index);
}

void Partition::CleanQueues() {
  if (!queues.empty()) CleanBelow(0);
}

}  // namespace muster::yunikorn
