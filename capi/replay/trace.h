// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Traces from columns.
#ifndef MUSTER_CAPI_REPLAY_TRACE_H_
#define MUSTER_CAPI_REPLAY_TRACE_H_

#include "absl/status/statusor.h"
#include "muster/c_experimental.h"
#include "muster/trace.h"

namespace muster::capi {

// `nodes` and `tasks` are null together: then it is one on a pool.
absl::StatusOr<Trace> TraceOf(const muster_pool_trace* given, const muster_table* nodes,
                              const muster_table* tasks);

}  // namespace muster::capi

#endif  // MUSTER_CAPI_REPLAY_TRACE_H_
