// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// HashIndex, HashMap and HashSet against the standard's tables; their order; memory that runs out.
#include "lib/base/hash_map.h"

#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "lib/base/hash_index.h"

namespace muster {
namespace {

TEST(HashMapTest, FindsTextsOfAllKinds) {
  HashMap<std::string, int> ages;
  ages["ann"] = 3;
  EXPECT_EQ(ages.find(std::string_view("ann"))->second, 3);
  EXPECT_EQ(ages.find(absl::string_view("ann"))->second, 3);
  EXPECT_EQ(ages.find(std::string("ann"))->second, 3);
  EXPECT_EQ(ages.at("ann"), 3);
  EXPECT_EQ(ages.find("bob"), ages.end());
  EXPECT_TRUE(ages.contains("ann"));
  EXPECT_EQ(ages.count("bob"), 0u);
  EXPECT_FALSE(ages.try_emplace("ann", 4).second);
  EXPECT_TRUE(ages.emplace(std::string_view("bob"), 5).second);
  ages.insert_or_assign("ann", 7);
  EXPECT_EQ(ages.at("ann"), 7);
  EXPECT_EQ(ages.erase("ann"), 1u);
  EXPECT_EQ(ages.erase("ann"), 0u);
  EXPECT_EQ(ages.size(), 1u);
}

TEST(HashMapTest, KeysOfOtherKinds) {
  HashMap<std::pair<uint32_t, int64_t>, std::unique_ptr<int>> pairs;
  pairs[{1, -1}] = std::make_unique<int>(5);
  EXPECT_FALSE(pairs.try_emplace({1, -1}).second);
  EXPECT_EQ(*pairs.at(std::pair<uint32_t, int64_t>(1, -1)), 5);
  HashMap<uint64_t, int> wide;
  wide[7] = 1;  // an int becomes the key
  EXPECT_TRUE(wide.contains(7u));
  HashSet<std::vector<std::string>> lists;
  EXPECT_TRUE(lists.insert(std::vector<std::string>{"a", "b"}).second);
  EXPECT_FALSE(lists.insert(std::vector<std::string>{"a", "b"}).second);
}

TEST(HashMapTest, GoesInTheOrderOfInsertion) {
  HashMap<int, int> map;
  for (int i = 0; i < 1000; ++i) map[(i * 7919) % 1000] = i;
  int next = 0;
  for (const auto& [key, value] : map) {
    EXPECT_EQ(value, next);
    EXPECT_EQ(key, (next++ * 7919) % 1000);
  }
  map.erase(map.begin() + 10);  // the last comes into its place
  EXPECT_EQ((map.begin() + 10)->second, 999);
  map.erase_if([](const auto& entry) { return entry.second % 2 == 1; });
  EXPECT_EQ(map.size(), 499u);
  for (const auto& [key, value] : map) EXPECT_EQ(value % 2, 0);
}

TEST(HashMapTest, AgreesWithAnOrderedMap) {
  HashMap<std::string, int> map;
  std::map<std::string, int> ordered;
  uint64_t state = 5;
  for (int i = 0; i < 200000; ++i) {
    state = state * 6364136223846793005 + 1442695040888963407;
    const std::string key = std::to_string((state >> 33) % 3000);
    if ((state >> 60) < 7) {
      ASSERT_EQ(map.erase(key), ordered.erase(key));
    } else {
      map[key] = i;
      ordered[key] = i;
    }
    if (i % 50000 == 49999) {
      HashMap<std::string, int> copy = map;
      map.clear();
      ASSERT_FALSE(map.contains(key));
      map = std::move(copy);
    }
  }
  ASSERT_EQ(map.size(), ordered.size());
  for (const auto& [key, value] : ordered) ASSERT_EQ(map.at(key), value);
}

TEST(HashMapTest, WhatWasMovedFromIsEmpty) {
  HashMap<int, int> map;
  for (int i = 0; i < 100; ++i) map[i] = i;
  const HashMap<int, int> moved = std::move(map);
  EXPECT_EQ(moved.size(), 100u);
  EXPECT_TRUE(map.empty());  // NOLINT: that is what is asked
  for (int i = 0; i < 100; ++i) map[-i] = i;
  EXPECT_EQ(map.size(), 100u);
  EXPECT_FALSE(map.contains(5));
}

// Hashes of few values: long runs that wrap around the end of the table.
TEST(HashIndexTest, RunsShiftBackRightly) {
  for (const uint32_t clash : {1u, 2u, 3u, 7u}) {
    HashIndex index;
    std::map<uint32_t, uint32_t> hash_of;
    uint64_t state = clash;
    for (int i = 0; i < 20000; ++i) {
      state = state * 6364136223846793005 + 1442695040888963407;
      const auto number = static_cast<uint32_t>((state >> 40) % 40);
      const auto find = [&](uint32_t n) {
        return index.Find(hash_of.at(n), [n](uint32_t found) { return found == n; });
      };
      if (hash_of.contains(number)) {
        ASSERT_EQ(find(number), number);
        index.Remove(hash_of.at(number), number);
        ASSERT_EQ(find(number), HashIndex::kNothing);
        hash_of.erase(number);
      } else {
        hash_of[number] = 0xFFFFFFFFu - static_cast<uint32_t>(state >> 33) % clash;
        index.MakeRoom();
        index.Add(hash_of[number], number);
      }
      for (const auto& [there, hash] : hash_of) ASSERT_EQ(find(there), there);
      ASSERT_EQ(index.size(), hash_of.size());
    }
  }
}

// A value with a constructor that runs out of memory on demand.
struct Costly {
  explicit Costly(bool fails) {
    if (fails) throw std::bad_alloc();
  }
};

TEST(HashMapTest, MemoryThatRunsOutChangesNothing) {
  HashMap<int, Costly> map;
  for (int i = 0; i < 1000; ++i) {
    EXPECT_THROW(map.try_emplace(i, true), std::bad_alloc);
    EXPECT_EQ(map.find(i), map.end());
    EXPECT_TRUE(map.try_emplace(i, false).second);
    EXPECT_EQ(map.size(), static_cast<size_t>(i) + 1);
  }
  for (int i = 0; i < 1000; ++i) EXPECT_TRUE(map.contains(i));
  // A sanitizer's allocator ends the process when it is requested more than there can be.
  if (std::getenv("MUSTER_SANITIZED") == nullptr) EXPECT_ANY_THROW(map.reserve(SIZE_MAX));
  EXPECT_EQ(map.size(), 1000u);
  EXPECT_TRUE(map.contains(999));
}

}  // namespace
}  // namespace muster
