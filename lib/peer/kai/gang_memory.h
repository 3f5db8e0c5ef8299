// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Times of gangs, from plan to plan: when each was started, lost tasks, and was evicted.
//
//   RecallKaiGangs(slot, tables, &facts);           // before the world is built
//   ...                                             // the actions
//   RememberKaiGangs(world, tables, cut, &slots);   // when they have ended
//
// KAI Scheduler writes these times to annotations of its PodGroups. Here they are rows of slot
// kai-gangs, by name of the job:
//   started/JOB  {time}  the gang got its first tasks, none of which had to wait
//   evicted/JOB  {time}  a task of the gang was evicted
//   stale/JOB    {time}  the gang was first seen with too few tasks; it still has too few
//   whole/JOB    {time}  the gang was seen whole, although its `gang` has a time of staleness
//   failed/JOB   {time}  the one attempt of the job failed (job_settings.h). No cycle looks at the
//                        job from then on
//
// Times of `gang` in the job's spec go first: of starts and evictions the later time counts, and a
// row about staleness counts where the spec has no time, or one up to `whole`. Rows that are older
// than the job are about another job of that name, and do not count. Nor do rows later than now.
//
// An attempt fails if the job takes part with enough tasks, and at the end of the cycle some of
// them wait and none has a node or the promise of one. Whether an action came to the job makes no
// difference: when a session ends, the peer gives every such PodGroup the condition, also one
// beyond `depth`. A cycle that was cut is no attempt.
//
// Cost. O(jobs * log rows).
#ifndef MUSTER_PEER_KAI_GANG_MEMORY_H_
#define MUSTER_PEER_KAI_GANG_MEMORY_H_

#include "lib/extension/memory_slots.h"
#include "lib/model/tables.h"
#include "lib/peer/kai/facts.h"
#include "lib/peer/kai/world.h"
#include "muster/memory.h"

namespace muster {

inline constexpr MemoryDecl kKaiGangSlot = {"kai-gangs", 1};

// Adds what the slot has to the facts of jobs.
void RecallKaiGangs(const MemorySlot& slot, const Tables& tables, KaiFacts* facts);

// Replaces the rows of the slot by the times of the jobs as the actions left them. A slot that
// stays the same is not touched. `was_cut`: the cycle ended before all had their turns.
void RememberKaiGangs(const KaiWorld& world, const Tables& tables, bool was_cut,
                      MemorySlots* slots);

}  // namespace muster

#endif  // MUSTER_PEER_KAI_GANG_MEMORY_H_
