// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/kai/statuses.h"

namespace muster {

KaiStatus KaiStatusOfPod(const KaiPodState& pod) {
  if (pod.phase == "Running") {
    if (!pod.is_deleted) return KaiStatus::kRunning;
    return pod.is_overdue ? KaiStatus::kStuckInReleasing : KaiStatus::kReleasing;
  }
  if (pod.phase == "Pending") {
    return pod.is_deleted   ? KaiStatus::kReleasing
           : pod.has_node   ? KaiStatus::kBound
           : pod.is_binding ? KaiStatus::kBinding
           : pod.is_gated   ? KaiStatus::kGated
                            : KaiStatus::kPending;
  }
  return pod.phase == "Succeeded" ? KaiStatus::kSucceeded
         : pod.phase == "Failed"  ? KaiStatus::kFailed
                                  : KaiStatus::kUnknown;
}

std::string_view KaiStatusName(KaiStatus status) {
  switch (status) {
    case KaiStatus::kPending:
      return "Pending";
    case KaiStatus::kGated:
      return "Gated";
    case KaiStatus::kAllocated:
      return "Allocated";
    case KaiStatus::kPipelined:
      return "Pipelined";
    case KaiStatus::kBinding:
      return "Binding";
    case KaiStatus::kBound:
      return "Bound";
    case KaiStatus::kRunning:
      return "Running";
    case KaiStatus::kReleasing:
      return "Releasing";
    case KaiStatus::kSucceeded:
      return "Succeeded";
    case KaiStatus::kFailed:
      return "Failed";
    case KaiStatus::kDeleted:
      return "Deleted";
    case KaiStatus::kStuckInReleasing:
      return "StuckInReleasing";
    case KaiStatus::kUnknown:
      break;
  }
  return "Unknown";
}

}  // namespace muster
