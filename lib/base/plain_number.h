// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Numbers in messages.
//
//   absl::StrCat("must be a number from 0 to ", PlainNumber(1e9))   // "... 1000000000"
#ifndef MUSTER_BASE_PLAIN_NUMBER_H_
#define MUSTER_BASE_PLAIN_NUMBER_H_

#include <cmath>
#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"

namespace muster {

// Returns the number as people write it: a whole one without an exponent where 18 digits suffice.
inline std::string PlainNumber(double number) {
  const bool is_whole = std::abs(number) < 1e18 && number == std::floor(number);
  return is_whole ? absl::StrCat(static_cast<int64_t>(number)) : absl::StrCat(number);
}

}  // namespace muster

#endif  // MUSTER_BASE_PLAIN_NUMBER_H_
