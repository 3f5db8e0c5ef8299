// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/koordinator/quota/queue_groups.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "lib/base/strings.h"
#include "lib/model/settings.h"
#include "muster/quantity.h"

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

std::optional<NamedAmounts> ReadSharedWeight(std::string_view text) {
  NamedAmounts weight;
  if (text.empty()) return std::nullopt;
  for (const absl::string_view item : absl::StrSplit(ToAbsl(text), ',')) {
    const std::vector<std::string> sides = absl::StrSplit(item, absl::MaxSplits('=', 1));
    if (sides.size() != 2 || sides[0].empty()) return std::nullopt;
    const Unit unit = IsMilliDimension(sides[0]) ? Unit::kMilli : Unit::kWhole;
    const absl::StatusOr<int64_t> amount = ParseQuantity(sides[1], unit);
    const bool is_new = std::none_of(weight.begin(), weight.end(),
                                     [&](const auto& other) { return other.first == sides[0]; });
    if (!amount.ok() || *amount < 0 || !is_new) return std::nullopt;
    weight.emplace_back(sides[0], std::min(*amount, kUnlimitedQuota));
  }
  return weight;
}

std::string_view SharedWeightText(const QueueSpec& queue) {
  SettingReader settings("queue", queue.name, queue.settings, "koordinator");
  return settings.Text(kSharedWeightKey).value_or(std::string_view());
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
  group.weight = ReadSharedWeight(SharedWeightText(queues.spec[q]));
  if (group.weight) {
    // Of resources that nothing has or requests no quota counts.
    std::erase_if(*group.weight,
                  [&](const auto& amount) { return !tables.dimensions.Find(amount.first); });
    return group;
  }
  row.assign(dimensions, queues.spec[q].weight);
  group.weight = QuotaAmounts(tables, row);
  return group;
}

}  // namespace muster
