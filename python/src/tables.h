// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The living rows of a cluster as columns.
#ifndef MUSTER_PYTHON_SRC_TABLES_H_
#define MUSTER_PYTHON_SRC_TABLES_H_

#include <pybind11/pybind11.h>

#include <string>

#include "muster/cluster.h"

namespace muster::python {

// Returns a dict of NumPy arrays, a row each. `kind` is "nodes", "queues", "jobs" or "tasks".
// Amounts are in the units of keywords: cores and devices, bytes of memory and storage. The columns
// of nodes are those that add_nodes takes, and leave nothing out.
pybind11::dict Table(const Cluster& cluster, const std::string& kind);

// Returns what all nodes offer tasks of each dimension, by its name, in the same units.
pybind11::dict AllocatableTotals(const Cluster& cluster);

}  // namespace muster::python

#endif  // MUSTER_PYTHON_SRC_TABLES_H_
