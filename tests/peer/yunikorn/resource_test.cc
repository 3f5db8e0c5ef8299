// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Resource against a map from types to amounts, for any number of types.
#include "lib/peer/yunikorn/resource.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <utility>

#include "gtest/gtest.h"
#include "lib/base/rng.h"

namespace muster::yunikorn {
namespace {

using Amounts = std::map<int, Quantity>;

Quantity DrawAmount(Rng& rng) {
  constexpr Quantity kEnds[] = {0, 1, -1, std::numeric_limits<Quantity>::max(),
                                std::numeric_limits<Quantity>::min()};
  return rng.Chance(0.2) ? kEnds[rng.Below(5)] : static_cast<Quantity>(rng.Below(9)) - 3;
}

// Half of the draws have types that a resource keeps apart from the first ones.
Amounts Draw(Rng& rng) {
  const uint64_t types = rng.Chance(0.5) ? 6 : kMostTypes;
  Amounts amounts;
  for (uint64_t left = rng.Below(6); left > 0; --left) {
    amounts[static_cast<int>(rng.Below(types))] = DrawAmount(rng);
  }
  return amounts;
}

Resource Of(const Amounts& amounts) {
  Resource resource;
  for (const auto& [type, amount] : amounts) resource.Set(type, amount);
  return resource;
}

Amounts AmountsOf(const Resource& resource) {
  Amounts amounts;
  for (int type = 0; type < kMostTypes; ++type) {
    if (resource.Has(type)) {
      amounts[type] = resource.Get(type);
    } else {
      EXPECT_EQ(resource.Get(type), 0);
    }
  }
  return amounts;
}

Quantity At(const Amounts& amounts, int type) {
  const auto found = amounts.find(type);
  return found == amounts.end() ? 0 : found->second;
}

Amounts Combined(Amounts left, const Amounts& right, Quantity (*combine)(Quantity, Quantity)) {
  for (const auto& [type, amount] : right) left[type] = combine(At(left, type), amount);
  return left;
}

Amounts Raised(Amounts left, const Amounts& right) {
  for (const auto& [type, amount] : right) left.try_emplace(type, 0);
  for (auto& [type, amount] : left) amount = std::max(amount, At(right, type));
  return left;
}

// Takes away what is there. `*negative` receives whether more was to be taken of a type.
Amounts ReducedToZero(Amounts left, const Amounts& right, bool* negative) {
  *negative = false;
  for (const auto& [type, amount] : right) {
    const Quantity rest = SubSaturating(At(left, type), amount);
    *negative |= rest < 0;
    left[type] = std::max<Quantity>(0, rest);
  }
  return left;
}

bool HoldsAll(const Amounts& larger, const Amounts& smaller) {
  return std::ranges::all_of(smaller, [&](const auto& entry) {
    return entry.second <= std::max<Quantity>(0, At(larger, entry.first));
  });
}

bool IsAboveZero(const Amounts& amounts) {
  const auto above = [](const auto& entry) { return entry.second > 0; };
  const auto below = [](const auto& entry) { return entry.second < 0; };
  return std::ranges::any_of(amounts, above) && std::ranges::none_of(amounts, below);
}

TEST(YuniKornResource, ComputesAsAMapOfAmountsDoes) {
  Rng rng(1);
  for (int round = 0; round < 20'000; ++round) {
    const Amounts left = Draw(rng), right = Draw(rng);
    Resource sum = Of(left), difference = sum;
    sum.AddTo(Of(right));
    difference.SubFrom(Of(right));
    ASSERT_EQ(AmountsOf(sum), Combined(left, right, AddSaturating));
    ASSERT_EQ(AmountsOf(difference), Combined(left, right, SubSaturating));
    Resource reduced = Of(left);
    bool negative = false;
    const Amounts rest = ReducedToZero(left, right, &negative);
    ASSERT_EQ(reduced.SubToZero(Of(right)), negative);
    ASSERT_EQ(AmountsOf(reduced), rest);
    Resource raised = Of(left);
    raised.RaiseTo(Of(right));
    ASSERT_EQ(AmountsOf(raised), Raised(left, right));
    ASSERT_EQ(FitsIn(Of(left), Of(right)), HoldsAll(left, right));
    ASSERT_EQ(AboveZero(Of(left)), IsAboveZero(left));
    Amounts kept = left;
    std::erase_if(kept, [](const auto& entry) { return entry.second == 0; });
    Resource pruned = Of(left);
    pruned.Prune();
    ASSERT_EQ(AmountsOf(pruned), kept);
  }
}

TEST(YuniKornResource, CopiesAndMovesKeepAllTypes) {
  Rng rng(2);
  Resource place;
  for (int round = 0; round < 2'000; ++round) {
    const Amounts amounts = Draw(rng);
    Resource made = Of(amounts);
    place = made;
    ASSERT_EQ(AmountsOf(place), amounts);
    Resource moved = std::move(made);
    ASSERT_EQ(AmountsOf(moved), amounts);
    if (amounts.empty()) continue;
    const int type = amounts.begin()->first;
    moved.Erase(type);
    ASSERT_FALSE(moved.Has(type));
    ASSERT_EQ(moved.Get(type), 0);
    ASSERT_EQ(AmountsOf(place), amounts);  // a copy shares nothing
    place = std::move(moved);
    ASSERT_EQ(place.count(), static_cast<int>(amounts.size()) - 1);
  }
}

}  // namespace
}  // namespace muster::yunikorn
