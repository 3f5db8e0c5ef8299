// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// trunc(100 / (1 + exp(-d / 1000))), without an exponential for each d.
//
//   SigmoidScore score;
//   int16_t number = score(before - after);        // 50 where nothing changed
//
// Guarantee. The number is the one that the formula gives, rounded step by step: reciprocal first,
// then times 100. It grows with d, as each of its steps does. So each number has a least d, found
// by bisection over doubles.
#ifndef MUSTER_FIT_SIGMOID_SCORE_H_
#define MUSTER_FIT_SIGMOID_SCORE_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace muster {

int16_t SigmoidFormula(double d);

class SigmoidScore {
 public:
  SigmoidScore();
  int16_t operator()(double d) const {
    const double step = std::clamp((d + kReach) / kStep, 0.0, static_cast<double>(kSteps - 1));
    auto number = static_cast<size_t>(first_[static_cast<size_t>(step)]);
    while (number < least_.size() && least_[number] <= d) ++number;
    return static_cast<int16_t>(number);
  }

 private:
  // A step is smaller than the distance between two numbers, so the search ends at once.
  static constexpr double kReach = 5000, kStep = 20;
  static constexpr size_t kSteps = 500;

  std::array<double, 100> least_;      // [i]: of the number i + 1
  std::array<int16_t, kSteps> first_;  // a number that is not above those of the step
};

}  // namespace muster

#endif  // MUSTER_FIT_SIGMOID_SCORE_H_
