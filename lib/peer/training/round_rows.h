// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What jobs were due, had and were given on each type of GPU, as memory of cycles.
//
//   RoundRows rows(cycle, types);
//   const bool begins = rows.Begins(/*round=*/360);
//   RoundJob row = rows.Read("a");           // brought up to `now`
//   ...
//   rows.Write("a", row);
//
// Rules.
// - A cycle is the first of its round if none ran since the last multiple of the round's length.
// - Time counts from the cycle in which a job was first written. Of each type counts the longest
//   time of a task on it since then. A task without a start counts from the last cycle that wrote
//   the job. A task that leaves between two cycles is not counted since the first of them.
// - Each second, a job is owed its due on each type, less what it has there.
// - Time had is forgotten by Reset. What is owed is not.
//
// Memory. Slot "rounds": row "round" has the number of the round, the time of the last Reset, and 1
// if the dues have changed since; row "job/NAME" the time up to which it counts, 1 and the type
// that the job has in this round (0 and "": none), and for each type its name, the seconds had,
// what is owed in millionths of a second, and the due in millionths.
//
// Cost. O(tasks that hold a place) for each job. Rows are integers, so equal histories give equal
// orders on every machine.
#ifndef MUSTER_PEER_TRAINING_ROUND_ROWS_H_
#define MUSTER_PEER_TRAINING_ROUND_ROWS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lib/ledger/ledger.h"
#include "lib/model/tables.h"
#include "lib/peer/training/gpu_types.h"
#include "lib/policy/round_slot.h"
#include "muster/memory.h"
#include "muster/policy/cycle.h"

namespace muster {

inline constexpr int64_t kDueParts = 1'000'000;

struct RoundJob {
  std::vector<int64_t> had, owed, due;  // by type
  size_t type = 0;                      // in this round; number of types: none
  bool noted = false;                   // it has a row
};

class RoundRows {
 public:
  // All must outlive this. Rows of jobs that are gone are erased.
  RoundRows(const Cycle& cycle, const GpuTypes& types);

  // Returns whether the cycle is the first of its round, and notes the round.
  bool Begins(int64_t round);
  RoundJob Read(JobIndex job) const;
  void Write(JobIndex job, const RoundJob& row);

  // Notes that dues have changed.
  void Change() { changed_ = true; }
  // Returns whether time had is to be forgotten: dues have changed since the last time, and it is
  // `least` seconds ago. It then counts as forgotten.
  bool Reset(int64_t least);

 private:
  void Count(JobIndex job, int64_t seen, RoundJob* row) const;
  void WriteRound();

  const Cycle& cycle_;
  const GpuTypes& types_;
  const Tables& tables_;
  const Ledger& ledger_;
  MemorySlot& slot_;
  int64_t number_ = 0, last_reset_ = 0;
  bool changed_ = false, is_first_ = false;
};

}  // namespace muster

#endif  // MUSTER_PEER_TRAINING_ROUND_ROWS_H_
