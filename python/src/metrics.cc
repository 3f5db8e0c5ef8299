// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What a cycle cost, as tables for Python: dicts of columns.
#include <pybind11/pybind11.h>

#include <string>

#include "muster/cycle_metrics.h"
#include "muster/plan.h"
#include "python/src/bindings.h"
#include "python/src/convert.h"

namespace muster::python {
namespace {

// A column of what `get` returns for each row.
template <class List, class F>
py::list ColumnOf(const List& list, const F& get) {
  py::list column;
  for (const auto& row : list) column.append(py::cast(get(row)));
  return column;
}

double Seconds(int64_t nanoseconds) { return static_cast<double>(nanoseconds) * 1e-9; }

py::dict ActionsOf(const CycleMetrics& metrics) {
  py::dict table;
  table["action"] = ColumnOf(metrics.actions, [](const ActionCost& a) { return a.action; });
  table["seconds"] = ColumnOf(metrics.actions, [](const ActionCost& a) { return Seconds(a.time); });
  table["work"] = ColumnOf(metrics.actions, [](const ActionCost& a) { return a.work; });
  table["decisions"] = ColumnOf(metrics.actions, [](const ActionCost& a) { return a.decisions; });
  return table;
}

py::dict PoliciesOf(const CycleMetrics& metrics) {
  py::dict table;
  const auto& rows = metrics.policies;
  table["policy"] = ColumnOf(rows, [](const PolicyCost& p) { return p.policy; });
  table["seconds"] = ColumnOf(rows, [](const PolicyCost& p) { return Seconds(p.time); });
  table["questions"] = ColumnOf(rows, [](const PolicyCost& p) { return p.questions; });
  table["nodes"] = ColumnOf(rows, [](const PolicyCost& p) { return p.nodes; });
  return table;
}

// A row for each task and policy.
py::dict ChoicesOf(const CycleMetrics& metrics, const Plan& plan) {
  py::list tasks, nodes, nexts, policies, scores, next_scores;
  for (const NodeChoice& choice : metrics.choices) {
    for (const ScorePart& part : choice.parts) {
      tasks.append(Text(plan.task_name(choice.task)));
      nodes.append(Text(plan.node_name(choice.chosen)));
      nexts.append(Text(choice.next_name));
      policies.append(Text(part.policy));
      scores.append(part.chosen);
      next_scores.append(part.next);
    }
  }
  py::dict table;
  table["task"] = tasks;
  table["node"] = nodes;
  table["next"] = nexts;
  table["policy"] = policies;
  table["score"] = scores;
  table["next_score"] = next_scores;
  return table;
}

}  // namespace

void BindMetrics(py::module_& module) {
  py::class_<CycleMetrics>(module, "CycleMetrics")
      .def(
          py::init([](bool explain_nodes) { return CycleMetrics{.explain_nodes = explain_nodes}; }))
      .def("actions", ActionsOf)
      .def("policies", PoliciesOf)
      .def("choices", ChoicesOf)
      .def("totals", [](const CycleMetrics& metrics) {
        py::dict totals;
        totals["open"] = Seconds(metrics.open);
        totals["close"] = Seconds(metrics.close);
        totals["remembered"] = metrics.searches.remembered;
        totals["by_table"] = metrics.searches.by_table;
        totals["by_scan"] = metrics.searches.by_scan;
        return totals;
      });
}

}  // namespace muster::python
