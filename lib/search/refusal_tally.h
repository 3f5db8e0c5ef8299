// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The reasons why nodes refuse a class, counted, and kept while the books change node by node.
#ifndef MUSTER_SEARCH_REFUSAL_TALLY_H_
#define MUSTER_SEARCH_REFUSAL_TALLY_H_

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "lib/base/hash_map.h"
#include "muster/plan.h"

namespace muster {

using RefusalKey = std::tuple<RefusalCode, DimensionIndex, std::string>;

// Counts nodes by their refusal; equal refusals are one.
class RefusalTally {
 public:
  static constexpr uint32_t kFits = kNone;

  // Returns the number of a refusal.
  uint32_t NumberOf(const RefusalKey& key) {
    const auto place = counts_.try_emplace(key, 0).first;
    return static_cast<uint32_t>(place - counts_.begin());
  }
  void Add(uint32_t number, int64_t nodes) {
    if (number != kFits) (counts_.begin() + number)->second += nodes;
  }
  // Returns most nodes first; equal counts by the order of the keys.
  std::vector<Refusal> Sorted() const;

 private:
  HashMap<RefusalKey, int64_t> counts_;  // in the order of their numbers: none is erased
};

// The tally of one class, which follows the ledger's journal.
struct KeptTally {
  RefusalTally tally;
  std::vector<uint32_t> why;  // by node
  uint64_t birth = 0;         // of the ledger's journal; 0: nothing is counted
  size_t position = 0;        // in it
};

}  // namespace muster

#endif  // MUSTER_SEARCH_REFUSAL_TALLY_H_
