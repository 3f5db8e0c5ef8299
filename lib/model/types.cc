// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The words of the enums, in the order of their values.
#include "muster/types.h"

namespace muster {

std::string_view TaskStatusName(TaskStatus status) {
  switch (status) {
    case TaskStatus::kPending:
      return "pending";
    case TaskStatus::kPlaced:
      return "placed";
    case TaskStatus::kNominated:
      return "nominated";
    case TaskStatus::kBinding:
      return "binding";
    case TaskStatus::kBound:
      return "bound";
    case TaskStatus::kRunning:
      return "running";
    case TaskStatus::kReleasing:
      return "releasing";
    case TaskStatus::kSucceeded:
      return "succeeded";
    case TaskStatus::kFailed:
      return "failed";
    case TaskStatus::kUnknown:
      return "unknown";
  }
  return "";
}

std::string_view JobPhaseName(JobPhase phase) {
  switch (phase) {
    case JobPhase::kPending:
      return "pending";
    case JobPhase::kAdmitted:
      return "admitted";
    case JobPhase::kRunning:
      return "running";
    case JobPhase::kUnknown:
      return "unknown";
    case JobPhase::kCompleted:
      return "completed";
  }
  return "";
}

std::string_view QueueStateName(QueueState state) {
  switch (state) {
    case QueueState::kOpen:
      return "open";
    case QueueState::kClosed:
      return "closed";
  }
  return "";
}

}  // namespace muster
