// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// muster._core: a thin mirror of include/muster. Keyword arguments, DataFrames, adapters of
// policies and texts for readers are in python/muster.
#include <pybind11/pybind11.h>

#include "muster/schedule.h"
#include "muster/version.h"
#include "python/src/bindings.h"
#include "python/src/convert.h"
#include "python/src/policy.h"
#include "python/src/status.h"

namespace muster::python {
namespace {

py::list ListProfiles() {
  py::list out;
  for (const ProfileInfo& info : Profiles()) {
    py::dict profile;
    profile["name"] = info.name;
    profile["summary"] = info.summary;
    profile["actions"] = Write(info.actions);
    profile["tiers"] = Write(info.tiers);
    profile["reads_counts"] = info.reads_counts;
    out.append(profile);
  }
  return out;
}

py::list ListPolicies() {
  py::list out;
  for (const PolicyInfo& info : Policies()) {
    py::list options;
    for (const OptionInfo& option : info.options) {
      py::dict entry;
      entry["name"] = option.name;
      entry["default"] = option.default_value;
      entry["help"] = option.help;
      options.append(entry);
    }
    py::dict policy;
    policy["name"] = info.name;
    policy["revision"] = info.revision;
    policy["options"] = options;
    out.append(policy);
  }
  return out;
}

// What pickle and copy ask, alike for each of pickle's protocols. For its protocols 0 and 1 they
// would call the base of all bound classes, which ends the process.
py::tuple Reduce(const py::object& self, int /*protocol*/) {
  const py::object type = py::type::of(self);
  if (!py::hasattr(self, "__setstate__")) {
    throw py::type_error("cannot pickle '" + type.attr("__qualname__").cast<std::string>() +
                         "' object");
  }
  const py::object make = py::module_::import("copyreg").attr("__newobj__");
  return py::make_tuple(make, py::make_tuple(type), self.attr("__getstate__")());
}

// That of object calls the base of all bound classes, too.
py::tuple ReducePlain(const py::object& self) { return Reduce(self, 0); }

void BindReduce(const py::module_& module) {
  for (auto [name, bound] : py::dict(module.attr("__dict__"))) {
    if (!py::isinstance<py::type>(bound)) continue;
    bound.attr("__reduce_ex__") = py::cpp_function(&Reduce, py::name("__reduce_ex__"),
                                                   py::is_method(bound), py::arg("protocol"));
    bound.attr("__reduce__") =
        py::cpp_function(&ReducePlain, py::name("__reduce__"), py::is_method(bound));
  }
}

}  // namespace
}  // namespace muster::python

PYBIND11_MODULE(_core, module) {
  module.doc() = "The engine. Use the package muster.";
  muster::python::BindStatus(module);
  muster::python::BindMetrics(module);
  muster::python::BindPlan(module);
  muster::python::BindPolicies(module);
  muster::python::BindCluster(module);
  muster::python::BindTraces(module);
  muster::python::BindReplay(module);
  muster::python::BindBound(module);
  muster::python::BindPacking(module);
  muster::python::BindImport(module);
  muster::python::BindEpisodes(module);
  muster::python::BindForecast(module);
  muster::python::BindStatistics(module);
#ifdef MUSTER_PYTHON_TESTING
  muster::python::BindTesting(module);
#endif
  muster::python::BindReduce(module);
  module.def("profiles", &muster::python::ListProfiles);
  module.def("policies", &muster::python::ListPolicies);
  module.attr("version") = MUSTER_VERSION_STRING;
}
