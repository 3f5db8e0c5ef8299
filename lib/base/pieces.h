// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Runs independent pieces of work on an executor (muster/executor.h), as if one after another.
//
//   std::vector<Outcome> outcomes(trials.size());
//   RunPieces(executor, trials.size(), [&](size_t i) { outcomes[i] = Try(trials[i]); });
//
// Promise. A piece writes to places of its own, so what all of them wrote does not depend on the
// executor. On an executor, each runs with the floating-point defaults (float_env.h); otherwise
// with those of the caller. If pieces throw, the exception of the first in order ends this call, as
// it would in a loop; pieces behind it may have run or not: their places are not to be read then.
// Cost. Without an executor, or for fewer than two pieces: that of a loop.
#ifndef MUSTER_BASE_PIECES_H_
#define MUSTER_BASE_PIECES_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>

#include "muster/executor.h"

namespace muster {

inline constexpr int64_t kMostThreads = 256;

// Returns how many pieces the executor runs at once: 1 to kMostThreads, and 1 for null. An executor
// may answer otherwise the next time, so what depends on the number reads it once.
inline int64_t WidthOf(const Executor* executor) {
  return executor == nullptr ? 1 : std::clamp<int64_t>(executor->width(), 1, kMostThreads);
}

// Returns whether RunPieces would use the executor. Null: it would not.
inline bool HasThreads(const Executor* executor) { return WidthOf(executor) > 1; }

// `executor` may be null: then the pieces run in a loop.
void RunPieces(Executor* executor, size_t count, const std::function<void(size_t)>& piece);

}  // namespace muster

#endif  // MUSTER_BASE_PIECES_H_
