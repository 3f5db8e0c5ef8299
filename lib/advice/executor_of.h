// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The executor of a call that runs several cycles.
#ifndef MUSTER_ADVICE_EXECUTOR_OF_H_
#define MUSTER_ADVICE_EXECUTOR_OF_H_

#include "lib/base/pieces.h"
#include "muster/schedule.h"

namespace muster {

// Returns null, so that all cycles stay on the calling thread, where the caller's policies and
// actions are asked or a cycle is measured: both are used by one thread at a time.
inline Executor* ExecutorOf(Executor* executor, const ScheduleOptions& options) {
  if (options.extensions != nullptr || options.metrics != nullptr) return nullptr;
  return HasThreads(executor) ? executor : nullptr;
}

}  // namespace muster

#endif  // MUSTER_ADVICE_EXECUTOR_OF_H_
