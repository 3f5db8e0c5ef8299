// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/scheduler_plugins/load/recent_pods.h"

#include <algorithm>
#include <utility>

namespace muster::scheduler_plugins {
namespace {

constexpr double kSettling = 60;  // seconds until a measurement holds a pod

}  // namespace

void RecentPods::Place(std::string pod, int64_t expected_cpu, double at) {
  placed_.push_back({std::move(pod), expected_cpu, at});
}

void RecentPods::Forget(double now) {
  const auto first = std::find_if(placed_.begin(), placed_.end(), [now](const Placed& placed) {
    return placed.at > now - kSettling;
  });
  if (first != placed_.end()) placed_.erase(placed_.begin(), first);
}

int64_t RecentPods::Missing(double window_end) const {
  int64_t missing = 0;
  for (const Placed& placed : placed_) {
    if (window_end - placed.at < kSettling) missing += placed.expected_cpu;
  }
  return missing;
}

}  // namespace muster::scheduler_plugins
