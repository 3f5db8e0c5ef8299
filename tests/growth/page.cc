// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "tests/growth/page.h"

#include <algorithm>
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
constexpr double kNearlyLinear = 1.3;  // n log n has 1.2 at these sizes
constexpr double kSlack = 0.1, kStale = 0.6;

}  // namespace

Page::Page() {
  std::ifstream file(kPath);
  EXPECT_TRUE(file) << kPath;
  for (std::string line; std::getline(file, line);) {
    // | subject | part | exponent | why |
    std::vector<std::string> cells = absl::StrSplit(line, '|');
    double exponent = 0;
    if (cells.size() != 6 || !absl::SimpleAtod(cells[3], &exponent)) continue;
    for (std::string& cell : cells) absl::StripAsciiWhitespace(&cell);
    EXPECT_GT(exponent, kNearlyLinear) << line << ": such a row is not needed";
    EXPECT_FALSE(cells[4].empty()) << line << ": states no reason";
    EXPECT_TRUE(rows_.emplace(Pair(cells[1], cells[2]), Row{exponent}).second)
        << line << ": is double";
  }
}

Page::Row* Page::Find(const std::string& subject, const std::string& part) {
  const bool is_text = subject.starts_with("scenario ") || subject.starts_with("import ") ||
                       subject.starts_with("Read");
  auto row = rows_.find({subject, part});
  if (row == rows_.end() && !is_text) row = rows_.find({kEvery, part});
  return row == rows_.end() ? nullptr : &row->second;
}

void Page::Check(const std::string& subject, const std::string& part,
                 const std::array<uint64_t, 3>& work) {
  const double exponent =
      std::log2(static_cast<double>(work[2]) / static_cast<double>(std::max<uint64_t>(work[1], 1)));
  Row* const row = Find(subject, part);
  const double stated = row == nullptr ? kNearlyLinear : row->stated;
  if (row != nullptr) row->measured = std::max(row->measured, exponent);
  const std::string measured = absl::StrFormat("| %s | %s | %.2f |  (%d, %d, %d)", subject, part,
                                               exponent, work[0], work[1], work[2]);
  if (std::getenv("MUSTER_GROWTH_PRINT") != nullptr) std::cout << measured << "\n";
  EXPECT_LE(exponent, stated + kSlack) << measured << ": " << kPath << " allows " << stated;
}

void Page::CheckRows(const std::string& prefix) {
  for (const auto& [pair, row] : rows_) {
    if (!pair.first.starts_with(prefix)) continue;
    const std::string name = kPath + (": " + pair.first) + ", " + pair.second;
    EXPECT_GE(row.measured, 0) << name << ": there is no such subject, or no such part";
    EXPECT_GE(row.measured, row.stated - kStale) << name << ": states too much";
  }
}

}  // namespace muster::testing
