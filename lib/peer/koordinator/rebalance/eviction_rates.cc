// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/koordinator/rebalance/eviction_rates.h"

#include <algorithm>

#include "lib/base/math.h"

namespace muster::koordinator {
namespace {

constexpr double kNanoseconds = 1e9;

}  // namespace

double EvictionRates::Bucket::TokensAt(int64_t now) const {
  const double elapsed = static_cast<double>(std::max<int64_t>(SatSub(now, at), 0)) / kNanoseconds;
  return std::min(burst, tokens + elapsed * per_second);
}

void EvictionRates::Track(std::string_view key, double per_second, int64_t burst, int64_t now) {
  auto it = buckets_.find(key);
  if (it == buckets_.end()) {
    const double full = static_cast<double>(std::max<int64_t>(burst, 1));
    it = buckets_.emplace(std::string(key), Bucket{per_second, full, full, now}).first;
  }
  Bucket& bucket = it->second;
  // The rate changes first: it holds from the last eviction on.
  bucket.per_second = per_second;
  const double tokens = bucket.TokensAt(now);
  if (tokens < 1) return;
  bucket.tokens = tokens - 1;
  bucket.at = now;
}

bool EvictionRates::Exceeded(std::string_view key, int64_t now) const {
  const auto it = buckets_.find(key);
  return it != buckets_.end() && it->second.TokensAt(now) < 1;
}

}  // namespace muster::koordinator
