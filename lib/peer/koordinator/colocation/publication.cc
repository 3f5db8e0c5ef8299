// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Amplification and thresholds of change.
#include "lib/peer/koordinator/colocation/publication.h"

#include <cmath>

#include "lib/peer/koordinator/colocation/cpu_memory.h"

namespace muster::koordinator {

int64_t AmplifiedBatchCpu(int64_t amount, double ratio) {
  return ratio > 1 ? PartOfThousandths(amount, ratio) : amount;
}

int64_t ShownBatchCpu(int64_t amount, double ratio) {
  return WholeUnits(AmplifiedBatchCpu(amount, ratio));
}

bool IsChangeShown(std::optional<int64_t> old_amount, std::optional<int64_t> new_amount,
                   double threshold) {
  if (old_amount.has_value() != new_amount.has_value()) return true;
  if (!old_amount.has_value()) return false;
  return std::abs(static_cast<double>(*new_amount - *old_amount)) >
         static_cast<double>(*old_amount) * threshold;
}

}  // namespace muster::koordinator
