// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// One cycle on behalf of Python: the GIL is given up, Ctrl-C, `stop` and a time limit are watched between gangs, and what went
// wrong in a policy comes out as the exception it was.
#ifndef MUSTER_PYTHON_SRC_RUN_H_
#define MUSTER_PYTHON_SRC_RUN_H_

#include <pybind11/pybind11.h>

#include <functional>
#include <memory>

#include "muster/plan.h"
#include "muster/schedule.h"
#include "python/src/policy.h"

namespace muster::python {

// `options` is a dict: now, seed, work_budget, cursor, speed (a dict), time_limit (seconds from now), stop; what it does not
// name has its default.
Plan RunCycle(const pybind11::dict& options, const std::shared_ptr<PythonExtensions>& extensions,
              const std::function<absl::StatusOr<Plan>(const ScheduleOptions&)>& cycle);

}  // namespace muster::python

#endif  // MUSTER_PYTHON_SRC_RUN_H_
