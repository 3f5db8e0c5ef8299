// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Traits that keep a task where it is.
#include "lib/peer/koordinator/rebalance/evictable.h"

#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "lib/kube/selectors.h"

namespace muster::koordinator {
namespace {

constexpr int64_t kCritical = 2'000'000'000;

bool Contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool IsHeldByRules(const TaskTraits& task, const EvictableRules& rules) {
  if (!rules.takes_bare && task.owner_kinds.empty() &&
      !(rules.takes_failed_bare && task.is_failed)) {
    return true;
  }
  if (!rules.takes_critical) {
    if (IsCritical(task)) return true;
    if (rules.below_priority.has_value() && task.priority.has_value() &&
        *task.priority >= *rules.below_priority) {
      return true;
    }
  }
  if (!rules.takes_local_data && task.has_local_data) return true;
  if (rules.keeps_claims && task.has_claim) return true;
  return rules.selector.has_value() && !Matches(*rules.selector, task.labels);
}

}  // namespace

bool IsOfDaemon(const TaskTraits& task) { return Contains(task.owner_kinds, "DaemonSet"); }

bool IsOfAgent(const TaskTraits& task) { return !task.source.empty() && task.source != "api"; }

bool IsCritical(const TaskTraits& task) { return task.priority.value_or(0) >= kCritical; }

bool IsEvictable(const TaskTraits& task, const EvictableRules& rules) {
  if (task.eviction_cost == kNeverCost) return false;
  if (task.has_evict_mark) return true;
  return !IsOfDaemon(task) && !task.is_mirror && !IsOfAgent(task) && !task.is_leaving &&
         !IsHeldByRules(task, rules);
}

bool IsChosen(const TaskTraits& task, const TaskChoice& choice) {
  if (!choice.included.empty() && !Contains(choice.included, task.name_space)) return false;
  if (Contains(choice.excluded, task.name_space)) return false;
  return choice.selectors.empty() ||
         std::any_of(choice.selectors.begin(), choice.selectors.end(),
                     [&](const Selector& selector) { return Matches(selector, task.labels); });
}

absl::StatusOr<int64_t> PriorityThreshold(std::optional<int64_t> given) {
  const int64_t threshold = given.value_or(kCritical);
  if (threshold > kCritical) {
    return absl::InvalidArgumentError(
        absl::StrCat("priority threshold ", threshold, " is above ", kCritical));
  }
  return threshold;
}

}  // namespace muster::koordinator
