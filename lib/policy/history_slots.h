// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The history of run times (run_history.h) as memory of cycles.
//
//   HistorySlots history(*internal::DataOf(cycle).memory);
//   history.Learn({.user = "ann", .estimate = 3600, .size = 16}, /*run=*/110);
//   const double length = history.Length({.user = "ann", .estimate = 3600, .size = 16});
//
// Slot "history" has a row for each key of which a job has ended: count, sum of run times, sum of
// inverses. Keys are words: "0"; "1 12 5" (magnitudes of estimate and size); "2 ann"; "3 3600 ann";
// "4 3600 16 ann". Slot "history-recent" has the last jobs that ended, up to 255 of them: run,
// estimate, size, user. They are added to the sums all at once.
//
// Guarantee. Equal to RunHistory, bit by bit, after the same jobs.
//
// Cost. Length: five look-ups, and a look at each recent job. Learn: O(recent jobs), and every
// 256th time O(rows).
#ifndef MUSTER_POLICY_HISTORY_SLOTS_H_
#define MUSTER_POLICY_HISTORY_SLOTS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lib/extension/memory_slots.h"
#include "lib/policy/run_history.h"
#include "muster/memory.h"

namespace muster {

// Of every policy that reads or writes the history.
inline constexpr MemoryDecl kHistorySlot = {"history", 1}, kRecentSlot = {"history-recent", 1};

class HistorySlots {
 public:
  struct Kind {
    std::string_view user;  // empty: not known
    int64_t estimate = 1, size = 1;
  };

  // `slots` must outlive this, and declare both slots.
  explicit HistorySlots(MemorySlots& slots) : slots_(slots) {}

  void Learn(const Kind& kind, int64_t run);
  // Returns seconds; above 0.
  double Length(const Kind& kind) const;

 private:
  static constexpr size_t kMostRecent = 256;

  RunSums SumsOf(const std::string& key) const;
  void Fold();

  MemorySlots& slots_;
};

}  // namespace muster

#endif  // MUSTER_POLICY_HISTORY_SLOTS_H_
