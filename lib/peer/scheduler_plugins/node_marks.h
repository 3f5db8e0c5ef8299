// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What a node has in settings of the profile, beyond its zones and its usage.
//
//   if (absl::Status s = CheckNodes(tables.nodes); !s.ok()) return s;
//   const NodeMarks marks = *MarksOf("n1", spec);
//
// | setting | default | means |
// | most_zones | option `most_zones` | zones that the node could have, 2 to 1024 |
// | cpu_deviation, memory_deviation | 0 | standard deviation of its usage, in percent |
// | power_k1, power_k2 | 0 | its power grows with cpu as K1 * e^(K2 * percent of cpu used) |
// | mark | none | a number, where option `mark_label` is empty |
//
// Failure. A value that is no number within the bounds, or a key of the profile that is not here.
// Fractions of a mark do not count.
#ifndef MUSTER_PEER_SCHEDULER_PLUGINS_NODE_MARKS_H_
#define MUSTER_PEER_SCHEDULER_PLUGINS_NODE_MARKS_H_

#include <cstdint>
#include <optional>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/model/tables.h"
#include "lib/peer/scheduler_plugins/load/load_scores.h"
#include "muster/spec.h"

namespace muster::scheduler_plugins {

struct NodeMarks {
  std::optional<int64_t> most_zones = {};
  double cpu_deviation = 0, memory_deviation = 0;
  PowerModel power = {};
  std::optional<std::string_view> mark = {};  // valid as long as the node's settings are
};

absl::StatusOr<NodeMarks> MarksOf(std::string_view name, const NodeSpec& node);
// Returns most_zones. REQUIRES: CheckNodes succeeded.
std::optional<int64_t> MostZonesOf(const NodeSpec& node);
absl::Status CheckNodes(const NodeTable& nodes);

}  // namespace muster::scheduler_plugins

#endif  // MUSTER_PEER_SCHEDULER_PLUGINS_NODE_MARKS_H_
