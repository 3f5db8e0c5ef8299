// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Questions that are answered by plans of changed clones, as dicts of columns.
//
//   pybind11::dict tables = RehearsalTables(cluster, "volcano", changes, {now, policies});
#ifndef MUSTER_PYTHON_SRC_ADVICE_H_
#define MUSTER_PYTHON_SRC_ADVICE_H_

#include <pybind11/pybind11.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "muster/cluster.h"
#include "python/src/policy.h"

namespace muster::python {

// Of each cycle: the time, and the policies and actions of the caller; null: none. `threads` may
// run cycles at once (AskOnThreads).
struct Asked {
  int64_t now = 0;
  std::shared_ptr<PythonExtensions> policies = {};
  int64_t threads = 1;
};

// Returns {"starts": table, "stops": table, "moves": table, "queues": table}: rows of tasks have
// task, job, before, after, reason; those of queues share_before and so on, as in a what-if.
pybind11::dict RehearsalTables(const Cluster& cluster, const std::string& profile,
                               pybind11::handle changes, const Asked& asked);
// Returns {"waiting": 2, "reason": "...", "facts": [...], "trials": 9, "remedies": table}.
pybind11::dict DiagnosisTables(const Cluster& cluster, const std::string& profile,
                               const std::string& job, int64_t trials, const Asked& asked);
// Returns {"tasks": table, "broken": table}: tasks by step, and budgets and gangs that break.
pybind11::dict DrainTables(const Cluster& cluster, const std::string& profile,
                           const std::vector<std::string>& nodes, const Asked& asked);
// Returns {"waiting_before": 3, "waiting_after": 0, "alone": table, "cheapest": table, "price": 2}.
// Offers are pairs of a node's fields and a price.
pybind11::dict NeedTables(const Cluster& cluster, const std::string& profile, pybind11::list offers,
                          int64_t most, const Asked& asked);

}  // namespace muster::python

#endif  // MUSTER_PYTHON_SRC_ADVICE_H_
