// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Limits, releases and the orders of tasks that go.
#include "lib/peer/koordinator/colocation/suppress.h"

#include <algorithm>
#include <numeric>

#include "lib/base/go_sort.h"
#include "lib/base/math.h"

namespace muster::koordinator {
namespace {

constexpr int64_t kOneCore = 1000;

double RatioOfPercent(int64_t percent) { return static_cast<double>(percent) / 100; }

double UseOfRequest(const SuppressedTask& task) {
  if (task.requested <= 0) return 0;
  return static_cast<double>(task.used) / static_cast<double>(task.requested);
}

std::vector<size_t> Ordered(std::span<const SuppressedTask> tasks, auto goes_before) {
  std::vector<size_t> order(tasks.size());
  std::iota(order.begin(), order.end(), size_t{0});
  GoSort(order, [&](size_t a, size_t b) { return goes_before(tasks[a], tasks[b]); });
  return order;
}

}  // namespace

int64_t SuppressedCpu(const SuppressedNode& node, int64_t percent,
                      std::optional<int64_t> least_percent) {
  int64_t cpu = SatAdd(MulDiv(node.capacity, percent, 100), -node.used_by_others);
  cpu = SatAdd(cpu, -node.system);
  if (!least_percent.has_value()) return cpu;
  return std::max(cpu, MulDiv(node.capacity, *least_percent, 100));
}

bool IsUsageHigh(const BatchPressure& pressure, int64_t percent) {
  if (pressure.limit <= 0) return false;
  if (pressure.limit < kOneCore) return true;
  const double used = static_cast<double>(pressure.used) / static_cast<double>(pressure.limit);
  return used >= RatioOfPercent(percent);
}

int64_t ReleaseBySatisfaction(const BatchPressure& pressure, const Satisfaction& satisfaction) {
  if (pressure.requested <= 0) return 0;
  const auto requested = static_cast<double>(pressure.requested);
  const double rate = static_cast<double>(pressure.limit) / requested;
  if (rate > RatioOfPercent(satisfaction.low)) return 0;
  const double gap = RatioOfPercent(satisfaction.high) - rate;
  return gap <= 0 ? 0 : static_cast<int64_t>(requested * gap);
}

int64_t ReleaseByUsage(int64_t used, int64_t capacity, int64_t percent, int64_t lower) {
  if (capacity <= 0) return 0;
  const int64_t usage = MulDiv(used, 100, capacity);
  return usage < percent ? 0 : MulDiv(capacity, usage - lower, 100);
}

std::vector<size_t> OrderBySatisfaction(std::span<const SuppressedTask> tasks) {
  return Ordered(tasks, [](const SuppressedTask& a, const SuppressedTask& b) {
    if (a.priority != b.priority) return a.priority < b.priority;
    return UseOfRequest(a) > UseOfRequest(b);
  });
}

std::vector<size_t> OrderByUse(std::span<const SuppressedTask> tasks) {
  return Ordered(tasks, [](const SuppressedTask& a, const SuppressedTask& b) {
    if (a.priority != b.priority) return a.priority < b.priority;
    if (a.used == 0 && b.used == 0) return a.name > b.name;
    return a.used > b.used;
  });
}

}  // namespace muster::koordinator
