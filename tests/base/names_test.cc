// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// NameTable against a map of strings, its promises on views, copies, moves and memory.
#include "lib/base/names.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

namespace muster {
namespace {

TEST(NamesTest, IdsAreDenseInInsertionOrder) {
  NameTable table;
  EXPECT_EQ(table.Find("a"), std::nullopt);
  EXPECT_EQ(table.Intern("b"), 0u);
  EXPECT_EQ(table.Intern("a"), 1u);
  EXPECT_EQ(table.Intern("b"), 0u);
  EXPECT_EQ(table.Intern(""), 2u);
  EXPECT_EQ(table.Intern(std::string_view("\0x", 2)), 3u);
  EXPECT_EQ(table.Find("a"), 1u);
  EXPECT_EQ(table.Find(""), 2u);
  EXPECT_EQ(table.Find(std::string_view("\0y", 2)), std::nullopt);
  EXPECT_EQ(table.name(3), std::string_view("\0x", 2));
  EXPECT_EQ(table.size(), 4u);
}

TEST(NamesTest, ErasedIdsStayDeadAndKeepTheirText) {
  NameTable table;
  table.Intern("a");
  table.Intern("b");
  EXPECT_EQ(table.Erase("a"), 0u);
  EXPECT_EQ(table.Erase("a"), std::nullopt);
  EXPECT_EQ(table.Find("a"), std::nullopt);
  EXPECT_EQ(table.name(0), "a");
  EXPECT_EQ(table.Intern("a"), 2u);
  EXPECT_EQ(table.size(), 3u);
  EXPECT_EQ(table.live_size(), 2u);
  table.Clear();
  EXPECT_EQ(table.size(), 0u);
  EXPECT_EQ(table.Find("b"), std::nullopt);
  EXPECT_EQ(table.Intern("b"), 0u);
}

TEST(NamesTest, EveryLengthSurvivesAndViewsStayPut) {
  NameTable table;
  const std::vector<size_t> lengths = {0,   1,     2,     3,      126,    127,    128,     129,
                                       700, 16383, 16384, 262140, 262144, 300000, 3000000, 5};
  std::vector<std::string> texts;
  std::vector<std::string_view> views;
  for (size_t i = 0; i < lengths.size(); ++i) {
    texts.emplace_back(lengths[i], static_cast<char>('a' + i));
    views.push_back(table.name(table.Intern(texts.back())));
  }
  for (int i = 0; i < 100000; ++i) table.Intern("filler-" + std::to_string(i));
  for (uint32_t id = 0; id < texts.size(); ++id) {
    EXPECT_TRUE(table.name(id) == texts[id]) << lengths[id];
    EXPECT_EQ(table.name(id).data(), views[id].data());
    EXPECT_EQ(table.Find(texts[id]), id);
  }
  const NameTable moved = std::move(table);
  EXPECT_EQ(moved.name(5).data(), views[5].data());
  EXPECT_EQ(moved.Find("filler-99999"), moved.size() - 1);
}

TEST(NamesTest, CopiesAreIndependent) {
  NameTable table;
  for (int i = 0; i < 1000; ++i) table.Intern(std::to_string(i));
  table.Erase("7");
  table.Erase("8");
  table.Intern("8");
  NameTable copy = table;
  table.Intern("only in the original");
  table.Erase("9");
  EXPECT_EQ(copy.size(), 1001u);
  EXPECT_EQ(copy.live_size(), 999u);
  EXPECT_EQ(copy.Find("7"), std::nullopt);
  EXPECT_EQ(copy.Find("8"), 1000u);
  EXPECT_EQ(copy.Find("9"), 9u);
  EXPECT_EQ(copy.name(7), "7");
  EXPECT_NE(copy.name(9).data(), table.name(9).data());
  copy = table;
  EXPECT_EQ(copy.Find("only in the original"), 1001u);
  EXPECT_EQ(copy.Find("9"), std::nullopt);
}

TEST(NamesTest, AgreesWithAMapOfStrings) {
  NameTable table;
  std::map<std::string, uint32_t> map;
  uint32_t next = 0;
  uint64_t state = 3;
  for (int i = 0; i < 200000; ++i) {
    state = state * 6364136223846793005 + 1442695040888963407;
    const std::string name = "n" + std::to_string((state >> 33) % 5000);
    const auto found = map.find(name);
    if ((state >> 60) < 5) {
      ASSERT_EQ(table.Erase(name).has_value(), found != map.end());
      map.erase(name);
    } else if (found != map.end()) {
      ASSERT_EQ(table.Intern(name), found->second);
    } else {
      ASSERT_EQ(table.Intern(name), next);
      map[name] = next++;
    }
  }
  ASSERT_EQ(table.live_size(), map.size());
  for (const auto& [name, id] : map) ASSERT_EQ(table.Find(name), id);
}

TEST(NamesTest, AMillionNamesTakeLessThan60Megabytes) {
  NameTable table;
  size_t text = 0;
  for (int i = 0; i < 1000000; ++i) {
    const std::string name =
        "default/job-" + std::to_string(i) + "-worker-" + std::to_string(i % 8);
    text += name.size();
    ASSERT_EQ(table.Intern(name), static_cast<uint32_t>(i));
  }
  EXPECT_LT(table.MemoryUsage(), size_t{60} << 20);
  EXPECT_LT(table.MemoryUsage(), text + size_t{27} * 1000000);
  EXPECT_GT(table.MemoryUsage(), text);
}

TEST(NamesTest, TruncationIsAsIfTheyHadNeverBeen) {
  NameTable table;
  for (int i = 0; i < 5000; ++i) table.Intern("n" + std::to_string(i));
  table.Erase("n7");
  table.Truncate(3000);
  EXPECT_EQ(table.size(), 3000u);
  EXPECT_EQ(table.live_size(), 2999u);
  EXPECT_EQ(table.Find("n3000"), std::nullopt);
  EXPECT_EQ(table.Find("n2999"), 2999u);
  EXPECT_EQ(table.Intern("n4999"), 3000u);
  EXPECT_EQ(table.name(3000), "n4999");
}

TEST(NamesTest, ASmallTableIsSmall) {
  NameTable table;
  table.Intern("only");
  EXPECT_LT(table.MemoryUsage(), 1300u);
}

}  // namespace
}  // namespace muster
