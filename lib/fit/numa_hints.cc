// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Sets of zones are numbered 0 .. 2^z - 1, where bit i stands for the i-th zone that the machine
// has. Over such numbers,
//
//   occurs[m] = there is a hint (or a result so far) that is exactly m
//
// becomes, by adding up over supersets, "how many contain m". An intersection contains m if both
// parts do, so numbers of intersections multiply. Subtraction is the way back.
#include "lib/fit/numa_hints.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <string>

#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace muster {
namespace {

// Of each set: how many there are. With 2^16 sets a product is below 2^34.
using Sets = absl::InlinedVector<int64_t, 256>;

void AddUpSupersets(Sets& sets) {
  int64_t* const all = sets.data();
  for (size_t bit = 1; bit < sets.size(); bit *= 2) {
    for (size_t begin = 0; begin < sets.size(); begin += 2 * bit) {
      for (size_t m = begin; m < begin + bit; ++m) all[m] += all[m + bit];
    }
  }
}

void TakeSupersetsOff(Sets& sets) {
  int64_t* const all = sets.data();
  for (size_t bit = 1; bit < sets.size(); bit *= 2) {
    for (size_t begin = 0; begin < sets.size(); begin += 2 * bit) {
      for (size_t m = begin; m < begin + bit; ++m) all[m] -= all[m + bit];
    }
  }
}

bool TakesPart(NumaPolicy policy, const NumaHint& hint) {
  return policy != NumaPolicy::kSingleZone ||
         (hint.preferred && (!hint.zones.has_value() || std::popcount(*hint.zones) == 1));
}

// What a Merger that has met these hints alone would call the best: each set occurs as it is.
NumaHint BestOfOne(NumaPolicy policy, uint64_t zones, const std::vector<NumaHint>& hints) {
  NumaHint best{.zones = zones, .preferred = false};
  int size = kMostNumaZones + 1;
  for (const NumaHint& hint : hints) {
    const uint64_t set = hint.zones.value_or(zones) & zones;
    if (set == 0 || !TakesPart(policy, hint) || hint.preferred < best.preferred) continue;
    const int here = std::popcount(set);
    const bool better =
        hint.preferred > best.preferred || here < size || (here == size && set < *best.zones);
    if (!better) continue;
    best = {.zones = set, .preferred = hint.preferred};
    size = here;
  }
  return best;
}

class Merger {
 public:
  explicit Merger(uint64_t zones)
      : zones_(zones), size_(size_t{1} << std::popcount(zones)), preferred_(size_), all_(size_) {
    preferred_[size_ - 1] = all_[size_ - 1] = 1;
  }

  void Meet(NumaPolicy policy, const std::vector<NumaHint>& hints) {
    Sets preferred(size_), all(size_);
    if (hints.empty() && policy != NumaPolicy::kSingleZone) all[size_ - 1] = 1;
    for (const NumaHint& hint : hints) {
      if (!TakesPart(policy, hint)) continue;
      const size_t set = Number(hint.zones.value_or(zones_));
      if (hint.preferred) preferred[set] = 1;
      all[set] = 1;
    }
    AddUpSupersets(preferred);
    AddUpSupersets(all);
    AddUpSupersets(preferred_);
    AddUpSupersets(all_);
    for (size_t m = 0; m < size_; ++m) {
      preferred_[m] *= preferred[m];
      all_[m] *= all[m];
    }
    TakeSupersetsOff(preferred_);
    TakeSupersetsOff(all_);
    for (size_t m = 0; m < size_; ++m) {
      preferred_[m] = preferred_[m] > 0 ? 1 : 0;
      all_[m] = all_[m] > 0 ? 1 : 0;
    }
  }

  NumaHint Best() const {
    for (const bool preferred : {true, false}) {
      const Sets& occur = preferred ? preferred_ : all_;
      size_t best = 0;
      for (size_t m = 1; m < size_; ++m) {
        if (occur[m] != 0 && (best == 0 || std::popcount(m) < std::popcount(best))) best = m;
      }
      if (best != 0) return {.zones = Zones(best), .preferred = preferred};
    }
    return {.zones = zones_, .preferred = false};
  }

 private:
  // Zones that the machine does not have are left out.
  size_t Number(uint64_t zones) const {
    if ((zones_ & (zones_ + 1)) == 0) return zones & zones_;  // numbered from 0 on
    size_t number = 0;
    int bit = 0;
    for (uint64_t left = zones_; left != 0; left &= left - 1, ++bit) {
      if ((zones & left & -left) != 0) number |= size_t{1} << bit;
    }
    return number;
  }
  uint64_t Zones(size_t number) const {
    uint64_t zones = 0;
    for (uint64_t left = zones_; left != 0; left &= left - 1, number /= 2) {
      if (number % 2 != 0) zones |= left & -left;
    }
    return zones;
  }

  uint64_t zones_;
  size_t size_;
  Sets preferred_;  // results of which every part is preferred
  Sets all_;        // results of any parts
};

NumaHint Best(NumaPolicy policy, uint64_t zones, std::span<const NumaHints> resources) {
  const auto bound = [](const NumaHints& hints) { return hints.has_value(); };
  if (std::ranges::count_if(resources, bound) == 1) {
    return BestOfOne(policy, zones, **std::ranges::find_if(resources, bound));
  }
  Merger merger(zones);
  for (const NumaHints& hints : resources) {
    if (hints.has_value()) merger.Meet(policy, *hints);
  }
  return merger.Best();
}

}  // namespace

absl::StatusOr<NumaChoice> MergeHints(NumaPolicy policy, uint64_t zones,
                                      std::span<const NumaHints> resources) {
  if (std::popcount(zones) > kMostNumaZones) {
    return absl::InvalidArgumentError(absl::StrCat("NUMA hints: the machine has ",
                                                   std::popcount(zones), " zones, more than ",
                                                   kMostNumaZones));
  }
  if (policy == NumaPolicy::kNone) return NumaChoice{.hint = {}, .admitted = true};
  const NumaHint best = Best(policy, zones, resources);
  return NumaChoice{.hint = best, .admitted = policy == NumaPolicy::kBestEffort || best.preferred};
}

}  // namespace muster
