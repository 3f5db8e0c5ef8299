// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Amounts as objects have them: added up exactly, and rounded up once, when they become a
// scenario's.
//
//   AmountMap held;
//   for (const Field& container : containers) held = Sum(held, ReadAmounts(container["requests"]));
//   shape.request = ToResources(held);
//
// An amount is a number of billionths, the finest step of Kubernetes; anything between two of them
// is rounded up. cpu and extended resources end as thousandths, memory-like ones and pods as whole
// units. Sums of any number of amounts that were read fit. Maps keep the order in which names come
// up; finding a name costs O(names), of which there are few.
#ifndef MUSTER_IMPORT_AMOUNTS_H_
#define MUSTER_IMPORT_AMOUNTS_H_

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/numeric/int128.h"
#include "lib/import/field.h"
#include "muster/spec.h"

namespace muster {

using ExactAmount = absl::int128;  // billionths
inline constexpr int64_t kAmountUnit = 1000 * 1000 * 1000;

using AmountMap = std::vector<std::pair<std::string, ExactAmount>>;

// Returns the amount of a text such as "1.5Gi", "500m", "-2" or "1e3". Returns nothing for text
// that is no quantity, and for amounts beyond what an int64 counts in the smallest unit of a
// dimension.
std::optional<ExactAmount> ParseAmount(std::string_view text);

// Returns the amount of a value, which is a text or a number. Refuses other values, and negative
// ones.
ExactAmount ReadAmount(const Field& value);
// Returns the names and amounts of an object; none where it is not given. Refuses as ReadAmount.
AmountMap ReadAmounts(const Field& values);

// Returns the amount of `name`, or null.
const ExactAmount* FindAmount(const AmountMap& amounts, std::string_view name);
// Replaces the amount of `name`, or puts it last.
void SetAmount(std::string_view name, ExactAmount amount, AmountMap* amounts);
// Adds by name; names of `right` that `left` does not have come last.
AmountMap Sum(const AmountMap& left, const AmountMap& right);
AmountMap Largest(const AmountMap& left, const AmountMap& right);
// Returns whether both have equal amounts of equal names, in any order.
bool SameAmounts(const AmountMap& left, const AmountMap& right);

// Returns whether a dimension is counted in whole units rather than in thousandths.
bool CountsWhole(std::string_view name);
// Returns the shortest exact text of the amount, rounded up to what is counted.
Quantity ToQuantity(std::string_view name, ExactAmount amount);
Resources ToResources(const AmountMap& amounts);
bool SameResources(const Resources& left, const Resources& right);

}  // namespace muster

#endif  // MUSTER_IMPORT_AMOUNTS_H_
