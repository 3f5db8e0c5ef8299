// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Sets of CPUs and their text form.
#include "lib/fit/cpu_set.h"

#include "gtest/gtest.h"

namespace muster::testing {
namespace {

CpuSet Set(const char* text) { return CpuSet::Parse(text).value(); }

TEST(CpuSet, WritesWhatItReads) {
  for (const char* text : {"", "0", "0-3", "0-3,8", "1,3,5", "62-65,127-128,8191"}) {
    EXPECT_EQ(Set(text).ToString(), text);
  }
  EXPECT_EQ(Set("3,2,0-1").ToString(), "0-3");
}

TEST(CpuSet, RefusesWhatIsNoSet) {
  for (const char* text : {"a", "1-", "-1", "1-2-3", "3-1", "8192", "1,,2", "1,1", "0-3,2", "1 "}) {
    const auto refused = CpuSet::Parse(text);
    ASSERT_FALSE(refused.ok()) << text;
    EXPECT_NE(refused.status().message().find(text), std::string::npos) << refused.status();
  }
}

TEST(CpuSet, Operations) {
  CpuSet a = Set("0-9,300");
  EXPECT_EQ(a.size(), 11);
  EXPECT_TRUE(a.Contains(300));
  EXPECT_FALSE(a.Contains(299));
  EXPECT_FALSE(a.Contains(8000));
  EXPECT_EQ((CpuSet(a) &= Set("5-20")).ToString(), "5-9");
  EXPECT_EQ((CpuSet(a) |= Set("400")).ToString(), "0-9,300,400");
  EXPECT_EQ(CpuSet(a).AndNot(Set("0-8,300")).ToString(), "9");
  a.Remove(300);
  EXPECT_EQ(a, Set("0-9"));  // of different lengths inside
  EXPECT_FALSE(a == Set("0-9,300"));
  EXPECT_TRUE(CpuSet().empty());
  EXPECT_TRUE((a &= Set("64-70")).empty());
}

}  // namespace
}  // namespace muster::testing
