// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Refuses objects of the module that hold nothing: `Plan.__new__(Plan)` makes one, and pickle fills
// those that it makes so. pybind11 would hand out memory in which nothing was constructed.
//
//   struct Played {
//     using Bound = void;  // functions refuse one that holds nothing
//   };
//
// Every source file that binds a class, or takes one, includes this header.
#ifndef MUSTER_PYTHON_SRC_SET_OBJECT_H_
#define MUSTER_PYTHON_SRC_SET_OBJECT_H_

#include <pybind11/pybind11.h>

#include <concepts>
#include <type_traits>
#include <typeinfo>

#include "muster/plan.h"
#include "muster/schedule.h"
#include "muster/snapshot.h"

namespace muster::python {

// The classes that the module binds: three of the library, and those with a member type Bound.
template <class T>
concept BoundClass = std::same_as<T, Plan> || std::same_as<T, Snapshot> ||
    std::same_as<T, CycleMetrics> || requires {
  typename T::Bound;
};

// Raises TypeError if `object` is of the bound class and holds nothing.
void RefuseUnset(pybind11::handle object, const std::type_info& bound);

}  // namespace muster::python

namespace pybind11::detail {

template <class T>
class type_caster<T, std::enable_if_t<muster::python::BoundClass<T>>> : public type_caster_base<T> {
 public:
  bool load(handle object, bool convert) {
    muster::python::RefuseUnset(object, typeid(T));
    return type_caster_base<T>::load(object, convert);
  }
};

}  // namespace pybind11::detail

#endif  // MUSTER_PYTHON_SRC_SET_OBJECT_H_
