// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/scheduler_plugins/node_marks.h"

#include "lib/model/settings.h"
#include "lib/peer/scheduler_plugins/node_scores.h"

namespace muster::scheduler_plugins {

absl::StatusOr<NodeMarks> MarksOf(std::string_view name, const NodeSpec& node) {
  constexpr double kMostDeviation = 1e6, kMostPower = 1e9;
  SettingReader settings("node", name, node.settings, "scheduler-plugins");
  NodeMarks marks;
  const int64_t most = settings.Integer("most_zones", 2, 1024, 0);
  if (most != 0) marks.most_zones = most;
  marks.cpu_deviation = settings.Number("cpu_deviation", 0, kMostDeviation, 0);
  marks.memory_deviation = settings.Number("memory_deviation", 0, kMostDeviation, 0);
  marks.power.k1 = settings.Number("power_k1", -kMostPower, kMostPower, 0);
  marks.power.k2 = settings.Number("power_k2", -kMostPower, kMostPower, 0);
  marks.mark = settings.Text("mark");
  if (marks.mark && !NumberMark(*marks.mark, /*lowest=*/false)) {
    settings.Refuse("mark", "must be a number of 64 bits");
  }
  if (absl::Status s = settings.Finish(); !s.ok()) return s;
  return marks;
}

std::optional<int64_t> MostZonesOf(const NodeSpec& node) {
  return MarksOf(node.name, node).value_or(NodeMarks()).most_zones;
}

absl::Status CheckNodes(const NodeTable& nodes) {
  for (NodeIndex n = 0; n < nodes.alive.size(); ++n) {
    if (!nodes.alive[n] || nodes.spec[n].settings.empty()) continue;
    if (absl::StatusOr<NodeMarks> marks = MarksOf(nodes.names.name(n), nodes.spec[n]); !marks.ok())
      return marks.status();
  }
  return absl::OkStatus();
}

}  // namespace muster::scheduler_plugins
