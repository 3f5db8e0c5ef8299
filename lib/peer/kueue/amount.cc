// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/kueue/amount.h"

#include "muster/quantity.h"

namespace muster::kueue {
namespace {

Unit UnitOf(std::string_view resource) { return resource == "cpu" ? Unit::kMilli : Unit::kWhole; }

}  // namespace

Amount QuotaAmount(std::string_view resource, std::string_view text) {
  const absl::StatusOr<int64_t> amount = ParseQuantity(text, UnitOf(resource));
  if (!amount.ok()) return kUnlimited;
  // As many cores as fill an int64 in thousandths are unlimited, too.
  if (resource == "cpu" && *amount >= kUnlimited / 1000 * 1000) return kUnlimited;
  return *amount;
}

int64_t RequestAmount(std::string_view resource, std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  const absl::StatusOr<int64_t> amount = ParseQuantity(text, UnitOf(resource));
  if (amount.ok()) return negative ? -*amount : *amount;
  return negative ? std::numeric_limits<int64_t>::min() : std::numeric_limits<int64_t>::max();
}

double WeightValue(std::string_view text) {
  return static_cast<double>(ParseQuantity(text, Unit::kMilli).value_or(1000)) / 1000.0;
}

uint64_t ResourceHash(std::string_view name) {
  uint64_t hash = 14695981039346656037ULL;
  for (const char c : name) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 1099511628211ULL;
  }
  return hash;
}

}  // namespace muster::kueue
