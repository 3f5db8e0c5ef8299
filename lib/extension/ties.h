// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The order of rows that no policy distinguishes, as data.
//
//   TieRanks ties;
//   ties.Open(TieRule::kName, "queue", names, alive, cycle);
//   if (ties.place(a) != ties.place(b)) return ties.place(a) < ties.place(b);
//
// Rows of equal places go by insertion, so that every order is total. Under kInsertion all places
// are equal and nothing is computed.
// Cost. Open sorts the rows, O(n log n); a place is a look-up.
#ifndef MUSTER_EXTENSION_TIES_H_
#define MUSTER_EXTENSION_TIES_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/names.h"
#include "muster/policy/cycle.h"

namespace muster {

enum class TieRule : uint8_t {
  kInsertion,    // time of creation and rank of the uid where the rows have them, then insertion
  kName,         // by name, byte by byte
  kSeed,         // by a hash of the name and ScheduleOptions::seed
  kLeastRecent,  // first the row that was used longest ago, as the memory has it; never: before all
};
inline constexpr int kTieRuleCount = 4;
// Returns "insertion", "name", "seed" or "least-recent".
std::string_view TieRuleName(TieRule rule);

// The rules of a profile. A queue is used when one of its jobs takes a turn, a job when it takes
// one, a node when a task is bound or nominated to it.
struct TieRules {
  TieRule queues = TieRule::kInsertion;
  TieRule jobs = TieRule::kInsertion;
  TieRule nodes = TieRule::kInsertion;
  bool remember() const {
    return queues == TieRule::kLeastRecent || jobs == TieRule::kLeastRecent ||
           nodes == TieRule::kLeastRecent;
  }
};

// The slot of the memory. Row "queue/a": the number of the last use of queue a; uses are counted.
inline constexpr std::string_view kTieSlot = "ties";

class TieRanks {
 public:
  // `kind`: "queue", "job" or "node". All must outlive the cycle.
  void Open(TieRule rule, std::string_view kind, const NameTable& names,
            const std::vector<uint8_t>& alive, const Cycle& cycle);

  bool any() const { return !places_.empty(); }
  bool recent() const { return recent_; }
  uint32_t place(uint32_t row) const { return places_.empty() ? 0 : places_[row]; }
  // Notes that the row was used.
  void Use(uint32_t row) {
    if (recent_) Remember(row);
  }

 private:
  void Remember(uint32_t row);
  std::string KeyOf(uint32_t row) const;
  void ByName(const std::vector<uint8_t>& alive);
  void BySeed(const std::vector<uint8_t>& alive, uint64_t seed);
  void ByUse(const std::vector<uint8_t>& alive);

  std::string_view kind_;
  const NameTable* names_ = nullptr;
  const Cycle* cycle_ = nullptr;
  std::vector<uint32_t> places_;  // by row; empty: all are equal
  bool recent_ = false;
  bool pruned_ = false;
  uint32_t next_place_ = 0;
  int64_t next_use_ = 0;
};

}  // namespace muster

#endif  // MUSTER_EXTENSION_TIES_H_
