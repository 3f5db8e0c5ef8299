// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Forecasts of a cluster as tables.
#ifndef MUSTER_PYTHON_SRC_FORECAST_H_
#define MUSTER_PYTHON_SRC_FORECAST_H_

#include <pybind11/pybind11.h>

#include <memory>
#include <string>

#include "muster/cluster.h"
#include "python/src/policy.h"

namespace muster::python {

// `history` is a Trace or None. Returns jobs, a dict of columns, and what the forecast cost.
pybind11::dict ForecastTables(const Cluster& cluster, const std::string& profile,
                              pybind11::handle history, const pybind11::dict& given,
                              const std::shared_ptr<PythonExtensions>& policies);

}  // namespace muster::python

#endif  // MUSTER_PYTHON_SRC_FORECAST_H_
