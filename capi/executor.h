// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// An executor of the caller, behind a callback.
//
//   CallerExecutor executor(callback, user, width);
//   answer = Advise(..., executor.get());
//   if (!executor.status().ok()) return executor.status();
#ifndef MUSTER_CAPI_EXECUTOR_H_
#define MUSTER_CAPI_EXECUTOR_H_

#include <cstdint>
#include <functional>

#include "absl/status/status.h"
#include "muster/c.h"
#include "muster/executor.h"

namespace muster::capi {

class CallerExecutor : public Executor {
 public:
  // `executor` may be null.
  CallerExecutor(muster_executor executor, uintptr_t user, int64_t width)
      : executor_(executor), user_(user), width_(width) {}

  // Null: there is no callback.
  Executor* get() { return executor_ == nullptr ? nullptr : this; }
  // The first failure of the callback. What it left out has run all the same.
  const absl::Status& status() const { return status_; }

  int64_t width() const override { return width_; }
  void Run(int64_t count, const std::function<void(int64_t)>& piece) override;

 private:
  const muster_executor executor_;
  const uintptr_t user_;
  const int64_t width_;
  absl::Status status_;
};

// Fails for an executor with a width below 1. `place` begins the message.
absl::Status CheckExecutor(const char* place, muster_executor executor, int64_t width);

}  // namespace muster::capi

#endif  // MUSTER_CAPI_EXECUTOR_H_
