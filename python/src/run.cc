// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "python/src/run.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <utility>

#include "lib/scenario/scenario.h"
#include "muster/cycle_metrics.h"
#include "python/src/convert.h"

namespace muster::python {
namespace {

using Clock = std::chrono::steady_clock;

// Asked between gangs, without the GIL.
class Watch {
 public:
  Watch(std::optional<double> time_limit, py::object stop, CycleState* policies)
      : policies_(policies), stop_(std::move(stop)) {
    if (time_limit.has_value()) {
      end_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                std::chrono::duration<double>(std::min(*time_limit, 1e9)));
    }
  }

  bool ShouldStop() {
    if (policies_ != nullptr && policies_->failed()) return true;
    const bool first = asked_++ == 0;
    if (!first && asked_ % kEvery != 0 && !end_.has_value()) return false;
    const Clock::time_point now = Clock::now();
    if (end_.has_value() && now >= *end_) {
      expired_ = true;
      return true;
    }
    if (!(first && !stop_.is_none()) && now - last_look_ < kBetweenLooks) return false;
    last_look_ = now;
    return LookAtPython();
  }

  bool expired() const { return expired_; }
  bool stopped() const { return stopped_; }
  // The exception of a signal handler or of `stop`.
  std::optional<py::error_already_set>& error() { return error_; }

 private:
  bool LookAtPython() {
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

  static constexpr int kEvery = 16;
  static constexpr auto kBetweenLooks = std::chrono::milliseconds(20);
  CycleState* policies_;
  const py::object stop_;  // has is_set(), or is None
  std::optional<Clock::time_point> end_;
  Clock::time_point last_look_ = Clock::now();
  int asked_ = 0;
  bool expired_ = false, stopped_ = false;
  std::optional<py::error_already_set> error_;
};

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
  CycleState* state = nullptr;
  if (extensions != nullptr) {
    schedule.extensions = extensions->list;
    state = extensions->state.get();
    state->Begin();
  }
  Watch watch(time_limit, std::move(stop), state);
  schedule.should_stop = [&watch] { return watch.ShouldStop(); };

  std::optional<absl::StatusOr<Plan>> plan;
  {
    const py::gil_scoped_release unlocked;
    plan.emplace(cycle(schedule));
  }
  if (state != nullptr) state->End();
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
