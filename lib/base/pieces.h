// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Runs independent pieces of work on an executor (muster/executor.h), as if one after another.
//
//   std::vector<Outcome> outcomes(trials.size());
//   RunPieces(executor, trials.size(), [&](size_t i) { outcomes[i] = Try(trials[i]); });
//
// Promise. A piece writes to places of its own, so what all of them wrote does not depend on the
// executor. Each runs with the floating-point defaults (float_env.h). If pieces throw, the
// exception of the first in order ends this call, as it would in a loop; pieces behind it may have
// run or not, so their places are not to be read then.
// Cost. Without an executor, or for fewer than two pieces: that of a loop.
#ifndef MUSTER_BASE_PIECES_H_
#define MUSTER_BASE_PIECES_H_

#include <cstddef>
#include <functional>

#include "muster/executor.h"

namespace muster {

// Returns whether RunPieces would use the executor. Null: it would not.
inline bool HasThreads(const Executor* executor) {
  return executor != nullptr && executor->width() > 1;
}

// `executor` may be null: then the pieces run in a loop.
void RunPieces(Executor* executor, size_t count, const std::function<void(size_t)>& piece);

}  // namespace muster

#endif  // MUSTER_BASE_PIECES_H_
