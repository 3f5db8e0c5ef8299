// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Bounds: of snapshots, plans and traces.
#include "muster/bound.h"

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <string_view>
#include <vector>

#include "muster/trace_bound.h"
#include "python/src/bindings.h"
#include "python/src/columns.h"
#include "python/src/convert.h"
#include "python/src/shared_trace.h"
#include "python/src/status.h"

namespace muster::python {
namespace {

BoundOptions ReadBoundOptions(const py::dict& given) {
  BoundOptions options;
  const Place root{nullptr, "bound"};
  const std::vector<std::string_view> known = {"evictions",    "node_rules", "devices",
                                               "queue_limits", "gangs",      "work"};
  for (auto [key, value] : given) {
    const std::string name = ReadText(root, key);
    const Place place{&root, name};
    if (name == "evictions") {
      ReadInto(place, value, &options.evictions);
    } else if (name == "node_rules") {
      ReadInto(place, value, &options.node_rules);
    } else if (name == "devices") {
      ReadInto(place, value, &options.devices);
    } else if (name == "queue_limits") {
      ReadInto(place, value, &options.queue_limits);
    } else if (name == "gangs") {
      ReadInto(place, value, &options.gangs);
    } else if (name == "work") {
      ReadInto(place, value, &options.work);
    } else {
      UnknownKey(root, name, known);
    }
  }
  return options;
}

// Returns what the call returns; other threads of Python run meanwhile.
template <class Call>
auto Unlocked(const Call& call) {
  const py::gil_scoped_release unlocked;
  return call();
}

py::object NameArray(const std::vector<std::string>& names) {
  return TextArray(std::vector<std::string_view>(names.begin(), names.end()));
}

py::dict ProgramDict(const Bound& bound) {
  const BoundProgram& program = bound.program;
  py::list values, prices;
  for (const std::vector<int64_t>& value : program.value) values.append(NumberArray(value));
  std::vector<int64_t> steps;
  for (const BoundProof& proof : bound.proofs) {
    prices.append(NumberArray(proof.prices));
    steps.push_back(proof.steps);
  }
  py::dict out;
  out["most"] = NumberArray(program.most);
  out["first"] = NumberArray(program.first);
  out["row"] = NumberArray(program.row);
  out["amount"] = NumberArray(program.amount);
  out["row_name"] = NameArray(program.row_name);
  out["capacity"] = NumberArray(program.capacity);
  out["objective"] = NameArray(program.objective);
  out["value"] = values;
  out["unit"] = NumberArray(program.unit);
  out["prices"] = prices;
  out["steps"] = NumberArray(steps);
  return out;
}

py::dict BoundDict(const Bound& bound) {
  py::dict resources, out;
  resources["name"] = NameArray(bound.dimensions);
  resources["requested"] = NumberArray(bound.requested);
  resources["most"] = NumberArray(bound.amounts);
  out["waiting"] = bound.waiting;
  out["most"] = bound.tasks;
  out["resources"] = resources;
  out["work"] = bound.work;
  out["program"] = ProgramDict(bound);
  return out;
}

py::dict GapDict(const PlanGap& gap) {
  py::dict out = BoundDict(gap.bound);
  out["placed"] = gap.placed;
  out["resources"]["placed"] = NumberArray(gap.amounts);
  py::list broken;
  for (const std::string& rule : gap.broken) broken.append(Text(rule));
  out["broken"] = broken;
  return out;
}

py::dict PricesDict(const TracePrices& prices) {
  py::dict out;
  out["origin"] = prices.origin;
  out["width"] = prices.width;
  out["price"] = NumberArray(prices.price);
  return out;
}

py::dict TraceBoundDict(const TraceBound& bound) {
  py::dict out;
  out["jobs"] = bound.jobs;
  out["resource"] = Text(bound.resource);
  out["capacity"] = bound.capacity;
  out["mean_wait"] = bound.mean_wait;
  out["mean_bounded_slowdown"] = bound.mean_bounded_slowdown;
  out["wait_prices"] = PricesDict(bound.wait_prices);
  out["slowdown_prices"] = PricesDict(bound.slowdown_prices);
  return out;
}

}  // namespace

void BindBound(py::module_& module) {
  module.def("bound", [](const Snapshot& snapshot, const py::dict& given) {
    const BoundOptions options = ReadBoundOptions(given);
    return BoundDict(Value(Unlocked([&] { return BoundOf(snapshot, options); })));
  });
  module.def("gap", [](const Snapshot& snapshot, const Plan& plan, const py::dict& given) {
    const BoundOptions options = ReadBoundOptions(given);
    return GapDict(Value(Unlocked([&] { return GapOf(snapshot, plan, options); })));
  });
  module.def("best", [](const Snapshot& snapshot, const py::dict& given) {
    const BoundOptions options = ReadBoundOptions(given);
    const Best best = Value(Unlocked([&] { return BestOf(snapshot, options); }));
    return py::make_tuple(best.tasks, best.proven, best.work);
  });
  module.def("bound_trace", [](const SharedTrace& trace, int64_t slowdown_bound, int64_t rounds,
                               int64_t steps, const py::object& rows) {
    TraceBoundOptions options{.slowdown_bound = slowdown_bound, .rounds = rounds, .steps = steps};
    if (!rows.is_none()) options.rows = rows.cast<std::vector<uint32_t>>();
    return TraceBoundDict(Value(Unlocked([&] { return BoundTrace(*trace.trace, options); })));
  });
}

}  // namespace muster::python
