// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/base/plain_number.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

TEST(PlainNumber, WholeOnesHaveNoExponent) {
  EXPECT_EQ(PlainNumber(1e9), "1000000000");
  EXPECT_EQ(PlainNumber(-1e9), "-1000000000");
  EXPECT_EQ(PlainNumber(-0.0), "0");
  EXPECT_EQ(PlainNumber(0.25), "0.25");
  EXPECT_EQ(PlainNumber(1e300), "1e+300");
}

}  // namespace
}  // namespace muster
