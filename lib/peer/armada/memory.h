// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What one round hands to the next: tokens that are left, and runs that the cluster's rows cannot
// tell.
//
//   RunMemory runs(memory, tables, ledger);
//   if (const RunRow* run = runs.Find(task)) ...   // where it was scheduled, at which priority
//   runs.Note(task, {.node = node, .priority = 500});
//   runs.Store();
//
// Slot armada-runs has a row for each task that
// - holds a place which a leaving task still has: its node is promised, and counts as the task's
//   run from now on;
// - or was scheduled at another priority than that of its class, or for another pool than that of
//   its node.
// A row is void once the task has neither the node nor the promise.
//
// Slot armada-tokens has a row for each rate with fewer tokens than its burst: tokens, and the time
// at which they were left. The time of the last optimiser step is there, too. Rates of 0 never come
// back.
//
// The peer forgets shapes that found no node at the end of a round, so none are kept.
#ifndef MUSTER_PEER_ARMADA_MEMORY_H_
#define MUSTER_PEER_ARMADA_MEMORY_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/hash_map.h"
#include "lib/extension/memory_slots.h"
#include "lib/ledger/ledger.h"
#include "lib/peer/armada/cluster.h"
#include "lib/peer/armada/config.h"

namespace muster::armada {

inline constexpr MemoryDecl kRunSlot = {"armada-runs", 1}, kTokenSlot = {"armada-tokens", 1};

struct RunRow {
  muster::NodeIndex node = kNone;
  int32_t priority = 0;
  int64_t created = 0;
  std::string pool;
};

class RunMemory {
 public:
  // Reads the slot. All must outlive this.
  RunMemory(MemorySlots* memory, const muster::Tables& tables, const Ledger& ledger);

  // Null: there is no row, or it is void.
  const RunRow* Find(TaskIndex task) const;
  void Note(TaskIndex task, RunRow row) { rows_[task] = std::move(row); }
  void Forget(TaskIndex task) { rows_.erase(task); }
  // Writes the rows if they changed.
  void Store() const;

 private:
  MemorySlots& memory_;
  const muster::Tables& tables_;
  HashMap<TaskIndex, RunRow> rows_;
};

// The tokens of rates at the time of a round.
class TokenMemory {
 public:
  TokenMemory(MemorySlots* memory, int64_t now) : memory_(*memory), now_(now) {}

  // Returns a limiter with the tokens that are there now. `key` names the rate.
  Limiter Open(std::string_view key, const Rate& rate) const;
  // Writes what is left after `taken` tokens; nothing if none were.
  void Close(std::string_view key, const Limiter& opened, int64_t taken);

  // Returns whether the interval since the last optimiser step has passed.
  bool OptimiserIsDue(int64_t interval) const;
  void NoteOptimiser();

 private:
  MemorySlots& memory_;
  int64_t now_;
};

}  // namespace muster::armada

#endif  // MUSTER_PEER_ARMADA_MEMORY_H_
