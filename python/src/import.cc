// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Importers: the text of a dump in, the texts of a scenario and of a report out.
#include "lib/import/import.h"

#include <pybind11/stl.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "python/src/bindings.h"
#include "python/src/status.h"

namespace muster::python {
namespace {

namespace py = pybind11;

std::pair<std::string, std::string> ImportText(const std::string& objects, std::string profile,
                                               std::string configuration, bool unset_switches_on,
                                               std::string default_queue, int64_t now,
                                               std::vector<std::string> binding,
                                               const std::map<std::string, int64_t>& limits,
                                               bool strict) {
  const py::gil_scoped_release others_may_run;
  const ImportOptions options{std::move(profile),
                              std::move(configuration),
                              unset_switches_on,
                              std::move(default_queue),
                              now,
                              std::move(binding),
                              LimitsOf(limits),
                              strict};
  const Import import = Value(ImportObjects(objects, options));
  return {WriteScenario(import.scenario), WriteReport(import.report)};
}

}  // namespace

void BindImport(py::module_& module) {
  module.def("import_objects", ImportText, py::arg("objects"), py::kw_only(), py::arg("profile"),
             py::arg("configuration"), py::arg("unset_switches_on"), py::arg("default_queue"),
             py::arg("now"), py::arg("binding"), py::arg("limits"), py::arg("strict"));
}

}  // namespace muster::python
