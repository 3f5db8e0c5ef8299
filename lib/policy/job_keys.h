// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Numbers by which waiting jobs are ordered: the smaller goes first.
//
//   const double key = FormulaKey(JobFormula::kF1, {.estimate = 3600, .size = 8, .submit = 70});
//
// F1 to F4 were fitted to simulated schedules of a pool of 256 processors (Carastan-Santos and de
// Camargo, SC 2017). With the estimate r in seconds, n processors and the submission s:
//   F1  log10(r) n + 870 log10(s)
//   F2  sqrt(r) n + 25,600 log10(s)
//   F3  r n + 6,860,000 log10(s)
//   F4  r sqrt(n) + 530,000 log10(s)
//
// Where they surprise. s counts from the beginning of the log. As the log goes on, log10(s) tells
// later jobs ever less apart, so small jobs overtake ever older ones. On a clock that counts from
// 1970 they are next to blind to the age of a job.
#ifndef MUSTER_POLICY_JOB_KEYS_H_
#define MUSTER_POLICY_JOB_KEYS_H_

#include <cstdint>

namespace muster {

enum class JobFormula : uint8_t { kF1, kF2, kF3, kF4 };

// What the formulas read of a job. A value below 1 counts as 1.
struct JobFigures {
  double estimate = 1;  // seconds
  double size = 1;      // processors
  double submit = 1;    // seconds
};

double FormulaKey(JobFormula formula, const JobFigures& job);

}  // namespace muster

#endif  // MUSTER_POLICY_JOB_KEYS_H_
