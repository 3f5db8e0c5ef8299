// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// A workload in the course of a cycle.
#ifndef MUSTER_PEER_KUEUE_ENTRY_H_
#define MUSTER_PEER_KUEUE_ENTRY_H_

#include <cstdint>
#include <optional>
#include <string>
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

}  // namespace muster::kueue

#endif  // MUSTER_PEER_KUEUE_ENTRY_H_
