// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The reasons why nodes refuse a class, counted, and kept while the books change node by node.
#ifndef MUSTER_SEARCH_REFUSAL_TALLY_H_
#define MUSTER_SEARCH_REFUSAL_TALLY_H_

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "muster/plan.h"

namespace muster {

using RefusalKey = std::tuple<RefusalCode, DimensionIndex, std::string>;

// Counts nodes by their refusal; equal refusals are one.
class RefusalTally {
 public:
  static constexpr uint16_t kFits = 0xffff;

  // Returns the number of a refusal.
  uint16_t NumberOf(const RefusalKey& key) {
    for (size_t i = 0; i < keys_.size(); ++i) {
      if (keys_[i] == key) return static_cast<uint16_t>(i);
    }
    keys_.push_back(key);
    counts_.push_back(0);
    return static_cast<uint16_t>(keys_.size() - 1);
  }
  void Add(uint16_t number, int64_t nodes) {
    if (number != kFits) counts_[number] += nodes;
  }
  // Returns most nodes first; equal counts by the order of the keys.
  std::vector<Refusal> Sorted() const;

 private:
  std::vector<RefusalKey> keys_;
  std::vector<int64_t> counts_;
};

// The tally of one class, which follows the ledger's journal.
struct KeptTally {
  RefusalTally tally;
  std::vector<uint16_t> why;  // by node
  uint64_t birth = 0;         // of the ledger's journal; 0: nothing is counted
  size_t position = 0;        // in it
};

}  // namespace muster

#endif  // MUSTER_SEARCH_REFUSAL_TALLY_H_
