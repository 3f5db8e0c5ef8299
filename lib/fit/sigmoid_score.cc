// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/fit/sigmoid_score.h"

#include <bit>

#include "lib/base/math.h"

namespace muster {
namespace {

// Numbers doubles in their order.
int64_t Rank(double d) {
  const auto bits = std::bit_cast<int64_t>(d);
  return bits >= 0 ? bits : std::bit_cast<int64_t>(uint64_t{1} << 63) - bits;
}
double OfRank(int64_t rank) {
  return rank >= 0 ? std::bit_cast<double>(rank)
                   : std::bit_cast<double>(std::bit_cast<int64_t>(uint64_t{1} << 63) - rank);
}

}  // namespace

int16_t SigmoidFormula(double d) {
  const double reciprocal = 1 / (1 + Exp(-d / 1000));
  return static_cast<int16_t>(reciprocal * 100);
}

SigmoidScore::SigmoidScore() {
  for (int16_t number = 1; number <= 100; ++number) {
    // Bisects from where the real function changes, far enough from it on both sides: a few hundred
    // doubles apart, except about 0. The last number is only reached by rounding.
    const double about = number < 100 ? -1000 * Log(100.0 / number - 1) : 37000;
    const double margin = number < 100 ? 1e-11 : 1000;
    int64_t below = Rank(about - margin), reached = Rank(about + margin);
    while (reached - below > 1) {
      const int64_t middle = below + (reached - below) / 2;
      (SigmoidFormula(OfRank(middle)) >= number ? reached : below) = middle;
    }
    least_[static_cast<size_t>(number - 1)] = OfRank(reached);
  }
  // Begins one step below, because rounding may have put the value there.
  for (size_t step = 0; step < kSteps; ++step) {
    const double from = step == 0 ? least_[0] - 1 : -kReach + static_cast<double>(step - 1) * kStep;
    first_[step] =
        static_cast<int16_t>(std::upper_bound(least_.begin(), least_.end(), from) - least_.begin());
  }
}

}  // namespace muster
