// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The machine and the jobs of a trace as rows of a cluster.
#ifndef MUSTER_REPLAY_TRACE_CLUSTER_H_
#define MUSTER_REPLAY_TRACE_CLUSTER_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "muster/cluster.h"
#include "muster/trace.h"

namespace muster {

// Returns a cluster with the nodes, domains and queues. REQUIRES: the trace is one of nodes.
absl::StatusOr<Cluster> ClusterOfMachine(const Trace& trace);

// Returns the job of a row with all its tasks, without an estimate.
JobSpec JobOfTrace(const Trace& trace, uint32_t row, std::string name, int64_t created);

}  // namespace muster

#endif  // MUSTER_REPLAY_TRACE_CLUSTER_H_
