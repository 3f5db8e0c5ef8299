// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Queues of a partition as rows: each under its path, with what its properties came to.
//
// A property is a setting where it, or the parent's, is not the default: a row inherits from the
// row above it, as the queue did.
#include "absl/strings/str_cat.h"
#include "lib/import/yunikorn.h"

namespace muster::yunikorn_import {
namespace {

using yunikorn::PreemptionPolicy;
using yunikorn::Queue;
using yunikorn::QueueRules;

void AddSetting(std::string_view key, std::string value, Labels* settings) {
  settings->emplace_back(absl::StrCat("yunikorn/", ToAbsl(key)), std::move(value));
}

std::string Nanoseconds(yunikorn::Nanos span) {
  return span % yunikorn::kSecond == 0 ? absl::StrCat(span / yunikorn::kSecond, "s")
                                       : absl::StrCat(span, "ns");
}

void AddProperties(const QueueRules& rules, const QueueRules& above, bool leaf, Labels* settings) {
  const QueueRules usual;
  const auto differs = [&](auto member) {
    return rules.*member != usual.*member || above.*member != usual.*member;
  };
  if (leaf && rules.sort == yunikorn::SortPolicy::kFair) {
    AddSetting("application.sort.policy", "fair", settings);
  }
  if (differs(&QueueRules::sort_by_priority)) {
    AddSetting("application.sort.priority", rules.sort_by_priority ? "enabled" : "disabled",
               settings);
  }
  if (rules.backoff_asks != 0) {
    AddSetting("application.unschedasks.backoff", absl::StrCat(rules.backoff_asks), settings);
    AddSetting("application.unschedasks.backoff.delay", Nanoseconds(rules.backoff_delay), settings);
  }
  if (rules.priority_fence) AddSetting("priority.policy", "fence", settings);
  if (rules.priority_offset != 0) {
    AddSetting("priority.offset", absl::StrCat(rules.priority_offset), settings);
  }
  if (differs(&QueueRules::preemption)) {
    AddSetting("preemption.policy",
               rules.preemption == PreemptionPolicy::kFence      ? "fence"
               : rules.preemption == PreemptionPolicy::kDisabled ? "disabled"
                                                                 : "default",
               settings);
  }
  if (rules.quota_preemption_delay != 0) {
    AddSetting("quota.preemption.delay", Nanoseconds(rules.quota_preemption_delay), settings);
  }
  if (leaf && rules.preemption_delay != usual.preemption_delay) {
    AddSetting("preemption.delay", Nanoseconds(rules.preemption_delay), settings);
  }
}

std::optional<Resources> ResourcesOf(const yunikorn::Partition& partition,
                                     const yunikorn::Resource& resource) {
  if (resource.nil()) return std::nullopt;
  Resources resources;
  for (int type : resource.types()) {
    const std::string& name = partition.names.name(type);
    const bool cpu = name == "vcore";
    resources.emplace_back(cpu ? "cpu" : name,
                           Quantity(absl::StrCat(resource.Get(type), cpu ? "m" : "")));
  }
  return resources;
}

}  // namespace

void AddQueues(const yunikorn::Partition& partition, const LimitsByPath& limits,
               ClusterSpec* cluster) {
  // Dynamic queues may have taken the places of others, so parents are listed first by a walk.
  std::vector<yunikorn::Index> open = {0};
  while (!open.empty()) {
    const Queue& queue = partition.queues[open.back()];
    open.pop_back();
    open.insert(open.end(), queue.children.rbegin(), queue.children.rend());
    QueueSpec row{.name = queue.path};
    QueueRules above;
    if (queue.parent != yunikorn::kNone) {
      row.parent = partition.queues[queue.parent].path;
      above = partition.queues[queue.parent].rules;
      row.guaranteed = ResourcesOf(partition, queue.guaranteed);
      row.limit = ResourcesOf(partition, queue.most);
    }
    AddProperties(queue.rules, above, queue.leaf, &row.settings);
    if (queue.most_applications != 0) {
      AddSetting("maxapplications", absl::StrCat(queue.most_applications), &row.settings);
    }
    if (!queue.leaf && queue.children.empty()) AddSetting("parent", "true", &row.settings);
    if (const auto found = limits.find(queue.path); found != limits.end()) {
      row.users = found->second;
    }
    cluster->queues.push_back(std::move(row));
  }
}

}  // namespace muster::yunikorn_import
