// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Partial admission: the largest counts of pods with which a workload fits.
//
//   std::optional<std::vector<int64_t>> counts =
//       LargestCounts(full, least, [&](const std::vector<int64_t>& c) { return Fits(c); });
//
// Counts shrink together, from all pods to the minimum, in as many steps as pods can be left out. A
// binary search finds the first step that fits. Where fitting is not monotone, it may find a step
// that was not the last one that fitted; the answer is then none, as at the peer.
//
// Cost. O(log of the number of steps) questions.
#ifndef MUSTER_PEER_KUEUE_PARTIAL_H_
#define MUSTER_PEER_KUEUE_PARTIAL_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace muster::kueue {

// `full` and `least` have one number for each pod set; `fits` takes counts.
template <class Fits>
std::optional<std::vector<int64_t>> LargestCounts(const std::vector<int64_t>& full,
                                                  const std::vector<int64_t>& least, Fits fits) {
  int64_t steps = 0;
  for (size_t i = 0; i < full.size(); ++i) steps += full[i] - least[i];
  if (steps == 0) return std::nullopt;
  const auto counts_at = [&](int64_t step) {
    std::vector<int64_t> counts = full;
    for (size_t i = 0; i < full.size(); ++i) counts[i] -= (full[i] - least[i]) * step / steps;
    return counts;
  };
  int64_t begin = 0, end = steps + 1, last_good = 0;
  std::optional<std::vector<int64_t>> good;
  while (begin < end) {
    const int64_t middle = begin + (end - begin) / 2;
    std::vector<int64_t> counts = counts_at(middle);
    if (fits(counts)) {
      last_good = middle;
      good = std::move(counts);
      end = middle;
    } else {
      begin = middle + 1;
    }
  }
  if (begin != last_good) return std::nullopt;
  return good;
}

}  // namespace muster::kueue

#endif  // MUSTER_PEER_KUEUE_PARTIAL_H_
