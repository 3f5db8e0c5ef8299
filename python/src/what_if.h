// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What-if over clusters and snapshots: dicts in, a table out.
#ifndef MUSTER_PYTHON_SRC_WHAT_IF_H_
#define MUSTER_PYTHON_SRC_WHAT_IF_H_

#include <pybind11/pybind11.h>

#include <vector>

#include "muster/what_if.h"

namespace muster::python {

// A change has the keys of a scenario's what-if: {"queue": {"name": "vision", "weight": 3}}.
std::vector<WhatIfChange> ReadChanges(pybind11::handle changes);
// Returns one row a queue: queue, share_before, share_after, and by dimension "deserved_before.cpu"
// and so on.
pybind11::dict OutlookTable(const Outlook& outlook);

}  // namespace muster::python

#endif  // MUSTER_PYTHON_SRC_WHAT_IF_H_
