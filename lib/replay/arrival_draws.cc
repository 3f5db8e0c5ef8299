// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/replay/arrival_draws.h"

#include <algorithm>

namespace muster {

ArrivalDraws::Arrival ArrivalDraws::Next() {
  if (past_.count == 0) return {};
  // Days without a submission are passed over, but not for ever.
  for (int tries = 0; at_ >= past_.count; ++tries) {
    if (tries == 64 || !DrawDay()) return {};
  }
  const size_t source = at_++;
  return {.time = past_.when(source) + shift_, .source = source};
}

// Draws what follows `from_`. False: not even a second is known that could.
bool ArrivalDraws::DrawDay() {
  const int64_t first = past_.when(0);
  // The first whole number of days by which `from_` lies in the past.
  const int64_t least = (from_ - now_) / kDay + 1;
  const int64_t most = (from_ - first) / kDay;
  if (most < least) return false;
  const int64_t days = std::min(most - least + 1, kDays);
  shift_ = (least + static_cast<int64_t>(rng_.Below(static_cast<uint64_t>(days)))) * kDay;
  const int64_t begin = from_ - shift_;
  size_t low = 0, high = past_.count;
  while (low < high) {
    const size_t middle = (low + high) / 2;
    if (past_.when(middle) <= begin) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  at_ = low;
  from_ = now_ + shift_;
  return true;
}

}  // namespace muster
