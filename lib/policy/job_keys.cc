// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/policy/job_keys.h"

#include <algorithm>
#include <cmath>

#include "lib/base/math.h"

namespace muster {
namespace {

double Log10(double x) { return Log(x) / Log(10); }

}  // namespace

double FormulaKey(JobFormula formula, const JobFigures& job) {
  const double r = std::max(job.estimate, 1.0), n = std::max(job.size, 1.0);
  const double age = Log10(std::max(job.submit, 1.0));
  switch (formula) {
    case JobFormula::kF1:
      return Log10(r) * n + 870 * age;
    case JobFormula::kF2:
      return std::sqrt(r) * n + 25600 * age;
    case JobFormula::kF3:
      return r * n + 6860000 * age;
    case JobFormula::kF4:
      return r * std::sqrt(n) + 530000 * age;
  }
  return 0;
}

}  // namespace muster
