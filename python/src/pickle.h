// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Plans, snapshots and clusters as bytes, for Python's pickle.
//
//   std::string state = PlanState(plan);
//   Plan again = PlanOfState(state);     // equal digest, tables, texts and memory
//
// Bytes are read by the build that wrote them, or refused. What is cut or changed is refused, too.
#ifndef MUSTER_PYTHON_SRC_PICKLE_H_
#define MUSTER_PYTHON_SRC_PICKLE_H_

#include <string>
#include <string_view>

#include "muster/cluster.h"
#include "muster/plan.h"
#include "muster/snapshot.h"

namespace muster::python {

// Names are those of the rows that the plan mentions.
std::string PlanState(const Plan& plan);
Plan PlanOfState(std::string_view state);

// Rows that were removed are left out: with such rows, indices move, and the version becomes 0, so
// that plans of the snapshot are applied by names.
std::string SnapshotState(const Snapshot& snapshot);
Snapshot SnapshotOfState(std::string_view state);

// Numbers the rows of the cluster anew first, so that both have equal indices.
std::string ClusterState(Cluster* cluster);
Cluster ClusterOfState(std::string_view state);

}  // namespace muster::python

#endif  // MUSTER_PYTHON_SRC_PICKLE_H_
