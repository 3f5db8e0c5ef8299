// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/yarn/capacity/order.h"

#include "lib/base/math.h"
#include "lib/peer/yarn/java_sort.h"

namespace muster::yarn {
namespace {

int CompareAmounts(const Resource& a, const Resource& b) {
  if (a.memory != b.memory) return a.memory < b.memory ? -1 : 1;
  return a.vcores < b.vcores ? -1 : a.vcores > b.vcores ? 1 : 0;
}

// Memory in use; of equal use, more demand goes first if sizes weigh.
double MagnitudeOf(const App& app, bool size_based_weight) {
  const auto used = static_cast<double>(app.cached_used);
  if (!size_based_weight || used == 0) return used;
  return used / (Log(1.0 + static_cast<double>(app.cached_demand)) / Log(2.0));
}

}  // namespace

int CompareQueues(const QueueRank& a, const QueueRank& b, Partition partition) {
  if (partition != kDefaultPartition && a.has_access != b.has_access) return a.has_access ? -1 : 1;
  const bool a_has = a.absolute > 0, b_has = b.absolute > 0;
  if (a_has != b_has) return a_has ? -1 : 1;
  const int by_use = a_has ? CompareUse(a.used, b.used, a.priority, b.priority)
                           : CompareUse(a.absolute_used, b.absolute_used, a.priority, b.priority);
  if (by_use != 0) return by_use;
  if (!a.configured.IsZero() || !b.configured.IsZero()) {
    return CompareAmounts(b.configured, a.configured);
  }
  return a.absolute > b.absolute ? -1 : a.absolute < b.absolute ? 1 : 0;
}

void SortQueues(std::vector<QueueRank>* ranks, Partition partition) {
  JavaSort(ranks,
           [&](const QueueRank& a, const QueueRank& b) { return CompareQueues(a, b, partition); });
}

bool IsFirstByPriority(const App& a, const App& b) {
  return a.priority != b.priority ? a.priority > b.priority : a.id < b.id;
}

bool IsFirstByUse(const App& a, const App& b, bool size_based_weight) {
  const double left = MagnitudeOf(a, size_based_weight);
  const double right = MagnitudeOf(b, size_based_weight);
  if (left < right || left > right) return left < right;
  return a.started != b.started ? a.started < b.started : a.id < b.id;
}

}  // namespace muster::yarn
