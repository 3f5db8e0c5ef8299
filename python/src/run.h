// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Runs cycles for Python: releases the GIL, checks Ctrl-C, `stop` and a time limit between gangs,
// and raises the exceptions of policies.
#ifndef MUSTER_PYTHON_SRC_RUN_H_
#define MUSTER_PYTHON_SRC_RUN_H_

#include <pybind11/pybind11.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>

#include "muster/executor.h"
#include "muster/plan.h"
#include "muster/schedule.h"
#include "python/src/policy.h"
#include "python/src/status.h"
#include "python/src/watch.h"

namespace muster::python {

// `options` is a dict: now, seed, work_budget, cursor, speed (a dict), time_limit (seconds from
// now), stop; keys that it does not have are the defaults.
Plan RunCycle(const pybind11::dict& options, const std::shared_ptr<PythonExtensions>& extensions,
              const std::function<absl::StatusOr<Plan>(const ScheduleOptions&)>& cycle);

// One call that asks policies and actions written in Python. Where the call throws, as for want of
// memory, its end closes what they were shown, too: Python may have kept it.
class PolicyCall {
 public:
  // Puts them into `*list` and begins with them. Null: there are none.
  PolicyCall(const std::shared_ptr<PythonExtensions>& extensions,
             std::shared_ptr<const Extensions>* list);
  ~PolicyCall();
  PolicyCall(const PolicyCall&) = delete;
  PolicyCall& operator=(const PolicyCall&) = delete;

  CycleState* state() const { return state_.get(); }  // null: there are none
  void End();                                         // throws what a policy threw

 private:
  const std::shared_ptr<CycleState> state_;
};

// Answers a question that takes many cycles. `ask` runs without the GIL; its options have `now`,
// the policies and actions, and should_stop. Ctrl-C ends it, and its exception is raised. Every
// `every`-th call of should_stop looks at Python.
template <class Ask>
auto AskCycles(int64_t now, const std::shared_ptr<PythonExtensions>& extensions, const Ask& ask,
               int every = Watch::kBetweenGangs) {
  ScheduleOptions schedule;
  schedule.now = now;
  PolicyCall call(extensions, &schedule.extensions);
  Watch watch(/*time_limit=*/std::nullopt, /*stop=*/py::none(), call.state(), every);
  schedule.should_stop = [&watch] { return watch.ShouldStop(); };
  std::optional<decltype(ask(schedule))> answer;
  {
    const py::gil_scoped_release unlocked;
    answer.emplace(ask(schedule));
  }
  call.End();
  if (watch.error().has_value()) throw std::move(*watch.error());
  return Value(*std::move(answer));
}

// As AskCycles, with an executor of `threads` threads as the second argument of `ask`. It is null
// for one thread, and with policies or actions, which are asked on the calling thread. With an
// executor the calling thread only looks at Python: signals reach Python there alone, and the last
// pieces may all run elsewhere.
template <class Ask>
auto AskOnThreads(int64_t now, const std::shared_ptr<PythonExtensions>& extensions, int64_t threads,
                  const Ask& ask, int every = Watch::kBetweenGangs) {
  const auto alone = [&](const ScheduleOptions& options) { return ask(options, nullptr); };
  if (threads <= 1 || extensions != nullptr) return AskCycles(now, extensions, alone, every);
  std::atomic<bool> ends = false;
  ScheduleOptions schedule;
  schedule.now = now;
  schedule.should_stop = [&ends] { return ends.load(); };
  Watch watch(/*time_limit=*/std::nullopt, /*stop=*/py::none(), /*policies=*/nullptr, /*every=*/1);
  const std::unique_ptr<Executor> executor = MakeThreads(threads);
  std::future<decltype(alone(schedule))> answer;
  try {
    answer = std::async(std::launch::async, [&] { return ask(schedule, executor.get()); });
  } catch (const std::system_error&) {  // there is no thread to be had
    return AskCycles(now, extensions, alone, every);
  }
  {
    const py::gil_scoped_release unlocked;
    while (answer.wait_for(Watch::kBetweenLooks) != std::future_status::ready) {
      if (watch.ShouldStop()) ends = true;
    }
  }
  if (watch.error().has_value()) throw std::move(*watch.error());
  return Value(answer.get());
}

}  // namespace muster::python

#endif  // MUSTER_PYTHON_SRC_RUN_H_
