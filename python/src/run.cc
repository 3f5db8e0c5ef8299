// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "python/src/run.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "lib/scenario/scenario.h"
#include "muster/cycle_metrics.h"
#include "python/src/convert.h"
#include "python/src/watch.h"

namespace muster::python {
namespace {

using Clock = std::chrono::steady_clock;

template <class T>
void Take(const py::dict& options, const char* key, T* out) {
  if (!options.contains(key)) return;
  const Place root{nullptr, "options"};
  ReadInto(Place{&root, key}, options[key], out);
}

std::optional<double> TimeLimit(const py::dict& options) {
  if (!options.contains("time_limit") || options["time_limit"].is_none()) return std::nullopt;
  const py::object seconds = options["time_limit"];
  double limit = -1;
  if (py::isinstance<py::float_>(seconds) || IsInteger(seconds)) {
    limit = PyFloat_AsDouble(seconds.ptr());
    if (PyErr_Occurred() != nullptr) {
      // An integer that is too large for a float is refused; what a class raises is its own.
      if (!PyLong_CheckExact(seconds.ptr())) throw py::error_already_set();
      PyErr_Clear();
      limit = -1;
    }
  }
  if (!(limit >= 0)) Refuse("options: time_limit: expected seconds, 0 or more");
  return limit;
}

}  // namespace

PolicyCall::PolicyCall(const std::shared_ptr<PythonExtensions>& extensions,
                       std::shared_ptr<const Extensions>* list)
    : state_(extensions != nullptr ? extensions->state : nullptr) {
  if (extensions == nullptr) return;
  *list = extensions->list;
  state_->Begin();
}

PolicyCall::~PolicyCall() {
  if (state_ != nullptr) state_->Close();
}

void PolicyCall::End() {
  if (state_ != nullptr) state_->End();
}

Plan RunCycle(const py::dict& options, const std::shared_ptr<PythonExtensions>& extensions,
              const std::function<absl::StatusOr<Plan>(const ScheduleOptions&)>& cycle) {
  ScheduleOptions schedule;
  Take(options, "now", &schedule.now);
  Take(options, "seed", &schedule.seed);
  Take(options, "work_budget", &schedule.work_budget);
  Take(options, "cursor", &schedule.cursor);
  std::string turn, memory;
  Take(options, "turn", &turn);
  Take(options, "memory", &memory);
  if (!turn.empty()) schedule.turn = Value(ParseTurn(turn));
  if (!memory.empty()) schedule.memory = Value(Memory::Parse(memory));
  if (options.contains("speed") && !options["speed"].is_none()) {
    const Place place{nullptr, "options: speed"};
    if (!py::isinstance<py::dict>(options["speed"])) WrongType(place, "a dict", options["speed"]);
    const auto speed = options["speed"].cast<py::dict>();
    const std::vector<std::string_view> switches = {"block_winners", "share_equal_states",
                                                    "infeasibility_memory", "vector_kernels",
                                                    "memory_limit"};
    for (auto [key, value] : speed) {
      const std::string name = ReadText(place, key);
      if (std::find(switches.begin(), switches.end(), name) == switches.end()) {
        UnknownKey(place, name, switches);
      }
    }
    Take(speed, "block_winners", &schedule.speed.block_winners);
    Take(speed, "share_equal_states", &schedule.speed.share_equal_states);
    Take(speed, "infeasibility_memory", &schedule.speed.infeasibility_memory);
    Take(speed, "vector_kernels", &schedule.speed.vector_kernels);
    Take(speed, "memory_limit", &schedule.speed.memory_limit);
  }
  const std::optional<double> time_limit = TimeLimit(options);
  py::object stop = options.contains("stop") ? py::object(options["stop"]) : py::none();
  if (!stop.is_none() && !py::hasattr(stop, "is_set")) {
    Refuse("options: stop: expected a threading.Event");
  }
  if (options.contains("metrics") && !options["metrics"].is_none()) {
    auto* metrics = options["metrics"].cast<CycleMetrics*>();
    metrics->clock = [] {
      return int64_t{std::chrono::nanoseconds(Clock::now().time_since_epoch()).count()};
    };
    schedule.metrics = metrics;
  }
  PolicyCall call(extensions, &schedule.extensions);
  Watch watch(time_limit, std::move(stop), call.state());
  schedule.should_stop = [&watch] { return watch.ShouldStop(); };

  std::optional<absl::StatusOr<Plan>> plan;
  {
    const py::gil_scoped_release unlocked;
    plan.emplace(cycle(schedule));
  }
  call.End();
  if (watch.error().has_value()) throw std::move(*watch.error());
  Plan result = Value(*std::move(plan));
  if (watch.stopped() && !result.complete()) {
    throw StatusError(
        absl::CancelledError("schedule: stopped before the cycle ended; nothing is decided"));
  }
  if (watch.expired() && !result.complete()) {
    throw StatusError(absl::DeadlineExceededError(
        "schedule: time_limit passed before the cycle ended; nothing is decided"));
  }
  return result;
}

}  // namespace muster::python
