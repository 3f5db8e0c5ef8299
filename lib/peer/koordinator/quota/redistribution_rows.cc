// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Redistribution of several resources at once, each in a lane of its own.
//
// Idea. The rounds of all resources go side by side over the children. What differs between
// resources (which children are satisfied, which get what a division leaves) is a mask and no
// branch, and each child's row is read once. Numbers are doubles with whole values. Below 2^52
// their sums, products and remainders are exact. A quotient is at most one off before its remainder
// puts it right. A weight times an amount could be far beyond that, so the amount is divided by the
// sum of weights first: weight * amount = weight * each * weights + weight * rest. Zeros that all
// weights end with are dropped.
//
// Units left by a division go to the children with remainders not below a cut. The cut is found by
// halving the range between the least and the largest remainder, until as many are above it as
// there are units, or only equal ones are left.
//
// What does not fit below 2^52 is handed out by columns in 128 bits (redistribution.cc), lane by
// lane; so is everything, where there are no registers of four lanes. The numbers are the same.
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>

#include "lib/peer/koordinator/quota/redistribution.h"

namespace muster {
namespace {

#if defined(__x86_64__) && defined(__GNUC__) && !defined(MUSTER_NO_MULTIVERSION)

#define MUSTER_AVX2 __attribute__((target("avx2")))
#define MUSTER_AVX2_INSIDE inline __attribute__((target("avx2"), always_inline))

constexpr int kBits = 52;  // numbers below 2^52
// A double from here on has no fraction: its low bits are a whole number.
constexpr double kUnit = 0x1p52;
constexpr int64_t kUnitBits = 0x4330000000000000;

// Four lanes: doubles with whole values, and integers or masks.
using Doubles = double __attribute__((vector_size(32)));
using Wholes = int64_t __attribute__((vector_size(32)));

MUSTER_AVX2_INSIDE Doubles Load(const double* from) {
  Doubles lanes;
  std::memcpy(&lanes, from, sizeof lanes);
  return lanes;
}
MUSTER_AVX2_INSIDE Wholes Load(const int64_t* from) {
  Wholes lanes;
  std::memcpy(&lanes, from, sizeof lanes);
  return lanes;
}
template <typename Lanes, typename T>
MUSTER_AVX2_INSIDE void Store(const Lanes& lanes, T* to) {
  std::memcpy(to, &lanes, sizeof lanes);
}
MUSTER_AVX2_INSIDE Doubles AsDoubles(const Wholes& wholes) {
  return (Doubles)(wholes | kUnitBits) - kUnit;
}
MUSTER_AVX2_INSIDE Wholes AsWholes(const Doubles& doubles) {
  return (Wholes)(doubles + kUnit) ^ kUnitBits;
}
MUSTER_AVX2_INSIDE Doubles Nearest(const Doubles& x) { return (x + kUnit) - kUnit; }
// Returns x in the lanes where the mask is set; zero elsewhere.
MUSTER_AVX2_INSIDE Doubles Where(const Wholes& mask, const Doubles& x) {
  return (Doubles)(mask & (Wholes)x);
}
MUSTER_AVX2_INSIDE Doubles Choose(const Wholes& mask, const Doubles& yes, const Doubles& no) {
  return (Doubles)((mask & (Wholes)yes) | (~mask & (Wholes)no));
}
MUSTER_AVX2_INSIDE bool Any(const Wholes& mask) {
  return (mask[0] | mask[1] | mask[2] | mask[3]) != 0;
}

// The rounds of 4 * kParts resources. `wishes` has a room, a weight, a part and a remainder for
// each child.
template <size_t kParts>
struct Rounds {
  static constexpr size_t kLanes = 4 * kParts;
  size_t count;
  double* wishes;
  Doubles left[kParts], weights[kParts];  // to be handed out; of children that request more
  Doubles units[kParts], from[kParts], cut[kParts], ties[kParts];

  MUSTER_AVX2_INSIDE double* Row(size_t i, size_t part) const {
    return wishes + 4 * i * kLanes + 4 * part;
  }

  MUSTER_AVX2_INSIDE bool AnyLeft() const {
    Wholes any = left[0] > 0;
    for (size_t p = 1; p < kParts; ++p) any |= left[p] > 0;
    return Any(any);
  }

  // Computes the parts of one round without the units that the divisions leave, and the largest
  // remainders.
  MUSTER_AVX2_INSIDE void Divide(Doubles* most) {
    Doubles each[kParts], rest[kParts], inverse[kParts], handed[kParts];
    for (size_t p = 0; p < kParts; ++p) {
      each[p] = Nearest(left[p] / weights[p]);
      rest[p] = left[p] - each[p] * weights[p];
      const Wholes above = rest[p] < 0;
      each[p] -= Where(above, Doubles{1, 1, 1, 1});
      rest[p] += Where(above, weights[p]);
      inverse[p] = 1 / weights[p];
      handed[p] = most[p] = Doubles{};
    }
    for (size_t i = 0; i < count; ++i) {
      for (size_t p = 0; p < kParts; ++p) {
        double* const row = Row(i, p);
        const Doubles weight = Load(row + kLanes);
        const Doubles product = weight * rest[p];
        Doubles quotient = Nearest(product * inverse[p]);
        Doubles remainder = product - quotient * weights[p];
        const Wholes above = remainder < 0;
        quotient -= Where(above, Doubles{1, 1, 1, 1});
        remainder += Where(above, weights[p]);
        Store(Doubles(weight * each[p] + quotient), row + 2 * kLanes);
        Store(remainder, row + 3 * kLanes);
        handed[p] += quotient;
        most[p] = Choose(remainder > most[p], remainder, most[p]);
      }
    }
    for (size_t p = 0; p < kParts; ++p) units[p] = rest[p] - handed[p];
  }

  // Finds the remainders that get a unit: those not below `from`, and the first `ties` of those at
  // `cut`.
  MUSTER_AVX2_INSIDE void FindCut(const Doubles* most) {
    Doubles low[kParts], high[kParts], middle[kParts], above[kParts], counted[kParts];
    Wholes any = {};
    for (size_t p = 0; p < kParts; ++p) {
      const Wholes some = units[p] > 0;
      low[p] = above[p] = Doubles{};
      high[p] = Where(some, most[p] + 1);
      middle[p] = most[p];
      any |= some;
    }
    // At least `units` remainders are not below `low`, and fewer are not below `high`. Where both
    // meet, exactly `units` are.
    while (Any(any)) {
      for (size_t p = 0; p < kParts; ++p) counted[p] = Doubles{};
      for (size_t i = 0; i < count; ++i) {
        for (size_t p = 0; p < kParts; ++p) {
          counted[p] += Where(Load(Row(i, p) + 3 * kLanes) >= middle[p], Doubles{1, 1, 1, 1});
        }
      }
      any = Wholes{};
      for (size_t p = 0; p < kParts; ++p) {
        const Wholes open = high[p] - low[p] > 1;
        const Wholes enough = counted[p] >= units[p], exact = counted[p] == units[p];
        low[p] = Choose(open & enough, middle[p], low[p]);
        high[p] = Choose(open & (exact | ~enough), middle[p], high[p]);
        above[p] = Choose(open & ~enough, counted[p], above[p]);
        middle[p] = Nearest((low[p] + high[p]) * 0.5);
        any |= high[p] - low[p] > 1;
      }
    }
    for (size_t p = 0; p < kParts; ++p) {
      const Wholes some = units[p] > 0, exact = low[p] == high[p];
      cut[p] = low[p];
      ties[p] = Where(some & ~exact, units[p] - above[p]);
      from[p] =
          Choose(some, Choose(exact, low[p], low[p] + 1), Doubles{kUnit, kUnit, kUnit, kUnit});
    }
  }

  // Hands out the parts; what is beyond a wish comes back.
  MUSTER_AVX2_INSIDE void Settle() {
    for (size_t p = 0; p < kParts; ++p) left[p] = weights[p] = Doubles{};
    for (size_t i = 0; i < count; ++i) {
      for (size_t p = 0; p < kParts; ++p) {
        double* const row = Row(i, p);
        const Doubles remainder = Load(row + 3 * kLanes);
        const Wholes first = (remainder == cut[p]) & (ties[p] > 0);
        ties[p] -= Where(first, Doubles{1, 1, 1, 1});
        const Doubles unit = Where(first | (remainder >= from[p]), Doubles{1, 1, 1, 1});
        const Doubles beyond = Load(row + 2 * kLanes) + unit - Load(row);
        const Wholes open = beyond < 0;
        const Doubles weight = Where(open, Load(row + kLanes));
        left[p] += Where(~open, beyond);
        weights[p] += weight;
        Store(Where(open, -beyond), row);
        Store(weight, row + kLanes);
      }
    }
    // Resources of which no child requests more take no further part.
    for (size_t p = 0; p < kParts; ++p) {
      const Wholes anybody = weights[p] > 0;
      left[p] = Where(anybody, left[p]);
      weights[p] = Choose(anybody, weights[p], Doubles{1, 1, 1, 1});
    }
  }
};

// The sums of 4 * kParts resources over `count` children before the rounds, and the results after
// them.
template <size_t kParts>
struct Columns {
  static constexpr size_t kLanes = 4 * kParts;
  size_t count;
  const uint8_t* lends;
  int64_t* rows;
  double* wishes;
  // Sums over the children, and all bits that any of them has set.
  Wholes amount_bits[kParts], weight_bits[kParts], given[kParts], rooms[kParts], weights[kParts];
  alignas(32) double left[kLanes], shifted[kLanes], scale[kLanes];
  alignas(32) int64_t keep[kLanes];  // all bits where wishes can stay open
  uint32_t too_large = 0;            // resources, as bits
  bool rescale = false;

  MUSTER_AVX2_INSIDE void AddUp() {
    // Locals instead of members, so that they stay in registers.
    Wholes all_amounts[kParts] = {}, all_weights[kParts] = {};
    Wholes sum_given[kParts] = {}, sum_rooms[kParts] = {}, sum_weights[kParts] = {};
    for (size_t i = 0; i < count; ++i) {
      const int64_t lent = -static_cast<int64_t>(lends[i]);
      for (size_t p = 0; p < kParts; ++p) {
        const int64_t* const row = rows + 4 * i * kLanes + 4 * p;
        const Wholes request = Load(row), weight = Load(row + kLanes);
        const Wholes floor = Load(row + 2 * kLanes), above = request > floor;
        const Wholes wants = above & (weight > 0);
        const Wholes more = (request - floor) & wants, heavy = weight & wants;
        all_amounts[p] |= request | floor;
        all_weights[p] |= heavy;
        sum_given[p] += (request & lent & ~above) | (floor & (above | ~lent));
        sum_rooms[p] += more;
        sum_weights[p] += heavy;
        Store(AsDoubles(more), wishes + 4 * i * kLanes + 4 * p);
        Store(AsDoubles(heavy), wishes + (4 * i + 1) * kLanes + 4 * p);
      }
    }
    for (size_t p = 0; p < kParts; ++p) {
      amount_bits[p] = all_amounts[p];
      weight_bits[p] = all_weights[p];
      given[p] = sum_given[p];
      rooms[p] = sum_rooms[p];
      weights[p] = sum_weights[p];
    }
  }

  // Measures what is to be handed out of the resource, and the weights without the zeros that all
  // of them end with.
  MUSTER_AVX2_INSIDE void Measure(size_t l, int64_t total, int width) {
    left[l] = 0;
    shifted[l] = scale[l] = 1;
    keep[l] = -1;
    const size_t p = l / 4, at = l % 4;
    const uint64_t heavy = static_cast<uint64_t>(weight_bits[p][at]);
    const uint64_t room = static_cast<uint64_t>(rooms[p][at]);
    const uint64_t weight = static_cast<uint64_t>(weights[p][at]);
    const int amount_width = std::bit_width(static_cast<uint64_t>(amount_bits[p][at]));
    const int weight_width = std::bit_width(heavy);
    int64_t rest = 0;
    bool fits = amount_width <= kBits && amount_width + width <= 62 && weight_width <= kBits &&
                weight_width + width <= 62 && !__builtin_sub_overflow(total, given[p][at], &rest);
    if (fits && rest >= 0 && room <= static_cast<uint64_t>(rest)) {
      keep[l] = 0;
      return;
    }
    if (fits && (rest <= 0 || weight == 0)) return;
    const int zeros = heavy == 0 ? 0 : std::countr_zero(heavy);
    const uint64_t sum = weight >> zeros;
    fits = fits && rest >> kBits == 0 && weight_width - zeros + std::bit_width(sum) <= kBits;
    if (!fits) {
      too_large |= 1u << l;
      scale[l] = 0;
      rescale = true;
      return;
    }
    left[l] = static_cast<double>(rest);
    shifted[l] = static_cast<double>(sum);
    scale[l] = 1.0 / static_cast<double>(uint64_t{1} << zeros);
    rescale |= zeros > 0;
  }

  MUSTER_AVX2_INSIDE void Rescale() const {
    for (size_t i = 0; i < count; ++i) {
      for (size_t p = 0; p < kParts; ++p) {
        double* const room = wishes + 4 * i * kLanes + 4 * p;
        const Doubles by = Load(scale + 4 * p);
        // Where the numbers were too large, the result may be no number.
        Store(Where(by > 0, Load(room)), room);
        Store(Doubles(Where(by > 0, Load(room + kLanes)) * by), room + kLanes);
      }
    }
  }

  // Of the resources `which`, as bits.
  MUSTER_AVX2_INSIDE void Write(uint32_t which) const {
    alignas(32) int64_t written[kLanes];
    for (size_t l = 0; l < kLanes; ++l) written[l] = (which >> l & 1) != 0 ? -1 : 0;
    for (size_t i = 0; i < count; ++i) {
      const int64_t lent = -static_cast<int64_t>(lends[i]);
      for (size_t p = 0; p < kParts; ++p) {
        int64_t* const row = rows + 4 * i * kLanes + 4 * p;
        const Wholes request = Load(row), floor = Load(row + 2 * kLanes);
        const Wholes above = request > floor, in = Load(written + 4 * p);
        const Wholes all = (above & (Load(row + kLanes) > 0)) | (lent & ~above);
        const Wholes open = AsWholes(Load(wishes + 4 * i * kLanes + 4 * p)) & Load(keep + 4 * p);
        const Wholes runtime = ((request & all) | (floor & ~all)) - open;
        Store(Wholes((runtime & in) | (Load(row + 3 * kLanes) & ~in)), row + 3 * kLanes);
      }
    }
  }
};

// Returns the resources (bits) with numbers that are too large; nothing of these is written.
template <size_t kParts>
MUSTER_AVX2 uint32_t HandOut(const int64_t* totals, uint32_t which, size_t count,
                             const uint8_t* lends, int64_t* rows, double* wishes) {
  Columns<kParts> columns;
  columns.count = count;
  columns.lends = lends;
  columns.rows = rows;
  columns.wishes = wishes;
  columns.AddUp();
  const int width = std::bit_width(count);
  for (size_t l = 0; l < Columns<kParts>::kLanes; ++l) columns.Measure(l, totals[l], width);
  if (columns.rescale) columns.Rescale();
  Rounds<kParts> rounds;
  rounds.count = count;
  rounds.wishes = wishes;
  for (size_t p = 0; p < kParts; ++p) {
    rounds.left[p] = Load(columns.left + 4 * p);
    rounds.weights[p] = Load(columns.shifted + 4 * p);
  }
  while (rounds.AnyLeft()) {
    Doubles most[kParts];
    rounds.Divide(most);
    rounds.FindCut(most);
    rounds.Settle();
  }
  columns.Write(which & ~columns.too_large);
  return columns.too_large & which;
}

bool HasLanes() { return __builtin_cpu_supports("avx2"); }

#else

bool HasLanes() { return false; }
template <size_t kParts>
uint32_t HandOut(const int64_t*, uint32_t which, size_t, const uint8_t*, int64_t*, double*) {
  return which;
}

#endif

}  // namespace

void Redistribution::Run(std::span<const int64_t> totals, uint32_t which, Rounding rounding,
                         const ClaimRows& claims) {
  const size_t count = claims.lends.size(), lanes = claims.lanes;
  uint32_t by_columns = which;
  if (rounding == Rounding::kLargestRemainder && HasLanes()) {
    if (row_wishes_.size() < 4 * count * lanes) row_wishes_.resize(4 * count * lanes);
    const auto hand_out = lanes == 4 ? HandOut<1> : HandOut<2>;
    by_columns =
        hand_out(totals.data(), which, count, claims.lends.data(), claims.rows, row_wishes_.data());
  }
  if (by_columns == 0) return;
  for (size_t l = 0; l < lanes; ++l) {
    if ((by_columns >> l & 1) == 0) continue;
    for (std::vector<int64_t>& column : columns_) column.resize(count);
    for (size_t i = 0; i < count; ++i) {
      for (size_t number = 0; number < 3; ++number) {
        columns_[number][i] = claims.rows[(4 * i + number) * lanes + l];
      }
    }
    const auto& [request, weight, floor, runtime] = columns_;
    Run(totals[l], rounding, {request, weight, floor, floor, claims.lends}, columns_[3]);
    for (size_t i = 0; i < count; ++i) claims.rows[(4 * i + 3) * lanes + l] = runtime[i];
  }
}

}  // namespace muster
