// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The parts of muster._core, one file each.
#ifndef MUSTER_PYTHON_SRC_BINDINGS_H_
#define MUSTER_PYTHON_SRC_BINDINGS_H_

#include <pybind11/pybind11.h>

#include "python/src/set_object.h"

namespace muster::python {

void BindPlan(pybind11::module_& module);
void BindCluster(pybind11::module_& module);
void BindTraces(pybind11::module_& module);
void BindReplay(pybind11::module_& module);  // after BindTraces
void BindPacking(pybind11::module_& module);
void BindImport(pybind11::module_& module);
void BindEpisodes(pybind11::module_& module);  // after BindReplay
void BindForecast(pybind11::module_& module);  // after BindReplay
void BindStatistics(pybind11::module_& module);
void BindMetrics(pybind11::module_& module);
void BindBound(pybind11::module_& module);    // after BindCluster, BindPlan and BindReplay
void BindTesting(pybind11::module_& module);  // python/testing, in builds that are not for a wheel

}  // namespace muster::python

#endif  // MUSTER_PYTHON_SRC_BINDINGS_H_
