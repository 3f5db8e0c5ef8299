// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Integer helpers at the ends of int64, then Log, Exp and Pow three ways: against bits computed
// with 300-bit arithmetic, against the C library's long double on many points, and on the special
// values of Annex F.
#include "lib/base/math.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "gtest/gtest.h"

namespace muster {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr int64_t kMostQuantity = kMaxQuantity, kLeastQuantity = kMinQuantity;

TEST(MathTest, SaturatesAtBothEnds) {
  EXPECT_EQ(SatAdd(2, 3), 5);
  EXPECT_EQ(SatAdd(kMostQuantity, 1), kMostQuantity);
  EXPECT_EQ(SatAdd(kMostQuantity - 1, 1), kMostQuantity);
  EXPECT_EQ(SatAdd(kLeastQuantity, -1), kLeastQuantity);
  EXPECT_EQ(SatAdd(kMostQuantity, kLeastQuantity), -1);
  EXPECT_EQ(SatAdd(kLeastQuantity, kLeastQuantity), kLeastQuantity);
  EXPECT_EQ(SatSub(2, 3), -1);
  EXPECT_EQ(SatSub(kMostQuantity, -1), kMostQuantity);
  EXPECT_EQ(SatSub(kMostQuantity - 1, -1), kMostQuantity);
  EXPECT_EQ(SatSub(kLeastQuantity, 1), kLeastQuantity);
  EXPECT_EQ(SatSub(0, kLeastQuantity), kMostQuantity);
  EXPECT_EQ(SatSub(-1, kLeastQuantity), kMostQuantity);
  EXPECT_EQ(SatSub(-2, kLeastQuantity), kMostQuantity - 1);
  EXPECT_EQ(SatSub(kLeastQuantity, kLeastQuantity), 0);
  EXPECT_EQ(AsCount(5), 5);
  EXPECT_EQ(AsCount(-1), 0);
  EXPECT_EQ(AsCount(kMostQuantity), int64_t{1} << 53);
  EXPECT_EQ(SatMul(-4, 5), -20);
  EXPECT_EQ(SatMul(kMostQuantity, 2), kMostQuantity);
  EXPECT_EQ(SatMul(kLeastQuantity, -1), kMostQuantity);
  EXPECT_EQ(SatMul(kLeastQuantity, 2), kLeastQuantity);
  EXPECT_EQ(SatMul(kLeastQuantity, 1), kLeastQuantity);
  EXPECT_EQ(SatMul(int64_t{1} << 32, int64_t{1} << 31), kMostQuantity);
}

TEST(MathTest, MulDivIsFloorWithoutOverflow) {
  EXPECT_EQ(MulDiv(7, 3, 2), 10);
  EXPECT_EQ(MulDiv(-7, 3, 2), -11);
  EXPECT_EQ(MulDiv(7, 3, -2), -11);
  EXPECT_EQ(MulDiv(-7, -3, 2), 10);
  EXPECT_EQ(MulDiv(-6, 3, 2), -9);
  EXPECT_EQ(MulDiv(kMostQuantity, kMostQuantity, kMostQuantity), kMostQuantity);
  EXPECT_EQ(MulDiv(kMostQuantity, kMostQuantity - 1, kMostQuantity), kMostQuantity - 1);
  EXPECT_EQ(MulDiv(kMostQuantity, 2, 1), kMostQuantity);
  EXPECT_EQ(MulDiv(kLeastQuantity, kMostQuantity, 1), kLeastQuantity);
  EXPECT_EQ(MulDiv(kLeastQuantity, kLeastQuantity, -1), kLeastQuantity);
}

struct Golden {
  double x;
  uint64_t bits;
};

TEST(MathTest, LogGolden) {
  const Golden rows[] = {
      {2.0, 0x3FE62E42FEFA39EF},
      {3.0, 0x3FF193EA7AAD030B},
      {10.0, 0x40026BB1BBB55516},
      {0.1, 0xC0026BB1BBB55515},
      {1.0000000000000002, 0x3CAFFFFFFFFFFFFF},
      {0.9999999999999999, 0xBCA0000000000000},
      {5e-324, 0xC0874385446D71C3},
      {1.7976931348623157e+308, 0x40862E42FEFA39EF},
      {0.7071067811865476, 0xBFD62E42FEFA39EE},
      {1.4142135623730951, 0x3FD62E42FEFA39F0},
  };
  for (const Golden& row : rows) EXPECT_EQ(std::bit_cast<uint64_t>(Log(row.x)), row.bits) << row.x;
}

// An FNV-1a sum over the correctly rounded logarithms, made with 300-bit arithmetic.
TEST(MathTest, LogOfSmallIntegersIsCorrectlyRounded) {
  uint64_t sum = 0xcbf29ce484222325;
  for (int i = 2; i <= 100000; ++i) {
    sum = (sum ^ std::bit_cast<uint64_t>(Log(i))) * 0x100000001b3;
  }
  EXPECT_EQ(sum, 0xaccfd75750249e19);
}

TEST(MathTest, ExpGolden) {
  const Golden rows[] = {
      {1.0, 0x4005BF0A8B145769},
      {-1.0, 0x3FD78B56362CEF38},
      {0.5, 0x3FFA61298E1E069C},
      {1e-10, 0x3FF000000006DF38},
      {0x1p-53, 0x3FF0000000000001},
      {-0x1p-53, 0x3FEFFFFFFFFFFFFF},
      {709.782712893384, 0x7FEFFFFFFFFFFF2A},
      {-708.5, 0x000E6CF6D08897AC},
      {-744.4400719213812, 0x0000000000000001},
      {-20.25, 0x3E1B93DE1E27CA3B},
  };
  for (const Golden& row : rows) EXPECT_EQ(std::bit_cast<uint64_t>(Exp(row.x)), row.bits) << row.x;
}

TEST(MathTest, PowGolden) {
  struct Row {
    double x, y;
    uint64_t bits;
  };
  const Row rows[] = {
      {1.1, 10.5, 0x4005C341A3D40F19},
      {10.0, -3.0, 0x3F50624DD2F1A9FC},
      {0.3, 0.1, 0x3FEC5EC42B8B4A19},
      {1.0000001, 1000000000.0, 0x48F349445C228792},
      {123.456, -7.89, 0x3C8224EC1169F129},
      {7.0, 23.0, 0x43F7BD152B330F0A},
      {0.9999999999999999, 1e+18, 0x35EC6AB6C6B3F2F9},
      {2.5, -100.0, 0x37ABFF2EE48E0530},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(std::bit_cast<uint64_t>(Pow(row.x, row.y)), row.bits) << row.x << " " << row.y;
  }
}

// Distance in units in the last place of a double. Where long double is no wider than double, its
// own error is up to one such unit.
constexpr double kAllowed = std::numeric_limits<long double>::digits >= 64 ? 0.502 : 1.0;

double Ulps(double actual, long double expected) {
  if (std::isinf(actual)) return expected >= 0x1.fffffffffffff7p1023L ? 0.0 : kInf;
  int exponent = 0;
  std::frexp(static_cast<double>(expected), &exponent);
  const long double ulp = std::ldexp(1.0L, std::max(exponent - 53, -1074));
  return static_cast<double>(std::fabs(actual - expected) / ulp);
}

class Points {
 public:
  uint64_t Next() {
    state_ += 0x9E3779B97F4A7C15;
    uint64_t x = state_;
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9;
    x = (x ^ x >> 27) * 0x94D049BB133111EB;
    return x ^ x >> 31;
  }
  double Between(double low, double high) {
    return low + (high - low) * (static_cast<double>(Next() >> 11) * 0x1p-53);
  }

 private:
  uint64_t state_ = 1;
};

constexpr int kPoints = 200000;

TEST(MathTest, LogAgainstLongDouble) {
  Points points;
  for (int i = 0; i < kPoints; ++i) {
    // Every magnitude, NaN and infinity included.
    const double any = std::bit_cast<double>(points.Next() >> 1);
    const double x = !std::isfinite(any) ? 1.5 : i % 2 == 0 ? any : points.Between(0.5, 2.0);
    if (x == 0) continue;
    ASSERT_LE(Ulps(Log(x), std::log(static_cast<long double>(x))), kAllowed) << x;
  }
}

TEST(MathTest, ExpAgainstLongDouble) {
  Points points;
  for (int i = 0; i < kPoints; ++i) {
    const double x = i % 2 == 0 ? points.Between(-746, 710) : points.Between(-2, 2);
    ASSERT_LE(Ulps(Exp(x), std::exp(static_cast<long double>(x))), kAllowed) << x;
  }
}

TEST(MathTest, PowAgainstLongDouble) {
  Points points;
  for (int i = 0; i < kPoints; ++i) {
    const double x = i % 2 == 0 ? points.Between(0, 3) : points.Between(0, 1e6);
    const double y = i % 2 == 0 ? points.Between(-30, 30) : points.Between(-50, 50);
    ASSERT_LE(Ulps(Pow(x, y), std::pow(static_cast<long double>(x), static_cast<long double>(y))),
              kAllowed)
        << x << " " << y;
  }
}

TEST(MathTest, ExactResultsAreExact) {
  for (int n = -1074; n <= 1023; ++n) ASSERT_EQ(Pow(2, n), std::ldexp(1.0, n)) << n;
  double power = 1;
  for (int n = 0; n <= 22; ++n, power *= 10) ASSERT_EQ(Pow(10, n), power) << n;
  for (int n = 1; n <= 1000; ++n) {
    ASSERT_EQ(Pow(double(n) * n, 0.5), n);
    ASSERT_EQ(Pow(-n, 3), -double(n) * n * n);
  }
}

TEST(MathTest, SpecialValues) {
  EXPECT_EQ(Log(0), -kInf);
  EXPECT_EQ(Log(1), 0);
  EXPECT_EQ(Log(kInf), kInf);
  EXPECT_TRUE(std::isnan(Log(-1)) && std::isnan(Log(-kInf)) && std::isnan(Log(kNan)));

  EXPECT_EQ(Exp(0), 1);
  EXPECT_EQ(Exp(kInf), kInf);
  EXPECT_EQ(Exp(-kInf), 0);
  EXPECT_EQ(Exp(710), kInf);
  EXPECT_EQ(Exp(1e300), kInf);
  EXPECT_EQ(Exp(-746), 0);
  EXPECT_EQ(Exp(-1e300), 0);
  EXPECT_EQ(Exp(5e-324), 1);
  EXPECT_TRUE(std::isnan(Exp(kNan)));
}

// The C library follows Annex F, which fixes every combination of these.
TEST(MathTest, PowOfSpecialValuesAgreesWithAnnexF) {
  const double values[] = {0.0,   -0.0,   1.0,    -1.0,    0.5,    -0.5,    2.0,
                           -2.0,  3.0,    -3.0,   4.0,     0x1p53, -0x1p53, 0x1p53 - 1,
                           1e300, -1e300, 5e-324, -5e-324, kInf,   -kInf,   kNan};
  for (double x : values) {
    for (double y : values) {
      const double actual = Pow(x, y), expected = std::pow(x, y);
      if (std::isnan(expected)) {
        EXPECT_TRUE(std::isnan(actual)) << x << " " << y;
      } else {
        EXPECT_EQ(actual, expected) << x << " " << y;
        EXPECT_EQ(std::signbit(actual), std::signbit(expected)) << x << " " << y;
      }
    }
  }
}

}  // namespace
}  // namespace muster
