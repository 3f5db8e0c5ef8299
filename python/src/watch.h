// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Looks at Python between the gangs of a cycle: at Ctrl-C, at a `stop`, at a time limit, and at
// policies that raised.
//
//   Watch watch(/*time_limit=*/std::nullopt, /*stop=*/py::none(), state);
//   options.should_stop = [&watch] { return watch.ShouldStop(); };
#ifndef MUSTER_PYTHON_SRC_WATCH_H_
#define MUSTER_PYTHON_SRC_WATCH_H_

#include <pybind11/pybind11.h>

#include <chrono>
#include <optional>

#include "python/src/policy.h"

namespace muster::python {

class Watch {
 public:
  // For what is asked between gangs, which may be a microsecond apart.
  static constexpr int kBetweenGangs = 16;
  // How long Python waits for a look.
  static constexpr auto kBetweenLooks = std::chrono::milliseconds(20);

  // `time_limit` is in seconds from now. `stop` has is_set(), or is None. `policies` may be null.
  // Without a time limit the clock is read each `every` times.
  Watch(std::optional<double> time_limit, py::object stop, CycleState* policies,
        int every = kBetweenGangs);

  // Asked without the GIL.
  bool ShouldStop();

  bool expired() const { return expired_; }
  bool stopped() const { return stopped_; }
  // The exception of a signal handler or of `stop`.
  std::optional<py::error_already_set>& error() { return error_; }

 private:
  using Clock = std::chrono::steady_clock;
  bool LookAtPython();

  CycleState* const policies_;
  const int every_;
  const py::object stop_;
  std::optional<Clock::time_point> end_;
  Clock::time_point last_look_ = Clock::now();
  int asked_ = 0;
  bool expired_ = false, stopped_ = false;
  std::optional<py::error_already_set> error_;
};

}  // namespace muster::python

#endif  // MUSTER_PYTHON_SRC_WATCH_H_
