// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/quota/min_scaling.h"

namespace muster {

Sparse ScaledMin(const Sparse& total, const Sparse& fixed, const Sparse& scaling,
                 const Sparse& original) {
  Sparse min = original;
  ForEachResource(total.keys(), [&](size_t r) {
    if (total.at(r) >= SaturatingAdd(fixed.at(r), scaling.at(r))) return;
    const int64_t left = SaturatingSubtract(total.at(r), fixed.at(r));
    if (left <= 0 || scaling.at(r) <= 0) {
      min.Set(r, 0);
      return;
    }
    min.Set(r,
            static_cast<int64_t>(static_cast<double>(left) * static_cast<double>(original.at(r)) /
                                 static_cast<double>(scaling.at(r))));
  });
  return min;
}

}  // namespace muster
