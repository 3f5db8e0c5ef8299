// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Runs one cycle for Python: releases the GIL, checks Ctrl-C, `stop` and a time limit between
// gangs, and raises the exceptions of policies.
#ifndef MUSTER_PYTHON_SRC_RUN_H_
#define MUSTER_PYTHON_SRC_RUN_H_

#include <pybind11/pybind11.h>

#include <functional>
#include <memory>

#include "muster/plan.h"
#include "muster/schedule.h"
#include "python/src/policy.h"

namespace muster::python {

// `options` is a dict: now, seed, work_budget, cursor, speed (a dict), time_limit (seconds from
// now), stop; keys that it does not have are the defaults.
Plan RunCycle(const pybind11::dict& options, const std::shared_ptr<PythonExtensions>& extensions,
              const std::function<absl::StatusOr<Plan>(const ScheduleOptions&)>& cycle);

}  // namespace muster::python

#endif  // MUSTER_PYTHON_SRC_RUN_H_
