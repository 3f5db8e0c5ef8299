// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What the transwarp profile adds to the muster family, slowly: policies borrowing, hdrf, leaf-order and bindings.
#ifndef MUSTER_REFERENCE_PEER_TRANSWARP_TRANSWARP_H_
#define MUSTER_REFERENCE_PEER_TRANSWARP_TRANSWARP_H_

#include <span>
#include <vector>

#include "lib/reference/cycle.h"

namespace muster::reference {

// Below 0: l goes first.
int CompareByHdrf(const Cycle& cycle, const ReferencePolicy& policy, QueueIndex l, QueueIndex r);
int CompareByGuarantee(const Cycle& cycle, QueueIndex l, QueueIndex r);
int CompareByOwnOrder(const Cycle& cycle, JobIndex l, JobIndex r);

// borrowing: what every queue deserves, asked for or not; kept in the cycle's fair books.
void CountNominal(Cycle& cycle);
bool MayBorrow(const Cycle& cycle, QueueIndex queue, TaskIndex task);
std::vector<TaskIndex> AskBorrowing(const Cycle& cycle, TaskIndex evictor,
                                    const std::vector<TaskIndex>& candidates);

std::vector<TaskIndex> AskLeafOrder(const Cycle& cycle, TaskIndex evictor,
                                    const std::vector<TaskIndex>& candidates);
bool WithinBindings(const Cycle& cycle, TaskIndex task);

}  // namespace muster::reference

#endif  // MUSTER_REFERENCE_PEER_TRANSWARP_TRANSWARP_H_
