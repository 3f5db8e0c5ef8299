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
// `threads` may play futures at once (AskOnThreads).
pybind11::dict ForecastTables(const Cluster& cluster, const std::string& profile,
                              pybind11::handle history, const pybind11::dict& given,
                              const std::shared_ptr<PythonExtensions>& policies, int64_t threads);

}  // namespace muster::python

#endif  // MUSTER_PYTHON_SRC_FORECAST_H_
