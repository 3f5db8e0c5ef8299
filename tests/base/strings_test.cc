// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Quote on hostile names, UTF-8 against the boundaries of each range, NearestName against a full
// matrix.
#include "lib/base/strings.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace muster {
namespace {

TEST(StringsTest, ToAbslKeepsEmbeddedNul) {
  EXPECT_EQ(absl::StrCat("x", ToAbsl(std::string_view("a\0b", 3))), std::string("xa\0b", 4));
}

TEST(StringsTest, QuoteEscapes) {
  EXPECT_EQ(Quote(""), "\"\"");
  EXPECT_EQ(Quote("team/a"), "\"team/a\"");
  EXPECT_EQ(Quote("a\"b\\c\n\t\r"), "\"a\\\"b\\\\c\\n\\t\\r\"");
  EXPECT_EQ(Quote(std::string_view("\0\x1f\x7f", 3)), "\"\\x00\\x1f\\x7f\"");
  const std::string wide = "K\xc3\xb6ln \xe2\x82\xac \xf0\x9f\x9a\x80";
  EXPECT_EQ(Quote(wide), "\"" + wide + "\"");
  EXPECT_EQ(Quote("\xc2\x85"), "\"\\xc2\\x85\"");
  EXPECT_EQ(Quote("a\xff\xc3"), "\"a\\xff\\xc3\"");
}

TEST(StringsTest, QuoteCutsAfter80BytesAndTearsNoCharacter) {
  EXPECT_EQ(Quote(std::string(80, 'a')), "\"" + std::string(80, 'a') + "\"");
  EXPECT_EQ(Quote(std::string(81, 'a')), "\"" + std::string(80, 'a') + "\"...");
  const std::string torn = std::string(79, 'a') + "\xc3\xb6";
  EXPECT_EQ(Quote(torn), "\"" + std::string(79, 'a') + "\"...");
  EXPECT_EQ(Quote(std::string(79, 'a') + "\xff" + "b"), "\"" + std::string(79, 'a') + "\\xff\"...");
}

TEST(StringsTest, ValidUtf8AtEveryBoundary) {
  for (const char* good :
       {"", "a", "\x7f", "\xc2\x80", "\xdf\xbf", "\xe0\xa0\x80", "\xec\xbf\xbf", "\xed\x9f\xbf",
        "\xee\x80\x80", "\xef\xbf\xbf", "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf"}) {
    EXPECT_TRUE(IsValidUtf8(good)) << Quote(good);
  }
  for (const char* bad :
       {"\x80", "\xbf", "\xc0\x80", "\xc1\xbf", "\xc2", "\xc2\x7f", "\xc2\xc0", "\xe0\x9f\xbf",
        "\xe0\xa0", "\xed\xa0\x80", "\xed\xbf\xbf", "\xef\xbf\xc0", "\xf0\x8f\xbf\xbf",
        "\xf0\x90\x80", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xff", "ok\xfe"}) {
    EXPECT_FALSE(IsValidUtf8(bad)) << Quote(bad);
  }
}

TEST(StringsTest, NearestNameExamples) {
  const std::vector<std::string_view> valid = {"allocate", "backfill", "preempt", "reclaim"};
  EXPECT_EQ(NearestName("alocate", valid), "allocate");
  EXPECT_EQ(NearestName("premept", valid), "preempt");
  EXPECT_EQ(NearestName("preempt", valid), "preempt");
  EXPECT_EQ(NearestName("shuffle", valid), "");
  EXPECT_EQ(NearestName("", valid), "");
  const std::vector<std::string_view> twins = {"binpack1", "binpack2"};
  EXPECT_EQ(NearestName("binpack", twins), "binpack1") << "ties go to the first";
  const std::vector<std::string_view> brief = {"gpu", "cpu"};
  EXPECT_EQ(NearestName("cp", brief), "") << "one edit is not less than half of two letters";
  EXPECT_EQ(NearestName("cpx", brief), "cpu");
  EXPECT_EQ(NearestName("ALLOCATE", valid), "allocate");
  const std::string_view batch[] = {"ease", "easy", "fcfs"};
  EXPECT_EQ(NearestName("esay", batch), "easy") << "two neighbors swapped are one slip";
  const std::string_view hosts[] = {"h1", "h1:80", "h10"};
  EXPECT_EQ(NearestName("h1:45454", hosts), "h1") << "behind the colon is a port";
}

int FullMatrixDistance(std::string_view a, std::string_view b) {
  std::vector<std::vector<int>> d(a.size() + 1, std::vector<int>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i) {
    for (size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        d[i][j] = static_cast<int>(i + j);
      } else {
        const int replaced = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
        d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, replaced});
      }
    }
  }
  return d[a.size()][b.size()];
}

TEST(StringsTest, NearestNameBehindASlash) {
  const std::string_view resources[] = {"cpu", "memory", "nvidia.com/gpu", "a/x", "b/x"};
  EXPECT_EQ(NearestName("gpu", resources), "nvidia.com/gpu") << "\"cpu\" is one edit away";
  EXPECT_EQ(NearestName("x", resources), "") << "two have it";
  EXPECT_EQ(NearestName("nvidia.com/gpus", resources), "nvidia.com/gpu");
}

TEST(StringsTest, NearestNameAgreesWithTheFullMatrix) {
  uint32_t state = 12345;
  const auto random_word = [&state] {
    std::string word;
    state = state * 1664525 + 1013904223;
    const int length = (state >> 16) % 10;
    for (int i = 0; i < length; ++i) {
      state = state * 1664525 + 1013904223;
      word.push_back(static_cast<char>('a' + (state >> 16) % 2));
    }
    return word;
  };
  int found = 0;
  for (int round = 0; round < 20000; ++round) {
    const std::string name = random_word(), candidate = random_word();
    bool swapped = false;
    for (size_t i = 0; i + 1 < name.size(); ++i) {
      std::string other = name;
      std::swap(other[i], other[i + 1]);
      swapped |= other == candidate && name != candidate;
    }
    const int distance = swapped ? 1 : FullMatrixDistance(name, candidate);
    const bool near = distance <= 3 && 2 * static_cast<size_t>(distance) < name.size();
    const std::vector<std::string_view> valid = {candidate};
    const std::string_view nearest = NearestName(name, valid);
    ASSERT_EQ(nearest.data() == candidate.data(), near) << name << " " << candidate;
    found += near;
  }
  EXPECT_GT(found, 1000);
}

}  // namespace
}  // namespace muster
