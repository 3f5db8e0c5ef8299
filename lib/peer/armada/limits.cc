// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/armada/limits.h"

#include <algorithm>

namespace muster::armada {

int64_t PartOf(int64_t amount, double part) {
  if (part == 1) return amount;
  const double product = static_cast<double>(amount) * part;
  return product >= 9.2e18 ? kUnlimited : static_cast<int64_t>(product);
}

Amounts LimitOf(std::span<const Resource> resources, const Amounts& total,
                std::span<const Fraction> fractions) {
  Amounts limit(resources.size(), kUnlimited);
  for (const Fraction& fraction : fractions) {
    for (size_t r = 0; r < resources.size(); ++r) {
      if (resources[r].name == fraction.resource) limit[r] = PartOf(total[r], fraction.part);
    }
  }
  return limit;
}

Amounts Capped(Amounts amounts, const Amounts& limit) {
  for (size_t r = 0; r < limit.size(); ++r) amounts[r] = std::min(amounts[r], limit[r]);
  return amounts;
}

bool Exceeds(const Amounts& amounts, const Amounts& limit) {
  for (size_t r = 0; r < limit.size(); ++r) {
    if (amounts[r] > limit[r]) return true;
  }
  return false;
}

Reason CheckRoundLimit(const Amounts& scheduled, const Amounts& limit) {
  return Exceeds(scheduled, limit) ? Reason::kRoundLimit : Reason::kNone;
}

Reason CheckGangLimits(const GangLimits& limits, int64_t jobs) {
  if (limits.cordoned) return Reason::kQueueCordoned;
  const auto tokens = static_cast<double>(jobs);
  if (limits.pool.Below(1)) return Reason::kRateLimit;
  if (limits.pool.BurstBelow(jobs)) return Reason::kGangAboveBurst;
  if (limits.pool.Below(tokens)) return Reason::kGangAboveRate;
  if (limits.queue.Below(1)) return Reason::kQueueRateLimit;
  if (limits.queue.BurstBelow(jobs)) return Reason::kGangAboveQueueBurst;
  if (limits.queue.Below(tokens)) return Reason::kGangAboveQueueRate;
  return Exceeds(limits.held, limits.limit) ? Reason::kQueueLimit : Reason::kNone;
}

Reason CheckFloatingLimits(std::span<const Resource> resources, const Amounts& held,
                           const std::optional<Amounts>& limits) {
  if (!limits || std::ranges::all_of(*limits, [](int64_t limit) { return limit == 0; })) {
    return Reason::kNoFloatingResources;
  }
  for (size_t r = 0; r < resources.size(); ++r) {
    if (resources[r].floating && held[r] > (*limits)[r]) return Reason::kFloatingLimit;
  }
  return Reason::kNone;
}

}  // namespace muster::armada
