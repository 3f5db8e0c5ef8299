// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// A workload in the course of a cycle.
#ifndef MUSTER_PEER_KUEUE_ENTRY_H_
#define MUSTER_PEER_KUEUE_ENTRY_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lib/peer/kueue/assignment.h"
#include "lib/peer/kueue/pending.h"
#include "lib/peer/kueue/topology_world.h"
#include "lib/peer/kueue/victims.h"

namespace muster::kueue {

enum class EntryStatus : uint8_t {
  kNotNominated,
  kNominated,
  kSkipped,
  kAssumed,
  kEvicted,
  kPreemptionGated,
};

// Returns what an entry is requeued for in the end: what was nominated and then failed is tried
// again at once.
inline RequeueReason FinalReason(EntryStatus status, RequeueReason reason) {
  const bool failed = status != EntryStatus::kNotNominated && reason == RequeueReason::kGeneric;
  return failed ? RequeueReason::kFailedAfterNomination : reason;
}

// The note of a workload of which a check has to be passed again, or was rejected.
inline constexpr char kFailedChecks[] = "The workload has failed admission checks";

struct Entry {
  WorkloadIndex workload = kNothing;
  Queue queue = kNothing;
  bool considered = false;  // false: it was refused before flavors were looked at
  Assignment assignment;
  Mode mode = Mode::kNoFit;
  CellAmounts usage;                  // what it adds to its queue
  TopologyWorld::Usages places;       // and to topologies
  WorkloadIndex replaced = kNothing;  // ends when this is admitted
  WorkloadIndex migrates = kNothing;  // is evicted, so that this takes its place
  std::vector<Victim> victims;
  EntryStatus status = EntryStatus::kNotNominated;
  RequeueReason requeue = RequeueReason::kGeneric;
  bool is_preemptor = false;
  bool holds = false;                    // it has quota already, and is here for its places
  std::optional<ScanProgress> progress;  // for its next attempt
  std::string note;                      // why it was skipped or refused, in words
};

// The entry gets nothing in this cycle. Its next attempt goes on where this one stopped, or begins
// anew without the gate for that.
inline void MarkSkipped(const Gates& gates, std::string note, Entry* entry) {
  entry->status = EntryStatus::kSkipped;
  entry->note = std::move(note);
  if (!gates.preserve_scan_progress) entry->progress.reset();
}

}  // namespace muster::kueue

#endif  // MUSTER_PEER_KUEUE_ENTRY_H_
