// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What queues hold at the end of a plan.
//
//   const std::vector<int64_t> held = HeldBelow(tables, plan, queue);
//   const QueueShare* share = ShareOf(plan, queue);      // null: the plan has no row of it
//
// Sums stop at the largest int64: they are for sentences and for limits to try.
#ifndef MUSTER_ADVICE_HELD_H_
#define MUSTER_ADVICE_HELD_H_

#include <cstdint>
#include <span>
#include <vector>

#include "lib/model/tables.h"
#include "muster/plan.h"
#include "muster/shape.h"

namespace muster {

// Adds amounts, absent ones being 0. REQUIRES: `sum` has as many cells.
void AddUpTo(std::span<const int64_t> amounts, std::span<int64_t> sum);

// O(log queues).
const QueueShare* ShareOf(const Plan& plan, QueueIndex queue);

// Returns whether queues of the plan count parts of GPUs as amounts of nvidia.com/gpu: those of KAI
// do, and no other profile's. O(reasons).
bool CountsGpuParts(const Plan& plan);
// Adds the GPUs that so many tasks request as devices, and not as amounts: whole ones and parts.
void AddGpuParts(const Tables& tables, const TaskShape& shape, int64_t tasks,
                 std::span<int64_t> sum);

// Returns what the jobs of the queue and of the queues below it hold, with parts of GPUs where the
// plan's queues count them. O(queues below * dimensions), with parts O(tasks), too.
std::vector<int64_t> HeldBelow(const Tables& tables, const Plan& plan, QueueIndex queue);

}  // namespace muster

#endif  // MUSTER_ADVICE_HELD_H_
