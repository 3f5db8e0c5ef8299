// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/koordinator/quota/queue_groups.h"

#include <string>
#include <vector>

namespace muster {

NamedAmounts QuotaAmounts(const Tables& tables, std::span<const int64_t> row) {
  NamedAmounts named;
  for (DimensionIndex d = 0; d < row.size(); ++d) {
    if (d != kPods && row[d] != kAbsent) {
      named.emplace_back(std::string(tables.dimensions.name(d)), row[d]);
    }
  }
  return named;
}

QuotaGroup GroupOfQueue(const Tables& tables, QueueIndex q) {
  const QueueTable& queues = tables.queues;
  const QueueIndex parent = queues.parent[q];
  QuotaGroup group{.name = queues.spec[q].name,
                   .parent = parent == kNone ? "" : queues.spec[parent].name,
                   .is_parent = !queues.children[q].empty()};
  const size_t dimensions = tables.dimension_count();
  std::vector<int64_t> row(dimensions);
  for (DimensionIndex d = 0; d < dimensions; ++d) {
    const int64_t limit = queues.limit.at(q, d);
    row[d] = limit == kAbsent ? kUnlimitedQuota : limit;
  }
  group.max = QuotaAmounts(tables, row);
  group.min = QuotaAmounts(tables, queues.guaranteed.row(q));
  row.assign(dimensions, queues.spec[q].weight);
  group.weight = QuotaAmounts(tables, row);
  return group;
}

}  // namespace muster
