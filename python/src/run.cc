// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "python/src/run.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <utility>

#include "python/src/convert.h"

namespace muster::python {
namespace {

using Clock = std::chrono::steady_clock;

// Asked between gangs, without the GIL.
class Watch {
 public:
  Watch(std::optional<double> deadline, CycleState* policies) : policies_(policies) {
    if (deadline.has_value()) {
      deadline_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                     std::chrono::duration<double>(std::min(*deadline, 1e9)));
    }
  }

  bool ShouldStop() {
    if (policies_ != nullptr && policies_->failed()) return true;
    if (++asked_ % kEvery != 0 && !deadline_.has_value()) return false;
    const Clock::time_point now = Clock::now();
    if (deadline_.has_value() && now >= *deadline_) {
      expired_ = true;
      return true;
    }
    if (now - last_look_ < kBetweenLooks) return false;
    last_look_ = now;
    const py::gil_scoped_acquire gil;
    if (PyErr_CheckSignals() == 0) return false;
    signal_.emplace();  // takes the exception along
    return true;
  }

  bool expired() const { return expired_; }
  std::optional<py::error_already_set>& signal() { return signal_; }

 private:
  static constexpr int kEvery = 16;
  static constexpr auto kBetweenLooks = std::chrono::milliseconds(20);
  CycleState* policies_;
  std::optional<Clock::time_point> deadline_;
  Clock::time_point last_look_ = Clock::now();
  int asked_ = 0;
  bool expired_ = false;
  std::optional<py::error_already_set> signal_;
};

template <class T>
void Take(const py::dict& options, const char* key, T* out) {
  if (!options.contains(key)) return;
  const Place root{nullptr, "options"};
  ReadInto(Place{&root, key}, options[key], out);
}

}  // namespace

Plan RunCycle(const py::dict& options, const std::shared_ptr<PythonExtensions>& extensions,
              const std::function<absl::StatusOr<Plan>(const ScheduleOptions&)>& cycle) {
  ScheduleOptions schedule;
  Take(options, "now", &schedule.now);
  Take(options, "seed", &schedule.seed);
  Take(options, "work_budget", &schedule.work_budget);
  Take(options, "cursor", &schedule.cursor);
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
  std::optional<double> deadline;
  if (options.contains("deadline") && !options["deadline"].is_none()) {
    deadline = options["deadline"].cast<double>();
    if (!(*deadline >= 0)) Refuse("options: deadline: expected seconds, 0 or more");
  }
  CycleState* state = nullptr;
  if (extensions != nullptr) {
    schedule.extensions = extensions->list;
    state = extensions->state.get();
    state->Begin();
  }
  Watch watch(deadline, state);
  schedule.should_stop = [&watch] { return watch.ShouldStop(); };

  std::optional<absl::StatusOr<Plan>> plan;
  {
    const py::gil_scoped_release unlocked;
    plan.emplace(cycle(schedule));
  }
  if (state != nullptr) state->End();
  if (watch.signal().has_value()) throw std::move(*watch.signal());
  Plan result = Value(*std::move(plan));
  if (watch.expired() && !result.complete()) {
    throw StatusError(absl::DeadlineExceededError(
        "schedule: the deadline passed before the cycle ended; nothing was decided"));
  }
  return result;
}

}  // namespace muster::python
