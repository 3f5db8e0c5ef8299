// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/kueue/local_usage.h"

#include <limits>
#include <string_view>

#include "lib/base/decimal.h"
#include "lib/base/math.h"

namespace muster::kueue {
namespace {

// A factor as the shortest decimal number that reads back as it: digits / 10^scale.
struct Decimal {
  absl::int128 digits = 0;
  absl::int128 unit = 1;  // 10^scale
};

Decimal DecimalOf(double factor) {
  char text[kMostDecimal];
  const char* const end = WriteShortest(text, factor, DecimalForm::kFixed);
  Decimal decimal;
  bool behind = false;
  for (const char c : std::string_view(text, static_cast<size_t>(end - text))) {
    if (c == '.') {
      behind = true;
      continue;
    }
    if (behind && decimal.unit >= absl::int128(1000000000000000000) * 100) break;  // 20 places
    decimal.digits = decimal.digits * 10 + (c - '0');
    if (behind) decimal.unit *= 10;
  }
  return decimal;
}

double AsDouble(Billionths amount) { return static_cast<double>(amount) / 1e9; }

}  // namespace

double PresentShare(double elapsed, double half_life) {
  return half_life == 0 ? 0 : 1 - Pow(0.5, elapsed / half_life);
}

UsedAmounts Scaled(const UsedAmounts& amounts, double factor) {
  const Decimal decimal = DecimalOf(factor);
  UsedAmounts scaled;
  for (const auto& [resource, amount] : amounts) {
    // Two steps, for the product does not fit.
    const Billionths whole = amount / decimal.unit, rest = amount % decimal.unit;
    scaled[resource] = whole * decimal.digits + rest * decimal.digits / decimal.unit;
  }
  return scaled;
}

UsedAmounts Sum(const UsedAmounts& a, const UsedAmounts& b) {
  UsedAmounts sum = a;
  for (const auto& [resource, amount] : b) sum[resource] += amount;
  return sum;
}

UsedAmounts Decayed(const UsedAmounts& history, const UsedAmounts& now, double elapsed,
                    double half_life) {
  const double share = PresentShare(elapsed, half_life);
  return Sum(Scaled(history, 1 - share), Scaled(now, share));
}

UsedAmounts PenaltyOf(const UsedAmounts& requests, double interval, double half_life) {
  return Scaled(requests, PresentShare(interval, half_life));
}

double UsageValue(const UsedAmounts& amounts, double weight, const ResourceWeights& weights) {
  if (weight <= 0) return std::numeric_limits<double>::infinity();
  double usage = 0;
  for (const auto& [resource, amount] : amounts) {
    const auto found = weights.find(resource);
    usage += (found == weights.end() ? 1 : found->second) * AsDouble(amount);
  }
  return usage / weight;
}

bool CountsPenalty(bool configured, bool by_usage, bool reserved) {
  return configured && by_usage && !reserved;
}

void LocalUsage::Push(const std::string& workload, const UsedAmounts& penalty) {
  Take(workload);
  penalties_[workload] = penalty;
  penalty_ = Sum(penalty_, penalty);
}

void LocalUsage::Take(const std::string& workload) {
  const auto found = penalties_.find(workload);
  if (found == penalties_.end()) return;
  for (const auto& [resource, amount] : found->second) {
    if ((penalty_[resource] -= amount) == 0) penalty_.erase(resource);
  }
  penalties_.erase(found);
}

void LocalUsage::Fold(const std::string& workload) {
  const auto found = penalties_.find(workload);
  if (found == penalties_.end()) return;
  history_ = Sum(history_, found->second);
  Take(workload);
}

bool LocalUsage::HasPenalty() const {
  for (const auto& [resource, amount] : penalty_) {
    if (amount != 0) return true;
  }
  return false;
}

}  // namespace muster::kueue
