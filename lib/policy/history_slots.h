// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The history of run times (run_history.h) as memory of cycles.
//
//   recent_.Open(*internal::DataOf(cycle).memory);  // a RecentRuns that the policy keeps
//   HistorySlots history(*internal::DataOf(cycle).memory, recent_);
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
// Cost. Length: five look-ups. For a key that was not asked about since others changed the memory,
// one of them is in the rows, and each recent job is looked at. Learn: O(log of the recent jobs),
// and every 256th time O(rows). A RecentRuns keeps the sums of keys that were asked about, and
// their users. It starts anew in a cycle that opens with more than 65,536 of either.
#ifndef MUSTER_POLICY_HISTORY_SLOTS_H_
#define MUSTER_POLICY_HISTORY_SLOTS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/hash_map.h"
#include "lib/extension/memory_slots.h"
#include "lib/policy/run_history.h"
#include "muster/memory.h"

namespace muster {

// Of every policy that reads or writes the history.
inline constexpr MemoryDecl kHistorySlot = {"history", 1}, kRecentSlot = {"history-recent", 1};

// The recent jobs as numbers, and the sums of the keys that were asked about. A policy keeps it
// from cycle to cycle, so that rows are read once.
class RecentRuns {
 public:
  static constexpr size_t kMostKept = size_t{1} << 16;

  // When a cycle begins: forgets all unless the slots are those of the last Close, and where more
  // than kMostKept sums or users are kept.
  void Open(const MemorySlots& slots);
  // When a cycle ends. Without it the next one reads the rows anew.
  void Close(const MemorySlots& slots);
  // Returns how many sums or users are kept, whichever are more.
  size_t kept() const { return std::max(sums_.size(), users_.size()); }

 private:
  friend class HistorySlots;
  struct Run {
    int64_t run;
    RunKind kind;
  };
  // Returns a number for the user, which stands for its name in keys; kNone: it is not known.
  uint32_t NumberOf(std::string_view user);

  bool known_ = false, kept_ = false;
  std::vector<Run> runs_;  // in the order of their rows
  std::string last_name_;
  HashMap<RunKey, RunSums> sums_;  // of keys, with what the recent jobs add
  HashMap<std::string, uint32_t> users_;
  MemorySlot history_, recent_;
};

class HistorySlots {
 public:
  struct Kind {
    std::string_view user;  // empty: not known
    int64_t estimate = 1, size = 1;
  };

  // Both must outlive this. `slots` declare both slots; `recent` was opened on them.
  HistorySlots(MemorySlots& slots, RecentRuns& recent) : slots_(slots), recent_(recent) {}

  void Learn(const Kind& kind, int64_t run);
  // Returns seconds; above 0.
  double Length(const Kind& kind) const;

 private:
  static constexpr size_t kMostRecent = 256;

  // Returns the sums of a row, without the recent jobs.
  RunSums SumsOf(const std::string& key) const;
  // Returns the sums of a key of the kind, with the recent jobs.
  const RunSums& AllOf(uint32_t level, const Kind& kind, const RunKind& known) const;
  // Reads the rows of recent jobs unless they are known.
  void ReadRecent() const;
  void Append(std::string_view name, const Kind& kind, int64_t run) const;
  void Fold();

  MemorySlots& slots_;
  RecentRuns& recent_;
};

}  // namespace muster

#endif  // MUSTER_POLICY_HISTORY_SLOTS_H_
