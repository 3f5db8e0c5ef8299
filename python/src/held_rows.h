// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// How many rows a cluster would hold with events.
//
//   int64_t most = RowsWith(cluster, events, known, limit);
//   if (most > limit) ...   // they would add too many
#ifndef MUSTER_PYTHON_SRC_HELD_ROWS_H_
#define MUSTER_PYTHON_SRC_HELD_ROWS_H_

#include <pybind11/pybind11.h>

#include <cstdint>

#include "muster/cluster.h"

namespace muster::python {

// Returns the most rows (nodes, queues, jobs and tasks) that the cluster holds while it applies
// `events`, which are as ApplyEvents takes them; above `limit`, some number above `limit`.
// - Objects that wait are rows, and so are the tasks that waiting jobs would make.
// - Stale events add nothing. A removal that is not stale takes its object away.
// - An event that may be refused counts as if it were taken.
// `known` is a number that the rows do not exceed before. A result up to `limit` may be as much too
// large as `known` is.
//
// O(events and the tasks that they make). Near `limit` also O(g log g) in the objects that events
// were about.
int64_t RowsWith(const Cluster& cluster, const pybind11::list& events, int64_t known,
                 int64_t limit);

}  // namespace muster::python

#endif  // MUSTER_PYTHON_SRC_HELD_ROWS_H_
