// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Actions written in Python, and the workbench that they are given.
//
//   extensions->actions.push_back(MakeAction(adapter, state, extensions.get()));
#ifndef MUSTER_PYTHON_SRC_WORKBENCH_H_
#define MUSTER_PYTHON_SRC_WORKBENCH_H_

#include <pybind11/pybind11.h>

#include <memory>
#include <string>

#include "muster/action.h"
#include "python/src/policy.h"

namespace muster::python {

// The name of a policy or an action. `kind` is also the attribute of the adapter that has it.
std::string ReadPolicyName(const char* kind, py::handle adapter);

// An action that runs the adapter's `run` (muster/action.py). `owned` keeps its name.
CustomAction MakeAction(py::handle adapter, std::shared_ptr<CycleState> state,
                        OwnedExtensions* owned);

void BindWorkbench(py::module_& module);

}  // namespace muster::python

#endif  // MUSTER_PYTHON_SRC_WORKBENCH_H_
