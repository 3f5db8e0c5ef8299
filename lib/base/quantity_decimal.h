// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Quantities that are numbers and no amounts: weights, factors, percentages.
//
//   QuantityDecimal("0.00125")   // 0.00125: with all its decimals
//   QuantityDecimal("500m")      // 0.5
#ifndef MUSTER_BASE_QUANTITY_DECIMAL_H_
#define MUSTER_BASE_QUANTITY_DECIMAL_H_

#include <string_view>

#include "absl/strings/numbers.h"
#include "lib/base/strings.h"
#include "muster/quantity.h"

namespace muster {

// Returns the number of a text that ParseQuantity reads; 0 for other texts. Digits alone keep all
// their decimals; with a suffix, what lies between two thousandths rounds up.
inline double QuantityDecimal(std::string_view text) {
  double number = 0;
  if (absl::SimpleAtod(ToAbsl(text), &number)) return number;
  const absl::StatusOr<int64_t> thousandths = ParseQuantity(text, Unit::kMilli);
  return thousandths.ok() ? static_cast<double>(*thousandths) / 1000 : 0;
}

}  // namespace muster

#endif  // MUSTER_BASE_QUANTITY_DECIMAL_H_
