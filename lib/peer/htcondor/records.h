// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What the memory keeps of the accountant: usage and priorities of submitters and groups.
//
//   Recall(slots->Recall(kRecordSlot.slot), tables, settings, now, &negotiator);
//   negotiator.RunCycle(...);
//   Remember(&negotiator, &slots->Remember(kRecordSlot.slot));
//
// Rows. "clock": the time of the last update. "u/NAME": a customer's record. "g/NAME": when a
// fraction of a slot was dealt to the group last. A record that decides nothing, of the best
// priority and without usage, has no row.
//
// A customer without a row begins with priority and factor of the `history` of its queue, if that
// has both; the entry without a user is that of the queue's group. Without a row "clock" the last
// update is the latest `as_of` of these histories. What an administrator has set (factors,
// ceilings, floors) replaces what is remembered.
#ifndef MUSTER_PEER_HTCONDOR_RECORDS_H_
#define MUSTER_PEER_HTCONDOR_RECORDS_H_

#include <cstdint>

#include "lib/model/tables.h"
#include "lib/peer/htcondor/negotiator.h"
#include "lib/peer/htcondor/settings.h"
#include "muster/memory.h"

namespace muster::condor {

inline constexpr MemoryDecl kRecordSlot = {"htcondor-accountant"};

void Recall(const MemorySlot& slot, const Tables& tables, const PoolSettings& settings, int64_t now,
            Negotiator* negotiator);
void Remember(Negotiator* negotiator, MemorySlot* slot);

}  // namespace muster::condor

#endif  // MUSTER_PEER_HTCONDOR_RECORDS_H_
