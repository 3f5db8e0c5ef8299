// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Texts by name after random changes, against a map; and what of a slot a change touches.
#include "lib/peer/kube_scheduler/packed_rows.h"

#include <map>
#include <string>
#include <string_view>

#include "gtest/gtest.h"
#include "lib/base/rng.h"

namespace muster::kube {
namespace {

std::map<std::string, std::string> AllOf(const PackedRows& rows) {
  std::map<std::string, std::string> all;
  rows.ForEach([&](std::string_view name, std::string_view text) {
    EXPECT_TRUE(all.try_emplace(std::string(name), text).second) << name;
  });
  return all;
}

// Loads what the rows store.
PackedRows Reloaded(PackedRows* rows) {
  MemorySlot slot;
  rows->Store(&slot);
  EXPECT_FALSE(rows->changed());
  PackedRows next;
  next.Load(slot);
  return next;
}

TEST(PackedRows, IsAMap) {
  Rng rng(3);
  PackedRows rows;
  std::map<std::string, std::string> expected;
  for (int step = 0; step < 6000; ++step) {
    // They grow to hundreds, and shrink to a few.
    const bool grows = step / 1500 % 2 == 0;
    const std::string name = "pod:" + std::to_string(rng.Below(900));
    if (rng.Below(10) < (grows ? 8u : 2u)) {
      const std::string text(rng.Below(30), ':');
      rows.Set(name, text);
      expected[name] = text;
    } else {
      rows.Erase(name);
      expected.erase(name);
    }
    ASSERT_EQ(rows.size(), expected.size());
    const auto found = rows.Find(name);
    ASSERT_EQ(found.has_value(), expected.contains(name));
    if (found) ASSERT_EQ(*found, expected[name]);
    if (step % 100 != 0) continue;
    rows = Reloaded(&rows);
    ASSERT_EQ(AllOf(rows), expected) << "step " << step;
    ASSERT_EQ(rows.size(), expected.size());
  }
}

TEST(PackedRows, StoresManyNamesInFewRowsAndSharesThoseThatStay) {
  PackedRows rows;
  rows.Reserve(6400);
  for (int i = 0; i < 6400; ++i) rows.Add(std::to_string(i), "text");
  MemorySlot before, after;
  rows.Store(&before);
  EXPECT_LE(before.rows().size(), 2 * 6400 / PackedRows::kPerBucket);
  PackedRows next;
  next.Load(before);
  EXPECT_FALSE(next.changed());
  next.Set("17", "another");
  EXPECT_TRUE(next.changed());
  next.Store(&after);
  size_t changed = 0;
  for (const auto& [key, row] : before.rows()) changed += after.Find(key) != &row;
  EXPECT_EQ(changed, 2u);  // the bucket, and the numbers
}

// A slot with many empty rows could not be told from one that no plan wrote.
TEST(PackedRows, StoresAsManyRowsAsItsNamesNeed) {
  PackedRows rows;
  rows.Reserve(6400);
  rows.Add("a", "b");
  rows.Add("c", "d");
  rows = Reloaded(&rows);
  EXPECT_EQ(AllOf(rows), (std::map<std::string, std::string>{{"a", "b"}, {"c", "d"}}));
  EXPECT_EQ(rows.Find("c").value_or(""), "d");
}

// FNV-1a, as the rows have it.
uint64_t BucketOf(const std::string& name, size_t buckets) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return (hash ^ hash >> 32) & (buckets - 1);
}

// Names may be chosen so that all but one of many buckets are empty.
TEST(PackedRows, KeepsNamesOfOneBucket) {
  constexpr size_t kNames = 4096, kBuckets = kNames / PackedRows::kPerBucket;
  PackedRows rows;
  rows.Reserve(kNames);
  size_t added = 0;
  for (int i = 0; added < kNames; ++i) {
    const std::string name = std::to_string(i);
    if (BucketOf(name, kBuckets) != 0) continue;
    rows.Add(name, "");
    ++added;
  }
  MemorySlot slot;
  rows.Store(&slot);
  EXPECT_EQ(slot.rows().size(), 2u);
  rows.Load(slot);
  EXPECT_EQ(rows.size(), kNames);
  EXPECT_EQ(AllOf(rows).size(), kNames);
  // More buckets than so many characters could be the names of.
  slot.Set("size", {int64_t{1} << 30, int64_t{1}});
  rows.Load(slot);
  EXPECT_EQ(rows.size(), 0u);
}

TEST(PackedRows, ReadsWhatItCanOfOtherRows) {
  MemorySlot slot;
  slot.Set("size", {int64_t{1}, int64_t{-5}});
  slot.Set("0000000", {std::string("1:a2:bc1:d99:e")});
  PackedRows rows;
  rows.Load(slot);
  EXPECT_EQ(AllOf(rows), (std::map<std::string, std::string>{{"a", "bc"}, {"d", "e"}}));
  rows.Erase("a");
  EXPECT_EQ(AllOf(rows), (std::map<std::string, std::string>{{"d", "e"}}));
  slot.Set("0000000", {std::string("x")});
  rows.Load(slot);
  EXPECT_FALSE(rows.Find("a"));
  for (const int64_t buckets : {int64_t{0}, int64_t{3}, int64_t{-1}, int64_t{1} << 40}) {
    slot.Set("size", {buckets, int64_t{1}});
    rows.Load(slot);
    EXPECT_EQ(rows.size(), 0u) << buckets;
    rows.Set("a", "b");
    EXPECT_EQ(*Reloaded(&rows).Find("a"), "b");
  }
  // Of another number of names, those that are there count.
  slot.Set("size", {int64_t{1}, int64_t{1}});
  slot.Set("0000000", {std::string("1:a1:b1:c1:d")});
  rows.Load(slot);
  rows.Erase("a");
  EXPECT_EQ(rows.size(), 1u);
  slot.Set("0000000", {std::string("1:a1:b1:c1:d")});
  for (const int64_t names : {int64_t{0}, int64_t{-1}, int64_t{1} << 20, int64_t{1} << 62}) {
    slot.Set("size", {int64_t{1}, names});
    rows.Load(slot);
    rows.Set("e", "f");
    EXPECT_EQ(rows.size(), 3u) << names;
    MemorySlot stored;
    rows.Store(&stored);
    EXPECT_EQ(stored.Integer("size"), 1) << names;
    EXPECT_EQ(stored.Integer("size", 1), 3) << names;
    EXPECT_EQ(AllOf(rows),
              (std::map<std::string, std::string>{{"a", "b"}, {"c", "d"}, {"e", "f"}}));
  }
}

TEST(PackedRows, WritesWhatCannotBeReadAsAnEmptyWord) {
  WordWriter writer;
  writer.Word(WordReader("x").Word());
  writer.Append(WordReader("").rest());
  writer.Append({});
  EXPECT_EQ(writer.text(), "0:");
}

}  // namespace
}  // namespace muster::kube
