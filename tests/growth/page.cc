// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "tests/growth/page.h"

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "gtest/gtest.h"

namespace muster::testing {
namespace {

constexpr char kPath[] = "docs/growth.md";
constexpr char kAll[] = "all";
constexpr double kNearlyLinear = 1.3;  // n log n has 1.2 at these sizes
constexpr double kSlack = 0.1, kStale = 0.5;
constexpr double kRefused = 99;

// Returns whether the cell states how a part grows, or that it is refused.
bool ReadExponent(const std::string& cell, double* exponent) {
  *exponent = kRefused;
  return absl::StripAsciiWhitespace(cell) == "refused" || absl::SimpleAtod(cell, exponent);
}

}  // namespace

Page::Page() {
  std::ifstream file(kPath);
  EXPECT_TRUE(file) << kPath;
  for (std::string line; std::getline(file, line);) {
    // | subject | part | exponent | why |
    std::vector<std::string> cells = absl::StrSplit(line, '|');
    double exponent = 0;
    if (cells.size() != 6 || !ReadExponent(cells[3], &exponent)) continue;
    for (std::string& cell : cells) absl::StripAsciiWhitespace(&cell);
    EXPECT_GT(exponent, kNearlyLinear) << line << ": such a row is not needed";
    EXPECT_FALSE(cells[4].empty()) << line << ": states no reason";
    EXPECT_TRUE(rows_.emplace(Pair(cells[1], cells[2]), exponent).second) << line << ": is double";
  }
}

void Page::Check(const std::string& subject, const std::string& part,
                 const std::array<uint64_t, 3>& work) {
  const double exponent =
      std::log2(static_cast<double>(work[2]) / static_cast<double>(std::max<uint64_t>(work[1], 1)));
  auto row = rows_.find(Pair(subject, part));
  const bool is_own = row != rows_.end();
  if (!is_own) row = rows_.find(Pair(kAll, part));
  const double stated = row == rows_.end() ? kNearlyLinear : row->second;
  const std::string measured = absl::StrFormat("| %s | %s | %.1f |  (%d, %d, %d)", subject, part,
                                               exponent, work[0], work[1], work[2]);
  if (std::getenv("MUSTER_GROWTH_PRINT") != nullptr) std::cout << measured << "\n";
  EXPECT_NE(stated, kRefused) << measured << ": " << kPath << " states that it is refused";
  EXPECT_LE(exponent, stated + kSlack) << measured << ": " << kPath << " allows " << stated;
  if (row == rows_.end()) return;
  // A row of all is as sharp as the one subject that grows fastest.
  checked_[row->first] |= is_own || exponent >= stated - kStale;
  if (!is_own) return;
  EXPECT_GE(exponent, stated - kStale) << measured << ": " << kPath << " states " << stated;
}

void Page::CheckRefused(const std::string& subject, const std::string& part, std::string_view why) {
  const auto row = rows_.find(Pair(subject, part));
  ASSERT_TRUE(row != rows_.end() && row->second == kRefused)
      << "| " << subject << " | " << part << " | refused |: " << why;
  checked_[row->first] = true;
}

void Page::CheckRows(const std::string& prefix) {
  for (const auto& [pair, exponent] : rows_) {
    if (!pair.first.starts_with(prefix)) continue;
    EXPECT_TRUE(checked_[pair]) << kPath << ": nothing is named " << pair.first << ", or no part "
                                << pair.second;
  }
}

}  // namespace muster::testing
