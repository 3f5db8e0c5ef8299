// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/koordinator/quota/min_scaling.h"

namespace muster {

Sparse ScaledMin(const Sparse& total, const SparseSum& fixed, const SparseSum& scaling,
                 const Sparse& original) {
  Sparse min = original;
  ForEachResource(total.keys(), [&](size_t r) {
    const __int128 sum = scaling.exact(r), left = total.at(r) - fixed.exact(r);
    if (left >= sum) return;
    if (left <= 0 || sum <= 0) {
      min.Set(r, 0);
      return;
    }
    min.Set(r,
            static_cast<int64_t>(static_cast<double>(left) * static_cast<double>(original.at(r)) /
                                 static_cast<double>(sum)));
  });
  return min;
}

}  // namespace muster
