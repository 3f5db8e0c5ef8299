// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/kueue/queue_checks.h"

#include "lib/model/checker.h"
#include "lib/peer/kueue/job_settings.h"

namespace muster::kueue {
namespace {

void CheckFlavorLimits(const QueueSpec& queue, Checker& check) {
  constexpr char kRule[] = "is set, and the queue has no parent; must be absent there";
  for (const ResourceGroup& group : queue.rules->groups) {
    for (const FlavorQuota& quota : group.flavors) {
      if (!quota.borrow_limit.empty()) check.Fail("borrow_limit of flavor", quota.flavor, kRule);
      if (!quota.lend_limit.empty()) check.Fail("lend_limit of flavor", quota.flavor, kRule);
    }
  }
}

void CheckLocalNames(const UsageHistory& history, Checker& check) {
  for (const UsageEntry& entry : history.entries) {
    if (entry.user.empty() || IsLocalName(entry.user)) continue;
    check.Fail("history of user", entry.user, kLocalNameRule);
  }
}

}  // namespace

absl::Status CheckQueues(const Tables& tables, const Config& config) {
  for (size_t q = 0; q < tables.queues.alive.size(); ++q) {
    const QueueSpec& queue = tables.queues.spec[q];
    if (!tables.queues.alive[q] || !queue.rules) continue;
    Checker check("queue", queue.name);
    if (queue.parent.empty()) CheckFlavorLimits(queue, check);
    if (config.usage_order && queue.rules->by_usage && queue.history) {
      CheckLocalNames(*queue.history, check);
    }
    if (!check.ok()) return check.status();
  }
  return absl::OkStatus();
}

}  // namespace muster::kueue
