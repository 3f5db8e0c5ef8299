// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/kueue/queue_checks.h"

#include "lib/model/checker.h"
#include "lib/peer/kueue/job_settings.h"

namespace muster::kueue {
namespace {

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
    if (config.usage_order && queue.rules->by_usage && queue.history) {
      CheckLocalNames(*queue.history, check);
    }
    if (!check.ok()) return check.status();
  }
  return absl::OkStatus();
}

}  // namespace muster::kueue
