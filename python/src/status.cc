// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "python/src/status.h"

namespace muster::python {

namespace py = pybind11;

void BindStatus(py::module_& module) {
  py::register_local_exception_translator([](std::exception_ptr error) {
    try {
      if (error) std::rethrow_exception(error);
    } catch (const StatusError& e) {
      const py::object make = py::module_::import("muster.errors").attr("from_status");
      const py::object exception =
          make(absl::StatusCodeToString(e.status().code()), std::string(e.status().message()));
      PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(exception.ptr())), exception.ptr());
    }
  });
}

}  // namespace muster::python
