// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/yarn/fair/config.h"

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "lib/base/hash_map.h"

namespace muster::yarn::fair {
namespace {

absl::Status Refuse(absl::string_view place, absl::string_view rule) {
  return absl::InvalidArgumentError(absl::StrCat(place, ": ", rule));
}

bool IsAmount(const Resource& amount) { return amount.memory >= 0 && amount.vcores >= 0; }

absl::Status CheckQueue(const QueueConfig& queue, const std::string& place) {
  if (!std::isfinite(queue.weight) || queue.weight < 0) {
    return Refuse(place, "its weight must be finite and not negative");
  }
  if (!IsAmount(queue.min) || !IsAmount(queue.max)) {
    return Refuse(place, "min and max must not be negative");
  }
  if (!std::isfinite(queue.max_am_share)) return Refuse(place, "max_am_share must be finite");
  if (queue.fair_share_threshold && !std::isfinite(*queue.fair_share_threshold)) {
    return Refuse(place, "fair_share_threshold must be finite");
  }
  if (queue.policy == Policy::kFifo && !queue.leaf) {
    return Refuse(place, "policy fifo is for leaves only");
  }
  return absl::OkStatus();
}

}  // namespace

bool AllowsChild(Policy parent, Policy child) {
  return parent == Policy::kDrf || (parent == Policy::kFair && child != Policy::kDrf);
}

std::string ParentPath(const std::string& path) {
  const size_t dot = path.rfind('.');
  return dot == std::string::npos ? "" : path.substr(0, dot);
}

absl::Status CheckQueues(const std::vector<QueueConfig>& queues) {
  if (queues.empty() || queues[0].path != "root" || queues[0].leaf) {
    return Refuse("queues[0]", "must be the parent queue root");
  }
  HashMap<std::string, const QueueConfig*> known;
  for (const QueueConfig& queue : queues) {
    const std::string place = absl::StrCat("queue \"", queue.path, "\"");
    if (absl::Status status = CheckQueue(queue, place); !status.ok()) return status;
    if (&queue != &queues[0]) {
      const auto parent = known.find(ParentPath(queue.path));
      if (parent == known.end()) return Refuse(place, "its parent must be listed before it");
      if (parent->second->leaf) return Refuse(place, "its parent is a leaf");
    }
    if (!known.try_emplace(queue.path, &queue).second) return Refuse(place, "is listed twice");
  }
  return absl::OkStatus();
}

absl::Status CheckPolicies(const std::vector<QueueConfig>& queues) {
  HashMap<std::string, Policy> known;
  for (const QueueConfig& queue : queues) {
    known[queue.path] = queue.policy;
    if (queue.path == "root") continue;
    if (!AllowsChild(known[ParentPath(queue.path)], queue.policy)) {
      return Refuse(absl::StrCat("queue \"", queue.path, "\""),
                    "policy drf must not lie below policy fair");
    }
  }
  return absl::OkStatus();
}

absl::Status CheckOptions(const Options& options) {
  constexpr int64_t kMost = int64_t{1} << 31;  // so that a billion containers still have a size
  constexpr Resource kLargest = {kMost, kMost};
  for (const Resource& amount :
       {options.min_allocation, options.max_allocation, options.increment}) {
    if (!IsAmount(amount) || !FitsInAll(amount, kLargest)) {
      return Refuse("options", "allocations and increment must be in 0..2^31");
    }
  }
  if (options.increment.memory == 0 || options.increment.vcores == 0) {
    return Refuse("options", "increment must be above 0");
  }
  for (const float part : {options.reservation_threshold_multiple, options.reservable_nodes,
                           options.node_locality_threshold, options.rack_locality_threshold,
                           options.preemption_utilization_threshold}) {
    if (!std::isfinite(part)) return Refuse("options", "all fractions must be finite");
  }
  for (const int64_t time : {options.wait_before_kill, options.wait_before_next_check}) {
    if (time < 0 || time > int64_t{1} << 40)
      return Refuse("options", "times must be in 0..2^40 ms");
  }
  return absl::OkStatus();
}

}  // namespace muster::yarn::fair
