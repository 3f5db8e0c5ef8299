// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "capi/executor.h"

#include <memory>

#include "absl/strings/str_cat.h"
#include "capi/handles.h"
#include "lib/base/pieces.h"

struct muster_threads {
  std::unique_ptr<muster::Executor> executor;
};

namespace muster::capi {
namespace {

void RunPiece(uintptr_t work, int64_t i) {
  (*reinterpret_cast<const std::function<void(int64_t)>*>(work))(i);
}

}  // namespace

void CallerExecutor::Run(int64_t count, const std::function<void(int64_t)>& piece) {
  const muster_status said = executor_(user_, count, RunPiece, reinterpret_cast<uintptr_t>(&piece));
  if (said != MUSTER_OK && status_.ok()) status_ = UserFailure("executor", said);
}

absl::Status CheckExecutor(const char* place, muster_executor executor, int64_t width) {
  if (executor == nullptr || width >= 1) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(place, "width is ", width, "; must be 1 or more"));
}

}  // namespace muster::capi

using namespace muster::capi;  // NOLINT: the functions below are C's

muster_status muster_threads_new(int64_t width, muster_threads** out, muster_error* error) {
  if (out != nullptr) *out = nullptr;
  return Guard(error, [&]() -> absl::Status {
    if (out == nullptr) return NullArgument("out");
    if (width < 1 || width > muster::kMostThreads) {
      return absl::InvalidArgumentError(
          absl::StrCat("width is ", width, "; must be 1 to ", muster::kMostThreads));
    }
    auto made = std::make_unique<muster_threads>();
    made->executor = muster::MakeThreads(width);
    *out = made.release();
    return absl::OkStatus();
  });
}

muster_status muster_threads_run(uintptr_t threads, int64_t count, muster_run run, uintptr_t work) {
  if (threads == 0 || run == nullptr) return MUSTER_E_INVALID_ARGUMENT;
  muster_error error = MUSTER_ERROR_INIT;
  return Guard(&error, [&] {
    reinterpret_cast<muster_threads*>(threads)->executor->Run(count,
                                                              [&](int64_t i) { run(work, i); });
    return absl::OkStatus();
  });
}

void muster_threads_free(muster_threads* threads) { delete threads; }

muster_status muster_cluster_set_executor(muster_cluster* cluster, muster_executor executor,
                                          uintptr_t user, int64_t width, muster_error* error) {
  return OnCluster(cluster, error, [&]() -> absl::Status {
    if (absl::Status s = CheckExecutor("", executor, width); !s.ok()) return s;
    cluster->executor = executor;
    cluster->executor_user = user;
    cluster->executor_width = width;
    return absl::OkStatus();
  });
}
