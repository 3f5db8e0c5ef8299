// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Amounts in words.
//
//   AmountText("memory", int64_t{8} << 30)        // "8Gi"
#ifndef MUSTER_ADVICE_AMOUNTS_H_
#define MUSTER_ADVICE_AMOUNTS_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "lib/model/tables.h"
#include "muster/quantity.h"

namespace muster {

// Returns an amount in the units of the dimension, as a quantity.
inline std::string AmountText(std::string_view dimension, int64_t amount) {
  return FormatQuantity(amount, IsMilliDimension(dimension) ? Unit::kMilli : Unit::kWhole);
}

// Returns so many sixteenths of an amount of 0 or more, rounded up: to whole cores and devices, if
// the amount is of whole ones.
inline int64_t Sixteenths(std::string_view dimension, int64_t amount, int64_t parts) {
  const int64_t unit = IsMilliDimension(dimension) && amount % 1000 == 0 ? 1000 : 1;
  const int64_t units = amount / unit;
  return (units / 16 * parts + (units % 16 * parts + 15) / 16) * unit;
}

}  // namespace muster

#endif  // MUSTER_ADVICE_AMOUNTS_H_
