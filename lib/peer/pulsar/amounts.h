// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Amounts of rows as the numbers of a load report.
#ifndef MUSTER_PEER_PULSAR_AMOUNTS_H_
#define MUSTER_PEER_PULSAR_AMOUNTS_H_

#include <string_view>

#include "muster/quantity.h"

namespace muster::pulsar {

// Sets a number of 0 or more. Returns false, and sets nothing, if the text is none.
inline bool ReadNumber(std::string_view text, double* number) {
  const absl::StatusOr<int64_t> milli = ParseQuantity(text, Unit::kMilli);
  if (!milli.ok() || *milli < 0) return false;
  *number = static_cast<double>(*milli) / 1000;
  return true;
}

// Returns 0 where the amount is not listed.
inline double AmountNamed(const Resources& amounts, std::string_view name) {
  double number = 0;
  for (const auto& [key, amount] : amounts) {
    if (key == name) (void)ReadNumber(amount.text, &number);
  }
  return number;
}

}  // namespace muster::pulsar

#endif  // MUSTER_PEER_PULSAR_AMOUNTS_H_
