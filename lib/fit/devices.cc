// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Labels and tables of devices.
#include "lib/fit/devices.h"

namespace muster {

bool LabelSelector::Matches(const DeviceLabels& labels) const {
  return std::all_of(rules.begin(), rules.end(), [&](const Rule& rule) {
    const auto label = std::find_if(labels.begin(), labels.end(),
                                    [&](const auto& entry) { return entry.first == rule.key; });
    const bool there = label != labels.end();
    const bool named =
        there && std::count(rule.values.begin(), rule.values.end(), label->second) > 0;
    switch (rule.op) {
      case Op::kIn:
        return named;
      case Op::kNotIn:
        return !named;
      case Op::kExists:
        return there;
      case Op::kDoesNotExist:
        return !there;
    }
    return false;
  });
}

std::optional<size_t> DeviceBook::Find(int minor) const {
  for (size_t i = 0; i < devices.size(); ++i) {
    if (devices[i].minor == minor) return i;
  }
  return std::nullopt;
}

std::vector<GpuPartitions> HopperPartitions() {
  std::vector<GpuPartitions> table;
  for (int gpus : {1, 2, 4, 8}) {
    table.push_back({.gpus = gpus, .partitions = {}});
    const uint64_t first = (uint64_t{1} << gpus) - 1;
    for (int at = 0; at < 8; at += gpus) table.back().partitions.push_back({.minors = first << at});
  }
  return table;
}

}  // namespace muster
