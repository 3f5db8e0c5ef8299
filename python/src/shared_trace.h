// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What muster._core.Trace is, and how events of its nodes are read.
#ifndef MUSTER_PYTHON_SRC_SHARED_TRACE_H_
#define MUSTER_PYTHON_SRC_SHARED_TRACE_H_

#include <memory>
#include <vector>

#include "muster/trace.h"
#include "python/src/convert.h"

namespace muster::python {

// A trace that nothing changes any more; replays of several threads may share it.
struct SharedTrace {
  using Bound = void;
  std::shared_ptr<const Trace> trace;
};

// Appends a list of (time, kind, name).
void ReadNodeEvents(const Place& events, py::handle given, std::vector<NodeEvent>* out);

}  // namespace muster::python

#endif  // MUSTER_PYTHON_SRC_SHARED_TRACE_H_
