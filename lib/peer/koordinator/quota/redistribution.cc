// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Products and sums are 128 bits wide, so nothing overflows for any input.
#include "lib/peer/koordinator/quota/redistribution.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace muster {
namespace {

using Wide = unsigned __int128;

struct Quotient {
  uint64_t quotient, remainder;
};

// weight * total / weights, for any weights that are not above their sum. The divisor is shifted up
// to its highest bit and its reciprocal counted once; a quotient is then at most one off before it
// is put right. Remainders stay shifted: only their order matters.
class ByReciprocal {
 public:
  ByReciprocal(uint64_t total, uint64_t weights)
      : total_(total),
        shift_(std::countl_zero(weights)),
        divisor_(weights << shift_),
        reciprocal_(static_cast<uint64_t>(Reciprocal())) {}
  Quotient operator()(uint64_t weight) const {
    const Wide product = static_cast<Wide>(weight << shift_) * total_;
    const uint64_t high = static_cast<uint64_t>(product >> 64);
    const uint64_t low = static_cast<uint64_t>(product);
    const Wide estimate = static_cast<Wide>(reciprocal_) * high + product;
    uint64_t quotient = static_cast<uint64_t>(estimate >> 64) + 1;
    uint64_t remainder = low - quotient * divisor_;
    if (remainder > static_cast<uint64_t>(estimate)) {
      --quotient;
      remainder += divisor_;
    }
    if (remainder >= divisor_) {
      ++quotient;
      remainder -= divisor_;
    }
    return {quotient, remainder};
  }

 private:
  // (2^128 - 1) / divisor - 2^64, the subtraction done first: what remains to divide is one machine
  // division.
  Wide Reciprocal() const { return (static_cast<Wide>(~divisor_) << 64 | ~uint64_t{0}) / divisor_; }

  uint64_t total_;
  int shift_;
  uint64_t divisor_, reciprocal_;
};

// The same where the sum of the weights needs more than 64 bits.
class ByWideDivision {
 public:
  struct Quotient {
    uint64_t quotient;
    Wide remainder;
  };
  ByWideDivision(uint64_t total, Wide weights) : total_(total), weights_(weights) {}
  Quotient operator()(uint64_t weight) const {
    const Wide product = static_cast<Wide>(weight) * total_;
    return {static_cast<uint64_t>(product / weights_), product % weights_};
  }

 private:
  uint64_t total_;
  Wide weights_;
};

}  // namespace

template <typename Remainder, typename Divide>
void Redistribution::Split(uint64_t total, const Divide& divide, std::vector<Remainder>* remainders,
                           std::vector<Remainder>* ranked) {
  remainders->resize(wishes_.size());
  uint64_t residue = total;
  int64_t weight = 0;
  decltype(divide(0)) quotient = {0, 0};
  Remainder smallest = ~Remainder{0}, largest = 0;
  for (size_t i = 0; i < wishes_.size(); ++i) {
    if (wishes_[i].weight != weight) {
      weight = wishes_[i].weight;
      quotient = divide(static_cast<uint64_t>(weight));
      smallest = std::min(smallest, quotient.remainder);
      largest = std::max(largest, quotient.remainder);
    }
    wishes_[i].part = quotient.quotient;
    residue -= quotient.quotient;
    (*remainders)[i] = quotient.remainder;
  }
  if (residue == 0) return;
  // There are fewer units left than wishes. Each remainder above the cut gets one unit, and the
  // first ones at the cut.
  Remainder cut = largest;
  size_t above = 0;
  if (smallest != largest) {
    ranked->assign(remainders->begin(), remainders->end());
    const auto at = ranked->begin() + static_cast<ptrdiff_t>(residue) - 1;
    std::nth_element(ranked->begin(), at, ranked->end(), std::greater<>());
    cut = *at;
    above = static_cast<size_t>(
        std::count_if(ranked->begin(), at, [&](Remainder remainder) { return remainder > cut; }));
  }
  size_t at_cut = static_cast<size_t>(residue) - above;
  for (size_t i = 0; i < wishes_.size(); ++i) {
    const Remainder remainder = (*remainders)[i];
    if (remainder > cut) {
      ++wishes_[i].part;
    } else if (remainder == cut && at_cut > 0) {
      ++wishes_[i].part;
      --at_cut;
    }
  }
}

void Redistribution::SplitNearest(uint64_t total, double weights) {
  for (Wish& wish : wishes_) {
    const double exact = static_cast<double>(wish.weight) * static_cast<double>(total) / weights;
    wish.part = static_cast<uint64_t>(std::floor(exact + 0.5));
  }
}

void Redistribution::Run(int64_t total, Rounding rounding, const Claims& claims,
                         std::span<int64_t> runtime) {
  constexpr __int128 kMost = std::numeric_limits<int64_t>::max();
  __int128 left = total;
  Wide weights = 0;
  uint64_t rooms = 0;
  bool countless = false;  // more room than `rooms` can hold
  wishes_.clear();
  for (size_t i = 0; i < runtime.size(); ++i) {
    const int64_t request = claims.request[i];
    const int64_t floor = std::max(claims.min[i], claims.guarantee[i]);
    runtime[i] = request > floor ? floor : claims.lends[i] != 0 ? request : floor;
    left -= runtime[i];
    const int64_t weight = claims.weight[i];
    if (request <= floor || weight <= 0) continue;
    weights += static_cast<uint64_t>(weight);
    const uint64_t room = static_cast<uint64_t>(request) - static_cast<uint64_t>(floor);
    countless |= __builtin_add_overflow(rooms, room, &rooms);
    wishes_.push_back({static_cast<uint32_t>(i), weight, room, 0});
  }
  // A round that satisfies no child hands out all that is left, which is less than what is
  // requested. So where there is enough, rounds end only when every child has all.
  if (!countless && rooms <= left && rounding == Rounding::kLargestRemainder) {
    for (const Wish& wish : wishes_) runtime[wish.child] = claims.request[wish.child];
    return;
  }
  while (left > 0 && !wishes_.empty()) {
    const uint64_t amount = static_cast<uint64_t>(std::min(left, kMost));
    if (rounding == Rounding::kNearest) {
      SplitNearest(amount, static_cast<double>(weights));
    } else if (weights >> 64 == 0) {
      Split(amount, ByReciprocal(amount, static_cast<uint64_t>(weights)), &remainders_, &ranked_);
    } else {
      Split(amount, ByWideDivision(amount, weights), &wide_remainders_, &wide_ranked_);
    }
    left = 0;
    weights = 0;
    size_t still = 0;
    for (size_t i = 0; i < wishes_.size(); ++i) {
      Wish wish = wishes_[i];
      if (wish.part >= wish.room) {
        left += wish.part - wish.room;
        runtime[wish.child] = claims.request[wish.child];
        continue;
      }
      wish.room -= wish.part;
      weights += static_cast<uint64_t>(wish.weight);
      wishes_[still++] = wish;
    }
    wishes_.resize(still);
  }
  for (const Wish& wish : wishes_) {
    runtime[wish.child] =
        static_cast<int64_t>(static_cast<uint64_t>(claims.request[wish.child]) - wish.room);
  }
}

}  // namespace muster
