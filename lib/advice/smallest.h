// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The smallest number that helps.
//
//   std::optional<int64_t> nodes = Smallest(1024, [&](int64_t n) { return Helps(n); });
//
// Idea. The search doubles and halves, as if all numbers above one that helps would help, too; what
// it returns was asked for. With an executor, numbers that it may ask for soon are asked for at the
// same time: first the next one, then those that follow it if that does not help or does. Answers
// that are not needed are dropped, so the result is that of the search on one thread even where
// more helps less. At most 16 numbers are asked for at once.
#ifndef MUSTER_ADVICE_SMALLEST_H_
#define MUSTER_ADVICE_SMALLEST_H_

#include <cstdint>
#include <functional>
#include <optional>

#include "muster/executor.h"

namespace muster {

// Returns the smallest number from 1 to `most` that helps; nothing if `most` does not help.
// `executor` may be null; otherwise `helps` is called on its threads at once.
std::optional<int64_t> Smallest(int64_t most, const std::function<bool(int64_t)>& helps,
                                Executor* executor = nullptr);

}  // namespace muster

#endif  // MUSTER_ADVICE_SMALLEST_H_
