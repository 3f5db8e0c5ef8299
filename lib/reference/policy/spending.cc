// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// spending, slowly: what all tasks below a queue cost is added up task by task, for each question.
#include "lib/reference/policy/spending.h"

#include "absl/numeric/int128.h"
#include "lib/reference/cycle.h"
#include "muster/quantity.h"

namespace muster::reference {
namespace {

// In millionths. Texts of random worlds have three decimals at most.
absl::int128 Micros(const Quantity& quantity) {
  return absl::int128(ParseQuantity(quantity.text, Unit::kMilli).value_or(0)) * 1000;
}

const SpendingRules* SpendingOf(const Cycle& cycle, QueueIndex queue) {
  const QueueSpec& spec = cycle.tables().queues.spec[queue];
  return spec.rules && spec.rules->spending ? &*spec.rules->spending : nullptr;
}

absl::int128 Costs(const Cycle& cycle, QueueIndex queue, const Row& amounts) {
  const Tables& tables = cycle.tables();
  while (queue != kNone) {
    const SpendingRules* rules = SpendingOf(cycle, queue);
    if (rules != nullptr && !rules->prices.empty()) break;
    queue = tables.queues.parent[queue];
  }
  absl::int128 cost = 0;
  if (queue == kNone) return cost;
  for (const auto& [name, price] : SpendingOf(cycle, queue)->prices) {
    const auto d = tables.dimensions.Find(name);
    if (!d || amounts[*d] <= 0) continue;
    const bool bytes =
        name == "memory" || name == "ephemeral-storage" || name.rfind("hugepages-", 0) == 0;
    const int64_t unit = bytes ? int64_t{1} << 30 : IsMilliDimension(name) ? 1000 : 1;
    cost += (absl::int128(amounts[*d]) * Micros(price) + unit - 1) / unit;
  }
  return cost;
}

bool IsBelow(const Cycle& cycle, QueueIndex queue, QueueIndex above) {
  while (queue != kNone && queue != above) queue = cycle.tables().queues.parent[queue];
  return queue == above;
}

bool MaySpend(const Cycle& cycle, const ReferencePolicy& policy, QueueIndex queue, TaskIndex task) {
  const auto ahead = static_cast<int64_t>(NumberOption(policy, "ahead", 3600));
  const Tables& tables = cycle.tables();
  for (QueueIndex q = queue; q != kNone; q = tables.queues.parent[q]) {
    const SpendingRules* rules = SpendingOf(cycle, q);
    if (rules == nullptr) continue;
    Row request(cycle.world.dimensions(), 0), held = request;
    AddTo(request, cycle.world.request(task), 1);
    if (Costs(cycle, q, request) == 0) continue;
    for (QueueIndex below = 0; below < tables.queues.alive.size(); ++below) {
      if (tables.queues.alive[below] && IsBelow(cycle, below, q)) {
        AddTo(held, cycle.world.queue_allocated[below], 1);
      }
    }
    AddTo(held, request, 1);
    const absl::int128 hourly = Costs(cycle, q, held);
    if (rules->hourly_limit && hourly > Micros(*rules->hourly_limit)) return false;
    if (!rules->limit) continue;
    const auto& history = tables.queues.spec[q].history;
    const absl::int128 spent = history && history->spent ? Micros(*history->spent) : 0;
    const absl::int128 left = Micros(*rules->limit) - spent;
    if (left <= 0 || (hourly * ahead + 3599) / 3600 > left) return false;
  }
  return true;
}

}  // namespace

PolicyTwins SpendingTwins() {
  PolicyTwin twin;
  twin.name = "spending";
  twin.allocatable = MaySpend;
  return {twin};
}

}  // namespace muster::reference
