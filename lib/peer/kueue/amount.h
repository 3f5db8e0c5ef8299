// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Quota amounts: int64 with a top that stands for "unlimited".
//
//   Plus(Amount{5}, kUnlimited) == kUnlimited
//   Minus(kUnlimited, kUnlimited) == 0
//
// Cpu counts in thousandths, all else in whole units, rounded up. Sums that leave int64 saturate; a
// sum that saturates at the top is unlimited.
#ifndef MUSTER_PEER_KUEUE_AMOUNT_H_
#define MUSTER_PEER_KUEUE_AMOUNT_H_

#include <cstdint>
#include <limits>
#include <string_view>

namespace muster::kueue {

using Amount = int64_t;

inline constexpr Amount kUnlimited = std::numeric_limits<int64_t>::max();
inline constexpr Amount kLeastAmount = std::numeric_limits<int64_t>::min();
// Of borrowing and lending limits: there is none.
inline constexpr Amount kNoLimit = kLeastAmount;

inline Amount SaturatingPlus(Amount a, Amount b) {
  Amount sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return b > 0 ? kUnlimited : kLeastAmount;
}

inline Amount SaturatingMinus(Amount a, Amount b) {
  Amount difference = 0;
  if (!__builtin_sub_overflow(a, b, &difference)) return difference;
  return b < 0 ? kUnlimited : kLeastAmount;
}

inline Amount Plus(Amount a, Amount b) {
  if (a == kUnlimited || b == kUnlimited) return kUnlimited;
  return SaturatingPlus(a, b);
}

inline Amount Minus(Amount a, Amount b) {
  if (a == kUnlimited) return b == kUnlimited ? 0 : kUnlimited;
  if (b == kUnlimited) return kLeastAmount;
  return SaturatingMinus(a, b);
}

// Saturating product of requests.
inline int64_t Times(int64_t a, int64_t b) {
  int64_t product = 0;
  if (!__builtin_mul_overflow(a, b, &product)) return product;
  return (a < 0) == (b < 0) ? std::numeric_limits<int64_t>::max()
                            : std::numeric_limits<int64_t>::min();
}

// Returns the amount of a quota, as Kubernetes writes it: unlimited where no int64 holds it.
// REQUIRES: a valid quantity.
Amount QuotaAmount(std::string_view resource, std::string_view text);
// The same of a request: the nearest int64 where no int64 holds it.
int64_t RequestAmount(std::string_view resource, std::string_view text);
// Returns a weight as a number: "500m" is 0.5. REQUIRES: a valid quantity.
double WeightValue(std::string_view text);

// The order in which the resources of a request are looked at: by the 64-bit FNV-1a hash of the
// name.
uint64_t ResourceHash(std::string_view name);

}  // namespace muster::kueue

#endif  // MUSTER_PEER_KUEUE_AMOUNT_H_
