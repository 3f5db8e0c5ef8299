// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/base/pieces.h"

#include <atomic>
#include <cstdint>
#include <exception>
#include <vector>

#include "lib/base/float_env.h"

namespace muster {
namespace {

// The pieces of one call, and how they ended. Everything that may fail is done before the first
// piece runs.
class Pieces {
 public:
  Pieces(size_t count, const std::function<void(size_t)>& piece)
      : piece_(piece), begun_(count), failures_(count), first_failed_(count) {}

  void RunOne(size_t i) noexcept {
    if (i >= begun_.size() || begun_[i].exchange(true)) return;
    // In a loop, what lies behind a failure does not run. What lies before it must: it may fail.
    if (i > first_failed_.load()) return;
    const DefaultFloats floats;
    try {
      piece_(i);
    } catch (...) {
      failures_[i] = std::current_exception();
      size_t first = first_failed_.load();
      while (i < first && !first_failed_.compare_exchange_weak(first, i)) {
      }
    }
  }

  // Runs what the executor left out, and ends as the pieces did.
  void End() {
    for (size_t i = 0; i < begun_.size(); ++i) RunOne(i);
    if (const size_t first = first_failed_.load(); first < begun_.size()) {
      std::rethrow_exception(failures_[first]);
    }
  }

 private:
  const std::function<void(size_t)>& piece_;
  std::vector<std::atomic<bool>> begun_;
  std::vector<std::exception_ptr> failures_;
  std::atomic<size_t> first_failed_;  // their number: none
};

}  // namespace

void RunPieces(Executor* executor, size_t count, const std::function<void(size_t)>& piece) {
  if (!HasThreads(executor) || count < 2) {
    for (size_t i = 0; i < count; ++i) piece(i);
    return;
  }
  Pieces pieces(count, piece);
  executor->Run(static_cast<int64_t>(count),
                [&pieces](int64_t i) { pieces.RunOne(static_cast<size_t>(i)); });
  pieces.End();
}

}  // namespace muster
