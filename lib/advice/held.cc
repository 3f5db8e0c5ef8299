// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/advice/held.h"

#include <algorithm>
#include <optional>

#include "lib/advice/ends.h"
#include "lib/base/math.h"

namespace muster {

void AddUpTo(std::span<const int64_t> amounts, std::span<int64_t> sum) {
  for (size_t d = 0; d < amounts.size(); ++d) {
    if (__builtin_add_overflow(sum[d], OrZero(amounts[d]), &sum[d])) sum[d] = INT64_MAX;
  }
}

const QueueShare* ShareOf(const Plan& plan, QueueIndex queue) {
  const auto share = std::ranges::lower_bound(plan.shares(), queue, {}, &QueueShare::queue);
  return share != plan.shares().end() && share->queue == queue ? &*share : nullptr;
}

bool CountsGpuParts(const Plan& plan) {
  return std::ranges::any_of(plan.reasons(),
                             [](const Reason& reason) { return reason.policy == "kai-rules"; });
}

void AddGpuParts(const Tables& tables, const TaskShape& shape, int64_t tasks,
                 std::span<int64_t> sum) {
  const std::optional<DimensionIndex> gpu = tables.dimensions.Find("nvidia.com/gpu");
  if (!gpu) return;
  const bool has_amount = std::ranges::any_of(
      shape.request, [](const auto& entry) { return entry.first == "nvidia.com/gpu"; });
  for (const DeviceRequest& device : shape.devices) {
    // Whole devices of a task with an amount are the ones of that amount.
    if (device.kind != "gpu" || (device.milli == 1000 && has_amount)) continue;
    sum[*gpu] = SatAdd(sum[*gpu], SatMul(SatMul(device.count, device.milli), tasks));
  }
}

namespace {

bool IsBelow(const Tables& tables, QueueIndex q, QueueIndex above) {
  while (q != kNone && q != above) q = tables.queues.parent[q];
  return q != kNone;
}

}  // namespace

std::vector<int64_t> HeldBelow(const Tables& tables, const Plan& plan, QueueIndex queue) {
  std::vector<int64_t> held(tables.dimension_count(), 0);
  std::vector<QueueIndex> rest = {queue};
  while (!rest.empty()) {
    const QueueIndex q = rest.back();
    rest.pop_back();
    if (const QueueShare* share = ShareOf(plan, q)) AddUpTo(share->allocated_after, held);
    const std::vector<QueueIndex>& children = tables.queues.children[q];
    rest.insert(rest.end(), children.begin(), children.end());
  }
  if (!CountsGpuParts(plan)) return held;
  const Ends ends = EndsOf(tables, plan);
  for (TaskIndex t = 0; t < tables.tasks.alive.size(); ++t) {
    if (ends.node[t] == kNone || !tables.has_job(t)) continue;
    if (!IsBelow(tables, tables.jobs.queue[tables.tasks.job[t]], queue)) continue;
    AddGpuParts(tables, tables.classes.shape[tables.tasks.task_class[t]], 1, held);
  }
  return held;
}

}  // namespace muster
