// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Sums over all jobs or nodes that a policy needs in each cycle, kept from one cycle to the next.
//
//   ForChangedJobs(cycle, [&](JobIndex job) { sums.Put(job, queue, amounts); });  // {}: nothing
//   double promised = sums.Sum(queue, d);
//
// Guarantee. A sum is what adding up doubles in the order of the members gives, to the bit: whole
// numbers add up exactly in any order while the sum is no more than 2^53, and beyond that they are
// added up in that order.
// Cost. O(members that changed) a cycle; a sum beyond 2^53 costs O(members that add something).
#ifndef MUSTER_POLICY_KEPT_SUMS_H_
#define MUSTER_POLICY_KEPT_SUMS_H_

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/container/inlined_vector.h"
#include "absl/numeric/int128.h"
#include "lib/extension/cycle.h"

namespace muster {

// Calls visit(job) for every job, dead ones too, that may differ from what it was when the last
// cycle opened.
template <class Visit>
void ForChangedJobs(const Cycle& cycle, const Visit& visit) {
  if (internal::DataOf(cycle).changed != nullptr) {
    for (JobIndex job : *internal::DataOf(cycle).changed) visit(job);
    return;
  }
  for (JobIndex job = 0; job < internal::DataOf(cycle).tables.jobs.alive.size(); ++job) visit(job);
}

class KeptSums {
 public:
  // Room for so many rows of so many dimensions. REQUIRES: `dimensions` is what it was.
  void Resize(size_t rows, size_t dimensions) {
    dimensions_ = dimensions;
    sums_.resize(rows * dimensions, 0);
  }

  // What the member, a job or a node, adds to the row instead of what it added before: amounts at
  // or above 0, or none.
  void Put(uint32_t member, size_t row, std::span<const int64_t> amounts) {
    const bool adds = std::any_of(amounts.begin(), amounts.end(), [](int64_t x) { return x > 0; });
    const auto known = parts_.find(member);
    if (known != parts_.end()) {
      if (known->second.row == row && std::ranges::equal(known->second.amounts, amounts)) return;
      Add(known->second, -1);
      if (!adds) parts_.erase(known);
    }
    if (!adds) return;
    Part& part = known != parts_.end() ? known->second : parts_[member];
    part.row = row;
    part.amounts.assign(amounts.begin(), amounts.end());
    Add(part, 1);
  }

  double Sum(size_t row, size_t dimension) const {
    constexpr int64_t kExact = int64_t{1} << 53;
    const absl::int128 sum = sums_[row * dimensions_ + dimension];
    if (sum <= kExact) return static_cast<double>(static_cast<int64_t>(sum));
    double in_order = 0;
    for (const auto& [member, part] : parts_) {
      if (part.row == row) in_order += static_cast<double>(part.amounts[dimension]);
    }
    return in_order;
  }

 private:
  struct Part {
    size_t row = 0;
    absl::InlinedVector<int64_t, 4> amounts;
  };
  void Add(const Part& part, int sign) {
    for (size_t d = 0; d < dimensions_; ++d) {
      sums_[part.row * dimensions_ + d] += absl::int128(sign) * part.amounts[d];
    }
  }

  size_t dimensions_ = 0;
  absl::btree_map<uint32_t, Part> parts_;  // of members that add something
  std::vector<absl::int128> sums_;         // by row and dimension
};

}  // namespace muster

#endif  // MUSTER_POLICY_KEPT_SUMS_H_
