// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What muster._core.Trace is.
#ifndef MUSTER_PYTHON_SRC_SHARED_TRACE_H_
#define MUSTER_PYTHON_SRC_SHARED_TRACE_H_

#include <memory>

#include "muster/trace.h"

namespace muster::python {

// A trace that nothing changes any more; replays of several threads may share it.
struct SharedTrace {
  std::shared_ptr<const Trace> trace;
};

}  // namespace muster::python

#endif  // MUSTER_PYTHON_SRC_SHARED_TRACE_H_
