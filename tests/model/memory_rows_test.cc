// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Rows of a slot: as a map has them, whatever copies share.
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "lib/base/rng.h"
#include "muster/memory.h"

namespace muster {
namespace {

using PlainRows = std::map<std::string, MemoryRow>;

void ExpectRows(const MemorySlot& slot, const PlainRows& rows) {
  ASSERT_EQ(slot.rows().size(), rows.size());
  ASSERT_EQ(slot.empty(), rows.empty());
  auto expected = rows.begin();
  for (const auto& [key, row] : slot.rows()) {
    ASSERT_EQ(key, expected->first);
    ASSERT_EQ(row, expected->second);
    ++expected;
  }
  for (const auto& [key, row] : rows) ASSERT_EQ(*slot.Find(key), row) << key;
  ASSERT_EQ(slot.Find("none"), nullptr);
}

TEST(MemoryRows, AreThoseOfAMap) {
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    Rng rng(seed);
    const uint64_t keys = 1 + rng.Below(400);
    std::vector<MemorySlot> slots(1);
    std::vector<PlainRows> maps(1);
    for (int step = 0; step < 600; ++step) {
      const size_t at = rng.Below(slots.size());
      const std::string key = absl::StrCat("k", rng.Below(keys));
      if (rng.Chance(0.55)) {
        const auto value = static_cast<int64_t>(rng.Below(5));
        slots[at].Set(key, {value, std::string("x")});
        maps[at][key] = {value, std::string("x")};
      } else if (rng.Chance(0.9)) {
        slots[at].Erase(key);
        maps[at].erase(key);
      } else if (slots.size() < 4) {
        slots.push_back(slots[at]);
        maps.push_back(maps[at]);
      } else if (rng.Chance(0.1)) {
        const auto gone = [](std::string_view name) { return name.back() < '4'; };
        slots[at].EraseIf(gone);
        std::erase_if(maps[at], [&](const auto& row) { return gone(row.first); });
      } else {
        const size_t from = rng.Below(slots.size());
        slots[at] = slots[from];
        maps[at] = maps[from];
      }
    }
    for (size_t i = 0; i < slots.size(); ++i) {
      ASSERT_NO_FATAL_FAILURE(ExpectRows(slots[i], maps[i])) << seed;
      for (size_t j = 0; j < slots.size(); ++j) {
        ASSERT_EQ(slots[i] == slots[j], maps[i] == maps[j]) << seed;
        if (slots[i].rows().SharesAllWith(slots[j].rows())) {
          ASSERT_EQ(maps[i], maps[j]) << seed;
        }
      }
    }
  }
}

TEST(MemoryRows, CopiesShareUntilOneChanges) {
  MemorySlot slot;
  for (int i = 0; i < 100; ++i) slot.Set(absl::StrCat(i), {int64_t{i}});
  MemorySlot copy = slot;
  EXPECT_TRUE(copy.rows().SharesAllWith(slot.rows()));
  copy.Set("7", {int64_t{-7}});
  EXPECT_FALSE(copy.rows().SharesAllWith(slot.rows()));
  EXPECT_EQ(slot.Integer("7"), 7);
  EXPECT_EQ(copy.Integer("7"), -7);
  copy.Set("7", {int64_t{7}});
  EXPECT_FALSE(copy.rows().SharesAllWith(slot.rows()));
  EXPECT_EQ(copy, slot);
}

TEST(MemoryRows, AMovedSlotIsEmpty) {
  MemorySlot slot;
  slot.Set("a", {int64_t{1}});
  const MemorySlot taken = std::move(slot);
  EXPECT_EQ(taken.rows().size(), 1u);
  slot = MemorySlot();
  EXPECT_TRUE(slot.empty());
  EXPECT_EQ(slot.rows().begin(), slot.rows().end());
}

}  // namespace
}  // namespace muster
