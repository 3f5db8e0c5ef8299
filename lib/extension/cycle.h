// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What stands behind a Cycle: the tables and the books, for policies of the library itself.
//
//   void Open(const Cycle& cycle) override {
//     tables_ = &internal::DataOf(cycle).tables;
//     ledger_ = &internal::DataOf(cycle).ledger;
//   }
#ifndef MUSTER_EXTENSION_CYCLE_H_
#define MUSTER_EXTENSION_CYCLE_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "lib/extension/domains.h"
#include "lib/extension/memory_slots.h"
#include "lib/ledger/ledger.h"
#include "lib/model/tables.h"
#include "muster/policy.h"
#include "muster/turn.h"

namespace muster::internal {

struct CycleData {
  const Tables& tables;
  const Ledger& ledger;
  int64_t now = 0;
  // The phases of jobs, as admission in this cycle has changed them.
  const std::vector<JobPhase>& phases;
  // All jobs, ascending, that may differ from the opening of the previous cycle in account, phase
  // or table row. Null: unknown.
  const std::vector<JobIndex>* changed = nullptr;
  // Null: no policy is asked about sub-groups or domains.
  const Domains* domains = nullptr;
  std::shared_ptr<MemorySlots> memory = std::make_shared<MemorySlots>();  // never null
  Turn turn = {};
  std::vector<NodeIndex> heartbeats = {};  // of the turn
  uint64_t seed = 0;
};

inline const CycleData& DataOf(const Cycle& cycle) { return *cycle.data_; }

}  // namespace muster::internal

#endif  // MUSTER_EXTENSION_CYCLE_H_
