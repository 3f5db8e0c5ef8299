// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// TextTable's exact output.
#include "lib/base/text_table.h"

#include "gtest/gtest.h"

namespace muster {
namespace {

TEST(TextTableTest, AlignsColumns) {
  TextTable table({{"QUEUE"}, {"SHARE", TextTable::kRight}, {"STATE"}});
  table.AddRow({"vision", "0.5", "open"});
  table.AddRow({"speech", "12.25", "closed"});
  EXPECT_EQ(table.ToString(),
            "QUEUE   SHARE  STATE\n"
            "vision    0.5  open\n"
            "speech  12.25  closed\n");
}

TEST(TextTableTest, NoBlanksAtLineEndsAndRowsOfAnyLength) {
  TextTable table({{"A"}, {"B"}});
  table.AddRow({"long cell"});
  table.AddRow({});
  table.AddRow({"x", "y", "dropped"});
  EXPECT_EQ(table.ToString(),
            "A          B\n"
            "long cell\n"
            "\n"
            "x          y\n");
}

TEST(TextTableTest, WithoutTitles) {
  TextTable table({{""}, {"", TextTable::kRight}});
  EXPECT_EQ(table.ToString(), "");
  table.AddRow({"nodes", "5"});
  table.AddRow({"tasks", "120"});
  EXPECT_EQ(table.ToString(), "nodes    5\ntasks  120\n");
}

TEST(TextTableTest, CountsCharactersAndKeepsARowOnOneLine) {
  TextTable table({{"NAME"}, {"N", TextTable::kRight}});
  table.AddRow({"K\xc3\xb6ln-\xe2\x82\xac", "1"});
  table.AddRow({"a\nb\tcdef", "2"});
  EXPECT_EQ(table.ToString(),
            "NAME      N\n"
            "K\xc3\xb6ln-\xe2\x82\xac    1\n"
            "a b cdef  2\n");
}

}  // namespace
}  // namespace muster
