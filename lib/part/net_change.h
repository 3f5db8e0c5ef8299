// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Reduces a plan to its net changes: one decision at most for the place of a task.
//
//   plan.decisions = context.decisions.TakeList();
//   KeepNetChange(ledger, &plan);     // before the books are restored
//
// A task that held a node when the cycle opened may be evicted and placed again by one plan. With
// the net change a plan has one decision at most for its place:
//
//   back on its node, or promised it again     none
//   on another node                            Move
//   promised another node                      Move with `nominated`
//   otherwise                                  the last eviction
//
// The decision stands where the last one about the task stood. Tasks that the plan does not evict
// keep their decisions. O(decisions).
#ifndef MUSTER_PART_NET_CHANGE_H_
#define MUSTER_PART_NET_CHANGE_H_

#include "lib/ledger/ledger.h"
#include "lib/plan/plan_data.h"

namespace muster {

// REQUIRES: the ledger is as the cycle left it.
void KeepNetChange(const Ledger& ledger, PlanData* plan);

}  // namespace muster

#endif  // MUSTER_PART_NET_CHANGE_H_
