// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// How much CPU best-effort work is held to, and how much of it has to go.
//
//   int64_t limit = SuppressedCpu({.capacity = 16'000, .used_by_others = 8'000, .system = 1'000},
//                                 /*percent=*/65, /*least_percent=*/std::nullopt);      // 1400
//   BatchPressure pressure{.requested = 4'000, .limit = 1'400, .used = 1'390};
//   int64_t release = ReleaseBySatisfaction(pressure, {.low = 60, .high = 80});         // 1800
//
// Idea. All work together shall stay within a percentage of a machine's CPU, so best-effort work
// gets what others and the system leave of it. Where that satisfies too little of its requests, and
// it uses nearly all that it gets, tasks go until the rest is satisfied better. The same holds of a
// resource that is used above a threshold: tasks go until it is used below a lower one.
//
// Peer. Koordinator's CPUSuppress, CPUEvict and MemoryEvict of the agent of a node. Where it
// surprises:
// - A limit of nothing satisfies nothing and evicts nothing; one below a core counts as used up.
// - What has to go is cut after the product of doubles.
// - Usage in percent is cut to a whole one before it is compared.
// - Suppressed CPU may be below zero. The agent keeps two CPUs at least; this function does not.
//
// Amounts in thousandths of cores, or in whole units of other resources.
// Cost. O(1), and O(n log n) for the orders.
#ifndef MUSTER_PEER_KOORDINATOR_COLOCATION_SUPPRESS_H_
#define MUSTER_PEER_KOORDINATOR_COLOCATION_SUPPRESS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace muster::koordinator {

struct SuppressedNode {
  int64_t capacity = 0;
  int64_t used_by_others = 0;  // tasks that are not best-effort
  int64_t system = 0;          // what is used outside of tasks, or reserved, whichever is more
};
int64_t SuppressedCpu(const SuppressedNode& node, int64_t percent,
                      std::optional<int64_t> least_percent);

// Of the best-effort tasks of a node, together.
struct BatchPressure {
  int64_t requested = 0, limit = 0, used = 0;
};
// Returns whether they use so many percent of their limit, or more.
bool IsUsageHigh(const BatchPressure& pressure, int64_t percent);

// In percent of the request. With `low` they are satisfied too little, and tasks go until `high`.
struct Satisfaction {
  int64_t low = 0, high = 0;
};
int64_t ReleaseBySatisfaction(const BatchPressure& pressure, const Satisfaction& satisfaction);

// Returns what has to go of a resource that is used above `percent` of its capacity, down to
// `lower`; 0: nothing.
int64_t ReleaseByUsage(int64_t used, int64_t capacity, int64_t percent, int64_t lower);

struct SuppressedTask {
  int64_t priority = 0;
  std::string name = {};
  int64_t requested = 0, used = 0;  // 0: not measured
};
// Return the order in which tasks go, by index: low priority first; then the one that uses most of
// its request, or most of the resource. Of tasks without usage the last name goes first, after all
// others, where memory is short. Equal ones lie as Go's sort leaves them.
std::vector<size_t> OrderBySatisfaction(std::span<const SuppressedTask> tasks);
std::vector<size_t> OrderByUse(std::span<const SuppressedTask> tasks);

}  // namespace muster::koordinator

#endif  // MUSTER_PEER_KOORDINATOR_COLOCATION_SUPPRESS_H_
