// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What amounts cost: prices by the hour, money in millionths.
//
//   SpendingPrices prices = ReadPrices({{"nvidia.com/gpu", "2.50"}}, names);
//   const int64_t micros = HourlyCost(prices, held);       // 5000000 for two GPUs
//   MoneyText(micros);                                     // "5.00"
//
// Money is exact to a millionth of the caller's currency. The cost of each dimension rounds up, and
// sums end at INT64_MAX.
// Cost. O(priced dimensions); ReadPrices O(prices * dimensions).
#ifndef MUSTER_POLICY_SPENDING_COSTS_H_
#define MUSTER_POLICY_SPENDING_COSTS_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/model/tables.h"
#include "muster/queue_rules.h"

namespace muster {

// Returns the millionths that the text stands for, rounded up. A text that is no amount is 0.
int64_t MoneyOf(std::string_view text);
// Returns the amount with two decimals, or as many more as it has: "2.50", "0.0425".
std::string MoneyText(int64_t micros);

struct SpendingPrice {
  size_t dimension;
  int64_t micros;  // for one unit and hour
  int64_t units;   // of the amounts, in one unit of the price: 1000 of cpu, 2^30 of memory
};
using SpendingPrices = std::vector<SpendingPrice>;

// `dimensions`: their names. A price of a resource that none has is left out.
SpendingPrices ReadPrices(const Resources& prices, std::span<const std::string_view> dimensions);
// Returns the prices of the queue, or of the nearest queue above that lists some.
SpendingPrices PricesAbove(const Tables& tables, QueueIndex queue);
// Returns what the amounts, one cell for each dimension, cost an hour. Cells below 0 cost nothing.
int64_t HourlyCost(const SpendingPrices& prices, std::span<const int64_t> amounts);
// Returns what so much an hour costs in so many seconds, rounded up.
int64_t CostOf(int64_t micros_an_hour, int64_t seconds);

}  // namespace muster

#endif  // MUSTER_POLICY_SPENDING_COSTS_H_
