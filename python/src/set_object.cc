// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "python/src/set_object.h"

#include <string>

namespace muster::python {

namespace py = pybind11;

void RefuseUnset(py::handle object, const std::type_info& bound) {
  const py::handle type = py::detail::get_type_handle(bound, /*throw_if_missing=*/false);
  if (!object || !type || !py::isinstance(object, type)) return;
  auto* const info = py::detail::get_type_info(reinterpret_cast<PyTypeObject*>(type.ptr()));
  auto* const instance = reinterpret_cast<py::detail::instance*>(object.ptr());
  if (info == nullptr || instance->get_value_and_holder(info).value_ptr() != nullptr) return;
  throw py::type_error(type.attr("__qualname__").cast<std::string>() +
                       " object holds nothing; must be made by a function of muster");
}

}  // namespace muster::python
