// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/policy/job_keys.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

// log10(10,000) = 4 and log10(1,000) = 3; sqrt(10,000) = 100 and sqrt(16) = 4.
TEST(JobKeys, FormulasByHand) {
  const JobFigures job = {.estimate = 10000, .size = 16, .submit = 1000};
  EXPECT_DOUBLE_EQ(FormulaKey(JobFormula::kF1, job), 4.0 * 16 + 870 * 3.0);
  EXPECT_DOUBLE_EQ(FormulaKey(JobFormula::kF2, job), 100.0 * 16 + 25600 * 3.0);
  EXPECT_DOUBLE_EQ(FormulaKey(JobFormula::kF3, job), 10000.0 * 16 + 6860000 * 3.0);
  EXPECT_DOUBLE_EQ(FormulaKey(JobFormula::kF4, job), 10000.0 * 4 + 530000 * 3.0);
}

TEST(JobKeys, ValuesBelowOneCountAsOne) {
  EXPECT_DOUBLE_EQ(FormulaKey(JobFormula::kF1, {.estimate = 0, .size = 0, .submit = 0}), 0);
  EXPECT_DOUBLE_EQ(FormulaKey(JobFormula::kF3, {.estimate = 0.5, .size = 0.5, .submit = -7}), 1);
}

}  // namespace
}  // namespace muster
