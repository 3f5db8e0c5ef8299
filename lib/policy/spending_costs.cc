// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/policy/spending_costs.h"

#include <algorithm>
#include <limits>

#include "absl/numeric/int128.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "lib/model/tables.h"
#include "muster/quantity.h"

namespace muster {
namespace {

constexpr int64_t kMicros = 1'000'000;

int64_t UpTo(absl::int128 amount) {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  return amount > kMost ? kMost : static_cast<int64_t>(amount);
}

absl::int128 DividedUp(absl::int128 amount, int64_t by) { return (amount + (by - 1)) / by; }

// Bytes have no price that one could write: they are priced by GiB.
bool IsBytes(std::string_view name) {
  return name == "memory" || name == "ephemeral-storage" || name.starts_with("hugepages-");
}

}  // namespace

int64_t MoneyOf(std::string_view text) {
  // Amounts are read to the thousandth, and a thousand times as much to the millionth.
  const bool plain =
      !text.empty() && (text.back() == '.' || (text.back() >= '0' && text.back() <= '9'));
  if (plain && text.find_first_of("eE") == std::string_view::npos) {
    const std::string thousands(text);
    return ParseQuantity(thousands + "k", Unit::kMilli)
        .value_or(std::numeric_limits<int64_t>::max());
  }
  const absl::int128 thousandths = ParseQuantity(text, Unit::kMilli).value_or(0);
  return UpTo(thousandths * 1000);
}

std::string MoneyText(int64_t micros) {
  std::string text = absl::StrFormat("%d.%06d", micros / kMicros, micros % kMicros);
  while (text.back() == '0' && text[text.size() - 3] != '.') text.pop_back();
  return text;
}

SpendingPrices ReadPrices(const Resources& prices, std::span<const std::string_view> dimensions) {
  SpendingPrices read;
  for (const auto& [name, price] : prices) {
    const auto at = std::ranges::find(dimensions, std::string_view(name));
    if (at == dimensions.end()) continue;
    const int64_t units = IsBytes(name) ? int64_t{1} << 30 : IsMilliDimension(name) ? 1000 : 1;
    read.push_back({static_cast<size_t>(at - dimensions.begin()), MoneyOf(price.text), units});
  }
  return read;
}

SpendingPrices PricesAbove(const Tables& tables, QueueIndex queue) {
  std::vector<std::string_view> names;
  for (DimensionIndex d = 0; d < tables.dimension_count(); ++d) {
    names.push_back(tables.dimensions.name(d));
  }
  for (QueueIndex q = queue; q != kNone; q = tables.queues.parent[q]) {
    const QueueSpec& spec = tables.queues.spec[q];
    if (!spec.rules || !spec.rules->spending || spec.rules->spending->prices.empty()) continue;
    return ReadPrices(spec.rules->spending->prices, names);
  }
  return {};
}

int64_t HourlyCost(const SpendingPrices& prices, std::span<const int64_t> amounts) {
  absl::int128 cost = 0;
  for (const SpendingPrice& price : prices) {
    const int64_t amount = amounts[price.dimension];
    if (amount > 0) cost += DividedUp(absl::int128(amount) * price.micros, price.units);
  }
  return UpTo(cost);
}

int64_t CostOf(int64_t micros_an_hour, int64_t seconds) {
  return UpTo(DividedUp(absl::int128(micros_an_hour) * seconds, 3600));
}

}  // namespace muster
