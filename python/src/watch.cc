// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "python/src/watch.h"

#include <algorithm>
#include <utility>

namespace muster::python {

Watch::Watch(std::optional<double> time_limit, py::object stop, CycleState* policies, int every)
    : policies_(policies), every_(every), stop_(std::move(stop)) {
  if (time_limit.has_value()) {
    end_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                              std::chrono::duration<double>(std::min(*time_limit, 1e9)));
  }
}

bool Watch::ShouldStop() {
  if (policies_ != nullptr && policies_->failed()) return true;
  if (error_.has_value() || stopped_) return true;  // of a cycle before, where there are many
  const bool first = asked_++ == 0;
  if (!first && asked_ % every_ != 0 && !end_.has_value()) return false;
  const Clock::time_point now = Clock::now();
  if (end_.has_value() && now >= *end_) {
    expired_ = true;
    return true;
  }
  if (!(first && !stop_.is_none()) && now - last_look_ < kBetweenLooks) return false;
  last_look_ = now;
  return LookAtPython();
}

bool Watch::LookAtPython() {
  const py::gil_scoped_acquire gil;
  try {
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    stopped_ = !stop_.is_none() && py::bool_(stop_.attr("is_set")());
    return stopped_;
  } catch (py::error_already_set& error) {
    error_.emplace(std::move(error));
    return true;
  }
}

}  // namespace muster::python
