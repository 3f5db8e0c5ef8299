// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What makes a configuration illegal: the structure of queues and limits, and their numbers.
#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "lib/peer/yunikorn/access.h"
#include "lib/peer/yunikorn/config.h"

namespace muster::yunikorn {
namespace {

template <class... Parts>
absl::Status Wrong(const Parts&... parts) {
  return absl::InvalidArgumentError(absl::StrCat(parts...));
}

bool IsRoot(const std::string& name) { return absl::AsciiStrToLower(name) == "root"; }

bool SameLimit(const LimitConfig& a, const LimitConfig& b) {
  return a.limit == b.limit && a.users == b.users && a.groups == b.groups &&
         a.most_resources == b.most_resources && a.most_applications == b.most_applications;
}

// Names of one kind in a queue's limits: no name twice, none behind the wildcard.
absl::Status CheckNames(const std::vector<std::string>& names, bool users,
                        std::set<std::string>& seen, const std::string& queue) {
  const absl::string_view kind = users ? "user" : "group";
  for (const std::string& name : names) {
    if (name != kWildcard && !(users ? IsUserName(name) : IsGroupName(name))) {
      return Wrong("limits of queue ", queue, ": \"", name, "\" is no name of a ", kind);
    }
    if (!seen.insert(name).second) {
      return Wrong("limits of queue ", queue, ": ", kind, " ", name, " twice");
    }
    if (name != kWildcard && seen.contains(kWildcard)) {
      return Wrong("limits of queue ", queue, ": ", kind, " ", name, " behind the wildcard");
    }
  }
  return absl::OkStatus();
}

absl::Status CheckAmounts(const LimitConfig& limit, const QueueConfig& queue, ConfigChecks checks) {
  TypeNames names;
  const absl::StatusOr<Resource> most = ReadResource(limit.most_resources, names);
  if (!most.ok()) return most.status();
  if (!limit.most_resources.empty() && !AboveZero(*most)) {
    return Wrong("limits of queue ", queue.name, ": resources must be above zero");
  }
  if (limit.most_applications == 0 && limit.most_resources.empty()) {
    return Wrong("limits of queue ", queue.name, ": neither resources nor applications");
  }
  if (checks == ConfigChecks::kStructure) return absl::OkStatus();
  if (queue.most_applications != 0 && queue.most_applications < limit.most_applications) {
    return Wrong("limits of queue ", queue.name, ": more applications than the queue's ",
                 queue.most_applications);
  }
  if (queue.name == "root") return absl::OkStatus();
  const absl::StatusOr<Resource> of_queue = ReadResource(queue.most, names);
  if (!of_queue.ok()) return of_queue.status();
  if (FitsInLimits(*of_queue, *most)) return absl::OkStatus();
  return Wrong("limits of queue ", queue.name, ": resources above the queue's");
}

// Limits of the same name further up, by name.
template <class Value>
using FromAbove = std::map<std::string, Value>;

// Calls check(limit above, own limit) for each of `names`, and puts what it makes into `own`.
template <class Value, class Check>
absl::Status CheckNamed(const std::vector<std::string>& names, const Value& value,
                        const FromAbove<Value>& above, FromAbove<Value>& own, Check check) {
  for (const std::string& name : names) {
    auto found = above.find(name);
    const bool same = found != above.end();
    if (!same && name != kWildcard) found = above.find(kWildcard);
    own[name] = value;
    if (found == above.end()) continue;
    if (absl::Status status = check(name, found->second, value); !status.ok()) return status;
    if constexpr (std::is_same_v<Value, Resource>) {
      if (same) own[name] = Min(value, found->second);
    }
  }
  return absl::OkStatus();
}

absl::Status CheckResourcesBelow(const QueueConfig& queue, FromAbove<Resource> users,
                                 FromAbove<Resource> groups, TypeNames& names) {
  const FromAbove<Resource> users_above = users, groups_above = groups;
  const auto check = [&](const std::string& name, const Resource& above, const Resource& own) {
    if (FitsInLimits(above, own)) return absl::OkStatus();
    return Wrong("limits of queue ", queue.name, ": resources of ", name,
                 " above those further up");
  };
  for (const LimitConfig& limit : queue.limits) {
    const absl::StatusOr<Resource> most = ReadResource(limit.most_resources, names);
    if (!most.ok()) return most.status();
    absl::Status status = CheckNamed(limit.users, *most, users_above, users, check);
    if (status.ok()) status = CheckNamed(limit.groups, *most, groups_above, groups, check);
    if (!status.ok()) return status;
  }
  for (const QueueConfig& child : queue.queues) {
    if (absl::Status status = CheckResourcesBelow(child, users, groups, names); !status.ok()) {
      return status;
    }
  }
  return absl::OkStatus();
}

absl::Status CheckApplicationsBelow(const QueueConfig& queue, FromAbove<uint64_t> users,
                                    FromAbove<uint64_t> groups) {
  const FromAbove<uint64_t> users_above = users, groups_above = groups;
  const auto check = [&](const std::string& name, uint64_t above, uint64_t own) {
    if (above == 0 || (own != 0 && own <= above)) return absl::OkStatus();
    return Wrong("limits of queue ", queue.name, ": applications of ", name,
                 " above those further up");
  };
  for (const LimitConfig& limit : queue.limits) {
    const uint64_t most = limit.most_applications;
    absl::Status status = CheckNamed(limit.users, most, users_above, users, check);
    if (status.ok()) status = CheckNamed(limit.groups, most, groups_above, groups, check);
    if (!status.ok()) return status;
  }
  for (const QueueConfig& child : queue.queues) {
    if (absl::Status status = CheckApplicationsBelow(child, users, groups); !status.ok()) {
      return status;
    }
  }
  return absl::OkStatus();
}

// Not by recursion: the depth is still unknown.
absl::Status CheckDepth(const std::vector<QueueConfig>& queues) {
  std::vector<std::pair<const QueueConfig*, int>> open;
  for (const QueueConfig& queue : queues) open.emplace_back(&queue, 1);
  while (!open.empty()) {
    const auto [queue, depth] = open.back();
    open.pop_back();
    if (depth > kMostDepth) return Wrong("queue ", queue->name, ": deeper than ", kMostDepth);
    for (const QueueConfig& child : queue->queues) open.emplace_back(&child, depth + 1);
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckQueuesStructure(PartitionConfig& config) {
  if (config.queues.empty()) return Wrong("partition: no queues");
  if (config.queues.size() == 1 && IsRoot(config.queues[0].name)) {
    config.queues[0].parent = true;
  } else {
    QueueConfig root{.name = "root", .parent = true};
    root.queues = std::exchange(config.queues, {});
    config.queues.push_back(std::move(root));
  }
  if (absl::Status status = CheckDepth(config.queues); !status.ok()) return status;
  const QueueConfig& root = config.queues[0];
  if (!root.has_guaranteed && !root.has_most) return absl::OkStatus();
  return Wrong("queue root: has resources; its limit is the cluster's size");
}

absl::Status CheckLimitsStructure(PartitionConfig& config) {
  if (config.queues.empty() || !IsRoot(config.queues[0].name)) {
    return Wrong("partition: the top queue is not root");
  }
  QueueConfig& root = config.queues[0];
  if (config.limits.empty()) return absl::OkStatus();
  if (root.limits.empty()) {
    root.limits = config.limits;
    return absl::OkStatus();
  }
  if (std::ranges::equal(config.limits, root.limits, SameLimit)) return absl::OkStatus();
  return Wrong("partition: other limits than those of queue root");
}

absl::Status CheckAcl(std::string_view acl) {
  int fields = 0;
  bool inside = false;
  for (char c : acl) {
    const bool space = absl::ascii_isspace(static_cast<unsigned char>(c));
    if (!space && !inside) ++fields;
    inside = !space;
  }
  if (fields <= 2) return absl::OkStatus();
  return Wrong("ACL \"", ToAbsl(acl), "\": more than users and groups");
}

absl::Status CheckLimits(const std::vector<LimitConfig>& limits, const QueueConfig& queue,
                         ConfigChecks checks) {
  std::set<std::string> users, groups;
  for (const LimitConfig& limit : limits) {
    if (limit.users.empty() && limit.groups.empty()) {
      return Wrong("limits of queue ", queue.name, ": neither users nor groups");
    }
    absl::Status status = CheckNames(limit.users, /*users=*/true, users, queue.name);
    if (status.ok()) status = CheckNames(limit.groups, /*users=*/false, groups, queue.name);
    if (!status.ok()) return status;
    if (groups.size() == 1 && groups.contains(kWildcard)) {
      return Wrong("limits of queue ", queue.name, ": a wildcard group without a named one");
    }
    if (status = CheckAmounts(limit, queue, checks); !status.ok()) return status;
  }
  return absl::OkStatus();
}

namespace {

absl::Status CheckQueueTree(const QueueConfig& queue, ConfigChecks checks) {
  absl::Status status = CheckAcl(queue.admin_acl);
  if (status.ok()) status = CheckAcl(queue.submit_acl);
  if (status.ok()) status = CheckLimits(queue.limits, queue, checks);
  if (!status.ok()) return status;
  std::set<std::string> names;
  for (const QueueConfig& child : queue.queues) {
    if (!IsQueueName(child.name)) {
      return Wrong("queue ", queue.name, ": \"", child.name, "\" is no name of a child");
    }
    if (!names.insert(absl::AsciiStrToLower(child.name)).second) {
      return Wrong("queue ", queue.name, ": child ", child.name, " twice");
    }
  }
  for (const QueueConfig& child : queue.queues) {
    if (status = CheckQueueTree(child, checks); !status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckQueues(const QueueConfig& queue) {
  return CheckQueueTree(queue, ConfigChecks::kAll);
}

absl::StatusOr<Resource> CheckQueueResources(const QueueConfig& queue, const Resource& parent_most,
                                             TypeNames& names) {
  const absl::StatusOr<Resource> guaranteed = ReadResource(queue.guaranteed, names);
  if (!guaranteed.ok()) return guaranteed.status();
  absl::StatusOr<Resource> most = ReadResource(queue.most, names);
  if (!most.ok()) return most.status();
  if (!FitsInLimits(*most, *guaranteed)) {
    return Wrong("queue ", queue.name, ": guarantees more than its limit");
  }
  if (!FitsInLimits(parent_most, *most)) {
    return Wrong("queue ", queue.name, ": its limit is above its parent's");
  }
  *most = Min(*most, parent_most);
  Resource sum;
  for (const QueueConfig& child : queue.queues) {
    const absl::StatusOr<Resource> below = CheckQueueResources(child, *most, names);
    if (!below.ok()) return below.status();
    sum.AddTo(*below);
  }
  if (!FitsInLimits(*guaranteed, sum) || !FitsInLimits(*most, sum)) {
    return Wrong("queue ", queue.name, ": its children guarantee more than it has");
  }
  return IsZero(*guaranteed) ? sum : *guaranteed;
}

absl::Status CheckQueueApplications(const QueueConfig& queue) {
  const uint64_t most = queue.most_applications;
  for (const QueueConfig& child : queue.queues) {
    if (most != 0 && (child.most_applications == 0 || child.most_applications > most)) {
      return Wrong("queue ", child.name, ": more applications than its parent's ", most);
    }
    if (absl::Status status = CheckQueueApplications(child); !status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status CheckLimitResources(const QueueConfig& queue, TypeNames& names) {
  return CheckResourcesBelow(queue, {}, {}, names);
}

absl::Status CheckLimitApplications(const QueueConfig& queue) {
  return CheckApplicationsBelow(queue, {}, {});
}

absl::Status CheckNodeSort(const PartitionConfig& config) {
  if (!config.node_sort.empty() && config.node_sort != "fair" && config.node_sort != "binpacking") {
    return Wrong("node sort policy \"", config.node_sort, "\": not fair or binpacking");
  }
  for (const auto& [name, weight] : config.node_weights) {
    if (weight < 0) return Wrong("node sort policy: the weight of ", name, " is negative");
  }
  return absl::OkStatus();
}

absl::Status CheckConfig(PartitionConfig& config, ConfigChecks checks) {
  absl::Status status = CheckQueuesStructure(config);
  if (status.ok()) status = CheckLimitsStructure(config);
  if (status.ok()) status = CheckQueueTree(config.queues[0], checks);
  if (!status.ok()) return status;
  TypeNames names;
  const bool all = checks == ConfigChecks::kAll;
  if (all) status = CheckQueueResources(config.queues[0], Resource::Nil(), names).status();
  if (status.ok()) status = CheckRules(config);
  if (status.ok()) status = CheckNodeSort(config);
  if (!all || !status.ok()) return status;
  if (status.ok()) status = CheckQueueApplications(config.queues[0]);
  if (status.ok()) status = CheckLimitResources(config.queues[0], names);
  if (status.ok()) status = CheckLimitApplications(config.queues[0]);
  return status;
}

}  // namespace muster::yunikorn
