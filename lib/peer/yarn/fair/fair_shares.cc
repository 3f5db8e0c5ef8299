// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/yarn/fair/fair_shares.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "lib/base/math.h"

namespace muster::yarn::fair {
namespace {

constexpr int kHalvings = 25;
// No int64 is this large. A double at or above it becomes the largest int64.
constexpr double kEndOfQuantities = 9223372036854775808.0;

int64_t Truncate(double amount) {
  return amount >= kEndOfQuantities ? kMaxQuantity : static_cast<int64_t>(amount);
}

int64_t ShareAt(const ShareClaim& claim, double ratio) {
  double share = static_cast<double>(claim.weight) * ratio;
  share = std::max(share, static_cast<double>(claim.min));
  share = std::min(share, static_cast<double>(claim.max));
  return Truncate(share);
}

bool IsFixed(const ShareClaim& claim) {
  return claim.max <= 0 || !claim.active || claim.weight <= 0;
}

int64_t FixedShare(const ShareClaim& claim) {
  if (claim.max <= 0 || !claim.active) return 0;
  return std::max<int64_t>(claim.min, 0);
}

int64_t UsedAt(absl::Span<const ShareClaim* const> claims, double ratio) {
  int64_t used = 0;
  for (const ShareClaim* claim : claims) used = SatAdd(used, ShareAt(*claim, ratio));
  return used;
}

double FindRatio(absl::Span<const ShareClaim* const> claims, int64_t total) {
  double right = 1;
  // Maxima beyond 2^53 are rounded as doubles, and then no ratio may reach the total.
  while (UsedAt(claims, right) < total && std::isfinite(right)) right *= 2;
  double left = 0;
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = (left + right) / 2;
    const int64_t used = UsedAt(claims, middle);
    if (used == total) return middle;
    (used < total ? left : right) = middle;
  }
  return right;
}

}  // namespace

std::vector<int64_t> ComputeShares(absl::Span<const ShareClaim> claims, int64_t total) {
  std::vector<int64_t> shares(claims.size());
  std::vector<const ShareClaim*> divided;
  int64_t taken = 0, most = 0;
  for (size_t i = 0; i < claims.size(); ++i) {
    if (IsFixed(claims[i])) {
      shares[i] = FixedShare(claims[i]);
      taken = SatAdd(taken, shares[i]);
    } else {
      divided.push_back(&claims[i]);
      most = SatAdd(most, claims[i].max);
    }
  }
  if (divided.empty()) return shares;
  const int64_t left = total > taken ? total - taken : 0;
  const double ratio = FindRatio(divided, std::min(most, left));
  for (size_t i = 0; i < claims.size(); ++i) {
    if (!IsFixed(claims[i])) shares[i] = ShareAt(claims[i], ratio);
  }
  return shares;
}

}  // namespace muster::yarn::fair
