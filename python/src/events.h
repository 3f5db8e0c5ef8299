// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Events of a watch, from Python values.
//
//   std::string_view outcome = ApplyEvent(cluster, 17, "node", fields);   // "applied"
#ifndef MUSTER_PYTHON_SRC_EVENTS_H_
#define MUSTER_PYTHON_SRC_EVENTS_H_

#include <pybind11/pybind11.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "muster/cluster.h"

namespace muster::python {

// "node", "queue", ...: of what may be removed.
Removal::Kind RemovalKind(const std::string& kind);

// The event of (kind, generation, object), as ApplyEvents takes them. Throws where it cannot be
// read.
Delta ReadEvent(const pybind11::tuple& event);

// `object` is a dict of the fields of a row, or the name of a row that is gone. Returns "applied",
// "stale" or "waiting". Throws where the event is refused; the cluster remembers that it was.
std::string_view ApplyEvent(Cluster& cluster, uint64_t generation, const std::string& kind,
                            const pybind11::object& object);

// `events` has (kind, generation, object) for each event. Returns (outcome, words) for each: an
// event that is refused has the outcome "refused" and stops no other.
pybind11::list ApplyEvents(Cluster& cluster, const pybind11::list& events);

}  // namespace muster::python

#endif  // MUSTER_PYTHON_SRC_EVENTS_H_
